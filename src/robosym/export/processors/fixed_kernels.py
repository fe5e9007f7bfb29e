"""LLVM IR of models in fixed-point arithmetic, in the formats of `runtime/fixed_point`; integers only.

Sine and cosine are computed with 32 fractional bits: the angle becomes a number of quarter turns, whose fraction is the
argument of Taylor polynomials. Roots, magnitudes and signs are integer arithmetic, too; other functions are computed in
double precision.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from robosym.algebra import FUNCTIONS, Expr
from robosym.errors import InputError
from robosym.export.processors.row_kernels import complete_module, functions_of_numbers
from robosym.export.processors.state_kernels import StateFunction
from robosym.runtime.fixed_point import FixedPoint
from robosym.runtime.lanes import Format, Lines, literal
from robosym.runtime.row_loops import BRANCH_WEIGHTS

__all__ = ["fixed_kernels"]

_BITS = 32  #: fractional bits of sine and cosine before they are rounded to their formats
_IN_INTEGERS = frozenset(("sin", "cos", "sqrt", "abs", "sign"))
_TERMS = 6  #: terms of the polynomials: the next one is below 2^-36 for an eighth of a turn


def fixed_kernels(functions: Mapping[str, FixedPoint]) -> str:
    """Return a module of IR with one exported function per model, of 32-bit integers."""
    parts = [_Fixed(formats).function(name) for name, formats in functions.items()]
    used = {node.op for formats in functions.values() for node in formats.model.nodes}
    parts += [_turn(), _ROOT] if used & {"sin", "cos", "sqrt"} else []
    rest = {op for op in used if op in FUNCTIONS} - _IN_INTEGERS
    if rest:
        parts += [BRANCH_WEIGHTS, *functions_of_numbers(rest, Format(False, 1, False))]
    return complete_module("\n".join(parts))


class _Fixed(StateFunction):
    """The function of a model in integers of 32 bits."""

    def __init__(self, formats: FixedPoint) -> None:
        super().__init__(formats.model, "i32", {})
        self.formats = formats
        self.turned: dict[Expr, str] = {}

    def operand(self, reference: Expr) -> str:
        value = self.values[reference.node]
        return value if reference is reference.node else self.new(f"sub i32 0, {value}")

    def _shifted(self, kind: str, value: str, places: int) -> str:
        """Return a value times 2^places; a shift to the right rounds towards minus infinity."""
        bits = int(kind[1:])
        if places == 0:
            return value
        if places > 0:  # the formats suffice: only zero is shifted beyond the word
            return "0" if places >= bits else self.new(f"shl {kind} {value}, {places}")
        return self.new(f"ashr {kind} {value}, {min(-places, bits - 1)}")

    def value(self, node: Expr) -> str:
        fractions = self.formats.fractions
        own = fractions[node]
        if not node.args:
            exact = Fraction(math.pi) if node.op == "pi" else Fraction(node.value)
            return str(round(exact * Fraction(2) ** own))
        if node.op in ("sin", "cos"):
            return self._turned(node, own)
        given = [self.operand(a) for a in node.args]
        below = [fractions[a.node] for a in node.args]
        match node.op:
            case "add":
                total, *others = [self._shifted("i32", x, own - f) for x, f in zip(given, below, strict=True)]
                for other in others:
                    total = self.new(f"add i32 {total}, {other}")
                return total
            case "mul":
                a, b = (self.new(f"sext i32 {x} to i64") for x in (given[0], given[-1]))
                product = self._shifted("i64", self.new(f"mul i64 {a}, {b}"), own - below[0] - below[-1])
                return self.new(f"trunc i64 {product} to i32")
            case "div":
                a, b = (self.new(f"sext i32 {x} to i64") for x in given)
                above = self._shifted("i64", a, own - below[0] + below[1])
                return self.new(f"trunc i64 {self.new(f'sdiv i64 {above}, {b}')} to i32")
            case "abs":
                minus = self.new(f"sub i32 0, {given[0]}")
                turns = self.new(f"icmp slt i32 {given[0]}, 0")
                return self._shifted("i32", self.new(f"select i1 {turns}, i32 {minus}, i32 {given[0]}"), own - below[0])
            case "sign":
                up, down = (self.new(f"icmp {word} i32 {given[0]}, 0") for word in ("sgt", "slt"))
                low = self.new(f"select i1 {down}, i32 {-(2**own)}, i32 0")
                return self.new(f"select i1 {up}, i32 {2**own}, i32 {low}")
            case "sqrt":
                wide = self._shifted("i64", self.new(f"sext i32 {given[0]} to i64"), 2 * own - below[0])
                return self.new(f"trunc i64 {self.new(f'call i64 @robosym_fixed_root(i64 {wide})')} to i32")
        return self._in_double(node, given, below, own)

    def _turned(self, node: Expr, own: int) -> str:
        """Return sine or cosine, rounded to the format."""
        [argument] = node.args
        if argument not in self.turned:
            fraction = self.formats.fractions[argument.node]
            if fraction < 1:
                raise InputError("ranges: expected angles below 2^30 rad")
            value = self._shifted("i32", self.operand(argument), min(_BITS - fraction, 0))
            self.turned[argument] = self.new(
                f"call {{i64, i64}} @robosym_fixed_turn(i32 {value}, i64 {min(fraction, _BITS)})"
            )
        wide = self.new(f"extractvalue {{i64, i64}} {self.turned[argument]}, {int(node.op == 'cos')}")
        rounded = self.new(f"add i64 {wide}, {1 << (_BITS - own - 1)}")
        return self.new(f"trunc i64 {self._shifted('i64', rounded, own - _BITS)} to i32")

    def _in_double(self, node: Expr, given: list[str], below: list[int], own: int) -> str:
        """Return any other function, computed in double precision and rounded to the format."""
        numbers = [self.new(f"sitofp i32 {x} to double") for x in given]
        numbers = [self.new(f"fmul double {x}, {literal(2.0**-f)}") for x, f in zip(numbers, below, strict=True)]
        found = self.new(f"call double @robosym_{node.op}({', '.join(f'double {x}' for x in numbers)})")
        large = self.new(f"fmul double {found}, {literal(2.0**own)}")
        negative = self.new(f"fcmp olt double {large}, {literal(0.0)}")
        half = self.new(f"select i1 {negative}, double {literal(-0.5)}, double {literal(0.5)}")
        return self.new(f"fptosi double {self.new(f'fadd double {large}, {half}')} to i32")


_ROOT = """
define internal i64 @robosym_fixed_root(i64 %given) noinline {
start:
  %n = call i64 @llvm.smax.i64(i64 %given, i64 0)
  br label %loop
loop:
  %left = phi i64 [%n, %start], [%left1, %loop]
  %root = phi i64 [0, %start], [%root1, %loop]
  %bit = phi i64 [4611686018427387904, %start], [%bit1, %loop]
  %trial = add i64 %root, %bit
  %fits = icmp uge i64 %left, %trial
  %less = sub i64 %left, %trial
  %left1 = select i1 %fits, i64 %less, i64 %left
  %half = lshr i64 %root, 1
  %more = add i64 %half, %bit
  %root1 = select i1 %fits, i64 %more, i64 %half
  %bit1 = lshr i64 %bit, 2
  %done = icmp eq i64 %bit1, 0
  br i1 %done, label %end, label %loop
end:
  ret i64 %root1
}
declare i64 @llvm.smax.i64(i64, i64)"""


def _turn() -> str:
    """Return the function of sine and cosine with 32 fractional bits, of an angle with a number of fractional bits."""
    high, low = divmod(round(2 / _PI * 2**63), 2**32)  # 31 fractional bits, and 32 more
    code = Lines("p")
    lines = [
        f"  %high = mul i64 %wide, {high}", f"  %low0 = mul i64 %wide, {low}", "  %low = ashr i64 %low0, 32",
        "  %turns = add i64 %high, %low",  # quarter turns with f + 31 fractional bits
    ]  # fmt: skip
    sine = _polynomial(code, [(-1) ** k * _quarter(2 * k + 1) for k in range(_TERMS)])
    cosine = _polynomial(code, [(-1) ** k * _quarter(2 * k) for k in range(_TERMS + 1)])
    return "\n".join([
        "define internal {i64, i64} @robosym_fixed_turn(i32 %x, i64 %f) noinline {",
        "  %wide = sext i32 %x to i64", *lines,
        "  %place = add i64 %f, 31", "  %before = add i64 %f, 30", "  %near = shl i64 1, %before",
        "  %nearest = add i64 %turns, %near", "  %n = ashr i64 %nearest, %place", "  %whole = shl i64 %n, %place",
        "  %rest = sub i64 %turns, %whole", "  %excess = sub i64 %f, 1", "  %unit = shl i64 1, %excess",
        "  %some = lshr i64 %unit, 1", "  %rounded = add i64 %rest, %some", "  %r = ashr i64 %rounded, %excess",
        "  %square = mul i64 %r, %r", f"  %square1 = add i64 %square, {2**31}", "  %z = ashr i64 %square1, 32",
        *(f"  {line}" for line in code.lines),
        f"  %slope = ashr i64 {sine}, 1", "  %product = mul i64 %r, %slope",
        f"  %product1 = add i64 %product, {2**30}", "  %s = ashr i64 %product1, 31",
        "  %odd = trunc i64 %n to i1", f"  %first = select i1 %odd, i64 {cosine}, i64 %s",
        f"  %second = select i1 %odd, i64 %s, i64 {cosine}",
        "  %n1 = add i64 %n, 1", "  %n2 = lshr i64 %n, 1", "  %n3 = lshr i64 %n1, 1",
        "  %turned = trunc i64 %n2 to i1", "  %turned2 = trunc i64 %n3 to i1",
        "  %less = sub i64 0, %first", "  %less2 = sub i64 0, %second",
        "  %sine = select i1 %turned, i64 %less, i64 %first",
        "  %cosine = select i1 %turned2, i64 %less2, i64 %second",
        "  %one = insertvalue {i64, i64} poison, i64 %sine, 0",
        "  %both = insertvalue {i64, i64} %one, i64 %cosine, 1", "  ret {i64, i64} %both", "}",
    ])  # fmt: skip


_PI = Fraction("3.14159265358979323846264338327950288419716939937510582")


def _quarter(power: int) -> int:
    """Return (pi/2)^power / power! with 32 fractional bits."""
    exact: Fraction = (_PI / 2) ** power / math.factorial(power) * 2**_BITS
    return round(exact)


def _polynomial(code: Lines, coefficients: list[int]) -> str:
    """Return the value at z by Horner's rule, with 32 fractional bits."""
    *rest, last = coefficients
    found = str(last)
    for coefficient in reversed(rest):
        product = code.new(f"add i64 {code.new(f'mul i64 {found}, %z')}, {2**31}")
        found = code.new(f"add i64 {code.new(f'ashr i64 {product}, 32')}, {coefficient}")
    return found
