"""The operations of the algebra, each declared once: value, derivative, parity, and its name in every library.

A function is added to the algebra by a row of this table; only the languages that write it otherwise than C, or
the parser of a language that reads it otherwise, need a word of their own.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from robosym.algebra.graph import Expr, Number

__all__ = ["FUNCTIONS", "OPERATIONS", "Level", "Operation", "Parity"]


class Level(IntEnum):
    """What a node depends on: nothing, parameters alone (off line), or joint variables (on line)."""

    NUMBER = 0
    OFFLINE = 1
    ONLINE = 2


class Parity(IntEnum):
    """What a minus before the argument does to a function: f(-x) = parity f(x), or nothing that is known."""

    ODD = -1
    NONE = 0
    EVEN = 1


@dataclass(frozen=True)
class Operation:
    """One operation on numbers. Names in libraries are those of the algebra unless they are given."""

    name: str
    arity: int
    value: Callable[..., float]  #: on floats; an error of Python where there is no finite value
    partials: Callable[..., Sequence[Expr | Number]]  #: the node and its arguments -> derivative by each argument
    parity: Parity = Parity.NONE
    zero_at_zero: bool = False  #: exactly; every odd function is
    is_function: bool = True  #: called by name and counted apart; + * / are not
    numpy: str = ""  #: and in JAX, on arrays
    sympy: str = ""
    casadi: str = ""
    mathematica: str = ""
    libm: bool = True  #: whether C's library of mathematics has it for doubles, under the algebra's name
    intrinsic: str = ""  #: LLVM's, where the processor has an instruction for it

    def __post_init__(self) -> None:
        for library in ("numpy", "sympy", "casadi"):
            object.__setattr__(self, library, getattr(self, library) or self.name)
        object.__setattr__(self, "mathematica", self.mathematica or self.name.capitalize())
        object.__setattr__(self, "zero_at_zero", self.zero_at_zero or self.parity is Parity.ODD)


def _sign(x: float) -> float:
    return float((x > 0) - (x < 0)) if x == x else x


def _root_of_complement(x: Expr) -> Expr:
    return x.graph.function("sqrt", 1 - x * x)


def _by_point(_: Expr, y: Expr, x: Expr) -> Sequence[Expr]:
    squared = y * y + x * x
    return x / squared, -y / squared


def _by_base_and_exponent(power: Expr, base: Expr, exponent: Expr) -> Sequence[Expr | Number]:
    by_exponent = 0 if exponent.op == "number" else power * power.graph.function("log", base)
    return exponent * power.graph.power(base, exponent - 1), by_exponent


_ROWS = (
    Operation("add", 2, operator.add, lambda f, a, b: (1, 1), is_function=False, libm=False),
    Operation("mul", 2, operator.mul, lambda f, a, b: (b, a), is_function=False, libm=False, numpy="multiply"),
    Operation("div", 2, operator.truediv, lambda f, a, b: (1 / b, -f / b), is_function=False, libm=False,
              numpy="divide"),
    Operation("sin", 1, math.sin, lambda f, x: (x.graph.function("cos", x),), Parity.ODD),
    Operation("cos", 1, math.cos, lambda f, x: (-x.graph.function("sin", x),), Parity.EVEN),
    Operation("tan", 1, math.tan, lambda f, x: (1 + f * f,), Parity.ODD),
    Operation("asin", 1, math.asin, lambda f, x: (1 / _root_of_complement(x),), Parity.ODD,
              numpy="arcsin", mathematica="ArcSin"),
    Operation("acos", 1, math.acos, lambda f, x: (-1 / _root_of_complement(x),),
              numpy="arccos", mathematica="ArcCos"),
    Operation("atan", 1, math.atan, lambda f, x: (1 / (1 + x * x),), Parity.ODD, numpy="arctan", mathematica="ArcTan"),
    Operation("atan2", 2, math.atan2, _by_point, numpy="arctan2", mathematica="ArcTan"),  # there ArcTan[x, y]
    Operation("sqrt", 1, math.sqrt, lambda f, x: (1 / (2 * f),), libm=False, intrinsic="sqrt"),
    Operation("exp", 1, math.exp, lambda f, x: (f,)),
    Operation("log", 1, math.log, lambda f, x: (1 / x,)),
    Operation("tanh", 1, math.tanh, lambda f, x: (1 - f * f,), Parity.ODD),
    Operation("abs", 1, abs, lambda f, x: (x.graph.function("sign", x),), Parity.EVEN, zero_at_zero=True,
              sympy="Abs", casadi="fabs", libm=False, intrinsic="fabs"),
    Operation("sign", 1, _sign, lambda f, x: (0,), Parity.ODD, libm=False),  # constant where it can be differentiated
    Operation("pow", 2, math.pow, _by_base_and_exponent,
              numpy="power", sympy="Pow", casadi="power", mathematica="Power"),
)  # fmt: skip

#: Every operation by the name that a node has as its `op`.
OPERATIONS = {row.name: row for row in _ROWS}
#: Those that are written as a call.
FUNCTIONS = {name: row for name, row in OPERATIONS.items() if row.is_function}
