"""What is wrong with a cell, in the words of the package's readers, and what would certainly be right instead."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from robosym.algebra import Graph
from robosym.app.session.grid import Grid, GridColumn
from robosym.errors import Error
from robosym.formats.yaml_nodes import Node, TextNode
from robosym.formats.yaml_reader import Reader
from robosym.mechanism import DRIVE, GEOMETRY, INERTIA, MOTION, WRENCH

__all__ = ["CellProblem", "cell_message", "located", "place", "remedy", "sentence"]

_FILE = re.compile(r"^[^:\n]*:\d+(:\d+)?: ")
_NUMBERED = re.compile(
    r"^(?:module \d+: )?(?:leg \d+: )?(?P<what>frame|link|wrench|joint) (?P<number>\d+)(?:: (?P<field>\w+)(?![\w ]))?"
)
_SHARED = re.compile(r"^module (?P<module>\d+): (?P<name>\w+) is a joint variable of module \d+ too")
_INDEX = re.compile(r"\[(\d+)\]")
_MAX_MESSAGE = 240


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
        return _cleaned(str(error).removeprefix("x: "))
    return ""


def _cleaned(message: str) -> str:
    """A message without the file and line that a cell has not, and not longer than can be read."""
    message = _FILE.sub("", message)
    return message if len(message) <= _MAX_MESSAGE else f"{message[:_MAX_MESSAGE]}…"


def located(message: str, tables: list[Grid], is_warning: bool = False) -> CellProblem:
    """The problem that a message about the whole robot tells of, with its cell where it names one."""
    message = re.sub(r"^[^:]*: (?=(?:link|frame|joint) \d+: )", "", _cleaned(message))  # a name before the place
    by_key = {table.key: table for table in tables}
    found = _NUMBERED.match(message)
    table, row, column, rest = "", 0, "", message
    if found is not None and found["field"]:
        table, row, column = _cell(found["field"], int(found["number"]), tables)
        rest = message[found.end() :]
    elif found is not None and found["what"] == "link":  # what no one entry is to blame for
        table, row, _ = _cell("M", int(found["number"]), tables)
        column = by_key[table].columns[0].key if table in by_key else ""
        rest = message[found.end() :]
    elif shared := _SHARED.match(message):
        table, row, column = _variable(shared["name"], f"module{shared['module']}.", tables)
        rest = message.partition(": ")[2]
    elif found is not None and found["what"] == "wrench":
        index = _INDEX.search(message)
        table, row, column = "wrench", int(found["number"]) - 1, WRENCH[int(index[1]) - 1 if index else 0]
        rest = message[found.end() :]
    elif message.startswith(("gravity[", "G[")):
        index = _INDEX.search(message)
        table, column = "gravity", "xyz"[int(index[1]) - 1 if index else 0]
        rest = message.partition("]")[2].removeprefix(": gravity")
    if table not in by_key or row >= len(by_key[table].labels) or row < 0:
        return CellProblem("", 0, "", message, message.partition(":")[0], "", is_warning)
    rest = rest.lstrip("[0123456789]").lstrip(": ")
    return CellProblem(table, row, column, sentence(rest), place(by_key[table], row, column), "", is_warning)


def _variable(name: str, prefix: str, tables: list[Grid]) -> tuple[str, int, str]:
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


def _cell(field: str, number: int, tables: list[Grid]) -> tuple[str, int, str]:
    """Table, row and column of a field of frame `number`, which in legs is numbered through."""
    suffix = (
        "frames" if field in (*GEOMETRY, "ant", "sigma", "mu", "pitch")
        else "links" if field in (*INERTIA, *DRIVE)
        else "wrench" if field in WRENCH
        else "joints"
    )  # fmt: skip
    column = {"joint": "name"}.get(field, field)
    if field not in (*INERTIA, *DRIVE, *WRENCH, *MOTION, *GEOMETRY, "ant", "sigma", "mu", "pitch", "eta", "k", "joint"):
        return "", 0, ""
    row = number - 1
    for table in tables:
        if table.key.rpartition(".")[2] == "frames":
            if row < len(table.labels):
                prefix = table.key.removesuffix("frames")
                return f"{prefix}{suffix}", row, column
            row -= len(table.labels)
    return "", 0, ""


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
    message = problem.message.lower()
    if "is already that of frame" in message or "expected the variable of" in message:
        name = f"{'r' if column.key == 'r' else 't'}{row + 1}"
        return "" if name in taken else name
    if "expected an antecedent" in message:
        return str(row)
    if problem.is_warning and "beyond 2 pi" in message:
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
