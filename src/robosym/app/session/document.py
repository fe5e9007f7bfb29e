"""One robot being edited: cells as they are typed, checked by the package's own readers, undone and redone.

What is typed may be wrong for a while. `robot` is the robot of the tables as they were last without errors: pictures
and models keep to it, `problems` tell what is to be corrected and where.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import PurePath
from typing import Any

import robosym as rs
from robosym.app.session.draft import Draft, chains, copied, draft_of, rename_variables, robot_of, symbols_of
from robosym.app.session.grid import Grid
from robosym.app.session.grids import grids
from robosym.app.session.problems import CellProblem, cell_message, located, place, remedy, sentence
from robosym.app.session.rows import add_loop, add_row, move_row, remove_row
from robosym.errors import Error, FormatError, InputError, RobotWarning
from robosym.files import MAX_BYTES, decode
from robosym.mechanism import BASE_MOTION, INERTIA, JOINT_TYPES

__all__ = ["Document"]

_FORMATS = {
    ".par": "par", ".yaml": "yaml", ".yml": "yaml", ".urdf": "urdf", ".xml": None, ".mjcf": "mjcf", ".sdf": "sdf",
}  # fmt: skip
_SAVED_AS = {"yaml": ".yaml", "par": ".par", "urdf": ".urdf", "mjcf": ".xml", "sdf": ".sdf", "opensymoro": ".par"}
_STEPS = 100  #: that can be undone
_LONG = 120  #: frames: larger robots are checked when an entry is done, not at each letter
_LONGEST_CELL = 2_000  #: characters
_ZERO = re.compile(r"[-+]?0*\.?0*(e[-+]?\d+)?", re.IGNORECASE)


class Document:
    """A draft, the steps that led to it, and the last robot that it was."""

    def __init__(self, robot: rs.Robot, origin: str, draft: Draft | None = None, saved: Draft | None = None) -> None:
        self.robot = robot
        self.origin = origin  #: a name of the library, or of a file
        self.draft = draft_of(robot) if draft is None else draft
        self.saved = copied(self.draft) if saved is None else saved
        self.problems: list[CellProblem] = []
        self.forms: dict[str, str] = {}  #: of tables of links: "frame" or "centre"
        self._before: list[Draft] = []
        self._after: list[Draft] = []
        self._grids: list[Grid] | None = None
        if draft is not None:
            self._check()

    # -------------------------------------------------------------------------------------------------- where from

    @classmethod
    def load(cls, name_or_path: str) -> Document:
        """A robot of the library, or of a file on this computer."""
        with _heard() as remarks:
            robot = rs.load(name_or_path)
        return cls(robot, name_or_path)._told_of(remarks)

    @classmethod
    def read(cls, file: str, data: bytes) -> Document:
        """A robot from the contents of a file; only the last part of its name is used."""
        name = PurePath(file.replace("\\", "/")).name[:200]
        suffix = PurePath(name).suffix.lower()
        if suffix not in _FORMATS:
            found = repr(suffix) if suffix else "none"
            raise FormatError(f"expected a file with the extension {', '.join(_FORMATS)}, found {found}", name)
        if len(data) > MAX_BYTES:
            raise FormatError(f"the file is longer than {MAX_BYTES} bytes, the most that is read", name)
        try:
            with _heard() as remarks:
                robot = rs.loads(decode(data, name), _FORMATS[suffix], PurePath(name).stem.strip() or None)
            return cls(robot, name)._told_of(remarks)
        except FormatError as error:
            raise error if error.file else FormatError(error.message, name, error.line, error.column) from None
        except Error as error:
            raise FormatError(str(error), name) from None

    @classmethod
    def new(cls, name: str, links: int, loops: int = 0, structure: str = "simple", base: str = "fixed") -> Document:
        """A robot of the guide's menu "new" (5.4.1): revolute joints, no lengths, symbols for the links."""
        joints = links + (loops if structure == "closed" else 0)
        more: dict[str, Any] = {}
        if base != "fixed":
            motion = {key: [f"{key[:-1]}{axis}0" for axis in "XYZ"] for key in BASE_MOTION}
            more["base"] = {"type": base, "link": "symbolic", **(motion if base == "mobile" else {})}
        document = cls(rs.Robot.new(links, joints, structure, name=name, **more), name)
        document.saved = {}  # nothing of it is in a file
        return document

    @classmethod
    def new_parallel(cls, name: str, legs: int, joints: int) -> Document:
        """A platform on legs that are alike: chains of revolute joints, the first with a motor."""
        if not 2 <= legs <= 20 or not 2 <= joints <= 8:
            raise InputError(f"expected 2 to 20 legs of 2 to 8 joints, found {legs} of {joints}")

        def leg(k: int) -> dict[str, Any]:
            start, turn = k * joints, f"{2 * k}*Pi/{legs}"
            frames = [{"theta": f"t{start + j}", "mu": int(j == 1), "d": f"L{j - 1}"} for j in range(1, joints + 1)]
            frames[0] |= {"gamma": turn, "d": "RB"}
            return {"frames": frames, "links": "symbolic", "place": {"gamma": turn, "d": "RP"}}

        description = {
            "name": name, "platform": "symbolic", "legs": [leg(k) for k in range(legs)], "gravity": [0, 0, "G3"],
        }  # fmt: skip
        from robosym.formats.python_data import nodes_of
        from robosym.formats.yaml import read_description

        document = cls(read_description(nodes_of(description, name), None, name), name)
        document.saved = {}
        return document

    def _told_of(self, remarks: list[str]) -> Document:
        """The same, with what was odd in its file at the cells that it concerns."""
        self.problems = _odd(self.draft, self._tables(), remarks)
        return self

    def content(self) -> dict[str, Any]:
        """Everything that a restart needs, as plain data."""
        right = None if not self.errors else draft_of(self.robot)
        return {
            "origin": self.origin,
            "draft": self.draft,
            "saved": self.saved,
            "right": right,
            "unsaved": self.unsaved,
        }

    @classmethod
    def restored(cls, content: Mapping[str, Any]) -> Document:
        """The document of what `content` gave; tables with errors come back with them."""
        draft = content["draft"]
        for _, chain in chains(draft):
            count = chain.get("loops", 0)
            if type(count) is not int or not 0 <= 2 * count <= len(chain["rows"]):
                raise InputError(f"loops: expected a frame or more for each, found {count!r} loops")
        with _heard():
            robot = robot_of(content["right"] or draft)
        return cls(robot, str(content["origin"]), draft, content["saved"])

    # ---------------------------------------------------------------------------------------------------- as data

    @property
    def name(self) -> str:
        return str(self.draft.get("name", ""))

    @property
    def title(self) -> str:
        return str(self.draft.get("title", ""))

    @property
    def unsaved(self) -> bool:
        """Whether anything differs from the file or from what was saved last."""
        return self.draft != self.saved

    @property
    def errors(self) -> list[CellProblem]:
        """What must be corrected before pictures and models follow the tables again."""
        return [problem for problem in self.problems if not problem.is_warning]

    @property
    def can_undo(self) -> bool:
        return bool(self._before)

    @property
    def can_redo(self) -> bool:
        return bool(self._after)

    @property
    def kind(self) -> str:
        """ "simple", "tree", "closed", "parallel" or "hybrid"."""
        return "hybrid" if "modules" in self.draft else self.robot.structure

    def grid(self, key: str) -> Grid:
        """A table of the draft by its key."""
        for grid in self._tables():
            if grid.key == key:
                return grid
        raise InputError(f"there is no table {key!r}")

    def tables(self) -> list[dict[str, Any]]:
        """Every table as plain data: columns, rows, cells with their texts and what is wrong with them."""
        wrong = {(p.table, p.row, p.column): p for p in reversed(self.problems)}
        return [self._shown(grid, wrong) for grid in self._tables()]

    def _tables(self) -> list[Grid]:
        if self._grids is None:
            self._grids = grids(self.draft, self.forms, self._link_of)
        return self._grids

    def _link_of(self, key: str, row: int) -> Any:
        """The link of a row in the robot that was last right."""
        robot = self.robot
        module, _, leg = key.rpartition(".") if key.startswith("module") else ("", "", key)
        if key.startswith("module") and not key.rpartition(".")[0]:
            module, leg = key, ""
        try:
            if module:
                robot = robot.module_robots()[int(module.removeprefix("module")) - 1]
            if leg:
                if _has_parallelograms(robot):
                    return None
                row = robot.legs[int(leg.removeprefix("leg")) - 1][row] - 1
            return robot.links[row]
        except IndexError:  # the tables have grown since
            return None

    def _shown(self, grid: Grid, wrong: dict[tuple[str, int, str], CellProblem]) -> dict[str, Any]:
        rows = []
        for row, label in enumerate(grid.labels):
            cells = []
            for column in grid.columns:
                text = grid.read(row, column.key)
                cell: dict[str, Any] = {"text": text}
                if column.choices:
                    cell["word"] = dict(column.choices).get(text, text)
                if column.kind not in ("choice", "integer") and (text == column.usual or _ZERO.fullmatch(text)):
                    cell["zero"] = True
                if column.key in ("theta", "r") and column.key == _variable_of(grid, row):
                    cell["variable"] = True
                problem = wrong.get((grid.key, row, column.key))
                if problem is not None:
                    cell["problem"] = {**asdict(problem), "warning": problem.is_warning}
                reason = grid.locked(row, column.key)
                if reason:
                    cell["locked"] = reason
                cells.append(cell)
            frame = grid.frames[row] if row < len(grid.frames) else None
            rows.append({"label": label, "frame": frame, "number": self._number(grid, frame), "cells": cells})
        columns = [
            {"key": c.key, "head": c.head, "math": c.math, "kind": c.kind, "choices": c.choices} for c in grid.columns
        ]
        return {
            "key": grid.key, "title": grid.title, "about": grid.about, "columns": columns, "rows": rows,
            "chain": grid.chain, "form": grid.form,
        }  # fmt: skip

    def _number(self, grid: Grid, frame: int | None) -> int | None:
        """The number of a row's frame in the whole robot, where legs are numbered through."""
        if frame is None or not grid.chain:
            return frame
        if not grid.chain.startswith("leg") or _has_parallelograms(self.robot):
            return None
        legs = self.robot.legs
        leg = int(grid.chain.removeprefix("leg")) - 1
        return legs[leg][frame - 1] if leg < len(legs) and frame <= len(legs[leg]) else None

    # ---------------------------------------------------------------------------------------------------- changes

    def edit(self, table: str, row: int, column: str, text: str) -> None:
        """Type a text into a cell."""
        self.paste(table, row, column, [[text]])

    def paste(self, table: str, row: int, column: str, block: list[list[str]]) -> None:
        """Type a block of texts into cells, from one on to the right and below; what lies outside is left out."""

        def write(draft: Draft) -> None:
            grid = next((g for g in grids(draft, self.forms, self._link_of) if g.key == table), None)
            if grid is None:
                raise InputError(f"there is no table {table!r}")
            names = [c.key for c in grid.columns]
            if column not in names or not 0 <= row < len(grid.labels):
                raise InputError(f"{table} has no cell {column!r} in row {row + 1}")
            first = names.index(column)
            for below, texts in enumerate(block[: len(grid.labels) - row]):
                for right, text in enumerate(texts[: len(names) - first]):
                    key = names[first + right]
                    if len(text) > _LONGEST_CELL:
                        raise InputError(f"an entry of {len(text)} characters: expected at most {_LONGEST_CELL}")
                    if not grid.locked(row + below, key):
                        grid.write(row + below, key, _code(grid, key, text))
            rename_variables(draft, self.draft)

        self._change(write)

    def trial(self, table: str, row: int, column: str, text: str) -> CellProblem | None:
        """What would be wrong with a cell if this were typed into it; nothing is changed."""
        grid = self.grid(table)
        own = grid.column(column)
        if not 0 <= row < len(grid.labels):
            raise InputError(f"{table} has no row {row + 1}")
        text = _code(grid, column, text)
        message = cell_message(own.kind, text, own.usual) if len(text) <= _LONGEST_CELL else "the entry is too long"
        if message:
            return self._told(CellProblem(table, row, column, sentence(message), place(grid, row, column)), grid, text)
        if self.errors and not all(p.table == table and p.row == row and p.column == column for p in self.errors):
            return None
        if sum(len(chain["rows"]) for _, chain in chains(self.draft)) > _LONG:
            return None
        draft = copied(self.draft)
        tried = next(g for g in grids(draft, self.forms, self._link_of) if g.key == table)
        tried.write(row, column, text)
        _, problems = _checked(draft, grids(draft, self.forms, self._link_of))
        here = (p for p in problems if (p.table, p.row, p.column) == (table, row, column))
        found = next(here, None)
        return None if found is None else self._told(found, grid, text)

    def add_frame(self, chain: str = "", after: int | None = None) -> int:
        """Add a frame behind another one of a chain, or at the end of its tree; gives its number."""
        numbers: list[int] = []

        def add(draft: Draft) -> None:
            own = _chain(draft, chain)
            last = len(own["rows"]) - 2 * int(own.get("loops", 0))
            numbers.append(add_row(own, last if after is None else after, draft))

        self._change(add)
        return numbers[0]

    def remove_frame(self, j: int, chain: str = "") -> None:
        """Remove a frame; the frames of a loop go together."""
        self._change(lambda draft: remove_row(_chain(draft, chain), j))

    def move_frame(self, j: int, step: int, chain: str = "") -> int:
        """Move a frame up (-1) or down (1); gives its new number."""
        numbers: list[int] = []
        self._change(lambda draft: numbers.append(move_row(_chain(draft, chain), j, step)))
        return numbers[0]

    def add_loop(self) -> None:
        """Cut joint and fixed frame of one more loop."""
        if "rows" not in self.draft:
            raise InputError("loops are those of a robot in one table: this one has a platform")
        self._change(lambda draft: add_loop(draft, draft))

    def add_leg(self) -> None:
        """One more leg, like the last one, with variables of its own."""
        if "legs" not in self.draft:
            raise InputError("only a parallel robot has legs")

        def add(draft: Draft) -> None:
            leg = copied(draft["legs"][-1])
            taken = {str(item) for one in draft["legs"] for row in one["rows"] for item in row["frame"].values()}
            number = sum(len(one["rows"]) for one in draft["legs"])
            for row in leg["rows"]:
                number += 1
                key = "r" if row["frame"].get("sigma") == "1" else "theta"
                name = f"{'r' if key == 'r' else 't'}{number}"
                row["frame"][key] = name if name not in taken else f"{name}_{len(draft['legs']) + 1}"
            draft["legs"].append(leg)

        self._change(add)

    def remove_leg(self, number: int) -> None:
        """Remove a leg."""
        if len(self.draft.get("legs", ())) <= 2:
            raise InputError("a parallel robot has two legs or more")
        if not 1 <= number <= len(self.draft["legs"]):
            raise InputError(f"there is no leg {number}: expected 1 to {len(self.draft['legs'])}")
        self._change(lambda draft: draft["legs"].pop(number - 1))

    def set_base(self, kind: str) -> None:
        """Make the base fixed, mobile (its motion is given) or floating (its motion is unknown)."""
        if kind not in ("fixed", "mobile", "floating"):
            raise InputError(f"base: expected fixed, mobile or floating, found {kind!r}")
        if "rows" not in self.draft:
            raise InputError("the base of a parallel robot is fixed")

        def change(draft: Draft) -> None:
            base = dict(draft.get("base", {}))
            base.pop("type", None)
            for key in BASE_MOTION:
                base.pop(key, None)
            if kind != "fixed":
                base["type"] = kind
                base.setdefault("link", {name: f"{name}0" for name in INERTIA})
            if kind == "mobile":
                base |= {key: [f"{key[:-1]}{axis}0" for axis in "XYZ"] for key in BASE_MOTION}
            draft["base"] = base

        self._change(change)

    def rename(self, name: str | None = None, title: str | None = None) -> None:
        """Another name or title."""
        given = {key: text.strip() for key, text in (("name", name), ("title", title)) if text is not None}
        self._change(lambda draft: draft.update(given))

    def undo(self) -> None:
        """Take back the last change."""
        if self._before:
            self._after.append(self.draft)
            self.draft = self._before.pop()
            self._check()

    def redo(self) -> None:
        """Make the change again that was taken back last."""
        if self._after:
            self._before.append(self.draft)
            self.draft = self._after.pop()
            self._check()

    def show_links(self, table: str, form: str) -> None:
        """Show a table of links at the "frame" or at the "centre" of mass; nothing is changed."""
        self.forms[table] = form
        self._grids = None

    # ---------------------------------------------------------------------------------------------------- to a file

    def text(self, form: str) -> str:
        """The description in a format; an error tells the first entry that must be corrected before."""
        if self.errors:
            first = self.errors[0]
            raise InputError(f"{first.where or self.name}: {first.message}: correct it before saving")
        return str(self.robot.dumps(form))

    def file_name(self, form: str) -> str:
        """A name for the file that no path can hide in."""
        return (re.sub(r"[^\w.-]+", "_", self.name).strip("._") or "robot") + _SAVED_AS.get(form, ".txt")

    def mark_saved(self) -> None:
        """What is in the tables now is in a file."""
        self.saved = copied(self.draft)

    # ------------------------------------------------------------------------------------------------------- inside

    def _change(self, change: Callable[[Draft], Any]) -> None:
        draft = copied(self.draft)
        change(draft)
        if draft == self.draft:
            return
        self._before = [*self._before[1 - _STEPS :], self.draft]
        self._after = []
        self.draft = draft
        self._check()

    def _check(self) -> None:
        self._grids = None
        tables = self._tables()
        robot, found = _checked(self.draft, tables)
        if robot is not None:
            self.robot = _of_origin(robot, self.robot)
            self._grids = None
        by_key = {table.key: table for table in tables}
        self.problems = [
            self._told(p, by_key[p.table], by_key[p.table].read(p.row, p.column)) if p.table else p for p in found
        ]

    def _told(self, problem: CellProblem, grid: Grid, text: str) -> CellProblem:
        """The problem with a remedy where one is certain."""
        if problem.remedy or problem.column not in [column.key for column in grid.columns]:
            return problem
        taken = set(self.robot.parameters) | {
            name
            for table in self._tables()
            if table.key.rpartition(".")[2] == "frames"
            for row in range(len(table.labels))
            for key in ("theta", "r")
            if (table.key, row, key) != (problem.table, problem.row, problem.column)
            for name in symbols_of(table.read(row, key))
        }
        found = remedy(problem, grid.column(problem.column), text, problem.row, taken)
        return replace(problem, remedy=found)


