"""Text to expression, by our own grammar: nothing that a user types is ever run.

    sum      = product { ("+" | "-") product }
    product  = sign { ("*" | "/") sign }
    sign     = ("+" | "-") sign | power
    power    = atom [ ("^" | "**") sign ]
    atom     = number | name | function "(" sum { "," sum } ")" | "(" sum ")"

Functions and exponents may also be written as Mathematica does (`Cos[x]`, `ArcTan[x]`, `1.5*^-3`). `Pi` and `pi` are
the number; every other name, `E` and `I` included, is a symbol. The parser keeps its own stack, so that deep nesting is
no danger.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from robosym.algebra.graph import Expr, Graph
from robosym.algebra.interpret import numeric_value
from robosym.algebra.operations import FUNCTIONS
from robosym.errors import ExpressionError, closest

__all__ = ["MAX_LENGTH", "parse", "read_number"]

MAX_LENGTH = 50_000  #: characters in one expression; the longest that is ever written has 40,000
_NOT_FINITE = ("inf", "infinity", "nan")  #: names that other programs write for numbers that are none
MAX_FUNCTIONS = 100  #: one inside the other; a constant one is evaluated with all that it holds
MAX_OPERANDS = 20_000  #: numbers and names in one expression, its whole powers multiplied out

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:(?:[eE]|\*\^)[+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*)|(?P<op>\*\*|[-+*/^(),\[\]]))",
    re.ASCII,  # digits are 0 to 9: nothing else is a number to the programs that read what we write
)
_MATHEMATICA = {f.mathematica: name for name, f in FUNCTIONS.items() if name != "atan2"}  # ArcTan of two: see `_call`
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3, "^": 4}


class _Token(NamedTuple):
    kind: str  # "number", "name", "op" or "end"
    text: str
    column: int


class _Open(NamedTuple):
    """An open bracket on the stack: of a function, or a plain parenthesis."""

    function: str
    closing: str
    column: int
    depth: int  # how many values stood on the stack


def _tokens(text: str) -> Iterator[_Token]:
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None or found.lastgroup is None:
            rest = text[position:].lstrip(" \t\n\r\f\v")
            if not rest:
                break
            column = len(text) - len(rest) + 1
            raise ExpressionError(f"unexpected character {rest[0]!r}", column)
        yield _Token(found.lastgroup, found[found.lastgroup], found.start(found.lastgroup) + 1)
        position = found.end()
    yield _Token("end", "the end", len(text) + 1)


def read_number(text: str) -> Fraction | float:
    """`3` is exact, `3.0`, `3e2` and Mathematica's `3*^2` are floats."""
    return Fraction(int(text)) if text.isdigit() else float(text.replace("*^", "e"))


def _function(name: str, bracket: str, column: int) -> str:
    known = _MATHEMATICA.get(name, name)
    if known in FUNCTIONS and (bracket == "(" or name in _MATHEMATICA):
        return known
    raise ExpressionError(f"unknown function {name!r}{closest(name, FUNCTIONS)}", column)


