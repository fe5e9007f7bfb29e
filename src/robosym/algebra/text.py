"""Print expressions as infix text, for display and for all languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from robosym.algebra.interpret import reachable
from robosym.algebra.operations import Level

if TYPE_CHECKING:
    from robosym.algebra.graph import Expr

__all__ = ["PLAIN", "POWERS", "Printer", "Style", "to_text"]

# precedence of a printed text
_WORDS = re.compile(r"([^\W\d]+)(\d*)")  #: names of symbols, so that t2 precedes t10
_SMALL, _LARGE = 16, 10_000  #: denominators of fractions that people read as such, and of the largest fractions
_DIGITS = 12  #: significant digits of decimals for people
_SUM, _QUOTIENT, _PRODUCT, _POWER, _ATOM = 1, 2, 3, 4, 5


def _exact(value: Fraction | float) -> str:
    """Return `3`, `1/2`, or the shortest decimal that is parsed as the same double."""
    return str(value) if isinstance(value, Fraction) else repr(value)


def _readable(value: Fraction | float) -> str:
    """Return a number for people: fractions of decimals, such as 997/10000, as decimals."""
    if isinstance(value, Fraction) and value.denominator > _SMALL:
        decimal = f"{float(value):.{_DIGITS}g}"
        if Fraction(decimal) == value or value.denominator > _LARGE:
            return decimal
    return _exact(value)


@dataclass(frozen=True)
class Style:
    """Notation of a language for numbers, Pi and functions."""

    number: Callable[[Fraction | float], str] = _exact
    pi: str = "Pi"
    #: functions that differ from the algebra: another name, or a pattern of the arguments such as "({0})^({1})"
    functions: Mapping[str, str] = field(default_factory=dict)
    call: str = "{}({})"
    times: str = "*"
    over: str = "/"
    power: str = ""  #: sign of integer powers, "^"; without it, powers are products

    def function(self, name: str, arguments: Sequence[str]) -> str:
        spelled = self.functions.get(name, name)
        return spelled.format(*arguments) if "{0}" in spelled else self.call.format(spelled, ", ".join(arguments))


PLAIN = Style()
POWERS = Style(power="^", number=_readable)  #: for people
_Piece = tuple[str, int, bool]  # text, precedence, whether it is negative


def _wrap(piece: _Piece, level: int) -> str:
    text, tight, negative = piece
    if negative:
        return f"(-{text})" if tight >= _QUOTIENT else f"(-({text}))"
    return text if tight >= level else f"({text})"


def _join_signed(terms: Sequence[tuple[str, bool]]) -> str:
    """Return `a - b + c`, starting with a positive term if there is one."""
    first = next((i for i, (_, negative) in enumerate(terms) if not negative), 0)
    ordered = [terms[first], *terms[:first], *terms[first + 1 :]]
    head, negative = ordered[0]
    text = f"-{head}" if negative else head
    return text + "".join(f" {'-' if minus else '+'} {term}" for term, minus in ordered[1:])


def _number_piece(text: str) -> _Piece:
    return text, _QUOTIENT if "/" in text else _ATOM, False


class Printer:
    """Print nodes from the texts of their arguments, using names for the nodes in `named`.

    `named` gives the name and whether it is the name of the negated node. Nodes must be passed to `inline` in an order
    of evaluation before a node that uses them is printed.
    """

    def __init__(self, style: Style, named: Callable[[Expr], tuple[str, bool] | None]) -> None:
        self.style = style
        self.named = named
        self.pieces: dict[Expr, _Piece] = {}

    def inline(self, nodes: Iterable[Expr]) -> None:
        """Store the text of nodes without a name; texts of sums are created on demand.

        A long sum is a chain of sums: with a text for each of them, the time would be quadratic in its length.
        """
        for node in nodes:
            if node.op != "add" and self.named(node) is None:
                self.pieces[node] = self.body(node)

    def text(self, reference: Expr) -> str:
        """Return the text of a reference as the right-hand side of an assignment or as an argument."""
        if reference.op == "add" and self.named(reference.node) is None:
            return _join_signed(self.sum_terms(reference.node, reference.negative))
        return _argument(self.reference(reference))

    def definition(self, node: Expr, negative: bool) -> str:
        """Return the right-hand side of the definition of a named node, or of the negated node."""
        if node.op == "add":
            return _join_signed(self.sum_terms(node, negative))
        text, tight, minus = self.body(node)
        return _argument((text, tight, minus is not negative))

    def reference(self, reference: Expr) -> _Piece:
        node = reference.node
        known = self.named(node)
        if known is None and node not in self.pieces and node.op == "add":
            self.pieces[node] = self.body(node)
        text, tight, negative = (known[0], _ATOM, known[1]) if known else self.pieces[node]
        return text, tight, negative is not reference.negative

    def sum_terms(self, node: Expr, negative: bool) -> list[tuple[str, bool]]:
        """Return the signed terms of a sum, flattening nested sums without a name."""
        terms: list[tuple[str, bool]] = []
        stack = list(reversed(node.signed(negative).terms()))
        while stack:
            current = stack.pop()
            if current.op == "add" and self.named(current.node) is None:
                stack.extend(reversed(current.terms()))
            else:
                text, tight, minus = self.reference(current)
                terms.append((text if tight >= _QUOTIENT else f"({text})", minus))
        return terms

    def body(self, node: Expr) -> _Piece:
        """Return the text of a node in terms of its arguments, even if the node has a name."""
        style = self.style
        if node.op == "number":
            return _number_piece(style.number(node.value))
        if node.op == "pi":
            return _number_piece(style.pi)
        if node.op == "symbol":
            return str(node.value), _ATOM, False
        if node.op == "add":
            terms = self.sum_terms(node, False)
            if all(negative for _, negative in terms):
                return _join_signed([(text, False) for text, _ in terms]), _SUM, True
            return _join_signed(terms), _SUM, False
        if node.op == "mul":
            if style.power:
                return self.product(node)
            left, right = (self.reference(argument) for argument in node.args)
            negative = left[2] is not right[2]
            if node.args[0].op == "number" and "/" in left[0]:  # Pi/2 and 3*Pi/4 instead of 3/4*Pi
                above, below = left[0].split("/")
                factor = "" if above == "1" else above + style.times
                return factor + _wrap((*right[:2], False), _POWER) + style.over + below, _QUOTIENT, negative
            # a*(b/c) and (a*b)/c round differently, so that a quotient on the right needs brackets
            texts = _wrap((*left[:2], False), _QUOTIENT), _wrap((*right[:2], False), _PRODUCT)
            return style.times.join(texts), _QUOTIENT if left[1] == _QUOTIENT else _PRODUCT, negative
        if node.op == "div":
            left, right = (self.reference(argument) for argument in node.args)
            negative = left[2] is not right[2]
            over = _wrap((*left[:2], False), _QUOTIENT), _wrap((*right[:2], False), _POWER)
            return style.over.join(over), _QUOTIENT, negative
        if style.power and node.op in ("sin", "cos") and node.args[0].op == "add":
            return style.function(node.op, [self.angle(node.args[0])]), _ATOM, False
        arguments = [self.text(argument) for argument in node.args]
        return style.function(node.op, arguments), _ATOM, False

    def product(self, node: Expr) -> _Piece:
        """Return a product in the order of a book: number, powers of symbols, of functions, of sums."""
        powers: dict[Expr, int] = {}
        negative = False
        stack = list(node.args)
        while stack:
            current = stack.pop()
            if current.op == "mul" and self.named(current.node) is None:
                stack.extend(current.args)
                negative ^= current.negative
            else:
                powers[current.node] = powers.get(current.node, 0) + 1
                negative ^= self.reference(current)[2]
        texts = []
        for factor in sorted(powers, key=self.rank):
            text, tight, _ = self.reference(factor)
            raised = powers[factor] > 1
            text = text if tight >= (_ATOM if raised else _PRODUCT) else f"({text})"
            texts.append(f"{text}{self.style.power}{powers[factor]}" if raised else text)
        if len(texts) == 1:
            return texts[0], _POWER, negative
        if texts[0].startswith("(") and "/" in texts[0] and self.rank(min(powers, key=self.rank))[0] == 0:
            above, below = texts[0][1:-1].split("/")  # Pi/2 and 3*Pi/4 instead of 3/4*Pi
            rest = self.style.times.join([above, *texts[1:]] if above != "1" else texts[1:])
            return f"{rest}{self.style.over}{below}", _QUOTIENT, negative
        return self.style.times.join(texts), _PRODUCT, negative

    def rank(self, factor: Expr) -> tuple[int, list[tuple[str, int]]]:
        """Return the place of a factor in a product, or of an angle in a sum, by kind and by name."""
        node = factor.node
        known = self.named(node)
        kinds = {"number": 0, "pi": 1, "symbol": 2 if node.level is not Level.ONLINE else 3, "add": 5, "div": 6}
        kind = 3 if known else kinds.get(node.op, 4)
        name = known[0] if known else str(node.value) if node.op == "symbol" else self.pieces.get(node, ("",))[0]
        return kind, [(word, int(number or 0)) for word, number in _WORDS.findall(name)]

    def angle(self, argument: Expr) -> str:
        """Return a sum of angles: positive ones first, each part in the order of the joints."""
        terms = []
        stack = [argument]
        while stack:
            current = stack.pop()
            if current.op == "add" and self.named(current.node) is None:
                stack.extend(current.terms())
            else:
                terms.append(current)
        terms.sort(key=lambda term: (term.level is Level.NUMBER, self.rank(term)[1]))
        pieces = sorted((self.reference(term) for term in terms), key=lambda piece: piece[2])
        return _join_signed([(text if tight >= _QUOTIENT else f"({text})", minus) for text, tight, minus in pieces])


def _argument(piece: _Piece) -> str:
    text, tight, negative = piece
    if not negative:
        return text
    return f"-{text}" if tight >= _QUOTIENT else f"-({text})"


def to_text(expression: Expr, style: Style = PLAIN) -> str:
    """Return the complete expression on one line, by default in the grammar of `parse`."""
    printer = Printer(style, lambda node: None)
    printer.inline(reachable([expression]))
    return printer.text(expression)
