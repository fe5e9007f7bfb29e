"""How columns of a log are named: what they hold, their joint and their unit."""

from __future__ import annotations

import re

import numpy as np

__all__ = ["COLUMN", "GROUP_OF", "UNIT", "UNITS", "bracketed", "column_group", "stem_of", "with_unit"]

#: how columns are called, in lower case and without what stands between words
_WORDS = {
    "t": ("t", "time", "times", "stamp", "timestamp", "seconds"),
    "q": ("q", "pos", "position", "positions", "jointposition", "jointpositions", "actualq", "motorposition"),
    "qd": ("qd", "dq", "qdot", "vel", "velocity", "velocities", "jointvelocity", "jointvelocities", "actualqd", "qp"),
    "tau": ("tau", "torque", "torques", "effort", "efforts", "gam", "jointtorque", "jointtorques", "motortorque"),
    "current": ("i", "current", "currents", "motorcurrent", "actualcurrent"),
}
_MILLI, _MICRO, _NANO = 1e-3, 1e-6, 1e-9
#: what a unit in the name of a column multiplies, by group
UNITS = {
    "t": {"s": 1.0, "sec": 1.0, "ms": _MILLI, "us": _MICRO, "µs": _MICRO, "ns": _NANO},
    "q": {"rad": 1.0, "m": 1.0, "mm": _MILLI, "deg": np.pi / 180, "°": np.pi / 180},
    "qd": {
        "rad/s": 1.0, "m/s": 1.0, "mm/s": _MILLI, "deg/s": np.pi / 180, "°/s": np.pi / 180, "rpm": np.pi / 30,
    },
    "tau": {"nm": 1.0, "n": 1.0, "n.m": 1.0, "n*m": 1.0, "nmm": _MILLI, "mnm": _MILLI},
    "current": {"a": 1.0, "ma": _MILLI},
}  # fmt: skip
#: a unit at the end of a name without brackets, before or behind the number of the joint
_TRAILING = re.compile(
    r"(.+?)[_ ](s|sec|ms|us|ns|rad|deg|m|mm|rad_s|deg_s|m_s|mm_s|rpm|nm|n|mnm|a|ma)(?:_(\d+))?", re.I
)
_JOINT = r"(?:joint|axis|motor|j)?[\s_]*\d+"  #: 0, j1, joint 1
#: what stands in brackets at the end, unless it is the number of a joint, q[0]
UNIT = re.compile(rf"[\[(]\s*(?!{_JOINT}\s*[\])])([^\[\]()]+?)\s*[\])]\s*$", re.IGNORECASE)
GROUP_OF = {word: group for group, words in _WORDS.items() for word in words}
#: q1, q_1, q[0], joint_position_2, "tau joint 3 [Nm]"
COLUMN = re.compile(
    r"(.*?)[\s_\[(.]*?(?:j|joint|axis|motor)?[\s_]*?(\d+)?\s*[\])]?"
    rf"(?:[\s_]*[\[(](?!{_JOINT}\s*[\])]).*[\])])?",
    re.IGNORECASE,
)


def column_group(name: str) -> tuple[str, int | None]:
    """What a column holds by its name, "t", "q", "qd", "tau", "current" or nothing, and the number of its joint."""
    name = bracketed(name.strip())
    match = COLUMN.fullmatch(name)
    number = match[2] if match else None
    return GROUP_OF.get(stem_of(match[1] if match else name), ""), None if number is None else int(number)


def with_unit(ours: str, theirs: str) -> str:
    """Our name of a column with the unit of theirs, unless ours tells one itself: q1[deg]."""
    group, _ = column_group(UNIT.sub("", ours))
    if UNIT.search(bracketed(ours)):
        return ours
    unit = UNIT.search(theirs) or UNIT.search(bracketed(theirs, group))
    return ours if unit is None else f"{ours} [{unit[1]}]"


def bracketed(name: str, group: str = "") -> str:
    """A unit behind an underscore in brackets: time_ms is time [ms], q1_deg and q_deg_1 are q1 [deg].

    The unit is one of the `group`, or of that which the name tells.
    """
    match = _TRAILING.fullmatch(name)
    if match is None:
        return name
    unit = match[2].replace("_", "/").lower()
    known = UNITS.get(group or column_group(match[1])[0], {})
    return f"{match[1]}{match[3] or ''} [{unit}]" if unit in known else name


def stem_of(text: str) -> str:
    return re.sub(r"[\s_.\-]", "", text).lower()
