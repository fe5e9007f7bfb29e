"""Chapter of a book that compares its models with numbers from elsewhere, at printed states."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np

from robosym.algebra.arrays import Array
from robosym.algebra.generic import random_arrays
from robosym.coordinates.numeric_robot import NumericRobot
from robosym.dynamics import inverse_dynamics
from robosym.errors import Error
from robosym.export.book.blocks import BookTable, Chapter
from robosym.export.book.kinematic_chapters import drawn_pose, end_of, generic_joints
from robosym.export.book.number_checks import CheckedNumber, frame_poses, power_of, slope
from robosym.kinematics import direct_geometry, jacobian
from robosym.mechanism import Robot
from robosym.model import Model
from robosym.solve.inverse_geometry import inverse_geometry
from robosym.solve.pose_coordinates import platform_pose

__all__ = ["checked_numbers"]

_SEEDS = (11, 12, 13)
_MOVE = 1e-3  #: trial motion in m
_AXES = ("Px", "Py", "Pz")
Path = Callable[[float], dict[str, float]]


def checked_numbers(robot: Robot, numeric: Robot) -> Chapter:
    """Return the comparison at three states."""
    chapter = Chapter("Checked numbers")
    platform = robot.coordinates == "platform"
    states: list[tuple[str, ...]] = []
    found: list[CheckedNumber] = []
    for k, seed in enumerate(_SEEDS, 1):
        label = f"{k}"
        with suppress(Error):
            rows, compared = _of_platform(numeric, seed, label) if platform else _of_joints(numeric, seed, label)
            states += rows
            found += compared
    chapter.comparisons = found
    chapter.paragraph(
        "Each model is evaluated at the states below and compared with numbers that do not come from it. Poses "
        "are products of elementary matrices. Velocities are differences of such poses in time. The power of the "
        "motors, the product of their torques and velocities, must equal the change of the kinetic and potential "
        "energy of all links, which follows from differences of poses too, and the power lost by friction."
    )
    if not found:
        return Chapter("Checked numbers")
    first = ("state", "joint or coordinate", "position", "velocity", "acceleration")
    chapter.add(BookTable(first, tuple(states), "States of the comparison (SI units).", 2))
    cells = tuple(
        (c.state, c.quantity, c.unit, f"{c.model:.9g}", f"{c.other:.9g}", f"{c.difference:.0e}") for c in found
    )
    second = ("state", "quantity", "unit", "model", "from elsewhere", "difference")
    chapter.add(BookTable(second, cells, "Models compared with numbers from elsewhere.", 3))
    return chapter


def _given(model: Model, robot: Robot, **values: Any) -> dict[str, Any]:
    return {group: values[group] for group in model.inputs if group in values}


def _of_joints(robot: Robot, seed: int, label: str) -> tuple[list[tuple[str, ...]], list[CheckedNumber]]:
    """Return a state of a tree or of closed loops, and its comparisons."""
    rng = random_arrays("book of a robot", seed)
    model = inverse_dynamics(robot)
    names, rates = model.inputs["q"], model.inputs["qd"]
    bound = bool(robot.loops or robot.couplings)
    independent = list(NumericRobot(robot).motors) if bound else list(names)
    q0 = dict(zip(names, generic_joints(robot, seed + 100), strict=True))
    numeric = NumericRobot(robot) if bound else None
    qd, qdd = (np.round(rng.uniform(-1, 1, len(rates)), 2) for _ in range(2))

    @cache
    def path(t: float) -> dict[str, float]:
        moved = {
            name: q0[name] + v * t + a * t * t / 2 for name, v, a in zip(independent, qd, qdd, strict=True)
        }  # fmt: skip
        return moved if numeric is None else dict(numeric.at(moved))

    here = path(0.0)
    states: list[tuple[str, ...]] = [
        (label, f"${name}$", *(f"{0.0 + x:g}" for x in (q0[name], v, a)))
        for name, v, a in zip(independent, qd, qdd, strict=True)
    ]  # fmt: skip
    found = list(_pose_comparisons(robot, path, qd, label))
    tau = np.asarray(model.compile()(**_given(model, robot, q=[here[n] for n in names], qd=qd, qdd=qdd)))
    found.append(CheckedNumber(label, "power of the motors", "W", float(tau @ qd), power_of(robot, path)))
    return states, found


def _pose_comparisons(robot: Robot, path: Path, qd: Array, label: str) -> Iterator[CheckedNumber]:
    here, end = path(0.0), end_of(robot)
    geometric, velocities = direct_geometry(robot, 0, end), jacobian(robot, end)
    T = np.asarray(geometric.compile()(q=[here[name] for name in geometric.inputs["q"]]))
    other = frame_poses(robot, here)[end]
    for k, name in enumerate(_AXES):
        yield CheckedNumber(label, f"${name}$ of frame {end}", "m", T[k, 3], other[k, 3])
    J = np.asarray(velocities.compile()(q=[here[name] for name in velocities.inputs["q"]]))
    moved = slope(lambda t: frame_poses(robot, path(t))[end])
    if J.shape[1] == len(qd):
        for k, name in enumerate("xyz"):
            yield CheckedNumber(label, f"velocity of frame {end} along {name}", "m/s", J[k] @ qd, moved[k, 3])


def _of_platform(robot: Robot, seed: int, label: str) -> tuple[list[tuple[str, ...]], list[CheckedNumber]]:
    """Return a state of a platform, and the balance of power."""
    rng = random_arrays("book of a robot", seed)
    closed = robot.to_closed()
    rest = drawn_pose(robot)
    shift, v, a = (np.round(rng.uniform(-1, 1, 3) * size, 3) for size in (0.03, 0.3, 0.3))
    legs = inverse_geometry(robot)
    free = [k for k in range(3) if _is_free(robot, legs, rest, k)]

    @cache
    def pose(t: float) -> Array:
        moved = {"xyz"[k]: rest[9 + k] + shift[k] + v[k] * t + a[k] * t * t / 2 for k in free}
        return np.asarray(platform_pose(robot, pose=rest, **moved))

    @cache
    def twist(t: float) -> Array:
        rate = slope(pose, t)
        spin = rate[:9].reshape(3, 3) @ pose(t)[:9].reshape(3, 3).T
        return np.array([*rate[9:], spin[2, 1], spin[0, 2], spin[1, 0]])

    @cache
    def path(t: float) -> dict[str, float]:
        joints = np.asarray(legs.solve(pose(t), passive=True))  # in the branches of the legs that the model has
        return dict(zip(robot.joint_names, map(float, joints), strict=True))

    model = inverse_dynamics(robot)
    given = _given(model, robot, pose=pose(0.0), twist=twist(0.0), acceleration=slope(twist))
    tau = np.asarray(model.compile()(**given))
    motors = [robot.joint_names.index(name) for name in robot.motor_names]
    rates = slope(lambda t: np.array([*path(t).values()])[motors])
    states: list[tuple[str, ...]] = [
        (label, "xyz"[k], f"{pose(0.0)[9 + k]:.3f}", f"{v[k]:g}", f"{a[k]:g}") for k in free
    ]  # fmt: skip
    return states, [CheckedNumber(label, "power of the motors", "W", float(tau @ rates), power_of(closed, path))]


def _is_free(robot: Robot, legs: Any, rest: Array, axis: int) -> bool:
    """Return whether the platform can be moved along an axis of frame 0."""
    try:
        legs.solve(platform_pose(robot, pose=rest, **{"xyz"[axis]: rest[9 + axis] + _MOVE}))
    except Error:
        return False
    return True
