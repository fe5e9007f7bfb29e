"""All solutions of a pose: the candidates of each plan are polished, and duplicates removed."""

from __future__ import annotations

import math

from robosym.chains.elimination import Doubles, Integers, doubles, integers
from robosym.chains.elimination.chain_newton import forward, free_joints, polish, pose_error
from robosym.chains.elimination.fourteen_equations import candidates
from robosym.chains.elimination.rigid_rows import cross, norm_of_position, rigid_product

__all__ = ["MOST", "general_solutions", "many_solutions", "polished_rows", "trial"]

MOST = 16  # solutions of six joints
FEW = 48  # solutions and doubles that are kept on the way
SHAPE, PLAN_INTEGERS, PLAN_DOUBLES = 15, 3, 90  # where plans begin, and their sizes
NEAR = 1e-2  # a candidate with a larger error is none; nor one whose virtual joints moved
FOUND = 1e-8  # the error of a candidate that Newton's method brings to a solution
NUDGE = 1e-4  # perturbation of a pose if two of its solutions share the hidden joint
SAME = 1e-6  # configurations nearer to each other are one
ALIKE = 1e-5  # the same of joints beside free ones
STARTS = 48  # configurations from which a degenerate pose is searched
TURNS = 40  # of Newton's method from there

PLAIN = True  #: the functions below are also translated to C and machine code: `languages/plain.py`


def complete(columns: int, T: Doubles) -> None:
    """Complete the axes of a pose that are not given to any rotation."""
    for turn in range(3):
        i, j, k = turn, (turn + 1) % 3, (turn + 2) % 3
        if (columns >> i & 1) + (columns >> j & 1) == 0 and columns >> k & 1:  # one is given: a second
            least = 0
            for row in range(3):
                if abs(T[4 * row + k]) < abs(T[4 * least + k]):
                    least = row
            size = 0.0
            for row in range(3):
                T[4 * row + i] = (1.0 if row == least else 0.0) - T[4 * least + k] * T[4 * row + k]
                size += T[4 * row + i] * T[4 * row + i]
            size = math.sqrt(size) if size > 0.0 else 1.0
            for row in range(3):
                T[4 * row + i] /= size
            cross(k, i, j, T)
    for turn in range(3):
        i, j, k = turn, (turn + 1) % 3, (turn + 2) % 3
        if columns >> i & 1 and columns >> j & 1 and not columns >> k & 1:
            cross(i, j, k, T)
    if columns % 8 == 0:
        for i in range(3):
            for j in range(3):
                T[4 * i + j] = 1.0 if i == j else 0.0


def distance(slides: int, one: float, other: float) -> float:
    """Return the distance between two values of a joint, modulo full turns for an angle."""
    off = one - other
    return abs(off) if slides else abs(2.0 * math.sin(0.5 * off))


def stored(shape: Integers, q: Doubles, error: float, most: int, found: Doubles, count: int) -> int:
    """Add q to `found` unless it is already there, and return the number of rows."""
    tolerance = SAME + 5.0 * math.sqrt(error)
    for k in range(6):
        if not shape[3 + k]:
            q[k] -= 2.0 * math.pi * math.ceil((q[k] - math.pi) / (2.0 * math.pi))
    for row in range(count):
        same = 1
        for k in range(6):
            if distance(shape[3 + k], q[k], found[6 * row + k]) > tolerance:
                same = 0
        if same:
            return count
    if count >= most:
        return count
    for k in range(6):
        found[6 * count + k] = q[k]
    return count + 1


def nudged(T: Doubles, times: int, aim: Doubles) -> None:
    """Return a pose close to T, in which solutions that share the hidden joint in T are separated."""
    motion, amount = doubles(12), NUDGE * times
    motion[0], motion[1], motion[2], motion[3] = 1.0, -0.8 * amount, -1.0 * amount, -0.7 * amount
    motion[4], motion[5], motion[6], motion[7] = 0.8 * amount, 1.0, -0.6 * amount, 0.9 * amount
    motion[8], motion[9], motion[10], motion[11] = 1.0 * amount, 0.6 * amount, 1.0, 0.5 * amount
    rigid_product(T, motion, aim)


def kept(
    shape: Integers, real: int, columns: int, C: Doubles, T: Doubles, length: float, scale: float, error: float,
    most: int, q: Doubles, solutions: Doubles, loose: Integers, count: int,
) -> int:  # fmt: skip
    """Do the same as `stored` with masks of free joints; solutions that differ only in these are stored once."""
    mask = free_joints(shape, real, columns, C, T, length, scale, q)
    if mask and mask != (1 << real) - 1:
        for row in range(count):
            same = 1 if loose[row] == mask else 0
            for k in range(real):
                if not mask >> k & 1 and distance(shape[3 + k], q[k], solutions[6 * row + k]) > ALIKE:
                    same = 0
            if same:
                return count
    more = stored(shape, q, error / scale, most, solutions, count)
    if more > count:
        loose[count] = mask
    return more


