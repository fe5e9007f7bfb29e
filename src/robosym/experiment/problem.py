"""Optimization of exciting trajectories: free coefficients, a criterion, and a barrier at the limits.

The result is proved to stay within the limits at all times by interval bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robosym.algebra.arrays import Array
from robosym.algebra.intervals import Interval, bounds
from robosym.algebra.tolerances import RANK
from robosym.errors import InputError
from robosym.experiment.information import Criterion, Information
from robosym.experiment.trajectory import Basis
from robosym.model import Model
from robosym.simulation.motion_limits import MotionLimits

__all__ = ["STAGES", "BoundedOutputs", "Effort", "Problem", "Value", "descend", "stays_within"]


_GROUPS = ("q", "qd", "qdd")
_MARGIN = (
    0.995  #: fraction of limits that are checked on a grid in the search and proved between grid points afterwards
)
_FILLED = 0.7  #: fraction of the limits that the first motion uses
_STEPS, _GAIN = 120, 1e-3  #: per stage: maximum number of steps, and minimum gain of five of them
_SHRINKING = (1.0, 0.995, 0.99, 0.98, 0.95, 0.9, 0.8, 0.6, 0.4, 0.2, 0.1)


@dataclass(frozen=True)
class Effort:
    """One stage of the search: strength of the barrier and sharpness of the smoothed norms."""

    barrier: float
    sharpness: float


STAGES = (Effort(0.1, 2), Effort(0.03, 4), Effort(0.01, 8), Effort(0.003, 16))


class BoundedOutputs:
    """Outputs of a model with limits along a motion: torques, or the position of a frame."""

    def __init__(self, model: Model, lower: Array, upper: Array, exact: Model | None = None) -> None:
        """Bound `model` in the search; `exact` is the model that must satisfy the limits, if it differs."""
        self.lower, self.upper = lower, upper
        self.groups = tuple(group for group in _GROUPS if group in model.inputs)
        self.model = exact or model
        self._values, self._slopes = model.compile(), model.gradient(*self.groups).compile()
        self._exact = self._values if exact is None else exact.compile()
        # an infinite side has no barrier; the size scales distances to the limits
        self.size = np.where(np.isfinite(upper - lower), (upper - lower) / 2, 1.0)

    def values(self, motion: Mapping[str, Array], exact: bool = False) -> Array:
        """Return the outputs along a motion."""
        function = self._exact if exact else self._values
        found: Array = function(**{group: motion[group] for group in self.groups})
        return found

    def slopes(self, motion: Mapping[str, Array], weights: Array) -> dict[str, Array]:
        """Return the gradient of the weighted outputs with respect to the motion."""
        given = {group: motion[group] for group in self.groups}
        single = weights.shape[1] == 1  # the gradient of one output takes no weights
        found = self._slopes(**given) if single else self._slopes(**given, weights=weights)
        parts = (found,) if len(self.groups) == 1 else found
        parts = tuple(part * weights for part in parts) if single else parts
        return dict(zip(self.groups, parts, strict=True))


class Problem:
    """Motions of one basis that start and end at rest, with one column of free coefficients per joint."""

    def __init__(
        self,
        information: Information,
        basis: Basis,
        permitted: MotionLimits,
        kept: list[BoundedOutputs],
        criterion: Criterion,
        samples: int,
        start: Array | None,
    ) -> None:
        self.information, self.basis, self.permitted, self.kept = information, basis, permitted, kept
        self.criterion = criterion
        self.joints = len(permitted.of("q")[0])
        self.start = start
        rows = basis.rests() if start is None else np.vstack([basis.rests(), basis.matrix(np.zeros(1))])
        sizes, vectors = np.linalg.svd(rows)[1:]
        self._free = vectors[np.sum(sizes > RANK * sizes[0]) :].T
        self._sampled = [basis.matrix(basis.times(samples), order) for order in range(3)]
        self._grid = [basis.matrix(basis.times(2 * samples), order) for order in range(3)]
        self._share = basis.share(2 * samples)
        speeds = np.minimum(*map(np.abs, permitted.of("qd")))
        self._width = 0.02 * float(speeds.min())

    # ---------------------------------------------------------------------------------------------- initial values

    def coefficients(self, posture: Array, free: Array) -> Array:
        """Return all coefficients from a posture and free coefficients."""
        moving: Array = self._free @ free.reshape(-1, self.joints)
        return moving + np.multiply.outer(self.basis.constant(), posture)

    def first(self, rng: np.random.Generator, centered: bool) -> tuple[Array, Array]:
        """Return a posture and the free coefficients of a motion about this posture, within the limits."""
        posture = self._posture(rng, centered)
        free = rng.standard_normal((self._free.shape[1], self.joints)).ravel()
        moving = self._free @ free.reshape(-1, self.joints)
        values = (matrix @ moving for matrix in self._grid)
        free *= _FILLED / (self._used_share(posture, [(x.min(axis=0), x.max(axis=0)) for x in values]) or 1.0)
        for _ in range(60):
            if np.isfinite(self._barrier(self.coefficients(posture, free))[0]):
                return posture, free
            free = 0.7 * free
        raise InputError(
            "limits: every motion tried about the posture violates the limits: relax them or choose another start"
        )

    def _used_share(self, posture: Array, peaks: Sequence[tuple[Array, Array]]) -> float:
        """Return the largest fraction of the joint limits that a motion about the posture uses.

        `peaks` are the minimum and maximum positions, velocities and accelerations of the motion without the posture.
        """
        worst = 0.0
        for order, group in enumerate(_GROUPS):
            for side, peak, sign in zip(self.permitted.of(group), peaks[order], (-1, 1), strict=True):
                available = sign * (side - (posture if order == 0 else 0))
                worst = max(worst, float((sign * peak / available).max()))
        return worst

    def _posture(self, rng: np.random.Generator, centered: bool) -> Array:
        """Return the given start, the middle of the position range, or a random posture far from the other limits."""
        lower, upper = self.permitted.of("q")
        middle, reach = (lower + upper) / 2, (upper - lower) / 2
        if self.start is not None:
            tried = self.start[None]
        else:
            tried = middle + reach * np.vstack([np.zeros(self.joints), rng.uniform(-0.6, 0.6, (2000, self.joints))])
        clearance = self._clearance(tried)
        if centered and clearance[0] > 0.05:
            return np.asarray(tried[0])
        good = np.flatnonzero(clearance > 0)
        if not len(good):
            what = "the start" if self.start is not None else "every posture tried at rest"
            raise InputError(f"limits: {what} violates the limits of torque or of the box: relax them")
        if self.start is None and not centered:
            return np.asarray(tried[rng.choice(good[clearance[good] >= np.median(clearance[good])])])
        return np.asarray(tried[np.argmax(clearance)])

    def _clearance(self, postures: Array) -> Array:
        """Return the distance of stationary postures to the nearest limit of torque or position in space."""
        still = {"q": postures, "qd": np.zeros_like(postures), "qdd": np.zeros_like(postures)}
        clearance = np.full(len(postures), np.inf)
        for kept in self.kept:
            values = kept.values(still)
            near = np.minimum(values - kept.lower, kept.upper - values) / kept.size
            clearance = np.minimum(clearance, near.min(axis=1))
        return clearance

    # ------------------------------------------------------------------------------------------- optimization

    def improve(self, posture: Array, free: Array, stage: Effort) -> tuple[Array, float]:
        """Return better free coefficients and their cost, criterion plus barrier."""

        def function(x: Array) -> tuple[float, Array]:
            c = self.coefficients(posture, x)
            barrier, slope = self._barrier(c)
            if not np.isfinite(barrier):
                return np.inf, x
            q, qd, qdd = (matrix @ c for matrix in self._sampled)
            value, slopes = self.information.criterion(self.criterion, q, qd, qdd, self._width, stage.sharpness)
            if slopes is None:
                return np.inf, x
            slope = stage.barrier * slope + sum(m.T @ s for m, s in zip(self._sampled, slopes, strict=True))
            return value + stage.barrier * barrier, (self._free.T @ slope).ravel()

        return descend(function, free, _STEPS, _GAIN)

    def _barrier(self, c: Array) -> tuple[float, Array]:
        """Return minus the mean logarithm of the distances to the limits, and its gradient."""
        total, slope = 0.0, np.zeros_like(c)
        motion = {group: matrix @ c for group, matrix in zip(_GROUPS, self._grid, strict=True)}
        for group, matrix in zip(_GROUPS, self._grid, strict=True):
            lower, upper = self.permitted.of(group)
            bounded = np.isfinite(lower) & np.isfinite(upper)
            middle = (np.where(bounded, upper, 0.0) + np.where(bounded, lower, 0.0)) / 2
            reach = self._share * (upper - lower) / 2
            x = (motion[group] - middle) / reach
            if (np.abs(x) >= 1).any():
                return np.inf, c
            total -= np.log1p(-x * x).sum()
            slope += matrix.T @ (2 * x / (1 - x * x) / reach)
        for kept in self.kept:
            values = kept.values(motion)
            weights = np.zeros_like(values)
            for side, sign in ((kept.lower, -1), (kept.upper, 1)):
                limited = np.isfinite(side)
                # margin to the limit, a fraction of the range
                left = (sign * (side - values)[:, limited]) / kept.size[limited] - (1 - _MARGIN)
                if (left <= 0).any():
                    return np.inf, c
                total -= np.log(left).sum()
                weights[:, limited] += sign / left / kept.size[limited]
            for group, part in kept.slopes(motion, weights).items():
                slope += self._grid[_GROUPS.index(group)].T @ part
        points = len(self._grid[0])
        return total / points, slope / points

    # ------------------------------------------------------------------------------------------------- proof

    def within(self, posture: Array, free: Array) -> Array | None:
        """Return coefficients scaled towards the posture just enough that the limits hold, or None.

        None means that the limits cannot be proved to hold.
        """
        moving = self._free @ free.reshape(-1, self.joints)
        reach = self._used_share(posture, [self.basis.peaks(moving, order) for order in range(len(_GROUPS))])
        for part in _SHRINKING:
            taken = part / max(1.0, reach)
            c = self.coefficients(posture, taken * free)
            if all(self._keeps(kept, c) for kept in self.kept):
                return c
        return None

    def _keeps(self, kept: BoundedOutputs, c: Array) -> bool:
        def exact(t: Array) -> Array:
            motion = {g: self.basis.matrix(t, order) @ c for order, g in enumerate(_GROUPS)}
            return kept.values(motion, exact=True)

        return stays_within(kept.model, self.basis, c, kept.lower, kept.upper, exact)


#: function that returns value and gradient; infinity where it is not defined
Value = Callable[[Array], tuple[float, Array]]

_DECREASE = 1e-4  #: fraction of the expected decrease that a step must reach (Armijo)
_CURVATURE = 1e-10  #: relative curvature below which the inverse Hessian is not updated
_FIRST_STEP = 0.1  #: length of the first step
_HALVINGS = 30


def descend(function: Value, x: Array, steps: int, tolerance: float) -> tuple[Array, float]:
    """Minimize a function from x by BFGS; stop when five steps gain less than the tolerance. Return x and value."""
    value, slope = function(x)
    inverse = np.eye(len(x)) * _FIRST_STEP / (np.linalg.norm(slope) or 1.0)
    fresh, gains = True, [np.inf] * 5
    for _ in range(steps):
        direction = -inverse @ slope
        expected = float(direction @ slope)
        if expected >= 0:  # rounding errors in the inverse Hessian
            if fresh:
                break
            inverse, fresh = np.eye(len(x)) * _FIRST_STEP / np.linalg.norm(slope), True
            continue
        length = 1.0
        for _ in range(_HALVINGS):
            new_value, new_slope = function(x + length * direction)
            if np.isfinite(new_value) and new_value <= value + _DECREASE * length * expected:
                break
            length *= 0.4
        else:
            break
        step, change = length * direction, new_slope - slope
        product = float(step @ change)
        if product > _CURVATURE * np.linalg.norm(step) * np.linalg.norm(change):
            if fresh:
                inverse, fresh = np.eye(len(x)) * product / float(change @ change), False
            moved = inverse @ change
            inverse += (1 + float(change @ moved) / product) / product * np.outer(step, step)
            inverse -= (np.outer(step, moved) + np.outer(moved, step)) / product
        gains = [*gains[1:], value - new_value]
        x, value, slope = x + step, new_value, new_slope
        if sum(gains) < tolerance:
            break
    return x, value


_FIRST = 512  #: initial number of time intervals
_MOST = 60_000  #: maximum number of open intervals; more mean that a proof would take too long
_ROUNDS = 12
_PARTS = 4  #: parts into which an open interval is divided


def stays_within(
    model: Model, basis: Basis, coefficients: Array, lower: Array, upper: Array, exact: Callable[[Array], Array]
) -> bool:
    """Return whether every output of a model of q, qd and qdd stays within its limits over the whole period.

    Over a time interval, each derivative is bounded by its value in the middle and the maxima of the next two
    derivatives; interval arithmetic then bounds the model. Intervals that exceed the limits are divided, unless
    `exact`, the outputs at given times, exceeds them in the middle.
    """
    sizes = {order: np.maximum(*map(np.abs, basis.peaks(coefficients, order))) for order in (2, 3, 4)}
    edges = np.linspace(0, basis.period, _FIRST + 1)
    middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    for _ in range(_ROUNDS):
        values = exact(middle)
        if not ((values >= lower) & (values <= upper)).all():
            return False
        symbols: dict[str, Interval] = {}
        for order, group in enumerate(_GROUPS):
            if group in model.inputs:
                center = basis.matrix(middle, order) @ coefficients
                rate = np.abs(basis.matrix(middle, order + 1) @ coefficients)
                reach = half[:, None] * rate + (half**2 / 2)[:, None] * sizes[order + 2]
                ends = (Interval.outward(c - r, c + r) for c, r in zip(center.T, reach.T, strict=True))
                symbols |= zip(model.inputs[group], ends, strict=True)
        known = np.ones(len(middle), dtype=bool)
        for bound, low, high in zip(bounds(model.roots, symbols), lower, upper, strict=True):
            known &= (bound.low >= low) & (bound.high <= high)  # NaN counts as not proved
        middle, half = middle[~known], half[~known]
        if not len(middle):
            return True
        if len(middle) * _PARTS > _MOST:
            return False
        shifts = (2 * np.arange(_PARTS) + 1 - _PARTS) / _PARTS
        middle = (middle[:, None] + half[:, None] * shifts).ravel()
        half = np.repeat(half / _PARTS, _PARTS)
    return False
