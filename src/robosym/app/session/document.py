"""A robot that is being edited, with validation of every cell, undo and redo.

The texts in the cells may be invalid for a while. `robot` is the robot of the last valid tables, which pictures and
models use; `problems` lists what must be corrected, and where.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any, TypeVar

import robosym as rs
from robosym.errors import Error, FormatError, InputError, RobotWarning
from robosym.files import MAX_BYTES, decode, file_stamp
from robosym.formats.draft import (
    Draft,
    base_description,
    chains,
    copied,
    draft_of,
    platform_description,
    rename_variables,
    robot_of,
)  # fmt: skip
from robosym.formats.draft_changes import add_frame
from robosym.formats.draft_problems import (
    CellProblem,
    cell_problem,
    checked,
    collected_warnings,
    odd,
    place,
    shown_table,
    with_fix,
)
from robosym.formats.draft_table import DraftTable
from robosym.formats.draft_tables import draft_tables, table_of
from robosym.formats.templates import template
from robosym.formats.yaml import read_description
from robosym.formats.yaml_nodes import nodes_of

__all__ = ["Document"]

_FORMATS = {
    ".par": "par", ".yaml": "yaml", ".yml": "yaml", ".urdf": "urdf", ".xml": None, ".mjcf": "mjcf", ".sdf": "sdf",
}  # fmt: skip
_SAVED_AS = {"yaml": ".yaml", "par": ".par", "urdf": ".urdf", "mjcf": ".xml", "sdf": ".sdf", "opensymoro": ".par"}
_STEPS = 100  #: that can be undone
_LONG = 120  #: frames; larger robots are checked when editing ends, not at each keystroke
_LONGEST_CELL = 2_000  #: characters
_MOST_ADDED = 200  #: frames that a pasted block may add
Answer = TypeVar("Answer")


class Document:
    """A draft with its undo history and the last valid robot; `on_change` is called after every change."""

    def __init__(self, robot: rs.Robot, origin: str, draft: Draft | None = None, saved: Draft | None = None) -> None:
        self.robot = robot
        self.origin = origin  #: a name of the library, or of a file
        self.draft = draft_of(robot) if draft is None else draft
        self.saved = copied(self.draft) if saved is None else saved
        self.problems: list[CellProblem] = []
        self.forms: dict[str, str] = {}  #: form of each table of links: "frame" or "center"
        self.on_change: Callable[[], None] = lambda: None
        self._right = self.draft  #: the draft of `robot`
        self._before: list[Draft] = []
        self._after: list[Draft] = []
        self._drawn: list[DraftTable] | None = None
        self._origin: tuple[str, Draft | None] | None = None  #: the draft of `origin` when it was read last
        if draft is not None:
            self._check()

    # -------------------------------------------------------------------------------------------------- where from

    @classmethod
    def load(cls, name_or_path: str) -> Document:
        """Open a robot of the library or of a local file."""
        stamp = file_stamp(name_or_path)
        with collected_warnings() as remarks:
            robot = rs.load(name_or_path)
        document = cls(robot, name_or_path)._with_warnings(remarks)
        document._origin = stamp, document.draft
        return document

    @classmethod
    def read(cls, file: str, data: bytes) -> Document:
        """Open a robot from the contents of a file; directories in `name` are ignored."""
        name = PurePath(file.replace("\\", "/")).name[:200]
        suffix = PurePath(name).suffix.lower()
        if suffix not in _FORMATS:
            found = repr(suffix) if suffix else "none"
            raise FormatError(f"expected a file with the extension {', '.join(_FORMATS)}, found {found}", name)
        if len(data) > MAX_BYTES:
            raise FormatError(f"the file is longer than {MAX_BYTES} bytes, the most that is read", name)
        try:
            with collected_warnings() as remarks:
                robot = rs.loads(decode(data, name), _FORMATS[suffix], PurePath(name).stem.strip() or None)
            return cls(robot, name)._with_warnings(remarks)
        except FormatError as error:
            raise error if error.file else FormatError(error, name, error.line, error.column) from None
        except Error as error:
            raise FormatError(error, name) from None

    @classmethod
    def new(cls, name: str, links: int, loops: int = 0, structure: str = "simple", base: str = "fixed") -> Document:
        """Create a robot as the menu "new" of the guide does (5.4.1): revolute joints, zero lengths, symbolic links."""
        joints = links + (loops if structure == "closed" else 0)
        described = {"base": base_description(base)} if base != "fixed" else {}
        document = cls(rs.Robot.new(links, joints, structure, name=name, **described), name)
        for row in document.draft["rows"][max(1, links - 2 * loops) : links] if structure == "closed" else ():
            row["frame"]["mu"] = "0"  # parallel axes: each loop takes three DoF and adds one joint
        document._check()
        document.saved = {}  # it is not saved in a file
        return document

    @classmethod
    def new_parallel(cls, name: str, legs: int, joints: int) -> Document:
        """Create a platform on identical legs, which are chains of revolute joints with the first joint actuated."""
        description = platform_description(name, legs, joints)
        document = cls(read_description(nodes_of(description, name), None, name), name)
        document.saved = {}
        return document

    @classmethod
    def of_template(cls, name: str, structure: str) -> Document:
        """Create a robot from a template."""
        document = cls(template(structure, name), name)
        document.saved = {}
        return document

    def _with_warnings(self, remarks: list[RobotWarning]) -> Document:
        """Return the document with the warnings of its file attached to the cells they concern."""
        self.problems = odd(self.draft, self._tables(), remarks)
        return self

    def content(self) -> dict[str, Any]:
        """Return everything needed to restore the document, as plain data."""
        right = self._right if self.errors else None
        return {
            "origin": self.origin, "draft": self.draft, "saved": self.saved, "right": right, "unsaved": self.unsaved,
        }  # fmt: skip

    @classmethod
    def restored(cls, content: Mapping[str, Any]) -> Document:
        """Restore a document from `content`; invalid cells are restored as they were."""
        draft = content["draft"]
        for _, chain in chains(draft):
            count = chain.get("loops", 0)
            if type(count) is not int or not 0 <= 2 * count <= len(chain["rows"]):
                raise InputError(f"loops: expected at least one frame per loop, found {count!r} loops")
        with collected_warnings():
            robot = robot_of(content["right"] or draft)
        document = cls(robot, str(content["origin"]), draft, content["saved"])
        document._right = content["right"] or draft
        return document

    # ---------------------------------------------------------------------------------------------------- as data

    @property
    def name(self) -> str:
        return str(self.draft.get("name", ""))

    @property
    def title(self) -> str:
        return str(self.draft.get("title", ""))

    @property
    def unsaved(self) -> bool:
        """Whether the document differs from its file or from the last saved state."""
        return self.draft != self.saved and not (self.draft is self._right and self.is_origin)

    @property
    def errors(self) -> list[CellProblem]:
        """The problems that must be corrected before pictures and models follow the tables again."""
        return [problem for problem in self.problems if not problem.is_warning]

    @property
    def can_undo(self) -> bool:
        return bool(self._before)

    @property
    def can_redo(self) -> bool:
        return bool(self._after)

    @property
    def kind(self) -> str:
        """The kind of robot: "simple", "tree", "closed", "parallel" or "hybrid"."""
        return "hybrid" if "modules" in self.draft else self.robot.structure

    @property
    def is_origin(self) -> bool:
        """Whether `origin` still describes the robot of the tables; a file that has changed is read again."""
        stamp = file_stamp(self.origin)
        if self._origin is None or self._origin[0] != stamp:
            try:
                with collected_warnings():
                    self._origin = stamp, draft_of(rs.load(self.origin))
            except Error:  # it names no robot
                self._origin = stamp, None
        return self._right == self._origin[1]

    def grid(self, key: str) -> DraftTable:
        """Return a table of the draft by its key."""
        return table_of(self._tables(), key)

    def tables(self) -> list[dict[str, Any]]:
        """Return all tables as plain data: columns, rows, and cells with their texts and problems."""
        wrong = {(p.table, p.row, p.column): p for p in reversed(self.problems)}
        return [shown_table(grid, wrong, self.robot) for grid in self._tables()]

    def _tables(self) -> list[DraftTable]:
        if self._drawn is None:
            self._drawn = self._tables_of(self.draft)
        return self._drawn

    def _tables_of(self, draft: Draft) -> list[DraftTable]:
        return draft_tables(draft, self.forms, self.robot)

    # ---------------------------------------------------------------------------------------------------- changes

    def change(self, change: Callable[..., Answer], *arguments: Any, **options: Any) -> Answer:
        """Change the draft in one step that can be undone, for example by `rows.add_frame`, and return the result."""
        draft = copied(self.draft)
        answer = change(draft, *arguments, **options)
        if draft != self.draft:
            self._before = [*self._before[1 - _STEPS :], self.draft]
            self._after = []
            self.draft = draft
            self._check()
        self.on_change()
        return answer

    def edit(self, table: str, row: int, column: str, text: str) -> None:
        """Set the text of a cell."""
        self.paste(table, row, column, [[text]])

    def paste(self, table: str, row: int, column: str, block: list[list[str]]) -> None:
        """Paste a block of texts to the right of and below a cell; a table of frames grows, other texts are ignored."""

        def write(draft: Draft) -> None:
            grid = table_of(self._tables_of(draft), table)
            names = [c.key for c in grid.columns]
            if column not in names or not 0 <= row < len(grid.labels):
                raise InputError(f"{table} has no cell {column!r} in row {row + 1}")
            if grid.chain is not None and grid.name == "frames":  # further rows of a block become frames
                for _ in range(min(row + len(block) - len(grid.labels), _MOST_ADDED)):
                    add_frame(draft, grid.chain)
                grid = table_of(self._tables_of(draft), table)
            first = names.index(column)
            for below, texts in enumerate(block[: len(grid.labels) - row]):
                for right, text in enumerate(texts[: len(names) - first]):
                    key = names[first + right]
                    if len(text) > _LONGEST_CELL:
                        raise InputError(f"an entry of {len(text)} characters: expected at most {_LONGEST_CELL}")
                    if not grid.locked(row + below, key):
                        grid.write(row + below, key, grid.column(key).code(text))
            rename_variables(draft, self.draft)

        self.change(write)

    def trial(self, table: str, row: int, column: str, text: str) -> CellProblem | None:
        """Return the problem that a text would cause in a cell, without changing the draft."""
        grid = self.grid(table)
        if not 0 <= row < len(grid.labels):
            raise InputError(f"{table} has no row {row + 1}")
        text = grid.column(column).code(text)
        if len(text) > _LONGEST_CELL:
            return CellProblem(table, row, column, "The entry is too long", place(grid, row, column))
        found = cell_problem(grid, row, column, text)
        if found is not None:
            return with_fix(found, self._tables(), self.robot, text)
        if any((p.table, p.row, p.column) != (table, row, column) for p in self.errors):
            return None
        if sum(len(chain["rows"]) for _, chain in chains(self.draft)) > _LONG:
            return None
        draft = copied(self.draft)
        table_of(self._tables_of(draft), table).write(row, column, text)
        _, problems = checked(draft, self._tables_of(draft))
        here = [p for p in problems if (p.table, p.row, p.column) == (table, row, column)]
        return with_fix(here[0], self._tables(), self.robot, text) if here else None

    def rename(self, name: str | None = None, title: str | None = None) -> None:
        """Change the name or the title."""
        given = {key: text.strip() for key, text in (("name", name), ("title", title)) if text is not None}
        self.change(lambda draft: draft.update(given))

    def undo(self) -> None:
        """Undo the last change."""
        self._step(self._before, self._after)

    def redo(self) -> None:
        """Redo the change that was undone last."""
        self._step(self._after, self._before)

    def show_links(self, table: str, form: str) -> None:
        """Show the inertias of a table of links at the "frame" origin or at the "center" of mass."""
        self.forms[table] = form
        self._drawn = None
        self.on_change()

    # ---------------------------------------------------------------------------------------------------- to a file

    def text(self, form: str) -> str:
        """Return the description in a format; raise an error that names the first invalid entry."""
        if self.errors:
            first = self.errors[0]
            raise InputError(f"{first.where or self.name}: {first.message}: correct it before saving")
        return str(self.robot.dumps(form))

    def file_name(self, form: str) -> str:
        """Return a safe file name without directories."""
        return (re.sub(r"[^\w.-]+", "_", self.name).strip("._") or "robot") + _SAVED_AS.get(form, ".txt")

    def save(self, form: str) -> tuple[str, str]:
        """Return the name and text of a file in a format ("yaml", "par", "urdf", ...); the document counts as saved."""
        text = self.text(form)
        self.saved = copied(self.draft)
        self.on_change()
        return self.file_name(form), text

    # ------------------------------------------------------------------------------------------------------- inside

    def _step(self, there: list[Draft], back: list[Draft]) -> None:
        if there:
            back.append(self.draft)
            self.draft = there.pop()
            self._check()
        self.on_change()

    def _check(self) -> None:
        self._drawn = None
        tables = self._tables()
        robot, found = checked(self.draft, tables)
        if robot is not None:
            before = self.robot.origin  # the file that it came from, known to have changed since
            self.robot = replace(robot, origin=before).changed() if before else robot
            self._right = self.draft
            self._drawn = None
        self.problems = [with_fix(problem, tables, self.robot) for problem in found]
