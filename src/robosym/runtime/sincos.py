"""Sine and cosine of vectors in LLVM IR, within one unit in the last place, without tables or branches per lane.

The argument is reduced by multiples of pi/2 in three parts (Cody and Waite) whose products are exact up to a limit; the
polynomials on [-pi/4, pi/4] for doubles are those of fdlibm (k_sin.c, k_cos.c). Single precision is computed in single
precision if the processor has fused multiply-add, else in doubles. Beyond the limit, libm is called.

The code is inlined and interleaved for several angles, which hides instruction latency.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from robosym.runtime.lanes import STAY, Constants, Format, literal

__all__ = ["LIMIT", "Turned", "sine_and_cosine", "turned"]

LIMIT = 2.0**17  #: largest angle in double precision that is reduced without libm
SINGLE_LIMIT = 2.0**10  #: the same in single precision


@dataclass(frozen=True)
class _Precision:
    """Constants of one precision."""

    kind: str
    bits: int
    limit: float  #: maximum |x| for which products with the parts of pi/2 are exact
    rounder: float  #: adding it rounds to an integer, which is then in the low bits
    parts: tuple[float, float, float]  #: sum to pi/2
    sine: tuple[float, ...]  #: sin(r) = r + r z (s0 + s1 z + ...), z = r^2
    cosine: tuple[float, ...]  #: cos(r) = 1 - z/2 + z^2 (c0 + c1 z + ...)


_DOUBLE = _Precision(
    "double", 64, LIMIT, 1.5 * 2.0**52,
    # 36 bits, 36 bits, and the rest: exact products with or without fused multiply-add
    (float.fromhex("0x1.921fb5444p+0"), float.fromhex("0x1.68c234c4cp-39"), float.fromhex("0x1.98a2e03707345p-77")),
    (
        -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
        2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10,
    ),
    (
        4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
        -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11,
    ),
)  # fmt: skip
_SINGLE = _Precision(
    "float", 32, SINGLE_LIMIT, 1.5 * 2.0**23,
    # 24 bits, 14 bits, and the rest: the first product is exact only with fused multiply-add
    (float.fromhex("0x1.921fb6p+0"), float.fromhex("-0x1.7778p-25"), float.fromhex("-0x1.2e7b96p-40")),
    # minimal relative error up to 0.8, each rounded before the next was fitted: 2^-27.7 and 2^-32.6
    (-0.16666653752326965, 0.008332095108926296, -0.00019505539967212826),
    (0.04166664183139801, -0.0013887130189687014, 2.4412080165348016e-05),
)  # fmt: skip
TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")


def _kernel(lanes: int, precision: _Precision, fused: bool, number: Callable[[float], str]) -> list[str]:
    """Return code that computes %s, %c and %size = |x| of the vector @x; `number` writes a constant."""
    bits = precision.bits
    v, i, b = f"<{lanes} x {precision.kind}>", f"<{lanes} x i{bits}>", f"<{lanes} x i1>"
    together = "fma" if fused else "fmuladd"

    def whole(value: int) -> str:
        return f"<{', '.join([f'i{bits} {value}'] * lanes)}>"

    def sum_of(name: str, a: str, b: str, c: str) -> str:
        """Return %name = a b + c, fused if possible."""
        return f"%{name} = call {v} @llvm.{together}.v{lanes}f{bits}({v} {a}, {v} {b}, {v} {c})"

    def polynomial(name: str, coefficients: Sequence[float]) -> list[str]:
        """Evaluate a polynomial in %z by Horner's scheme; the result is %name0."""
        names = [*(f"%{name}{k}" for k in range(len(coefficients) - 1)), number(coefficients[-1])]
        steps = range(len(coefficients) - 2, -1, -1)
        return [sum_of(f"{name}{k}", names[k + 1], "%z", number(coefficients[k])) for k in steps]

    high = number(-precision.parts[0])
    middle, low = (number(part) for part in precision.parts[1:])
    middle_back = number(-precision.parts[1])
    return [
        # n = round(x 2/pi), and x - n pi/2 = r - y
        sum_of("shifted", "@x", number(TWO_OVER_PI), number(precision.rounder)),
        f"%n = fsub {v} %shifted, {number(precision.rounder)}",
        sum_of("r1", "%n", high, "@x"),
        sum_of("r", "%n", middle_back, "%r1"),
        f"%lost = fsub {v} %r, %r1",
        sum_of("y1", "%n", middle, "%lost"),
        sum_of("y", "%n", low, "%y1"),
        f"%z = fmul {v} %r, %r",
        # sin(r - y) = r - (r z p + y), which preserves the sign of zero
        *polynomial("p", [-c for c in precision.sine]),
        f"%rz = fmul {v} %z, %r",
        sum_of("below", "%rz", "%p0", "%y"),
        f"%sine = fsub {v} %r, %below",
        # cos(r - y) = w + (((1 - w) - z/2) + r y + z z q), w = 1 - z/2
        *polynomial("q", precision.cosine),
        f"%half_z = fmul {v} %z, {number(0.5)}",
        f"%w = fsub {v} {number(1.0)}, %half_z",
        f"%w_lost = fsub {v} {number(1.0)}, %w",
        f"%w_rest = fsub {v} %w_lost, %half_z",
        sum_of("beside", "%r", "%y", "%w_rest"),
        f"%zz = fmul {v} %z, %z",
        sum_of("small", "%zz", "%q0", "%beside"),
        f"%cosine = fadd {v} %w, %small",
        # the quadrant is in the low bits of n: it swaps sine and cosine and sets their signs
        f"%sign = bitcast {v} {number(-0.0)} to {i}",
        f"%bits = bitcast {v} %shifted to {i}",
        f"%odd = shl {i} %bits, {whole(bits - 1)}",
        f"%straight = icmp sge {i} %odd, {whole(0)}",
        f"%s_size = select {b} %straight, {v} %sine, {v} %cosine",
        f"%c_size = select {b} %straight, {v} %cosine, {v} %sine",
        f"%s_turn = shl {i} %bits, {whole(bits - 2)}",
        f"%s_sign = and {i} %s_turn, %sign",
        f"%c_turn = xor {i} %s_turn, %odd",
        f"%c_sign = and {i} %c_turn, %sign",
        f"%s_bits = bitcast {v} %s_size to {i}",
        f"%c_bits = bitcast {v} %c_size to {i}",
        f"%s_signed = xor {i} %s_bits, %s_sign",
        f"%c_signed = xor {i} %c_bits, %c_sign",
        f"%s = bitcast {i} %s_signed to {v}",
        f"%c = bitcast {i} %c_signed to {v}",
        f"%x_bits = bitcast {v} @x to {i}",
        f"%x_sign = and {i} %x_bits, %sign",
        f"%x_plain = xor {i} %x_bits, %x_sign",
        f"%size = bitcast {i} %x_plain to {v}",
    ]


