"""Eigenvalues of a real matrix by balancing, reduction to Hessenberg form, and Francis double-shift steps."""

from __future__ import annotations

import math

from robosym.chains.elimination import Doubles, doubles

__all__ = ["balance", "eigenvalues", "hessenberg", "sweep"]

ROUNDING = 2.3e-16
PATIENCE = 20  # steps of the QR method before it is content with less

PLAIN = True  #: the functions below are also translated to C and machine code: `languages/plain.py`


def balance(n: int, A: Doubles) -> None:
    """Scale rows and columns by powers of two until their norms are similar."""
    going = 1
    while going:
        going = 0
        for i in range(n):
            column, row = 0.0, 0.0
            for j in range(n):
                if j != i:
                    column += abs(A[j * n + i])
                    row += abs(A[i * n + j])
            if column > 0.0 and row > 0.0:
                scale, total = 1.0, column + row
                while column < row / 2.0:
                    scale *= 2.0
                    column *= 4.0
                while column >= row * 2.0:
                    scale /= 2.0
                    column /= 4.0
                if column + row < 0.95 * total * scale:
                    going = 1
                    for j in range(n):
                        A[i * n + j] /= scale
                    for j in range(n):
                        A[j * n + i] *= scale


def hessenberg(n: int, A: Doubles) -> None:
    """Reduce A in place to a similar matrix in Hessenberg form by Householder reflections."""
    v, sums = doubles(24), doubles(24)
    for k in range(n - 2):
        size = 0.0
        for i in range(k + 1, n):
            v[i] = A[i * n + k]
            size += v[i] * v[i]
        length = math.sqrt(size)
        if length > 0.0:
            v[k + 1] += length if v[k + 1] >= 0.0 else -length
            size = 0.0
            for i in range(k + 1, n):
                size += v[i] * v[i]
            for j in range(k, n):
                sums[j] = 0.0
            for i in range(k + 1, n):
                for j in range(k, n):
                    sums[j] += v[i] * A[i * n + j]
            for i in range(k + 1, n):
                factor = 2.0 * v[i] / size
                for j in range(k, n):
                    A[i * n + j] -= factor * sums[j]
            for i in range(n):
                total = 0.0
                for j in range(k + 1, n):
                    total += A[i * n + j] * v[j]
                total *= 2.0 / size
                for j in range(k + 1, n):
                    A[i * n + j] -= total * v[j]


def sweep(n: int, H: Doubles, low: int, high: int, total: float, product: float) -> None:
    """Apply one Francis step to the rows and columns low .. high, with two shifts of this sum and product."""
    x = H[low * n + low] * (H[low * n + low] - total) + H[low * n + low + 1] * H[(low + 1) * n + low] + product
    y = H[(low + 1) * n + low] * (H[low * n + low] + H[(low + 1) * n + low + 1] - total)
    z = H[(low + 1) * n + low] * H[(low + 2) * n + low + 1]
    for k in range(low, high):
        last = k + 1 == high
        if k > low:
            x, y = H[k * n + k - 1], H[(k + 1) * n + k - 1]
            z = 0.0 if last else H[(k + 2) * n + k - 1]
        size = math.sqrt(x * x + y * y + z * z)
        if size > 0.0:
            head = x + size if x >= 0.0 else x - size
            square = head * head + y * y + z * z
            a, b, c = 2.0 * head / square, 2.0 * y / square, 2.0 * z / square
            first = k - 1 if k > low else low
            if last:
                for j in range(first, high + 1):
                    dot = head * H[k * n + j] + y * H[(k + 1) * n + j]
                    H[k * n + j] -= a * dot
                    H[(k + 1) * n + j] -= b * dot
                for i in range(low, high + 1):
                    dot = a * H[i * n + k] + b * H[i * n + k + 1]
                    H[i * n + k] -= dot * head
                    H[i * n + k + 1] -= dot * y
            else:
                for j in range(first, high + 1):
                    dot = head * H[k * n + j] + y * H[(k + 1) * n + j] + z * H[(k + 2) * n + j]
                    H[k * n + j] -= a * dot
                    H[(k + 1) * n + j] -= b * dot
                    H[(k + 2) * n + j] -= c * dot
                until = k + 4 if k + 3 < high else high + 1
                for i in range(low, until):
                    dot = a * H[i * n + k] + b * H[i * n + k + 1] + c * H[i * n + k + 2]
                    H[i * n + k] -= dot * head
                    H[i * n + k + 1] -= dot * y
                    H[i * n + k + 2] -= dot * z
            if k > low:
                H[(k + 1) * n + k - 1] = 0.0
                if not last:
                    H[(k + 2) * n + k - 1] = 0.0


def eigenvalues(n: int, H: Doubles, real: Doubles, imaginary: Doubles) -> int:
    """Compute eigenvalues of a Hessenberg matrix by double-shift QR and return their number; H is overwritten."""
    norm, count, high, turn = 0.0, 0, n - 1, 0
    for i in range(n * n):
        norm += abs(H[i])
    while high >= 0:
        small = ROUNDING * (1 << turn - PATIENCE) if turn > PATIENCE else ROUNDING  # many roots at infinity are slow
        low = high
        while low > 0:
            near = abs(H[low * n + low]) + abs(H[(low - 1) * n + low - 1])
            if near == 0.0:
                near = norm
            if abs(H[low * n + low - 1]) <= small * near:
                H[low * n + low - 1] = 0.0
                break
            low -= 1
        if low == high:
            real[count] = H[high * n + high]
            imaginary[count] = 0.0
            count += 1
            high -= 1
            turn = 0
        elif low == high - 1:
            a, b = H[low * n + low], H[low * n + high]
            c, d = H[high * n + low], H[high * n + high]
            half = 0.5 * (a - d)
            inside = half * half + b * c
            root = math.sqrt(abs(inside))
            if inside >= 0.0:
                larger = half + root if half >= 0.0 else half - root
                real[count] = d + larger
                real[count + 1] = d - b * c / larger if larger != 0.0 else d
                imaginary[count], imaginary[count + 1] = 0.0, 0.0
            else:
                real[count], real[count + 1] = d + half, d + half
                imaginary[count], imaginary[count + 1] = root, -root
            count += 2
            high -= 2
            turn = 0
        else:
            turn += 1
            if turn > PATIENCE + 30:
                return count
            a, d = H[(high - 1) * n + high - 1], H[high * n + high]
            both = H[(high - 1) * n + high] * H[high * n + high - 1]
            half = 0.5 * (a - d)
            inside = half * half + both
            total, product = a + d, a * d - both
            if turn % 10 == 0:  # shifts that do not help are changed
                away = abs(H[high * n + high - 1]) + abs(H[(high - 1) * n + high - 2])
                middle = d + 0.75 * away
                total, product = 2.0 * middle, middle * middle + 0.4375 * away * away
            elif inside >= 0.0:  # of two real shifts the one nearer to the last entry, twice
                root = math.sqrt(inside)
                larger = half + root if half >= 0.0 else half - root
                middle = d - both / larger if larger != 0.0 else d
                total, product = 2.0 * middle, middle * middle
            sweep(n, H, low, high, total, product)
    return count
