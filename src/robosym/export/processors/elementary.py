"""Functions of the C library for processors without one: exponential, logarithm, power, and reduction of large angles.

Python runs these plain functions in tests; `languages/plain` defines the subset. Errors are below two units in the last
place. Sine, cosine and arctangent of vectors are in `runtime/sincos` and `runtime/arctangent`.
"""

from __future__ import annotations

import math

from robosym.chains.elimination import Doubles, doubles

__all__ = ["robosym_exp", "robosym_log", "robosym_pow", "robosym_reduced", "robosym_tanh", "two_over_pi"]

DIGITS = 56  #: digits of 2/pi, of 24 bits each: as many as the largest double needs


def two_over_pi() -> list[float]:
    """Return the digits of 2/pi to base 2^24, from Machin's formula in integers."""
    bits = 24 * DIGITS + 64

    def arccot(n: int) -> int:
        """Return 2^bits arccot(n)."""
        term = total = (1 << bits) // n
        k = 1
        while term:
            term //= -n * n
            k += 2
            total += term // k
        return total

    pi = 4 * (4 * arccot(5) - arccot(239))
    value = (2 << (2 * bits)) // pi
    return [float((value >> (bits - 24 * k)) & 0xFFFFFF) for k in range(1, DIGITS + 1)]


LN2_HIGH = 0.6931471803691238  #: 32 bits of log(2), so that products with an exponent are exact
LN2_LOW = 1.9082149292705877e-10  #: the rest of log(2)
LOG2_E = 1.4426950408889634
ROOT_HALF = 0.7071067811865476
TINY = 2.2250738585072014e-308  #: the smallest normal number
SPLIT = 134217729.0  #: 2^27 + 1
HALF_PI = 1.5707963267948966
HALF_PI_REST = 6.123233995736766e-17
OVERFLOW = 709.782712893384
UNDERFLOW = -745.1332191019412
HUGE = 1e300
ONE_DIGIT = 16777216.0  #: 2^24
WHOLE = 4503599627370496.0  #: 2^52: doubles from here on are whole numbers
GROUPS = 8  #: digits of a reduced angle: 192 bits
PLAIN = True  #: the functions below are also translated to machine code


def robosym_floor(x: float) -> float:
    size = abs(x)
    if size >= WHOLE:
        return x
    near = (size + WHOLE) - WHOLE
    if x < 0.0:
        near = -near
    return near - 1.0 if near > x else near


def robosym_shifted(x: float, n: int) -> float:
    """Return x 2^n, in two steps where the factor is not a normal number."""
    half = n // 2
    return math.ldexp(1.0, n - half) * (math.ldexp(1.0, half) * x)


def robosym_sum(terms: Doubles, count: int, rest: Doubles) -> float:
    """Return the sum of terms of decreasing size, and its rounding error in rest[0]."""
    total, low = 0.0, 0.0
    for k in range(count):
        after = total + terms[k]
        back = after - total
        low = low + ((total - (after - back)) + (terms[k] - back))
        total = after
    result = total + low
    rest[0] = (total - result) + low
    return result


def robosym_product(a: float, b: float, rest: Doubles) -> float:
    """Return a b, and its rounding error in rest[0]."""
    p = a * b
    a1 = SPLIT * a - (SPLIT * a - a)
    b1 = SPLIT * b - (SPLIT * b - b)
    a2, b2 = a - a1, b - b1
    rest[0] = ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2
    return p


def robosym_reduced(x: float, digits: Doubles, rest: Doubles) -> int:
    """Return the quadrant n of a large x > 0, and x - n pi/2 in rest: its value and the rounding error of this value.

    The product of x and 2/pi is summed in digits to base 2^24; digits that contribute multiples of four quadrants are
    left out.
    """
    parts, terms = doubles(3), doubles(8)
    e = math.frexp(x)[1]
    m = math.frexp(x)[0] * ONE_DIGIT
    for i in range(3):
        parts[i] = robosym_floor(m)
        m = (m - parts[i]) * ONE_DIGIT
    first = (e - 26) // 24 + 1 if e > 26 else 1
    carry = 0.0
    for k in range(GROUPS):
        place = first + GROUPS - 1 - k
        total = carry
        for i in range(3):
            if place - i >= 1:
                total = total + parts[i] * digits[place - i - 1]
        carry = robosym_floor(total / ONE_DIGIT)
        terms[GROUPS - 1 - k] = total - carry * ONE_DIGIT if k < GROUPS - 1 else total
    weight = math.ldexp(1.0, e - 24 - 24 * first)
    for k in range(GROUPS):
        terms[k] = terms[k] * weight
        weight = weight / ONE_DIGIT
    terms[0] = terms[0] - 4.0 * robosym_floor(terms[0] / 4.0)
    whole = robosym_floor(terms[0] + terms[1] + 0.5)
    terms[0] = terms[0] - whole
    n = int(whole)
    fraction = robosym_sum(terms, GROUPS, rest)
    low = rest[0]
    value = robosym_product(fraction, HALF_PI, rest)
    below = rest[0] + (fraction * HALF_PI_REST + low * HALF_PI)
    rest[0] = value + below
    rest[1] = (value - rest[0]) + below
    return n


