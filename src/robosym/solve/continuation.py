"""Points at given distances, followed from one instance to another in complex numbers.

A pose is a quaternion e and h = p e, where p is the position as a quaternion without real part (Study's coordinates),
up to a common factor: a point of projective space. With quaternion products, and squares without conjugation, a leg
from a of the base to b of the platform whose length squared is d says

    (h + e b - a e)^2 = d e^2,          and Study's quadric is  e . h = 0:

all of them quadratic equations. For six generic legs, 40 poses satisfy them (Ronga, Vust; Lazard; Mourrain), and
special robots never have more solutions with e^2 != 0: every isolated solution is the end of one of the 40 paths that
start at a generic instance (coefficient-parameter continuation, Morgan and Sommese). On the straight line between two
instances, a, b, the matrices of e -> e b - a e, and d change linearly.

A platform that moves in a plane, about a point or without rotation needs only some of the eight coordinates, and fewer
legs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robosym.algebra.samples import Array
from robosym.algebra.tolerances import TINY

__all__ = ["MOTIONS", "Instance", "MotionGroup", "Paths", "derivatives", "follow", "inverses", "refined"]


_ORDER = 8  #: order of the Taylor series that predicts a step
_PREDICTED = 3e-6  #: how large the last term of the series may be in a step
_CORRECTED = 3e-5  #: a larger correction, in parts of the point, rejects the step: another path may be near
_SMALLEST = 1e-9  #: smallest step relative to the path; below it, two paths meet or the path tends to infinity
_ROUNDS = 2000
_ROUNDED = 1e-17  #: a smaller singular value, in parts of the largest, is taken to be as large as this


@dataclass(frozen=True)
class MotionGroup:
    """Motion of a platform: which of e0 .. e3, h0 .. h3 are not zero, and the number of legs."""

    name: str
    coordinates: tuple[int, ...]
    legs: int
    solutions: int  #: complex poses of legs in general position

    @property
    def turns(self) -> int:
        """The number of coordinates that belong to e, which come first."""
        return sum(c < 4 for c in self.coordinates)

    @property
    def study(self) -> Array | None:
        """The matrix of Study's quadric; None if every point satisfies it."""
        S = np.zeros((8, 8))
        S[range(4), range(4, 8)] = S[range(4, 8), range(4)] = 0.5
        S = S[np.ix_(self.coordinates, self.coordinates)]
        return S if S.any() else None

    def legs_of(self, base: Array, platform: Array) -> Array:
        """Return the matrices (legs, 4, n) of x -> h + e b - a e for base points a and platform points b."""
        a, b = np.asarray(base), np.asarray(platform)
        minus, plus = b - a, b + a
        W = np.zeros((len(a), 4, 8), dtype=np.result_type(a, b, float))
        W[:, 0, 1:4] = -minus
        W[:, 1:, 0] = minus
        # the vector part of e b - a e is e0 (b - a) + e x b - a x e = e0 (b - a) - (a + b) x e
        W[:, 1, 2], W[:, 1, 3], W[:, 2, 3] = plus[:, 2], -plus[:, 1], plus[:, 0]
        W[:, 2, 1], W[:, 3, 1], W[:, 3, 2] = -plus[:, 2], plus[:, 1], -plus[:, 0]
        W[:, :, 4:] = np.eye(4)
        return W[:, :, self.coordinates]

    def complete(self, x: Array) -> Array:
        """Return all eight coordinates of points (k, n)."""
        full = np.zeros((len(x), 8), dtype=x.dtype)
        full[:, self.coordinates] = x
        return full


MOTIONS = {
    motion.name: motion
    for motion in (
        MotionGroup("space", (0, 1, 2, 3, 4, 5, 6, 7), 6, 40),
        MotionGroup("plane", (0, 3, 5, 6), 3, 6),  # about z
        MotionGroup("sphere", (0, 1, 2, 3), 3, 8),  # about the origin
        MotionGroup("translation", (0, 5, 6, 7), 3, 2),
    )
}


@dataclass(frozen=True)
class Instance:
    """Matrices W of x -> h + e b - a e (legs, 4, n), and the squares of the distances d (legs,)."""

    motion: MotionGroup
    W: Array
    d: Array

    @classmethod
    def of(cls, motion: MotionGroup, base: Array, platform: Array, d: Array) -> Instance:
        return cls(motion, motion.legs_of(base, platform), d)


@dataclass(frozen=True)
class Paths:
    """Ends of paths: points x (m, n) of length 1, the covered fraction of each path (1: complete), and the effort."""

    x: Array
    t: Array
    rounds: int

    @property
    def arrived(self) -> Array:
        return self.t >= 1.0


