"""Solutions of a geometry near the true one, refined on the true one, with a test that they correspond."""

from __future__ import annotations

import math

from robosym.chains.elimination import Doubles, Integers, doubles
from robosym.chains.elimination.all_solutions import nearest_rotation, scaled_constants
from robosym.chains.elimination.branch_rows import settle
from robosym.chains.elimination.chain_newton import polish

__all__ = ["polished_solutions"]

ROUNDED = 1e-12  # angles closer to half a turn are half a turn

PLAIN = True  #: the functions below are also translated to C and machine code: `languages/plain.py`


def wrapped_angle(x: float) -> float:
    """Return an angle in (-pi, pi]; half a turn within rounding is pi."""
    turned = x - 2.0 * math.pi * math.ceil((x - math.pi) / (2.0 * math.pi))
    return math.pi if turned <= ROUNDED - math.pi else turned


def polished_row(
    shape: Integers, places: Integers, C: Doubles, T: Doubles, length: float, turns: int, most: float, row: Doubles
) -> float:
    """Refine the joints of a row; return the error, or -1 if a joint moved by more than `most`."""
    q, moved, real = doubles(6), 0.0, shape[0]
    for k in range(real):
        value = row[places[k]]
        q[k] = value / length if shape[3 + k] else value
    error = polish(shape, real, shape[1], C, T, length, turns, q)
    for k in range(real):
        place = places[k]
        value = row[place]
        if shape[3 + k]:
            moved = max(moved, abs(q[k] - value / length))
            row[place] = q[k] * length
        else:
            moved = max(moved, abs(q[k] - value))
            row[place] = wrapped_angle(q[k])
    return error if moved <= most else -1.0


def polished_solutions(
    shape: Integers, constants: Doubles, places: Integers, order: Integers, turns: int, good: float, most: float,
    count: int, poses: Doubles, numbers: Integers, rows: Doubles, errors: Doubles,
) -> int:  # fmt: skip
    """Refine and sort the solutions of poses (3, 4) in place; return how many poses are certain.

    `rows` contains the joints of a chain, `places` the indices of the unknown ones. `order` contains the number of
    joints, two unused numbers and, for each joint, whether it is revolute, as `settle` expects. `numbers` contains
    the number of solutions of each pose; it becomes -1 if the error of a row stays above `good` or a joint moves by
    more than `most`.
    """
    C, T, joints = doubles(84), doubles(12), order[0]
    length, first, certain = scaled_constants(constants, C), 0, 0
    for pose in range(count):
        for i in range(12):
            T[i] = poses[12 * pose + i]
            if i % 4 == 3:
                T[i] /= length
        if shape[1] == 15:
            nearest_rotation(T)
        fine = 1
        for number in range(numbers[pose]):
            row = rows[joints * (first + number) :]
            error = polished_row(shape, places, C, T, length, turns, most, row)
            if error < 0.0 or error > good:
                fine = 0
                break
            errors[first + number] = error
            settle(order, first, first + number, rows, errors)
        if numbers[pose] > 0:
            first += numbers[pose]
        if fine:
            certain += 1
        else:
            numbers[pose] = -1
    return certain