def parse(text: str, graph: Graph) -> Expr:
    """Read one expression into `graph`; an `ExpressionError` carries the column where the text goes wrong."""
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"an expression of {len(text)} characters; at most {MAX_LENGTH} are read")
    values: list[Expr] = []
    pending: list[tuple[str, int] | _Open] = []  # operators and open brackets
    sizes: dict[Expr, int] = {}  # operands of a node, written out; 1 for those that are not here
    open_functions = 0
    operand_next = True
    previous: _Token | None = None

    def reduce_until(level: int) -> None:
        while pending and not isinstance(pending[-1], _Open) and _PRECEDENCE[pending[-1][0]] >= level:
            operator, column = pending.pop()  # type: ignore[misc]
            right = values.pop()
            left = None if operator == "neg" else values.pop()
            try:
                values.append(_apply(graph, str(operator), left, right, sizes))
            except ExpressionError as error:
                raise ExpressionError(str(error), int(column)) from None

    for token in _tokens(text):
        kind, lexeme, column = token
        if operand_next:
            if kind == "number":
                if len(lexeme) > 400:
                    raise ExpressionError(f"a number of {len(lexeme)} digits", column)
                try:
                    values.append(graph.number(read_number(lexeme)))
                except ExpressionError as error:
                    raise ExpressionError(str(error), column) from None
                operand_next = False
            elif kind == "name":
                values.append(graph.pi if lexeme in ("Pi", "pi") else graph.zero)  # a symbol is made once it is known
                operand_next = False
                if lexeme not in ("Pi", "pi"):
                    previous = token
                    continue
            elif lexeme == "(":
                pending.append(_Open("", ")", column, len(values)))
            elif lexeme in "+-" and kind == "op":
                pending.append(("neg", column)) if lexeme == "-" else None
            else:
                raise ExpressionError(f"expected a number, a name or '(', found {_show(token)}", column)
            previous = None
            continue
        if previous is not None:
            values.pop()
            if lexeme in ("(", "["):
                function = _function(previous.text, lexeme, previous.column)
                open_functions += 1
                if open_functions > MAX_FUNCTIONS:
                    raise ExpressionError(f"functions nested more than {MAX_FUNCTIONS} deep", previous.column)
                pending.append(_Open(function, ")" if lexeme == "(" else "]", column, len(values)))
                operand_next, previous = True, None
                continue
            if previous.text.lower() in _NOT_FINITE:
                raise ExpressionError(f"expected a finite number, found {_show(previous)}", previous.column)
            values.append(graph.symbol(previous.text))
            previous = None
        if kind == "op" and lexeme in ("+", "-", "*", "/", "^", "**"):
            operator = "^" if lexeme == "**" else lexeme
            # a power binds to the right: 2^3^2 is 2^9
            reduce_until(_PRECEDENCE[operator] + (1 if operator == "^" else 0))
            pending.append((operator, column))
            operand_next = True
        elif lexeme in (",", ")", "]") or kind == "end":
            reduce_until(0)
            opened = pending[-1] if pending else None
            if kind == "end":
                if isinstance(opened, _Open):
                    raise ExpressionError(f"the bracket opened here lacks its {opened.closing!r}", opened.column)
            elif not isinstance(opened, _Open) or (lexeme != opened.closing and lexeme != ","):
                raise ExpressionError(f"unexpected {lexeme!r}", column)
            elif lexeme == ",":
                if not opened.function:
                    raise ExpressionError("unexpected ','", column)
                operand_next = True
            else:
                pending.pop()
                if opened.function:
                    open_functions -= 1
                    _call(graph, opened, values, sizes)
        else:
            raise ExpressionError(f"expected an operator, found {_show(token)}", column)
    return values[0]


def _show(token: _Token) -> str:
    return token.text if token.kind == "end" else repr(token.text)


def _apply(graph: Graph, operator: str, left: Expr | None, right: Expr, sizes: dict[Expr, int]) -> Expr:
    if left is None:
        return -right
    size = sizes.get(left.node, 1) + sizes.get(right.node, 1)
    if operator == "^" and right.op == "number" and right.value <= 64:
        size *= int(right.value) or 1  # (x^64)^64 is a product of 4,096 factors, and so on
    if size > MAX_OPERANDS:
        raise ExpressionError(f"an expression of more than {MAX_OPERANDS} operands")
    result = _combine(graph, operator, left, right)
    if result.args and not _is_finite(result):
        raise ExpressionError("the result is not a finite number")
    sizes[result.node] = size
    return result


def _is_finite(value: Expr) -> bool:
    """Whether a constant such as Pi*1e308 is a number; what holds a symbol is."""
    try:
        number = numeric_value(value)
    except (OverflowError, ZeroDivisionError):
        return False
    return number is None or math.isfinite(number)


def _combine(graph: Graph, operator: str, left: Expr, right: Expr) -> Expr:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left / right
    return graph.power(left, right)


def _call(graph: Graph, opened: _Open, values: list[Expr], sizes: dict[Expr, int]) -> None:
    arguments = values[opened.depth :]
    del values[opened.depth :]
    function = opened.function
    if function == "atan" and len(arguments) == 2:  # Mathematica's ArcTan[x, y]
        function, arguments = "atan2", arguments[::-1]
    arity = FUNCTIONS[function].arity
    if len(arguments) != arity:
        raise ExpressionError(f"{function} takes {arity} argument(s), found {len(arguments)}", opened.column)
    try:
        result = graph.function(function, *arguments)
        sizes[result.node] = sum(sizes.get(argument.node, 1) for argument in arguments)
        values.append(result)
    except ExpressionError as error:
        raise ExpressionError(str(error), opened.column) from None
