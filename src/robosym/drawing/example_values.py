"""Plausible numbers for the symbols of a robot, so that a symbolic robot can be tried before its data are known."""

from __future__ import annotations

import numpy as np

from robosym.algebra import Expr, symbols
from robosym.drawing.scene import substitute_values
from robosym.mechanism import INERTIA, MOTION, Robot

__all__ = ["example_values", "geometric_symbols", "model_symbols"]

_MASS, _SMALLEST = 12.0, 0.4  #: mass of the first link and smallest mass, in kg
_CENTER = (0.08, -0.03, 0.05)  #: center of mass of the first link, in m
_GYRATION = np.array([0.10, 0.14, 0.12]) ** 2  #: squared radii of gyration, in m²
_DRIVE = {"IA": 0.2, "FV": 0.6, "FS": 1.5}
_STIFFNESS = 1e4  #: of an elastic joint, in N m/rad
_EQUAL = 1e-9
_GRAVITY = -9.81  #: m/s², along the axis whose component is a symbol


def geometric_symbols(robot: Robot) -> tuple[str, ...]:
    """Return the symbols of the frames, which are not joint variables."""
    known = set(robot.parameters)
    return tuple(name for name in substitute_values(robot.to_closed(), {}) if name in known)


def model_symbols(robot: Robot) -> tuple[str, ...]:
    """Return the symbols of a robot that are not variables, rates, accelerations or torques of joints."""
    named = {entry.name for _, field, entry in robot.entries() if field in MOTION}
    return tuple(name for name in robot.parameters if name not in named)


def example_values(robot: Robot) -> dict[str, float]:
    """Return a plausible number for every symbol of `model_symbols`.

    Lengths and angles are those of its picture, different where the picture leaves them open. Links are solid, and
    lighter and smaller from link to link. External forces are zero, as are symbols that occur in formulas only.
    """
    found = dict.fromkeys(model_symbols(robot), 0.0)
    lengths: dict[str, float] = {}
    for name, value in substitute_values(robot.to_closed(), {}).items():
        if name in found:
            while name not in robot.picture and any(abs(value - other) < _EQUAL for other in lengths.values()):
                value = round(1.13 * value, 4)
            lengths[name] = value
    for place, link in enumerate(robot.links):
        for field, value in (_inertia(place) | _DRIVE).items():
            entry: Expr = getattr(link, field)
            if entry.op == "symbol" and not found.get(str(entry.name), 1.0):
                found[str(entry.name)] = value
    stiffnesses = [entry.name for _, field, entry in robot.entries() if field == "k"]
    for names, value in ((stiffnesses, _STIFFNESS), (symbols(robot.gravity), _GRAVITY)):
        found |= {name: value for name in names if name in found}
    return found | lengths


def _inertia(place: int) -> dict[str, float]:
    """Return the inertial parameters of a solid link, which are physically consistent."""
    mass = max(round(_MASS * 0.75**place, 1), _SMALLEST)
    center = np.array(_CENTER) * 0.85**place
    J = mass * (np.diag(_GYRATION * 0.8**place) + center @ center * np.eye(3) - np.outer(center, center))
    entries = (J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2], *(mass * center), mass)
    return {field: float(f"{value:.4g}") for field, value in zip(INERTIA, entries, strict=True)}
