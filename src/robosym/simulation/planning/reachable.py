"""The fastest speed profile along a path: reachability analysis (Pham and Pham 2018), as plain functions.

The path s is divided into intervals of constant acceleration u. With x the square of the speed at the start of an
interval, each limit is a row a u + b x <= c, and the next square is x + 2 h u. Backward, each interval has a range of x
from which the end can be reached; forward, the largest u within that range is the fastest. Both are programs in two
variables: the gap between the largest and the smallest u is a concave function of x, whose zeros Newton's method
finds in finitely many steps.
"""

from __future__ import annotations

from robosym.chains.elimination import Doubles, Integers, doubles

__all__ = ["speed_profile"]

ROUNDING = 1e-13  # relative to its terms, the size of a gap that is zero
MOST = 200  # number of steps of Newton's method; each ends at another pair of rows

PLAIN = True  #: the functions below are also translated to C and machine code: `languages/plain.py`


def widest(
    rows: int, side: Integers, b: Doubles, c: Doubles, x: float, h: float, low: float, high: float, found: Doubles
) -> None:
    """Write the largest and smallest u at x, their slopes over x and the size of their terms; a row has a = side."""
    above = high / h
    below = low / h
    up = (high - x) / h
    down = (low - x) / h
    rise = -1.0 / h
    fall = -1.0 / h
    for k in range(rows):
        if side[k] > 0:
            value = c[k] - b[k] * x
            if value < up:
                up = value
                rise = -b[k]
                above = c[k]
        elif side[k] < 0:
            value = b[k] * x - c[k]
            if value > down:
                down = value
                fall = b[k]
                below = c[k]
    found[0] = up
    found[1] = down
    found[2] = rise
    found[3] = fall
    found[4] = abs(above) + abs(below)


def end_of_range(
    rows: int, side: Integers, b: Doubles, c: Doubles, first: float, last: float, h: float, low: float, high: float,
    found: Doubles,
) -> float:  # fmt: skip
    """Return the x nearest to `first`, between it and `last`, at which some u is possible, or -1."""
    x = first
    for _ in range(MOST):
        widest(rows, side, b, c, x, h, low, high, found)
        gap = found[0] - found[1]
        if gap >= -ROUNDING * found[4]:
            return x
        slope = found[2] - found[3]
        if slope * (last - first) <= 0.0:
            return -1.0
        x = x - gap / slope
        if (x - last) * (last - first) > 0.0:
            return -1.0
    return -1.0


def speed_profile(
    intervals: int, rows: int, steps: Doubles, side: Integers, b: Doubles, c: Doubles, start: float, end: float,
    ranges: Doubles, squares: Doubles, rates: Doubles,
) -> int:  # fmt: skip
    """Write the squares of the speed at the ends of intervals, and u of each.

    Return the first interval that allows no motion, or -1. `ranges` holds the lowest and highest square per point; on
    entry, it holds the limits of the points.
    """
    found = doubles(5)
    ranges[2 * intervals] = end
    ranges[2 * intervals + 1] = end
    for back in range(intervals):
        i = intervals - 1 - back
        low = ranges[2 * i]
        high = ranges[2 * i + 1]
        own_side = side[i * rows :]
        own_b = b[i * rows :]
        own_c = c[i * rows :]
        for k in range(rows):
            if own_side[k] == 0:
                if own_b[k] > 0.0:
                    if own_c[k] / own_b[k] < high:
                        high = own_c[k] / own_b[k]
                elif own_b[k] < 0.0:
                    if own_c[k] / own_b[k] > low:
                        low = own_c[k] / own_b[k]
                elif own_c[k] < 0.0:
                    return i
        if low > high:
            return i
        h = 2.0 * steps[i]
        if high > low:
            top = end_of_range(rows, own_side, own_b, own_c, high, low, h, ranges[2 * i + 2], ranges[2 * i + 3], found)
            if top < 0.0:
                return i
            bottom = end_of_range(
                rows, own_side, own_b, own_c, low, high, h, ranges[2 * i + 2], ranges[2 * i + 3], found
            )
            if bottom < 0.0:
                bottom = top
            ranges[2 * i] = bottom
            ranges[2 * i + 1] = top
        else:
            ranges[2 * i] = low
            ranges[2 * i + 1] = high
    if start < ranges[0] * (1.0 - ROUNDING) or start > ranges[1] * (1.0 + ROUNDING):
        return 0
    squares[0] = start
    for i in range(intervals):
        h = 2.0 * steps[i]
        low = ranges[2 * i + 2]
        high = ranges[2 * i + 3]
        widest(rows, side[i * rows :], b[i * rows :], c[i * rows :], squares[i], h, low, high, found)
        rates[i] = found[0]
        x = squares[i] + h * found[0]
        if x < low:
            x = low
        if x > high:
            x = high
        squares[i + 1] = x
    return -1
