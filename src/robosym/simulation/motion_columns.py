"""Columns of a motion: what they hold, their joint and their unit by their names, as arrays with a column per joint."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from robosym.algebra.arrays import Array
from robosym.errors import Hint, InputError, Pass, closest
from robosym.table_files import Columns, TableKind, read_table, seconds_after_the_first

__all__ = ["COLUMN_ORDER", "EFFORTS", "MAX_BYTES", "MotionColumns", "column_group", "read_columns"]

MAX_BYTES = 200_000_000  #: of a log, unpacked: half an hour at 1 kHz of a robot with seven joints
EFFORTS = ("tau", "current")

#: how columns are called, in lower case and without what stands between words
_WORDS = {
    "t": ("t", "time", "times", "stamp", "timestamp", "seconds"),
    "q": ("q", "pos", "position", "positions", "jointposition", "jointpositions", "actualq", "motorposition"),
    "qd": ("qd", "dq", "qdot", "vel", "velocity", "velocities", "jointvelocity", "jointvelocities", "actualqd", "qp"),
    "qdd": ("qdd", "ddq", "qddot", "acceleration", "accelerations", "jointacceleration", "jointaccelerations", "qdp"),
    "tau": ("tau", "torque", "torques", "effort", "efforts", "gam", "jointtorque", "jointtorques", "motortorque"),
    "current": ("i", "current", "currents", "motorcurrent", "actualcurrent"),
}
_MILLI, _MICRO, _NANO = 1e-3, 1e-6, 1e-9
#: what a unit in the name of a column multiplies, by group
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
#: a unit at the end of a name without brackets, before or behind the number of the joint
_TRAILING = re.compile(
    r"(.+?)[_ ](s|sec|ms|us|ns|rad|deg|m|mm|rad_s|deg_s|m_s|mm_s|rpm|nm|n|mnm|a|ma)(?:_(\d+))?", re.I
)
COLUMN_ORDER = "joints in the order of their columns"
_NAMED = re.compile(r"(.+?)[._/\s]+([A-Za-z]\w*?)(?:\s*[\[(].*[\])])?")  #: position.shoulder
_JOINT = r"(?:joint|axis|motor|j)?[\s_]*\d+"  #: 0, j1, joint 1
#: what stands in brackets at the end, unless it is the number of a joint, q[0]
_UNIT = re.compile(rf"[\[(]\s*(?!{_JOINT}\s*[\])])([^\[\]()]+?)\s*[\])]\s*$", re.IGNORECASE)
_GROUP_OF = {word: group for group, words in _WORDS.items() for word in words}
#: q1, q_1, q[0], joint_position_2, "tau joint 3 [Nm]"
_COLUMN = re.compile(
    r"(.*?)[\s_\[(.]*?(?:j|joint|axis|motor)?[\s_]*?(\d+)?\s*[\])]?"
    rf"(?:[\s_]*[\[(](?!{_JOINT}\s*[\])]).*[\])])?",
    re.IGNORECASE,
)


def column_group(name: str) -> tuple[str, int | None]:
    """What a column holds by its name, "t", "q", "qd", "tau", "current" or nothing, and the number of its joint."""
    name = _bracketed(name.strip())
    match = _COLUMN.fullmatch(name)
    number = match[2] if match else None
    return _GROUP_OF.get(_stem_of(match[1] if match else name), ""), None if number is None else int(number)


def _with_unit(ours: str, theirs: str) -> str:
    """Our name of a column with the unit of theirs, unless ours tells one itself: q1[deg]."""
    group, _ = column_group(_UNIT.sub("", ours))
    if _UNIT.search(_bracketed(ours)):
        return ours
    unit = _UNIT.search(theirs) or _UNIT.search(_bracketed(theirs, group))
    return ours if unit is None else f"{ours} [{unit[1]}]"


def _bracketed(name: str, group: str = "") -> str:
    """A unit behind an underscore in brackets: time_ms is time [ms], q1_deg and q_deg_1 are q1 [deg].

    The unit is one of the `group`, or of that which the name tells.
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
    "expected columns t, q1 .. qn and tau1 .. taun (or current1 ..), and qd1 .. where they were measured",
    lambda name: bool(column_group(name)[0]),
    frozenset(unit for units in _UNITS.values() for unit in units),
    files=(".csv", ".txt", ".npz", ".parquet"),
    most=MAX_BYTES,
)


