"""Passages of joints through their limits along the curves of a self-motion.

Between two neighboring points, every joint is approximated by a cubic in u from 0 to 1. Passages are searched in the
monotone parts of this cubic. Newton's method then moves every result to the curve.
"""

from __future__ import annotations

import math

from robosym.chains.elimination import Doubles, Integers, doubles
from robosym.chains.elimination.curve_tracing import corrected, point_at_level

__all__ = ["curve_events", "gaps_inside"]

TOUCHING = 2e-3  # an extremum of a cubic closer to a limit is computed on the curve itself
SMALL = 1e-300
STEP = 1e-4  # for the derivative of a cubic by differences
APART = 1e-6  # events of the same limit closer to each other are one
INSIDE = 1e-9  # how far beyond a limit is within it
UNSURE = 2e-3  # a cubic closer to a limit does not tell on which side the curve is
AWAY = 0.2  # how far, in parts of a step, a place on the curve may be from that on the cubic

PLAIN = True  #: the functions below are also translated to C and machine code: `languages/plain.py`


def cubic_at(n: int, p: Doubles, q: Doubles, a: Doubles, b: Doubles, h: float, u: float, point: Doubles) -> None:
    """Compute the point at u of the cubic from p to q with the unit tangents a and b, h being the distance."""
    v = 1.0 - u
    for j in range(n):
        point[j] = p[j] + u * u * (3.0 - 2.0 * u) * (q[j] - p[j]) + u * v * h * (v * a[j] - u * b[j])


def cubic_value(c: Doubles, u: float) -> float:
    return c[0] + u * (c[1] + u * (c[2] + u * c[3]))


def extrema(c: Doubles, places: Doubles) -> int:
    """Write the extrema between 0 and 1 of a cubic with coefficients c; return their number."""
    A, B, D, count = 3.0 * c[3], 2.0 * c[2], c[1], 0
    square = B * B - 4.0 * A * D
    if not square > 0.0:
        return 0
    root = math.sqrt(square)
    half = -0.5 * (B + root) if B > 0.0 else -0.5 * (B - root)
    one = half / A if abs(A) > SMALL else -1.0
    other = D / half if abs(half) > SMALL else -1.0
    low = one if one < other else other
    high = other if one < other else one
    if low > 0.0 and low < 1.0:
        places[count] = low
        count += 1
    if high > 0.0 and high < 1.0 and high > low:
        places[count] = high
        count += 1
    return count


def root_between(c: Doubles, level: float, low: float, high: float) -> float:
    """Return where a monotone part of a cubic has a value, by bisection and secants."""
    a, b = low, high
    fa, fb = cubic_value(c, a) - level, cubic_value(c, b) - level
    for _ in range(12):
        u = 0.5 * (a + b)
        if fa != fb:
            u = b - fb * (b - a) / (fb - fa)
        if not (u > a and u < b):
            u = 0.5 * (a + b)
        f = cubic_value(c, u) - level
        if (f > 0.0 and fa > 0.0) or (f < 0.0 and fa < 0.0):
            a, fa = u, f
            fb = 0.5 * fb
        else:
            b, fb = u, f
            fa = 0.5 * fa
    return 0.5 * (a + b)


def true_extremum(
    shape: Integers, C: Doubles, T: Doubles, edges: Doubles, joint: int, h: float, c: Doubles, p: Doubles, q: Doubles,
    a: Doubles, b: Doubles, place: Doubles,
) -> float:  # fmt: skip
    """Move the parameter u of an extremum to that on the curve, and return the value of the joint there."""
    n = shape[0]
    point, tangent, first = doubles(8), doubles(8), doubles(1)
    value = cubic_value(c, place[0])
    for _ in range(4):
        u = place[0]
        cubic_at(n, p, q, a, b, h, u, point)
        if corrected(shape, C, T, edges, 6, point, tangent, first) < 0.0:
            return value
        value = point[joint]
        bend = 2.0 * c[2] + 6.0 * c[3] * u
        along = 0.0
        for j in range(n):
            along += tangent[j] * (q[j] - p[j])
        slope = tangent[joint] * h if along > 0.0 else -tangent[joint] * h
        if not abs(bend) > abs(slope):
            return value
        u -= slope / bend
        if u < 0.0 or u > 1.0:
            return value
        place[0] = u
    return value


