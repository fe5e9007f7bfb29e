"""The loops of a robot: each is cut at one joint, and is two ways from its root to the two sides of the cut."""

from __future__ import annotations

from dataclasses import dataclass

from robosym.chains.chain import JointChain, chain_between
from robosym.mechanism import Robot
from robosym.mechanism.path import moving_joints, path

__all__ = ["Loop", "loop_chain", "loops_of"]


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop cut at joint `cut`: the moving joints from its root to each side of the cut."""

    cut: int
    fixed: int  #: the frame that coincides with that of the cut joint
    root: int
    near: tuple[int, ...]  #: on the way from the root to the antecedent of the cut joint
    far: tuple[int, ...]  #: on the way from the root to the fixed frame

    @property
    def round(self) -> tuple[int, ...]:
        """All its joints in order: out to the cut, and back."""
        return (*self.near, self.cut, *reversed(self.far))


def loops_of(robot: Robot) -> tuple[Loop, ...]:
    """Every loop, in the order of the cut joints."""
    found = []
    for cut, fixed in robot.loops:
        up, down = path(robot, robot.frame(cut).ant, fixed)
        first = down[:1] or up[-1:]
        root = robot.frame(first[0]).ant if first else fixed
        found.append(Loop(cut, fixed, root, moving_joints(robot, up[::-1]), moving_joints(robot, down)))
    return tuple(found)


def loop_chain(robot: Robot, loop: Loop) -> JointChain:
    """From the fixed frame k + B round the loop to the frame k of the cut joint, which coincide."""
    return chain_between(robot, loop.fixed, loop.cut)
