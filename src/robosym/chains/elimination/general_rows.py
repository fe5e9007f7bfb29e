"""The solutions of the general method as sorted rows of the joints of a chain, with a test that they are regular."""

from __future__ import annotations

import math

from robosym.chains.elimination import Doubles, Integers, doubles, integers
from robosym.chains.elimination.all_solutions import (
    MOST,
    distance,
    general_solutions,
    nearest_rotation,
    scaled_constants,
    size_of_robot,
)
from robosym.chains.elimination.branch_rows import settle
from robosym.chains.elimination.chain_newton import free_joints, is_nearly_singular, polish
from robosym.chains.elimination.polished_solutions import wrapped_angle

__all__ = ["general_rows"]

AS_IT_IS = 1e-13  # how far from a rotation a pose may be that is solved as it is
LARGE = 1e30  # a position beyond is not finite
EQUAL = 1e-6  # configurations nearer to each other are one
LONG = 25  # of Newton's method from given starts
CONVERGED = 1e-13  # the error, in units of the robot, of an isolated solution that is nearly singular

PLAIN = True  #: the functions below are also translated to C and machine code: `languages/plain.py`


def is_exact(T: Doubles) -> int:
    """Return whether a matrix (4, 4) is a pose up to rounding."""
    for i in range(3):
        for j in range(i + 1):
            total = T[i] * T[j] + T[4 + i] * T[4 + j] + T[8 + i] * T[8 + j] - (1.0 if i == j else 0.0)
            if not abs(total) <= AS_IT_IS:
                return 0
        if not abs(T[4 * i + 3]) <= LARGE or T[12 + i] != 0.0:
            return 0
    volume = (
        T[2] * (T[4] * T[9] - T[8] * T[5]) + T[6] * (T[8] * T[1] - T[0] * T[9]) + T[10] * (T[0] * T[5] - T[4] * T[1])
    )
    return 1 if volume > 0.0 and T[15] == 1.0 else 0


def add_start(
    shape: Integers, places: Integers, C: Doubles, T: Doubles, length: float, limit: float, scale: float,
    start: Doubles, count: int, found: Doubles, left: Doubles,
) -> int:  # fmt: skip
    """Add the solution that Newton's method finds from a row of joints, if it is new; return the number of solutions.

    A negative result, -1 - number, says that a joint of it can move while the pose stays the same.
    """
    real, q = shape[0], doubles(6)
    for k in range(real):
        q[k] = start[places[k]] / length if shape[3 + k] else start[places[k]]
    error = polish(shape, real, shape[1], C, T, length, LONG, q)
    if not error <= limit or count >= MOST:
        return count
    near = EQUAL + 5.0 * math.sqrt(error / scale)
    for row in range(count):
        same = 1
        for k in range(real):
            other = found[6 * row + k] / length if shape[3 + k] else found[6 * row + k]
            if distance(shape[3 + k], q[k], other) > near:
                same = 0
        if same:
            return count
    for k in range(6):
        found[6 * count + k] = q[k] * length if shape[3 + k] else q[k]
    left[count] = error
    return -2 - count if free_joints(shape, real, shape[1], C, T, length, scale, q) else count + 1


def general_rows(
    shape: Integers, constants: Doubles, plans: Doubles, places: Integers, order: Integers, known: Doubles,
    singular: int, tolerance: float, starts: int, more: Doubles, count: int, poses: Doubles, numbers: Integers,
    rows: Doubles, errors: Doubles,
) -> int:  # fmt: skip
    """Write the solutions of poses (4, 4) as consecutive rows, and return their number.

    `places` are the indices of the unknown joints among those of a chain, `known` values of all of its joints, and
    `order` is as in `polished_solutions`. `more` contains rows from which further solutions are looked for. `numbers`
    receives the number of solutions of each pose, or -1 for a pose that another method must solve. With `singular`,
    only poses with an isolated solution that is nearly singular have rows; without, only poses that have none.
    """
    C, T, found, left, loose = doubles(84), doubles(12), doubles(6 * 16), doubles(16), integers(16)
    q, joints, real, total = doubles(6), order[0], shape[0], 0
    length, scale = scaled_constants(constants, C), size_of_robot(real, constants)
    for pose in range(count):
        first = total
        numbers[pose] = -1
        if not is_exact(poses[16 * pose :]):
            continue
        number = general_solutions(shape, constants, plans, poses[16 * pose :], tolerance, found, left, loose)
        for i in range(12):
            T[i] = poses[16 * pose + i] / length if i % 4 == 3 else poses[16 * pose + i]
        nearest_rotation(T)
        free, weak, worst = 0, 0, 0.0
        for row in range(number):
            free |= loose[row]
        for row in range(starts):
            number = add_start(
                shape, places, C, T, length, tolerance * scale, scale, more[joints * row :], number, found, left
            )
            if number < 0:
                free, number = 1, -1 - number
        for row in range(number):
            worst = max(worst, left[row])
            for k in range(6):
                q[k] = found[6 * row + k] / length if shape[3 + k] else found[6 * row + k]
            weak |= is_nearly_singular(shape, real, shape[1], C, T, q)
        lost = 1 if (starts or singular) and number % 2 else 0
        unfinished = 1 if singular and worst > CONVERGED * scale else 0
        if free or weak != singular or lost or unfinished:
            continue
        for row in range(number):
            for j in range(joints):
                rows[joints * total + j] = known[j]
            for k in range(real):
                value = found[6 * row + k]
                rows[joints * total + places[k]] = value if shape[3 + k] else wrapped_angle(value)
            errors[total] = left[row]
            settle(order, first, total, rows, errors)
            total += 1
        numbers[pose] = number
    return total
