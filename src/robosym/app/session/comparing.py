"""Compare two generated results side by side: options, operation counts and equations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from robosym.app.session.history import Generated
from robosym.app.session.requests import Request
from robosym.app.session.shown import CommandResult
from robosym.languages.aligned_lines import DiffRow, Kind, aligned

__all__ = ["Differing", "SideBySide", "compared"]


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
    rows = aligned(a, b, "both" if by_name else "changed")
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
