"""The expression graph: nodes, constants, parsing, trigonometry, derivatives and the SymPy bridge."""

from robosym.algebra.calculus import derivatives, gradient, rates_of_change
from robosym.algebra.graph import Expr, Graph, Number
from robosym.algebra.interpret import (
    evaluate,
    needed,
    needed_symbols,
    numeric_value,
    reachable,
    rebuild,
    substitute,
    symbols,
)  # fmt: skip
from robosym.algebra.operations import FUNCTIONS, OPERATIONS, Level, Operation
from robosym.algebra.parse import parse
from robosym.algebra.sympy_bridge import from_sympy, to_sympy
from robosym.algebra.text import PLAIN, POWERS, Printer, Style, to_text

__all__ = [
    "FUNCTIONS", "OPERATIONS", "PLAIN", "POWERS", "Expr", "Graph", "Level", "Number", "Operation", "Printer", "Style",
    "derivatives", "evaluate", "from_sympy", "gradient", "needed", "needed_symbols", "numeric_value", "parse",
    "rates_of_change", "reachable", "rebuild", "substitute", "symbols", "to_sympy", "to_text",
]  # fmt: skip
