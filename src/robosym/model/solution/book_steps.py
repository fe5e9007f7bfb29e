"""The steps of a closed-form solution as data for readers: unknown, equations, symbols and formula of each step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from robosym.model.solution.steps import Step, Writer

__all__ = ["BookStep", "book_steps"]


@dataclass(frozen=True)
class BookStep:
    """A step: its unknown, its equations and their symbols; or only text if it has no formula."""

    number: int
    unknown: str = ""  #: the joint variable
    type: str = ""
    values: int = 0
    origins: tuple[str, ...] = ()
    equations: tuple[str, ...] = ()
    letters: tuple[tuple[str, str], ...] = ()
    result: str = ""  #: LaTeX of the right side
    free: str = ""  #: condition under which the unknown is free
    words: str = ""  #: description of a step without a formula
    heading: str = ""  #: heading before the first step of a part
    parts: str = ""  #: the sum of angles that the unknown stands for


def book_steps(steps: Sequence[Any], first: int = 1, heading: str = "") -> list[BookStep]:
    """Return the steps numbered from `first`; common subexpressions are named w1, w2, .. at their first use."""
    writer = Writer([c for step in steps if isinstance(step, Step) for c in step.readable])
    found = []
    for number, step in enumerate(steps, first):
        head = heading if number == first else ""
        if not isinstance(step, Step):
            found.append(BookStep(number, words=step.explain(), heading=head))
            continue
        condition, colon, _ = step.singular.partition(":")
        values = zip(step.values, step.readable, strict=True)
        found.append(
            BookStep(
                number,
                step.joint,
                step.type,
                step.branches,
                step.origins,
                tuple(step.equation.split(", ")) if step.form != "difference" else (),
                (*writer.shared(step.readable), *((name, writer.text(value)) for name, value in values)),
                step.formula_latex,
                condition if colon else "",
                heading=head,
                parts=step.variable.name if len(step.variable.terms) > 1 else "",
            )
        )
    return found
