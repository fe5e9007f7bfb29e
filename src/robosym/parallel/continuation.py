"""Six points at six distances, followed from one instance to another in complex numbers.

A pose is a quaternion e and h = p e, where p is the position as a quaternion without real part (Study's coordinates),
up to a common factor: a point of projective space. With quaternion products, and squares without conjugation, a leg
from a of the base to b of the platform whose length squared is d says

    (h + e b - a e)^2 = d e^2,          and Study's quadric is  e . h = 0:

seven quadratic equations. Of six legs in general position 40 poses fulfil them (Ronga, Vust; Lazard; Mourrain), and
the number of solutions with e^2 != 0 never grows on special robots: every isolated solution is the end of one of the
40 paths that begin at an instance in general position (coefficient-parameter continuation, Morgan and Sommese). On the
straight line between two instances a, b change linearly: so do the matrices of e -> e b - a e, and d is taken linear.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from robosym.algebra.generic import TINY

__all__ = ["Instance", "Paths", "derivatives", "follow", "inverses", "matrices", "refined"]

Array = np.ndarray[Any, np.dtype[Any]]

_ORDER = 8  #: of the Taylor series with which a step is predicted
_PREDICTED = 3e-6  #: how large the last term of the series may be in a step
_CORRECTED = 3e-5  #: a larger correction, in parts of the point, rejects the step: another path may be near
_SMALLEST = 1e-9  #: of a step, in parts of the way; below it the path ends where two meet, or at infinity
_ROUNDS = 2000
_ROUNDED = 1e-17  #: a smaller singular value, in parts of the largest, is taken to be as large as this


@dataclass(frozen=True)
class Instance:
    """Matrices B of e -> e b - a e (6, 4, 4), and the squares of the distances d (6,)."""

    B: Array
    d: Array


def matrices(base: Array, platform: Array) -> Array:
    """The matrices (6, 4, 4) of e -> e b - a e for points a of the base and b of the platform (6, 3)."""
    a, b = np.asarray(base), np.asarray(platform)
    minus, plus = b - a, b + a
    B = np.zeros((len(a), 4, 4), dtype=np.result_type(a, b, float))
    B[:, 0, 1:] = -minus
    B[:, 1:, 0] = minus
    # the vector part of (e b - a e) is e0 (b - a) + e x b - a x e = e0 (b - a) - (a + b) x e
    B[:, 1, 2], B[:, 1, 3], B[:, 2, 3] = plus[:, 2], -plus[:, 1], plus[:, 0]
    B[:, 2, 1], B[:, 3, 1], B[:, 3, 2] = -plus[:, 2], plus[:, 1], -plus[:, 0]
    return B


@dataclass(frozen=True)
class Paths:
    """Where paths ended: points x (m, 8) of length 1, how far each came (1: all the way), and what it took."""

    x: Array
    t: Array
    rounds: int

    @property
    def arrived(self) -> Array:
        return self.t >= 1.0


class _Line:
    """The equations on the line between two instances, at points x (m, 8) and places t (m,)."""

    def __init__(self, start: Instance, end: Instance) -> None:
        self.B, self.dB = start.B.astype(complex), (end.B - start.B).astype(complex)
        self.d, self.dd = start.d.astype(complex), (end.d - start.d).astype(complex)
        self.moves = bool(np.any(self.dB))
        self._across = self.B.reshape(-1, 4).T, self.dB.reshape(-1, 4).T

    def legs(self, x: Array, t: Array) -> Array:
        """h + e b - a e of each leg (m, 6, 4)."""
        turned = x[:, :4] @ self._across[0]
        if self.moves:
            turned = turned + t[:, None] * (x[:, :4] @ self._across[1])
        return np.asarray(turned.reshape(-1, len(self.d), 4) + x[:, None, 4:])

    def moved(self, e: Array) -> Array:
        """The derivative of the legs along the line (m, 6, 4)."""
        return np.asarray((e @ self._across[1]).reshape(-1, len(self.d), 4))

    def linearised(self, x: Array, t: Array) -> tuple[Array, Array, Array]:
        """Legs, halves of the residuals (m, 8) and their derivatives (m, 8, 8); the last row keeps the length."""
        y, e, h = self.legs(x, t), x[:, :4], x[:, 4:]
        d = self.d + t[:, None] * self.dd
        back = np.einsum("pij,ijk->pik", y, self.B)
        if self.moves:
            back += t[:, None, None] * np.einsum("pij,ijk->pik", y, self.dB)
        J = np.empty((len(x), 8, 8), dtype=complex)
        J[:, :6, :4] = back - d[:, :, None] * e[:, None, :]
        J[:, :6, 4:] = y
        J[:, 6, :4], J[:, 6, 4:] = 0.5 * h, 0.5 * e
        J[:, 7] = x.conj()
        f = 0.5 * np.matmul(J, x[:, :, None])[..., 0]
        f[:, 7] = 0
        return y, f, J

    def series(self, x: Array, t: Array, y: Array, inverse: Array) -> Array:
        """Coefficients (order + 1, m, 8) of the path through x as a power series of t."""
        X = np.zeros((_ORDER + 1, *x.shape), dtype=complex)
        Y = np.zeros((_ORDER + 1, *y.shape), dtype=complex)
        X[0], Y[0] = x, y
        d = self.d + t[:, None] * self.dd
        right = np.zeros((len(x), 8, 1), dtype=complex)
        squares: list[Array] = []
        for k in range(1, _ORDER + 1):
            known = self.moved(X[k - 1, :, :4]) if self.moves else None
            inner = 0.5 * np.einsum("kpij,kpij->pi", Y[1:k], Y[k - 1 : 0 : -1]) if k > 1 else np.zeros_like(d)
            if known is not None:
                inner = inner + np.einsum("pij,pij->pi", Y[0], known)
            E = X[:k, :, :4]
            squares.append(np.einsum("kpi,kpi->p", E, E[::-1]))
            middle = np.einsum("kpi,kpi->p", E[1:], E[:0:-1])
            right[:, :6, 0] = inner - 0.5 * (d * middle[:, None] + self.dd * squares[-1][:, None])
            right[:, 6, 0] = 0.5 * np.einsum("kpi,kpi->p", E[1:], X[k - 1 : 0 : -1, :, 4:])
            X[k] = -np.matmul(inverse, right)[..., 0]
            Y[k] = self.legs(X[k], t)
            if known is not None:
                Y[k] += known
        return X


def derivatives(x: Array, instance: Instance) -> tuple[Array, Array]:
    """Halves of the residuals (m, 8) and of their derivatives (m, 8, 8) at x (m, 8); the last row is that of |x|."""
    _, f, J = _Line(instance, instance).linearised(x, np.zeros(len(x)))
    return f, J


def inverses(J: Array) -> Array:
    """Inverses of matrices (m, n, n), those of singular ones huge."""
    try:
        return np.linalg.inv(J)
    except np.linalg.LinAlgError:
        U, sizes, V = np.linalg.svd(J)
        least = _ROUNDED * sizes[:, :1] + TINY
        return np.asarray((V.conj().swapaxes(1, 2) / np.maximum(sizes, least)[:, None, :]) @ U.conj().swapaxes(1, 2))


def refined(x: Array, instance: Instance, rounds: int = 3) -> tuple[Array, Array]:
    """Points as near to solutions as rounding allows (Newton), and the lengths of the last corrections."""
    line, t = _Line(instance, instance), np.zeros(len(x))
    size = np.full(len(x), np.inf)
    for _ in range(rounds):
        x = x / np.linalg.norm(x, axis=1, keepdims=True)
        _, f, J = line.linearised(x, t)
        step = np.matmul(inverses(J), f[:, :, None])[..., 0]
        x, size = x - step, np.linalg.norm(step, axis=1)
    return x / np.linalg.norm(x, axis=1, keepdims=True), size


def follow(x: Array, start: Instance, end: Instance, caution: float = 1.0) -> Paths:
    """The ends of the paths that begin at solutions x (m, 8) of `start`; `caution` below 1 takes shorter steps."""
    line = _Line(start, end)
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    reached, t_reached = x.copy(), np.zeros(len(x))
    y, _, J = line.linearised(x, t_reached)
    active = np.arange(len(x))
    t = np.zeros(len(x))
    X = line.series(x, t, y, inverses(J))
    step = _step(X, t, caution)
    rounds = 0
    while len(active) and rounds < _ROUNDS:
        rounds += 1
        trial = X[_ORDER]
        for k in range(_ORDER - 1, -1, -1):
            trial = trial * step[:, None] + X[k]
        trial = trial / np.linalg.norm(trial, axis=1, keepdims=True)
        ahead = np.where(step >= 1 - t, 1.0, t + step)
        y, f, J = line.linearised(trial, ahead)
        inverse = inverses(J)
        correction = np.matmul(inverse, f[:, :, None])[..., 0]
        good = np.linalg.norm(correction, axis=1) < _CORRECTED * caution
        trial = trial - correction
        reached[active[good]], t_reached[active[good]] = trial[good], ahead[good]
        t = np.where(good, ahead, t)
        going = good & (t < 1)
        if going.any():
            X[:, going] = line.series(trial[going], t[going], y[going], inverse[going])
            step = np.where(good, 0.0, 0.5 * step)
            step[going] = _step(X[:, going], t[going], caution)
        else:
            step = 0.5 * step
        left = (t < 1) & (step > _SMALLEST)
        if not left.all():
            active, t, step, X = active[left], t[left], step[left], X[:, left]
    return Paths(reached, t_reached, rounds)


def _step(X: Array, t: Array, caution: float) -> Array:
    """How far the series may be trusted."""
    sizes = np.linalg.norm(X[-2:], axis=2) + TINY
    tolerance = _PREDICTED * caution
    far = np.minimum((tolerance / sizes[0]) ** (1 / (_ORDER - 1)), (tolerance / sizes[1]) ** (1 / _ORDER))
    return np.asarray(np.minimum(far, 1 - t))
