"""The search for a motion: coefficients that are free, a criterion, and a barrier along the limits.

What is found is proved to stay within its limits at all times, by bounds over stretches of time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robosym.algebra.arrays import Array
from robosym.algebra.intervals import Interval, bounds
from robosym.algebra.tolerances import RANK
from robosym.errors import InputError
from robosym.experiment.allowed import Allowed
from robosym.experiment.information import Criterion, Information
from robosym.experiment.trajectory import Basis
from robosym.model import Model

__all__ = ["STAGES", "Effort", "Kept", "Problem", "Value", "descend", "stays_within"]


_GROUPS = ("q", "qd", "qdd")
_MARGIN = 0.995  #: of limits that are checked on a grid while searching, and proved between its points afterwards
_FILLED = 0.7  #: how far a first motion may go towards the limits
_STEPS, _GAIN = 120, 1e-3  #: of one stage: steps, and the gain of five of them that is worth going on
_SHRINKING = (1.0, 0.995, 0.99, 0.98, 0.95, 0.9, 0.8, 0.6, 0.4, 0.2, 0.1)


@dataclass(frozen=True)
class Effort:
    """A part of the search: how strong the barrier is, and how near the norms come to the greatest and the least."""

    barrier: float
    sharpness: float


STAGES = (Effort(0.1, 2), Effort(0.03, 4), Effort(0.01, 8), Effort(0.003, 16))


class Kept:
    """Outputs of a model that must stay within limits along a motion: torques, or the place of a frame."""

    def __init__(self, model: Model, lower: Array, upper: Array, exact: Model | None = None) -> None:
        """`exact` is what must stay within the limits; the model stands for it while searching."""
        self.lower, self.upper = lower, upper
        self.groups = tuple(group for group in _GROUPS if group in model.inputs)
        self.model = exact or model
        self._values, self._slopes = model.compile(), model.gradient(*self.groups).compile()
        self._exact = self._values if exact is None else exact.compile()
        # a side without a limit has no barrier; sizes make both sides numbers of the same kind
        self.size = np.where(np.isfinite(upper - lower), (upper - lower) / 2, 1.0)

    def values(self, motion: Mapping[str, Array], exact: bool = False) -> Array:
        function = self._exact if exact else self._values
        found: Array = function(**{group: motion[group] for group in self.groups})
        return found

    def slopes(self, motion: Mapping[str, Array], weights: Array) -> dict[str, Array]:
        given = {group: motion[group] for group in self.groups}
        single = weights.shape[1] == 1  # the gradient of one output takes no weights
        found = self._slopes(**given) if single else self._slopes(**given, weights=weights)
        parts = (found,) if len(self.groups) == 1 else found
        parts = tuple(part * weights for part in parts) if single else parts
        return dict(zip(self.groups, parts, strict=True))


class Problem:
    """Motions of one basis that begin and end at rest, a column of free numbers a joint."""

    def __init__(
        self,
        information: Information,
        basis: Basis,
        permitted: Allowed,
        kept: list[Kept],
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

    # ---------------------------------------------------------------------------------------------- the way in

    def coefficients(self, posture: Array, free: Array) -> Array:
        moving: Array = self._free @ free.reshape(-1, self.joints)
        return moving + np.multiply.outer(self.basis.constant(), posture)

    def first(self, rng: np.random.Generator, centred: bool) -> tuple[Array, Array]:
        """A posture within the limits, and free numbers of a motion about it that keeps to them."""
        posture = self._posture(rng, centred)
        free = rng.standard_normal((self._free.shape[1], self.joints)).ravel()
        moving = self._free @ free.reshape(-1, self.joints)
        values = (matrix @ moving for matrix in self._grid)
        free *= _FILLED / (self._taken(posture, [(x.min(axis=0), x.max(axis=0)) for x in values]) or 1.0)
        for _ in range(60):
            if np.isfinite(self._barrier(self.coefficients(posture, free))[0]):
                return posture, free
            free = 0.7 * free
        raise InputError("no motion about the posture keeps to the limits")

    def _taken(self, posture: Array, peaks: Sequence[tuple[Array, Array]]) -> float:
        """How much of what the limits of the joints leave a motion about the posture takes, where it takes most.

        `peaks` are the least and the greatest positions, velocities and accelerations of the motion alone.
        """
        worst = 0.0
        for order, group in enumerate(_GROUPS):
            for side, peak, sign in zip(self.permitted.of(group), peaks[order], (-1, 1), strict=True):
                room = sign * (side - (posture if order == 0 else 0))
                worst = max(worst, float((sign * peak / room).max()))
        return worst

    def _posture(self, rng: np.random.Generator, centred: bool) -> Array:
        """The start, the middle of the positions, or one drawn at random among them; the farthest from other limits."""
        lower, upper = self.permitted.of("q")
        middle, reach = (lower + upper) / 2, (upper - lower) / 2
        if self.start is not None:
            tried = self.start[None]
        else:
            tried = middle + reach * np.vstack([np.zeros(self.joints), rng.uniform(-0.6, 0.6, (2000, self.joints))])
        room = self._room(tried)
        if centred and room[0] > 0.05:
            return np.asarray(tried[0])
        good = np.flatnonzero(room > 0)
        if not len(good):
            what = "the start does not keep" if self.start is not None else "no posture at rest keeps"
            raise InputError(f"limits: {what} the limits of torques and places")
        if self.start is None and not centred:
            return np.asarray(tried[rng.choice(good[room[good] >= np.median(room[good])])])
        return np.asarray(tried[np.argmax(room)])

    def _room(self, postures: Array) -> Array:
        """How far postures at rest are from the nearest of the limits that are no limits of joints."""
        still = {"q": postures, "qd": np.zeros_like(postures), "qdd": np.zeros_like(postures)}
        room = np.full(len(postures), np.inf)
        for kept in self.kept:
            values = kept.values(still)
            near = np.minimum(values - kept.lower, kept.upper - values) / kept.size
            room = np.minimum(room, near.min(axis=1))
        return room

    # ------------------------------------------------------------------------------------------- what is minimised

    def improve(self, posture: Array, free: Array, stage: Effort) -> tuple[Array, float]:
        """Free numbers of a better motion, and the criterion with its barrier."""

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
        """Minus the mean logarithm of what is left to each limit, and its slope by the coefficients."""
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
                # nearer than the limit by a part of the range
                left = (sign * (side - values)[:, limited]) / kept.size[limited] - (1 - _MARGIN)
                if (left <= 0).any():
                    return np.inf, c
                total -= np.log(left).sum()
                weights[:, limited] += sign / left / kept.size[limited]
            for group, part in kept.slopes(motion, weights).items():
                slope += self._grid[_GROUPS.index(group)].T @ part
        points = len(self._grid[0])
        return total / points, slope / points

    # ------------------------------------------------------------------------------------------------- the last word

    def within(self, posture: Array, free: Array) -> Array | None:
        """Coefficients of the motion, drawn towards its posture as little as its limits need between grid points.

        None where the limits cannot be shown to hold.
        """
        moving = self._free @ free.reshape(-1, self.joints)
        reach = self._taken(posture, [self.basis.peaks(moving, order) for order in range(len(_GROUPS))])
        for part in _SHRINKING:
            taken = part / max(1.0, reach)
            c = self.coefficients(posture, taken * free)
            if all(self._keeps(kept, c) for kept in self.kept):
                return c
        return None

    def _keeps(self, kept: Kept, c: Array) -> bool:
        def exact(t: Array) -> Array:
            motion = {g: self.basis.matrix(t, order) @ c for order, g in enumerate(_GROUPS)}
            return kept.values(motion, exact=True)

        return stays_within(kept.model, self.basis, c, kept.lower, kept.upper, exact)


#: value and gradient; infinity and anything where the function is not defined
Value = Callable[[Array], tuple[float, Array]]

_DECREASE = 1e-4  #: the part of the expected decrease that a step must bring (Armijo)
_CURVATURE = 1e-10  #: a smaller part of the lengths says nothing about curvature
_FIRST_STEP = 0.1  #: length of the first step
_HALVINGS = 30


def descend(function: Value, x: Array, steps: int, tolerance: float) -> tuple[Array, float]:
    """Where the function is least, from x, and its value; it stops where a few steps bring less than the tolerance."""
    value, slope = function(x)
    inverse = np.eye(len(x)) * _FIRST_STEP / (np.linalg.norm(slope) or 1.0)
    fresh, gains = True, [np.inf] * 5
    for _ in range(steps):
        direction = -inverse @ slope
        expected = float(direction @ slope)
        if expected >= 0:  # rounding has spoiled the matrix
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


_FIRST = 512  #: stretches to begin with
_MOST = 60_000  #: stretches at a time; where more are open, the limit is met too often to be shown
_ROUNDS = 12
_PARTS = 4  #: into which an open stretch is divided


def stays_within(
    model: Model, basis: Basis, coefficients: Array, lower: Array, upper: Array, exact: Callable[[Array], Array]
) -> bool:
    """Whether every output of a model of q, qd and qdd is within its limits over the whole period.

    Over a stretch of time each derivative is its value in the middle, give or take what the next two can change; the
    model over these intervals gives bounds that hold. Stretches whose bounds go beyond are divided, unless `exact`, the
    outputs at given times, is beyond in the middle.
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
                centre = basis.matrix(middle, order) @ coefficients
                rate = np.abs(basis.matrix(middle, order + 1) @ coefficients)
                reach = half[:, None] * rate + (half**2 / 2)[:, None] * sizes[order + 2]
                ends = (Interval.outward(c - r, c + r) for c, r in zip(centre.T, reach.T, strict=True))
                symbols |= zip(model.inputs[group], ends, strict=True)
        known = np.ones(len(middle), dtype=bool)
        for bound, low, high in zip(bounds(model.roots, symbols), lower, upper, strict=True):
            known &= (bound.low >= low) & (bound.high <= high)  # what is not a number is not known
        middle, half = middle[~known], half[~known]
        if not len(middle):
            return True
        if len(middle) * _PARTS > _MOST:
            return False
        shifts = (2 * np.arange(_PARTS) + 1 - _PARTS) / _PARTS
        middle = (middle[:, None] + half[:, None] * shifts).ravel()
        half = np.repeat(half / _PARTS, _PARTS)
    return False
