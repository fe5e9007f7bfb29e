"""The assignments of a model by section, as text of the listing that the browser typesets."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from robosym.languages.listing import LISTING
from robosym.languages.program import Program
from robosym.languages.symbol_hints import symbol_hints
from robosym.model import Model, flat, shape
from robosym.model.solution.book_steps import BookStep

__all__ = ["SetEquation", "SetSection", "model_steps", "sections"]

_WIDE = 70  #: maximum number of characters in a row of a matrix that is shown with its entries
_RUN = 3  #: minimum number of consecutive equations of a link for sections by link
_SHORT = 19  #: maximum number of characters of equations shown side by side


@dataclass(frozen=True)
class SetEquation:
    """One assignment `name = text` of the listing."""

    name: str
    text: str
    short: bool = False  #: whether two equations are shown side by side


@dataclass(frozen=True)
class SetSection:
    """Equations under a heading; `matrix` holds the entries of a matrix output by rows."""

    title: str
    part: str = ""  #: the heading of the part, such as "Forward"
    equations: list[SetEquation] = field(default_factory=list)
    matrix: list[list[str]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)  #: names of inputs
    meaning: str = ""  #: meaning of the group
    hints: dict[str, str] = field(default_factory=dict)  #: meanings of the names, units and cells


def sections(model: Model) -> list[SetSection]:
    """Return the inputs, the intermediate variables in order of evaluation by link, and the outputs."""
    program = Program(model, LISTING, written_out=model.written_out)
    found = [
        SetSection(group, "Inputs", names=list(names), meaning=model.meaning(group))
        for group, names in model.inputs.items()
    ]
    statements = [(s.name, s.text) for s in program.statements]
    found += _by_link(statements, _links_of([name for name, _ in statements]))
    outputs = {name: text for name, _, text in program.outputs}
    for group, layout in model.outputs.items():
        found.append(_output(group, layout, outputs, model.meaning(group, output=True)))
    names = [[*section.names, *(equation.name for equation in section.equations)] for section in found]
    every = [name for own in names for name in own]
    hints = symbol_hints(model, every, _links_of(every))
    return [
        replace(section, hints={name: hints[name] for name in own if name in hints})
        for section, own in zip(found, names, strict=True)
    ]


def _output(group: str, layout: Any, texts: dict[str, str], meaning: str) -> SetSection:
    names = list(flat(layout))
    if len(shape(layout)) == 1:
        return SetSection(group, "Outputs", [_equation(name, texts[name]) for name in names], meaning=meaning)
    wide = max(sum(len(texts[name]) for name in row) for row in layout) > _WIDE
    trivial = {name for name in names if re.fullmatch(r"-?\d+", texts[name])}
    matrix = [[texts[name] if not wide or name in trivial else name for name in row] for row in layout]
    shown = [_equation(name, texts[name]) for name in names if wide and name not in trivial]
    return SetSection(group, "Outputs", shown, matrix, meaning=meaning)


def _equation(name: str, text: str) -> SetEquation:
    return SetEquation(name, text, len(name) + len(text) <= _SHORT)


# ---------------------------------------------------------------- by link


def _links_of(names: Sequence[str]) -> dict[str, int]:
    """Return the link of each variable from the naming of the guide: X3, X13 (component 1), X113 (components 1 and 1).

    All variables of one kind have the same number of component digits: the number that the shortest name has before its
    link.
    """
    kinds: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name in names:
        match = re.fullmatch(r"([A-Za-z_]+?)(\d+)[A-Z]?", name)
        if match:
            kinds[match[1]].append((name, match[2]))
    found = {}
    for kind, members in kinds.items():
        components = min(len(digits) for _, digits in members) - 1
        if components > 2 or kind == "X":  # not a name of the guide
            continue
        for name, digits in members:
            found[name] = int(digits[components:])
    return found


def _by_link(statements: Sequence[tuple[str, str]], links: dict[str, int]) -> Iterator[SetSection]:
    """Return runs of statements of one link, sines and cosines first; one section if the links are out of order."""
    angles = [(n, t) for n, t in statements if re.fullmatch(r"(sin|cos)\([^()]*\)", t)]
    rest = [(n, t) for n, t in statements if not re.fullmatch(r"(sin|cos)\([^()]*\)", t)]
    runs: list[tuple[int, list[SetEquation]]] = []
    for name, text in rest:
        link = links.get(name, runs[-1][0] if runs else 0)
        if not runs or runs[-1][0] != link:
            runs.append((link, []))
        runs[-1][1].append(_equation(name, text))
    known = {link for link, _ in runs}
    in_order = len(known) > 1 and len(runs) <= 2 * len(known) + 2 and len(rest) >= _RUN * len(runs)
    if angles:
        yield SetSection("Trigonometry", "Forward" if in_order else "", [_equation(n, t) for n, t in angles])
    if not in_order:
        yield from _in_parts([equation for _, run in runs for equation in run])
        return
    turn = max((place for place, (link, _) in enumerate(runs) if link == max(known)), default=0)
    for place, (link, run) in enumerate(runs):
        yield SetSection(f"Link {link}" if link else "Common", "Forward" if place <= turn else "Backward", run)


def _in_parts(equations: list[SetEquation], size: int = 60) -> Iterator[SetSection]:
    if len(equations) <= size + size // 2:
        if equations:
            yield SetSection("Equations", "", equations)
        return
    for start in range(0, len(equations), size):
        part = equations[start : start + size]
        yield SetSection(f"{part[0].name} to {part[-1].name}", "Equations", part)


def model_steps(model: Model) -> list[BookStep]:
    """Return the equations of a model without branches, one step per part."""
    found: list[BookStep] = []
    part = ""
    for section in sections(model):
        if section.equations:
            letters = tuple((e.name, e.text) for e in section.equations)
            heading = section.part if section.part != part else ""
            found.append(BookStep(len(found) + 1, type=section.title, letters=letters, heading=heading))
            part = section.part
    return found
