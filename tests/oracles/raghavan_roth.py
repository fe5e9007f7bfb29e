"""Independent solver of six-joint chains: Raghavan and Roth's elimination with LAPACK.

It uses singular values and eigenvectors for every equation A1-16, and polishes each candidate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from robosym.algebra.generic import random_arrays
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import ZERO
from robosym.chains.chain import ChainJoint
from robosym.chains.numeric_chain import NumericChain, distinct, wrapped
from robosym.spatial.numeric import rigid_inverse

__all__ = ["all_solutions"]

_THIRDS = 2 * np.pi * np.arange(3) / 3
_IMAGINARY = 1e-3  #: largest imaginary part of a double root due to rounding
_REGULAR = 1e-5  #: smallest relative singular value of a regular leading matrix
_NO_LENGTH = 1e-30  #: divisor where a prismatic joint tends to infinity


@dataclass(frozen=True)
class Start:
    """A choice of equation A1-16: the first joint, and which of the first three is hidden."""

    first: int
    hidden: int


def starts(chain: NumericChain) -> list[Start]:
    """Return every choice whose fourth joint is revolute."""
    return [Start(first, hidden) for first in range(6) for hidden in range(3) if not chain.prismatic[(first + 3) % 6]]


def _fourteen(T: Array) -> Array:
    """Return the fourteen functions of a = T[:3, 2] and P = T[:3, 3], along the last axis."""
    result = np.empty((*T.shape[:-2], 14))
    a, P = T[..., :3, 2], T[..., :3, 3]
    aP, PP = np.einsum("...i,...i->...", a, P), np.einsum("...i,...i->...", P, P)
    result[..., :3], result[..., 3:6], result[..., 6], result[..., 7] = a, P, aP, PP
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        result[..., 8 + i] = a[..., j] * P[..., k] - a[..., k] * P[..., j]
    result[..., 11:] = PP[..., None] * a - 2 * aP[..., None] * P
    return result


class _Unknown:
    """One joint at three sample points, with the conversion to a quadratic polynomial in x."""

    def __init__(self, joint: ChainJoint, rng: np.random.Generator) -> None:
        self.joint = joint
        if joint.prismatic:
            self.offset = float(rng.uniform(-0.3, 0.3))
            self.points = self.offset + np.array([-1.0, 0.0, 1.0])
            self.to_x = np.array([[0, 1, 0], [-0.5, 0, 0.5], [0.5, -1, 0.5]])
        else:
            self.offset = float(rng.uniform(-np.pi, np.pi))
            self.points = self.offset + _THIRDS
            fourier = np.linalg.inv(np.stack([np.ones(3), np.cos(_THIRDS), np.sin(_THIRDS)], axis=1))
            self.to_x = np.array([[1, 1, 0], [0, 0, 2], [1, -1, 0]]) @ fourier  # 1 + x^2, 1 - x^2, 2 x

        self.motions = joint.motion(self.points)
        if joint.prismatic:
            functions = np.stack([np.ones(3), self.points, self.points**2], axis=1)
        else:
            functions = np.stack([np.ones(3), np.cos(self.points), np.sin(self.points)], axis=1)
        self.basis = np.linalg.inv(functions)  #: from values there to coefficients of 1, C, S or 1, r, r^2

    def value(self, above: Array, below: Array) -> Array:
        """Return the joint at x = above / below."""
        if self.joint.prismatic:
            return np.asarray(self.offset + above / np.where(below == 0, _NO_LENGTH, below))
        return np.asarray(self.offset + 2 * np.arctan2(above, below))


@lru_cache(maxsize=256)
def _unknown(joint: ChainJoint, seed: int) -> _Unknown:
    return _Unknown(joint, random_arrays("general method, unknowns", seed))


@lru_cache(maxsize=256)
def _two(first: _Unknown, second: _Unknown) -> Array:
    """Convert values at the 9 sample points of two joints to coefficients of products of their functions."""
    return np.asarray(np.kron(first.basis, second.basis).T)


@lru_cache(maxsize=256)
def _three(first: _Unknown, second: _Unknown, third: _Unknown) -> Array:
    """Convert values at the 27 sample points of three joints to coefficients of products of powers of x."""
    return np.asarray(np.kron(np.kron(first.to_x, second.to_x), third.to_x).T)


def all_solutions(chain: NumericChain, T: Array) -> Array:
    """Return the distinct solutions of a pose (4, 4), over all choices."""
    rows = [np.zeros((0, 6))]
    for number, start in enumerate(starts(chain)):
        with np.errstate(all="ignore"):
            _, q = eliminate_all(chain, T[None], start, number)
        rows.append(q[np.isfinite(q).all(axis=1)])
    q = np.concatenate(rows)
    goal = np.broadcast_to(T, (len(q), 4, 4))
    q = q[chain.error(q, goal) < 1e-2]
    q, errors = chain.polish(q, goal[: len(q)], turns=30)
    q, errors = wrapped(q[errors < 1e-10], chain.prismatic), errors[errors < 1e-10]
    return q[distinct(q, chain.prismatic, chain.length, errors)]


def eliminate_all(chain: NumericChain, T: Array, start: Start, seed: int = 0) -> tuple[Array, Array]:
    """Return candidates (pose of each row, rows) for poses (m, 4, 4), before Newton's method."""
    problem = _Elimination(chain, T, start, seed)
    try:
        pose, y, vectors, turn = _eigenvalues(*problem.sigma())
    except np.linalg.LinAlgError:
        return np.zeros(0, int), np.zeros((0, 6))
    if not len(pose):
        return pose, np.zeros((0, 6))
    q = np.zeros((len(pose), 6))
    problem.three(q, y, vectors, turn)
    problem.others(q, pose)
    return pose, q * np.where(chain.prismatic, chain.length, 1.0)


