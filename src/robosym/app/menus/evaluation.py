"""Numbers in and out: a model evaluated at values; as a table, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import robosym as rs
from robosym.app.menus.calls import Call, Presented
from robosym.app.menus.pose_texts import number_from
from robosym.errors import InputError, closest
from robosym.model.groups import GROUPS
from robosym.table_files import TableKind, read_table

__all__ = ["Numbers", "evaluate", "evaluated"]


@dataclass(frozen=True)
class Numbers:
    """Rows of numbers under names."""

    names: tuple[str, ...]
    rows: Any  #: (m, names)
    remarks: tuple[str, ...] = ()

    def text(self, form: str = "") -> str:
        """For people, or as "csv" or "json"."""
        if form == "csv":
            stream = io.StringIO()
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(self.names)
            writer.writerows([repr(float(value)) for value in row] for row in self.rows)
            return stream.getvalue()
        if form == "json":
            table = {name: [float(row[place]) for row in self.rows] for place, name in enumerate(self.names)}
            return json.dumps(table) + "\n"
        cells = [list(self.names), *([f"{value:.6g}" for value in row] for row in self.rows)]
        if len(cells) == 2 and len(self.names) > 8:  # one state of many outputs: a line each
            cells = [list(pair) for pair in zip(*cells, strict=True)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) for row in cells]
        return "\n".join([*lines, *self.remarks]) + "\n"


def evaluate(model: Any, words: Sequence[str]) -> Numbers:
    """The outputs of a model at values: `q=0.1,0.2,..` of a group, `D3=0.45` of one input, or a CSV file of states."""
    table: dict[str, Any] = {}
    for word in words:
        name, equals, text = (part.strip() for part in word.partition("="))
        if not equals and Path(word).suffix.lower() == ".csv":
            table |= _columns(Path(word))
        elif not equals or not name:
            raise InputError(f"--at: expected q=0.1,0.2,.. or D3=0.45 or a .csv file, found {word!r}")
        elif name in model.inputs:
            values = _numbers(text, f"--at {name}")
            if len(values) != len(model.inputs[name]):
                wanted = " ".join(model.inputs[name])
                raise InputError(
                    f"--at {name}: expected {len(model.inputs[name])} numbers ({wanted}), found {len(values)}"
                )
            table |= dict(zip(model.inputs[name], values, strict=True))
        else:
            table[name] = _numbers(text, f"--at {name}")[0]
    inputs = {name: group for group, names in model.inputs.items() for name in names}
    for name in table:
        if name not in inputs:
            raise InputError(
                f"--at: {name} is no input of this model{closest(name, inputs)}: it has {' '.join(inputs)}"
            )
    missing = [name for name in inputs if name not in table]
    if missing:
        groups = ", ".join(dict.fromkeys(inputs[name] for name in missing))
        raise InputError(
            f"--at: no value for {' '.join(missing[:12])}{' ..' if len(missing) > 12 else ''} (of {groups})"
        )
    count = max((np.size(value) for value in table.values()), default=1)
    given = {
        group: np.stack([np.broadcast_to(np.ravel(table[name]), (count,)) for name in names], axis=-1)
        for group, names in model.inputs.items()
    }
    found = model.compile()(**given)
    parts = list(found) if isinstance(found, tuple) else [found]
    rows = np.hstack([np.reshape(part, (count, -1)) for part in parts])
    return Numbers(model.output_names, rows)


def evaluated(call: Call, words: Sequence[str], robot: Call | None) -> Call:
    """The numbers of a model; the Python is a call of the compiled model."""
    groups: dict[str, Any] = {}
    variables = () if robot is None else robot.value.variables
    for word in words:
        name, equals, text = (part.strip() for part in word.partition("="))
        values = _numbers(text, f"--at {name}") if equals else []
        if name in GROUPS:
            groups[name] = values
        elif values:
            groups.setdefault("q" if name in variables else "parameters", {})[name] = values[0]
    return Presented(call.then("compile").then("__call__", **groups), lambda _: _at(call.value, words))


def _at(model: Any, words: Sequence[str]) -> Numbers:
    if not hasattr(model, "inputs"):
        raise InputError("--at: the result for this robot has no inputs", code="E405")
    return evaluate(model, words)


def _numbers(text: str, where: str) -> list[float]:
    try:
        words = text.strip("[]").replace(";", ",").split(",")
        return [number_from(word) if "deg" in word else float(word) for word in words]
    except (ValueError, rs.Error):
        raise InputError(f"{where}: expected numbers, found {text!r}") from None


def _columns(path: Path) -> dict[str, Any]:
    """Columns of states by the names of inputs."""
    columns = read_table(path, TableKind("expected a line of names and lines of numbers"))
    for name, values in columns.items():
        if values.dtype.kind != "f" or not values.size or np.isnan(values).any():
            raise InputError(f"{path}: column {name}: expected a number in each line")
    return columns
