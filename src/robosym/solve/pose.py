"""Poses, tools and fixed joints as users give them: validation, exact rotations, undetermined joints."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra import Expr, Graph, parse
from robosym.algebra.generic import random_arrays
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import ORTHONORMAL, SINGULAR, SOLVED
from robosym.chains.chain import JointChain, PoseProblem, chain_between
from robosym.chains.numeric_chain import NumericChain
from robosym.errors import InputError, Pass, RobotWarning, closest
from robosym.mechanism import Robot
from robosym.mechanism.added_frame import pose_parts
from robosym.mechanism.end_frame import chosen_frame, frame_words
from robosym.mechanism.path import WORLD, check_frame
from robosym.spatial import Transform

__all__ = [
    "JointsLeftFree",
    "chain_to",
    "columns_given",
    "fixed_values",
    "poses_of",
    "undetermined_joints",
    "unknown_joints",
    "variable_of",
    "warn_of_dependence",
]

_LOOSE = 1e-5  #: how far from a rotation a given matrix may be
_EXACT = 1e-15  #: a rotation with a smaller error is not corrected


def poses_of(T: ArrayLike, given: str, tolerance: float, chosen: Array | None = None) -> tuple[Array, bool, Array]:
    """Return poses (m, 4, 4), whether a single one was given, and the tolerance of each, for the `chosen` columns."""
    try:
        poses = np.asarray(T, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"expected a 4x4 matrix of numbers, found {T!r}") from None
    if given == "P" and poses.ndim in (1, 2) and poses.shape[-1] == 3:
        points, poses = poses, np.broadcast_to(np.eye(4), (*poses.shape[:-1], 4, 4)).copy()
        poses[..., :3, 3] = points
    if poses.ndim not in (2, 3) or poses.shape[-2:] != (4, 4):
        raise InputError(f"expected a pose (4, 4) or poses (m, 4, 4), found an array of shape {np.shape(T)}")
    single = poses.ndim == 2
    poses = poses.reshape(-1, 4, 4)
    numbers = np.arange(len(poses)) if chosen is None else chosen
    poses = poses[numbers]
    columns = ["snaP".index(name) for name in given]
    wanted = poses[:, :3, columns]
    if not np.isfinite(wanted).all():
        raise InputError("the pose contains an entry that is not a finite number")
    for row in poses[np.abs(poses[:, 3] - [0, 0, 0, 1]).max(axis=1, initial=0) > SOLVED, 3]:
        raise InputError(f"expected 0 0 0 1 as the last row of a pose, found {' '.join(f'{x:g}' for x in row)}")
    loose = _orthonormal(poses, [column for column in columns if column < 3], None if single else numbers)
    return poses, single, np.maximum(tolerance, 10 * loose)


def _orthonormal(poses: Array, axes: list[int], numbers: Array | None) -> Array:
    """Make the columns orthonormal in place, add missing ones, and return their errors."""
    if not axes:
        poses[:, :3, :3] = np.eye(3)
        return np.zeros(len(poses))
    A = poses[:, :3, axes]
    off = np.abs(A.transpose(0, 2, 1) @ A - np.eye(len(axes))).max(axis=(1, 2), initial=0)
    reflected = np.linalg.det(A) < 0 if len(axes) == 3 else np.zeros(len(A), bool)
    for number in np.flatnonzero((off > _LOOSE) | reflected):
        where = "the pose" if numbers is None else f"pose {numbers[number]}"
        if off[number] > _LOOSE:
            raise InputError(
                f"{where} is not a rotation: its columns {', '.join('sna'[c] for c in axes)} should be orthogonal "
                f"unit vectors, found an error of {off[number]:.2g}"
            )
        raise InputError(f"{where} is not a rotation: its determinant is -1 (a reflection)")
    inexact = np.flatnonzero(off > _EXACT)
    U, _, V = np.linalg.svd(A[inexact], full_matrices=False)
    A[inexact] = U @ V
    poses[:, :3, axes] = A
    if len(axes) == 2:
        missing = 3 - sum(axes)
        poses[:, :3, missing] = np.cross(poses[:, :3, (missing + 1) % 3], poses[:, :3, (missing + 2) % 3])
    return np.asarray(off)


def tool_transform(tool: object, graph: Graph) -> Transform:
    """Return the transform of a 4x4 matrix of numbers or expressions, or of x y z roll pitch yaw."""
    if np.ndim(np.asarray(tool, dtype=object)) == 1:
        place, turn = pose_parts(tool, None, None, graph)
        turned = [[graph.number(float(value)) for value in row] for row in turn.rows]
        return Transform.of(*(value for row, shift in zip(turned, place, strict=True) for value in (*row, shift)))
    rows = [list(row) for row in tool] if hasattr(tool, "__iter__") and not isinstance(tool, str) else []
    if len(rows) != 4 or any(len(row) != 4 for row in rows):
        raise InputError(f"tool: expected a 4x4 matrix, found {tool!r}")

    def entry(value: Any) -> Expr:
        if isinstance(value, str):
            return parse(value, graph)
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise InputError(f"tool: expected a number or an expression, found {value!r}") from None
        return graph.number(number)

    E = [[entry(value) for value in row] for row in rows]
    if all(isinstance(value, (int, float, np.number)) for row in rows for value in row):
        A = np.array(rows, dtype=float)[:3, :3]
        if not np.allclose(A.T @ A, np.eye(3), atol=ORTHONORMAL) or np.linalg.det(A) < 0:
            raise InputError("tool: its first three columns are not a rotation")
    return Transform.of(*E[0], *E[1], *E[2])


class JointsLeftFree(InputError):
    """Raised if the given part of the pose does not determine every joint."""

    usual = "E407"


def columns_given(given: str) -> str:
    """Return the given columns of a pose in order."""
    wrong = not isinstance(given, str) or not given or set(given) - set("snaP") or len(set(given)) != len(given)
    if wrong:
        raise InputError(f"given: expected some of the letters s, n, a, P, found {given!r}")
    return "".join(column for column in "snaP" if column in given)


def undetermined_joints(robot: Robot, problem: PoseProblem) -> tuple[str, ...]:
    """Return the joints that the given columns do not depend on; singular poses are ignored."""
    names, unknown = problem.chain.names, problem.unknown
    sample = {name: float(values[0]) for name, values in problem.samples.symbols.items()}
    numeric = NumericChain.of(problem.chain, sample, problem.columns, unknown)
    rank, loose = numeric.rank(np.array([sample[name] for name in names]))
    free = tuple(names[place] for place in loose)
    if len(free) != len(unknown) - rank:
        raise JointsLeftFree(
            f"{robot.name}: {' '.join(problem.given)} of the pose leaves {len(unknown) - rank} of the joints "
            f"{', '.join(free)} free",
            hint=("give more of s, n, a, P, or fix a joint with ", Pass("fixed", {free[0]: 0.0})),
        )
    if len(free) == len(unknown):
        raise InputError(f"{robot.name}: {' '.join(problem.given)} of the pose does not depend on any joint")
    return free


def warn_of_dependence(robot: Robot, problem: PoseProblem) -> None:
    """Warn if joints are so nearly dependent at every position that a rounded pose hardly distinguishes them."""
    sample = {name: float(values[0]) for name, values in problem.samples.symbols.items()}
    numeric = NumericChain.of(problem.chain, sample, problem.columns, problem.unknown)
    q = random_arrays("dependent joints").uniform(-3, 3, (16, len(numeric.joints)))
    least, places = numeric.weakest(np.where(numeric.prismatic, numeric.length / 3, 1.0) * q)
    if least < SINGULAR:
        names = ", ".join(problem.chain.names[place] for place in places)
        message = (
            f"{robot.name}: the joints {names} are nearly dependent: moved together by 1 they change the pose "
            f"by {least:.0e}. Solutions may be missing or inexact"
        )
        others = (", or make nearly parallel axes exactly parallel",)
        hint = ("fix one of these joints with ", Pass("fixed"), *others)
        warnings.warn(RobotWarning(message, hint=hint), stacklevel=4)


def chain_to(robot: Robot, frame: int | str | None, reference: int | str, tool: object) -> JointChain:
    """Return the chain from `reference` to `frame`, or to a tool on it."""
    frame = check_frame(robot, chosen_frame(robot, frame), 1)
    reference = check_frame(robot, reference, WORLD)
    chain = chain_between(robot, reference, frame, None if tool is None else lambda graph: tool_transform(tool, graph))
    if not chain.joints:
        raise InputError(
            f"{robot.name}: {frame_words(robot, frame)} is fixed to {frame_words(robot, reference)}: expected a frame "
            "that a joint moves"
        )
    return chain


def variable_of(robot: Robot, chain: JointChain, joint: str, argument: str) -> str:
    """Return the variable of a joint of the chain, given by its name or its variable."""
    name = joint if joint in chain.names else robot.joint_variable(joint, argument)
    if name not in chain.names:
        raise InputError(f"{argument}: {name} is not a joint of this chain{closest(name, chain.names)}")
    return name


def fixed_values(
    robot: Robot, chain: JointChain, fixed: Mapping[str, float] | Sequence[str]
) -> dict[str, float | None]:
    """Return the joints that the user fixed, by variable, with their values; None for those given by name alone."""
    names = chain.names
    if isinstance(fixed, str):
        fixed = (fixed,)
    try:
        known = {name: name if name in names else robot.joint_variable(name, "fixed") for name in fixed}
        values: dict[str, float | None] = dict.fromkeys(known.values())
        if isinstance(fixed, Mapping):
            values = {known[name]: float(fixed[name]) for name in fixed}
    except (TypeError, ValueError):
        expected = f"names of joints, or their values {{'{names[0]}': 0.0}}"
        raise InputError(f"fixed: expected {expected}, found {fixed!r}") from None
    for name in values:
        if name not in names:
            raise InputError(f"fixed: {name} is not a joint of this chain{closest(name, names)}")
    return values


def unknown_joints(
    robot: Robot, chain: JointChain, fixed: Mapping[str, float] | Sequence[str], locked: str | None = None
) -> tuple[dict[str, float], tuple[str, ...]]:
    """Return the values of the joints that the user fixed, and the remaining joints without the one `locked`."""
    names = chain.names
    known = fixed_values(robot, chain, fixed)
    values = {name: value for name, value in known.items() if value is not None}
    unknown = tuple(name for name in names if name not in known and name != locked)
    if len(unknown) > 6:
        hint = (f"fix {len(unknown) - 6} of them with ", Pass("fixed", {names[2]: 0.0}))
        raise JointsLeftFree(f"{robot.name} has {len(unknown)} joints", hint=hint)
    if not unknown:
        raise InputError("fixed: expected at least one joint that is not fixed")
    return values, unknown
