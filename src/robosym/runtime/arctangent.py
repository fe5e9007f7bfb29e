"""atan2 of vectors in LLVM IR, within two units in the last place, without tables or branches per lane.

The quotient of the smaller by the larger coordinate is reduced to [-7/16, 7/16] by atan(t) = pi/4 + atan((t - 1)/(t +
1)); the polynomial there interpolates at Chebyshev nodes with a relative error below 2e-17. The octant then follows
from comparisons. Lanes with infinite or very large coordinates are left to libm.
"""

from __future__ import annotations

from robosym.runtime.lanes import Lines, literal

__all__ = ["vector_atan2"]

#: atan(t) = t - t z (a0 + a1 z + ...), z = t^2
_POLYNOMIAL = (
    0.333333333333333236657, -0.199999999999877679988, 0.142857142831486395588, -0.111111109005604756104,
    0.0909090019556014800291, -0.0769208734876716818875, 0.0666323929910713644328, -0.0584772472064510627688,
    0.0503394277648584831664, -0.0378252186610671205595, 0.017547235157290004725,
)  # fmt: skip
_REDUCED = 7 / 16  #: quotients above are reduced
_LARGE = 1e300  #: the sum of two coordinates below does not overflow
#: multiples of pi/4, and their rounding errors
_EIGHTH = (float.fromhex("0x1.921fb54442d18p-1"), float.fromhex("0x1.1a62633145c07p-55"))
_QUARTER = (float.fromhex("0x1.921fb54442d18p+0"), float.fromhex("0x1.1a62633145c07p-54"))
_HALF = (float.fromhex("0x1.921fb54442d18p+1"), float.fromhex("0x1.1a62633145c07p-53"))


def vector_atan2(lanes: int) -> str:
    """Return the IR of `@atan2(y, x)` on vectors of doubles; the module must define `@lanes_atan2`."""
    v, i, b = f"<{lanes} x double>", f"<{lanes} x i64>", f"<{lanes} x i1>"
    code = Lines()

    def number(value: float) -> str:
        return f"<{', '.join([f'double {literal(value)}'] * lanes)}>"

    def choose(condition: str, one: str, other: str) -> str:
        return code.new(f"select {b} {condition}, {v} {one}, {v} {other}")

    def sum_of(a: str, factor: str, c: str) -> str:
        return code.new(f"call {v} @llvm.fmuladd.v{lanes}f64({v} {a}, {v} {factor}, {v} {c})")

    def size(value: str) -> str:
        return code.new(f"call {v} @llvm.fabs.v{lanes}f64({v} {value})")

    def minus(a: str, c: str) -> str:
        return code.new(f"fsub {v} {a}, {c}")

    down, across = size("%y"), size("%x")
    steep = code.new(f"fcmp ogt {v} {down}, {across}")
    small, large = choose(steep, across, down), choose(steep, down, across)
    limit = code.new(f"fmul {v} {large}, {number(_REDUCED)}")
    near = code.new(f"fcmp ogt {v} {small}, {limit}")
    above = choose(near, minus(small, large), small)
    below = choose(near, code.new(f"fadd {v} {small}, {large}"), large)
    origin = code.new(f"fcmp oeq {v} {below}, {number(0.0)}")
    t = code.new(f"fdiv {v} {above}, {choose(origin, number(1.0), below)}")
    z = code.new(f"fmul {v} {t}, {t}")
    value = number(_POLYNOMIAL[-1])
    for coefficient in _POLYNOMIAL[-2::-1]:
        value = sum_of(value, z, number(coefficient))
    less = code.new(f"fmul {v} {code.new(f'fmul {v} {t}, {z}')}, {value}")
    # pi/4 - ((t z p - rest of pi/4) - t), as fdlibm rounds it
    turned = minus(number(_EIGHTH[0]), minus(minus(less, number(_EIGHTH[1])), t))
    angle = choose(near, turned, minus(t, less))
    for condition, (whole, rest) in (
        (steep, _QUARTER),
        (code.new(f"icmp slt {i} {code.new(f'bitcast {v} %x to {i}')}, zeroinitializer"), _HALF),
    ):
        angle = choose(condition, minus(number(whole), minus(angle, number(rest))), angle)
    signed = code.new(f"call {v} @llvm.copysign.v{lanes}f64({v} {angle}, {v} %y)")
    neither = code.new(f"fcmp uno {v} %x, %y")
    result = choose(neither, number(float("nan")), signed)
    outside = code.new(f"fcmp ogt {v} {large}, {number(_LARGE)}")
    far = code.new(f"call i1 @llvm.vector.reduce.or.v{lanes}i1({b} {outside})")
    body = "\n  ".join(code.lines)
    return f"""
define internal {v} @atan2({v} %y, {v} %x) noinline {{
near:
  {body}
  br i1 {far}, label %libm, label %done, !prof !0
libm:
  %slow = call {v} @lanes_atan2({v} %y, {v} %x)
  br label %done
done:
  %angle = phi {v} [{result}, %near], [%slow, %libm]
  ret {v} %angle
}}
"""
