"""The self-motion of a redundant chain: the curves on which its joints move at a constant pose.

The curves of a chain with n joints and n - 1 conditions on its pose are followed by prediction along the tangent and
correction perpendicular to it. The tangent is oriented by the sign of its minors, so that a step across a singular
position is detected, even if both curves have the same direction there.

    shape: number of joints, given columns (bits s n a P), n flags of prismatic joints, n signs
    C: the constants C0 .. Cn (three rows of four each) and T: the pose, lengths in units of the robot
    edges: two vectors perpendicular to the given axis, if only one axis is given
"""

from __future__ import annotations

import math

from robosym.chains.elimination import Doubles, Integers, doubles, integers
from robosym.chains.elimination.rigid_rows import rigid_product, times_joint

__all__ = ["all_curves", "corrected", "point_at_level", "points_at_levels", "points_from_starts", "polished_points"]

GOAL = 1e-13  # the correction at which a point is exact
CERTAIN = 3e-8  # after such a correction it is, because the next one would be its square
NEARLY = 1e-7  # the next correction is its square
TURN = 0.95  # cosine of the largest angle between the tangents of neighboring points
LEAST_TURN = 0.985  # a smaller angle makes the next step longer
LONGEST, FIRST, SHORTEST = 0.5, 0.1, 1e-4  # steps; at the shortest the curve ends in a singular position
FIRM = 0.1  # the largest correction of a prediction, in parts of the step
SAME_CURVE = 0.05  # how far a point of a curve may be from the tangent beside it, in parts of the step
BESIDE = 0.02  # how far from a curve a point may be that belongs to it, in parts of the step
NO_PIVOT = 1e-13  # smaller pivots are zero
LARGEST_STEP = 0.4  # of Newton's method from anywhere

PLAIN = True  #: the functions below are also translated to C and machine code: `languages/plain.py`


def shorter_way(turns: int, d: float) -> float:
    """Return a difference of joints; for angles, the one of at most half a turn."""
    return d - 2.0 * math.pi * math.ceil(d / (2.0 * math.pi) - 0.5) if turns else d


def curve_rows(shape: Integers, C: Doubles, q: Doubles, T: Doubles, edges: Doubles, r: Doubles, J: Doubles) -> int:
    """Compute the errors r of the conditions and their derivatives J (conditions, joints); return their number."""
    n, columns = shape[0], shape[1]
    axes, pose, part = doubles(96), doubles(12), doubles(12)
    for i in range(12):
        pose[i] = C[i]
    for k in range(n):
        for i in range(12):
            axes[12 * k + i] = pose[i]
        times_joint(shape[2 + k], shape[2 + n + k] * q[k], pose, part)
        rigid_product(part, C[12 * (k + 1) :], pose)
    rows = 0
    if columns & 8:
        for i in range(3):
            r[i] = pose[4 * i + 3] - T[4 * i + 3]
        for k in range(n):
            x, y, z = axes[12 * k + 2], axes[12 * k + 6], axes[12 * k + 10]
            a, b, c = pose[3] - axes[12 * k + 3], pose[7] - axes[12 * k + 7], pose[11] - axes[12 * k + 11]
            s = 1.0 * shape[2 + n + k]
            if shape[2 + k]:
                J[k], J[n + k], J[2 * n + k] = s * x, s * y, s * z
            else:
                J[k], J[n + k], J[2 * n + k] = s * (y * c - z * b), s * (z * a - x * c), s * (x * b - y * a)
        rows = 3
    if (columns & 7) == 7:
        for i in range(3):
            one, two = (i + 1) % 3, (i + 2) % 3
            total = 0.0
            for j in range(3):
                total += pose[4 * two + j] * T[4 * one + j] - pose[4 * one + j] * T[4 * two + j]
            r[rows + i] = 0.5 * total
            for k in range(n):
                J[(rows + i) * n + k] = 0.0 if shape[2 + k] else shape[2 + n + k] * axes[12 * k + 4 * i + 2]
        rows += 3
    elif columns & 7:
        column = 0 if columns & 1 else 1 if columns & 2 else 2
        a, b, c = pose[column], pose[4 + column], pose[8 + column]
        for i in range(2):
            u, v, w = edges[3 * i], edges[3 * i + 1], edges[3 * i + 2]
            r[rows + i] = u * a + v * b + w * c
            for k in range(n):
                x, y, z = axes[12 * k + 2], axes[12 * k + 6], axes[12 * k + 10]
                change = u * (y * c - z * b) + v * (z * a - x * c) + w * (x * b - y * a)
                J[(rows + i) * n + k] = 0.0 if shape[2 + k] else shape[2 + n + k] * change
        rows += 2
    return rows


