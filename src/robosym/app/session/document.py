"""One robot being edited: cells as they are typed, checked by the package's own readers, undone and redone.

What is typed may be wrong for a while. `robot` is the robot of the tables as they were last without errors: pictures
and models keep to it, `problems` tell what is to be corrected and where.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any, TypeVar

import robosym as rs
from robosym.algebra.once import cached_property
from robosym.app.session.checking import cell_problem, checked, heard, odd, with_remedy
from robosym.app.session.draft import (
    Draft,
    base_description,
    chain_of,
    chains,
    copied,
    draft_of,
    platform_description,
    rename_variables,
    robot_of,
)  # fmt: skip
from robosym.app.session.grid import Grid
from robosym.app.session.grids import grids, table_of
from robosym.app.session.problems import CellProblem, place
from robosym.app.session.rows import add_leg, add_loop, add_row, move_row, remove_leg, remove_row, set_base
from robosym.app.session.shown_tables import shown_table
from robosym.errors import Error, FormatError, InputError, RobotWarning
from robosym.files import MAX_BYTES, decode
from robosym.formats.yaml import read_description
from robosym.formats.yaml_nodes import nodes_of

__all__ = ["Document"]

_FORMATS = {
    ".par": "par", ".yaml": "yaml", ".yml": "yaml", ".urdf": "urdf", ".xml": None, ".mjcf": "mjcf", ".sdf": "sdf",
}  # fmt: skip
_SAVED_AS = {"yaml": ".yaml", "par": ".par", "urdf": ".urdf", "mjcf": ".xml", "sdf": ".sdf", "opensymoro": ".par"}
_STEPS = 100  #: that can be undone
_LONG = 120  #: frames: larger robots are checked when an entry is done, not at each letter
_LONGEST_CELL = 2_000  #: characters
Answer = TypeVar("Answer")


class Document:
    """A draft, the steps that led to it, and the last robot that it was; `on_change` hears of every change."""

    def __init__(self, robot: rs.Robot, origin: str, draft: Draft | None = None, saved: Draft | None = None) -> None:
        self.robot = robot
        self.origin = origin  #: a name of the library, or of a file
        self.draft = draft_of(robot) if draft is None else draft
        self.saved = copied(self.draft) if saved is None else saved
        self.problems: list[CellProblem] = []
        self.forms: dict[str, str] = {}  #: of tables of links: "frame" or "centre"
        self.on_change: Callable[[], None] = lambda: None
        self._right = self.draft  #: the draft of `robot`
        self._before: list[Draft] = []
        self._after: list[Draft] = []
        self._grids: list[Grid] | None = None
        if draft is not None:
            self._check()

    # -------------------------------------------------------------------------------------------------- where from

    @classmethod
    def load(cls, name_or_path: str) -> Document:
        """A robot of the library, or of a file on this computer."""
        with heard() as remarks:
            robot = rs.load(name_or_path)
        document = cls(robot, name_or_path)._told_of(remarks)
        document.__dict__["_origin_draft"] = document.draft
        return document

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
            with heard() as remarks:
                robot = rs.loads(decode(data, name), _FORMATS[suffix], PurePath(name).stem.strip() or None)
            return cls(robot, name)._told_of(remarks)
        except FormatError as error:
            raise error if error.file else FormatError(error, name, error.line, error.column) from None
        except Error as error:
            raise FormatError(error, name) from None

    @classmethod
    def new(cls, name: str, links: int, loops: int = 0, structure: str = "simple", base: str = "fixed") -> Document:
        """A robot of the guide's menu "new" (5.4.1): revolute joints, no lengths, symbols for the links."""
        joints = links + (loops if structure == "closed" else 0)
        document = cls(rs.Robot.new(links, joints, structure, name=name, **base_description(base)), name)
        document.saved = {}  # nothing of it is in a file
        return document

    @classmethod
    def new_parallel(cls, name: str, legs: int, joints: int) -> Document:
        """A platform on legs that are alike: chains of revolute joints, the first with a motor."""
        description = platform_description(name, legs, joints)
        document = cls(read_description(nodes_of(description, name), None, name), name)
        document.saved = {}
        return document

    def _told_of(self, remarks: list[RobotWarning]) -> Document:
        """The same, with what was odd in its file at the cells that it concerns."""
        self.problems = odd(self.draft, self._tables(), remarks)
        return self

    def content(self) -> dict[str, Any]:
        """Everything that a restart needs, as plain data."""
        right = self._right if self.errors else None
        return {
            "origin": self.origin, "draft": self.draft, "saved": self.saved, "right": right, "unsaved": self.unsaved,
        }  # fmt: skip

    @classmethod
    def restored(cls, content: Mapping[str, Any]) -> Document:
        """The document of what `content` gave; tables with errors come back with them."""
        draft = content["draft"]
        for _, chain in chains(draft):
            count = chain.get("loops", 0)
            if type(count) is not int or not 0 <= 2 * count <= len(chain["rows"]):
                raise InputError(f"loops: expected a frame or more for each, found {count!r} loops")
        with heard():
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

    @property
    def is_origin(self) -> bool:
        """Whether `origin` names the robot as it is in the tables."""
        return self._origin_draft is not None and self._right == self._origin_draft

    @cached_property
    def _origin_draft(self) -> Draft | None:
        """The tables of what `origin` names, if it names a robot; read once."""
        try:
            with heard():
                return draft_of(rs.load(self.origin))
        except Error:
            return None

    def grid(self, key: str) -> Grid:
        """A table of the draft by its key."""
        return table_of(self._tables(), key)

    def tables(self) -> list[dict[str, Any]]:
        """Every table as plain data: columns, rows, cells with their texts and what is wrong with them."""
        wrong = {(p.table, p.row, p.column): p for p in reversed(self.problems)}
        return [shown_table(grid, wrong, self.robot) for grid in self._tables()]

    def _tables(self) -> list[Grid]:
        if self._grids is None:
            self._grids = self._tables_of(self.draft)
        return self._grids

    def _tables_of(self, draft: Draft) -> list[Grid]:
        return grids(draft, self.forms, self.robot)

    # ---------------------------------------------------------------------------------------------------- changes

    def edit(self, table: str, row: int, column: str, text: str) -> None:
        """Type a text into a cell."""
        self.paste(table, row, column, [[text]])

    def paste(self, table: str, row: int, column: str, block: list[list[str]]) -> None:
        """Type a block of texts into cells, from one on to the right and below; what lies outside is left out."""

        def write(draft: Draft) -> None:
            grid = table_of(self._tables_of(draft), table)
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
                        grid.write(row + below, key, grid.column(key).code(text))
            rename_variables(draft, self.draft)

        self._change(write)

    def trial(self, table: str, row: int, column: str, text: str) -> CellProblem | None:
        """What would be wrong with a cell if this were typed into it; nothing is changed."""
        grid = self.grid(table)
        if not 0 <= row < len(grid.labels):
            raise InputError(f"{table} has no row {row + 1}")
        text = grid.column(column).code(text)
        if len(text) > _LONGEST_CELL:
            return CellProblem(table, row, column, "The entry is too long", place(grid, row, column))
        found = cell_problem(grid, row, column, text)
        if found is not None:
            return with_remedy(found, self._tables(), self.robot, text)
        if any((p.table, p.row, p.column) != (table, row, column) for p in self.errors):
            return None
        if sum(len(chain["rows"]) for _, chain in chains(self.draft)) > _LONG:
            return None
        draft = copied(self.draft)
        table_of(self._tables_of(draft), table).write(row, column, text)
        _, problems = checked(draft, self._tables_of(draft))
        here = [p for p in problems if (p.table, p.row, p.column) == (table, row, column)]
        return with_remedy(here[0], self._tables(), self.robot, text) if here else None

    def add_frame(self, chain: str = "", after: int | None = None) -> int:
        """Add a frame behind another one of a chain, or at the end of its tree; gives its number."""
        return self._change(lambda draft: add_row(chain_of(draft, chain), after, draft))

    def remove_frame(self, j: int, chain: str = "") -> None:
        """Remove a frame; the frames of a loop go together."""
        self._change(lambda draft: remove_row(chain_of(draft, chain), j))

    def move_frame(self, j: int, step: int, chain: str = "") -> int:
        """Move a frame up (-1) or down (1); gives its new number."""
        return self._change(lambda draft: move_row(chain_of(draft, chain), j, step))

    def add_loop(self) -> None:
        """Cut joint and fixed frame of one more loop."""
        self._change(add_loop)

    def add_leg(self) -> None:
        """One more leg, like the last one, with variables of its own."""
        self._change(add_leg)

    def remove_leg(self, number: int) -> None:
        """Remove a leg."""
        self._change(lambda draft: remove_leg(draft, number))

    def set_base(self, kind: str) -> None:
        """Make the base fixed, mobile (its motion is given) or floating (its motion is unknown)."""
        self._change(lambda draft: set_base(draft, kind))

    def rename(self, name: str | None = None, title: str | None = None) -> None:
        """Another name or title."""
        given = {key: text.strip() for key, text in (("name", name), ("title", title)) if text is not None}
        self._change(lambda draft: draft.update(given))

    def undo(self) -> None:
        """Take back the last change."""
        self._step(self._before, self._after)

    def redo(self) -> None:
        """Make the change again that was taken back last."""
        self._step(self._after, self._before)

    def show_links(self, table: str, form: str) -> None:
        """Show a table of links at the "frame" or at the "centre" of mass; nothing is changed."""
        self.forms[table] = form
        self._grids = None
        self.on_change()

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

    def save(self, form: str) -> tuple[str, str]:
        """Name and text of a file in a format ("yaml", "par", "urdf" ..); the work counts as saved then."""
        text = self.text(form)
        self.saved = copied(self.draft)
        self.on_change()
        return self.file_name(form), text

    # ------------------------------------------------------------------------------------------------------- inside

    def _change(self, change: Callable[[Draft], Answer]) -> Answer:
        draft = copied(self.draft)
        answer = change(draft)
        if draft != self.draft:
            self._before = [*self._before[1 - _STEPS :], self.draft]
            self._after = []
            self.draft = draft
            self._check()
        self.on_change()
        return answer

    def _step(self, there: list[Draft], back: list[Draft]) -> None:
        if there:
            back.append(self.draft)
            self.draft = there.pop()
            self._check()
        self.on_change()

    def _check(self) -> None:
        self._grids = None
        tables = self._tables()
        robot, found = checked(self.draft, tables)
        if robot is not None:
            before = self.robot.origin  # the file that it came from, known to have changed since
            self.robot = replace(robot, origin=before).changed() if before else robot
            self._right = self.draft
            self._grids = None
        self.problems = [with_remedy(problem, tables, self.robot) for problem in found]