class _Elimination:
    """Equations of one start for many poses, with lengths relative to the robot's."""

    def __init__(self, chain: NumericChain, T: Array, start: Start, seed: int) -> None:
        self.chain = chain
        self.count = len(T)
        self.hidden = start.hidden
        self.K = _constants(chain, T, chain.length)
        self.order = [(start.first + k) % 6 for k in range(6)]
        a, b, c, d, e, f = self.order
        self.first = [_unknown(chain.joints[j], 10 * seed + j) for j in (a, b, c)]
        self.last = [_unknown(chain.joints[j], 10 * seed + j) for j in (e, f)]
        K, (Ue, Uf) = self.K, self.last
        right = rigid_inverse(K[f])[:, None, None] @ rigid_inverse(Uf.motions)[None, None]
        right = right @ rigid_inverse(K[e])[:, None, None] @ rigid_inverse(Ue.motions)[None, :, None]
        right = right @ rigid_inverse(K[d])[:, None, None]
        rhs = np.broadcast_to(_fourteen(right), (self.count, 3, 3, 14)).reshape(self.count, 9, 14)
        rhs = np.swapaxes(rhs, 1, 2) @ _two(Ue, Uf)
        self.constant = rhs[:, :, 0]
        self.U, self.sizes, self.V = np.linalg.svd(rhs[:, :, 1:], full_matrices=True)

    def sigma(self) -> tuple[Array, Array, Array]:
        """Return S0, S1, S2 of S0 + S1 x + S2 x^2, each (m, 12, 12), in x of the hidden unknown."""
        left = np.broadcast_to(np.eye(4), (1, 1, 1, 1, 4, 4))
        for axis, (U, k) in enumerate(zip(self.first, self.order, strict=False)):
            shape = [1, 1, 1, 1, 4, 4]
            shape[axis + 1] = 3
            left = left @ U.motions.reshape(shape) @ self.K[k][:, None, None, None]
        lhs = np.broadcast_to(_fourteen(left), (self.count, 3, 3, 3, 14)).reshape(self.count, 27, 14)
        annihilator = np.swapaxes(self.U, 1, 2)[:, 8:]  # of the eight products of the last two joints: (m, 6, 14)
        A = annihilator @ np.swapaxes(lhs - self.constant[:, None, :], 1, 2)
        E = (A @ _three(*self.first)).reshape(self.count, 6, 3, 3, 3)
        E = np.moveaxis(E, 2 + self.hidden, 2)
        norm = np.abs(E).max(axis=(2, 3, 4), keepdims=True)
        E = E / np.where(norm == 0, 1, norm)
        S = np.zeros((3, self.count, 12, 4, 3))
        for k in range(3):
            S[k, :, :6, :3] = E[:, :, k]
            S[k, :, 6:, 1:] = E[:, :, k]
        S0, S1, S2 = (S[k].reshape(self.count, 12, 12) for k in range(3))
        return S0, S1, S2

    def three(self, q: Array, y: Array, vectors: Array, turn: Array) -> None:
        """Return the first three joints: the hidden one from its eigenvalue, the others from the eigenvector."""
        c, s = np.cos(turn), np.sin(turn)
        q[:, self.order[self.hidden]] = self.first[self.hidden].value(c * y - s, s * y + c)
        shown = [place for place in range(3) if place != self.hidden]
        for axis, place in enumerate(shown, 1):
            q[:, self.order[place]] = self.first[place].value(*_ratio(vectors, axis))

    def others(self, q: Array, pose: Array) -> None:
        """Return Je and Jf from the linear equations, then Jd from the remaining rotation."""
        *three, d, e, f = self.order
        left = self._product(three, q, pose)
        weak = self.sizes <= ZERO * self.sizes[:, :1]
        inverse = np.where(weak, 0.0, 1 / np.where(weak, 1.0, self.sizes))
        right = _fourteen(left) - self.constant[pose]
        products = np.einsum("mki,mk->mi", self.U[pose][:, :, :8], right) * inverse[pose]
        products = np.einsum("mki,mk->mi", self.V[pose], products)
        for joint, U, places in zip((e, f), self.last, ((2, 5), (0, 1)), strict=True):
            first, second = products[:, places[0]], products[:, places[1]]
            q[:, joint] = first if U.joint.prismatic else np.arctan2(second, first)
        J = rigid_inverse(left) @ rigid_inverse(self._constant(d, pose) @ self._product((e, f), q, pose))
        q[:, d] = self.chain.joints[d].sign * np.arctan2(J[:, 1, 0] - J[:, 0, 1], J[:, 0, 0] + J[:, 1, 1])

    def _constant(self, joint: int, pose: Array) -> Array:
        K = self.K[joint]
        return K[pose] if len(K) > 1 else np.broadcast_to(K, (len(pose), 4, 4))

    def _product(self, joints: Sequence[int], q: Array, pose: Array) -> Array:
        T = np.broadcast_to(np.eye(4), (len(pose), 4, 4))
        for joint in joints:
            T = T @ self.chain.joints[joint].motion(q[:, joint]) @ self._constant(joint, pose)
        return T