def step_and_tangent(n: int, rows: int, J: Doubles, r: Doubles, step: Doubles, tangent: Doubles) -> float:
    """Solve J step = -r perpendicular to the oriented unit tangent; return the last pivot, 0 if it vanishes.

    Gaussian elimination with complete pivoting; the tangent t is that for which the determinant of J over t is
    positive.
    """
    A, order, sign, least = doubles(72), integers(8), 1.0, 0.0
    for i in range(rows):
        for j in range(n):
            A[9 * i + j] = J[i * n + j]
        A[9 * i + n] = -r[i]
    for j in range(n):
        order[j] = j
    for k in range(rows):
        row, column, largest = k, k, 0.0
        for i in range(k, rows):
            for j in range(k, n):
                size = abs(A[9 * i + j])
                if size > largest:
                    row, column, largest = i, j, size
        least = largest
        if not largest > NO_PIVOT:
            return 0.0
        if row != k:
            sign = -sign
            for j in range(n + 1):
                held = A[9 * k + j]
                A[9 * k + j] = A[9 * row + j]
                A[9 * row + j] = held
        if column != k:
            sign = -sign
            for i in range(rows):
                held = A[9 * i + k]
                A[9 * i + k] = A[9 * i + column]
                A[9 * i + column] = held
            place = order[k]
            order[k] = order[column]
            order[column] = place
        if A[9 * k + k] < 0.0:
            sign = -sign
        for i in range(k + 1, rows):
            factor = A[9 * i + k] / A[9 * k + k]
            for j in range(k + 1, n + 1):
                A[9 * i + j] -= factor * A[9 * k + j]
    last = order[rows]
    tangent[last], step[last] = 1.0, 0.0
    square = 1.0
    for i in range(rows - 1, -1, -1):
        along, off = -A[9 * i + rows], A[9 * i + n]
        for j in range(i + 1, rows):
            along -= A[9 * i + j] * tangent[order[j]]
            off -= A[9 * i + j] * step[order[j]]
        tangent[order[i]] = along / A[9 * i + i]
        step[order[i]] = off / A[9 * i + i]
        square += tangent[order[i]] * tangent[order[i]]
    size, along = sign / math.sqrt(square), 0.0
    for j in range(n):
        tangent[j] = tangent[j] * size
        along += tangent[j] * step[j]
    for j in range(n):
        step[j] -= along * tangent[j]
    return least


def length_of(n: int, v: Doubles) -> float:
    total = 0.0
    for j in range(n):
        total += v[j] * v[j]
    return math.sqrt(total)


def corrected(
    shape: Integers, C: Doubles, T: Doubles, edges: Doubles, turns: int, q: Doubles, tangent: Doubles, first: Doubles
) -> float:
    """Move q to the curve; return the last correction, negative after a failure. `first` receives the first one."""
    n = shape[0]
    r, J, step = doubles(8), doubles(64), doubles(8)
    size = -1.0
    for turn in range(turns):
        rows = curve_rows(shape, C, q, T, edges, r, J)
        if not step_and_tangent(n, rows, J, r, step, tangent) > 0.0:
            return -1.0
        size = length_of(n, step)
        if turn == 0:
            first[0] = size
        if not size < 1.0:
            return -1.0
        for j in range(n):
            q[j] += step[j]
        if size <= CERTAIN:
            return size
    return size


def polished_points(
    shape: Integers, C: Doubles, T: Doubles, edges: Doubles, count: int, q: Doubles, tangents: Doubles, errors: Doubles
) -> None:
    """Move points (count, joints) to the curve; `errors` receives the largest residuals, -1 after a failure."""
    n = shape[0]
    r, J, first = doubles(8), doubles(64), doubles(1)
    for i in range(count):
        end = corrected(shape, C, T, edges, 8, q[n * i :], tangents[n * i :], first)
        rows = curve_rows(shape, C, q[n * i :], T, edges, r, J)
        errors[i] = 0.0
        for k in range(rows):
            errors[i] = max(errors[i], abs(r[k]))
        if end < 0.0:
            errors[i] = -1.0


