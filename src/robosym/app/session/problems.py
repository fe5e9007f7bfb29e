"""What is wrong with a cell, as the package's readers say it, and what would certainly be right instead."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from robosym.algebra import Graph
from robosym.app.session.grid import Grid, GridColumn
from robosym.errors import Complaint, Error, PathPart
from robosym.formats.yaml_nodes import Node, TextNode
from robosym.formats.yaml_reader import Reader
from robosym.mechanism import DRIVE, GEOMETRY, INERTIA, MOTION, WRENCH

__all__ = ["CellProblem", "cell_message", "located", "place", "remedy", "sentence"]

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
    """What is wrong, and where: a cell, or none where it concerns the robot as a whole."""

    table: str
    row: int
    column: str
    message: str
    where: str  #: the place in words: "frame 6, θ"
    remedy: str = ""  #: the entry that would be right, where that is certain
    is_warning: bool = False  #: odd, but the robot can be
    code: str = _NO_ROBOT


@lru_cache(maxsize=60_000)  # more than a robot of 1,000 frames has cells
def cell_message(kind: str, text: str, usual: str) -> str:
    """What the readers of the package say of one cell by itself; nothing where it can be read."""
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
            warnings.simplefilter("ignore")  # what is odd is told with the whole robot
            read.get(kind, reader.expression)(node, "x")
    except Error as error:
        return _shortened(error.statement)
    return ""


def _shortened(message: str) -> str:
    return message if len(message) <= _MAX_MESSAGE else f"{message[:_MAX_MESSAGE]}…"


def located(problem: Complaint, tables: list[Grid], is_warning: bool = False) -> CellProblem:
    """A problem of the whole robot, with its cell where it names one."""
    by_key = {table.key: table for table in tables}
    numbers = [at for at, part in enumerate(problem.path) if part.name in ("frame", "link", "wrench", "joint")]
    start = numbers[0] if numbers and problem.path[numbers[0]].number else 0  # a name may stand before the place
    table, row, column = _cell(problem, problem.path[start:], tables)
    message = _shortened(problem.message)
    if table not in by_key or not 0 <= row < len(by_key[table].labels):
        return CellProblem("", 0, "", message, message.partition(":")[0], "", is_warning, problem.code)
    grid = by_key[table]
    words, where = sentence(_shortened(problem.statement)), place(grid, row, column or grid.columns[0].key)
    return CellProblem(table, row, column or grid.columns[0].key, words, where, "", is_warning, problem.code)


def _cell(problem: Complaint, path: Sequence[PathPart], tables: list[Grid]) -> Cell:
    """The cell that a path leads to; no column where no one entry is to blame."""
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
    """The cell of a field of frame `number`, which in legs is numbered through."""
    row = number - 1
    for table in tables:
        if table.key.rpartition(".")[2] == "frames":
            if row < len(table.labels):
                return f"{table.key.removesuffix('frames')}{_TABLES[field]}", row, "name" if field == "joint" else field
            row -= len(table.labels)
    return "", 0, ""


def _variable(name: str, prefix: str, tables: list[Grid]) -> Cell:
    """The cell of the frames below a prefix in which a joint variable stands."""
    for table in tables:
        if table.key.startswith(prefix) and table.key.rpartition(".")[2] == "frames":
            for row in range(len(table.labels)):
                for column in ("theta", "r"):
                    if re.search(rf"\b{re.escape(name)}\b", table.read(row, column)):
                        return table.key, row, column
    return "", 0, ""


def sentence(message: str) -> str:
    """The message with a capital, where it does not begin with a name."""
    first = message.split(" ", 1)[0]
    return message[:1].upper() + message[1:] if first.isalpha() and first.islower() and len(first) > 2 else message


def place(table: Grid, row: int, column: str) -> str:
    """A cell in words, for the foot of the page: "frame 6, θ"."""
    name = table.key.rpartition(".")[2]
    singular = {"frames": "frame", "links": "link", "joints": "joint", "wrench": "wrench of link", "places": "leg"}
    leg = re.sub(r"(leg|module)(\d+)", r"\1 \2", table.key.rpartition(".")[0]).replace(".", ", ")
    head = next((c.head for c in table.columns if c.key == column), column)
    one = singular.get(name, table.title.lower())
    return f"{leg + ', ' if leg else ''}{one}{' ' + table.labels[row] if table.labels[row] else ''}, {head}"


def remedy(problem: CellProblem, column: GridColumn, text: str, row: int, taken: set[str]) -> str:
    """An entry that would certainly be right in the place of a wrong one; nothing where there is doubt."""
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
    """The same as the readers take it: a decimal comma, π, degrees, the signs of other keyboards."""
    changed = text.replace("π", "Pi").replace("·", "*").replace("×", "*").replace("−", "-").replace("÷", "/")
    if re.fullmatch(r"[-+]?\d+,\d+", changed.strip()):
        changed = changed.replace(",", ".")
    return re.sub(r"([\d.]+)\s*°", r"\1deg", changed)


def _in_radians(text: str) -> str:
    """90 as Pi/2: what was meant where an angle is beyond a turn."""
    candidate = f"{text.strip()}deg"
    if not re.fullmatch(r"[-+]?\d+(\.\d+)?", text.strip()) or cell_message("angle", candidate, "0"):
        return ""
    return str(Reader(None).angle(TextNode(0, 0, candidate), "x", Graph()))
