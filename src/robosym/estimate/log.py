"""What was recorded of a robot in motion: times, positions and torques, from arrays, columns or a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import ZipFile, is_zipfile

import numpy as np
from numpy.typing import NDArray

from robosym.errors import FormatError, InputError, closest
from robosym.files import cells, read_text

__all__ = ["Log", "column_group", "read_columns"]

Array = NDArray[np.float64]

MAX_BYTES = 200_000_000  #: of a log, unpacked: half an hour at 1 kHz of a robot with seven joints
MAX_COLUMNS = 10_000
MAX_NAME = 200  #: letters of the name of a column
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
_UNIT = re.compile(r"[\[(]\s*([^\[\]()\d]+?)\s*[\])]\s*$")
_GROUP_OF = {word: group for group, words in _WORDS.items() for word in words}
#: q1, q_1, q[0], joint_position_2, "tau joint 3 [Nm]"
_COLUMN = re.compile(r"(.*?)[\s_\[(.]*?(?:j|joint|axis|motor)?[\s_]*?(\d+)?[\])]?(?:[\s_]*[\[(].*[\])])?")
_NAMED = re.compile(r"(.+?)[._/\s]+([A-Za-z]\w*?)(?:\s*[\[(].*[\])])?")  #: position.shoulder
_EXPECTED = "expected columns t, q1 .. qn and tau1 .. taun (or current1 ..), and qd1 .. where they were measured"


class Log:
    """Times t in seconds, joint positions q in radians or metres, torques tau; one row a sample, one column a joint.

    `Log(t=t, q=q, tau=tau)` takes arrays; `Log(columns)` a mapping of such arrays or of columns t, q1, q2, .. in any
    order; `Log("motion.csv")` a file (.csv, .npz, .parquet). Velocities `qd` are optional; `current` stands for `tau`
    where a `Drive` with a gain follows. `columns` tells what else columns are called ({"q1": "axis one"}), `step` is
    the time between samples where no times were recorded. `degrees=True` converts angles of a log in degrees;
    `degrees=False` says that large angles are meant.
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
            given = self._grouped(source, columns or {})
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

    # ----------------------------------------------------------------- columns

    def _grouped(self, source: Any, columns: Mapping[str, str]) -> dict[str, Any]:
        """Columns by what they hold, joints in the order of their numbers."""
        if not isinstance(source, Mapping):
            raise self._wrong(f"expected arrays, a mapping of columns or a path, found {type(source).__name__}")
        named = {str(name).strip(): value for name, value in source.items()}
        for ours, theirs in columns.items():
            if theirs not in named:
                raise self._wrong(f"no column {theirs!r}{closest(theirs, named)}")
            named[ours] = named.pop(theirs)
        named = self._by_joint_names(named)
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
            raise self._wrong(f"{_EXPECTED}; found {_some(list(named))}. columns={{...}} tells other names")
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
    match = _COLUMN.fullmatch(name.strip())
    number = match[2] if match else None
    return _GROUP_OF.get(_stem(match[1] if match else name), ""), None if number is None else int(number)


def _stem(text: str) -> str:
    return re.sub(r"[\s_.\-]", "", text).lower()


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:12])) + (" ..." if len(names) > 12 else "") if names else "none"


def read_columns(path: Path) -> Mapping[str, Any]:
    """The columns of a file by their names, as they stand there."""
    kind = path.suffix.lower()
    if kind not in (".csv", ".txt", ".npz", ".parquet"):
        raise FormatError(f"expected a .csv, .npz or .parquet file, found {path.suffix or 'no extension'}", str(path))
    if kind in (".csv", ".txt"):
        return _columns(read_text(path, MAX_BYTES), str(path))
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for, a device never ends
            raise FormatError("expected a regular file", str(path))
        if kind == ".parquet":
            return _parquet(path)
        if path.exists() and not is_zipfile(path):
            raise FormatError("expected an archive of NumPy arrays, found something else", str(path))
        return _archive(path)
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot be read: {error}", str(path)) from None


def _archive(path: Path) -> dict[str, Any]:
    """The arrays of a .npz. NumPy and zipfile raise whatever comes to them on an archive that is damaged."""
    try:
        with ZipFile(path) as archive:
            entries = archive.infolist()
        _check_size(len(entries), sum(entry.file_size for entry in entries), path)
        with np.load(path, allow_pickle=False) as data:
            return {name: data[name] for name in data.files}
    except (FormatError, OSError):
        raise
    except Exception as error:
        raise FormatError(f"cannot be read: {error}", str(path)) from None


def _check_size(columns: int, size: int, path: Path) -> None:
    """Of what is packed, which may be far more than its file."""
    if columns > MAX_COLUMNS:
        raise FormatError(f"expected at most {MAX_COLUMNS} columns, found {columns}", str(path))
    if size > MAX_BYTES:
        raise FormatError(f"its arrays take {size} bytes, the most that is read is {MAX_BYTES}", str(path))


def _columns(text: str, file: str) -> dict[str, Any]:
    """Columns of a text with one line of names; commas, semicolons, tabs or blanks between them."""
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        raise FormatError("the file is empty", file)
    delimiter = next((mark for mark in (",", ";", "\t") if mark in lines[0]), None)
    first = cells(lines[0], file, delimiter)[0] if delimiter else lines[0].split()
    names = [name.strip().lstrip("#").strip() for name in first]
    if max(map(len, names)) > MAX_NAME:
        raise FormatError(f"expected names of columns with at most {MAX_NAME} letters, found a longer one", file, 1)
    if len(names) > MAX_COLUMNS:
        raise FormatError(f"expected at most {MAX_COLUMNS} columns, found {len(names)}", file, 1)
    if all(_is_number(name) for name in names):
        raise FormatError(f"{_EXPECTED}; found numbers in the first line", file, 1)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise FormatError(f"two columns are called {twice!r}", file, 1)
    with suppress(ValueError):  # the quick way, for numbers only
        table = np.loadtxt(lines[1:], delimiter=delimiter, comments=None, ndmin=2)
        if table.shape == (len(lines) - 1, len(names)):
            return dict(zip(names, table.T, strict=True))
    rows = cells("\n".join(lines), file, delimiter) if delimiter else [line.split() for line in lines]
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(names):
            raise FormatError(f"expected {len(names)} columns, found {len(row)}", file, number)
    values: dict[str, Any] = {}
    for at, name in enumerate(names):
        column = [row[at].strip() for row in rows[1:]]
        try:
            values[name] = np.array(column, dtype=float)
        except ValueError:
            values[name] = np.array(column)  # named where it is wanted
    return values


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _parquet(path: Path) -> dict[str, Any]:
    """The columns of numbers; of texts and lists nobody can tell how long they are once they are unpacked."""
    try:
        arrow: Any = import_module("pyarrow")
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError:
        raise FormatError("reading .parquet needs pyarrow: pip install robosym[parquet]", str(path)) from None
    try:
        with parquet.ParquetFile(path) as file:
            told = file.metadata
            rows = sum(told.row_group(k).num_rows for k in range(told.num_row_groups))
            names = [field.name for field in file.schema_arrow if arrow.types.is_primitive(field.type)]
            _check_size(told.num_columns, 8 * rows * len(names), path)
            table = file.read(columns=names)
        return {name: table[name].to_numpy() for name in names}
    except (FormatError, OSError):
        raise
    except Exception as error:  # as of an archive
        raise FormatError(f"cannot be read: {error}", str(path)) from None
