"""Meanings of the symbols in the equations of a model: entries of the description, and variables of the guide."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from robosym.algebra import symbols
from robosym.mechanism import GEOMETRY, Robot
from robosym.model import Model

__all__ = ["symbol_hints"]

_FRAME = {
    "gamma": ("angle about z of the antecedent", "rad"), "b": ("distance along z of the antecedent", "m"),
    "alpha": ("angle between the axes z", "rad"), "d": ("distance between the axes z", "m"),
    "theta": ("angle between the axes x", "rad"), "r": ("distance between the axes x", "m"),
}  # fmt: skip
_LINK = {
    **{name: (f"entry {name} of the inertia matrix at the origin of the frame", "kg m^2")
       for name in ("XX", "XY", "XZ", "YY", "YZ", "ZZ")},
    **{f"M{axis}": (f"first moment along {axis.lower()} of the frame: mass times center of mass", "kg m")
       for axis in "XYZ"},
    "M": ("mass", "kg"), "IA": ("inertia of the rotor of the motor, seen from the joint", "kg m^2 or kg"),
    "FV": ("viscous friction", "N m s/rad or N s/m"), "FS": ("Coulomb friction", "N m or N"),
}  # fmt: skip
_JOINT = {"QP": ("velocity", "rad/s or m/s"), "QDP": ("acceleration", "rad/s^2 or m/s^2"),
          "GAM": ("torque or force of the motor", "N m or N")}  # fmt: skip
#: variables of the recursions, by the letters of the guide: meaning, and unit
_GUIDE = {
    "WI": ("angular velocity of the antecedent, in the frame of link {j}", "rad/s"),
    "W": ("angular velocity of link {j}, in its frame", "rad/s"),
    "WP": ("angular acceleration of link {j}, in its frame", "rad/s^2"),
    "DV": ("products of the components of the angular velocity of link {j}", "rad^2/s^2"),
    "U": ("matrix U of link {j}: angular acceleration and products of the angular velocity", "rad/s^2"),
    "VSP": ("acceleration of the origin of frame {j}, in the frame of its antecedent, without gravity", "m/s^2"),
    "VP": ("acceleration of the origin of frame {j}, in this frame, without gravity", "m/s^2"),
    "PIS": ("differences of the principal moments of inertia of link {j}", "kg m^2"),
    "F": ("inertial force of link {j}, in its frame", "N"),
    "NO": ("inertial moment of link {j} without the acceleration of its origin", "N m"),
    "E": ("force of the antecedent on link {j}, in its frame", "N"),
    "N": ("moment of the antecedent on link {j} about the origin of its frame", "N m"),
    "SDJ": ("force of the antecedent on link {j}, in the frame of the antecedent", "N"),
    "GAM": ("torque or force of motor {j}", "N m or N"), "QDP": ("acceleration of joint {j}", "rad/s^2 or m/s^2"),
    "QP": ("velocity of joint {j}", "rad/s or m/s"),
    "QDS": ("acceleration of joint {j} with the antecedent at rest", ""),
    "DD": ("inverse of the inertia that motor {j} moves", ""), "V": ("velocity of the origin of frame {j}", "m/s"),
    "S": ("sine of the angle of joint {j}", ""), "C": ("cosine of the angle of joint {j}", ""),
}  # fmt: skip
#: kinds of models whose variables have these names, except S and C, which all have
_RECURSIVE = ("dyn", "ddm", "ccg", "mne", "grav", "vel", "acc")
_NAME = re.compile(r"([A-Za-z]+?)(\d+)[A-Z]?(?:_\w+)?")


def symbol_hints(model: Model, names: Sequence[str], links: dict[str, int]) -> dict[str, str]:
    """Return meaning, unit and place of the names that are known; `links` are those of the variables."""
    known = _entries(model.robot) if model.robot is not None else {}
    for group, entries in model.inputs.items():
        for name in entries:
            known.setdefault(name, model.meaning(group))
    angles = {name for name in names if re.fullmatch(r"[SC]\d+\w*", name)}
    guide = _GUIDE if model.kind.startswith(_RECURSIVE) else {letter: _GUIDE[letter] for letter in "SC"}
    found = {}
    for name in names:
        match = _NAME.fullmatch(name)
        if known.get(name):
            found[name] = known[name]
        elif match is not None and match[1] in guide and (name in links or name in angles):
            words, unit = guide[match[1]]
            j = links.get(name, int(match[2]))
            parts = match[2][: -len(str(j))] if match[2].endswith(str(j)) else ""
            place = f", component {','.join(parts)}" if parts else ""
            found[name] = f"{words.format(j=j)}{place}{f' ({unit})' if unit else ''}"
    return found


def _entries(robot: Robot) -> dict[str, str]:
    """Return the symbols of the tables with their meaning, unit and cell."""
    found: dict[str, str] = {}

    def take(value: Any, words: str, unit: str, cell: str) -> None:
        for symbol in symbols([value]):
            found.setdefault(symbol, f"{words} ({unit}): {cell}")

    for j, frame in enumerate(robot.frames, 1):
        variable = robot.variables[j - 1]
        for name in GEOMETRY:
            words, unit = _FRAME[name]
            if variable:
                kind = ("position", "m") if frame.joint_type.slides else ("angle", "rad")
                found.setdefault(variable, f"{kind[0]} of joint {j} ({kind[1]}): table Frames, frame {j}")
            take(getattr(frame, name), words, unit, f"table Frames, frame {j}, {name}")
    for j, link in enumerate(robot.links, 1):
        for name, (words, unit) in _LINK.items():
            take(getattr(link, name), words, unit, f"table Links, link {j}, {name}")
    for j, joint in enumerate(robot.joints, 1):
        for name, (words, unit) in _JOINT.items():
            take(getattr(joint, name), f"{words} of joint {j}", unit, f"table Joints, joint {j}, {name}")
    for axis, value in zip("xyz", robot.gravity, strict=True):
        take(value, f"acceleration of a falling body along {axis} of frame 0", "m/s^2", "Gravity")
    return found