@dataclass(frozen=True)
class Turned:
    """Instructions and result names: sines, cosines, and whether an angle is beyond the limit."""

    lines: list[str]
    sines: list[str]
    cosines: list[str]
    far: str


def turned(form: Format, constants: Constants | None, angles: Sequence[str], name: str) -> Turned:
    """Return interleaved code for sines and cosines of several vectors; `name` is a prefix of all names."""
    values: list[float] = []

    def number(value: float) -> str:
        if constants is None:
            return f"<{', '.join([f'{form.scalar} {literal(value, form.single)}'] * form.lanes)}>"
        if value not in values:
            values.append(value)
        return f"#{values.index(value)}#"

    def own(line: str, k: int) -> list[str]:
        """Return a line for angle k.

        Each angle has its own copy of the constants as memory operands: a shared one would be loaded into a register
        and, since these are few, spilled to the stack.
        """
        line = re.sub(r"%(?=[a-z])", f"%{name}{k}_", line).replace("@x", angles[k])
        return [line] if constants is None else _with_loads(line, constants, values, f"{name}{k}_", k, written)

    precision = _SINGLE if form.single else _DOUBLE
    written = count()
    instructions: list[str] = []
    for line in _kernel(form.lanes, precision, form.fused, number):
        for k in range(len(angles)):
            instructions += own(line, k)
        if constants is not None and "= call" in line:
            instructions.append(STAY)  # LLVM would compute one angle after the other
    # one comparison for all: the sum is rarely above the limit if no term is, and NaN propagates
    total = f"%{name}0_size"
    for k in range(1, len(angles)):
        instructions.append(f"%{name}total{k} = fadd {form.vector} {total}, %{name}{k}_size")
        total = f"%{name}total{k}"
    bits = f"<{form.lanes} x i1>"
    limit = f"%{name}outside = fcmp ugt {form.vector} {total}, {number(precision.limit)}"
    instructions += [limit] if constants is None else _with_loads(limit, constants, values, name, 0, written)
    instructions += [
        f"%{name}far = call i1 @llvm.vector.reduce.or.v{form.lanes}i1({bits} %{name}outside)",
    ]
    sines, cosines = ([f"%{name}{k}_{which}" for k in range(len(angles))] for which in "sc")
    return Turned(instructions, sines, cosines, f"%{name}far")


