"""Sine and cosine of vectors, together, in IR: within one unit in the last place, without tables or branches a lane.

The argument is reduced by multiples of pi/2 in three parts (Cody and Waite) whose leading bits are few enough that each
product is exact up to `LIMIT`, with or without fused multiply-add; the polynomials on [-pi/4, pi/4], and the way the
tail of the reduced argument enters, are those of fdlibm (k_sin.c, k_cos.c). Beyond `LIMIT`, libm is called.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence

__all__ = ["literal", "sine_and_cosine"]

#: So that n times a part of 33 bits is exact for the multiple n of pi/2, and n times the last part hardly more than
#: the last place of the reduced argument, as the polynomials expect.
LIMIT = 2.0**17
#: Below this, sin(x) is x, down to the last bit and the sign of zero.
TINY = 2.0**-27
#: Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits.
ROUNDER = 1.5 * 2.0**52
#: pi/2 = the sum of these: 33 bits, 33 bits, and the rest.
PI_2 = (
    float.fromhex("0x1.921fb544p+0"),
    float.fromhex("0x1.0b4611a6p-34"),
    float.fromhex("0x1.3198a2e037073p-69"),
)
TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")
SINE = (
    -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
    2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10,
)  # fmt: skip
COSINE = (
    4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
    -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11,
)  # fmt: skip


def literal(value: float, lanes: int, single: bool = False) -> str:
    """The constant in every lane; LLVM writes single precision as the double of the same value."""
    if single:
        value = ctypes.c_float(value).value
    bits = f"0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X}"
    kind = "float" if single else "double"
    return bits if lanes == 1 else f"<{', '.join([f'{kind} {bits}'] * lanes)}>"


def _integers(value: int, lanes: int) -> str:
    return f"<{', '.join([f'i64 {value}'] * lanes)}>"


def _polynomial(name: str, coefficients: Sequence[float], vector: str, lanes: int) -> list[str]:
    """Horner's scheme in %z; the value is %name0."""
    last = len(coefficients) - 1
    lines = []
    value = literal(coefficients[last], lanes)
    for k in range(last - 1, -1, -1):
        lines += [
            f"%{name}{k}m = fmul contract {vector} {value}, %z",
            f"%{name}{k} = fadd contract {vector} %{name}{k}m, {literal(coefficients[k], lanes)}",
        ]
        value = f"%{name}{k}"
    return lines


def sine_and_cosine(lanes: int) -> str:
    """IR of `{sin, cos} @sincos(x)` on `lanes` doubles."""
    v, i = f"<{lanes} x double>", f"<{lanes} x i64>"

    def number(value: float) -> str:
        return literal(value, lanes)

    def whole(value: int) -> str:
        return _integers(value, lanes)

    kernel = [
        # n = round(x 2/pi), and x - n pi/2 = r + y
        f"%turns = fmul contract {v} %x, {number(TWO_OVER_PI)}",
        f"%shifted = fadd contract {v} %turns, {number(ROUNDER)}",
        f"%n = fsub {v} %shifted, {number(ROUNDER)}",
        f"%n1 = fmul contract {v} %n, {number(PI_2[0])}",
        f"%r1 = fsub contract {v} %x, %n1",
        f"%n2 = fmul contract {v} %n, {number(PI_2[1])}",
        f"%r = fsub contract {v} %r1, %n2",
        f"%lost = fsub {v} %r1, %r",
        f"%y1 = fsub contract {v} %lost, %n2",
        f"%n3 = fmul contract {v} %n, {number(PI_2[2])}",
        f"%y = fsub contract {v} %y1, %n3",
        f"%z = fmul {v} %r, %r",
        # sin(r + y) = r - ((z (y/2 - v p) - y) - v S1), v = r z
        *_polynomial("s", SINE[1:], v, lanes),
        f"%v = fmul {v} %z, %r",
        f"%vp = fmul contract {v} %v, %s0",
        f"%half_y = fmul contract {v} %y, {number(0.5)}",
        f"%a1 = fsub contract {v} %half_y, %vp",
        f"%a2 = fmul contract {v} %z, %a1",
        f"%a3 = fsub contract {v} %a2, %y",
        f"%a4 = fmul contract {v} %v, {number(SINE[0])}",
        f"%a5 = fsub contract {v} %a3, %a4",
        f"%sine = fsub {v} %r, %a5",
        # cos(r + y) = w + (((1 - w) - z/2) + (z p z - r y)), w = 1 - z/2
        *_polynomial("c", COSINE, v, lanes),
        f"%half_z = fmul {v} %z, {number(0.5)}",
        f"%w = fsub {v} {number(1.0)}, %half_z",
        f"%b1 = fsub {v} {number(1.0)}, %w",
        f"%b2 = fsub {v} %b1, %half_z",
        f"%zz = fmul {v} %z, %z",
        f"%b3 = fmul contract {v} %zz, %c0",
        f"%ry = fmul contract {v} %r, %y",
        f"%b4 = fsub contract {v} %b3, %ry",
        f"%b5 = fadd {v} %b2, %b4",
        f"%cosine = fadd {v} %w, %b5",
        # the quadrant is in the last bits of n: it swaps the two and turns their signs
        f"%bits = bitcast {v} %shifted to {i}",
        f"%odd = shl {i} %bits, {whole(63)}",
        f"%straight = icmp sge {i} %odd, {whole(0)}",
        f"%s_size = select <{lanes} x i1> %straight, {v} %sine, {v} %cosine",
        f"%c_size = select <{lanes} x i1> %straight, {v} %cosine, {v} %sine",
        f"%s_turn = shl {i} %bits, {whole(62)}",
        f"%s_sign = and {i} %s_turn, {whole(-(2**63))}",
        f"%c_turn = xor {i} %s_turn, %odd",
        f"%c_sign = and {i} %c_turn, {whole(-(2**63))}",
        f"%s_bits = bitcast {v} %s_size to {i}",
        f"%c_bits = bitcast {v} %c_size to {i}",
        f"%s_signed = xor {i} %s_bits, %s_sign",
        f"%c_signed = xor {i} %c_bits, %c_sign",
        f"%s_all = bitcast {i} %s_signed to {v}",
        f"%c_near = bitcast {i} %c_signed to {v}",
        f"%size = call {v} @llvm.fabs.v{lanes}f64({v} %x)",
        f"%tiny = fcmp olt {v} %size, {number(TINY)}",
        f"%s_near = select <{lanes} x i1> %tiny, {v} %x, {v} %s_all",
        f"%outside = fcmp ogt {v} %size, {number(LIMIT)}",
        f"%far = call i1 @llvm.vector.reduce.or.v{lanes}i1(<{lanes} x i1> %outside)",
    ]
    body = "\n  ".join(kernel)
    return f"""
declare {v} @llvm.fabs.v{lanes}f64({v})
declare i1 @llvm.vector.reduce.or.v{lanes}i1(<{lanes} x i1>)

define internal {{{v}, {v}}} @sincos({v} %x) noinline {{
near:
  {body}
  br i1 %far, label %libm, label %done, !prof !0
libm:
  %s_far = call {v} @lanes_sin({v} %x)
  %c_far = call {v} @lanes_cos({v} %x)
  br label %done
done:
  %s = phi {v} [%s_near, %near], [%s_far, %libm]
  %c = phi {v} [%c_near, %near], [%c_far, %libm]
  %one = insertvalue {{{v}, {v}}} poison, {v} %s, 0
  %both = insertvalue {{{v}, {v}}} %one, {v} %c, 1
  ret {{{v}, {v}}} %both
}}
"""
