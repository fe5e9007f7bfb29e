"""A table of a draft as data, and that of links with inertias at the origin of the frame or at the center of mass."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from robosym.algebra import Graph, numeric_value
from robosym.algebra.canonical import canonical_text
from robosym.errors import Error, InputError
from robosym.formats.draft import Draft
from robosym.formats.yaml_nodes import Node, TextNode
from robosym.formats.yaml_reader import Reader
from robosym.mechanism import DRIVE, INERTIA, Link, Robot
from robosym.spatial.inertia import RigidInertia

__all__ = [
    "DraftCell",
    "DraftColumn",
    "DraftEntry",
    "DraftTable",
    "frame_number",
    "in_radians",
    "link_place",
    "links_table",
]

_GREEK = {"gamma": "γ", "alpha": "α", "theta": "θ", "sigma": "σ", "mu": "μ", "eta": "η"}
_LEFT_OUT = ("limits", "motion", "position")  #: mappings that are left out where they are empty


@dataclass(frozen=True)
class DraftColumn:
    """A column: its key, its heading (typeset as mathematics if `math` is set), and the kind of its cells."""

    key: str
    kind: str = "expression"  #: expression, angle, integer, number, name, choice
    choices: tuple[tuple[str, str], ...] = ()  #: code and word of each choice
    usual: str = "0"  #: the value of an empty cell

    @property
    def head(self) -> str:
        return _GREEK.get(self.key, self.key)

    @property
    def math(self) -> bool:
        return self.key in _GREEK or self.key in ("b", "d", "r", "k")

    def code(self, text: str) -> str:
        """Return the code of a typed text: a choice is replaced by its code."""
        return {word: code for code, word in self.choices}.get(text.strip().lower(), text.strip())

    def error(self, text: str) -> str:
        """Return the error of the readers for the text of a cell, or "" if it is valid."""
        return _entry_error(self.kind, text, self.usual)

    def respelled(self, text: str) -> str:
        """Return the text of a cell in the notation of the readers if that makes it valid, else ""."""
        closed = f"{text})" if text.count("(") == text.count(")") + 1 else text
        candidates = [candidate for candidate in (_respelled(text), closed) if candidate != text]
        return next((candidate for candidate in candidates if not self.error(candidate)), "")


@lru_cache(maxsize=60_000)  # more than a robot of 1,000 frames has cells
def _entry_error(kind: str, text: str, usual: str) -> str:
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
            warnings.simplefilter("ignore")  # the reader of the whole robot warns again
            read.get(kind, reader.expression)(node, "x")
    except Error as error:
        return error.statement
    return ""


def _respelled(text: str) -> str:
    """Replace decimal commas, π, degrees and characters of other keyboards."""
    changed = text.replace("π", "Pi").replace("·", "*").replace("×", "*").replace("−", "-").replace("÷", "/")
    if re.fullmatch(r"[-+]?\d+,\d+", changed.strip()):
        changed = changed.replace(",", ".")
    return re.sub(r"([\d.]+)\s*°", r"\1deg", changed)


def in_radians(text: str) -> str:
    """Return an angle in radians that was probably typed in degrees, or "": 90 becomes Pi/2."""
    candidate = f"{text.strip()}deg"
    if not re.fullmatch(r"[-+]?\d+(\.\d+)?", text.strip()) or _entry_error("angle", candidate, "0"):
        return ""
    return str(Reader(None).angle(TextNode(0, 0, candidate), "x", Graph()))


@dataclass(frozen=True)
class DraftEntry:
    """The location of a cell in a draft: an entry of a mapping, or one component of a vector in it."""

    owner: dict[str, Any]
    key: str
    index: int | None = None  #: index in a vector
    usual: Sequence[str] = "0"  #: default value: a text, or the texts of the vector
    stays: bool = False  #: whether default values are written, too
    inside: str = ""  #: the mapping of the owner that holds the entry, created on demand

    def read(self) -> str:
        """Return the text."""
        value = (self.owner.get(self.inside) or {} if self.inside else self.owner).get(self.key)
        if self.index is None:
            return str(self.usual if value is None else value)
        return str((value or self.usual)[self.index])

    def write(self, text: str) -> None:
        """Set the text; a default value is left out of the draft."""
        owner = self.owner.setdefault(self.inside, {}) if self.inside else self.owner
        value: str | list[str] = text.strip()
        usual = value in ("", self.usual)
        if self.index is not None:
            value = list(owner.get(self.key) or self.usual)
            value[self.index] = text.strip() or "0"
            usual = value == list(self.usual)
        if usual and not self.stays:
            owner.pop(self.key, None)
        else:
            owner[self.key] = value
        if not owner and self.inside in _LEFT_OUT:
            del self.owner[self.inside]


class DraftCell(NamedTuple):
    """A cell whose text is more than one entry of the draft."""

    read: Callable[[], str]
    write: Callable[[str], None]


@dataclass
class DraftTable:
    """A table: its columns, the label of each row, and the location of each cell in the draft."""

    key: str  #: "frames", "leg2.links", "gravity" ..
    title: str
    about: str
    columns: tuple[DraftColumn, ...]
    labels: list[str]
    place: Callable[[int, str], DraftEntry | DraftCell]  #: location by row and column
    chain: str | None = None  #: the key of the chain whose frames its rows are, if they are
    frames: list[int] = field(default_factory=list)  #: the number in its chain of each row's frame
    locked: Callable[[int, str], str] = lambda row, column: ""  #: why a cell cannot be edited, if it cannot
    form: str = ""  #: reference point of the inertias of links: "frame" or "center"

    @property
    def name(self) -> str:
        """The key without that of its chain: "links" for "leg2.links"."""
        return self.key.rpartition(".")[2]

    def read(self, row: int, column: str) -> str:
        """Return the text of a cell."""
        return self.place(row, column).read()

    def write(self, row: int, column: str, text: str) -> None:
        """Set the text of a cell."""
        self.place(row, column).write(text)

    def column(self, key: str) -> DraftColumn:
        for column in self.columns:
            if column.key == key:
                return column
        raise InputError(f"{self.key} has no column {key!r}")


_CENTER = ("com x", "com y", "com z", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
_ORIGIN = INERTIA[:-1]  #: M is common to both forms
_DIGITS = 12


def link_place(link: Draft, column: str) -> DraftEntry:
    """Return the location of an entry within its link."""
    if column not in _CENTER:
        return DraftEntry(link, column)
    index = _CENTER.index(column)
    if index < 3:
        return DraftEntry(link, "com", index, ["0"] * 3, stays=True)
    return DraftEntry(link, "inertia", index - 3, ["0"] * 6, stays=True)


def links_table(
    key: str, title: str, rows: list[Draft], chain: str = "", form: str = "", robot: Robot | None = None
) -> DraftTable:
    """Return the table of links; a link given in the other form is shown converted, and changes its form when edited.

    Conversions use `robot`, the last valid robot.
    """
    centered = [_at_center(row["link"]) for row in rows]
    if not form:
        plain = [row["link"] for row, center in zip(rows, centered, strict=True) if not center]
        form = "center" if any(centered) and not any(name in link for link in plain for name in _ORIGIN) else "frame"

    def converted(row: int) -> Draft | None:
        """Return the entries of a link in the form that is shown, or None if they are unknown."""
        link: Draft = rows[row]["link"]
        if _at_center(link) == (form == "center") or not any(name in link for name in (*_ORIGIN, "com", "inertia")):
            return link
        known = None if robot is None else _link_of(robot, chain, row)
        return None if known is None else _at_frame(known, link) if form == "frame" else _about_center(known, link)

    def formulas(row: int) -> Draft | None:
        known = None if robot is None else _link_of(robot, chain, row)
        return None if known is None or known.M.is_zero else _formulas_about_center(known)

    def place(row: int, column: str) -> DraftCell:
        def read() -> str:
            own = column not in (*_ORIGIN, *_CENTER)  # an entry that both forms share
            link = rows[row]["link"] if own else converted(row)
            link = formulas(row) if link is None else link
            return "…" if link is None else link_place(link, column).read()

        def write(text: str) -> None:
            link, found = rows[row]["link"], converted(row) if column in (*_ORIGIN, *_CENTER) else None
            if found is not None and found is not link:
                link.clear()
                link.update(found)
            link_place(link, column).write(text)

        return DraftCell(read, write)

    def locked(row: int, column: str) -> str:
        shown = column in _ORIGIN or column in _CENTER
        return "its inertia has symbols: edit it at the frame" if shown and converted(row) is None else ""

    names = (*INERTIA, *DRIVE) if form == "frame" else ("M", *_CENTER, *DRIVE)
    about = (
        "at the origin of frame j, kg m², kg m, kg" if form == "frame"
        else "M, center of mass and tensor about it in the axes of frame j, kg, m, kg m²"
    )  # fmt: skip
    labels = [str(j) for j in range(1, len(rows) + 1)]
    return DraftTable(key, title, about, tuple(map(DraftColumn, names)), labels, place, locked=locked, form=form)


def frame_number(robot: Robot, chain: str, frame: int) -> int | None:
    """Return the number in the whole robot of a frame of a chain (legs are numbered consecutively), or None."""
    if not chain:
        return frame
    if not chain.startswith("leg") or robot.followers:
        return None  # the frames of a parallelogram differ from the rows of its table
    leg = int(chain.removeprefix("leg")) - 1
    return robot.legs[leg][frame - 1] if leg < len(robot.legs) and frame <= len(robot.legs[leg]) else None


def _link_of(robot: Robot, chain: str, row: int) -> Link | None:
    """Return the link of a row of a chain in the last valid robot."""
    if chain.startswith("module"):
        module, _, chain = chain.partition(".")
        modules = robot.module_robots()
        number = int(module.removeprefix("module"))
        if number > len(modules):
            return None
        robot = modules[number - 1]
    j = frame_number(robot, chain, row + 1)
    return robot.links[j - 1] if j is not None and j <= len(robot.links) else None  # tables may have grown


def _at_center(link: Draft) -> bool:
    return "com" in link or "inertia" in link


def _kept(link: Draft) -> Draft:
    """Return the entries that both forms share: mass, drive, elasticity and friction."""
    return {key: item for key, item in link.items() if key not in (*_ORIGIN, "com", "inertia")}


def _at_frame(known: Link, link: Draft) -> Draft:
    moments = {name: getattr(known, name) for name in _ORIGIN}
    return {**_kept(link), **{name: canonical_text(value) for name, value in moments.items() if not value.is_zero}}


def _about_center(known: Link, link: Draft) -> Draft | None:
    numbers = {name: numeric_value(getattr(known, name)) for name in INERTIA}
    if any(value is None for value in numbers.values()) or not numbers["M"]:
        return None
    body = RigidInertia(*(float(numbers[name] or 0.0) for name in INERTIA))
    center = body.MS * (1 / float(numbers["M"] or 1.0))
    com, inertia = ([f"{value:.{_DIGITS}g}" for value in found] for found in (center, body.about(center).numbers()[:6]))
    return {**_kept(link), "com": com, "inertia": inertia}


def _formulas_about_center(known: Link) -> Draft:
    """Return center of mass and tensor about it as formulas of the symbols, to be read and not edited."""
    M, MX, MY, MZ = known.M, known.MX, known.MY, known.MZ
    tensor = (
        known.XX - (MY * MY + MZ * MZ) / M, known.XY + MX * MY / M, known.XZ + MX * MZ / M,
        known.YY - (MX * MX + MZ * MZ) / M, known.YZ + MY * MZ / M, known.ZZ - (MX * MX + MY * MY) / M,
    )  # fmt: skip
    com, inertia = ([canonical_text(x) for x in found] for found in ((MX / M, MY / M, MZ / M), tensor))
    return {"com": com, "inertia": inertia}