def _chain(draft: Draft, key: str) -> Draft:
    found = dict(chains(draft))
    if key not in found:
        raise InputError(f"there is no chain {key!r}")
    return found[key]


def _variable_of(grid: Grid, row: int) -> str:
    """The column that holds the variable of a frame's joint; nothing of a fixed frame."""
    if grid.key.rpartition(".")[2] != "frames":
        return ""
    sigma = grid.read(row, "sigma")
    kind = JOINT_TYPES.get(int(sigma)) if sigma.isdigit() else None
    return kind.variable if kind is not None and kind.moves else ""


def _code(grid: Grid, column: str, text: str) -> str:
    """What is typed; the word of a choice stands for its code."""
    words = {word: code for code, word in grid.column(column).choices}
    return words.get(text.strip().lower(), text.strip())


def _checked(draft: Draft, tables: list[Grid]) -> tuple[Any, list[CellProblem]]:
    """The robot of a draft, or none, and what is wrong: every cell that cannot be read, else what the robot lacks."""
    found = []
    for grid in tables:
        for row in range(len(grid.labels)):
            for column in grid.columns:
                if grid.locked(row, column.key):
                    continue
                message = cell_message(column.kind, grid.read(row, column.key), column.usual)
                if message:
                    words = sentence(message)
                    found.append(CellProblem(grid.key, row, column.key, words, place(grid, row, column.key)))
    if found:
        return None, found
    try:
        with _heard() as remarks:
            robot = robot_of(draft)
    except Error as error:
        return None, _in_modules(draft, tables)[:1] or [located(str(error), tables)]
    return robot, _odd(draft, tables, remarks)


