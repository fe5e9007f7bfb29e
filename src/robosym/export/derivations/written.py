"""A derivation as data, and its text, LaTeX and HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Union

from robosym.algebra import POWERS, Expr, to_text
from robosym.algebra.textbook import textbook
from robosym.algebra.typeset import (
    Math,
    legend,
    read_infix,
    read_latex,
    row,
    shortened,
    symbol,
    to_latex,
    to_mathml,
)  # fmt: skip
from robosym.drawing.draw import Drawing, draw
from robosym.errors import InputError
from robosym.files import write_text
from robosym.mechanism import Robot
from robosym.safe_text import markup

__all__ = [
    "STYLE",
    "Derivation",
    "DerivationStep",
    "DerivedFormula",
    "DerivedMatrix",
    "Formula",
    "PosedRobot",
    "StatedFormula",
    "formula_html",
    "formulas_of",
    "latex_text",
]  # fmt: skip

#: style of the steps in an HTML page
STYLE = (
    "details{margin:.5em 0}summary{cursor:pointer;font-weight:600}.formula{display:flex;gap:.35em;"
    "margin:.15em 0 .15em 1.2em;overflow-x:auto}.formula>span:first-child{white-space:nowrap}"
    ".matrix{align-items:center}.general{margin:.3em 0 .3em 1.2em}"
    ".posture{max-width:420px}.posture svg{max-width:100%;height:auto}"
)


@dataclass(frozen=True)
class DerivedFormula:
    """`name = value`, where the value is in the form of a textbook."""

    name: str
    value: Expr

    @property
    def full(self) -> str:
        """Text without shorthand."""
        return f"{self.name} = {to_text(self.value, POWERS)}"

    @property
    def text(self) -> str:
        """Text with C23 for cos(t2 + t3)."""
        return shortened(self.full)

    @property
    def sides(self) -> tuple[Math, Math]:
        """Left and right side."""
        return symbol(self.name), read_infix(self.text.partition(" = ")[2])


@dataclass(frozen=True)
class StatedFormula:
    """An equation given as text; its first side may be empty."""

    full: str

    @property
    def text(self) -> str:
        return shortened(self.full)

    @property
    def sides(self) -> tuple[Math, Math]:
        left, equal, right = self.text.partition(" = ")
        return (read_infix(left), read_infix(right)) if equal else (row(), read_infix(self.text))


@dataclass(frozen=True)
class DerivedMatrix:
    """`name = matrix`; the name is LaTeX, such as {}^{0}T_{1}, with its text beside it."""

    text_name: str
    name: str
    rows: tuple[tuple[Expr, ...], ...]

    @property
    def full(self) -> str:
        return f"{self.text_name} = [{'; '.join(', '.join(line) for line in self._cells)}]"

    @property
    def text(self) -> str:
        return shortened(self.full)

    @property
    def widest(self) -> int:
        """Length of the text of the longest row."""
        return max(sum(len(shortened(cell)) + 3 for cell in line) for line in self._cells)

    def entries(self) -> tuple[DerivedFormula, ...]:
        """Return the entries one below the other: those of a pose by vectors s, n, a and P."""
        if len(self.rows) == 4:
            pairs = [(f"{'snaP'[c]}{'xyz'[r]}", self.rows[r][c]) for c in range(4) for r in range(3)]
        else:
            name = self.text_name
            pairs = [(f"{name}_{r}{c}", x) for r, line in enumerate(self.rows, 1) for c, x in enumerate(line, 1)]
        return tuple(DerivedFormula(name, value) for name, value in pairs)

    @property
    def _cells(self) -> list[list[str]]:
        return [[to_text(entry, POWERS) for entry in line] for line in self.rows]

    @property
    def sides(self) -> tuple[Math, Math]:
        cells = (Math("row", "", tuple(read_infix(shortened(cell)) for cell in line)) for line in self._cells)
        return read_latex(self.name), Math("grid", "[]", tuple(cells))


Formula = Union[DerivedFormula, StatedFormula, DerivedMatrix]


@dataclass(frozen=True)
class PosedRobot:
    """A robot in a position, as the picture of a step."""

    robot: Robot = field(repr=False)
    position: Mapping[str, float]
    values: Mapping[str, float] = field(default_factory=dict)  #: numbers for symbols of the robot

    def drawing(self, size: tuple[int, int] = (420, 320)) -> Drawing:
        """Return the picture."""
        return draw(self.robot, dict(self.position), values=dict(self.values), size=size, hide=("frames",))


@dataclass(frozen=True)
class DerivationStep:
    """One step: its subject, its equation, and the formulas that result for the robot."""

    heading: str
    equation: str = ""  #: the general equation, as text
    general: str = ""  #: the same in LaTeX
    formulas: tuple[Formula, ...] = ()
    note: str = ""  #: a sentence after the formulas
    part: str = ""  #: heading of the part that begins with this step
    posture: PosedRobot | None = None  #: the robot in a position that the step describes

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
        found += [f"With {self._legend()}.", ""] if self.shorthand else []
        for number, step in enumerate(self.steps, 1):
            if step.part:
                found += [step.part, "-" * len(step.part), ""]
            first, *others = step.lines
            found += [f"{number}. {first}", *others, ""]
        return "\n".join(found).rstrip() + "\n"

    @property
    def shorthand(self) -> dict[str, str]:
        """Meaning of the shorthand that the formulas use: {"C23": "cos(t2 + t3)"}."""
        return legend(formula.full for step in self.steps for formula in step.formulas)

    def _legend(self) -> str:
        pairs = [f"{short} = {meaning}" for short, meaning in self.shorthand.items()]
        return ", ".join(pairs)

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
        made: dict[str, Callable[[], str]] = {".txt": self.__str__, ".tex": self.latex, ".html": self.page}
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
        found = [rf"\section*{{{latex_text(self.title)}}}"]
        if self.shorthand:
            found.append(f"With ${to_latex(read_infix(self._legend()))}$.")
        for step in self.steps:
            if step.part:
                found.append(rf"\subsection*{{{latex_text(step.part)}}}")
            found.append(rf"\paragraph{{{latex_text(step.heading)}}}")
            if step.general:
                found.append(rf"\[ {step.general} \]")
            if step.formulas:
                sides = ((to_latex(left), to_latex(right)) for left, right in (f.sides for f in step.formulas))
                rows = " \\\\\n".join(f"{left} &= {right}" if left else f"& {right}" for left, right in sides)
                found.append(f"\\begin{{align*}}\n{rows}\n\\end{{align*}}")
            if step.note:
                found.append(latex_text(step.note))
        return "\n\n".join(found) + "\n"

    def page(self) -> str:
        """Return the derivation as a self-contained HTML page.

        Returns
        -------
        str
            Page with expandable steps; formulas are MathML, which browsers display without a library.
        """
        head = f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{markup(self.title)}</title>'
        style = f"body{{font:16px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em}}{STYLE}"
        return f"{head}<style>{style}</style></head>\n<body>\n{self.body()}\n</body></html>\n"

    def _repr_html_(self) -> str:
        """Return expandable steps for a notebook."""
        return f"<style>{STYLE}</style>{self.body()}"

    def body(self, title: bool = True, opened: bool = True) -> str:
        """Return the expandable steps as HTML, without a style.

        Parameters
        ----------
        title : bool, optional
            Begin with the title.
        opened : bool, optional
            Show the content of all steps, not only their headings.

        Returns
        -------
        str
            Part of a page.
        """
        found = [f"<h3>{markup(self.title)}</h3>"] if title else []
        if self.shorthand:
            found.append(f"<p>With {to_mathml(read_infix(self._legend()))}.</p>")
        for number, step in enumerate(self.steps, 1):
            if step.part:
                found.append(f"<h4>{markup(step.part)}</h4>")
            body = f'<div class="general">{to_mathml(read_latex(step.general))}</div>' if step.general else ""
            body += "".join(map(formula_html, step.formulas))
            body += f"<p>{markup(step.note)}</p>" if step.note else ""
            body += f'<div class="posture">{step.posture.drawing().svg()}</div>' if step.posture else ""
            state = " open" if opened else ""
            found.append(f"<details{state}><summary>{number}. {markup(step.heading)}</summary>{body}</details>")
        return "\n".join(found)


def formula_html(formula: Formula) -> str:
    """Return a formula as HTML, whose right side may be broken into lines."""
    left, right = formula.sides
    first = f"<span>{to_mathml(row(left, Math('sign', '=')))}</span>" if not left.empty else ""
    kind = "formula matrix" if isinstance(formula, DerivedMatrix) else "formula"
    return f'<div class="{kind}">{first}<span>{to_mathml(right)}</span></div>'


def formulas_of(names: Sequence[str], values: Sequence[Expr]) -> tuple[DerivedFormula, ...]:
    """Return the formulas `name = value` in the form of a textbook."""
    return tuple(DerivedFormula(name, value) for name, value in zip(names, textbook(values), strict=True))


def latex_text(text: str) -> str:
    """Return text for LaTeX."""
    special = {"\\": r"\textbackslash{}", "_": r"\_", "&": r"\&", "%": r"\%", "#": r"\#", "^": r"\^{}", "$": r"\$"}
    special |= {"{": r"\{", "}": r"\}", "~": r"\~{}"}
    return "".join(special.get(character, character) for character in text)
