"""Read tables of named columns from text, NumPy archives and Parquet files, and write them.

A text file has one line with the column names. Cells are separated by commas, semicolons, tabs or blanks. Free text may
precede the names, a line of units may follow them, and comments may appear anywhere. Decimal commas are accepted unless
the comma is the delimiter.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import ZipFile, is_zipfile

import numpy as np
from numpy.typing import NDArray

from robosym.errors import FormatError
from robosym.files import MAX_BYTES, cells, read_text, write_bytes, write_text

__all__ = [
    "MAX_COLUMNS", "MAX_NAME", "Columns", "TableKind", "as_csv", "is_time_stamp", "numbered", "read_rows", "read_table",
    "seconds_after_the_first", "write_columns", "write_rows", "write_table",
]  # fmt: skip

Column = NDArray[Any]  #: numbers or strings
MAX_COLUMNS = 10_000
MAX_NAME = 200  #: characters in a column name
_MARKS = (",", ";", "\t")  #: delimiters of cells
_COMMENTS = ("#", "%", "//")  #: prefixes of comment lines
_SAMPLE = 200  #: lines at the end of a file from which the number of columns is determined
_PREAMBLE = 1000  #: lines in which the column names are searched for
_UNIT_CELL = re.compile(r"[\[(]?[a-zµ°%]+(?:[/.*^]?[a-z0-9²]+)*[\])]?", re.IGNORECASE)  #: s, deg/s, [N.m]
_COMMA = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")  #: a number with a decimal comma


@dataclass(frozen=True)
class TableKind:
    """Format of a table: expected columns, units and file types."""

    expected: str  #: description of the expected columns for error messages
    known: Callable[[str], bool] = lambda name: True  #: whether a column name is a known quantity
    units: Collection[str] = ()  #: known units, in lower case
    texts: frozenset[str] = field(default_factory=frozenset)  #: columns that are not converted to numbers
    short: bool = False  #: whether the last cells of a row may be missing
    files: tuple[str, ...] = (".csv", ".txt")
    most: int = MAX_BYTES  #: size limit in bytes, after decompression


class Columns(dict[str, Column]):
    """Columns by name, as numbers, or as strings if a cell is not a number. An empty cell is NaN."""

    def __init__(
        self, columns: Mapping[str, Any] | Iterable[tuple[str, Any]] = (), remarks: Iterable[str] = ()
    ) -> None:
        super().__init__(columns)
        self.remarks = tuple(remarks)  #: lines that were skipped and conversions that were made


def read_table(path: str | Path, kind: TableKind) -> Columns:
    """Read the columns of a file, in the units of the file."""
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in kind.files:
        *others, last = [name for name in kind.files if name != ".txt"]
        wanted = f"{', '.join(others)} or {last}" if others else last
        raise FormatError(f"expected a {wanted} file, found {path.suffix or 'no extension'}", str(path))
    if suffix in (".csv", ".txt"):
        return _Text(read_text(path, kind.most), str(path), kind).columns()
    try:
        if path.exists() and not path.is_file():  # reading a pipe would block, and a device has no end
            raise FormatError("expected a regular file", str(path))
        if suffix == ".parquet":
            return _parquet(path, kind.most)
        if path.exists() and not is_zipfile(path):
            raise FormatError("expected an archive of NumPy arrays (.npz), found another type of file", str(path))
        return _archive(path, kind.most)
    except FormatError:
        raise
    except Exception as error:  # NumPy, zipfile and PyArrow raise exceptions of any type for a damaged file
        raise FormatError(f"cannot be read: {error}", str(path)) from None


def read_rows(path: str | Path) -> Iterator[tuple[int, list[float]]]:
    """Yield the line number and the numbers of each row of a text file; rows may differ in length.

    Numbers are separated by commas, semicolons, tabs or blanks. Comments and a first line of names are skipped.
    """
    first = True
    for number, line in enumerate(read_text(path).split("\n"), 1):
        mark = _mark(line)
        words = [word.strip() for word in cells(line, str(path), mark)[0]] if mark else line.split()
        while words and not words[-1]:
            words.pop()
        if not words or _is_comment(line):
            continue
        if mark != ",":
            words = [word.replace(",", ".") if _COMMA.fullmatch(word) else word for word in words]
        if all(map(_is_number, words)):
            yield number, [float(word) for word in words]
        elif not first:
            raise FormatError(f"expected numbers, found {', '.join(words)[:60]!r}", str(path), number)
        first = False


def _archive(path: Path, most: int) -> Columns:
    """Read the arrays of a .npz file."""
    with ZipFile(path) as archive:
        entries = archive.infolist()
    _check_size(len(entries), sum(entry.file_size for entry in entries), path, most)
    with np.load(path, allow_pickle=False) as data:
        return Columns({name: data[name] for name in data.files})


def _parquet(path: Path, most: int) -> Columns:
    """Read the numeric columns of a .parquet file; strings and lists have no known size before decompression."""
    try:
        arrow: Any = import_module("pyarrow")
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError:
        raise FormatError("reading .parquet needs pyarrow: pip install robosym[parquet]", str(path)) from None
    with parquet.ParquetFile(path) as file:
        metadata = file.metadata
        rows = sum(metadata.row_group(k).num_rows for k in range(metadata.num_row_groups))
        names = [field.name for field in file.schema_arrow if arrow.types.is_primitive(field.type)]
        _check_size(metadata.num_columns, 8 * rows * len(names), path, most)
        table = file.read(columns=names)
    return Columns({name: table[name].to_numpy() for name in names})


def _check_size(columns: int, size: int, path: Path, most: int) -> None:
    """Check the size after decompression, which may be much larger than the file."""
    if columns > MAX_COLUMNS:
        raise FormatError(f"expected at most {MAX_COLUMNS} columns, found {columns}", str(path))
    if size > most:
        raise FormatError(f"expected at most {most} bytes of arrays, found {size}", str(path))


class _Text:
    """A text that contains a table."""

    def __init__(self, text: str, file: str, kind: TableKind) -> None:
        self.file, self.kind = file, kind
        self.lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        if not self.lines:
            raise FormatError("the file is empty", file)

    def columns(self) -> Columns:
        head, mark = self._header()
        names = self._checked_names(head, mark)
        below = [(number, line) for number, line in self.lines[head + 1 :] if not _is_comment(line)]
        comments = len(self.lines) - head - 1 - len(below)
        remarks = [*_skipped(head, "above the names of the columns"), *_skipped(comments, "of comments")]
        lines = [line for _, line in below]
        if lines and not self.kind.texts.intersection(names):
            with suppress(ValueError):  # the fast path, for numbers only
                table = np.loadtxt(lines, delimiter=mark, comments=None, ndmin=2)
                if table.shape == (len(lines), len(names)):
                    return Columns(zip(names, table.T, strict=True), remarks)
        rows = cells("\n".join(lines), self.file, mark) if mark and lines else [line.split() for line in lines]
        for (number, _), row in zip(below, rows, strict=False):
            if len(row) == len(names) + 1 and not row[-1].strip():
                row.pop()  # the line ends with a delimiter
            if self.kind.short:
                row += [""] * (len(names) - len(row))
            if len(row) != len(names):
                commas = mark == "," and len(row) > len(names)
                hint = ": decimal commas need semicolons or tabs between the columns" if commas else ""
                raise FormatError(f"expected {len(names)} columns, found {len(row)}{hint}", self.file, number)
        if len(rows) > 1 and self.kind.units and _is_units(rows[0]):
            names = [f"{name} [{unit.strip().strip('[]()')}]" if unit.strip() else name for name, unit in
                     zip(names, rows.pop(0), strict=True)]  # fmt: skip
        return self._values(names, rows, mark, remarks)

    def _values(self, names: Sequence[str], rows: list[list[str]], mark: str | None, remarks: list[str]) -> Columns:
        """Convert the columns in which every cell is a number."""
        values: dict[str, Any] = {}
        with_commas = False
        for at, name in enumerate(names):
            column = [row[at].strip() for row in rows]
            if mark != "," and any(map(_COMMA.fullmatch, column)):
                with_commas = True
                column = [cell.replace(",", ".") if _COMMA.fullmatch(cell) else cell for cell in column]
            values[name] = np.array(column)  # the caller reports strings where it needs numbers
            if name not in self.kind.texts:
                with suppress(ValueError):
                    values[name] = np.array([cell or "nan" for cell in column], dtype=float)
        return Columns(values, [*remarks, *(["decimal commas are read as decimal points"] if with_commas else [])])

    def _checked_names(self, head: int, mark: str | None) -> list[str]:
        where, header = self.lines[head]
        names = self._names(header, mark)
        if max(map(len, names)) > MAX_NAME:
            message = f"expected column names of at most {MAX_NAME} characters, found a longer one"
            raise FormatError(message, self.file, where)
        if len(names) > MAX_COLUMNS:
            raise FormatError(f"expected at most {MAX_COLUMNS} columns, found {len(names)}", self.file, where)
        if all(_is_number(name) for name in names):
            raise FormatError(f"{self.kind.expected}; found numbers in line {where}", self.file, where)
        if len(set(names)) < len(names):
            repeated = next(name for name in names if names.count(name) > 1)
            raise FormatError(f"expected different column names, found {repeated!r} twice", self.file, where)
        return names

    def _header(self) -> tuple[int, str | None]:
        """Return the index of the line with the column names, and its delimiter.

        The line precedes the first sample, has as many cells as most lines at the end of the file, and contains no
        number. Among several candidates, the line with the most known quantities wins, then a line that is not a
        comment, then the last one. A line of units below the names is not a candidate.
        """
        lines = [line for _, line in self.lines]
        end = [line for line in lines[-_SAMPLE:] if not _is_comment(line)] or lines[-1:]
        usual = {mark: _most_common([len(self._split(line, mark)) for line in end]) for mark in (*_MARKS, None)}
        found: dict[int, tuple[int, bool, int]] = {}
        for at, line in enumerate(lines[:_PREAMBLE]):
            mark = _mark(line)
            names = self._names(line, mark)
            numbers = sum(map(_is_value, names))
            if numbers and 2 * numbers >= len(names) and len(self._split(line, mark)) == usual[mark]:
                break  # the first sample
            if numbers or len(names) not in (usual[mark], usual[mark] - 1) or len(names) < 2:
                continue
            known = sum(map(self.kind.known, names))
            above = found.get(at - 1)
            if above is not None and not known and _is_units(names) and (above[0] or any(map(self._is_unit, names))):
                continue
            found[at] = known, not _is_comment(line), at
        if found:
            at = max(found, key=lambda place: found[place])
            return at, _mark(lines[at])
        mark = _mark(lines[0])
        names = self._names(lines[0], mark)
        if _is_comment(lines[0]) or not any(map(self.kind.known, names)):
            message = f"{self.kind.expected}; found numbers in the first line"
            if not all(map(_is_number, names)):
                message = "expected a line with the names of the columns above the first sample"
                message = f"{message}, found {lines[0].strip()[:40]!r}"
            raise FormatError(message, self.file, self.lines[0][0])
        return 0, mark

    def _split(self, line: str, mark: str | None) -> list[str]:
        return (cells(line, self.file, mark)[0] if mark else line.split()) or [""]

    def _names(self, line: str, mark: str | None) -> list[str]:
        """Return the cells of a line without a leading comment sign and without a trailing delimiter."""
        line = line.strip().lstrip("#%/").strip() if _is_comment(line) else line
        found = [name.strip() for name in self._split(line, mark)]
        return found[:-1] if len(found) > 1 and not found[-1] else found

    def _is_unit(self, text: str) -> bool:
        return text.strip("[]() ").lower() in self.kind.units


def _skipped(count: int, where: str) -> list[str]:
    words = "line {} is" if count == 1 else "lines {} are"
    return [f"{count} {words.format(where)} skipped"] if count else []


def _mark(line: str) -> str | None:
    """Return the delimiter of a line; None stands for blanks."""
    mark = max(_MARKS, key=line.count)
    return mark if mark in line else None


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(_COMMENTS)


def _most_common(numbers: list[int]) -> int:
    return max(set(numbers), key=numbers.count)


def _is_value(text: str) -> bool:
    return _is_number(text) or bool(_COMMA.fullmatch(text)) or is_time_stamp(text)


def _is_units(row: list[str]) -> bool:
    """Return whether the line below the names contains the units of the columns."""
    given = [cell.strip() for cell in row if cell.strip()]
    return bool(given) and all(_UNIT_CELL.fullmatch(cell) and not _is_number(cell) for cell in given)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# ---------------------------------------------------------------------- writing


def numbered(columns: Mapping[str, Column]) -> dict[str, Column]:
    """Split arrays of several columns into q1, q2, ..; one-dimensional arrays keep their name."""
    found: dict[str, Column] = {}
    for name, values in columns.items():
        parts = {name: values} if values.ndim == 1 else {f"{name}{k}": part for k, part in enumerate(values.T, 1)}
        found |= parts
    return found


def write_columns(path: str | Path, columns: Mapping[str, Column], files: Sequence[str] = (".csv",)) -> Path:
    """Write columns, or arrays with one column per joint, to a .csv or .npz file and return its path."""
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in files:
        raise FormatError(f"expected a {' or '.join(files)} file, found {path.suffix or 'no extension'}", str(path))
    if suffix == ".npz":
        write_arrays(path, columns)
        return path
    flat = numbered(columns)
    return write_rows(path, tuple(flat), zip(*flat.values(), strict=True))


def write_arrays(path: str | Path, arrays: Mapping[str, Column], compressed: bool = True) -> None:
    """Write a .npz file of arrays by name."""
    stream = io.BytesIO()
    save = np.savez_compressed if compressed else np.savez
    save(stream, **dict(arrays))  # type: ignore[arg-type]
    write_bytes(path, stream.getvalue())


def write_rows(path: str | Path, names: Sequence[str], rows: Iterable[Iterable[str | float]]) -> Path:
    """Write a .csv file with a line of names and rows of strings and numbers; numbers keep all digits."""
    path = Path(path)
    if path.suffix.lower() != ".csv":
        raise FormatError(f"expected a .csv file, found {path.suffix or 'no extension'}", str(path))
    write_text(path, as_csv(names, rows))
    return path


def as_csv(names: Sequence[str], rows: Iterable[Iterable[str | float]]) -> str:
    """Return the text of a .csv file with a line of names and rows of strings and numbers."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([cell if isinstance(cell, str) else repr(float(cell)) for cell in row] for row in rows)
    return stream.getvalue()