def _odd(draft: Draft, tables: list[Grid], remarks: list[str]) -> list[CellProblem]:
    """What is odd, at its cells."""
    inside = _in_modules(draft, tables) if remarks else []
    return inside or [located(remark, tables, is_warning=True) for remark in dict.fromkeys(remarks)]


def _in_modules(draft: Draft, tables: list[Grid]) -> list[CellProblem]:
    """What is wrong or odd with a module of a hybrid robot by itself: there frames are numbered anew."""
    found = []
    for k, module in enumerate(draft.get("modules", ()), 1):
        own = [table for table in tables if table.key.startswith(f"module{k}.")]
        alone = {key: item for key, item in module.items() if key not in ("place", "suffix", "end", "values")}
        alone |= {"name": f"module{k}", "gravity": draft.get("gravity", ["0", "0", "0"])}
        remarks: list[str] = []
        try:
            with _heard() as remarks:
                robot_of(alone)
        except Error as error:
            problem = located(str(error), own)
            found += [problem] if problem.table else []
        found += [one for one in (located(remark, own, is_warning=True) for remark in remarks) if one.table]
    return found


def _has_parallelograms(robot: rs.Robot) -> bool:
    """Whether a leg has other frames than the rows of its table."""
    return any(module.parallelograms for module in robot.modules)


def _of_origin(robot: rs.Robot, before: rs.Robot) -> rs.Robot:
    """The robot with the file that it came from, known to have changed since."""
    return replace(robot, origin=before.origin).changed() if before.origin else robot


@contextmanager
def _heard() -> Iterator[list[str]]:
    """What is odd in a description, as it is said; it is told with the tables, not on the terminal."""
    remarks: list[str] = []
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", RobotWarning)
        yield remarks
    remarks += [str(one.message) for one in told if issubclass(one.category, RobotWarning)]
