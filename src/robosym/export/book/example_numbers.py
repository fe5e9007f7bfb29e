"""A robot with a number for every symbol, for the numerical examples of a book."""

from __future__ import annotations

import numpy as np

from robosym.algebra import Expr, symbols
from robosym.drawing.scene import substitute_values
from robosym.mechanism import INERTIA, Robot

__all__ = ["example_values"]

_MASS, _SMALLEST = 12.0, 0.4  #: mass of the first link and smallest mass, in kg
_CENTER = (0.08, -0.03, 0.05)  #: center of mass relative to the reach of a link of 1 m
_GYRATION = np.array([0.10, 0.14, 0.12]) ** 2  #: squared radii of gyration in m^2
_OTHER = {"IA": 0.2, "FV": 0.6, "FS": 1.5}
_GRAVITY = -9.81
_EQUAL = 1e-9


def example_values(robot: Robot) -> dict[str, float]:
    """Return numbers for the symbols of a robot: lengths of its picture, and inertias of solid links."""
    rates = {
        str(entry.value) for joint in robot.joints for entry in (joint.QP, joint.QDP, joint.GAM) if entry.op == "symbol"
    }
    values: dict[str, float] = {}
    for name, value in substitute_values(robot, {}).items():
        if name in robot.parameters:
            while name not in robot.picture and any(abs(value - other) < _EQUAL for other in values.values()):
                value = round(1.13 * value, 4)
            values[name] = value
    for place, link in enumerate(robot.links):
        mass = max(round(_MASS * 0.75**place, 1), _SMALLEST)
        center = np.array(_CENTER) * 0.85**place
        J = mass * (np.diag(_GYRATION * 0.8**place) + center @ center * np.eye(3) - np.outer(center, center))
        entries = (J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2], *(mass * center), mass)
        for field, value in [*zip(INERTIA, entries, strict=True), *_OTHER.items()]:
            entry: Expr = getattr(link, field)
            if entry.op == "symbol" and str(entry.value) not in values:
                values[str(entry.value)] = round(float(value), 4)
    for entry in robot.gravity:
        for name in symbols([entry]):
            values.setdefault(name, _GRAVITY)
    for name in robot.parameters:
        if name not in rates:
            values.setdefault(name, 0.0)
    return {name: value for name, value in values.items() if name in robot.parameters and name not in rates}
