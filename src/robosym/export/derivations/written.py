"""A derivation as data, and its text, LaTeX and HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from robosym.algebra import POWERS, Expr, to_sympy, to_text
from robosym.algebra.textbook import textbook
from robosym.errors import InputError
from robosym.files import write_text
from robosym.model.display import latex
from robosym.safe_text import markup

__all__ = ["Derivation", "DerivationStep", "DerivedFormula"]


@dataclass(frozen=True)
class DerivedFormula:
    """`name = value`, where the value is in the form of a textbook."""

    name: str
    value: Expr

    @property
    def text(self) -> str:
        return f"{self.name} = {to_text(self.value, POWERS)}"

    @property
    def latex(self) -> str:
        symbol = self.value.graph.symbol(self.name)
        left, right = to_sympy([symbol, self.value])
        return f"{latex(left)} &= {latex(right)}"


@dataclass(frozen=True)
class DerivationStep:
    """One step: its subject, its equation, and the formulas that result for the robot."""

    heading: str
    equation: str = ""  #: the general equation, as text
    general: str = ""  #: the same in LaTeX
    formulas: tuple[DerivedFormula, ...] = ()
    note: str = ""  #: a sentence after the formulas
    part: str = ""  #: heading of the part that begins with this step

    @property
    def lines(self) -> Iterator[str]:
        """Lines of text."""
        yield self.heading
        if self.equation:
            yield f"    {self.equation}"
        yield from (f"        {formula.text}" for formula in self.formulas)
        if self.note:
            yield f"    {self.note}"


@dataclass(frozen=True)
class Derivation:
    """The derivation of a model in steps; `str` returns its text.

    Attributes
    ----------
    title : str
        Subject of the derivation, and name of the robot.
    steps : tuple of DerivationStep
        Steps in order.

    Examples
    --------
    >>> import robosym as rs
    >>> found = rs.derivation(rs.load("planar2r"))
    >>> found.steps[3].heading, found.steps[3].formulas[2].text
    ('Angular velocity of link 2', 'W32 = QP1 + QP2')
    """

    title: str
    steps: tuple[DerivationStep, ...]
    formats: ClassVar[tuple[str, ...]] = (".tex", ".html")  #: files that `write` writes in forms of its own

    def __str__(self) -> str:
        found = [self.title, ""]
        for number, step in enumerate(self.steps, 1):
            if step.part:
                found += [step.part, "-" * len(step.part), ""]
            first, *others = step.lines
            found += [f"{number}. {first}", *others, ""]
        return "\n".join(found).rstrip() + "\n"

    def write(self, path: str | Path) -> None:
        """Write the derivation to a .txt, .tex or .html file.

        Parameters
        ----------
        path : str or Path
            File to write; its extension selects the format.

        Raises
        ------
        InputError
            If the extension is not supported.
        """
        path = Path(path)
        made: dict[str, Callable[[], str]] = {".txt": self.__str__, ".tex": self.latex, ".html": self._repr_html_}
        if path.suffix not in made:
            raise InputError(f"{path}: expected an extension of {', '.join(made)}")
        write_text(path, made[path.suffix]())

    def latex(self) -> str:
        """Return the derivation in LaTeX, with one `align*` environment per step.

        Returns
        -------
        str
            Text for the body of a document that uses amsmath.
        """
        found = [rf"\section*{{{_escaped(self.title)}}}"]
        for step in self.steps:
            if step.part:
                found.append(rf"\subsection*{{{_escaped(step.part)}}}")
            found.append(rf"\paragraph{{{_escaped(step.heading)}}}")
            if step.general:
                found.append(rf"\[ {step.general} \]")
            if step.formulas:
                rows = " \\\\\n".join(formula.latex for formula in step.formulas)
                found.append(f"\\begin{{align*}}\n{rows}\n\\end{{align*}}")
            if step.note:
                found.append(_escaped(step.note))
        return "\n\n".join(found) + "\n"

    def _repr_html_(self) -> str:
        """Return expandable steps for a notebook."""
        found = [f"<h3>{markup(self.title)}</h3>"]
        for number, step in enumerate(self.steps, 1):
            if step.part:
                found.append(f"<h4>{markup(step.part)}</h4>")
            body = f"$${step.general}$$" if step.general else ""
            if step.formulas:
                rows = " \\\\ ".join(markup(formula.latex).replace("&amp;", "&") for formula in step.formulas)
                body += f"$$\\begin{{aligned}}{rows}\\end{{aligned}}$$"
            body += f"<p>{markup(step.note)}</p>" if step.note else ""
            found.append(f"<details open><summary>{number}. {markup(step.heading)}</summary>{body}</details>")
        return "\n".join(found)


def formulas_of(names: Sequence[str], values: Sequence[Expr]) -> tuple[DerivedFormula, ...]:
    """Return the formulas `name = value` in the form of a textbook."""
    return tuple(DerivedFormula(name, value) for name, value in zip(names, textbook(values), strict=True))


def _escaped(text: str) -> str:
    """Return text for LaTeX."""
    special = {"\\": r"\textbackslash{}", "_": r"\_", "&": r"\&", "%": r"\%", "#": r"\#", "^": r"\^{}", "$": r"\$"}
    special |= {"{": r"\{", "}": r"\}", "~": r"\~{}"}
    return "".join(special.get(character, character) for character in text)
