"""Align two texts line by line, as their reader compares them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Literal

__all__ = ["DiffRow", "Kind", "Pieces", "aligned", "shortened"]

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


def aligned(a: list[tuple[str, str]], b: list[tuple[str, str]], other: Kind) -> list[DiffRow]:
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
