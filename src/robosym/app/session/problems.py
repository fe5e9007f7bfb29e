"""The problems of a draft: every invalid cell, otherwise what the whole robot lacks; with suggested fixes."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache

from robosym.algebra import Graph
from robosym.app.session.grid import Grid, GridColumn
from robosym.errors import Complaint, Error, PathPart, RobotWarning
from robosym.formats.draft import Draft, robot_of, symbols_of
from robosym.formats.yaml_nodes import Node, TextNode
from robosym.formats.yaml_reader import Reader
from robosym.mechanism import DRIVE, GEOMETRY, INERTIA, MOTION, WRENCH, Robot

__all__ = ["CellProblem", "cell_message", "cell_problem", "checked", "collected_warnings", "odd", "place", "with_fix"]

_MAX_MESSAGE = 240
_NO_ROBOT, _TWICE, _CONSTANT, _ANTECEDENT, _ANGLE = "E201", "E206", "E205", "E204", "E203"
_FRAMES = (*GEOMETRY, "ant", "sigma", "mu", "pitch")
#: the table of a frame in which a field stands
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


@lru_cache(maxsize=60_000)  # more than a robot of 1,000 frames has cells
def cell_message(kind: str, text: str, usual: str) -> str:
    """Return the error of the readers for the text of one cell, or "" if it is valid."""
    if not text.strip():
        return "" if usual in ("", "0") and kind != "integer" else "expected an entry, found nothing"
    if kind == "name":
        return ""
    reader, node = Reader(None), TextNode(0, 0, text)
    read: dict[str, Callable[[Node, str], object]] = {
        "angle": reader.angle, "integer": reader.integer, "choice": reader.integer, "number": reader.number,
    }  # fmt: skip
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings are collected with the whole robot
            read.get(kind, reader.expression)(node, "x")
    except Error as error:
        return _shortened(error.statement)
    return ""


def _shortened(message: str) -> str:
    return message if len(message) <= _MAX_MESSAGE else f"{message[:_MAX_MESSAGE]}…"


def _located(problem: Complaint, tables: list[Grid], is_warning: bool = False) -> CellProblem:
    """Return a problem of the whole robot, with its cell if the error names one."""
    by_key = {table.key: table for table in tables}
    numbers = [at for at, part in enumerate(problem.path) if part.name in ("frame", "link", "wrench", "joint")]
    start = numbers[0] if numbers and problem.path[numbers[0]].number else 0  # a name may stand before the place
    table, row, column = _cell(problem, problem.path[start:], tables)
    message = _shortened(problem.message)
    if table not in by_key or not 0 <= row < len(by_key[table].labels):
        return CellProblem("", 0, "", message, message.partition(":")[0], "", is_warning, problem.code)
    grid = by_key[table]
    words, where = _sentence(_shortened(problem.statement)), place(grid, row, column or grid.columns[0].key)
    return CellProblem(table, row, column or grid.columns[0].key, words, where, "", is_warning, problem.code)


def _cell(problem: Complaint, path: Sequence[PathPart], tables: list[Grid]) -> Cell:
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


def _cell_of_frame(field: str, number: int, tables: list[Grid]) -> Cell:
    """Return the cell of a field of frame `number`; frames of legs are numbered consecutively."""
    row = number - 1
    for table in tables:
        if table.name == "frames":
            if row < len(table.labels):
                return f"{table.key.removesuffix('frames')}{_TABLES[field]}", row, "name" if field == "joint" else field
            row -= len(table.labels)
    return "", 0, ""


def _variable(name: str, prefix: str, tables: list[Grid]) -> Cell:
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


def place(table: Grid, row: int, column: str) -> str:
    """Return the name of a cell for the foot of the page: "frame 6, θ"."""
    name = table.name
    singular = {"frames": "frame", "links": "link", "joints": "joint", "wrench": "wrench of link", "places": "leg"}
    leg = re.sub(r"(leg|module)(\d+)", r"\1 \2", table.key.rpartition(".")[0]).replace(".", ", ")
    head = next((c.head for c in table.columns if c.key == column), column)
    one = singular.get(name, table.title.lower())
    return f"{leg + ', ' if leg else ''}{one}{' ' + table.labels[row] if table.labels[row] else ''}, {head}"


def _certain_entry(problem: CellProblem, column: GridColumn, text: str, row: int, taken: set[str]) -> str:
    """Return a correction of an invalid entry if it is unambiguous, else ""."""
    if problem.code in (_TWICE, _CONSTANT):
        name = f"{'r' if column.key == 'r' else 't'}{row + 1}"
        return "" if name in taken else name
    if problem.code == _ANTECEDENT:
        return str(row)
    if problem.code == _ANGLE:
        return _in_radians(text)
    for candidate in (_spelled(text), f"{text})" if text.count("(") == text.count(")") + 1 else ""):
        if candidate and candidate != text and not cell_message(column.kind, candidate, column.usual):
            return candidate
    return ""


def _spelled(text: str) -> str:
    """Normalize the notation for the readers: decimal commas, π, degrees and characters of other keyboards."""
    changed = text.replace("π", "Pi").replace("·", "*").replace("×", "*").replace("−", "-").replace("÷", "/")
    if re.fullmatch(r"[-+]?\d+,\d+", changed.strip()):
        changed = changed.replace(",", ".")
    return re.sub(r"([\d.]+)\s*°", r"\1deg", changed)


def _in_radians(text: str) -> str:
    """Return an angle in radians that was probably typed in degrees: 90 becomes Pi/2."""
    candidate = f"{text.strip()}deg"
    if not re.fullmatch(r"[-+]?\d+(\.\d+)?", text.strip()) or cell_message("angle", candidate, "0"):
        return ""
    return str(Reader(None).angle(TextNode(0, 0, candidate), "x", Graph()))


# ------------------------------------------------------------------------------------------------------- a draft


def cell_problem(grid: Grid, row: int, column: str, text: str) -> CellProblem | None:
    """Return the problem of the text of one cell."""
    own = grid.column(column)
    message = cell_message(own.kind, text, own.usual)
    return CellProblem(grid.key, row, column, _sentence(message), place(grid, row, column)) if message else None


def checked(draft: Draft, tables: list[Grid]) -> tuple[Robot | None, list[CellProblem]]:
    """Return the robot of a draft (None if it is invalid) and its problems: invalid cells first, else what it lacks."""
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


def odd(draft: Draft, tables: list[Grid], remarks: list[RobotWarning]) -> list[CellProblem]:
    """Return the warnings with their cells."""
    inside = _in_modules(draft, tables) if remarks else []
    return inside or [
        _located(remark, tables, is_warning=True) for remark in {str(one): one for one in remarks}.values()
    ]


def _in_modules(draft: Draft, tables: list[Grid]) -> list[CellProblem]:
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


def with_fix(problem: CellProblem, tables: list[Grid], robot: Robot, text: str | None = None) -> CellProblem:
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
