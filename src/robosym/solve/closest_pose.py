"""The pose closest to one that an arm cannot reach, by weighted least squares."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robosym.algebra.generic import random_arrays
from robosym.algebra.newton import Damping, levenberg_marquardt
from robosym.algebra.samples import Array
from robosym.chains.numeric_chain import ClosestPose, NumericChain, Solutions, wrapped
from robosym.errors import InputError

__all__ = ["checked_weights", "closest_solution"]

_STARTS, _FIRST, _KEPT = 96, 15, 8  #: positions, steps from each of them, and how many of the best are followed
_TURNS = 40  #: of Newton's method on the gradient
_DIFFERENCE = 1e-5  #: for second derivatives
_FLOOR = 1e-9  #: the smallest curvature that a step divides by, in parts of the largest
_STATIONARY = 1e-13
_TINY = 1e-12  #: replaces a step of length 0
_DAMPING = Damping(first=1e-3, less=5, more=10, least=1e-12, most=1e8)
_TURN = 2 * np.pi


def checked_weights(weights: object, length: float) -> tuple[float, float]:
    """Return the weights of position and orientation; by default, a radian counts as the length of the robot."""
    if weights is None:
        return 1.0, length
    try:
        row = np.asarray(weights, dtype=float)
    except (TypeError, ValueError):
        row = np.zeros(0)
    if row.shape != (2,) or not np.isfinite(row).all() or (row < 0).any() or not row.any():
        raise InputError(
            f"weights: expected two numbers, the weight of a meter and that of a radian, found {weights!r}"
        )
    return float(row[0]), float(row[1])


def closest_solution(
    chain: NumericChain, T: Array, known: Array, joints: Sequence[str], limits: Array | None,
    weights: tuple[float, float],
) -> Solutions:  # fmt: skip
    """Return joint positions (1, joints) whose pose is closest to a pose (4, 4), among those found.

    They are a local minimum of the sum of the squares of the weighted distance and angle, the best one from many
    starts. `known` holds the values of all joints of the chain, `limits` those of `joints`, the unknown ones.
    """
    problem = _Problem(chain, T, known, limits, weights)
    rng = random_arrays("starts of the closest pose")
    y = rng.uniform(-1, 1, (_STARTS, len(chain.unknown))) * np.where(problem.bounded, np.pi / 2, problem.reach)
    y, left = levenberg_marquardt(problem.equations, y, _DAMPING, 0.0, _FIRST)
    sizes = np.linalg.norm(left, axis=1)
    best: tuple[float, Array] = (np.inf, y[0])
    for start in y[np.argsort(sizes)[:_KEPT]]:
        found = _minimized(problem, start)
        best = found if found[0] < best[0] else best
    q = problem.joints(best[1][None])
    rows = problem.whole(q)
    pose = chain.forward(rows)[0]
    if limits is None:
        q = wrapped(rows, chain.prismatic)[:, chain.unknown]
    error = chain.error(rows, T[None])
    order = [[chain.joints[place].name for place in chain.unknown].index(name) for name in joints]
    closest = ClosestPose(pose, *_distances(chain, pose, T))
    return Solutions.of(q[:, order], joints, error, ((),), None, closest=closest)


class _Problem:
    """Residuals of a pose in unbounded variables: a bounded joint is proportional to the sine of its variable."""

    def __init__(
        self, chain: NumericChain, T: Array, known: Array, limits: Array | None, weights: tuple[float, float]
    ) -> None:
        self.chain, self.T, self.known = chain, T, known
        count = len(chain.unknown)
        low, high = (np.full(count, -np.inf), np.full(count, np.inf)) if limits is None else limits.T
        self.bounded = np.isfinite(low) & np.isfinite(high)
        with np.errstate(invalid="ignore"):
            self.middle = np.where(self.bounded, (low + high) / 2, 0.0)
            self.half = np.where(self.bounded, (high - low) / 2, 1.0)
        self.reach = np.where(chain.prismatic[chain.unknown], chain.length, np.pi)
        axes = sum(column < 3 for column in chain.columns)
        turning = weights[1] / (np.sqrt(2) if axes > 1 else 1.0)
        self.weights = np.array([turning if column < 3 else weights[0] for column in chain.columns])

    def joints(self, y: Array) -> Array:
        """Return the unknown joints (m, unknowns) of variables."""
        return np.where(self.bounded, self.middle + self.half * np.sin(y), y)

    def whole(self, q: Array) -> Array:
        """Return all joints of the chain from the unknown ones."""
        rows = np.tile(self.known, (len(q), 1))
        rows[:, self.chain.unknown] = q
        return rows

    def equations(self, y: Array, _: Array) -> tuple[Array, Array]:
        """Return the weighted residuals (m, entries) and their derivatives (m, entries, unknowns)."""
        poses, J = self.chain.jacobian(self.whole(self.joints(y)))
        off = (poses - self.T)[:, :3, self.chain.columns] * self.weights
        rate = np.where(self.bounded, self.half * np.cos(y), 1.0)
        parts = J[:, :, :3, :][..., self.chain.columns] * self.weights
        derivatives = np.swapaxes(parts.reshape(len(y), J.shape[1], -1), 1, 2) * rate[:, None, :]
        return off.reshape(len(y), -1), derivatives

    def gradient(self, y: Array) -> tuple[Array, Array]:
        """Return half the sum of squares (m,) and its gradient (m, unknowns)."""
        r, J = self.equations(y, y)
        return 0.5 * (r * r).sum(axis=1), np.einsum("mij,mi->mj", J, r)


def _minimized(problem: _Problem, y: Array) -> tuple[float, Array]:
    """Return the minimum near a start and its location, by Newton's method with a positive definite matrix."""
    steps = _DIFFERENCE * np.eye(len(y))
    for _ in range(_TURNS):
        around = np.concatenate([y[None], y + steps, y - steps])
        sizes, gradients = problem.gradient(around)
        size, gradient = sizes[0], gradients[0]
        count = len(y)
        H = (gradients[1 : count + 1] - gradients[count + 1 :]) / (2 * _DIFFERENCE)
        values, V = np.linalg.eigh((H + H.T) / 2)
        values = np.maximum(np.abs(values), _FLOOR * max(1.0, np.abs(values).max()))
        step = -V @ ((V.T @ gradient) / values)
        step *= min(1.0, 1.0 / max(_TINY, np.abs(step).max()))
        shares = 0.5 ** np.arange(12)
        tried, _ = problem.gradient(y + shares[:, None] * step)
        better = np.flatnonzero(tried < size)
        if not len(better):
            break
        y = y + shares[better[0]] * step
        if np.abs(step).max() < _STATIONARY:
            break
    return float(problem.gradient(y[None])[0][0]), y


def _distances(chain: NumericChain, pose: Array, T: Array) -> tuple[float, float]:
    """Return the distance and the angle between the given columns of two poses."""
    axes = [column for column in chain.columns if column < 3]
    away = float(np.linalg.norm((pose - T)[:3, 3])) if 3 in chain.columns else 0.0
    if len(axes) == 3:
        off = np.linalg.norm((pose - T)[:3, :3]) / np.sqrt(2)  # 2 sin(angle / 2)
    else:
        off = np.linalg.norm((pose - T)[:3, axes], axis=0).max() if axes else 0.0
    return away, float(2 * np.arcsin(min(1.0, off / 2)))
