"""Steps of a closed-form solution as the book writes them: each equation, letter and result a piece of LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from robosym.app.session.equations import in_latex, sections
from robosym.languages.latex import LATEX
from robosym.model import Model
from robosym.model.solution.steps import Step, Writer

__all__ = ["BookStep", "as_the_book", "book_steps", "model_steps"]

_CALL = re.compile(r"\{(\\(?:sin|cos))\(((?:\\theta|[A-Za-z]|\\mathrm\{\w+\})(?:_\{[^{}]*\})?)\)\}")


@dataclass(frozen=True)
class BookStep:
    """A step: what it solves for, from where, with which letters; or words alone where there is no formula."""

    number: int
    unknown: str = ""  #: LaTeX
    plain: str = ""  #: the joint variable
    type: str = ""
    values: int = 0
    origins: tuple[str, ...] = ()
    equations: tuple[str, ...] = ()
    letters: tuple[tuple[str, str], ...] = ()
    result: str = ""
    free: str = ""  #: LaTeX of when the unknown is free
    words: str = ""  #: what it is, where there is no formula
    heading: str = ""  #: before it, where something new begins
    parts: tuple[str, ...] = field(default=())  #: names of joints that a sum of angles stands for, LaTeX


def as_the_book(name: str) -> str:
    """theta_1 for t1, theta_{1,2} for t1_2, s_x for the entry sx of a pose."""
    if re.fullmatch(r"[snaP][xyz]", name):
        return f"{name[0]}_{{{name[1]}}}"
    spell = LATEX.spell
    assert spell is not None
    several = re.fullmatch(r"([A-Za-z]+\d+)_([A-Za-z0-9]+)", name)
    if several is not None:  # an axis of a joint that has several, or a joint of a module
        return f"{spell(several[1])[:-1]},{several[2]}}}"
    return spell(name)


def _set(text: str) -> str:
    """A text as mathematics; sin t1 needs no brackets."""
    return _CALL.sub(r"\1 \2 ", in_latex(text, as_the_book))


def _equation(text: str) -> str:
    left, _, right = text.partition(" = ")
    return f"{_set(_powers(left))} = {_set(right)}"


def _powers(text: str) -> str:
    """cos(t1)^2 as the reader knows it."""
    return re.sub(r"([A-Za-z_]\w*(?:\([^()]*\))?)\^(\d)", lambda m: "*".join([m[1]] * int(m[2])), text)


def book_steps(steps: Sequence[Any], first: int = 1, heading: str = "") -> list[BookStep]:
    """The steps with numbers from `first` on; what several have in common has a name, w1, w2, .., where it first is."""
    writer = Writer([c for step in steps if isinstance(step, Step) for c in step.readable])
    found = []
    for number, step in enumerate(steps, first):
        head = heading if number == first else ""
        if not isinstance(step, Step):
            found.append(BookStep(number, words=step.explain(), heading=head))
            continue
        letters = [(name, text) for name, text in writer.shared(step.readable)]
        letters += [(name, writer.text(value)) for name, value in zip(step.values, step.readable, strict=True)]
        terms = tuple(as_the_book(name) for name, _ in step.variable.terms) if len(step.variable.terms) > 1 else ()
        unknown = as_the_book(step.joint)
        found.append(
            BookStep(
                number,
                unknown,
                step.joint,
                step.type,
                step.branches,
                step.origins,
                tuple(_equation(text) for text in step.equation.split(", ")) if step.form != "difference" else (),
                tuple((as_the_book(name), _set(text)) for name, text in letters),
                f"{unknown} = {step.formula_latex}",
                _free(step.singular),
                heading=head,
                parts=terms,
            )
        )
    return found


def model_steps(model: Model) -> list[BookStep]:
    """A model's equations, where a solution is one straight line: a step for each part of it."""
    found: list[BookStep] = []
    for section in sections(model):
        letters = tuple((as_the_book(e.name), _set(e.text)) for e in section.equations)
        if letters:
            found.append(BookStep(len(found) + 1, type=section.title, letters=letters, heading=section.part))
    headings = [step.heading for step in found]
    return [replace(s, heading=s.heading if not n or s.heading != headings[n - 1] else "") for n, s in enumerate(found)]


def _free(singular: str) -> str:
    """`X = Y = Z = 0: t1 is free` as LaTeX of the condition."""
    condition, colon, _ = singular.partition(":")
    if not colon:
        return ""
    return " = ".join(".." if part == ".." else _set(part) for part in condition.split(" = "))
