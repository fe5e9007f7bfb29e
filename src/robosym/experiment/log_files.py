"""Files of logs: their columns by name, as they stand there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import ZipFile, is_zipfile

import numpy as np

from robosym.errors import FormatError
from robosym.experiment.column_names import UNITS, column_group
from robosym.experiment.time_stamps import is_time_stamp
from robosym.files import cells, read_text

__all__ = ["EXPECTED", "MAX_BYTES", "MAX_COLUMNS", "MAX_NAME", "Columns", "read_columns"]

MAX_BYTES = 200_000_000  #: of a log, unpacked: half an hour at 1 kHz of a robot with seven joints
MAX_COLUMNS = 10_000
MAX_NAME = 200  #: letters of the name of a column
_MARKS = (",", ";", "\t")  #: between the cells of a line
_COMMENTS = ("#", "%", "//")  #: how a line begins that is a comment
_SAMPLE = 200  #: lines at the end of a file that show how many columns it has
_PREAMBLE = 1000  #: lines among which the names of the columns are looked for
_UNIT_CELL = re.compile(r"[\[(]?[a-zµ°%]+(?:[/.*^]?[a-z0-9²]+)*[\])]?", re.IGNORECASE)  #: s, deg/s, [N.m]
_COMMA = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")  #: a number with a decimal comma
EXPECTED = "expected columns t, q1 .. qn and tau1 .. taun (or current1 ..), and qd1 .. where they were measured"


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


class Columns(dict[str, Any]):
    """Columns by name, and what was done to read them."""

    remarks: tuple[str, ...] = ()


def _columns(text: str, file: str) -> Columns:
    """Columns of a text with one line of names; commas, semicolons, tabs or blanks between them.

    Free text may stand above the names, units below them, and comments anywhere.
    """
    numbered = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not numbered:
        raise FormatError("the file is empty", file)
    head, delimiter = _header(numbered, file)
    where, header = numbered[head]
    names = _names(header, delimiter, file)
    if max(map(len, names)) > MAX_NAME:
        raise FormatError(f"expected names of columns with at most {MAX_NAME} letters, found a longer one", file, where)
    if len(names) > MAX_COLUMNS:
        raise FormatError(f"expected at most {MAX_COLUMNS} columns, found {len(names)}", file, where)
    if all(_is_number(name) for name in names):
        raise FormatError(f"{EXPECTED}; found numbers in line {where}", file, where)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise FormatError(f"two columns are called {twice!r}", file, where)
    below = [(number, line) for number, line in numbered[head + 1 :] if not _is_comment(line)]
    comments = len(numbered) - head - 1 - len(below)
    remarks = [*_skipped(head, "above the names of the columns"), *_skipped(comments, "of comments")]
    lines = [line for _, line in below]
    if lines:
        with suppress(ValueError):  # the fast path, for numbers only
            table = np.loadtxt(lines, delimiter=delimiter, comments=None, ndmin=2)
            if table.shape == (len(lines), len(names)):
                return _remarked(Columns(zip(names, table.T, strict=True)), remarks)
    rows = cells("\n".join(lines), file, delimiter) if delimiter and lines else [line.split() for line in lines]
    for (number, _), row in zip(below, rows, strict=False):
        if len(row) == len(names) + 1 and not row[-1].strip():
            row.pop()  # a mark at the end of the line
        if len(row) != len(names):
            commas = delimiter == "," and len(row) > len(names)
            hint = ": decimal commas need semicolons or tabs between the columns" if commas else ""
            raise FormatError(f"expected {len(names)} columns, found {len(row)}{hint}", file, number)
    if len(rows) > 1 and _is_units(rows[0]):
        names = [f"{name} [{unit.strip().strip('[]()')}]" if unit.strip() else name for name, unit in
                 zip(names, rows.pop(0), strict=True)]  # fmt: skip
    values, with_commas = Columns(), False
    for at, name in enumerate(names):
        column = [row[at].strip() for row in rows]
        if delimiter != "," and any(map(_COMMA.fullmatch, column)):
            with_commas = True
            column = [cell.replace(",", ".") if _COMMA.fullmatch(cell) else cell for cell in column]
        try:
            values[name] = np.array([cell or "nan" for cell in column], dtype=float)
        except ValueError:
            values[name] = np.array(column)  # reported where it is used
    return _remarked(values, [*remarks, *(["decimal commas are read as points"] if with_commas else [])])


def _remarked(columns: Columns, remarks: list[str]) -> Columns:
    columns.remarks = tuple(remarks)
    return columns


def _skipped(count: int, where: str) -> list[str]:
    return [f"{count} {'line' if count == 1 else 'lines'} {where} {'is' if count == 1 else 'are'} skipped"] * (
        count > 0
    )


def _header(numbered: list[tuple[int, str]], file: str) -> tuple[int, str | None]:
    """Return the place of the line with the names of the columns among the lines, and the mark between its cells.

    The line stands above the first sample, has as many cells as most lines at the end of the file, and no number. Of
    several such lines that with the most names of known quantities is taken, then one that is no comment, then the
    last; a line of units below the names is not one of them.
    """
    lines = [line for _, line in numbered]
    end = [line for line in lines[-_SAMPLE:] if not _is_comment(line)] or lines[-1:]
    usual = {mark: _most_common([_width(line, mark, file) for line in end]) for mark in (*_MARKS, None)}
    found: dict[int, tuple[int, bool, int]] = {}
    for at, line in enumerate(lines[:_PREAMBLE]):
        mark = _mark(line)
        names = _names(line, mark, file)
        numbers = sum(map(_is_value, names))
        if numbers and 2 * numbers >= len(names) and _width(line, mark, file) == usual[mark]:
            break  # the first sample
        if numbers or len(names) not in (usual[mark], usual[mark] - 1) or len(names) < 2:
            continue
        known = sum(1 for name in names if column_group(name)[0])
        above = found.get(at - 1)
        if above is not None and not known and _is_units(names) and (above[0] or any(map(_is_known_unit, names))):
            continue
        found[at] = known, not _is_comment(line), at
    if found:
        at = max(found, key=lambda place: found[place])
        return at, _mark(lines[at])
    mark = _mark(lines[0])
    if _is_comment(lines[0]) or not any(column_group(name)[0] for name in _names(lines[0], mark, file)):
        if all(map(_is_number, _names(lines[0], mark, file))):
            raise FormatError(f"{EXPECTED}; found numbers in the first line", file, numbered[0][0])
        message = "expected a line with the names of the columns above the first sample"
        raise FormatError(f"{message}, found {lines[0].strip()[:40]!r}", file, numbered[0][0])
    return 0, mark


def _mark(line: str) -> str | None:
    """What stands between the cells of a line; None are blanks."""
    mark = max(_MARKS, key=line.count)
    return mark if mark in line else None


def _width(line: str, mark: str | None, file: str) -> int:
    return len(_split(line, mark, file))


def _split(line: str, mark: str | None, file: str) -> list[str]:
    return (cells(line, file, mark)[0] if mark else line.split()) or [""]


def _names(line: str, mark: str | None, file: str) -> list[str]:
    """The cells of a line without the sign of a comment before them and without a mark behind them."""
    found = [
        name.strip() for name in _split(line.strip().lstrip("#%/").strip() if _is_comment(line) else line, mark, file)
    ]
    return found[:-1] if len(found) > 1 and not found[-1] else found


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(_COMMENTS)


def _most_common(numbers: list[int]) -> int:
    return max(set(numbers), key=numbers.count)


def _is_value(text: str) -> bool:
    return _is_number(text) or bool(_COMMA.fullmatch(text)) or is_time_stamp(text)


def _is_known_unit(text: str) -> bool:
    unit = text.strip("[]() ").lower()
    return any(unit in units for units in UNITS.values())


def _is_units(row: list[str]) -> bool:
    """Whether the line below the names holds the units of the columns."""
    given = [cell.strip() for cell in row if cell.strip()]
    return bool(given) and all(_UNIT_CELL.fullmatch(cell) and not _is_number(cell) for cell in given)


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