def robosym_expm1(r: float) -> float:
    """Return exp(r) - 1 for |r| <= 0.35."""
    p = 1.6059043836821613e-10
    p = 2.08767569878681e-09 + r * p
    p = 2.505210838544172e-08 + r * p
    p = 2.755731922398589e-07 + r * p
    p = 2.7557319223985893e-06 + r * p
    p = 2.48015873015873e-05 + r * p
    p = 0.0001984126984126984 + r * p
    p = 0.001388888888888889 + r * p
    p = 0.008333333333333333 + r * p
    p = 0.041666666666666664 + r * p
    p = 0.16666666666666666 + r * p
    p = 0.5 + r * p
    return r + r * r * p


def robosym_exp(x: float) -> float:
    if x > OVERFLOW:
        return HUGE * HUGE
    if x < UNDERFLOW:
        return 0.0
    if x != x:
        return x
    turns = robosym_floor(x * LOG2_E + 0.5)
    n = int(turns)
    r = (x - turns * LN2_HIGH) - turns * LN2_LOW
    return robosym_shifted(1.0 + robosym_expm1(r), n)


def robosym_log_parts(x: float, rest: Doubles) -> float:
    """Return the logarithm of a finite x > 0, and its rounding error in rest[0]."""
    e = 0
    if x < TINY:
        x = x * 18014398509481984.0
        e = -54
    m = math.frexp(x)[0]
    e = e + math.frexp(x)[1]
    if m < ROOT_HALF:
        m = m + m
        e = e - 1
    f = m - 1.0
    below = 2.0 + f
    lost = f - (below - 2.0)
    s = f / below
    product = robosym_product(s, below, rest)
    s_rest = (((f - product) - rest[0]) - s * lost) / below
    z = s * s
    p = 0.08695652173913043 + z * 0.08
    p = 0.09523809523809523 + z * p
    p = 0.10526315789473684 + z * p
    p = 0.11764705882352941 + z * p
    p = 0.13333333333333333 + z * p
    p = 0.15384615384615385 + z * p
    p = 0.18181818181818182 + z * p
    p = 0.2222222222222222 + z * p
    p = 0.2857142857142857 + z * p
    p = 0.4 + z * p
    p = 0.6666666666666666 + z * p
    terms = doubles(4)
    terms[0] = e * LN2_HIGH
    terms[1] = 2.0 * s
    terms[2] = 2.0 * s_rest + s * z * p
    terms[3] = e * LN2_LOW
    if e == 0:
        terms[0] = 0.0
    return robosym_sum(terms, 4, rest)


def robosym_log(x: float) -> float:
    rest = doubles(1)
    if not x > 0.0:
        return -HUGE * HUGE if x == 0.0 else (x - x) / (x - x)
    if x > HUGE and x == x * 0.5:
        return x
    return robosym_log_parts(x, rest)


def robosym_tanh(x: float) -> float:
    size = abs(x)
    if size > 22.0:
        return 1.0 if x > 0.0 else -1.0
    if x != x:
        return x
    twice = size + size
    turns = robosym_floor(twice * LOG2_E + 0.5)
    r = (twice - turns * LN2_HIGH) - turns * LN2_LOW
    power = math.ldexp(1.0, int(turns))
    t = power * robosym_expm1(r) + (power - 1.0)
    y = t / (t + 2.0)
    return y if x > 0.0 else -y


def robosym_pow(x: float, y: float) -> float:
    rest = doubles(1)
    if y == 0.0 or x == 1.0:
        return 1.0
    if not (x == x and y == y):
        return x + y
    size = abs(x)
    if abs(y) > HUGE and abs(y) == abs(y) * 0.5:
        return 1.0 if size == 1.0 else (abs(y) if (size > 1.0) == (y > 0.0) else 0.0)
    whole = robosym_floor(y)
    odd = 1 if whole == y and robosym_floor(y * 0.5) != y * 0.5 else 0
    sign = 1.0
    if x < 0.0:
        if whole != y and not (size > HUGE and size == size * 0.5):
            return (x - x) / (x - x)
        if odd == 1:
            sign = -1.0
    if size == 0.0:
        if odd == 1:
            return x if y > 0.0 else 1.0 / x
        return HUGE * HUGE if y < 0.0 else 0.0
    if size == 1.0:
        return sign
    if size > HUGE and size == size * 0.5:
        return sign * (size if y > 0.0 else 0.0)
    high = robosym_log_parts(size, rest)
    low = rest[0]
    if abs(high * y) > 800.0:
        return sign * (HUGE * HUGE if high * y > 0.0 else 0.0)
    p = robosym_product(high, y, rest)
    q = robosym_exp(p)
    if q * 0.5 == q:
        return sign * q
    return sign * (q + q * (rest[0] + y * low))