def collect(
    shape: Integers, plan: Integers, offsets: Doubles, C: Doubles, moved: Doubles, T: Doubles, aim: Doubles,
    length: float, scale: float, found: Doubles, masks: Integers, count: int, doubts: Integers,
) -> int:  # fmt: skip
    """Polish the candidates of a plan at the pose `aim`, add them to `found` and return their number.

    `doubts[0]` receives whether two share the hidden joint, and `doubts[1]` whether a real value of it has no solution,
    because the equations degenerate at this pose: then some may be missing.
    """
    rows, q, pose, pairs = doubles(144), doubles(6), doubles(12), integers(24)
    number = candidates(shape, plan, offsets, moved, aim, rows, pairs)
    doubts[0], doubts[1] = 0, 0
    if number < 0:
        number, doubts[0] = -number - 1, 1
    for row in range(number):
        for k in range(6):
            q[k] = rows[6 * row + k]
        forward(shape, C, q, pose)
        missed = 1 - pairs[row]
        if pose_error(15, pose, T, length) < NEAR * scale:
            error = polish(shape, 6, 15, C, T, length, 8, q)
            if error < FOUND * scale:
                count = kept(shape, 6, 15, C, T, length, scale, error, FEW, q, found, masks, count)
                missed = 0
        if missed:
            doubts[1] = 1
    return count


def searched(
    shape: Integers, real: int, columns: int, C: Doubles, T: Doubles, length: float, scale: float, tolerance: float,
    found: Doubles, loose: Integers, count: int,
) -> int:  # fmt: skip
    """Find solutions by Newton's method from several starts, for poses at which the elimination degenerates."""
    q, seed = doubles(6), 1
    for _ in range(STARTS):
        for k in range(6):
            seed = (seed * 1103 + 12345) % 65536
            x = seed / 32768.0 - 1.0
            q[k] = 0.0 if k >= real else 1.5 * x if shape[3 + k] else math.pi * x
        error = polish(shape, real, columns, C, T, length, TURNS, q)
        if error <= tolerance * scale:
            count = kept(shape, real, columns, C, T, length, scale, error, MOST, q, found, loose, count)
    return count


def scaled_constants(constants: Doubles, C: Doubles) -> float:
    """Return the length of a robot, and its constants with lengths in units of it."""
    length = 0.0
    for k in range(7):
        length += norm_of_position(constants[12 * k :])
    if not length > 0.0:
        length = 1.0
    for i in range(84):
        C[i] = constants[i] / length if i % 4 == 3 else constants[i]
    return length


def size_of_robot(real: int, constants: Doubles) -> float:
    """Return the length to which errors are relative: at least 1, and without the virtual joints at the end."""
    scale, behind, part = 0.0, doubles(12), doubles(12)
    for k in range(real):
        scale += norm_of_position(constants[12 * k :])
    for i in range(12):
        behind[i] = constants[12 * real + i]
    for k in range(real, 6):
        rigid_product(behind, constants[12 * (k + 1) :], part)
        for i in range(12):
            behind[i] = part[i]
    scale += norm_of_position(behind)
    return max(scale, 1.0)


def general_solutions(
    shape: Integers, constants: Doubles, plans: Doubles, pose: Doubles, tolerance: float,
    solutions: Doubles, errors: Doubles, loose: Integers,
) -> int:  # fmt: skip
    """Find all joint positions (at most 16 rows of six) for a pose (3, 4), with errors and free joints."""
    real, columns = shape[0], shape[1]
    C, T, part = doubles(84), doubles(12), doubles(12)
    length = scaled_constants(constants, C)
    scale = size_of_robot(real, constants)
    for i in range(12):
        T[i] = pose[i] / length if i % 4 == 3 else pose[i]
    complete(columns, T)
    sliding = 0
    for k in range(6):
        sliding += shape[3 + k]
    if not sliding and norm_of_position(T) > 1.0 + NEAR:  # beyond reach, whatever the joints
        return 0
    found, masks, count, moved, aim = doubles(6 * FEW), integers(FEW), 0, doubles(84), doubles(12)
    settled, degenerate, doubts = 0, 0, integers(2)
    for attempt in range(3):  # at the pose; where a solution was lost, also near to it
        for number in range(shape[2]):
            plan, data = shape[SHAPE + PLAN_INTEGERS * number :], plans[PLAN_DOUBLES * number :]
            for k in range(7):
                rigid_product(C[12 * k :], data[6 + 12 * k :], moved[12 * k :])
            nudged(T, 10 if attempt == 2 else attempt, aim)
            before = count
            count = collect(shape, plan, data, C, moved, T, aim, length, scale, found, masks, count, doubts)
            degenerate |= doubts[1]
            if doubts[0] or doubts[1]:  # near the pose, solutions are apart and the equations do not degenerate
                nudged(T, 1 - attempt, aim)
                count = collect(shape, plan, data, C, moved, T, aim, length, scale, found, masks, count, doubts)
            same = 1 if count == before or not degenerate else 0  # another plan confirms the solutions
            if plan[2] and count > 0 and count % 2 == 0 and not doubts[1] and same:  # complex ones come in pairs
                settled = 1
                break
        if settled or (count % 2 == 0 and shape[SHAPE + 2] and not doubts[1]):  # otherwise all is tried
            break
    # conditions on the real joints and the given columns
    total, q = 0, doubles(6)
    for row in range(count):
        near = 1
        for k in range(6):
            q[k] = found[6 * row + k]
            extra = k > real or (k == real and columns == 15)  # a turn about a given axis is not zero
            if extra and abs(math.sin(0.5 * q[k])) >= NEAR:
                near = 0
            if k >= real:
                q[k] = 0.0
        if near:
            error = polish(shape, real, columns, C, T, length, 25, q)
            if error <= tolerance * scale:
                total = kept(shape, real, columns, C, T, length, scale, error, MOST, q, solutions, loose, total)
    if count % 2 == 1 or count == 0:
        total = searched(shape, real, columns, C, T, length, scale, tolerance, solutions, loose, total)
    for row in range(total):
        forward(shape, C, solutions[6 * row :], part)
        errors[row] = pose_error(columns, part, T, length)
        for k in range(6):
            if shape[3 + k]:
                solutions[6 * row + k] *= length
    return total


