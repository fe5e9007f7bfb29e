"""Pages that play the modes of linear models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from robosym.algebra.arrays import Array
from robosym.coordinates.joint_motion import joint_rates
from robosym.drawing.draw import page_of_motion
from robosym.dynamics.linearize import LinearModel
from robosym.errors import FormatError, InputError
from robosym.files import write_text
from robosym.spatial.numeric import rigid

__all__ = ["positions_of_mode", "write_mode"]

_PERIOD, _FRAMES = 2.0, 81  #: time in s and pictures of one period
_STILL = 1e-9  #: relative size of displacements that are rounding errors


def write_mode(linear: LinearModel, path: str | Path, mode: int, amplitude: float, groups: Mapping[str, Any]) -> Path:
    """Write the page of a mode; see `LinearModel.animate`."""
    path = Path(path)
    if path.suffix not in (".html", ".htm"):
        raise FormatError(f"expected .html, found {path.suffix or 'no extension'}", str(path))
    robot = linear.robot
    assert robot is not None
    t, q, bases, title = positions_of_mode(linear, mode, amplitude, groups)
    write_text(path, page_of_motion(robot, t, list(q), bases, f"{robot.name}, {title}", False))
    return path


def positions_of_mode(
    linear: LinearModel, mode: int, amplitude: float, groups: Mapping[str, Any]
) -> tuple[Array, Array, Array | None, str]:
    """Return times, positions of all joints, poses of a floating base or None, and a title."""
    robot = linear.robot
    assert robot is not None
    modes = linear.eigenmodes(**groups)
    count = len(modes.eigenvalues)
    if not (isinstance(mode, int) and 1 <= mode <= count):
        raise InputError(f"mode: expected a number from 1 to {count}, found {mode!r}")
    if not (isinstance(amplitude, (int, float)) and 0 < amplitude < np.inf):
        raise InputError(f"amplitude: expected a positive number, found {amplitude!r}")
    shape = modes.shapes[: len(linear.state) // 2, mode - 1]
    largest = np.abs(shape).max()
    if largest <= _STILL * np.abs(modes.shapes[:, mode - 1]).max():
        raise InputError(f"mode: mode {mode} moves no joint")
    shape = shape / shape[np.abs(shape).argmax()] * amplitude
    t = np.linspace(0, _PERIOD, _FRAMES)
    moved = np.real(np.exp(2j * np.pi * t / _PERIOD)[:, None] * shape)
    floating = robot.base.kind == "floating"
    joints, values = moved[:, 6 * floating :], linear.values(**groups)
    place = np.asarray(_listed(values["q"], linear.inputs["q"]), dtype=float)
    q = np.broadcast_to(place, (len(t), len(robot.tree_joints)))
    found = q + _all_joints(linear, joints, q)
    bases = np.array([rigid(row[:3], row[3:6]) for row in moved]) if floating else None
    frequency, damping = modes.frequencies[mode - 1], np.round(modes.damping[mode - 1], 9)
    return t, found, bases, f"mode {mode}: {frequency:.4g} Hz, damping ratio {damping:.3g}"


def _listed(given: Any, names: tuple[str, ...]) -> Any:
    return [given[name] for name in names] if isinstance(given, Mapping) else given


def _all_joints(linear: LinearModel, joints: Array, q: Array) -> Array:
    """Return the displacements of all joints; passive ones follow along the loops."""
    robot = linear.robot
    assert robot is not None
    if not robot.constrained:
        return joints
    rates = joint_rates(robot)
    given: dict[str, Any] = {"q": q, "qd": joints}
    if "parameters" in rates.inputs:
        given["parameters"] = linear.values()["parameters"]
    return np.asarray(rates.compile()(**given))
