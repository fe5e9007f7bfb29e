"""Formulas for people, typeset: read from infix text or LaTeX, written as LaTeX, MathML and Typst."""

from robosym.algebra.typeset.infix import read_infix
from robosym.algebra.typeset.latex_reader import read_latex
from robosym.algebra.typeset.shorthand import legend, shortened
from robosym.algebra.typeset.tree import Math, row, symbol
from robosym.algebra.typeset.writers import to_latex, to_mathml, to_typst

__all__ = [
    "Math", "legend", "read_infix", "read_latex", "row", "shortened", "symbol", "to_latex", "to_mathml", "to_typst",
]  # fmt: skip
