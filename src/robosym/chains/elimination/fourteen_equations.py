"""The fourteen equations of a pose, the elimination of two joints, and the candidates that its eigenvalues give."""

from __future__ import annotations

import math

from robosym.chains.elimination import Doubles, Integers, doubles, integers
from robosym.chains.elimination.dense_matrices import factorize, null_vector, orthogonal_factors, reflect, substitute
from robosym.chains.elimination.qr_eigenvalues import balance, eigenvalues, hessenberg
from robosym.chains.elimination.rigid_rows import joint_times, rigid_inverse, rigid_product, times_joint

__all__ = ["candidates"]

IMAGINARY = 1e-3  # imaginary part that rounding may give to a double root
REGULAR = 1e-5  # the smallest pivot, in parts of the largest, of a leading matrix that is good enough
WEAK = 1e-16  # pivots, in parts of the largest, that count as zero
SHARED = 1e-3  # values of the hidden joint too close to tell their solutions apart
FAR = 1e5  # lengths of the robot beyond which a joint is at infinity
TINY = 1e-300

PLAIN = True  #: the functions below are also translated to C and machine code: `languages/plain.py`


def fourteen(T: Doubles, out: Doubles) -> None:
    """Compute a, P, a.P, P.P, a x P, (P.P) a - 2 (a.P) P from the third and fourth columns."""
    a0, a1, a2, P0, P1, P2 = T[2], T[6], T[10], T[3], T[7], T[11]
    aP, PP = a0 * P0 + a1 * P1 + a2 * P2, P0 * P0 + P1 * P1 + P2 * P2
    out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7] = a0, a1, a2, P0, P1, P2, aP, PP
    out[8], out[9], out[10] = a1 * P2 - a2 * P1, a2 * P0 - a0 * P2, a0 * P1 - a1 * P0
    out[11], out[12], out[13] = PP * a0 - 2.0 * aP * P0, PP * a1 - 2.0 * aP * P1, PP * a2 - 2.0 * aP * P2


def reduced(T: Doubles, constant: Doubles, mirrors: Doubles, out: Doubles) -> None:
    """Subtract the constant part of the other side from the fourteen equations of a pose, reflected by `mirrors`."""
    fourteen(T, out)
    for m in range(14):
        out[m] -= constant[m]
    reflect(mirrors, out)


def sample_points(prismatic: int, offset: float, points: Doubles) -> None:
    """Compute three values of a joint that determine a function of it."""
    for k in range(3):
        points[k] = offset + k - 1.0 if prismatic else offset + 2.0 * math.pi * k / 3.0


def to_functions(prismatic: int, offset: float, M: Doubles) -> None:
    """Return the matrix (3, 3) from values at the sample points to the coefficients of 1, C, S or 1, r, r^2."""
    if prismatic:
        M[0], M[1], M[2] = 0.5 * offset * (offset + 1.0), 1.0 - offset * offset, 0.5 * offset * (offset - 1.0)
        M[3], M[4], M[5] = -0.5 - offset, 2.0 * offset, 0.5 - offset
        M[6], M[7], M[8] = 0.5, -1.0, 0.5
    else:
        for k in range(3):
            angle = offset + 2.0 * math.pi * k / 3.0
            M[k] = 1.0 / 3.0
            M[3 + k] = 2.0 / 3.0 * math.cos(angle)
            M[6 + k] = 2.0 / 3.0 * math.sin(angle)


def to_powers(prismatic: int, M: Doubles) -> None:
    """Return the matrix (3, 3) from values at the sample points to the coefficients of 1, x, x^2."""
    if prismatic:
        M[0], M[1], M[2] = 0.0, 1.0, 0.0
        M[3], M[4], M[5] = -0.5, 0.0, 0.5
        M[6], M[7], M[8] = 0.5, -1.0, 0.5
    else:  # times 1 + x^2
        for k in range(3):
            c, s = math.cos(2.0 * math.pi * k / 3.0), math.sin(2.0 * math.pi * k / 3.0)
            M[k] = (1.0 + 2.0 * c) / 3.0
            M[3 + k] = 4.0 * s / 3.0
            M[6 + k] = (1.0 - 2.0 * c) / 3.0


