"""What was recorded of a robot in motion: times, positions and torques, from arrays, columns or a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robosym.errors import InputError, closest
from robosym.estimate.log_files import EXPECTED, Columns, read_columns

__all__ = ["Log", "column_group"]

Array = NDArray[np.float64]

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
_UNITS = {
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
_UNIT = re.compile(r"[\[(]\s*([^\[\]()\d]+?)\s*[\])]\s*$")
_SLOW = 0.5  #: s between samples; no controller records a motion so slowly
_GROUP_OF = {word: group for group, words in _WORDS.items() for word in words}
#: q1, q_1, q[0], joint_position_2, "tau joint 3 [Nm]"
_COLUMN = re.compile(r"(.*?)[\s_\[(.]*?(?:j|joint|axis|motor)?[\s_]*?(\d+)?[\])]?(?:[\s_]*[\[(].*[\])])?")
_NAMED = re.compile(r"(.+?)[._/\s]+([A-Za-z]\w*?)(?:\s*[\[(].*[\])])?")  #: position.shoulder


class Log:
    """Times t in seconds, joint positions q in radians or metres, torques tau; one row a sample, one column a joint.

    `Log(t=t, q=q, tau=tau)` takes arrays; `Log(columns)` a mapping of such arrays or of columns t, q1, q2, .. in any
    order; `Log("motion.csv")` a file (.csv, .npz, .parquet). Velocities `qd` are optional; `current` stands for `tau`
    where a `Drive` with a gain follows. `columns` tells what else columns are called ({"q1": "axis one"}), `step` is
    the time between samples where no times were recorded. `degrees=True` converts angles of a log in degrees;
    `degrees=False` says that large angles are meant. A unit in the name of a column, "time [ms]" or "q1_deg", is
    converted, also through `columns`, which may give one: {"t[ms]": "Zeit"}. Samples of a file with an empty cell are
    left out, and decimal commas read; `remarks` say so.
    """

    def __init__(
        self,
        source: Mapping[str, Any] | str | Path | None = None,
        *,
        t: Any = None,
        q: Any = None,
        tau: Any = None,
        qd: Any = None,
        current: Any = None,
        step: float | None = None,
        columns: Mapping[str, str] | None = None,
        degrees: bool | None = None,
    ) -> None:
        self.file: str | None = None
        self.remarks: tuple[str, ...] = ()  #: what was done to its columns
        given: dict[str, Any] = {"t": t, "q": q, "tau": tau, "qd": qd, "current": current}
        given = {name: value for name, value in given.items() if value is not None}
        if source is not None:
            if given:
                raise InputError(f"log: expected arrays or one source of columns, found both ({', '.join(given)})")
            if isinstance(source, str | Path):
                self.file = str(source)
                source = read_columns(Path(source))
                self.remarks = source.remarks if isinstance(source, Columns) else ()
            given = self._grouped(source, columns or {})
            given = self._filled(given) if self.file else given
        elif columns:
            raise InputError("log: columns tells the names of a mapping or a file: there is none")
        if "q" not in given:
            raise self._wrong("no positions: expected q")
        q = self._table("q", given["q"])
        if "t" not in given:
            if step is None:
                raise self._wrong("no times: expected t, or step= between samples")
            given["t"] = step * np.arange(len(q))
        t = self._numbers("t", given["t"])
        if t.ndim == 2 and 1 in t.shape:
            t = t.ravel()
        if t.ndim != 1:
            raise self._wrong(f"t: expected one row of times, found the shape {t.shape}")
        if "tau" in given and "current" in given:
            raise self._wrong("expected torques (tau) or currents, found both: leave one out")
        self.effort_name = "current" if "current" in given else "tau"
        if self.effort_name not in given:
            raise self._wrong("no torques: expected tau, or current")
        self.t: Array = t
        self.q: Array = q
        self.effort = self._table(self.effort_name, given[self.effort_name])
        self.qd: Array | None = self._table("qd", given["qd"]) if "qd" in given else None
        self.degrees = degrees
        self._check()
        if degrees:
            self.q = np.deg2rad(self.q)
            self.qd = None if self.qd is None else np.deg2rad(self.qd)

    @property
    def joints(self) -> int:
        return int(self.q.shape[1])

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        origin = f" of {self.file}" if self.file else ""
        return f"<Log{origin}: {len(self)} samples of {self.joints} joints, {self.t[-1] - self.t[0]:.6g} s>"

    # ---------------------------------------------------------------- checks

    def _wrong(self, message: str) -> InputError:
        return InputError(f"log{f' {self.file}' if self.file else ''}: {message}")

    def _numbers(self, name: str, given: Any) -> Array:
        try:
            array = np.asarray(given)
        except ValueError:
            raise self._wrong(f"{name}: expected rows of one length, found rows of different lengths") from None
        if array.dtype.kind in "OUS":
            for place, value in np.ndenumerate(array):
                try:
                    float(value)
                except (TypeError, ValueError):
                    where = f"sample {place[0]}" if place else "there"
                    raise self._wrong(f"{name}: {where}: expected a number, found {str(value)[:40]!r}") from None
        elif array.dtype.kind not in "fiu":
            raise self._wrong(f"{name}: expected real numbers, found {array.dtype}")
        return np.asarray(array, dtype=float)

    def _table(self, name: str, given: Any) -> Array:
        array = self._numbers(name, given)
        if array.ndim == 1:
            array = array[:, None]
        if array.ndim != 2 or not array.shape[1]:
            raise self._wrong(f"{name}: expected a row a sample and a column a joint, found the shape {array.shape}")
        return array

    def _check(self) -> None:
        tables = {"q": self.q, "qd": self.qd, self.effort_name: self.effort}
        for name, table in tables.items():
            if table is None:
                continue
            if len(table) != len(self.t):
                transposed = table.shape[1] == len(self.t)
                hint = ": give it transposed, a row a sample" if transposed else ""
                raise self._wrong(f"{name}: expected {len(self.t)} samples, as t has, found {len(table)}{hint}")
            if table.shape[1] != self.joints:
                raise self._wrong(f"{name}: expected {self.joints} joints, as q has, found {table.shape[1]}")
        if len(self.t) < 20:
            raise self._wrong(f"expected a motion of at least 20 samples, found {len(self.t)}")
        for name, table in {"t": self.t[:, None], **tables}.items():
            if table is not None and not np.isfinite(table).all():
                sample, joint = np.argwhere(~np.isfinite(table))[0]
                count = int((~np.isfinite(table)).any(axis=1).sum())
                column = name if name == "t" else f"{name}{joint + 1}"
                raise self._wrong(
                    f"{column}: sample {sample}: expected a finite number, found {table[sample, joint]} "
                    f"({count} such samples; leave them out, a gap in time is understood)"
                )
        backwards = np.flatnonzero(np.diff(self.t) < 0)
        if backwards.size:
            n = int(backwards[0])
            raise self._wrong(
                f"t: sample {n + 1}: expected times that grow, found {self.t[n + 1]:.9g} after {self.t[n]:.9g}"
            )
        if self.t[-1] <= self.t[0]:
            raise self._wrong("t: expected times that grow, found one instant")
        step = float(np.median(np.diff(self.t)))
        if step >= _SLOW:
            raise self._wrong(
                f"t: expected seconds, found steps of {step:g}, which look like milliseconds or microseconds: give the "
                "unit of its column in brackets, t [ms], or with columns={'t[ms]': ...}"
            )

    def _filled(self, given: dict[str, Any]) -> dict[str, Any]:
        """The samples of a file without those that have an empty cell in a column that is used."""
        tables = {name: self._numbers(name, value) for name, value in given.items()}
        if len({len(table) for table in tables.values()}) != 1:
            return given
        empty = np.any([np.isnan(table.reshape(len(table), -1)).any(axis=1) for table in tables.values()], axis=0)
        if not empty.any():
            return given
        if "t" not in tables:
            raise self._wrong(f"{int(empty.sum())} samples have an empty cell: expected times t, which tell the gaps")
        first = int(np.flatnonzero(empty)[0])
        remark = f"{int(empty.sum())} of {len(empty)} samples have an empty cell and are left out, sample {first} first"
        self.remarks = (*self.remarks, remark)
        return {name: table[~empty] for name, table in tables.items()}

    # ----------------------------------------------------------------- columns

    def _grouped(self, source: Any, columns: Mapping[str, str]) -> dict[str, Any]:
        """Columns by what they hold, joints in the order of their numbers."""
        if not isinstance(source, Mapping):
            raise self._wrong(f"expected arrays, a mapping of columns or a path, found {type(source).__name__}")
        named = {str(name).strip(): value for name, value in source.items()}
        for ours, theirs in columns.items():
            if theirs not in named:  # its name without the unit, where that is one column
                bare = [name for name in named if _UNIT.sub("", name).strip() == theirs]
                if len(bare) != 1:
                    raise self._wrong(f"no column {theirs!r}{closest(theirs, named)}")
                theirs = bare[0]
            named[_with_unit(ours, theirs)] = named.pop(theirs)
        named = self._by_joint_names({_bracketed(name): value for name, value in named.items()})
        found: dict[str, Any] = {}
        numbered: dict[str, dict[int, tuple[str, Any]]] = {}
        for name, value in named.items():
            match = _COLUMN.fullmatch(name)
            stem = _stem(match[1] if match else name)
            group = _GROUP_OF.get(stem)
            if group is None:
                continue  # other quantities that the recorder wrote
            value = self._in_our_units(group, name, value)
            number = match[2] if match else None
            if number is None:
                if group in found:
                    raise self._wrong(f"two columns for {group}: {name!r} is the second")
                found[group] = value
            elif int(number) in numbered.setdefault(group, {}):
                other = numbered[group][int(number)][0]
                raise self._wrong(f"two columns for joint {number} of {group}: {other!r} and {name!r}")
            else:
                numbered[group][int(number)] = name, value
        places: dict[str, list[int]] = {}
        for group, entries in numbered.items():
            if group in found or group == "t":
                raise self._wrong(f"{group} is given both whole and by joints")
            places[group] = sorted(entries)
            first = places[group][0]
            if first not in (0, 1) or places[group] != list(range(first, first + len(entries))):
                raise self._wrong(f"{group}: expected joints 1 to {max(places[group])}, found {places[group]}")
            tables = [self._table(*entries[n]) for n in places[group]]
            lengths = sorted({len(table) for table in tables})
            if len(lengths) > 1:
                raise self._wrong(
                    f"{group}: expected as many samples of each joint, found {lengths[0]} and {lengths[-1]}"
                )
            found[group] = np.column_stack(tables)
        for group, numbers in places.items():
            if numbers != places.get("q", numbers):
                raise self._wrong(f"{group}: expected the joints {places['q']}, as of q, found {numbers}")
        if "q" not in found or ("tau" not in found and "current" not in found):
            raise self._wrong(f"{EXPECTED}; found {_some(list(named))}. columns={{...}} tells other names")
        return found

    def _by_joint_names(self, named: dict[str, Any]) -> dict[str, Any]:
        """Columns such as position.shoulder, in the order of their joints in the positions, as position1 .."""
        split = {name: _NAMED.fullmatch(name) for name in named if name.lower() not in _GROUP_OF}
        parts = {n: (_stem(m[1]), m[2]) for n, m in split.items() if m and _stem(m[1]) in _GROUP_OF}
        joints = list(dict.fromkeys(joint for stem, joint in parts.values() if _GROUP_OF[stem] == "q"))
        efforts = {joint for stem, joint in parts.values() if _GROUP_OF[stem] in ("tau", "current")}
        if not joints or efforts != set(joints) or any(joint.isdigit() for joint in joints):
            return named
        self.remarks = (*self.remarks, f"joints in the order of their columns: {', '.join(joints)}")
        renamed = {n: f"{stem}{joints.index(joint) + 1}" for n, (stem, joint) in parts.items() if joint in joints}
        return {renamed.get(name, name): value for name, value in named.items()}

    def _in_our_units(self, group: str, name: str, value: Any) -> Any:
        """In seconds, radians or metres, newtons and amperes, by the unit in brackets behind the name of a column."""
        unit = _UNIT.search(name)
        if unit is None:
            return value
        known = _UNITS[group]
        factor = known.get(unit[1].replace(" ", "").lower())
        if factor is None:
            raise self._wrong(f"{name}: expected a unit of {', '.join(known)}, found {unit[1]!r}")
        if factor == 1.0:
            return value
        remark = f"{group} is recorded in {unit[1]} and converted"
        self.remarks = tuple(dict.fromkeys((*self.remarks, remark)))
        return self._numbers(name, value) * factor


def column_group(name: str) -> tuple[str, int | None]:
    """What a column holds by its name, "t", "q", "qd", "tau", "current" or nothing, and the number of its joint."""
    name = _bracketed(name.strip())
    match = _COLUMN.fullmatch(name)
    number = match[2] if match else None
    return _GROUP_OF.get(_stem(match[1] if match else name), ""), None if number is None else int(number)


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


def _stem(text: str) -> str:
    return re.sub(r"[\s_.\-]", "", text).lower()


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:12])) + (" ..." if len(names) > 12 else "") if names else "none"
