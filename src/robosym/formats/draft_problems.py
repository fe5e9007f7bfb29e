"""The problems of a draft: every invalid cell, or else the problems of the whole robot; with suggested fixes."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

from robosym.errors import Diagnostic, Error, PathPart, RobotWarning
from robosym.formats.draft import Draft, robot_of, symbols_of, variable_key
from robosym.formats.draft_table import DraftColumn, DraftTable, frame_number, in_radians
from robosym.mechanism import DRIVE, GEOMETRY, INERTIA, MOTION, WRENCH, Robot

__all__ = [
    "CellProblem", "cell_problem", "checked", "collected_warnings", "odd", "place", "shown_table", "with_fix",
]  # fmt: skip

_MAX_MESSAGE = 240
_ZERO = re.compile(r"[-+]?0*\.?0*(e[-+]?\d+)?", re.IGNORECASE)
_NO_ROBOT, _TWICE, _CONSTANT, _ANTECEDENT, _ANGLE = "E201", "E206", "E205", "E204", "E203"
_FRAMES = (*GEOMETRY, "ant", "sigma", "mu", "pitch")
#: the table of a frame that contains a field
_TABLES = {
    **dict.fromkeys(_FRAMES, "frames"), **dict.fromkeys((*INERTIA, *DRIVE), "links"),
    **dict.fromkeys(WRENCH, "wrench"), **dict.fromkeys((*MOTION, "eta", "k", "joint"), "joints"),
}  # fmt: skip
Cell = tuple[str, int, str]  #: table, row, column


@dataclass(frozen=True)
class CellProblem:
    """A problem and its cell; the cell is empty if the problem concerns the whole robot."""

    table: str
    row: int
    column: str
    message: str
    where: str  #: text of the place: "frame 6, θ"
    fix: str = ""  #: the corrected entry, if it is unambiguous
    is_warning: bool = False  #: unusual, but valid
    code: str = _NO_ROBOT


def _shortened(message: str) -> str:
    return message if len(message) <= _MAX_MESSAGE else f"{message[:_MAX_MESSAGE]}…"


def _located(problem: Diagnostic, tables: list[DraftTable], is_warning: bool = False) -> CellProblem:
    """Return a problem of the whole robot, with its cell if the error names one."""
    by_key = {table.key: table for table in tables}
    numbers = [at for at, part in enumerate(problem.path) if part.name in ("frame", "link", "wrench", "joint")]
    start = numbers[0] if numbers and problem.path[numbers[0]].number else 0  # a name may precede the place
    table, row, column = _cell(problem, problem.path[start:], tables)
    message = _shortened(problem.message)
    if table not in by_key or not 0 <= row < len(by_key[table].labels):
        return CellProblem("", 0, "", message, message.partition(":")[0], "", is_warning, problem.code)
    grid = by_key[table]
    words, where = _sentence(_shortened(problem.statement)), place(grid, row, column or grid.columns[0].key)
    return CellProblem(table, row, column or grid.columns[0].key, words, where, "", is_warning, problem.code)


def _cell(problem: Diagnostic, path: Sequence[PathPart], tables: list[DraftTable]) -> Cell:
    """Return the cell that a path leads to; the column is empty if no single entry is the cause."""
    if not path:
        return "", 0, ""
    what, field = path[0], path[1] if len(path) > 1 else None
    if what.name == "module" and problem.code == _TWICE:
        return _variable(problem.found, f"module{what.number}.", tables)
    if what.name == "wrench":
        entry = (field.entry if field else what.entry) or 1
        return "wrench", (what.number or 1) - 1, WRENCH[entry - 1]
    if what.number and field is not None and field.name in _TABLES:
        return _cell_of_frame(field.name, what.number, tables)
    if what.name == "link" and what.number:
        return (*_cell_of_frame("M", what.number, tables)[:2], "")
    if what.name in ("gravity", "G") and what.entry:
        return "gravity", 0, "xyz"[what.entry - 1]
    return "", 0, ""


def _cell_of_frame(field: str, number: int, tables: list[DraftTable]) -> Cell:
    """Return the cell of a field of frame `number`; frames of legs are numbered consecutively."""
    row = number - 1
    for table in tables:
        if table.name == "frames":
            if row < len(table.labels):
                return f"{table.key.removesuffix('frames')}{_TABLES[field]}", row, "name" if field == "joint" else field
            row -= len(table.labels)
    return "", 0, ""


def _variable(name: str, prefix: str, tables: list[DraftTable]) -> Cell:
    """Return the cell that holds a joint variable, among the tables of frames with this prefix."""
    for table in tables:
        if table.key.startswith(prefix) and table.name == "frames":
            for row in range(len(table.labels)):
                for column in ("theta", "r"):
                    if re.search(rf"\b{re.escape(name)}\b", table.read(row, column)):
                        return table.key, row, column
    return "", 0, ""


def _sentence(message: str) -> str:
    """Capitalize the message unless it begins with a name."""
    first = message.split(" ", 1)[0]
    return message[:1].upper() + message[1:] if first.isalpha() and first.islower() and len(first) > 2 else message


def place(table: DraftTable, row: int, column: str) -> str:
    """Return the name of a cell for the foot of the page: "frame 6, θ"."""
    name = table.name
    singular = {"frames": "frame", "links": "link", "joints": "joint", "wrench": "wrench of link", "places": "leg"}
    leg = re.sub(r"(leg|module)(\d+)", r"\1 \2", table.key.rpartition(".")[0]).replace(".", ", ")
    head = next((c.head for c in table.columns if c.key == column), column)
    one = singular.get(name, table.title.lower())
    return f"{leg + ', ' if leg else ''}{one}{' ' + table.labels[row] if table.labels[row] else ''}, {head}"


def _certain_entry(problem: CellProblem, column: DraftColumn, text: str, row: int, taken: set[str]) -> str:
    """Return a correction of an invalid entry if it is unambiguous, else ""."""
    if problem.code in (_TWICE, _CONSTANT):
        name = f"{'r' if column.key == 'r' else 't'}{row + 1}"
        return "" if name in taken else name
    if problem.code == _ANTECEDENT:
        return str(row)
    return in_radians(text) if problem.code == _ANGLE else column.respelled(text)


# ------------------------------------------------------------------------------------------------------- a draft


def cell_problem(grid: DraftTable, row: int, column: str, text: str) -> CellProblem | None:
    """Return the problem of the text of one cell."""
    own = grid.column(column)
    message = _shortened(own.error(text))
    return CellProblem(grid.key, row, column, _sentence(message), place(grid, row, column)) if message else None


def checked(draft: Draft, tables: list[DraftTable]) -> tuple[Robot | None, list[CellProblem]]:
    """Return the robot of a draft (None if it is invalid) and its invalid cells, or else its problems as a whole."""
    cells = [
        cell_problem(grid, row, column.key, grid.read(row, column.key))
        for grid in tables
        for row in range(len(grid.labels))
        for column in grid.columns
        if not grid.locked(row, column.key)
    ]
    found = [problem for problem in cells if problem is not None]
    if found:
        return None, found
    try:
        with collected_warnings() as remarks:
            robot = robot_of(draft)
    except Error as error:
        return None, _in_modules(draft, tables)[:1] or [_located(error, tables)]
    return robot, odd(draft, tables, remarks)


def odd(draft: Draft, tables: list[DraftTable], remarks: list[RobotWarning]) -> list[CellProblem]:
    """Return the warnings with their cells."""
    inside = _in_modules(draft, tables) if remarks else []
    return inside or [
        _located(remark, tables, is_warning=True) for remark in {str(one): one for one in remarks}.values()
    ]


def _in_modules(draft: Draft, tables: list[DraftTable]) -> list[CellProblem]:
    """Return errors and warnings of each module of a hybrid robot; frames are numbered within the module."""
    found = []
    for k, module in enumerate(draft.get("modules", ()), 1):
        own = [table for table in tables if table.key.startswith(f"module{k}.")]
        alone = {key: item for key, item in module.items() if key not in ("place", "suffix", "end", "values")}
        alone |= {"name": f"module{k}", "gravity": draft.get("gravity", ["0", "0", "0"])}
        remarks: list[RobotWarning] = []
        try:
            with collected_warnings() as remarks:
                robot_of(alone)
        except Error as error:
            problem = _located(error, own)
            found += [problem] if problem.table else []
        found += [one for one in (_located(remark, own, is_warning=True) for remark in remarks) if one.table]
    return found


def with_fix(problem: CellProblem, tables: list[DraftTable], robot: Robot, text: str | None = None) -> CellProblem:
    """Return the problem with a fix if it is unambiguous; `text` is the content of a cell that is only being tried."""
    grid = next((table for table in tables if table.key == problem.table), None)
    if grid is None or problem.fix or problem.column not in [column.key for column in grid.columns]:
        return problem
    taken = set(robot.parameters) | {
        name
        for table in tables
        if table.name == "frames"
        for row in range(len(table.labels))
        for key in ("theta", "r")
        if (table.key, row, key) != (problem.table, problem.row, problem.column)
        for name in symbols_of(table.read(row, key))
    }
    text = grid.read(problem.row, problem.column) if text is None else text
    return replace(problem, fix=_certain_entry(problem, grid.column(problem.column), text, problem.row, taken))


@contextmanager
def collected_warnings() -> Iterator[list[RobotWarning]]:
    """Collect the warnings about a description, for the tables instead of the terminal."""
    remarks: list[RobotWarning] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RobotWarning)
        yield remarks
    remarks += [one.message for one in caught if isinstance(one.message, RobotWarning)]


# ------------------------------------------------------------------------------------------------- data for the page


def shown_table(grid: DraftTable, wrong: Mapping[tuple[str, int, str], CellProblem], robot: Robot) -> dict[str, Any]:
    """Return the table with its problems by row and column; frames are numbered as in the robot."""
    rows = []
    for row, label in enumerate(grid.labels):
        variable = variable_key(grid.read(row, "sigma")) if grid.name == "frames" else ""
        cells = [_cell_data(grid, row, column, variable, wrong) for column in grid.columns]
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


def _cell_data(
    grid: DraftTable, row: int, column: DraftColumn, variable: str, wrong: Mapping[tuple[str, int, str], CellProblem]
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
