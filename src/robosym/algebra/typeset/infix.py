"""Infix text, such as `t1 = atan2(X, Y) +- acos(-Z/sqrt(X^2 + Y^2))`, as a typeset formula."""

from __future__ import annotations

import re
from collections.abc import Iterator

from robosym.algebra.typeset.tree import FUNCTIONS, Math, row, symbol

__all__ = ["read_infix"]

_TOKEN = re.compile(r"\s*(\d+(?:\.\d*)?(?:e[+-]?\d+)?|[^\W\d]\w*|\+-|<=|>=|!=|\.\.|\S)")
_RELATIONS = {"=": "=", "<": "<", ">": ">", "<=": "≤", ">=": "≥", "!=": "≠", ",": ",", ";": ";", ":": ":"}
_SIGNS = {"+": "+", "-": "−", "+-": "±"}
_EXPONENT = re.compile(r"(.*)e([+-]?)0*(\d+)\Z")
_BRACKETS = {"(": ")", "[": "]", "|": "|"}


class _Unreadable(Exception):
    """Text that is not a formula."""


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens: list[str] = [found.group(1) for found in _TOKEN.finditer(text)]
        self.place = 0

    @property
    def next(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        token = self.next
        if not token or (expected and token != expected):
            raise _Unreadable
        self.place += 1
        return token

    def whole(self, end: str = "") -> Math:
        """Read sums separated by relations and commas."""
        parts = []
        while self.next and self.next != end:
            if self.next in _RELATIONS:
                parts.append(Math("sign", _RELATIONS[self.take()]))
            elif self.next == "and":
                self.take()
                parts += [Math("space", "wide"), Math("word", "and"), Math("space", "wide")]
            else:
                parts.append(self.sum())
        return row(*parts)

    def sum(self) -> Math:
        parts = []
        if self.next in _SIGNS:
            parts.append(Math("sign", _SIGNS[self.take()]))
        parts.append(self.product())
        while self.next in _SIGNS:
            parts += [Math("sign", _SIGNS[self.take()]), self.product()]
        return row(*parts)

    def product(self) -> Math:
        factors = [self.power()]
        while self.next in ("*", "/"):
            if self.take() == "*":
                factors.append(self.power())
            else:
                factors = [Math("fraction", "", (_bare(_factors(factors)), _bare(self.power())))]
        return _factors(factors)

    def power(self) -> Math:
        base = self.atom()
        while self.next == "'":
            self.take()
            base = Math("scripts", "", (base, row(), Math("sign", "′")))
        if self.next == "^":
            self.take()
            exponent = _bare(self.atom())
            if base.kind == "scripts" and base.parts[2].empty:
                return Math("scripts", "", (*base.parts[:2], exponent))
            if base.kind == "row" and base.parts and base.parts[0].kind == "function":  # sin^2 x
                function, *argument = base.parts
                return row(Math("scripts", "", (function, row(), exponent)), *argument)
            return Math("scripts", "", (base, row(), exponent))
        return base

    def atom(self) -> Math:
        token = self.take()
        if token in _BRACKETS:
            body = self.whole(_BRACKETS[token])
            self.take(_BRACKETS[token])
            return Math("fence", token + _BRACKETS[token], (body,))
        if token[0].isdigit():
            return _number(token)
        if token == "-":
            return row(Math("sign", "−"), self.atom())
        if not (token[0].isalpha() or token[0] == "_"):
            raise _Unreadable
        if self.next == "(" and (token in FUNCTIONS or token == "sqrt"):
            body = self.atom()
            if token == "sqrt":
                return Math("root", "", body.parts)
            (inner,) = body.parts
            single = token in ("sin", "cos", "tan") and inner.kind in ("name", "scripts")
            return row(Math("function", token), inner if single else body)
        return symbol(token)


def _factors(factors: list[Math]) -> Math:
    return row(*_spaced(factors))


def _spaced(factors: list[Math]) -> Iterator[Math]:
    """Yield factors with thin spaces, and a point between two numbers."""
    for k, factor in enumerate(factors):
        if k:
            before = factors[k - 1]
            both = before.kind == factor.kind == "number"
            yield Math("sign", "·") if both else Math("space", "thin")
        yield factor


def _bare(node: Math) -> Math:
    """Return the content of round brackets, which a fraction or an exponent does not need."""
    return node.parts[0] if node.kind == "fence" and node.text == "()" else node


def _number(text: str) -> Math:
    found = _EXPONENT.match(text)
    if not found:
        return Math("number", text)
    digits, sign, exponent = found.groups()
    power = Math("number", ("−" if sign == "-" else "") + exponent)
    ten = Math("scripts", "", (Math("number", "10"), row(), power))
    return row(Math("number", digits), Math("sign", "·"), ten)


def read_infix(text: str) -> Math:
    """Return infix text as a formula; text that is not a formula becomes a word."""
    reader = _Reader(text)
    try:
        found = reader.whole()
    except _Unreadable:
        return Math("word", text)
    return found if reader.place == len(reader.tokens) else Math("word", text)