def many_solutions(
    shape: Integers, constants: Doubles, plans: Doubles, count: int, poses: Doubles, tolerances: Doubles,
    solutions: Doubles, errors: Doubles, loose: Integers, numbers: Integers,
) -> None:  # fmt: skip
    """Apply `general_solutions` to many poses; `numbers` receives the number of solutions of each."""
    for row in range(count):
        numbers[row] = general_solutions(
            shape, constants, plans, poses[12 * row :], tolerances[row], solutions[6 * MOST * row :],
            errors[MOST * row :], loose[MOST * row :],
        )  # fmt: skip


def nearest_rotation(T: Doubles) -> None:
    """Apply one iteration E (3 - E^T E)/2 to a rotation E with rounding errors."""
    G = doubles(9)
    for i in range(3):
        for j in range(3):
            G[3 * i + j] = T[i] * T[j] + T[4 + i] * T[4 + j] + T[8 + i] * T[8 + j] - (1.0 if i == j else 0.0)
    for row in range(3):
        x, y, z = T[4 * row], T[4 * row + 1], T[4 * row + 2]
        for j in range(3):
            T[4 * row + j] -= 0.5 * (x * G[j] + y * G[3 + j] + z * G[6 + j])


def polished_rows(
    shape: Integers, constants: Doubles, turns: int, count: int, owners: Integers, poses: Doubles, rows: Doubles,
    errors: Doubles, moves: Doubles,
) -> None:  # fmt: skip
    """Refine `count` rows of joints at the poses of their `owners`; return the errors and the joint steps."""
    C, T, q = doubles(84), doubles(12), doubles(6)
    length = scaled_constants(constants, C)
    for row in range(count):
        for i in range(12):
            T[i] = poses[12 * owners[row] + i]
            if i % 4 == 3:
                T[i] /= length
        if shape[1] == 15:
            nearest_rotation(T)
        for k in range(6):
            q[k] = rows[6 * row + k] / length if shape[3 + k] else rows[6 * row + k]
        errors[row] = polish(shape, shape[0], shape[1], C, T, length, turns, q)
        moves[row] = 0.0
        for k in range(6):
            if shape[3 + k]:
                moves[row] = max(moves[row], abs(q[k] - rows[6 * row + k] / length))
                rows[6 * row + k] = q[k] * length
            else:
                moves[row] = max(moves[row], abs(q[k] - rows[6 * row + k]))
                rows[6 * row + k] = q[k]


def trial(shape: Integers, constants: Doubles, plans: Doubles, known: Doubles, shared: Integers) -> float:
    """Return the error, before Newton's method, with which the first plan recovers known joints; -1 if it does not.

    `shared[0]` receives whether two candidates have the same hidden joint.
    """
    C, moved, goal, T, pose = doubles(84), doubles(84), doubles(6), doubles(12), doubles(12)
    length = scaled_constants(constants, C)
    for k in range(6):
        goal[k] = known[k] / length if shape[3 + k] else known[k]
    for k in range(7):
        rigid_product(C[12 * k :], plans[6 + 12 * k :], moved[12 * k :])
    forward(shape, C, goal, T)
    rows, q, pairs, best = doubles(144), doubles(6), integers(24), -1.0
    number = candidates(shape, shape[SHAPE:], plans, moved, T, rows, pairs)
    shared[0] = 1 if number < 0 else 0
    if number < 0:
        number = -number - 1
    for row in range(number):
        for k in range(6):
            q[k] = rows[6 * row + k]
        forward(shape, C, q, pose)
        raw = pose_error(15, pose, T, length)
        if not raw < NEAR * max(length, 1.0):
            continue
        polish(shape, 6, 15, C, T, length, 8, q)
        hit = 1
        for k in range(6):
            off = q[k] - goal[k] if shape[3 + k] else 2.0 * math.sin(0.5 * (q[k] - goal[k]))
            if not abs(off) < SAME:
                hit = 0
        if hit and (best < 0.0 or raw < best):
            best = raw
    return best