class _Line:
    """The equations on the line between two instances, at points x (m, n) and parameters t (m,)."""

    def __init__(self, start: Instance, end: Instance) -> None:
        self.W, self.dW = start.W.astype(complex), (end.W - start.W).astype(complex)
        self.d, self.dd = start.d.astype(complex), (end.d - start.d).astype(complex)
        self.legs, self.n, self.turns = len(self.d), self.W.shape[2], start.motion.turns
        self.study = start.motion.study
        self.moves = bool(np.any(self.dW))
        self._across = self.W.reshape(-1, self.n).T, self.dW.reshape(-1, self.n).T

    def sides(self, x: Array, t: Array) -> Array:
        """Return h + e b - a e of each leg (m, legs, 4)."""
        y = x @ self._across[0]
        if self.moves:
            y = y + t[:, None] * (x @ self._across[1])
        return np.asarray(y.reshape(-1, self.legs, 4))

    def linearized(self, x: Array, t: Array) -> tuple[Array, Array, Array]:
        """Return sides, half of the residuals (m, n) and derivatives (m, n, n); the last row is the normalization."""
        y, d = self.sides(x, t), self.d + t[:, None] * self.dd
        J = np.empty((len(x), self.n, self.n), dtype=complex)
        J[:, : self.legs] = np.einsum("pij,ijk->pik", y, self.W)
        if self.moves:
            J[:, : self.legs] += t[:, None, None] * np.einsum("pij,ijk->pik", y, self.dW)
        J[:, : self.legs, : self.turns] -= d[:, :, None] * x[:, None, : self.turns]
        if self.study is not None:
            J[:, self.legs] = x @ self.study
        J[:, -1] = x.conj()
        f = 0.5 * np.matmul(J, x[:, :, None])[..., 0]
        f[:, -1] = 0
        return y, f, J

    def series(self, x: Array, t: Array, y: Array, inverse: Array) -> Array:
        """Return the coefficients (order + 1, m, n) of the path through x as a power series in t."""
        X = np.zeros((_ORDER + 1, *x.shape), dtype=complex)
        Y = np.zeros((_ORDER + 1, *y.shape), dtype=complex)
        X[0], Y[0] = x, y
        d = self.d + t[:, None] * self.dd
        right = np.zeros((len(x), self.n, 1), dtype=complex)
        for k in range(1, _ORDER + 1):
            E, inside = X[:k, :, : self.turns], slice(k - 1, 0, -1)
            known = np.einsum("kpij,kpij->pi", Y[1:k], Y[inside])
            if self.moves:
                Y[k] = (X[k - 1] @ self._across[1]).reshape(y.shape)
                known += 2 * np.einsum("pij,pij->pi", y, Y[k])
            known -= d * np.einsum("kpi,kpi->p", E[1:], E[:0:-1])[:, None]
            known -= self.dd * np.einsum("kpi,kpi->p", E, E[::-1])[:, None]
            right[:, : self.legs, 0] = 0.5 * known
            if self.study is not None:
                right[:, self.legs, 0] = 0.5 * np.einsum("kpi,kpi->p", X[1:k] @ self.study, X[inside])
            X[k] = -np.matmul(inverse, right)[..., 0]
            Y[k] += self.sides(X[k], t)
        return X


def derivatives(x: Array, instance: Instance) -> tuple[Array, Array]:
    """Return half the residuals (m, n) and their derivatives (m, n, n) at x (m, n); the last row is |x|."""
    _, f, J = _Line(instance, instance).linearized(x, np.zeros(len(x)))
    return f, J


def inverses(J: Array) -> Array:
    """Return the inverses of matrices (m, n, n), with very large entries for singular ones."""
    try:
        return np.linalg.inv(J)
    except np.linalg.LinAlgError:
        U, sizes, V = np.linalg.svd(J)
        least = _ROUNDED * sizes[:, :1] + TINY
        return np.asarray((V.conj().swapaxes(1, 2) / np.maximum(sizes, least)[:, None, :]) @ U.conj().swapaxes(1, 2))


def refined(x: Array, instance: Instance, rounds: int = 3) -> tuple[Array, Array]:
    """Refine points by Newton's method up to rounding, and return them with the lengths of the last steps."""
    line, t = _Line(instance, instance), np.zeros(len(x))
    size = np.full(len(x), np.inf)
    for _ in range(rounds):
        x = x / np.linalg.norm(x, axis=1, keepdims=True)
        _, f, J = line.linearized(x, t)
        step = np.matmul(inverses(J), f[:, :, None])[..., 0]
        x, size = x - step, np.linalg.norm(step, axis=1)
    return x / np.linalg.norm(x, axis=1, keepdims=True), size


def follow(x: Array, start: Instance, end: Instance, caution: float = 1.0) -> Paths:
    """Return the ends of the paths that start at solutions x (m, n) of `start`; `caution` < 1 shortens the steps."""
    line = _Line(start, end)
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    reached, t_reached = x.copy(), np.zeros(len(x))
    y, _, J = line.linearized(x, t_reached)
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
        y, f, J = line.linearized(trial, ahead)
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
    """Return the step within which the series is reliable."""
    sizes = np.linalg.norm(X[-2:], axis=2) + TINY
    tolerance = _PREDICTED * caution
    far = np.minimum((tolerance / sizes[0]) ** (1 / (_ORDER - 1)), (tolerance / sizes[1]) ** (1 / _ORDER))
    return np.asarray(np.minimum(far, 1 - t))
