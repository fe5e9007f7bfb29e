"""What was recorded of a robot in motion: times, positions and torques, from arrays, columns or a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robosym.errors import InputError, closest
from robosym.experiment.column_names import COLUMN, GROUP_OF, UNIT, UNITS, bracketed, stem_of, with_unit
from robosym.experiment.log_files import EXPECTED, Columns, read_columns
from robosym.experiment.time_stamps import seconds_after_the_first

__all__ = ["Log", "order_of_joints"]

Array = NDArray[np.float64]

_COLUMN_ORDER = "joints in the order of their columns"
_SLOW = 0.5  #: s between samples; no controller records a motion so slowly
_NAMED = re.compile(r"(.+?)[._/\s]+([A-Za-z]\w*?)(?:\s*[\[(].*[\])])?")  #: position.shoulder


class Log:
    """Times t in seconds, joint positions q in radians or metres, torques tau; one row a sample, one column a joint.

    `Log(t=t, q=q, tau=tau)` takes arrays; `Log(columns)` a mapping of such arrays or of columns t, q1, q2, .. in any
    order; `Log("motion.csv")` a file (.csv, .npz, .parquet). Velocities `qd` are optional; `current` stands for `tau`
    where a `Drive` with a gain follows. `columns` tells what else columns are called ({"q1": "axis one"}), `step` is
    the time between samples where no times were recorded. `degrees=True` converts angles of a log in degrees;
    `degrees=False` says that large angles are meant. A unit in the name of a column, "time [ms]" or "q1_deg", is
    converted, also through `columns`, which may give one: {"t[ms]": "Zeit"}. Samples of a file with an empty cell and
    text above the names of the columns are left out, decimal commas are read, and time stamps (ISO 8601) become seconds
    after the first; `remarks` say so. Columns such as "position.elbow" name the joints (`joint_names`).
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
        self.first_time: str | None = None  #: the time stamp from which t counts
        self.joint_names: tuple[str, ...] | None = None  #: of its columns, where they name joints
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
        t = self._numbers("t", self._times(given["t"]))
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

    def in_order(self, names: Sequence[str]) -> Log:
        """Return the log with its joints in the order of `names`, such as `robot.joint_names`.

        A log whose columns name no joint, or none of these, is returned as it is.

        Raises
        ------
        InputError
            Where only some of the joints of the log are among `names`.
        """
        found = order_of_joints(self.joint_names, names)
        if found is None:
            return self
        if isinstance(found, str):
            raise self._wrong(found)
        log = copy(self)
        log.q, log.effort = self.q[:, found], self.effort[:, found]
        log.qd = None if self.qd is None else self.qd[:, found]
        assert self.joint_names is not None
        log.joint_names = tuple(self.joint_names[at] for at in found)
        others = (remark for remark in self.remarks if not remark.startswith(_COLUMN_ORDER))
        log.remarks = (*others, f"joints in the order of the robot: {', '.join(log.joint_names)}")
        return log

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
                bare = [name for name in named if UNIT.sub("", name).strip() == theirs]
                if len(bare) != 1:
                    raise self._wrong(f"no column {theirs!r}{closest(theirs, named)}")
                theirs = bare[0]
            named[with_unit(ours, theirs)] = named.pop(theirs)
        named = self._by_joint_names({bracketed(name): value for name, value in named.items()})
        found: dict[str, Any] = {}
        numbered: dict[str, dict[int, tuple[str, Any]]] = {}
        for name, value in named.items():
            match = COLUMN.fullmatch(name)
            stem = stem_of(match[1] if match else name)
            group = GROUP_OF.get(stem)
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
        split = {name: _NAMED.fullmatch(name) for name in named if name.lower() not in GROUP_OF}
        parts = {n: (stem_of(m[1]), m[2]) for n, m in split.items() if m and stem_of(m[1]) in GROUP_OF}
        joints = list(dict.fromkeys(joint for stem, joint in parts.values() if GROUP_OF[stem] == "q"))
        efforts = {joint for stem, joint in parts.values() if GROUP_OF[stem] in ("tau", "current")}
        if not joints or efforts != set(joints) or any(joint.isdigit() for joint in joints):
            return named
        self.joint_names = tuple(joints)
        self.remarks = (*self.remarks, f"{_COLUMN_ORDER}: {', '.join(joints)}")
        renamed = {
            n: with_unit(f"{stem}{joints.index(joint) + 1}", n) for n, (stem, joint) in parts.items() if joint in joints
        }
        return {renamed.get(name, name): value for name, value in named.items()}

    def _times(self, times: Any, name: str = "t") -> Any:
        """The times in seconds after the first, where they are written as time stamps."""
        try:
            seconds = seconds_after_the_first(times)
        except ValueError as error:
            raise self._wrong(f"{name}: {error}") from None
        if seconds is None:
            return times
        self.first_time = str(
            next(time for time in np.asarray(times).tolist() if time is not None and str(time).strip())
        )
        self.remarks = (*self.remarks, f"t is recorded in time stamps and counted in seconds from {self.first_time}")
        return seconds

    def _in_our_units(self, group: str, name: str, value: Any) -> Any:
        """In seconds, radians or metres, newtons and amperes, by the unit in brackets behind the name of a column."""
        value = self._times(value, name) if group == "t" else value
        unit = UNIT.search(name)
        if unit is None or (self.first_time is not None and group == "t"):
            return value
        known = UNITS[group]
        factor = known.get(unit[1].replace(" ", "").lower())
        if factor is None:
            raise self._wrong(f"{name}: expected a unit of {', '.join(known)}, found {unit[1]!r}")
        if factor == 1.0:
            return value
        remark = f"{group} is recorded in {unit[1]} and converted"
        self.remarks = tuple(dict.fromkeys((*self.remarks, remark)))
        return self._numbers(name, value) * factor


def order_of_joints(found: Sequence[str] | None, names: Sequence[str]) -> list[int] | str | None:
    """Return the places of the joints `found` in the order of `names`, None where none is known, or what is wrong."""
    places = {name: at for at, name in enumerate(found or ())}
    known = [name for name in names if name in places]
    if not known:
        return None
    if unknown := [name for name in places if name not in known]:
        return f"expected columns of the joints {', '.join(names)}, found {', '.join(unknown)} among them"
    return [places[name] for name in known]


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:12])) + (" ..." if len(names) > 12 else "") if names else "none"
