"""A table as plain data for a page: columns, rows, cells with their texts and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from robosym.app.session.grid import Grid, GridColumn
from robosym.app.session.link_grid import frame_number
from robosym.app.session.problems import CellProblem
from robosym.mechanism import JOINT_TYPES, Robot

__all__ = ["shown_table"]

_ZERO = re.compile(r"[-+]?0*\.?0*(e[-+]?\d+)?", re.IGNORECASE)


def shown_table(grid: Grid, wrong: Mapping[tuple[str, int, str], CellProblem], robot: Robot) -> dict[str, Any]:
    """The table, with what is wrong by table, row and column; frames are numbered as in the robot."""
    rows = []
    for row, label in enumerate(grid.labels):
        variable = _variable_of(grid, row)
        cells = [_cell(grid, row, column, variable, wrong) for column in grid.columns]
        frame = grid.frames[row] if row < len(grid.frames) else None
        number = None if frame is None else frame_number(robot, grid.chain or "", frame)
        rows.append({"label": label, "frame": frame, "number": number, "cells": cells})
    columns = [
        {"key": c.key, "head": c.head, "math": c.math, "kind": c.kind, "choices": c.choices} for c in grid.columns
    ]
    return {
        "key": grid.key, "title": grid.title, "about": grid.about, "columns": columns, "rows": rows,
        "chain": grid.chain, "form": grid.form,
    }  # fmt: skip


def _cell(
    grid: Grid, row: int, column: GridColumn, variable: str, wrong: Mapping[tuple[str, int, str], CellProblem]
) -> dict[str, Any]:
    text = grid.read(row, column.key)
    cell: dict[str, Any] = {"text": text}
    if column.choices:
        cell["word"] = dict(column.choices).get(text, text)
    if column.kind not in ("choice", "integer") and (text == column.usual or _ZERO.fullmatch(text)):
        cell["zero"] = True
    if column.key == variable:
        cell["variable"] = True
    problem = wrong.get((grid.key, row, column.key))
    if problem is not None:
        cell["problem"] = {**asdict(problem), "warning": problem.is_warning}
    reason = grid.locked(row, column.key)
    if reason:
        cell["locked"] = reason
    return cell


def _variable_of(grid: Grid, row: int) -> str:
    """The column that holds the variable of a frame's joint; nothing of a fixed frame."""
    if grid.key.rpartition(".")[2] != "frames":
        return ""
    sigma = grid.read(row, "sigma")
    kind = JOINT_TYPES.get(int(sigma)) if sigma.isdigit() else None
    return kind.variable if kind is not None and kind.moves else ""
