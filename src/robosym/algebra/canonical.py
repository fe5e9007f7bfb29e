"""Canonical text of an expression, independent of the order in which its graph was built.

`to_text` prints terms in the order in which nodes were created, which may differ between two graphs with the same
expression. Here the terms of a sum and the factors of a product are sorted, and this order determines the sign of a
difference, so that equal expressions have equal texts. Brackets preserve the association of sums and products, and
repeated factors are written as powers: parsing the text builds the same nodes again, and the text is short.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from robosym.algebra.graph import Expr
from robosym.algebra.interpret import reachable
from robosym.algebra.operations import FUNCTIONS, Parity

__all__ = ["canonical_text"]

_SUM, _PRODUCT, _POWER, _ATOM = 1, 2, 3, 4  # precedence of a text
_LARGEST_POWER = 64  # the graph represents integer powers up to this one as products


class _Term(NamedTuple):
    """A text, its precedence, its sign, and whether it is constant."""

    text: str
    tight: int
    negative: bool
    constant: bool = False
    opposite: str = ""  #: for a sum: text of the negated sum, with the sign in the terms

    def signed(self, negative: bool) -> _Term:
        return self._replace(negative=self.negative is not negative)

    def bound(self, level: int) -> str:
        """Return the text without its sign, in brackets if its precedence is lower than `level`."""
        return self.text if self.tight >= level else f"({self.text})"

    @property
    def whole(self) -> str:
        """Text with its sign."""
        return (self.opposite or f"-{self.text}") if self.negative else self.text

    @property
    def order(self) -> tuple[bool, str]:
        return self.constant, self.text


class _Writer:
    def __init__(self, power: str, pi: str) -> None:
        self.power = power
        self.pi = pi
        self.known: dict[Expr, _Term] = {}
        self.roots: dict[Expr, tuple[Expr, int]] = {}  # base and exponent of integer powers

    def reference(self, expression: Expr) -> _Term:
        return self.known[expression.node].signed(expression.negative)

    def node(self, node: Expr) -> _Term:
        """Return the term of a node whose arguments have been visited."""
        if node.op == "number":
            text = _number(node.value)
            return _Term(text, _PRODUCT if "/" in text else _ATOM, False, True)
        if node.op == "pi":
            return _Term(self.pi, _ATOM, False, True)
        if node.op == "symbol":
            return _Term(str(node.value), _ATOM, False)
        if node.op == "add":
            return _sum([self.reference(argument) for argument in node.args])
        if node.op == "mul":
            return self.product(node)
        if node.op == "div":
            above, below = (self.reference(argument) for argument in node.args)
            text = f"{above.bound(_PRODUCT)}/{below.bound(_POWER)}"
            return _Term(text, _PRODUCT, above.negative is not below.negative, above.constant and below.constant)
        return self.function(node)

    def product(self, node: Expr) -> _Term:
        left, right = (self.reference(argument) for argument in node.args)
        negative = left.negative is not right.negative
        constant = left.constant and right.constant
        raised = self.raised(node)
        if raised is not None:
            self.roots[node] = raised
            base, exponent = raised
            return _Term(f"{self.known[base].bound(_ATOM)}{self.power}{exponent}", _POWER, negative, constant)
        number = node.args[0].value if node.args[0].op == "number" else None
        if number is not None:
            if isinstance(number, Fraction) and number.denominator != 1:  # Pi/2 and 3*Pi/4, not 3/4*Pi
                whole = number.numerator == 1
                above = right.bound(_PRODUCT) if whole else f"{number.numerator}*{right.bound(_POWER)}"
                return _Term(f"{above}/{number.denominator}", _PRODUCT, negative, constant)
            return _Term(f"{left.text}*{right.bound(_POWER)}", _PRODUCT, negative, constant)
        # the first factor needs no brackets, because the parser associates products to the left
        first, second = sorted((left, right), key=lambda term: (term.tight != _PRODUCT, term.order))
        return _Term(f"{first.bound(_PRODUCT)}*{second.bound(_POWER)}", _PRODUCT, negative, constant)

    def raised(self, node: Expr) -> tuple[Expr, int] | None:
        """Return (x, 2) for `x*x` and (x, 3) for `(x*x)*x`: powers built by squaring and multiplying."""
        left, right = node.args
        base, exponent = self.roots.get(left, (left, 1))
        if left is right:
            exponent *= 2
        else:
            base, exponent = self.roots.get(right, (right, 1))
            if base is not left or exponent % 2:
                base, exponent = self.roots.get(left, (left, 1))
                if base is not right or exponent % 2:
                    return None
            exponent += 1
        if exponent > _LARGEST_POWER:
            return (left, 2) if left is right else None
        return base, exponent

    def function(self, node: Expr) -> _Term:
        constant = all(self.reference(argument).constant for argument in node.args)
        if node.op in ("sin", "cos") and node.args[0].op == "add":
            arguments = [self.open_sum(node.args[0])]  # the association of the terms of an angle varies
        else:
            arguments = [self.reference(argument) for argument in node.args]
        if node.op == "pow" and not _is_whole_or_half(node.args[1]):
            base, exponent = (a.bound(_ATOM) if not a.negative else f"({a.whole})" for a in arguments)
            return _Term(f"{base}{self.power}{exponent}", _POWER, False, constant)
        negative = False
        if parity := FUNCTIONS[node.op].parity:
            negative = parity is Parity.ODD and arguments[0].negative
            arguments = [arguments[0]._replace(negative=False)]
        return _Term(f"{node.op}({', '.join(a.whole for a in arguments)})", _ATOM, negative, constant)

    def open_sum(self, expression: Expr) -> _Term:
        """Return a sum with nested sums flattened."""
        terms: list[_Term] = []
        stack = [expression]
        while stack:
            current = stack.pop()
            if current.op == "add":
                stack.extend(current.terms())
            else:
                terms.append(self.reference(current))
        return _sum(terms)


def _number(value: Fraction | float) -> str:
    """Return `3`, `1/2`, or a decimal without exponent, because Mathematica does not read 1e-5 as a number."""
    if isinstance(value, Fraction):
        return str(value)
    text = format(Decimal(repr(value)), "f")
    return text if "." in text else f"{text}.0"


def _is_whole_or_half(exponent: Expr) -> bool:
    """Return whether the parser reads `x^exponent` as a product or a root instead of the function pow."""
    return exponent.op == "number" and (exponent.value == Fraction(1, 2) or int(exponent.value) == exponent.value)


def _sum(terms: Sequence[_Term]) -> _Term:
    """Return the sum of signed terms, with the sign factored out so that the first term is positive."""
    ordered = sorted(terms, key=lambda term: (term.tight != _SUM, term.order))
    negative = ordered[0].negative
    positive = [term.signed(negative) for term in ordered]
    minus = [term.signed(True) for term in positive]
    if minus[0].tight != _SUM:  # Pi/2 - t2, not -t2 + Pi/2; the association of sums is preserved
        minus.sort(key=lambda term: term.negative)
    return _Term(_join(positive), _SUM, negative, all(term.constant for term in terms), _join(minus))


def _join(terms: Sequence[_Term]) -> str:
    head, *rest = terms
    return head.whole + "".join(f" {'-' if term.negative else '+'} {term.bound(_PRODUCT)}" for term in rest)


def canonical_text(expression: Expr, *, power: str = "^", pi: str = "Pi") -> str:
    """Return the canonical text of an expression in the grammar of `parse`."""
    writer = _Writer(power, pi)
    for node in reachable([expression]):
        writer.known[node] = writer.node(node)
    return writer.reference(expression).whole
