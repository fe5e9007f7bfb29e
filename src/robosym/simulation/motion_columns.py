"""Columns of a motion: quantity, joint and unit from the column names, as arrays with one column per joint."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from robosym.algebra.arrays import Array
from robosym.errors import Hint, InputError, Pass, PathPart, closest
from robosym.table_files import Columns, TableKind, read_table, seconds_after_the_first

__all__ = ["COLUMN_ORDER", "EFFORTS", "MAX_BYTES", "MotionColumns", "column_group", "read_columns"]

MAX_BYTES = 200_000_000  #: maximum size of an unpacked log: half an hour at 1 kHz for seven joints
EFFORTS = ("tau", "current")

#: accepted column names, in lower case and without separators
_WORDS = {
    "t": ("t", "time", "times", "stamp", "timestamp", "seconds"),
    "q": ("q", "pos", "position", "positions", "jointposition", "jointpositions", "actualq", "motorposition"),
    "qd": ("qd", "dq", "qdot", "vel", "velocity", "velocities", "jointvelocity", "jointvelocities", "actualqd", "qp"),
    "qdd": ("qdd", "ddq", "qddot", "acceleration", "accelerations", "jointacceleration", "jointaccelerations", "qdp"),
    "tau": ("tau", "torque", "torques", "effort", "efforts", "gam", "jointtorque", "jointtorques", "motortorque"),
    "current": ("i", "current", "currents", "motorcurrent", "actualcurrent"),
}
_MILLI, _MICRO, _NANO = 1e-3, 1e-6, 1e-9
#: factor to SI units by the unit in a column name, per group
_UNITS = {
    "t": {"s": 1.0, "sec": 1.0, "ms": _MILLI, "us": _MICRO, "µs": _MICRO, "ns": _NANO},
    "q": {"rad": 1.0, "m": 1.0, "mm": _MILLI, "deg": np.pi / 180, "°": np.pi / 180},
    "qd": {
        "rad/s": 1.0, "m/s": 1.0, "mm/s": _MILLI, "deg/s": np.pi / 180, "°/s": np.pi / 180, "rpm": np.pi / 30,
    },
    "qdd": {"rad/s^2": 1.0, "rad/s²": 1.0, "m/s^2": 1.0, "m/s²": 1.0, "deg/s^2": np.pi / 180, "deg/s²": np.pi / 180},
    "tau": {"nm": 1.0, "n": 1.0, "n.m": 1.0, "n*m": 1.0, "nmm": _MILLI, "mnm": _MILLI},
    "current": {"a": 1.0, "ma": _MILLI},
}  # fmt: skip
#: unit at the end of a name without brackets, before or after the joint number
_TRAILING = re.compile(
    r"(.+?)[_ ](s|sec|ms|us|ns|rad|deg|m|mm|rad_s|deg_s|m_s|mm_s|rpm|nm|n|mnm|a|ma)(?:_(\d+))?", re.I
)
COLUMN_ORDER = "joints in the order of their columns"
_NAMED = re.compile(r"(.+?)[._/\s]+([A-Za-z]\w*?)(?:\s*[\[(].*[\])])?")  #: position.shoulder
_JOINT = r"(?:joint|axis|motor|j)?[\s_]*\d+"  #: 0, j1, joint 1
#: text in brackets at the end, unless it is a joint number as in q[0]
_UNIT = re.compile(rf"[\[(]\s*(?!{_JOINT}\s*[\])])([^\[\]()]+?)\s*[\])]\s*$", re.IGNORECASE)
_GROUP_OF = {word: group for group, words in _WORDS.items() for word in words}
#: q1, q_1, q[0], joint_position_2, "tau joint 3 [Nm]"
_COLUMN = re.compile(
    r"(.*?)[\s_\[(.]*?(?:j|joint|axis|motor)?[\s_]*?(\d+)?\s*[\])]?"
    rf"(?:[\s_]*[\[(](?!{_JOINT}\s*[\])]).*[\])])?",
    re.IGNORECASE,
)


def column_group(name: str) -> tuple[str, int | None]:
    """Return the group of a column name (t, q, qd, tau, current or empty) and its joint number."""
    name = _bracketed(name.strip())
    match = _COLUMN.fullmatch(name)
    number = match[2] if match else None
    return _GROUP_OF.get(_stem_of(match[1] if match else name), ""), None if number is None else int(number)


def _with_unit(ours: str, theirs: str) -> str:
    """Return the standard name of a column, with the unit of the original name if it has none itself: q1[deg]."""
    group, _ = column_group(_UNIT.sub("", ours))
    if _UNIT.search(_bracketed(ours)):
        return ours
    unit = _UNIT.search(theirs) or _UNIT.search(_bracketed(theirs, group))
    return ours if unit is None else f"{ours} [{unit[1]}]"


def _bracketed(name: str, group: str = "") -> str:
    """Return the name with its unit in brackets: time [ms] for time_ms, q1 [deg] for q1_deg and q_deg_1.

    The unit belongs to `group`, or to the group of the name.
    """
    match = _TRAILING.fullmatch(name)
    if match is None:
        return name
    unit = match[2].replace("_", "/").lower()
    known = _UNITS.get(group or column_group(match[1])[0], {})
    return f"{match[1]}{match[3] or ''} [{unit}]" if unit in known else name


def _stem_of(text: str) -> str:
    return re.sub(r"[\s_.\-]", "", text).lower()


_LOG = TableKind(
    "expected columns t, q1 .. qn and tau1 .. taun (or current1 ..), and optionally qd1 ..",
    lambda name: bool(column_group(name)[0]),
    frozenset(unit for units in _UNITS.values() for unit in units),
    files=(".csv", ".txt", ".npz", ".parquet"),
    most=MAX_BYTES,
)


def read_columns(path: str | Path) -> Columns:
    """Return the columns of a motion file by name, without conversion."""
    return read_table(path, _LOG)


class MotionColumns:
    """Columns of a mapping or a file by group: `groups` is {"t": .., "q": ..}, with joints in numerical order.

    `columns` maps standard names to those in the source. Columns such as "position.elbow" name the joints of a log.
    """

    def __init__(
        self, source: Mapping[str, object] | str | Path, columns: Mapping[str, str] | None = None, what: str = "log",
        wanted: Sequence[str] = ("t", "q", "qd", *EFFORTS),
    ) -> None:  # fmt: skip
        self.what, self.wanted = what, wanted
        self.file: str | None = None
        self.remarks: tuple[str, ...] = ()  #: how the columns were converted
        self.first_time: str | None = None  #: time stamp of t = 0
        self.joint_names: tuple[str, ...] | None = None  #: joint names in the columns, if any
        if isinstance(source, str | Path):
            self.file, source = str(source), read_columns(source)
            self.remarks = source.remarks
        if not isinstance(source, Mapping):
            raise self.wrong(f"expected arrays, a mapping of columns or a path, found {type(source).__name__}")
        self.groups: dict[str, Array] = self._grouped(self._renamed(source, columns or {}))
        if self.file:
            self._leave_out_empty()

    def wrong(self, message: str, hint: Hint = ()) -> InputError:
        """Return an error with the name of the file."""
        return InputError(f"{self.what}{f' {self.file}' if self.file else ''}: {message}", hint=hint)

    def numbers(self, name: str, given: object) -> Array:
        """Return an array of real numbers."""
        try:
            array = np.asarray(given)
        except ValueError:
            raise self.wrong(f"{name}: expected rows of equal length, found different lengths") from None
        if array.dtype.kind in "OUS":
            for place, value in np.ndenumerate(array):
                try:
                    float(value)
                except (TypeError, ValueError):
                    where = f"sample {place[0]}" if place else "there"
                    raise self.wrong(f"{name}: {where}: expected a number, found {str(value)[:40]!r}") from None
        elif array.dtype.kind not in "fiu":
            raise self.wrong(f"{name}: expected real numbers, found {array.dtype}")
        return np.asarray(array, dtype=float)

    def table(self, name: str, given: object) -> Array:
        """Return an array of real numbers with one row per sample."""
        array = self.numbers(name, given)
        if array.ndim == 1:
            array = array[:, None]
        if array.ndim != 2 or not array.shape[1]:
            raise self.wrong(
                f"{name}: expected one row per sample and one column per joint, found an array of shape {array.shape}"
            )
        return array

    def _renamed(self, source: Mapping[str, object], columns: Mapping[str, str]) -> dict[str, object]:
        """Return the columns under standard names, with units in brackets."""
        named = {str(name).strip(): value for name, value in source.items()}
        for ours, theirs in columns.items():
            if theirs not in named:  # the name without its unit, if that is unique
                bare = [name for name in named if _UNIT.sub("", name).strip() == theirs]
                if len(bare) != 1:
                    raise self.wrong(f"unknown column {theirs!r}{closest(theirs, named)}").within(PathPart("columns"))
                theirs = bare[0]
            named[_with_unit(ours, theirs)] = named.pop(theirs)
        return self._by_joint_names({_bracketed(name): value for name, value in named.items()})

    def _grouped(self, named: Mapping[str, object]) -> dict[str, Array]:
        whole: dict[str, tuple[str, object]] = {}
        numbered: dict[str, dict[int, tuple[str, object]]] = {}
        for name, value in named.items():
            group, number = column_group(name)
            if group not in self.wanted:
                continue  # other recorded quantities
            entry = name, self._in_our_units(group, name, value)
            if number is None:
                if group in whole:
                    raise self.wrong(f"{group}: expected one column, found a second one, {name!r}")
                whole[group] = entry
            elif number in numbered.setdefault(group, {}):
                other = numbered[group][number][0]
                raise self.wrong(f"{group}: expected one column for joint {number}, found {other!r} and {name!r}")
            else:
                numbered[group][number] = entry
        if "q" not in {*whole, *numbered} or not ({*EFFORTS} & {*whole, *numbered} or "tau" not in self.wanted):
            names = ", ".join(map(repr, list(named)[:12])) + (" ..." if len(named) > 12 else "") if named else "none"
            if "tau" not in self.wanted:
                raise self.wrong(f"expected columns t, q1 .., and optionally qd1 .., qdd1 .., found {names}")
            raise self.wrong(f"{_LOG.expected}; found {names}", ("map other names with ", Pass("columns")))
        return {group: self._whole(group, value) for group, (_, value) in whole.items()} | self._joined(numbered, whole)

    def _whole(self, group: str, value: object) -> Array:
        if group != "t":
            return self.table(group, value)
        t = self.numbers("t", value)
        if t.ndim == 2 and 1 in t.shape:
            t = t.ravel()
        if t.ndim != 1:
            raise self.wrong(f"t: expected a vector of times, found an array of shape {t.shape}")
        return t

    def _joined(
        self, numbered: Mapping[str, Mapping[int, tuple[str, object]]], whole: Mapping[str, object]
    ) -> dict[str, Array]:
        """Join the columns of single joints."""
        found: dict[str, Array] = {}
        places = {group: sorted(entries) for group, entries in numbered.items()}
        for group, entries in numbered.items():
            if group in whole or group == "t":
                raise self.wrong(f"{group}: expected one array or one column per joint, found both")
            first = places[group][0]
            if first not in (0, 1) or places[group] != list(range(first, first + len(entries))):
                raise self.wrong(f"{group}: expected joints 1 to {max(places[group])}, found {places[group]}")
            tables = [self.table(*entries[n]) for n in places[group]]
            lengths = sorted({len(table) for table in tables})
            if len(lengths) > 1:
                raise self.wrong(
                    f"{group}: expected the same number of samples for each joint, found {lengths[0]} and {lengths[-1]}"
                )
            found[group] = np.column_stack(tables)
        for group, numbers in places.items():
            if numbers != places.get("q", numbers):
                raise self.wrong(f"{group}: expected the joints {places['q']}, as in q, found {numbers}")
        return found

    def _by_joint_names(self, named: dict[str, object]) -> dict[str, object]:
        """Rename columns such as position.shoulder to position1 .., in the order of the position columns."""
        split = {name: _NAMED.fullmatch(name) for name in named if name.lower() not in _GROUP_OF}
        parts = {n: (_stem_of(m[1]), m[2]) for n, m in split.items() if m and _stem_of(m[1]) in _GROUP_OF}
        joints = list(dict.fromkeys(joint for stem, joint in parts.values() if _GROUP_OF[stem] == "q"))
        efforts = {joint for stem, joint in parts.values() if _GROUP_OF[stem] in EFFORTS}
        if not joints or efforts != set(joints) or any(joint.isdigit() for joint in joints):
            return named
        self.joint_names = tuple(joints)
        self.remarks = (*self.remarks, f"{COLUMN_ORDER}: {', '.join(joints)}")
        renamed = {
            n: _with_unit(f"{stem}{joints.index(joint) + 1}", n)
            for n, (stem, joint) in parts.items()
            if joint in joints
        }
        return {renamed.get(name, name): value for name, value in named.items()}

    def _times(self, times: object, name: str) -> object:
        """Return the times in s; time stamps are counted from the first one."""
        try:
            seconds = seconds_after_the_first(times)
        except ValueError as error:
            raise self.wrong(f"{name}: {error}") from None
        if seconds is None:
            return times
        self.first_time = str(
            next(time for time in np.asarray(times).tolist() if time is not None and str(time).strip())
        )
        self.remarks = (*self.remarks, f"t converted from time stamps to seconds after {self.first_time}")
        return seconds

    def _in_our_units(self, group: str, name: str, value: object) -> object:
        """Convert to s, rad or m, N m or N and A, by the unit in brackets after the column name."""
        value = self._times(value, name) if group == "t" else value
        unit = _UNIT.search(name)
        if unit is None or (self.first_time is not None and group == "t"):
            return value
        known = _UNITS[group]
        factor = known.get(unit[1].replace(" ", "").lower())
        if factor is None:
            raise self.wrong(f"{name}: expected a unit of {', '.join(known)}, found {unit[1]!r}")
        if factor == 1.0:
            return value
        remark = f"{group} converted from {unit[1]}"
        self.remarks = tuple(dict.fromkeys((*self.remarks, remark)))
        return self.numbers(name, value) * factor

    def _leave_out_empty(self) -> None:
        """Remove samples of a file that have an empty cell in a used column."""
        lengths = {len(table) for table in self.groups.values()}
        if len(lengths) != 1 or 0 in lengths:
            return
        empty = np.any([np.isnan(table.reshape(len(table), -1)).any(axis=1) for table in self.groups.values()], axis=0)
        if not empty.any():
            return
        if "t" not in self.groups:
            raise self.wrong(f"expected times t, because {int(empty.sum())} samples with an empty cell leave gaps")
        first = int(np.flatnonzero(empty)[0])
        remark = f"{int(empty.sum())} of {len(empty)} samples left out for an empty cell, the first is sample {first}"
        self.remarks = (*self.remarks, remark)
        self.groups = {name: table[~empty] for name, table in self.groups.items()}
