"""Expressions in many more digits than a processor has: what rounding does to a model is measured against these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from robosym.algebra.graph import Expr
from robosym.algebra.interpret import Arithmetic, interpret
from robosym.algebra.operations import OPERATIONS
from robosym.errors import InputError

__all__ = ["Shadow"]

#: where mpmath's name is not the algebra's
_NAMES = {"abs": "fabs", "pow": "power"}


class _Undefined(ArithmeticError):
    """There is no real, finite value."""


class Shadow(Arithmetic[Any]):
    """Numbers of mpmath with so many digits; a context of its own, so that nobody else's digits change."""

    def __init__(self, digits: int) -> None:
        try:
            from mpmath.ctx_mp import MPContext
        except ImportError:  # pragma: no cover - SymPy brings it
            raise InputError("precision: expected the package mpmath, which comes with SymPy; found none") from None
        self._context = MPContext()  # type: ignore[no-untyped-call]
        self._context.dps = digits
        functions = {name: row.value for name, row in OPERATIONS.items() if not row.is_function}
        super().__init__(functions, {})
        self.pi = +self._context.pi

    def number(self, value: Fraction | float) -> Any:
        if isinstance(value, Fraction):
            return self._context.mpf(value.numerator) / value.denominator
        return self._context.mpf(value)

    def apply(self, node: Expr, arguments: Sequence[Any]) -> Any:
        value = getattr(self._context, _NAMES.get(node.op, node.op))(*arguments)
        if isinstance(value, self._context.mpc):
            raise _Undefined
        return value

    def values(self, nodes: Iterable[Expr], roots: Iterable[Expr], symbols: Mapping[str, float]) -> list[Any] | None:
        """Each root at these values of the symbols; None where one has no real, finite value.

        `nodes` are all those of the roots in an order of evaluation.
        """
        self.symbols = {name: self._context.mpf(value) for name, value in symbols.items()}
        try:
            found = interpret(roots, self, nodes=nodes)
        except (_Undefined, ZeroDivisionError, ValueError, OverflowError):
            return None
        return found if all(map(self._context.isfinite, found)) else None