def projected(n: int, p: Doubles, q: Doubles, a: Doubles, b: Doubles, h: float, u: float, point: Doubles) -> float:
    """Return the parameter at which the cubic is closest to a point, near u."""
    here, ahead = doubles(8), doubles(8)
    for _ in range(3):
        cubic_at(n, p, q, a, b, h, u, here)
        cubic_at(n, p, q, a, b, h, u + STEP, ahead)
        along, square = 0.0, SMALL
        for j in range(n):
            d = (ahead[j] - here[j]) / STEP
            along += (point[j] - here[j]) * d
            square += d * d
        u += along / square
    return u


def event_at(
    shape: Integers, C: Doubles, T: Doubles, edges: Doubles, joint: int, level: float, u: float, h: float, p: Doubles,
    q: Doubles, a: Doubles, b: Doubles, point: Doubles,
) -> float:  # fmt: skip
    """Compute the point of the curve near parameter u at which a joint has a value; return its parameter, or -9."""
    n = shape[0]
    cubic_at(n, p, q, a, b, h, u, point)
    if point_at_level(shape, C, T, edges, joint, level, point) < 0.0:
        return -9.0
    place = projected(n, p, q, a, b, h, u, point)
    return place if abs(place - u) < AWAY else -9.0


def passed(value: float, bound: float, period: float) -> float:
    """Return the number of the period, counted from a bound, in which a value is."""
    return math.ceil((value - bound) / period)


def part_events(
    shape: Integers, C: Doubles, T: Doubles, edges: Doubles, joint: int, h: float, start: float, bounds: Doubles,
    period: float, p: Doubles, q: Doubles, a: Doubles, b: Doubles, most: int, count: int, s: Doubles, which: Integers,
    points: Doubles,
) -> int:  # fmt: skip
    """Add the passages of one joint through its limits between two points; return the number of events, or -1."""
    n = shape[0]
    c, turn, values = doubles(4), doubles(4), doubles(4)
    d, ha, hb = q[joint] - p[joint], h * a[joint], h * b[joint]
    c[0], c[1], c[2], c[3] = p[joint], ha, 3.0 * d - 2.0 * ha - hb, ha + hb - 2.0 * d
    inner = extrema(c, turn[1:])
    for side in range(2):
        if abs(bounds[side]) > 1e250:
            continue
        turn[0], turn[inner + 1] = 0.0, 1.0
        values[0], values[inner + 1] = p[joint], q[joint]
        for k in range(1, inner + 1):
            values[k] = cubic_value(c, turn[k])
            level = bounds[side] + period * math.ceil((values[k] - bounds[side]) / period - 0.5)
            if abs(values[k] - level) < TOUCHING:
                values[k] = true_extremum(shape, C, T, edges, joint, h, c, p, q, a, b, turn[k:])
        for k in range(inner + 1):
            one, other = passed(values[k], bounds[side], period), passed(values[k + 1], bounds[side], period)
            if one == other:
                continue
            level = bounds[side] + period * (one if one < other else other)
            low, high = cubic_value(c, turn[k]) - level, cubic_value(c, turn[k + 1]) - level
            u = 0.5 * (turn[k] + turn[k + 1])
            if low * high <= 0.0:
                u = root_between(c, level, turn[k], turn[k + 1])
            else:  # the extremum of the curve passes the limit, that of the cubic does not
                at = k if abs(values[k] - level) < abs(values[k + 1] - level) else k + 1
                away = math.sqrt(abs(values[at] - level) / (abs(c[2] + 3.0 * c[3] * turn[at]) + SMALL))
                u = turn[at] + away if at == k else turn[at] - away
            if count >= most:
                return -1
            place = event_at(shape, C, T, edges, joint, level, u, h, p, q, a, b, points[n * count :])
            if place > -8.0:
                s[count] = start + h * place
                which[2 * count], which[2 * count + 1] = joint, side
                count += 1
    return count


def sorted_events(n: int, first: int, count: int, s: Doubles, which: Integers, points: Doubles) -> int:
    """Sort the events from `first` on by distance without duplicates, and return their number."""
    held, kept = doubles(8), first
    for k in range(first, count):
        place, x, joint, side = k, s[k], which[2 * k], which[2 * k + 1]
        for j in range(n):
            held[j] = points[n * k + j]
        while place > first and s[place - 1] > x:
            s[place] = s[place - 1]
            which[2 * place] = which[2 * place - 2]
            which[2 * place + 1] = which[2 * place - 1]
            for j in range(n):
                points[n * place + j] = points[n * (place - 1) + j]
            place -= 1
        s[place] = x
        which[2 * place], which[2 * place + 1] = joint, side
        for j in range(n):
            points[n * place + j] = held[j]
    for k in range(first, count):
        new = 1 if kept == first or s[k] - s[kept - 1] > APART else 0
        if new or which[2 * k] != which[2 * kept - 2] or which[2 * k + 1] != which[2 * kept - 1]:
            s[kept] = s[k]
            which[2 * kept] = which[2 * k]
            which[2 * kept + 1] = which[2 * k + 1]
            for j in range(n):
                points[n * kept + j] = points[n * k + j]
            kept += 1
    return kept


