"""Two things that were generated, side by side: what differs in their listings, and what each costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

__all__ = ["DiffRow", "diff_rows"]

_AROUND = 3  #: lines that are shown around a difference
_LONGEST = 6000  #: lines of a text that is compared as a whole; of longer ones lines are compared one by one


@dataclass(frozen=True)
class DiffRow:
    """A line of either text, with their numbers; `kind` is "same", "changed" or "gap", where `left` says how many."""

    kind: str
    left: str
    right: str
    left_number: int | None = None
    right_number: int | None = None


def diff_rows(left: str, right: str) -> list[DiffRow]:
    """The lines that differ, with some around them."""
    a, b = left.splitlines(), right.splitlines()
    rows: list[DiffRow] = []
    for tag, i1, i2, j1, j2 in _opcodes(a, b):
        if tag == "equal":
            rows += _shortened(a, i1, i2, j1, bool(rows), i2 == len(a) and j2 == len(b))
            continue
        for k in range(max(i2 - i1, j2 - j1)):
            i, j = i1 + k, j1 + k
            rows.append(
                DiffRow(
                    "changed", a[i] if i < i2 else "", b[j] if j < j2 else "", i + 1 if i < i2 else None,
                    j + 1 if j < j2 else None,
                )
            )  # fmt: skip
    return rows


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


def _shortened(lines: list[str], i1: int, i2: int, j1: int, above: bool, last: bool) -> Iterator[DiffRow]:
    """Equal lines: those next to a difference, and how many are between."""
    count = i2 - i1
    head = _AROUND if above else 0
    tail = 0 if last else _AROUND
    for k in range(count):
        if k < head or k >= count - tail:
            yield DiffRow("same", lines[i1 + k], lines[i1 + k], i1 + k + 1, j1 + k + 1)
        elif k == head:
            yield DiffRow("gap", str(count - head - tail), "")