def transformed(count: int, stride: int, M: Doubles, values: Doubles) -> None:
    """Apply M in place along one axis, of length three, of a table of `count` numbers."""
    for block in range(count // (3 * stride)):
        for inner in range(stride):
            place = 3 * stride * block + inner
            a, b, c = values[place], values[place + stride], values[place + 2 * stride]
            for k in range(3):
                values[place + k * stride] = M[3 * k] * a + M[3 * k + 1] * b + M[3 * k + 2] * c


def joint_value(prismatic: int, offset: float, above: float, below: float) -> float:
    """Return the joint position for x = above / below."""
    if prismatic:
        return offset + above / (below if below != 0.0 else TINY)
    return offset + 2.0 * math.atan2(above, below)


def ratio(v: Doubles, step: int, offset: float, prismatic: int) -> float:
    """Return a joint whose x is the quotient of entries of v (4, 3) at distance `step`, using the largest ones."""
    above, below, largest = 0.0, 1.0, -1.0
    for i in range(12 - step):
        if step == 3 or i % 3 < 2:
            size = v[i + step] * v[i + step] + v[i] * v[i]
            if size > largest:
                above, below, largest = v[i + step], v[i], size
    return joint_value(prismatic, offset, above, below)


def right_side(prismatic: Integers, sign: Integers, shift: Doubles, inverses: Doubles, right: Doubles) -> None:
    """Return the fourteen equations of (Kd Je Ke Jf Kf)^-1 in nine products of joint functions, shape (14, 9).

    `inverses` are those of Kd, Ke, Kf.
    """
    points, M = doubles(6), doubles(9)
    sample_points(prismatic[4], shift[4], points)
    sample_points(prismatic[5], shift[5], points[3:])
    link, behind, part, pose, values = doubles(12), doubles(12), doubles(12), doubles(12), doubles(14)
    for i in range(3):
        joint_times(prismatic[4], -sign[4] * points[i], inverses, behind)
        rigid_product(inverses[12:], behind, link)
        for j in range(3):
            joint_times(prismatic[5], -sign[5] * points[3 + j], link, part)
            rigid_product(inverses[24:], part, pose)
            fourteen(pose, values)
            for k in range(14):
                right[9 * k + 3 * i + j] = values[k]
    to_functions(prismatic[4], shift[4], M)
    transformed(126, 3, M, right)
    to_functions(prismatic[5], shift[5], M)
    transformed(126, 1, M, right)


def left_side(
    prismatic: Integers, sign: Integers, shift: Doubles, K: Doubles, constant: Doubles, mirrors: Doubles, E: Doubles
) -> None:
    """Compute six equations without the last two joints, in powers of x of the first three: (6, 3, 3, 3).

    They are the fourteen equations of Ja Ka Jb Kb Jc Kc, less the constant terms of the other side, reflected by
    `mirrors`.
    """
    points, M = doubles(9), doubles(9)
    for k in range(3):
        sample_points(prismatic[k], shift[k], points[3 * k :])
    one, two, three = doubles(12), doubles(12), doubles(12)
    ahead, pose, values = doubles(12), doubles(12), doubles(14)
    for i in range(3):
        joint_times(prismatic[0], sign[0] * points[i], K, one)
        for j in range(3):
            joint_times(prismatic[1], sign[1] * points[3 + j], K[12:], two)
            rigid_product(one, two, ahead)
            for k in range(3):
                joint_times(prismatic[2], sign[2] * points[6 + k], K[24:], three)
                rigid_product(ahead, three, pose)
                reduced(pose, constant, mirrors, values)
                for m in range(6):
                    E[27 * m + 9 * i + 3 * j + k] = values[8 + m]
    to_powers(prismatic[0], M)
    transformed(162, 9, M, E)
    to_powers(prismatic[1], M)
    transformed(162, 3, M, E)
    to_powers(prismatic[2], M)
    transformed(162, 1, M, E)


def sigma(hidden: int, E: Doubles, S: Doubles) -> None:
    """Compute S0 + S1 x + S2 x^2 in the hidden x, each (12, 12) over products of powers of the other two."""
    for m in range(6):
        largest = 0.0
        for k in range(27):
            largest = max(largest, abs(E[27 * m + k]))
        if largest > 0.0:
            for k in range(27):
                E[27 * m + k] /= largest
    own = 9 if hidden == 0 else 3 if hidden == 1 else 1
    first = 3 if hidden == 0 else 9
    second = 3 if hidden == 2 else 1
    for power in range(3):
        for m in range(6):
            for i in range(3):
                for j in range(3):
                    entry = E[27 * m + power * own + i * first + j * second]
                    S[144 * power + 12 * m + 3 * i + j] = entry
                    S[144 * power + 12 * (m + 6) + 3 * (i + 1) + j] = entry


def hidden_values(S: Doubles, above: Doubles, below: Doubles, imaginary: Doubles) -> int:
    """Find x = above / below with Sigma(x) singular, and the imaginary part of its y; return their number.

    x = (c y - s)/(s y + c) is a rotation for which the matrix of y^2 is well conditioned.
    """
    best, turn = -1.0, 0.0
    leading, low, rows = doubles(144), doubles(288), integers(12)
    for attempt in range(4):
        angle = 0.4 + 0.75 * attempt
        c, s = math.cos(angle), math.sin(angle)
        for i in range(144):
            leading[i] = S[i] * s * s + S[144 + i] * c * s + S[288 + i] * c * c
        quality = factorize(12, leading, rows)
        if quality > best:
            best, turn = quality, angle
        if best > REGULAR:
            break
    if not best > 0.0:
        return 0
    c, s = math.cos(turn), math.sin(turn)
    for i in range(12):
        for j in range(12):
            a, b, d = S[12 * i + j], S[144 + 12 * i + j], S[288 + 12 * i + j]
            leading[12 * i + j] = a * s * s + b * c * s + d * c * c
            low[24 * i + j] = a * c * c - b * c * s + d * s * s
            low[24 * i + 12 + j] = 2.0 * (a - d) * c * s + b * (c * c - s * s)
    factorize(12, leading, rows)
    substitute(12, leading, rows, 24, low)
    companion, y = doubles(576), doubles(24)
    for i in range(12):
        companion[24 * i + 12 + i] = 1.0
        for j in range(24):
            companion[24 * (12 + i) + j] = -low[24 * i + j]
    balance(24, companion)
    hessenberg(24, companion)
    count = eigenvalues(24, companion, y, imaginary)
    for k in range(count):
        above[k], below[k] = c * y[k] - s, s * y[k] + c
        imaginary[k] /= 1.0 + y[k] * y[k] + imaginary[k] * imaginary[k]
    return count


def last_three(
    prismatic: Integers, sign: Integers, K: Doubles, inverses: Doubles, constant: Doubles, factors: Doubles,
    mirrors: Doubles, places: Integers, q: Doubles,
) -> None:  # fmt: skip
    """Compute Je and Jf from eight linear equations, and Jd from the remaining rotation; the first three are known."""
    pose, link, part, values = doubles(12), doubles(12), doubles(12), doubles(14)
    for i in range(12):
        pose[i] = 1.0 if i % 5 == 0 else 0.0
    for k in range(3):
        times_joint(prismatic[k], sign[k] * q[k], pose, link)
        rigid_product(link, K[12 * k :], pose)
    reduced(pose, constant, mirrors, values)
    solved, products = doubles(8), doubles(8)
    for k in range(7, -1, -1):
        rest = values[k]
        for j in range(k + 1, 8):
            rest -= factors[8 * k + j] * solved[j]
        weak = abs(factors[9 * k]) <= WEAK * abs(factors[0])
        solved[k] = 0.0 if weak else rest / factors[9 * k]
    for k in range(8):
        products[places[k]] = solved[k]
    q[4] = products[2] if prismatic[4] else math.atan2(products[5], products[2])
    q[5] = products[0] if prismatic[5] else math.atan2(products[1], products[0])
    joint_times(prismatic[4], -sign[4] * q[4], inverses, link)
    rigid_product(inverses[12:], link, part)
    joint_times(prismatic[5], -sign[5] * q[5], part, link)
    rigid_product(inverses[24:], link, part)  # (Kd Je Ke Jf Kf)^-1
    turned = doubles(12)
    rigid_inverse(pose, turned)
    rigid_product(turned, part, link)
    q[3] = sign[3] * math.atan2(link[4] - link[1], link[0] + link[5])


def is_shared(slides: int, value: float, place: int, count: int, found: Doubles) -> int:
    """Return whether a row of `found` has nearly this value of the joint at a place."""
    for row in range(count):
        apart = found[6 * row + place] - value
        if not slides:
            apart = 2.0 * math.sin(0.5 * apart)
        if abs(apart) < SHARED:
            return 1
    return 0


def candidates(
    shape: Integers, plan: Integers, offsets: Doubles, C: Doubles, T: Doubles, found: Doubles, pairs: Integers
) -> int:
    """Find joint positions (rows of six) that may reach T, with lengths in units of the robot.

    Return their number n, at most 24, or -n - 1 if two of them share a value of the hidden joint. `pairs` receives
    which rows are those of two nearly real values, which need not have a solution.
    """
    first, hidden = plan[0], plan[1]
    closing, inverse, part = doubles(12), doubles(12), doubles(12)
    rigid_inverse(T, inverse)
    rigid_product(C[72:], inverse, part)
    rigid_product(part, C, closing)
    K, prismatic, sign, shift = doubles(72), integers(6), integers(6), doubles(6)  # from the first joint on
    for k in range(6):
        joint = (first + k) % 6
        prismatic[k], sign[k], shift[k] = shape[3 + joint], shape[9 + joint], offsets[joint]
        for i in range(12):
            K[12 * k + i] = closing[i] if joint == 5 else C[12 * (joint + 1) + i]
    inverses, right = doubles(36), doubles(126)
    for k in range(3):
        rigid_inverse(K[12 * (3 + k) :], inverses[12 * k :])
    right_side(prismatic, sign, shift, inverses, right)
    constant, factors, mirrors, places = doubles(14), doubles(112), doubles(112), integers(8)
    for k in range(14):
        constant[k] = right[9 * k]
        for j in range(8):
            factors[8 * k + j] = right[9 * k + 1 + j]
    orthogonal_factors(factors, mirrors, places)
    E, S, matrix = doubles(162), doubles(432), doubles(144)
    left_side(prismatic, sign, shift, K, constant, mirrors, E)
    sigma(hidden, E, S)
    above, below, imaginary = doubles(24), doubles(24), doubles(24)
    total = hidden_values(S, above, below, imaginary)
    count, shared = 0, 0
    q, v = doubles(6), doubles(12)
    near = 1 if hidden == 0 else 0
    far = 1 if hidden == 2 else 2
    for number in range(total):
        x, w = above[number], below[number]
        if not abs(imaginary[number]) <= IMAGINARY or (prismatic[hidden] and abs(x) > FAR * abs(w)):
            continue
        if imaginary[number] < 0.0:  # one of the two is enough, but they share a value
            shared = 1
            continue
        for i in range(144):
            matrix[i] = S[i] * w * w + S[144 + i] * x * w + S[288 + i] * x * x
        null_vector(matrix, v)
        q[hidden] = joint_value(prismatic[hidden], shift[hidden], x, w)
        q[near] = ratio(v, 3, shift[near], prismatic[near])
        q[far] = ratio(v, 1, shift[far], prismatic[far])
        last_three(prismatic, sign, K, inverses, constant, factors, mirrors, places, q)
        fine = 1
        for k in range(6):
            if not abs(q[k]) < 1.0 / TINY:
                fine = 0
            found[6 * count + (first + k) % 6] = q[k]
        if is_shared(prismatic[hidden], q[hidden], (first + hidden) % 6, count, found):
            shared = 1
        pairs[count] = 1 if imaginary[number] > 0.0 else 0
        count += fine
    return -count - 1 if shared else count