def points_from_starts(
    shape: Integers, C: Doubles, T: Doubles, edges: Doubles, count: int, q: Doubles, found: Integers
) -> None:
    """Move configurations (count, joints), possibly from far away, to the curve; `found` receives their success."""
    n = shape[0]
    r, J, step, tangent = doubles(8), doubles(64), doubles(8), doubles(8)
    for i in range(count):
        found[i] = 0
        for _ in range(40):
            rows = curve_rows(shape, C, q[n * i :], T, edges, r, J)
            if not step_and_tangent(n, rows, J, r, step, tangent) > 0.0:
                break
            size = length_of(n, step)
            share = LARGEST_STEP / size if size > LARGEST_STEP else 1.0
            for j in range(n):
                q[n * i + j] += share * step[j]
            if size <= GOAL:
                found[i] = 1
                break


def next_point(
    shape: Integers, C: Doubles, T: Doubles, edges: Doubles, direction: float, q: Doubles, t: Doubles, bend: Doubles,
    length: float, new: Doubles, tangent: Doubles,
) -> float:  # fmt: skip
    """Take one step, shortened if necessary; return its length, 0 if the curve ends. `bend` receives its curvature."""
    n, first = shape[0], doubles(1)
    h = length
    while h >= SHORTEST:
        for j in range(n):
            new[j] = q[j] + h * t[j] + 0.5 * h * h * bend[j]
        end, along = corrected(shape, C, T, edges, 3, new, tangent, first), 0.0
        for j in range(n):
            tangent[j] = direction * tangent[j]
            along += tangent[j] * t[j]
        if end >= 0.0 and end <= NEARLY and first[0] <= FIRM * h and along >= TURN:
            return h
        h = 0.5 * h
    return 0.0


def is_between(shape: Integers, q: Doubles, t: Doubles, new: Doubles, tangent: Doubles, point: Doubles) -> int:
    """Whether a point lies on the part of a curve from q to new, up to full turns."""
    n = shape[0]
    h, along = 0.0, 0.0
    for j in range(n):
        d = new[j] - q[j]
        e = shorter_way(1 - shape[2 + j], point[j] - q[j])
        h += d * d
        along += d * e
    h = math.sqrt(h)
    u = along / (h * h)
    if u < -BESIDE or u > 1.0 + BESIDE:
        return 0
    off, v = 0.0, 1.0 - u
    for j in range(n):
        d = new[j] - q[j]
        e = shorter_way(1 - shape[2 + j], point[j] - q[j])
        hermite = u * u * (3.0 - 2.0 * u) * d + u * v * h * (v * t[j] - u * tangent[j])
        off += (e - hermite) * (e - hermite)
    return 1 if off <= BESIDE * BESIDE * h * h else 0


def one_way(
    shape: Integers, C: Doubles, T: Doubles, edges: Doubles, direction: float, key: int, most: int, seeds: int,
    points: Doubles, visited: Integers, places: Doubles, tangents: Doubles, ends: Integers,
) -> int:  # fmt: skip
    """Follow a curve from the first point in `places`, marking the seeds that it passes; return the number of points.

    `ends[0]` receives how it ends: 1 at its start, 0 in a singular position, -1 if `most` points do not suffice.
    """
    n, count, h = shape[0], 1, FIRST
    bend, length_so_far = doubles(8), 0.0
    ends[0] = 0
    for j in range(n):
        tangents[j] = direction * tangents[j]
    while count < most:
        q, t = places[n * (count - 1) :], tangents[n * (count - 1) :]
        new, tangent = places[n * count :], tangents[n * count :]
        taken = next_point(shape, C, T, edges, direction, q, t, bend, h, new, tangent)
        if taken == 0.0:
            return count
        count += 1
        along, reach = 0.0, 0.0
        for j in range(n):
            bend[j] = (tangent[j] - t[j]) / taken
            along += tangent[j] * t[j]
            reach = max(reach, abs(new[j] - q[j]))
        for i in range(seeds):
            if visited[i] == 0:
                near = abs(shorter_way(1 - shape[2 + key], points[n * i + key] - q[key]))
                if near <= 1.2 * reach and is_between(shape, q, t, new, tangent, points[n * i :]):
                    visited[i] = 1
        if length_so_far > 0.0 and is_between(shape, q, t, new, tangent, places):
            ends[0] = 1
            for j in range(n):
                new[j] = places[j] + (new[j] - places[j]) - shorter_way(1 - shape[2 + j], new[j] - places[j])
                tangent[j] = tangents[j]
            return count
        length_so_far += taken
        h = taken * 1.6 if along >= LEAST_TURN else taken
        h = LONGEST if h > LONGEST else h
    ends[0] = -1
    return count