def read_columns(path: str | Path) -> Columns:
    """The columns of a file of a motion by their names, as they stand there."""
    return read_table(path, _LOG)


class MotionColumns:
    """Columns of a mapping or a file by what they hold: `groups` {"t": .., "q": ..}, joints in order of their numbers.

    `columns` {our name: theirs} tells other names. Columns such as "position.elbow" name the joints of a log.
    """

    def __init__(
        self, source: Mapping[str, object] | str | Path, columns: Mapping[str, str] | None = None, what: str = "log",
        wanted: Sequence[str] = ("t", "q", "qd", *EFFORTS),
    ) -> None:  # fmt: skip
        self.what, self.wanted = what, wanted
        self.file: str | None = None
        self.remarks: tuple[str, ...] = ()  #: what was done to the columns
        self.first_time: str | None = None  #: the time stamp from which t counts
        self.joint_names: tuple[str, ...] | None = None  #: of the columns, where they name joints
        if isinstance(source, str | Path):
            self.file, source = str(source), read_columns(source)
            self.remarks = source.remarks
        if not isinstance(source, Mapping):
            raise self.wrong(f"expected arrays, a mapping of columns or a path, found {type(source).__name__}")
        self.groups: dict[str, Array] = self._grouped(self._renamed(source, columns or {}))
        if self.file:
            self._leave_out_empty()

    def wrong(self, message: str, hint: Hint = ()) -> InputError:
        return InputError(f"{self.what}{f' {self.file}' if self.file else ''}: {message}", hint=hint)

    def numbers(self, name: str, given: object) -> Array:
        """An array of real numbers."""
        try:
            array = np.asarray(given)
        except ValueError:
            raise self.wrong(f"{name}: expected rows of one length, found rows of different lengths") from None
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
        """An array of real numbers, one row per sample."""
        array = self.numbers(name, given)
        if array.ndim == 1:
            array = array[:, None]
        if array.ndim != 2 or not array.shape[1]:
            raise self.wrong(f"{name}: expected a row a sample and a column a joint, found the shape {array.shape}")
        return array

    def _renamed(self, source: Mapping[str, object], columns: Mapping[str, str]) -> dict[str, object]:
        """The columns under our names, units in brackets behind them."""
        named = {str(name).strip(): value for name, value in source.items()}
        for ours, theirs in columns.items():
            if theirs not in named:  # its name without the unit, where that is one column
                bare = [name for name in named if _UNIT.sub("", name).strip() == theirs]
                if len(bare) != 1:
                    raise self.wrong(f"no column {theirs!r}{closest(theirs, named)}")
                theirs = bare[0]
            named[_with_unit(ours, theirs)] = named.pop(theirs)
        return self._by_joint_names({_bracketed(name): value for name, value in named.items()})

    def _grouped(self, named: Mapping[str, object]) -> dict[str, Array]:
        whole: dict[str, tuple[str, object]] = {}
        numbered: dict[str, dict[int, tuple[str, object]]] = {}
        for name, value in named.items():
            group, number = column_group(name)
            if group not in self.wanted:
                continue  # other quantities that the recorder wrote
            entry = name, self._in_our_units(group, name, value)
            if number is None:
                if group in whole:
                    raise self.wrong(f"two columns for {group}: {name!r} is the second")
                whole[group] = entry
            elif number in numbered.setdefault(group, {}):
                other = numbered[group][number][0]
                raise self.wrong(f"two columns for joint {number} of {group}: {other!r} and {name!r}")
            else:
                numbered[group][number] = entry
        if "q" not in {*whole, *numbered} or not ({*EFFORTS} & {*whole, *numbered} or "tau" not in self.wanted):
            names = ", ".join(map(repr, list(named)[:12])) + (" ..." if len(named) > 12 else "") if named else "none"
            if "tau" not in self.wanted:
                raise self.wrong(f"expected columns t, q1 .., and qd1 .., qdd1 .. if known; found {names}")
            raise self.wrong(f"{_LOG.expected}; found {names}", ("other names are given with ", Pass("columns")))
        return {group: self._whole(group, value) for group, (_, value) in whole.items()} | self._joined(numbered, whole)

    def _whole(self, group: str, value: object) -> Array:
        if group != "t":
            return self.table(group, value)
        t = self.numbers("t", value)
        if t.ndim == 2 and 1 in t.shape:
            t = t.ravel()
        if t.ndim != 1:
            raise self.wrong(f"t: expected one row of times, found the shape {t.shape}")
        return t

    def _joined(
        self, numbered: Mapping[str, Mapping[int, tuple[str, object]]], whole: Mapping[str, object]
    ) -> dict[str, Array]:
        """Columns of single joints side by side."""
        found: dict[str, Array] = {}
        places = {group: sorted(entries) for group, entries in numbered.items()}
        for group, entries in numbered.items():
            if group in whole or group == "t":
                raise self.wrong(f"{group} is given both whole and by joints")
            first = places[group][0]
            if first not in (0, 1) or places[group] != list(range(first, first + len(entries))):
                raise self.wrong(f"{group}: expected joints 1 to {max(places[group])}, found {places[group]}")
            tables = [self.table(*entries[n]) for n in places[group]]
            lengths = sorted({len(table) for table in tables})
            if len(lengths) > 1:
                raise self.wrong(
                    f"{group}: expected as many samples of each joint, found {lengths[0]} and {lengths[-1]}"
                )
            found[group] = np.column_stack(tables)
        for group, numbers in places.items():
            if numbers != places.get("q", numbers):
                raise self.wrong(f"{group}: expected the joints {places['q']}, as of q, found {numbers}")
        return found

    def _by_joint_names(self, named: dict[str, object]) -> dict[str, object]:
        """Columns such as position.shoulder, in the order of their joints in the positions, as position1 .."""
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
        """The times in seconds after the first, where they are written as time stamps."""
        try:
            seconds = seconds_after_the_first(times)
        except ValueError as error:
            raise self.wrong(f"{name}: {error}") from None
        if seconds is None:
            return times
        self.first_time = str(
            next(time for time in np.asarray(times).tolist() if time is not None and str(time).strip())
        )
        self.remarks = (*self.remarks, f"t is recorded in time stamps and counted in seconds from {self.first_time}")
        return seconds

    def _in_our_units(self, group: str, name: str, value: object) -> object:
        """In seconds, radians or meters, newtons and amperes, by the unit in brackets behind the name of a column."""
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
        remark = f"{group} is recorded in {unit[1]} and converted"
        self.remarks = tuple(dict.fromkeys((*self.remarks, remark)))
        return self.numbers(name, value) * factor

    def _leave_out_empty(self) -> None:
        """Leave out the samples of a file that have an empty cell in a column that is used."""
        lengths = {len(table) for table in self.groups.values()}
        if len(lengths) != 1 or 0 in lengths:
            return
        empty = np.any([np.isnan(table.reshape(len(table), -1)).any(axis=1) for table in self.groups.values()], axis=0)
        if not empty.any():
            return
        if "t" not in self.groups:
            raise self.wrong(f"{int(empty.sum())} samples have an empty cell: expected times t, which tell the gaps")
        first = int(np.flatnonzero(empty)[0])
        remark = f"{int(empty.sum())} of {len(empty)} samples have an empty cell and are left out, sample {first} first"
        self.remarks = (*self.remarks, remark)
        self.groups = {name: table[~empty] for name, table in self.groups.items()}
