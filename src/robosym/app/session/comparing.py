"""Two things that were generated, side by side: which options differ, what each costs, which equations are others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

from robosym.app.session.history import Generated
from robosym.app.session.requests import Request
from robosym.app.session.shown import Shown

__all__ = ["DiffRow", "Differing", "Pieces", "SideBySide", "compared", "paired", "shortened"]

Kind = Literal["same", "changed", "left", "right", "both", "gap"]
Pieces = list[tuple[str, bool]]  #: parts of a line, and whether the other line does not have them
_AROUND = 2  #: lines that are shown around a difference
_LONGEST = 6000  #: lines of a text that is compared as a whole; of longer ones lines are compared one by one
_WORDS = re.compile(r"\w+|\s+|.")
_LONG = 400  #: words of a line within which no words are compared


@dataclass(frozen=True)
class DiffRow:
    """A line of either text, with their numbers; of a gap `left` says how many lines are the same.

    "both" stands for a line that only the left has beside one that only the right has.
    """

    kind: Kind
    left: str = ""
    right: str = ""
    left_number: int | None = None
    right_number: int | None = None

    def pieces(self) -> tuple[Pieces, Pieces]:
        """Both lines in parts, those marked that only one has."""
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
    """A line of the table above: an option, or a count; `change` says by how much."""

    name: str
    left: str
    right: str
    change: str = ""


@dataclass(frozen=True)
class SideBySide:
    """All that differs, and every line."""

    options: list[Differing]
    counts: list[Differing]
    rows: list[DiffRow]

    def count(self, kind: Kind) -> int:
        return sum(row.kind == kind for row in self.rows)

    @property
    def said(self) -> str:
        """How many lines differ, in words."""
        parts = [
            (self.count("changed"), "changed"), (self.count("left"), "only left"), (self.count("right"), "only right"),
            (self.count("same"), "the same"),
        ]  # fmt: skip
        return ", ".join(f"{number} {words}" for number, words in parts if number) or "both are empty"


def compared(pair: Sequence[Generated], shown: Sequence[Shown]) -> SideBySide:
    """Of two entries of the history, with what they gave."""
    a, b = (_equations(one) for one in shown)
    rows = _by_name(a, b) if a and b else _by_line(*(_text(one).splitlines() for one in shown))
    return SideBySide(_options(pair), _counts(shown), rows)


# ----------------------------------------------------------------------------------------------------- options, counts


def _options(pair: Sequence[Generated]) -> list[Differing]:
    requests = [one.request for one in pair]
    found = []
    for name, said in (("Robot", [one.name for one in pair]), ("Command", [r.row.word for r in requests])):
        if said[0] != said[1]:
            found.append(Differing(name, *said))
    if pair[0].name == pair[1].name and not _same_robot(*requests):
        found.append(Differing("Robot", "as it was then", "as it was then", "its tables differ"))
    labels = {o.name: o.label or o.name.replace("_", " ").capitalize() for r in requests for o in r.row.options}
    for name in dict.fromkeys(key for r in requests for key in r.values):
        left, right = (_spoken(r.values.get(name)) for r in requests)
        if left != right:
            found.append(Differing(labels.get(name, name.capitalize()), left, right))
    return found


def _same_robot(one: Request, other: Request) -> bool:
    return (one.robot, one.plain()["text"]) == (other.robot, other.plain()["text"])


def _spoken(value: Any) -> str:
    if value is None or value is False or value == "" or value == []:
        return "\N{EN DASH}"
    if value is True:
        return "on"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _counts(shown: Sequence[Shown]) -> list[Differing]:
    a, b = (one.counts for one in shown)
    if a is None or b is None:
        return []
    found = []
    for name, words in (("total", "Operations"), ("additions", "Additions"), ("multiplications", "Products"),
                        ("functions", "Functions"), ("online", "On line")):  # fmt: skip
        left, right = getattr(a, name), getattr(b, name)
        apart = right - left
        share = f", {100 * abs(apart) / left:.1f} %" if left and apart else ""
        sign = "\N{MINUS SIGN}" if apart < 0 else "+"
        found.append(Differing(words, str(left), str(right), f"{sign}{abs(apart)}{share}" if apart else "the same"))
    sizes = [sum(len(section.equations) for section in one.sections) for one in shown]
    found.append(Differing("Equations", str(sizes[0]), str(sizes[1]), "" if sizes[0] != sizes[1] else "the same"))
    return found


# --------------------------------------------------------------------------------------------------------------- lines


def _equations(shown: Shown) -> list[tuple[str, str]]:
    return [(e.name, f"{e.name} = {e.text}") for section in shown.sections for e in section.equations]


def _text(shown: Shown) -> str:
    """The listing without what stands above the equations: that differs in every one."""
    source = shown.sources.get("listing")
    return shown.text if source is None else source.text.partition("(* Equations: *)")[2].strip("\n")


def _by_name(a: list[tuple[str, str]], b: list[tuple[str, str]]) -> list[DiffRow]:
    """Equations of the same variable side by side, in the order in which both have them."""
    rows: list[DiffRow] = []
    names = [name for name, _ in a], [name for name, _ in b]
    for i, j in _pairs(*names):
        left, right = a[i][1] if i is not None else "", b[j][1] if j is not None else ""
        kind: Kind = "left" if j is None else "right" if i is None else "same" if left == right else "changed"
        rows.append(DiffRow(kind, left, right, _number(i), _number(j)))
    return rows


def _by_line(a: list[str], b: list[str]) -> list[DiffRow]:
    rows: list[DiffRow] = []
    for tag, i1, i2, j1, j2 in _opcodes(a, b):
        for k in range(max(i2 - i1, j2 - j1)):
            i, j = (i1 + k if i1 + k < i2 else None), (j1 + k if j1 + k < j2 else None)
            kind: Kind = "left" if j is None else "right" if i is None else "same" if tag == "equal" else "changed"
            left, right = a[i] if i is not None else "", b[j] if j is not None else ""
            rows.append(DiffRow(kind, left, right, _number(i), _number(j)))
    return rows


def _number(place: int | None) -> int | None:
    return None if place is None else place + 1


def _pairs(a: list[str], b: list[str]) -> Iterator[tuple[int | None, int | None]]:
    """Places of the same entry in both, and of those that only one has."""
    for tag, i1, i2, j1, j2 in _opcodes(a, b):
        if tag == "equal":
            yield from zip(range(i1, i2), range(j1, j2), strict=True)
        else:
            yield from ((i, None) for i in range(i1, i2))
            yield from ((None, j) for j in range(j1, j2))


def _opcodes(a: list[str], b: list[str]) -> Iterator[tuple[str, int, int, int, int]]:
    if max(len(a), len(b)) <= _LONGEST:
        yield from SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
        return
    at, n = 0, min(len(a), len(b))
    while at < n:
        same = a[at] == b[at]
        end = at
        while end < n and (a[end] == b[end]) is same:
            end += 1
        yield ("equal" if same else "replace", at, end, at, end)
        at = end
    if len(a) != len(b):
        yield ("replace", n, len(a), n, len(b))


def shortened(rows: Sequence[DiffRow]) -> list[DiffRow]:
    """The lines that differ with some around them, and how many are between."""
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


def paired(rows: Sequence[DiffRow]) -> list[DiffRow]:
    """Lines that only one side has beside those that only the other has, where they follow each other."""
    found: list[DiffRow] = []
    waiting: list[DiffRow] = []  #: those of the left that have no partner yet
    for row in rows:
        if row.kind == "right" and waiting:
            left = waiting.pop(0)
            found[found.index(left)] = DiffRow("both", left.left, row.right, left.left_number, row.right_number)
            continue
        waiting = [*waiting, row] if row.kind == "left" else waiting if row.kind == "right" else []
        found.append(row)
    return found