def lies_on(shape: Integers, count: int, places: Doubles, tangents: Doubles, point: Doubles) -> int:
    """Return whether a point is on a curve given by points, up to full turns."""
    n, best, least = shape[0], 0, 1e300
    for k in range(count):
        square = 0.0
        for j in range(n):
            d = shorter_way(1 - shape[2 + j], point[j] - places[n * k + j])
            square += d * d
            if square > least:
                break
        if square < least:
            best, least = k, square
    reach, along = 0.0, 0.0
    for side in range(2):
        k = best - 1 + side
        if k >= 0 and k + 1 < count:
            square = 0.0
            for j in range(n):
                d = places[n * (k + 1) + j] - places[n * k + j]
                square += d * d
            reach = max(reach, square)
    for j in range(n):
        along += shorter_way(1 - shape[2 + j], point[j] - places[n * best + j]) * tangents[n * best + j]
    return 1 if least <= reach and least - along * along <= SAME_CURVE * SAME_CURVE * reach else 0


def is_known(shape: Integers, found: int, curves: Integers, places: Doubles, tangents: Doubles, used: int) -> int:
    """Return whether the last of the closed curves contains the middle of an earlier one."""
    n, first = shape[0], 0
    for k in range(found - 1):
        middle, count = places[n * (first + curves[2 * k] // 2) :], curves[2 * found - 2]
        if curves[2 * k + 1] == 1 and lies_on(shape, count, places[n * used :], tangents[n * used :], middle):
            return 1
        first += curves[2 * k]
    return 0


def all_curves(
    shape: Integers, C: Doubles, T: Doubles, edges: Doubles, key: int, most: int, seeds: int, points: Doubles,
    visited: Integers, places: Doubles, tangents: Doubles, curves: Integers,
) -> int:  # fmt: skip
    """Follow the curves through all seeds; return their number.

    `places` and `tangents` have space for `most` points of all curves. For each curve, `curves` receives the number
    of its points and how it ends (1 closed, 0 singular, -1 too long); an open curve is followed in both directions,
    as two.
    """
    n, found, used = shape[0], 0, 0
    first = doubles(1)
    for i in range(seeds):
        if visited[i]:
            continue
        visited[i] = 1
        for way in range(2):
            if most - used < 2:
                return -1
            start, tangent = places[n * used :], tangents[n * used :]
            for j in range(n):
                start[j] = points[n * i + j]
            end = corrected(shape, C, T, edges, 6, start, tangent, first)
            if end < 0.0 or end > NEARLY:
                break
            direction = -1.0 if way else 1.0
            count = one_way(
                shape, C, T, edges, direction, key, most - used, seeds, points, visited, start, tangent,
                curves[2 * found + 1 :],
            )  # fmt: skip
            curves[2 * found] = count
            found += 1
            if curves[2 * found - 1] == 1:
                if is_known(shape, found, curves, places, tangents, used):
                    found -= 1
                else:
                    used += count
                break
            used += count
    return found


def point_at_level(
    shape: Integers, C: Doubles, T: Doubles, edges: Doubles, joint: int, level: float, point: Doubles
) -> float:
    """Move a point along the curve until a joint has a value; return the last correction, -1 after a failure."""
    n = shape[0]
    r, J, step, tangent = doubles(8), doubles(64), doubles(8), doubles(8)
    size = -1.0
    for _ in range(12):
        rows = curve_rows(shape, C, point, T, edges, r, J)
        pivot = step_and_tangent(n, rows, J, r, step, tangent)
        if not (pivot > 0.0 and abs(tangent[joint]) > NO_PIVOT):
            return -1.0
        along = (level - point[joint] - step[joint]) / tangent[joint]
        size = 0.0
        for j in range(n):
            change = step[j] + along * tangent[j]
            size = max(size, abs(change))
            point[j] += change
        if size <= CERTAIN:  # the next correction would be its square
            break
        if not size < 4.0:
            return -1.0
    point[joint] = level
    return size * size if size <= CERTAIN else -1.0


def points_at_levels(
    shape: Integers, C: Doubles, T: Doubles, edges: Doubles, count: int, joints: Integers, levels: Doubles, q: Doubles,
    errors: Doubles,
) -> None:  # fmt: skip
    """Move points (count, joints) along the curve until one joint of each has a given value.

    `errors` are the last corrections, -1 where the joint does not move along the curve.
    """
    for i in range(count):
        errors[i] = point_at_level(shape, C, T, edges, joints[i], levels[i], q[shape[0] * i :])
