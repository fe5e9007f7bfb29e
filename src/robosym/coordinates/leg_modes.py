"""The branch of a leg: that of the reference position, or a chosen one; and legs described by vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from robosym.algebra import Expr, evaluate
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import SAME
from robosym.coordinates.leg import Leg
from robosym.coordinates.leg_chain import LegChain, leg_chain
from robosym.coordinates.platform_motion import PlatformMotion
from robosym.coordinates.reference import WARNED, Reference, remembered
from robosym.coordinates.rod import Rod, is_rod
from robosym.coordinates.strut import Strut, is_strut
from robosym.coordinates.vector_leg import VectorLeg
from robosym.errors import ExpressionError, InputError
from robosym.mechanism import Robot
from robosym.spatial.numeric import shortest_way

__all__ = ["by_vectors", "in_modes", "modes_of", "nearest_mode"]


#: kinds of legs that are computed by vectors instead of angles: a test that recognizes them, and their class
LEAN_LEGS: tuple[tuple[Callable[[Robot, LegChain], bool], type[Strut | Rod]], ...] = (
    (is_strut, Strut), (is_rod, Rod),
)  # fmt: skip


def modes_of(modes: Sequence[int] | None, legs: int) -> list[int] | None:
    if modes is None:
        return None
    if isinstance(modes, (str, int)) or len(modes) != legs or not all(isinstance(m, (int, np.integer)) for m in modes):
        raise InputError(f"modes: expected a number for each of the {legs} legs, found {modes!r}")
    return [int(m) for m in modes]


def by_vectors(motion: PlatformMotion, chain: LegChain, chosen: int | None) -> VectorLeg | None:
    """Return a leg of a kind without angles, in the branch of the reference position or a chosen mode."""
    robot, reference = chain.robot, chain.reference
    joints = [robot.joint(j) for j in chain.core]
    if any(joint.eta or joint.friction.needs_position for joint in joints):
        return None  # a spring, or friction at a position, needs the angle
    kind = next((made for fits, made in LEAN_LEGS if fits(robot, chain)), None)
    if kind is None:
        return None
    if reference is not None:
        return kind(motion, chain, reference.informative_samples(chain.leg)[0].joints, {})
    leg = Leg(motion, chain, chosen or 0, None)
    values = leg._values()
    try:
        solved = _angles([leg.solved[name] for name in chain.names], motion, values)
    except ExpressionError:
        return None
    return kind(motion, chain, dict(zip(chain.names, map(float, solved), strict=True)), values)


def in_modes(robot: Robot, reference: Reference, modes: Sequence[int] | None) -> Robot:
    """Return the robot with a reference position of the same pose and the chosen mode of each leg."""
    made: Robot = remembered(robot, f"in modes {modes}", lambda: _in_modes(robot, reference, modes or ()))
    return made


def _in_modes(robot: Robot, reference: Reference, modes: Sequence[int]) -> Robot:
    sample = reference.samples[0]
    joints = dict(sample.joints)
    for leg, mode in enumerate(modes):
        chain = leg_chain(robot, leg, reference)
        samples = [(one.pose_values, one.joints) for one in reference.informative_samples(leg)]
        if nearest_mode(chain, samples) != mode:
            joints |= _joints_in_mode(chain, mode, sample.pose_values)
    if joints == sample.joints and len(set(modes)) < 2:
        return robot
    made = robot.at(joints=joints)
    remembered(made, WARNED, lambda: True)  # these branches were chosen
    return made


def _joints_in_mode(chain: LegChain, mode: int, pose: Mapping[str, float]) -> dict[str, float]:
    """Return all joints of a leg at a pose, as numbers."""
    motion = PlatformMotion(chain.robot, ("pose",))
    solved = chain.solved(motion, mode)
    solved |= chain.wrist_joints(motion, solved)
    names = [name for name in solved if name in chain.robot.variables]
    try:
        values = _angles([solved[name] for name in names], motion, pose)
    except ExpressionError:
        message = f"modes: leg {chain.leg + 1} does not reach the reference position in mode {mode}"
        raise InputError(message) from None
    return dict(zip(names, map(float, values), strict=True))


def nearest_mode(chain: LegChain, places: Iterable[tuple[Mapping[str, float], Mapping[str, float]]]) -> int:
    """Return the mode that recovers the joints, at the first pose that distinguishes the modes."""
    lengths = [chain.robot.frame(j).joint_type.slides for j in chain.unknown]
    left, fits = list(range(len(chain.modes))), False
    for pose, joints in places:
        wanted = np.array([joints[name] for name in chain.names])
        fitting = [mode for mode in left if _apart(chain, mode, pose, wanted, lengths) <= SAME]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            left, fits = fitting, True
    if not fits:
        raise InputError(
            f"{chain.robot.name}: leg {chain.leg + 1}: the closed forms do not reproduce the reference position"
        )
    return left[0]  # they are the same everywhere


def _apart(chain: LegChain, mode: int, pose: Mapping[str, float], wanted: Array, lengths: Sequence[bool]) -> float:
    """Return the distance of a mode from joint values; infinite if it has no real root."""
    motion = PlatformMotion(chain.robot, ("pose",))
    solved = chain.solved(motion, mode)
    try:
        apart = _angles([solved[name] for name in chain.names], motion, pose) - wanted
    except ExpressionError:
        return np.inf
    return float(np.abs(shortest_way(apart, np.logical_not(lengths))).max())


def _angles(solved: Sequence[Any], motion: PlatformMotion, pose: Mapping[str, float]) -> Array:
    entries = [value if isinstance(value, Expr) else value.angle for value in solved]
    return np.array(evaluate(entries, pose))
