"""Drives of the joints: motors, springs, or none (guide 1.7, 3.3.2.5; RNE 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, sqrt

from robosym.algebra import Expr, Number
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.model import Workspace

__all__ = ["Rest", "Roles", "Weights", "resting", "roles_of", "weight_factors"]

#: Positions of elastic joints where their springs are at rest, by joint; 0 for those not given.
Rest = Mapping["int | str", "Number | str"]  #: rest positions by number or name of the joint
Weights = Mapping["str | int", float]  #: weights of redundant motors by name or number of the joint


@dataclass(frozen=True, slots=True)
class Roles:
    """The joints of the tree by the kind of drive, cut joints with springs, and whether the base floats."""

    motors: tuple[int, ...]
    springs: tuple[int, ...]
    idle: tuple[int, ...]  #: neither motor nor spring: no effort
    base_free: bool

    @property
    def free(self) -> tuple[int, ...]:
        """Joints whose acceleration is unknown."""
        return tuple(sorted((*self.springs, *self.idle)))

    @property
    def rigid(self) -> bool:
        """Whether the acceleration of every joint and of the base is given."""
        return not self.free and not self.base_free

    def effort(self, j: int, work: Workspace, rest: Rest, position: Expr | None = None) -> Expr:
        """Return the effort on joint j before friction: the torque of its motor or of its spring, or zero.

        `position` is given for a joint whose variable is not an input, such as a cut joint.
        """
        if j in self.idle:
            return work.graph.zero
        joint = work.robot.joint(j)
        if j in self.springs:
            return -(work.value(joint.k) * self.stretch(j, work, rest, position))  # RNE 69, 70
        return work.value(joint.GAM)

    def stretch(self, j: int, work: Workspace, rest: Rest, position: Expr | None = None) -> Expr:
        """Return the deflection of an elastic joint from the rest position of its spring."""
        joint = work.robot.joint(j)
        own = 0 if joint.rest is None else work.value(joint.rest)
        place = work.graph.symbol(work.robot.variable(j)) if position is None else position
        return place - (work.parameter(rest[j]) if j in rest else own)


def resting(robot: Robot, rest: Rest | None) -> Rest:
    """Return rest positions by joint number from those by number or name."""
    return {robot.joint_number(joint, "rest"): value for joint, value in (rest or {}).items()}


def roles_of(robot: Robot, structure: str | None, passive: str, rest: Rest) -> Roles:
    """Return the roles; in the equivalent tree every joint has a motor and the base motion is given."""
    if passive not in ("driven", "free"):
        raise InputError(f"passive: expected 'driven' or 'free', found {passive!r}")
    joints = robot.tree_joints
    if structure == "tree":
        return Roles(joints, (), (), False)
    springs = tuple(j for j in (*joints, *robot.cut_joints) if robot.joint(j).eta)
    for j in rest:
        if j not in springs:
            found = "is not elastic" if j in (*joints, *robot.cut_joints) else "is no joint"
            raise InputError(f"rest: expected elastic joints ({', '.join(map(str, springs)) or 'none'}); {j!r} {found}")
    idle = tuple(j for j in joints if passive == "free" and not robot.frame(j).mu and j not in springs)
    motors = tuple(j for j in joints if j not in springs and j not in idle)
    return Roles(motors, springs, idle, robot.base.kind == "floating")


def weight_factors(robot: Robot, motors: Sequence[int], weights: Weights | None, redundant: bool) -> dict[int, float]:
    """Return 1 / sqrt(weight) of each motor that has a weight; invalid weights raise an error."""
    known: dict[str | int, int] = {robot.variable(j): j for j in motors}
    known |= {name: j for name, j in zip(robot.joint_names, robot.tree_joints, strict=True) if j in motors}
    found: dict[int, float] = {}
    for name, weight in (weights or {}).items():
        j = known.get(name, name)
        if j not in motors:
            names = ", ".join(robot.variable(j) for j in motors)
            raise InputError(f"{robot.name}: weights: expected motors ({names}), found {name!r}")
        if not (isinstance(weight, (int, float)) and isfinite(weight) and weight > 0):
            raise InputError(f"{robot.name}: weights: {name}: expected a positive number, found {weight!r}")
        found[int(j)] = 1 / sqrt(weight)
    if found and not redundant:
        raise InputError(f"{robot.name}: weights: it has no more motors than degrees of freedom: nothing to distribute")
    return found
