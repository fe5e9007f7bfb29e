"""One text for one expression, whatever the order in which its graph was built.

`to_text` prints terms in the order in which nodes were made, which differs between two graphs that hold the same
expression. Here the terms of a sum and the factors of a product are sorted, and the sign of a difference is settled by
that order, so that equal expressions have equal texts. Brackets keep every sum and product as it was associated, and
squares are written as powers: reading the text back builds the same nodes again, and the text stays short.
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

_SUM, _PRODUCT, _POWER, _ATOM = 1, 2, 3, 4  # how tightly a text holds together
_LARGEST_POWER = 64  # the graph writes whole powers up to this one as products


class _Term(NamedTuple):
    """A text, how tightly it holds, whether a minus stands before it, and whether it holds no symbol."""

    text: str
    tight: int
    negative: bool
    constant: bool = False
    opposite: str = ""  #: of a sum: minus its text, the minus gone into the terms

    def signed(self, negative: bool) -> _Term:
        return self._replace(negative=self.negative is not negative)

    def bound(self, level: int) -> str:
        """The text without its sign, in brackets where it holds less tightly than `level`."""
        return self.text if self.tight >= level else f"({self.text})"

    @property
    def whole(self) -> str:
        """The text with its sign, as it stands alone."""
        return (self.opposite or f"-{self.text}") if self.negative else self.text

    @property
    def order(self) -> tuple[bool, str]:
        return self.constant, self.text


class _Writer:
    def __init__(self, power: str, pi: str) -> None:
        self.power = power
        self.pi = pi
        self.known: dict[Expr, _Term] = {}
        self.roots: dict[Expr, tuple[Expr, int]] = {}  # of a whole power: what is raised, and to what

    def reference(self, expression: Expr) -> _Term:
        return self.known[expression.node].signed(expression.negative)

    def node(self, node: Expr) -> _Term:
        """The term of a node whose arguments are known."""
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
        # a product needs no brackets in the first place, where reading associates it so by itself
        first, second = sorted((left, right), key=lambda term: (term.tight != _PRODUCT, term.order))
        return _Term(f"{first.bound(_PRODUCT)}*{second.bound(_POWER)}", _PRODUCT, negative, constant)

    def raised(self, node: Expr) -> tuple[Expr, int] | None:
        """`x*x` is (x, 2), `(x*x)*x` is (x, 3): the powers that the graph makes by squaring and multiplying."""
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
            arguments = [self.open_sum(node.args[0])]  # the graph associates the terms of an angle as it likes
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
        """A sum with its nested sums opened, signs in place."""
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
    """`3`, `1/2`, or all digits of a decimal: an exponent, as in 1e-5, is no number to Mathematica."""
    if isinstance(value, Fraction):
        return str(value)
    text = format(Decimal(repr(value)), "f")
    return text if "." in text else f"{text}.0"


def _is_whole_or_half(exponent: Expr) -> bool:
    """Whether `x^exponent` would read back as a product or a root, not as the function pow."""
    return exponent.op == "number" and (exponent.value == Fraction(1, 2) or int(exponent.value) == exponent.value)


def _sum(terms: Sequence[_Term]) -> _Term:
    """The sum of signed terms with the first one in order positive; the sign stands apart."""
    ordered = sorted(terms, key=lambda term: (term.tight != _SUM, term.order))
    negative = ordered[0].negative
    positive = [term.signed(negative) for term in ordered]
    minus = [term.signed(True) for term in positive]
    if minus[0].tight != _SUM:  # Pi/2 - t2, not -t2 + Pi/2; sums stay as they are associated
        minus.sort(key=lambda term: term.negative)
    return _Term(_join(positive), _SUM, negative, all(term.constant for term in terms), _join(minus))


def _join(terms: Sequence[_Term]) -> str:
    head, *rest = terms
    return head.whole + "".join(f" {'-' if term.negative else '+'} {term.bound(_PRODUCT)}" for term in rest)


def canonical_text(expression: Expr, *, power: str = "^", pi: str = "Pi") -> str:
    """The expression in the algebra's own grammar, the same text for every graph that holds it."""
    writer = _Writer(power, pi)
    for node in reachable([expression]):
        writer.known[node] = writer.node(node)
    return writer.reference(expression).whole
