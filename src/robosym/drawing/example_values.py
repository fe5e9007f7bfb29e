"""Plausible numbers for the symbols of a robot, so that a symbolic robot can be tried before its data are known."""

from __future__ import annotations

from robosym.drawing.scene import substitute_values
from robosym.mechanism import MOTION, Robot

__all__ = ["example_values", "geometric_symbols", "model_symbols"]

#: values of entries that are a symbol: a link of 5 kg whose center of mass is 0.1 m from the axis, which is physically
#: consistent, with a drive of an industrial arm
_LINK = {
    "M": 5.0, "MX": 0.5, "XX": 0.2, "YY": 0.25, "ZZ": 0.25, "IA": 0.05, "FV": 1.0, "FS": 1.0, "k": 1e4,
}  # fmt: skip
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

    Lengths and angles are those of its picture. First moments other than MX, products of inertia and external forces
    are zero, as are symbols that occur in formulas only.
    """
    found = dict.fromkeys(model_symbols(robot), 0.0)
    for place, field, entry in robot.entries():
        if entry.name in found:
            found[entry.name] = _GRAVITY if "gravity" in (place, field) else _LINK.get(field, 0.0)
    return found | {name: value for name, value in substitute_values(robot.to_closed(), {}).items() if name in found}
