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
from robosym.files import cells, read_text

__all__ = ["EXPECTED", "MAX_BYTES", "MAX_COLUMNS", "MAX_NAME", "Columns", "read_columns"]

MAX_BYTES = 200_000_000  #: of a log, unpacked: half an hour at 1 kHz of a robot with seven joints
MAX_COLUMNS = 10_000
MAX_NAME = 200  #: letters of the name of a column
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
    """Columns of a text with one line of names; commas, semicolons, tabs or blanks between them."""
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        raise FormatError("the file is empty", file)
    marks = max((",", ";", "\t"), key=lines[0].count)
    delimiter = marks if marks in lines[0] else None
    first = cells(lines[0], file, delimiter)[0] if delimiter else lines[0].split()
    names = [name.strip().lstrip("#").strip() for name in first]
    if max(map(len, names)) > MAX_NAME:
        raise FormatError(f"expected names of columns with at most {MAX_NAME} letters, found a longer one", file, 1)
    if len(names) > MAX_COLUMNS:
        raise FormatError(f"expected at most {MAX_COLUMNS} columns, found {len(names)}", file, 1)
    if all(_is_number(name) for name in names):
        raise FormatError(f"{EXPECTED}; found numbers in the first line", file, 1)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise FormatError(f"two columns are called {twice!r}", file, 1)
    with suppress(ValueError):  # the quick way, for numbers only
        table = np.loadtxt(lines[1:], delimiter=delimiter, comments=None, ndmin=2)
        if table.shape == (len(lines) - 1, len(names)):
            return Columns(zip(names, table.T, strict=True))
    rows = cells("\n".join(lines), file, delimiter) if delimiter else [line.split() for line in lines]
    for number, row in enumerate(rows[1:], 2):
        if len(row) == len(names) + 1 and not row[-1].strip():
            row.pop()  # a mark at the end of the line
        if len(row) != len(names):
            commas = delimiter == "," and len(row) > len(names)
            hint = ": decimal commas need semicolons or tabs between the columns" if commas else ""
            raise FormatError(f"expected {len(names)} columns, found {len(row)}{hint}", file, number)
    if len(rows) > 2 and _is_units(rows[1]):
        names = [f"{name} [{unit.strip().strip('[]()')}]" if unit.strip() else name for name, unit in
                 zip(names, rows.pop(1), strict=True)]  # fmt: skip
    values, with_commas = Columns(), False
    for at, name in enumerate(names):
        column = [row[at].strip() for row in rows[1:]]
        if delimiter != "," and any(map(_COMMA.fullmatch, column)):
            with_commas = True
            column = [cell.replace(",", ".") if _COMMA.fullmatch(cell) else cell for cell in column]
        try:
            values[name] = np.array([cell or "nan" for cell in column], dtype=float)
        except ValueError:
            values[name] = np.array(column)  # named where it is wanted
    values.remarks = ("decimal commas are read as points",) if with_commas else ()
    return values


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