def _with_loads(
    line: str, constants: Constants, values: Sequence[float], name: str, copy: int, written: Iterator[int]
) -> list[str]:
    """Load each constant of a line, written as #k#, before it."""
    found: list[str] = []
    for place in dict.fromkeys(re.findall(r"#(\d+)#", line)):
        number = f"{name}number{next(written)}"
        found += constants.load(values[int(place)], number, copy)
        line = line.replace(f"#{place}#", f"%{number}")
    return [*found, line]


def sine_and_cosine(form: Format) -> str:
    """Return the IR of `{sin, cos} @sincos(x)` on vectors, and the declarations that `turned` needs."""
    lanes, v = form.lanes, form.vector
    d = f"<{lanes} x double>"
    own = form if form.turns else replace(form, single=False)
    near = turned(own, None, ["%x"], "near")

    def converted(name: str, value: str, source: str, target: str) -> str:
        how = "bitcast" if source == target else "fpext" if target == d else "fptrunc"
        return f"%{name} = {how} {source} {value} to {target}"

    lines = "\n  ".join([converted("x", "%given", v, own.vector), *near.lines])
    return f"""
declare i1 @llvm.vector.reduce.or.v{lanes}i1(<{lanes} x i1>)
declare {own.vector} @llvm.fma.{own.suffix}({own.vector}, {own.vector}, {own.vector})
declare {own.vector} @llvm.fmuladd.{own.suffix}({own.vector}, {own.vector}, {own.vector})

define internal {{{v}, {v}}} @sincos({v} %given) noinline {{
near:
  {lines}
  {converted("s_near", near.sines[0], own.vector, v)}
  {converted("c_near", near.cosines[0], own.vector, v)}
  br i1 {near.far}, label %libm, label %done, !prof !0
libm:
  {converted("wide", "%given", v, d)}
  %s_wide = call {d} @lanes_sin({d} %wide)
  %c_wide = call {d} @lanes_cos({d} %wide)
  {converted("s_far", "%s_wide", d, v)}
  {converted("c_far", "%c_wide", d, v)}
  br label %done
done:
  %s = phi {v} [%s_near, %near], [%s_far, %libm]
  %c = phi {v} [%c_near, %near], [%c_far, %libm]
  %one = insertvalue {{{v}, {v}}} poison, {v} %s, 0
  %both = insertvalue {{{v}, {v}}} %one, {v} %c, 1
  ret {{{v}, {v}}} %both
}}
"""
