"""The operations of the algebra, each declared once: value, derivative, parity, and name in every library.

A row of this table adds a function to the algebra. Only languages that write or parse it differently from C need a
separate entry.
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
    """Dependence of a node: on nothing, on parameters only (offline), or on joint variables (online)."""

    NUMBER = 0
    OFFLINE = 1
    ONLINE = 2


class Parity(IntEnum):
    """Parity of a function, f(-x) = parity f(x), or none."""

    ODD = -1
    NONE = 0
    EVEN = 1


@dataclass(frozen=True)
class Operation:
    """One operation on numbers; a library name that is not given is the name in the algebra."""

    name: str
    arity: int
    value: Callable[..., float]  #: on floats; raises a Python error if there is no finite value
    partials: Callable[..., Sequence[Expr | Number]]  #: (node, arguments) -> derivative with respect to each argument
    parity: Parity = Parity.NONE
    zero_at_zero: bool = False  #: whether f(0) is exactly 0, as for every odd function
    is_function: bool = True  #: whether it is called by name and counted as a function, unlike + * /
    numpy: str = ""  #: name in NumPy and JAX
    sympy: str = ""
    casadi: str = ""
    mathematica: str = ""
    libm: bool = True  #: whether the math library of C has it for doubles under the same name
    intrinsic: str = ""  #: LLVM intrinsic, if processors have an instruction for it

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
    Operation("atan2", 2, math.atan2, _by_point, numpy="arctan2", mathematica="ArcTan"),  # Mathematica: ArcTan[x, y]
    Operation("sqrt", 1, math.sqrt, lambda f, x: (1 / (2 * f),), libm=False, intrinsic="sqrt"),
    Operation("exp", 1, math.exp, lambda f, x: (f,)),
    Operation("log", 1, math.log, lambda f, x: (1 / x,)),
    Operation("tanh", 1, math.tanh, lambda f, x: (1 - f * f,), Parity.ODD),
    Operation("abs", 1, abs, lambda f, x: (x.graph.function("sign", x),), Parity.EVEN, zero_at_zero=True,
              sympy="Abs", casadi="fabs", libm=False, intrinsic="fabs"),
    Operation("sign", 1, _sign, lambda f, x: (0,), Parity.ODD, libm=False),  # constant except at 0
    Operation("pow", 2, math.pow, _by_base_and_exponent,
              numpy="power", sympy="Pow", casadi="power", mathematica="Power"),
)  # fmt: skip

#: Every operation by name, which is the `op` of its nodes.
OPERATIONS = {row.name: row for row in _ROWS}
#: Operations that are written as a call.
FUNCTIONS = {name: row for name, row in OPERATIONS.items() if row.is_function}
