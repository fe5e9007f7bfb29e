"""Numbers that stand in for symbolic lengths and angles in a picture: given, of the description, or sensible ones."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import median

from robosym.algebra import numeric_value, symbols
from robosym.errors import InputError, closest
from robosym.mechanism import GEOMETRY, Robot
from robosym.mechanism.screws import ANGLES

__all__ = ["stand_ins"]

_LENGTH = 0.4  #: of a link about which nothing is known, m


def stand_ins(robot: Robot, given: Mapping[str, float]) -> dict[str, float]:
    """A number for every symbol in the frames that is not a joint variable: as given, or else pictured, or chosen.

    A length is the median of the lengths that are numbers; frames that stand on the same link at symbolic angles are
    spread evenly around its axis.
    """
    variables = set(robot.variables)
    fields: dict[str, set[str]] = {}
    for frame in robot.frames:
        for name in GEOMETRY:
            for symbol in symbols([getattr(frame, name)]):
                if symbol not in variables:
                    fields.setdefault(symbol, set()).add(name)
    for name, value in given.items():
        if name not in fields and name not in robot.parameters:
            raise InputError(f"{robot.name} has no symbol {name}{closest(name, fields)}")
        if not math.isfinite(value):
            raise InputError(f"{name}: expected a finite number, found {value!r}")
    known = {name: value for name, value in robot.picture.items() if name in fields} | dict(given)
    length = _usual_length(robot, known)
    around = _around(robot)
    return {
        name: known[name] if name in known else around.get(name, math.pi / 2) if where <= set(ANGLES) else length
        for name, where in fields.items()
    }


def _usual_length(robot: Robot, known: Mapping[str, float]) -> float:
    entries = [getattr(frame, name) for frame in robot.frames for name in ("b", "d", "r")]
    numbers = [numeric_value(entry) for entry in entries]
    lengths = [abs(number) for number in numbers if number]
    lengths += [abs(known[entry.name]) for entry in entries if known.get(entry.name or "")]
    return median(lengths) if lengths else _LENGTH


def _around(robot: Robot) -> dict[str, float]:
    """Symbols that are alone in gamma of a frame: an even share of the turn among the frames of the same link."""
    found = {}
    for frame in robot.frames:
        name = frame.gamma.name
        if name is not None:
            brothers = [other for other in robot.frames if other.ant == frame.ant]
            found[name] = 2 * math.pi * brothers.index(frame) / len(brothers)
    return found
