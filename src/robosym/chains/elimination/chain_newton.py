"""Newton's method on the pose of a chain, and joints that can move at a constant pose."""

from __future__ import annotations

import math

from robosym.chains.elimination import Doubles, Integers, doubles
from robosym.chains.elimination.rigid_rows import rigid_product, times_joint

__all__ = ["forward", "free_joints", "is_nearly_singular", "polish", "pose_error"]

GOAL = 2e-14  # the error at which Newton's method stops: rounding
DAMPING, LEAST_DAMPING, MOST_DAMPING = 1e-12, 1e-15, 1e4
LESS, MORE, CAUTION = 30.0, 100.0, 1e-9  # how the damping follows the success of each step
NOTHING = 1e-300
DIAGONAL = 1e-24  # entries beside the diagonal that count as zero
SINGULAR = 1e-10  # squares of singular values below this are looked at: can the joints move while the pose stays?
STAYS, MOVES = 1e-10, 1e-3  # the error of a pose that stays, and the share in a motion of a joint that moves

PLAIN = True  #: the functions below are also translated to C and machine code: `languages/plain.py`


def pose_error(columns: int, pose: Doubles, T: Doubles, length: float) -> float:
    """Return the largest error of an entry, with lengths in units of the robot's length."""
    worst = 0.0
    for j in range(4):
        if columns >> j & 1:
            for i in range(3):
                off = abs(pose[4 * i + j] - T[4 * i + j])
                worst = max(worst, off * length if j == 3 else off)
    return worst


def forward(shape: Integers, C: Doubles, q: Doubles, pose: Doubles) -> None:
    """Compute C0 J1 C1 .. J6 C6."""
    part = doubles(12)
    for i in range(12):
        pose[i] = C[i]
    for k in range(6):
        times_joint(shape[3 + k], shape[9 + k] * q[k], pose, part)
        rigid_product(part, C[12 * (k + 1) :], pose)


def residuals(
    shape: Integers, count: int, columns: int, C: Doubles, q: Doubles, T: Doubles, r: Doubles, J: Doubles
) -> float:
    """Compute the errors r (12) of the pose and their derivatives J (12, count); return the sum of squares."""
    axes, pose, part = doubles(72), doubles(12), doubles(12)
    for i in range(12):
        pose[i] = C[i]
    for k in range(6):
        for i in range(12):
            axes[12 * k + i] = pose[i]
        times_joint(shape[3 + k], shape[9 + k] * q[k], pose, part)
        rigid_product(part, C[12 * (k + 1) :], pose)
    square = 0.0
    for j in range(4):
        counts = columns >> j & 1
        for i in range(3):
            r[4 * i + j] = pose[4 * i + j] - T[4 * i + j] if counts else 0.0
            square += r[4 * i + j] * r[4 * i + j]
        for k in range(count):
            x, y, z = axes[12 * k + 2], axes[12 * k + 6], axes[12 * k + 10]  # the axis, in the base
            s = 1.0 * shape[9 + k] if counts else 0.0
            if shape[3 + k]:
                s = s if j == 3 else 0.0
                J[j * count + k], J[(4 + j) * count + k], J[(8 + j) * count + k] = s * x, s * y, s * z
            else:
                a, b, c = pose[j], pose[4 + j], pose[8 + j]
                if j == 3:
                    a, b, c = a - axes[12 * k + 3], b - axes[12 * k + 7], c - axes[12 * k + 11]
                J[j * count + k] = s * (y * c - z * b)
                J[(4 + j) * count + k] = s * (z * a - x * c)
                J[(8 + j) * count + k] = s * (x * b - y * a)
    return square


def normal_matrix(count: int, J: Doubles, N: Doubles) -> None:
    """J^T J."""
    for i in range(count):
        for j in range(i + 1):
            total = 0.0
            for k in range(12):
                total += J[k * count + i] * J[k * count + j]
            N[count * i + j] = total
            N[count * j + i] = total


def damped_step(count: int, N: Doubles, weight: float, g: Doubles, step: Doubles) -> int:
    """Compute -(N + weight)^-1 g by Cholesky decomposition; return 0 if the matrix is not positive definite."""
    L = doubles(36)
    for i in range(count):
        for j in range(i + 1):
            total = N[count * i + j]
            for k in range(j):
                total -= L[count * i + k] * L[count * j + k]
            if i == j:
                total += weight
                if not total > 0.0:
                    return 0
                L[count * i + i] = math.sqrt(total)
            else:
                L[count * i + j] = total / L[count * j + j]
    for i in range(count):
        total = -g[i]
        for k in range(i):
            total -= L[count * i + k] * step[k]
        step[i] = total / L[count * i + i]
    for i in range(count - 1, -1, -1):
        total = step[i]
        for k in range(i + 1, count):
            total -= L[count * k + i] * step[k]
        step[i] = total / L[count * i + i]
    return 1


