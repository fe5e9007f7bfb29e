"""To and from SymPy, the bridge for people: expanded forms, pretty printing, notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from importlib import import_module
from typing import TYPE_CHECKING, Any

from robosym.algebra.interpret import Arithmetic, functions_of, interpret
from robosym.algebra.operations import FUNCTIONS
from robosym.errors import ExpressionError

if TYPE_CHECKING:
    import sympy

    from robosym.algebra.graph import Expr, Graph

__all__ = ["from_sympy", "to_sympy"]


def _sympy() -> Any:
    """SymPy, loaded only when it is asked for: it takes longer to load than all the rest."""
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
    """The roots as SymPy expressions; every symbol is real."""
    return interpret(roots, _Sympy())


def from_sympy(expression: sympy.Expr, graph: Graph) -> Expr:
    """A SymPy expression in `graph`; an `ExpressionError` names what the algebra does not know."""
    sympy = _sympy()
    names = {getattr(sympy, f.sympy): name for name, f in FUNCTIONS.items()}
    image: dict[Any, Expr] = {}
    for item in sympy.postorder_traversal(sympy.sympify(expression)):
        if item in image:
            continue
        args = [image[argument] for argument in item.args] if item.args else []
        if item is sympy.pi:
            image[item] = graph.pi
        elif item is sympy.E:
            image[item] = graph.function("exp", graph.one)
        elif isinstance(item, sympy.Rational):
            image[item] = graph.number(Fraction(int(item.p), int(item.q)))
        elif isinstance(item, sympy.Float):
            image[item] = graph.number(float(item))
        elif isinstance(item, sympy.Symbol):
            image[item] = graph.symbol(item.name)
        elif isinstance(item, sympy.Add | sympy.Mul):
            total = args[0]
            for other in args[1:]:
                total = total + other if isinstance(item, sympy.Add) else total * other
            image[item] = total
        elif isinstance(item, sympy.Pow):
            image[item] = graph.power(args[0], args[1])
        elif item.func in names:
            image[item] = graph.function(names[item.func], *args)
        else:
            raise ExpressionError(f"SymPy's {item.func.__name__} has no counterpart here (in {item})")
    return image[sympy.sympify(expression)]
