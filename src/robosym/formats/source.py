"""The text of a description, with the file name, lines and columns for error messages."""

from __future__ import annotations

import warnings
from bisect import bisect_right
from fractions import Fraction
from typing import NoReturn

from robosym.algebra import Expr, Graph, parse
from robosym.errors import Diagnostic, ExpressionError, FormatError, RobotWarning
from robosym.safe_text import wrong_name as check_name

__all__ = ["MAX_LINE", "Source", "check_name", "whole_number"]

MAX_LINE = 100_000  #: maximum line length in characters


class Source:
    """A text and its origin."""

    def __init__(self, text: str, file: str | None) -> None:
        self.text = text
        self.file = file
        lines = text.split("\n")
        self.starts = [0]
        for number, line in enumerate(lines, 1):
            if len(line) > MAX_LINE:
                message = f"expected lines of at most {MAX_LINE} characters, found {len(line)}"
                raise FormatError(message, file, number)
            self.starts.append(self.starts[-1] + len(line) + 1)

    def fail(self, message: str | Diagnostic, position: int | None) -> NoReturn:
        """Raise a `FormatError` at a position of the text."""
        if position is None:
            raise FormatError(message, self.file)
        raise FormatError(message, self.file, *self.place(position))

    def place(self, position: int) -> tuple[int, int]:
        """Return line and column of a position."""
        line = bisect_right(self.starts, position)
        return line, position - self.starts[line - 1] + 1

    def warn(self, message: str, position: int, code: str = "") -> None:
        """Issue a `RobotWarning` at a position of the text."""
        warnings.warn(RobotWarning(message, self.file, *self.place(position), code=code), stacklevel=2)

    def expression(self, text: str, position: int, what: str, graph: Graph) -> Expr:
        """Parse an entry as an expression; `what` is its place in the robot ("frame 3: theta")."""
        if not text.strip():
            self.fail(f"{what}: expected a number or an expression, found nothing", position)
        try:
            return parse(text, graph)
        except ExpressionError as error:
            self.fail(f"{what}: {error}", position + (error.column or 1) - 1)

    def integer(self, text: str, position: int, what: str) -> int:
        """Parse an entry as an integer."""
        value = self.expression(text, position, what, Graph())
        number = whole_number(value)
        if number is None:
            self.fail(f"{what}: expected an integer, found {shortened(text.strip())}", position)
        return number


def whole_number(value: Expr) -> int | None:
    """Return the integer value of an expression, or None."""
    if value.op == "number" and isinstance(value.value, Fraction) and value.value.denominator == 1:
        return int(value.number)
    return None


def shortened(text: str, length: int = 60) -> str:
    """Shorten a text for a message."""
    return text if len(text) <= length else f"{text[:length]}..."
