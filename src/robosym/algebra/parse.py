"""Parse text to expressions with a grammar of this package; user input is never executed.

    sum      = product { ("+" | "-") product }
    product  = sign { ("*" | "/") sign }
    sign     = ("+" | "-") sign | power
    power    = atom [ ("^" | "**") sign ]
    atom     = number | name | function "(" sum { "," sum } ")" | "(" sum ")"

Functions and exponents may also be written as Mathematica does (`Cos[x]`, `ArcTan[x]`, `1.5*^-3`). `Pi` and `pi` are
the number; every other name, including `E` and `I`, is a symbol. The parser is not recursive, so that deeply nested
input cannot exceed the recursion limit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import NamedTuple

from robosym.algebra.graph import Expr, Graph
from robosym.algebra.interpret import numeric_value
from robosym.algebra.operations import FUNCTIONS
from robosym.errors import ExpressionError, closest

__all__ = ["MAX_LENGTH", "parse", "read_number"]

MAX_LENGTH = 50_000  #: characters in one expression; the longest expression that robosym writes has 40,000
_NOT_FINITE = ("inf", "infinity", "nan")  #: names of values that are not finite in other programs
MAX_FUNCTIONS = 100  #: nesting depth of functions, which bounds the evaluation of constants
MAX_OPERANDS = 20_000  #: numbers and names in one expression, with integer powers expanded

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:(?:[eE]|\*\^)[+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*)|(?P<op>\*\*|[-+*/^(),\[\]]))",
    re.ASCII,  # digits are 0 to 9, because other programs do not read other Unicode digits
)
_MATHEMATICA = {f.mathematica: name for name, f in FUNCTIONS.items() if name != "atan2"}  # ArcTan of two: see `_call`
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3, "^": 4}


class _Token(NamedTuple):
    kind: str  # "number", "name", "op" or "end"
    text: str
    column: int


class _Open(NamedTuple):
    """An open bracket on the stack, of a function or of a parenthesis."""

    function: str
    closing: str
    column: int
    depth: int  # number of values on the stack when it was opened


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
    """Convert a number: `3` is exact, `3.0`, `3e2` and `3*^2` of Mathematica are floats."""
    return Fraction(int(text)) if text.isdigit() else float(text.replace("*^", "e"))


def _number(text: str, graph: Graph) -> Expr:
    return graph.number(read_number(text))


def _function(name: str, bracket: str, column: int) -> str:
    known = _MATHEMATICA.get(name, name)
    if known in FUNCTIONS and (bracket == "(" or name in _MATHEMATICA):
        return known
    raise ExpressionError(f"unknown function {name!r}{closest(name, FUNCTIONS)}", column)


def parse(text: str, graph: Graph, number: Callable[[str, Graph], Expr] = _number) -> Expr:
    """Parse one expression into `graph`; an `ExpressionError` has the column of the error.

    `number` converts the text of a number, by default to an integer or a float.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"expected an expression of at most {MAX_LENGTH} characters, found {len(text)}")
    values: list[Expr] = []
    pending: list[tuple[str, int] | _Open] = []  # operators and open brackets
    sizes: dict[Expr, int] = {}  # number of operands of an expanded node, 1 by default
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
                    raise ExpressionError(f"expected a number with fewer digits, found {len(lexeme)} digits", column)
                try:
                    values.append(number(lexeme, graph))
                except ExpressionError as error:
                    raise ExpressionError(str(error), column) from None
                operand_next = False
            elif kind == "name":
                values.append(graph.pi if lexeme in ("Pi", "pi") else graph.zero)  # it may yet be a function
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
                    raise ExpressionError(
                        f"expected at most {MAX_FUNCTIONS} nested functions, found more", previous.column
                    )
                pending.append(_Open(function, ")" if lexeme == "(" else "]", column, len(values)))
                operand_next, previous = True, None
                continue
            if previous.text.lower() in _NOT_FINITE:
                raise ExpressionError(f"expected a finite number, found {_show(previous)}", previous.column)
            values.append(graph.symbol(previous.text))
            previous = None
        if kind == "op" and lexeme in ("+", "-", "*", "/", "^", "**"):
            operator = "^" if lexeme == "**" else lexeme
            # powers are right-associative: 2^3^2 is 2^9
            reduce_until(_PRECEDENCE[operator] + (1 if operator == "^" else 0))
            pending.append((operator, column))
            operand_next = True
        elif lexeme in (",", ")", "]") or kind == "end":
            reduce_until(0)
            opened = pending[-1] if pending else None
            if kind == "end":
                if isinstance(opened, _Open):
                    raise ExpressionError(
                        f"expected {opened.closing!r} for the bracket opened here, found none", opened.column
                    )
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
        raise ExpressionError(f"expected at most {MAX_OPERANDS} operands in an expression, found more")
    result = _combine(graph, operator, left, right)
    if result.args and not _is_finite(result):
        raise ExpressionError("expected a finite result, found an infinite number")
    sizes[result.node] = size
    return result


def _is_finite(value: Expr) -> bool:
    """Return whether a constant such as Pi*1e308 is finite; an expression with symbols is."""
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
    if function == "atan" and len(arguments) == 2:  # ArcTan[x, y] of Mathematica
        function, arguments = "atan2", arguments[::-1]
    arity = FUNCTIONS[function].arity
    if len(arguments) != arity:
        raise ExpressionError(f"expected {arity} argument(s) of {function}, found {len(arguments)}", opened.column)
    try:
        result = graph.function(function, *arguments)
        sizes[result.node] = sum(sizes.get(argument.node, 1) for argument in arguments)
        values.append(result)
    except ExpressionError as error:
        raise ExpressionError(str(error), opened.column) from None
