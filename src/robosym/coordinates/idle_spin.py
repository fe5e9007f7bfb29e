"""Legs between two spherical joints (SPS, RSS), whose rod can spin without moving anything else.

The spin of a rod that is symmetrical about the line between the joints is constant, and without spin there is no
moment about the line. The inertia about the line then has no effect: the last axis of the first spherical joint is
fixed, and this inertia is omitted. If the pose of the platform does not determine the motion of a leg, an error is
raised.
"""

from __future__ import annotations

from dataclasses import replace

from robosym.coordinates.leg_chain import axes_at_end, carries_load
from robosym.coordinates.reference import remembered
from robosym.coordinates.vector_leg import right_angle, straight_angle
from robosym.errors import InputError
from robosym.mechanism import Frame, Link, Robot
from robosym.mechanism.elements import expressions

__all__ = ["idle_joints", "without_spin"]

_ACROSS = {"X": ("YY", "ZZ", "MY", "MZ"), "Y": ("XX", "ZZ", "MX", "MZ"), "Z": ("XX", "YY", "MX", "MY")}


def without_spin(robot: Robot) -> Robot:
    """Return the robot with the idle rotations of its legs fixed, or the robot itself if there are none."""
    found: Robot = remembered(robot, "without spin", lambda: _held(robot))
    return found


def idle_joints(robot: Robot) -> dict[int, float]:
    """Return the fixed joints and their positions: those of the reference position, or zero."""
    found = {}
    for leg, numbers in enumerate(robot.legs):
        joints = [j for j in numbers if robot.frame(j).is_joint and j not in robot.followers]
        ball = _first_ball(robot, leg, joints) if len(joints) == 7 else None
        if ball is not None:
            found[ball] = float(robot.position.get(robot.variable(ball), 0.0))
    return found


def _first_ball(robot: Robot, leg: int, joints: list[int]) -> int | None:
    """Return the last joint of a spherical joint before that of the platform, on links without load."""
    if axes_at_end(robot, leg) != 3:
        return None
    for one, two, three in zip(joints, joints[1:], joints[2:5], strict=False):
        frames = [robot.frame(j) for j in (one, two, three)]
        free = all(f.joint_type.only_turns and not f.mu for f in frames)
        meet = all(f.b.is_zero and f.d.is_zero and f.r.is_zero for f in frames[1:])
        bare = not any(carries_load(robot, j) for j in (one, two))
        if free and meet and bare and (two, three) == (one + 1, one + 2):
            return three
    return None


def _held(robot: Robot) -> Robot:
    idle = idle_joints(robot)
    if not idle:
        return robot
    zero = robot.graph.zero
    frames, links, joints = list(robot.frames), list(robot.links), list(robot.joints)
    for j, value in idle.items():
        if robot.joint(j).friction or robot.joint(j).eta:
            raise InputError(
                f"{robot.name}: joint {j} spins freely between two spherical joints: expected no friction or spring"
            )
        leg, numbers = next((k, n) for k, n in enumerate(robot.legs) if j in n)
        for k in range(j, numbers[-1 - 3] + 1):
            links[k - 1] = _thin(robot, leg, k, robot.link(k), robot.frame(k + 1))
        frame = robot.frame(j)
        held = frame.theta - robot.graph.symbol(robot.variable(j)) + value
        frames[j - 1] = replace(frame, sigma=2, mu=0, theta=held)
        joints[j - 1] = replace(joints[j - 1], QP=zero, QDP=zero, GAM=zero)
    held_names = {robot.variable(j) for j in idle}
    position = {name: q for name, q in robot.position.items() if name not in held_names}
    return replace(robot, frames=tuple(frames), links=tuple(links), joints=tuple(joints), position=position)


def _thin(robot: Robot, leg: int, j: int, link: Link, after: Frame) -> Link:
    """Return a link without its inertia about the line between the spherical joints."""
    if all(value.is_zero for _, value in expressions(link)):
        return link
    axis = _along(after)
    one, two, *moments = (getattr(link, name) for name in _ACROSS[axis or "Z"])
    none = one - two, *moments, link.XY, link.XZ, link.YZ
    if axis is None or not all(value.is_zero for value in none):
        raise InputError(
            f"{robot.name}: leg {leg + 1} can spin about the line between its spherical joints, and link {j} "
            "is not symmetrical about it (equal moments of inertia across it, no products, no first moments across): "
            "the pose does not determine its motion"
        )
    if any(not value.is_zero for value in (link.FV, link.FS)) and robot.frame(j).joint_type.turns:
        raise InputError(f"{robot.name}: leg {leg + 1} spins freely: its joint {j} has friction, and would slow down")
    return replace(link, **{2 * axis: robot.graph.zero})


def _along(after: Frame) -> str | None:
    """Return the axis of the antecedent along which a frame is displaced or its joint slides, or None."""
    straight, right = straight_angle(after.alpha), right_angle(after.alpha)
    if after.d.is_zero and straight:
        return "Z"
    if not straight_angle(after.gamma) or not after.b.is_zero:
        return None
    if after.d.is_zero and right:
        return "Y"
    return "X" if after.r.is_zero and not after.joint_type.slides else None
