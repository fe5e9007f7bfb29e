"""Evaluate a model at values by name or at the states of a file; the result is a table with named columns."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from robosym.errors import InputError, PathPart, closest
from robosym.files import write_text
from robosym.table_files import TableKind, read_table

if TYPE_CHECKING:
    from robosym.model import Model

__all__ = ["Numbers", "evaluated", "state_columns"]

_FEW = 8  #: columns; a single row with more of them is printed as one line per column
_NAMED = 12  #: missing inputs that an error names


@dataclass(frozen=True)
class Numbers:
    """A table of numbers with named columns."""

    names: tuple[str, ...]
    rows: Any  #: (m, names)
    remarks: tuple[str, ...] = ()
    shown: str = ""  #: text in place of the aligned table

    def __str__(self) -> str:
        return self.shown or self.text()

    def write(self, path: str | Path) -> None:
        """Write the table to a .csv, .json or .txt file."""
        form = Path(path).suffix.lower().removeprefix(".")
        if form not in ("", "txt", "csv", "json"):
            raise InputError(f"{path}: numbers are written to a .csv, .json or .txt file")
        write_text(path, self.text(form) if form in ("csv", "json") else f"{self}".rstrip("\n") + "\n")

    def text(self, form: str = "") -> str:
        """Return the table as aligned text, or as "csv" or "json"."""
        if form == "csv":
            stream = io.StringIO()
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(self.names)
            writer.writerows([repr(float(value)).removesuffix(".0") for value in row] for row in self.rows)
            return stream.getvalue()
        if form == "json":
            table = {name: [float(row[place]) for row in self.rows] for place, name in enumerate(self.names)}
            return json.dumps(table) + "\n"
        cells = [list(self.names), *([f"{value:.6g}" for value in row] for row in self.rows)]
        if len(cells) == 2 and len(self.names) > _FEW:
            cells = [list(pair) for pair in zip(*cells, strict=True)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) for row in cells]
        return "\n".join([*lines, *self.remarks]) + "\n"


def evaluated(model: Model, given: tuple[Mapping[str, Any] | str | Path, ...]) -> Numbers:
    """Return all outputs of a model, one row per state (see `Model.evaluate`)."""
    table: dict[str, Any] = {}
    for part in given:
        table |= _by_input(model, part) if isinstance(part, Mapping) else state_columns(part)
    inputs = {name: group for group, names in model.inputs.items() for name in names}
    for name in table:
        if name not in inputs:
            near = closest(name, inputs)
            raise InputError(f"the model has no input {name!r}{near}: it has {' '.join(inputs)}", code="E402")
    missing = [name for name in inputs if name not in table]
    if missing:
        groups = ", ".join(dict.fromkeys(inputs[name] for name in missing))
        few = f"{' '.join(missing[:_NAMED])}{' ..' if len(missing) > _NAMED else ''}"
        raise InputError(f"missing values of {few} (of {groups})", code="E408")
    count = max((np.size(value) for value in table.values()), default=1)
    for name, value in table.items():
        if np.size(value) not in (1, count):
            raise InputError(f"{name}: expected 1 or {count} numbers, found {np.size(value)}", code="E403")
    arrays = {
        group: np.stack([np.broadcast_to(np.ravel(table[name]), (count,)) for name in names], axis=-1)
        for group, names in model.inputs.items()
    }
    found = model.compile()(**arrays)
    parts = list(found) if isinstance(found, tuple) else [found]
    return Numbers(model.output_names, np.hstack([np.reshape(part, (count, -1)) for part in parts]))


def _by_input(model: Model, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return numbers by input; those of a group are in the order of its inputs along the last axis."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        try:
            numbers = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f"expected numbers, found {value!r}", path=(PathPart(name),), code="E403") from None
        if name not in model.inputs:
            found[name] = numbers
            continue
        own = model.inputs[name]
        rows = numbers[..., None] if numbers.ndim == 0 else numbers
        if rows.shape[-1] != len(own):
            message = f"expected {len(own)} numbers ({' '.join(own)}), found {rows.shape[-1]}"
            raise InputError(message, path=(PathPart(name),), code="E403")
        found |= {one: rows[..., at] for at, one in enumerate(own)}
    return found


def state_columns(path: str | Path) -> dict[str, Any]:
    """Read a file of states: one column per input, one line per state."""
    columns = read_table(path, TableKind("expected a line of names and lines of numbers"))
    for name, values in columns.items():
        if values.dtype.kind != "f" or not values.size or np.isnan(values).any():
            raise InputError(f"{path}: column {name}: expected a number in each line")
    return columns