def _eigenvalues(S0: Array, S1: Array, S2: Array) -> tuple[Array, Array, Array, Array]:
    """Return real y with S(y) v = 0: the pose of each, y, v (rows, 4, 3), and the rotation from y to x."""
    (T0, T1, T2), turn = _turned(S0, S1, S2)
    companion = np.zeros((len(S0), 24, 24))
    companion[:, :12, 12:] = np.eye(12)
    companion[:, 12:] = -np.linalg.solve(T2, np.concatenate([T0, T1], axis=2))
    values, vectors = np.linalg.eig(np.nan_to_num(companion))
    pose, column = np.nonzero(np.abs(values.imag) <= _IMAGINARY * (1 + np.abs(values) ** 2))
    y = values[pose, column].real
    v = vectors[pose, :, column]
    v = np.where((np.abs(y) > 1)[:, None], v[:, 12:], v[:, :12])
    largest = v[np.arange(len(v)), np.argmax(np.abs(v), axis=1)] if len(v) else np.ones(0)
    return pose, y, (v / largest[:, None]).real.reshape(-1, 4, 3), turn[pose]


def _constants(chain: NumericChain, T: Array, L: float) -> list[Array]:
    """Return K1 .. K6 of the closed chain, with lengths relative to L; the last one contains the pose."""

    def scaled(matrix: Array) -> Array:
        matrix = np.array(matrix, dtype=float)
        matrix[..., :3, 3] /= L
        return matrix

    inner = [scaled(constant)[None] for constant in chain.constants[1:-1]]
    closing = chain.constants[-1] @ rigid_inverse(T) @ chain.constants[0]
    return [*inner, scaled(closing)]


def _ratio(v: Array, axis: int) -> tuple[Array, Array]:
    """Return x as a quotient of two adjacent entries, the largest ones, of the vector of its powers."""
    table = np.moveaxis(v, axis, 1)  # (rows, powers, others)
    above, below = table[:, 1:], table[:, :-1]
    size = (above**2 + below**2).reshape(len(v), -1)
    best = np.argmax(size, axis=1)
    rows = np.arange(len(v))
    return above.reshape(len(v), -1)[rows, best], below.reshape(len(v), -1)[rows, best]


def _turned(S0: Array, S1: Array, S2: Array) -> tuple[tuple[Array, Array, Array], Array]:
    """Return S(x) with x = (c y - s)/(s y + c), choosing a well-conditioned matrix of y^2 for each pose."""
    best: tuple[Array, Array, Array] | None = None
    quality = np.full(len(S0), -1.0)
    angles = np.zeros(len(S0))
    for turn in (0.4, 1.1, 1.9, 2.7):
        c, s = np.cos(turn), np.sin(turn)
        T0 = S0 * c * c - S1 * c * s + S2 * s * s
        T1 = 2 * S0 * c * s + S1 * (c * c - s * s) - 2 * S2 * c * s
        T2 = S0 * s * s + S1 * c * s + S2 * c * c
        sizes = np.linalg.svd(T2, compute_uv=False)
        good = sizes[:, -1] / sizes[:, 0]
        if best is None:
            best, quality, angles = (T0.copy(), T1.copy(), T2.copy()), good, np.full(len(S0), turn)
            continue
        better = good > quality
        if np.all(quality > _REGULAR):
            break
        for target, source in zip(best, (T0, T1, T2), strict=True):
            target[better] = source[better]
        quality, angles = np.where(better, good, quality), np.where(better, turn, angles)
    assert best is not None
    return best, angles
