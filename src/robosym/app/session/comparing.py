"""Compare two generated results side by side: options, operation counts and equations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, Literal

from robosym.app.session.history import Generated
from robosym.app.session.requests import Request
from robosym.app.session.shown import CommandResult

__all__ = ["DiffRow", "Differing", "Pieces", "SideBySide", "compared", "shortened"]

Kind = Literal["same", "changed", "left", "right", "both", "gap"]
Pieces = list[tuple[str, bool]]  #: parts of a line, each with True if the other line lacks it
_AROUND = 2  #: lines of context around a difference
_WORDS = re.compile(r"\w+|\s+|.")
_LONG = 400  #: maximum number of words for a comparison word by word


@dataclass(frozen=True)
class DiffRow:
    """One line of a side-by-side comparison, with its line numbers.

    In a row of kind "gap", `left` holds the number of identical lines that are hidden. Kind "both" pairs a line that
    only the left text has with one that only the right text has.
    """

    kind: Kind
    left: str = ""
    right: str = ""
    left_number: int | None = None
    right_number: int | None = None

    def pieces(self) -> tuple[Pieces, Pieces]:
        """Split both lines into parts, and mark the parts that the other line does not have."""
        a, b = _WORDS.findall(self.left), _WORDS.findall(self.right)
        if self.kind != "changed" or len(a) + len(b) > _LONG:
            return [(self.left, False)], [(self.right, False)]
        left: Pieces = []
        right: Pieces = []
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
            left += [("".join(a[i1:i2]), tag != "equal")] if i1 < i2 else []
            right += [("".join(b[j1:j2]), tag != "equal")] if j1 < j2 else []
        return left, right


@dataclass(frozen=True)
class Differing:
    """One row of the summary table: an option or a count, and the change from left to right."""

    name: str
    left: str
    right: str
    change: str = ""


@dataclass(frozen=True)
class SideBySide:
    """The comparison of two results: options, counts and all lines."""

    options: list[Differing]
    counts: list[Differing]
    rows: list[DiffRow]

    def count(self, *kinds: Kind) -> int:
        return sum(row.kind in kinds for row in self.rows)

    @property
    def summary(self) -> str:
        """The numbers of changed, added, removed and equal lines, as text."""
        parts = [
            (self.count("changed"), "changed"), (self.count("left", "both"), "only left"),
            (self.count("right", "both"), "only right"), (self.count("same"), "the same"),
        ]  # fmt: skip
        return ", ".join(f"{number} {words}" for number, words in parts if number) or "both are empty"


def compared(pair: Sequence[Generated], shown: Sequence[CommandResult]) -> SideBySide:
    """Compare two entries of the history, given their results."""
    a, b = (_equations(one) for one in shown)
    by_name = bool(a and b)
    if not by_name:
        a, b = ([(line, line) for line in _text(one).splitlines()] for one in shown)
    rows = _aligned(a, b, "both" if by_name else "changed")
    return SideBySide(_options(pair), _counts(shown), rows)


# ----------------------------------------------------------------------------------------------------- options, counts


def _options(pair: Sequence[Generated]) -> list[Differing]:
    requests = [one.request for one in pair]
    found = []
    for name, values in (("Robot", [one.name for one in pair]), ("Command", [r.row.word for r in requests])):
        if values[0] != values[1]:
            found.append(Differing(name, *values))
    if pair[0].name == pair[1].name and not _same_robot(*requests):
        found.append(Differing("Robot", "as it was then", "as it was then", "its tables differ"))
    labels = {o.name: o.label or o.name.replace("_", " ").capitalize() for r in requests for o in r.row.options}
    for name in dict.fromkeys(key for r in requests for key in r.values):
        left, right = (_value_text(r.values.get(name)) for r in requests)
        if left != right:
            found.append(Differing(labels.get(name, name.capitalize()), left, right))
    return found


def _same_robot(one: Request, other: Request) -> bool:
    return (one.robot, one.plain()["text"]) == (other.robot, other.plain()["text"])


def _value_text(value: Any) -> str:
    if value is None or value is False or value == "" or value == []:
        return "\N{EN DASH}"
    if value is True:
        return "on"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _counts(shown: Sequence[CommandResult]) -> list[Differing]:
    a, b = (one.counts for one in shown)
    if a is None or b is None:
        return []
    found = []
    for name, words in (("total", "Operations"), ("additions", "Additions"), ("multiplications", "Products"),
                        ("functions", "Functions"), ("online", "Online")):  # fmt: skip
        left, right = getattr(a, name), getattr(b, name)
        apart = right - left
        share = f", {100 * abs(apart) / left:.1f} %" if left and apart else ""
        sign = "\N{MINUS SIGN}" if apart < 0 else "+"
        found.append(Differing(words, str(left), str(right), f"{sign}{abs(apart)}{share}" if apart else "the same"))
    sizes = [sum(len(section.equations) for section in one.sections) for one in shown]
    found.append(Differing("Equations", str(sizes[0]), str(sizes[1]), "" if sizes[0] != sizes[1] else "the same"))
    return found


# --------------------------------------------------------------------------------------------------------------- lines


def _equations(shown: CommandResult) -> list[tuple[str, str]]:
    return [(e.name, f"{e.name} = {e.text}") for section in shown.sections for e in section.equations]


def _text(shown: CommandResult) -> str:
    """Return the listing without its heading, which differs between all listings."""
    source = shown.sources.get("listing")
    return shown.text if source is None else source.text.partition("(* Equations: *)")[2].strip("\n")


def _aligned(a: list[tuple[str, str]], b: list[tuple[str, str]], other: Kind) -> list[DiffRow]:
    """Align two lists of (key, text), in the order of both; lines that have no counterpart get the kind `other`."""
    rows: list[DiffRow] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, [key for key, _ in a], [key for key, _ in b]).get_opcodes():
        for i, j in zip_longest(range(i1, i2), range(j1, j2)):
            left, right = "" if i is None else a[i][1], "" if j is None else b[j][1]
            kind: Kind = "left" if j is None else "right" if i is None else "same" if left == right else "changed"
            kind = other if kind == "changed" and tag != "equal" else kind
            rows.append(DiffRow(kind, left, right, None if i is None else i + 1, None if j is None else j + 1))
    return rows


def shortened(rows: Sequence[DiffRow]) -> list[DiffRow]:
    """Return the differing lines with a few lines of context; a gap replaces the lines between."""
    differ = [k for k, row in enumerate(rows) if row.kind != "same"]
    near = {k + step for k in differ for step in range(-_AROUND, _AROUND + 1)}
    found: list[DiffRow] = []
    hidden = 0
    for k, row in enumerate(rows):
        if k in near:
            found += [DiffRow("gap", str(hidden))] if hidden else []
            found.append(row)
            hidden = 0
        else:
            hidden += 1
    return [*found, DiffRow("gap", str(hidden))] if hidden else found