def polish(
    shape: Integers, count: int, columns: int, C: Doubles, T: Doubles, length: float, turns: int, q: Doubles
) -> float:
    """Refine the first joints of q by Newton's method on least squares, never making them worse; return the error."""
    r, J, N, g = doubles(12), doubles(72), doubles(36), doubles(6)
    new_r, new_J, step, trial = doubles(12), doubles(72), doubles(6), doubles(6)
    square = residuals(shape, count, columns, C, q, T, r, J)
    weight = DAMPING
    for k in range(6):
        trial[k] = q[k]
    for _ in range(turns):
        if not (square > GOAL * GOAL and weight <= MOST_DAMPING):
            break
        normal_matrix(count, J, N)
        trace = 0.0
        for i in range(count):
            trace += N[count * i + i]
            g[i] = 0.0
            for k in range(12):
                g[i] += J[k * count + i] * r[k]
        better = damped_step(count, N, weight * trace + NOTHING, g, step)
        if better:
            for k in range(count):
                trial[k] = q[k] + step[k]
            new_square = residuals(shape, count, columns, C, trial, T, new_r, new_J)
            better = 1 if new_square < square else 0
        if better:
            square = new_square
            for k in range(count):
                q[k] = trial[k]
            for k in range(12):
                r[k] = new_r[k]
            for k in range(12 * count):
                J[k] = new_J[k]
            weight = max(weight / LESS, LEAST_DAMPING)
        else:
            weight = weight * MORE + CAUTION
    worst = 0.0
    for i in range(12):
        worst = max(worst, abs(r[i]) * length if i % 4 == 3 else abs(r[i]))
    return worst


def small_directions(count: int, J: Doubles, V: Doubles) -> int:
    """Store in V (count, count) the right singular vectors of J with small singular values; return their number."""
    N, R = doubles(36), doubles(36)
    normal_matrix(count, J, N)
    for i in range(count):
        R[count * i + i] = 1.0
    for _ in range(12):  # Jacobi's rotations
        off = 0.0
        for i in range(count):
            for j in range(i):
                off = max(off, abs(N[count * i + j]))
        if off < DIAGONAL:
            break
        for i in range(count):
            for j in range(i):
                entry = N[count * i + j]
                if entry != 0.0:
                    half = 0.5 * (N[count * i + i] - N[count * j + j])
                    angle = 0.5 * math.atan2(entry, half)
                    c, s = math.cos(angle), math.sin(angle)
                    for k in range(count):
                        a, b = N[count * i + k], N[count * j + k]
                        N[count * i + k], N[count * j + k] = c * a + s * b, c * b - s * a
                    for k in range(count):
                        a, b = N[count * k + i], N[count * k + j]
                        N[count * k + i], N[count * k + j] = c * a + s * b, c * b - s * a
                    for k in range(count):
                        a, b = R[count * i + k], R[count * j + k]
                        R[count * i + k], R[count * j + k] = c * a + s * b, c * b - s * a
    found = 0
    for i in range(count):
        if N[count * i + i] < SINGULAR:
            for k in range(count):
                V[count * found + k] = R[count * i + k]
            found += 1
    return found


def well_determined(count: int, J: Doubles) -> int:
    """Return whether the squared singular values are clearly above the threshold, by the pivots of J^T J."""
    N, g = doubles(36), doubles(6)
    step = doubles(6)
    normal_matrix(count, J, N)
    return damped_step(count, N, -100.0 * SINGULAR, g, step)


def is_nearly_singular(shape: Integers, count: int, columns: int, C: Doubles, T: Doubles, q: Doubles) -> int:
    """Return whether neighboring configurations have the same pose up to rounding."""
    r, J, V = doubles(12), doubles(72), doubles(36)
    residuals(shape, count, columns, C, q, T, r, J)
    return 0 if well_determined(count, J) or small_directions(count, J, V) == 0 else 1


def free_joints(
    shape: Integers, count: int, columns: int, C: Doubles, T: Doubles, length: float, scale: float, q: Doubles
) -> int:
    """Return the sum of 2^j over the joints that can move while the pose stays the same."""
    r, J, V = doubles(12), doubles(72), doubles(36)
    residuals(shape, count, columns, C, q, T, r, J)
    if well_determined(count, J):
        return 0
    small, mask = small_directions(count, J, V), 0
    direction, moved, polished = doubles(6), doubles(6), doubles(6)
    for joint in range(count):
        size, largest = 0.0, 0.0
        for k in range(count):
            direction[k] = 0.0
            for i in range(small):
                direction[k] += V[count * i + joint] * V[count * i + k]
            size += direction[k] * direction[k]
            largest = max(largest, abs(direction[k]))
        if size <= 0.01:
            continue
        moves = 1
        for attempt in range(2):
            stride = -0.03 if attempt else 0.05
            for k in range(6):
                moved[k] = q[k]
            for k in range(count):
                moved[k] += stride * direction[k] / largest
            for k in range(6):
                polished[k] = moved[k]
            error = polish(shape, count, columns, C, T, length, 8, polished)
            if not error < STAYS * scale:
                moves = 0
            for k in range(count):
                if not abs(polished[k] - moved[k]) < 0.5 * abs(stride):
                    moves = 0
        if moves:
            for k in range(count):
                if abs(direction[k]) > MOVES * largest:
                    mask |= 1 << k
    return mask
