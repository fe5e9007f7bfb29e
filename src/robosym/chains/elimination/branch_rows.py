"""The branches of a closed form that are solutions of a pose, sorted by their joints."""

from __future__ import annotations

import math

from robosym.chains.elimination import Doubles, Integers

__all__ = ["branch_rows", "settle"]

HALF_TURN = 1e-12  # an angle so near to -pi is pi
BELOW_HALF_TURN = 1e-6  # an angle so near to -pi is sorted as pi
DIGITS = 1e6  # joints are compared in these parts of a radian or meter
ROTATION = 1e-12  # the square of how far from a rotation a pose may be

PLAIN = True  #: the functions below are also translated to C and machine code: `languages/plain.py`


def mark(turns: int, value: float) -> float:
    """Return the sort key of a joint."""
    x = math.pi if turns and value < BELOW_HALF_TURN - math.pi else value
    return math.ceil(x * DIGITS - 0.5)


def is_before(shape: Integers, one: Doubles, other: Doubles) -> int:
    """Whether a row is sorted before another one: by the first joint, then by the second, and so on."""
    for j in range(shape[0]):
        first, second = mark(shape[3 + j], one[j]), mark(shape[3 + j], other[j])
        if first < second:
            return 1
        if first > second:
            return 0
    return 0


def settle(shape: Integers, first: int, last: int, rows: Doubles, left: Doubles) -> None:
    """Move the last row, and its error in `left`, to its place among the sorted ones from `first` on."""
    joints, place = shape[0], last
    while place > first and is_before(shape, rows[place * joints :], rows[(place - 1) * joints :]):
        for j in range(joints):
            value = rows[place * joints + j]
            rows[place * joints + j] = rows[(place - 1) * joints + j]
            rows[(place - 1) * joints + j] = value
        error = left[place]
        left[place] = left[place - 1]
        left[place - 1] = error
        place -= 1


def is_certain(shape: Integers, clear: Doubles, good: float, near: float, errors: Doubles, margins: Doubles) -> int:
    """Whether no margin is small, and every branch is clearly a solution or clearly not."""
    for i in range(shape[2]):
        if margins[i] < clear[i]:
            return 0
    for branch in range(shape[1]):
        if errors[branch] > good and errors[branch] <= near:
            return 0
    return 1


def branch_rows(
    shape: Integers, clear: Doubles, good: float, near: float, count: int, q: Doubles, errors: Doubles,
    rotation: Doubles, margins: Doubles, rows: Doubles, left: Doubles, numbers: Integers,
) -> int:  # fmt: skip
    """Write the solutions of all poses as consecutive rows, and return their number.

    `shape` contains the numbers of joints, branches and margins, then for each joint whether it is revolute.
    `numbers` receives the number of solutions of each pose, or -1 for a pose that another method must solve.
    """
    joints, branches, total = shape[0], shape[1], 0
    for pose in range(count):
        first = total
        numbers[pose] = -1
        if not rotation[pose] <= ROTATION:
            continue
        if not is_certain(shape, clear, good, near, errors[branches * pose :], margins[shape[2] * pose :]):
            continue
        for branch in range(branches):
            if not errors[branches * pose + branch] <= good:
                continue
            row = q[(branches * pose + branch) * joints :]
            for j in range(joints):
                turned = shape[3 + j] and row[j] <= HALF_TURN - math.pi
                rows[total * joints + j] = math.pi if turned else row[j]
            left[total] = errors[branches * pose + branch]
            settle(shape, first, total, rows, left)
            total += 1
        numbers[pose] = total - first
    return total
