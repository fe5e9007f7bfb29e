"""Conversion to and from SymPy (expanded forms, pretty printing, notebooks), and evaluation by mpmath."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from importlib import import_module
from typing import TYPE_CHECKING, Any

from robosym.algebra.interpret import Arithmetic, functions_of, interpret
from robosym.algebra.operations import FUNCTIONS, OPERATIONS
from robosym.errors import ExpressionError

if TYPE_CHECKING:
    import sympy

    from robosym.algebra.graph import Expr, Graph

__all__ = ["Shadow", "from_sympy", "to_sympy"]


def _sympy() -> Any:
    """Return the SymPy module, imported on demand because the import is slow."""
    return import_module("sympy")


class _Sympy(Arithmetic[Any]):
    def __init__(self) -> None:
        self.sympy = _sympy()
        self.pi = self.sympy.pi
        super().__init__(functions_of(self.sympy, "sympy"), {})

    def number(self, value: Fraction | float) -> Any:
        return self.sympy.Rational(value) if isinstance(value, Fraction) else self.sympy.Float(value)

    def symbol(self, node: Expr) -> Any:
        return self.sympy.Symbol(node.value, real=True)


def to_sympy(roots: Iterable[Expr]) -> list[sympy.Expr]:
    """Return the roots as SymPy expressions with real symbols."""
    return interpret(roots, _Sympy())


def from_sympy(expression: sympy.Expr, graph: Graph) -> Expr:
    """Convert a SymPy expression; an `ExpressionError` names a function that the algebra does not have."""
    sympy = _sympy()
    names = {getattr(sympy, f.sympy): name for name, f in FUNCTIONS.items()}
    whole = sympy.sympify(expression)
    image: dict[object, Expr] = {sympy.pi: graph.pi, sympy.E: graph.function("exp", graph.one)}
    for item in sympy.postorder_traversal(whole):
        if item in image:
            continue
        args = [image[argument] for argument in item.args]
        if isinstance(item, sympy.Rational):
            image[item] = graph.number(Fraction(int(item.p), int(item.q)))
        elif isinstance(item, sympy.Float):
            image[item] = graph.number(float(item))
        elif isinstance(item, sympy.Symbol):
            image[item] = graph.symbol(item.name)
        elif isinstance(item, sympy.Add | sympy.Mul):
            image[item] = reduce(graph.add if isinstance(item, sympy.Add) else graph.mul, args)
        elif isinstance(item, sympy.Pow):
            image[item] = graph.power(*args)
        elif item.func in names:
            image[item] = graph.function(names[item.func], *args)
        else:
            raise ExpressionError(f"unknown SymPy function {item.func.__name__} (in {item})")
    return image[whole]


class _Undefined(ArithmeticError):
    """Raised if there is no real, finite value."""


class Shadow(Arithmetic[Any]):
    """Numbers of mpmath with many digits, as a reference for the rounding errors of a model.

    They use a separate mpmath context, so that the global precision does not change.
    """

    def __init__(self, digits: int) -> None:
        self._context = import_module("mpmath.ctx_mp").MPContext()
        self._context.dps = digits
        functions = {name: row.value for name, row in OPERATIONS.items() if not row.is_function}
        super().__init__(functions, {})
        self.pi = +self._context.pi

    def number(self, value: Fraction | float) -> Any:
        if isinstance(value, Fraction):
            return self._context.mpf(value.numerator) / value.denominator
        return self._context.mpf(value)

    def apply(self, node: Expr, arguments: Sequence[Any]) -> Any:
        name = {"abs": "fabs", "pow": "power"}.get(node.op, node.op)  # names that differ in mpmath
        value = getattr(self._context, name)(*arguments)
        if isinstance(value, self._context.mpc):
            raise _Undefined
        return value

    def values(self, nodes: Iterable[Expr], roots: Iterable[Expr], symbols: Mapping[str, float]) -> list[Any] | None:
        """Return the value of each root, or None if one of them has no real, finite value.

        `nodes` are all nodes of the roots in an order of evaluation.
        """
        self.symbols = {name: self._context.mpf(value) for name, value in symbols.items()}
        try:
            found = interpret(roots, self, nodes=nodes)
        except (_Undefined, ZeroDivisionError, ValueError, OverflowError):
            return None
        return found if all(map(self._context.isfinite, found)) else None
