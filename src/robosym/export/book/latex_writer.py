"""A book in LaTeX, with its pictures as vector commands of no other package than graphicx and svg."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from robosym.algebra.typeset import read_infix, to_latex
from robosym.export.book.blocks import (
    Block,
    BookFigure,
    BookTable,
    Chapter,
    DerivedSteps,
    DisplayedEquation,
    FormulaList,
    Paragraph,
    ProgramText,
    Section,
    segments,
)  # fmt: skip
from robosym.export.derivations.written import DerivedMatrix, Formula, latex_text

if TYPE_CHECKING:
    from robosym.export.book.book import Book

__all__ = ["latex_files"]

_HEAD = r"""\documentclass[10pt,a4paper]{report}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{amsmath,amssymb,graphicx,longtable,booktabs,listings,breqn}
\usepackage[margin=2.4cm]{geometry}
\lstset{basicstyle=\ttfamily\scriptsize,breaklines=true,columns=fullflexible}
\setlength{\parindent}{0pt}\setlength{\parskip}{0.5em}
"""
_LONG_ROW = 76


def latex_files(book: Book, stem: str) -> tuple[str, dict[str, str]]:
    """Return the document, and its pictures (SVG) by file name; the document includes them as PNG of the same name."""
    writer = _Writer(stem)
    lines = [_HEAD, rf"\title{{{latex_text(book.title)}}}", r"\author{}\date{}", r"\begin{document}", r"\maketitle"]
    lines += [writer.image(book.cover, 0.8), r"\tableofcontents"]
    appendix = False
    for chapter in book.chapters:
        if chapter.appendix and not appendix:
            lines.append(r"\appendix")
            appendix = True
        lines += writer.chapter(chapter)
    return "\n".join([*lines, r"\end{document}", ""]), writer.pictures


def _inline(text: str) -> str:
    made = {"text": "{}", "math": "${}$", "code": r"\texttt{{{}}}"}
    return "".join(
        made[kind].format(to_latex(read_infix(part)) if kind == "math" else latex_text(part))
        for kind, part in segments(text)
    )


class _Writer:
    def __init__(self, stem: str) -> None:
        self.stem = stem
        self.pictures: dict[str, str] = {}

    def image(self, svg: str, width: float) -> str:
        name = f"{self.stem}_{len(self.pictures) + 1}"
        self.pictures[f"{name}.svg"] = svg
        return rf"\includegraphics[width={width:.2f}\textwidth]{{{name}}}"

    def chapter(self, chapter: Chapter) -> Iterator[str]:
        yield rf"\chapter{{{latex_text(chapter.title)}}}"
        for block in chapter.blocks:
            yield from self.block(block)

    def block(self, block: Block) -> Iterator[str]:
        match block:
            case Paragraph():
                yield f"{_inline(block.text)}\n"
            case Section():
                yield rf"\section{{{latex_text(block.text)}}}"
            case DisplayedEquation():
                yield rf"\[ {block.latex} \]"
            case FormulaList():
                yield from _formulas(block.formulas)
            case BookTable():
                yield from _table(block)
            case BookFigure():
                for one in (block, *block.beside):
                    yield rf"\begin{{center}}{self.image(one.svg, one.width)}\\{_inline(one.caption)}\end{{center}}"
            case DerivedSteps():
                for step in block.derivation.steps:
                    if step.part:
                        yield rf"\section{{{latex_text(step.part)}}}"
                    yield rf"\paragraph{{{latex_text(step.heading)}}}\mbox{{}}"
                    if step.general:
                        yield rf"\[ {step.general} \]"
                    yield from _formulas(step.formulas)
                    if step.note:
                        yield f"{latex_text(step.note)}\n"
                    if step.posture is not None:
                        image = self.image(step.posture.drawing().svg(), 0.5)
                        yield rf"\begin{{center}}{image}\end{{center}}"
            case ProgramText():
                yield rf"\begin{{lstlisting}}{chr(10)}{block.text}{chr(10)}\end{{lstlisting}}"


def _formulas(formulas: Sequence[Formula]) -> Iterator[str]:
    for formula in formulas:
        if isinstance(formula, DerivedMatrix):
            if formula.widest > _LONG_ROW:
                yield from _formulas(formula.entries())
            else:
                left, right = formula.sides
                yield rf"\[ {to_latex(left)} = {to_latex(right)} \]"
            continue
        left, right = formula.sides
        head = f"{to_latex(left)} = " if not left.empty else ""
        yield rf"\begin{{dmath*}} {head}{to_latex(right)} \end{{dmath*}}"


def _table(block: BookTable) -> Iterator[str]:
    columns = "l" * block.left + "r" * (len(block.head) - block.left)
    yield rf"\begin{{longtable}}{{{columns}}}\caption{{{_inline(block.caption)}}}\\\toprule"
    yield " & ".join(map(_inline, block.head)) + r"\\\midrule\endhead"
    yield from (" & ".join(map(_inline, row)) + r"\\" for row in block.rows)
    yield r"\bottomrule\end{longtable}"