def curve_events(
    shape: Integers, C: Doubles, T: Doubles, edges: Doubles, bounds: Doubles, periods: Doubles, curves: int,
    sizes: Integers, places: Doubles, tangents: Doubles, distances: Doubles, most: int, s: Doubles, which: Integers,
    points: Doubles, numbers: Integers,
) -> int:  # fmt: skip
    """Write the passages of joints through limits on all curves; return their number, or -1 if it exceeds `most`.

    `bounds` contains the lower and upper limits of the joints (beyond 1e250: none), `sizes` the number of points of
    each curve. An event consists of the distance along the curve, the joint, 0 (lower) or 1 (upper), and the point.
    `numbers` receives the number of events of each curve.
    """
    n, first, count = shape[0], 0, 0
    for curve in range(curves):
        before = count
        for k in range(sizes[curve] - 1):
            here = n * (first + k)
            h = distances[first + k + 1] - distances[first + k]
            for joint in range(n):
                if abs(bounds[2 * joint]) > 1e250 and abs(bounds[2 * joint + 1]) > 1e250:
                    continue
                count = part_events(
                    shape, C, T, edges, joint, h, distances[first + k], bounds[2 * joint :], periods[joint],
                    places[here:], places[here + n :], tangents[here:], tangents[here + n :], most, count, s, which,
                    points,
                )  # fmt: skip
                if count < 0:
                    return -1
        count = sorted_events(n, before, count, s, which, points)
        numbers[curve] = count - before
        first += sizes[curve]
    return count


def margin_of(shape: Integers, bounds: Doubles, periods: Doubles, point: Doubles) -> float:
    """Return the distances of the joints of a point from their limits; angles may be shifted by full turns."""
    margin = 1e300
    for joint in range(shape[0]):
        low, high = bounds[2 * joint], bounds[2 * joint + 1]
        bounded = (1 if abs(low) < 1e250 else 0) + (2 if abs(high) < 1e250 else 0)
        x = point[joint]
        if bounded == 3 and shape[2 + joint] == 0:
            x -= periods[joint] * math.ceil((x - 0.5 * (low + high)) / periods[joint] - 0.5)
        if bounded & 1:
            margin = x - low if x - low < margin else margin
        if bounded & 2:
            margin = high - x if high - x < margin else margin
    return margin


def gaps_inside(
    shape: Integers, C: Doubles, T: Doubles, edges: Doubles, bounds: Doubles, periods: Doubles, curves: int,
    sizes: Integers, places: Doubles, tangents: Doubles, distances: Doubles, s: Doubles, numbers: Integers,
    inside: Integers,
) -> None:  # fmt: skip
    """Write for each part of a curve between two events, or an event and an end, whether it is within the limits."""
    n, first, event, gap = shape[0], 0, 0, 0
    point, tangent, correction = doubles(8), doubles(8), doubles(1)
    for curve in range(curves):
        last, k = first + sizes[curve] - 1, first
        for number in range(numbers[curve] + 1):
            start = s[event + number - 1] if number > 0 else distances[first]
            end = s[event + number] if number < numbers[curve] else distances[last]
            middle = 0.5 * (start + end)
            while k < last - 1 and distances[k + 1] < middle:
                k += 1
            h = distances[k + 1] - distances[k]
            u = (middle - distances[k]) / h
            cubic_at(n, places[n * k :], places[n * k + n :], tangents[n * k :], tangents[n * k + n :], h, u, point)
            margin = margin_of(shape, bounds, periods, point)
            if abs(margin) < UNSURE and corrected(shape, C, T, edges, 8, point, tangent, correction) >= 0.0:
                margin = margin_of(shape, bounds, periods, point)
            inside[gap] = 1 if margin >= -INSIDE else 0
            gap += 1
        event += numbers[curve]
        first += sizes[curve]
