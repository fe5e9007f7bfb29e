"""Content of a book as data, independent of the format in which it is written.

Text may contain formulas in infix form between dollar signs and code between backticks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Union

from robosym.export.book.number_checks import CheckedNumber
from robosym.export.derivations.written import Derivation, Formula

__all__ = [
    "Block",
    "BookFigure",
    "BookTable",
    "Chapter",
    "DerivedSteps",
    "DisplayedEquation",
    "FormulaList",
    "Paragraph",
    "ProgramText",
    "Section",
    "segments",
]  # fmt: skip


@dataclass(frozen=True)
class Paragraph:
    """Paragraph."""

    text: str


@dataclass(frozen=True)
class Section:
    """Section of a chapter."""

    text: str


@dataclass(frozen=True)
class DisplayedEquation:
    """General equation in LaTeX, displayed on a line of its own."""

    latex: str


@dataclass(frozen=True)
class FormulaList:
    """Formulas below each other, aligned at the equals sign."""

    formulas: tuple[Formula, ...]


@dataclass(frozen=True)
class BookTable:
    """Rows of cells with a head; cells are text with formulas."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str
    left: int = 1  #: number of columns aligned to the left


@dataclass(frozen=True)
class BookFigure:
    """Picture with a caption; `page` is an interactive page in its place in HTML."""

    svg: str
    caption: str
    width: float = 0.8  #: share of the width of the text
    page: str = ""
    beside: tuple[BookFigure, ...] = ()  #: further pictures in the same row


@dataclass(frozen=True)
class DerivedSteps:
    """Derivation in steps."""

    derivation: Derivation


@dataclass(frozen=True)
class ProgramText:
    """Program or listing."""

    text: str
    language: str = ""
    columns: int = 1


Block = Union[Paragraph, Section, DisplayedEquation, FormulaList, BookTable, BookFigure, DerivedSteps, ProgramText]


@dataclass
class Chapter:
    """Chapter: title and blocks; without blocks it is left out."""

    title: str
    blocks: list[Block] = field(default_factory=list)
    appendix: bool = False
    comparisons: list[CheckedNumber] = field(default_factory=list)  #: numbers of models beside numbers from elsewhere

    def add(self, *blocks: Block) -> None:
        """Append blocks."""
        self.blocks += blocks

    def paragraph(self, *sentences: str) -> None:
        """Append a paragraph."""
        self.blocks.append(Paragraph(" ".join(sentences)))


def segments(text: str) -> Sequence[tuple[str, str]]:
    """Return text as pairs of kind and content: text, math or code."""
    found: list[tuple[str, str]] = []
    for k, part in enumerate(text.split("$")):
        if k % 2:
            found.append(("math", part))
            continue
        found += [("code" if i % 2 else "text", piece) for i, piece in enumerate(part.split("`")) if piece]
    return found