def write_table(path: str | Path, table: Callable[[str], str]) -> Path:
    """Write a table in the form that the extension of the file implies; `table` returns its text in a form."""
    path = Path(path)
    form = {".csv": "csv", ".tex": "latex", ".txt": "text"}.get(path.suffix.lower())
    if form is None:
        raise FormatError(f"expected a .csv, .tex or .txt file, found {path.suffix or 'no extension'}", str(path))
    text = table(form)
    write_text(path, text if text.endswith("\n") else f"{text}\n")
    return path


_STAMP = re.compile(
    r"(?:(\d{4})-(\d\d)-(\d\d)[T ])?(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,18}))?\s?(Z|[+-]\d\d(?::?\d\d)?)?", re.IGNORECASE
)
_NANO = 10**9
_START = datetime(1970, 1, 1, tzinfo=timezone.utc)


def is_time_stamp(text: str) -> bool:
    """Return whether a text is an ISO 8601 date with a time of day, or a time of day."""
    return _STAMP.fullmatch(text.strip()) is not None


def seconds_after_the_first(times: Any) -> NDArray[np.float64] | None:
    """Return the seconds since the first time stamp, or None if `times` are not time stamps.

    Time stamps are NumPy dates or ISO 8601 strings. An empty time stamp gives NaN.

    Raises
    ------
    ValueError
        If a time stamp is invalid or of another kind than the others; the message names the sample.
    """
    array = np.asarray(times)
    if array.dtype.kind == "M":
        steps = array - array[~np.isnat(array)][:1]
        return np.asarray(steps / np.timedelta64(1, "ns") / _NANO) if steps.size else None
    if array.dtype.kind not in "US" or array.ndim != 1:
        return None
    texts = [str(text).strip() for text in array.tolist()]
    if not any(map(is_time_stamp, texts)):
        return None
    found = [_nanoseconds(text, sample) if text else None for sample, text in enumerate(texts)]
    given = [one for one in found if one is not None]
    if len(kinds := {kind for _, kind in given}) > 1:
        raise ValueError(f"expected time stamps of one kind, found {' and '.join(sorted(kinds))}")
    first = given[0][0]
    return np.array([np.nan if one is None else (one[0] - first) / _NANO for one in found])


def _nanoseconds(text: str, sample: int) -> tuple[int, str]:
    """Return the nanoseconds since a fixed instant, and the kind of the time stamp."""
    match = _STAMP.fullmatch(text)
    if match is None:
        raise ValueError(f"sample {sample}: expected an ISO 8601 time stamp like the others, found {text[:40]!r}")
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    try:
        day_of = datetime(int(year or 1970), int(month or 1), int(day or 1), tzinfo=_zone(zone))
        whole = day_of.replace(hour=int(hour), minute=int(minute), second=int(second))
    except ValueError as error:
        raise ValueError(f"sample {sample}: expected a date and a time of day, found {text[:40]!r} ({error})") from None
    kind = f"{'dates' if year else 'times of day'} {'with' if zone else 'without'} a time zone"
    nanoseconds = int((fraction or "0").ljust(9, "0")[:9])
    return (whole - _START) // timedelta(seconds=1) * _NANO + nanoseconds, kind


def _zone(text: str | None) -> timezone:
    if not text or text in "zZ":
        return timezone.utc
    digits = text[1:].replace(":", "").ljust(4, "0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if text[0] == "-" else offset)
