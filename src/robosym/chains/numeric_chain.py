"""Numeric chains of joints: poses, their derivatives and Newton's method over batches of configurations.

`Solver` turns the candidates of any method into verified solutions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from robosym.algebra.generic import random_arrays
from robosym.algebra.newton import Damping, levenberg_marquardt
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import DEPENDENT, RANK, SAME
from robosym.chains.chain import ChainJoint, JointChain, PoseProblem
from robosym.errors import GiveValue, InputError, closest

__all__ = [
    "BELOW_HALF_TURN",
    "HALF_TURN",
    "NEAR",
    "Candidates",
    "ChainSolutions",
    "ClosestPose",
    "NearbyCandidates",
    "NumericChain",
    "Solutions",
    "Solver",
    "distinct",
    "parameter_values",
    "wrapped",
]

NEAR = 1e-2  #: a candidate whose error is larger, in units of the robot, is not worth polishing
HALF_TURN = 1e-12  #: an angle so near to -pi is pi
BELOW_HALF_TURN = -np.pi + 1e-6  #: an angle below is sorted as pi
_LARGEST = 1e100  #: a length whose powers do not overflow
_STARTS = 48  #: configurations from which a singular pose is searched

_TURN = np.zeros((4, 4))
_TURN[0, 1], _TURN[1, 0] = -1, 1
_SLIDE = np.zeros((4, 4))
_SLIDE[2, 3] = 1
_GOAL = 2e-14  #: the error of a pose, in units of the robot, at which Newton's method stops: rounding
_SINGULAR = 1e-5  #: singular values so small are looked at: can the joints move while the pose stays?
_STAYS, _MOVES = 1e-10, 1e-3  #: the error of a pose that stays, and the share in a motion of a joint that moves
_DAMPING = Damping(first=1e-12, less=30, more=100, least=1e-15, most=1e4, caution=1e-9)
_FINE = Damping(first=1e-18, less=100, more=30, least=1e-24, most=1e4, singular_values=True)
_FINE_TURNS = 100  #: along the curved valley of two joints whose axes nearly coincide
_UNFINISHED = 100  #: times the error of the best solution of the pose
_SLOW = 1e-6  #: smaller errors are those of a solution that the steps with J^T J approach slowly


class NumericChain:
    """C0 J1 C1 ... Jn Cn in numbers; `unknown` are indices of joints, `given` the given columns of the pose."""

    def __init__(
        self, joints: Sequence[ChainJoint], constants: Sequence[Array], given: str, unknown: Sequence[int]
    ) -> None:
        self.joints = tuple(joints)
        self.constants = [np.asarray(constant) for constant in constants]
        if not all(np.abs(constant).max() < _LARGEST for constant in self.constants):
            raise InputError(f"expected lengths and angles below {_LARGEST:g}, found one that is larger or not finite")
        self.columns = ["snaP".index(name) for name in given]
        self.unknown = sorted(unknown)
        self.fixed = [place for place in range(len(joints)) if place not in self.unknown]
        self.prismatic = np.array([joint.prismatic for joint in joints], dtype=bool)
        self.signs = np.array([joint.sign for joint in joints], dtype=float)
        self.behind = np.stack(self.constants[1:])
        reach = sum(float(np.linalg.norm(constant[:3, 3])) for constant in self.constants)
        self.length = reach or 1.0
        self._weights = np.array([1.0 if column < 3 else 1.0 / self.length for column in self.columns])
        self._units = np.where(self.prismatic[self.unknown], self.length, 1.0)

    @classmethod
    def of(cls, chain: JointChain, values: Mapping[str, float], given: str, unknown: Collection[str]) -> NumericChain:
        """Return a chain with values for its parameters; `unknown` are names of joints."""
        places = [place for place, name in enumerate(chain.names) if name in unknown]
        return cls(chain.joints, chain.at(values), given, places)

    def _links(self, q: Array) -> Array:
        """Return Ji Ci of every joint, (M, n, 4, 4)."""
        q = q * self.signs
        c, s = np.where(self.prismatic, 1.0, np.cos(q)), np.where(self.prismatic, 0.0, np.sin(q))
        links = np.empty((*q.shape, 4, 4))
        C = self.behind
        c, s = c[..., None], s[..., None]
        links[..., 0, :] = c * C[:, 0] - s * C[:, 1]
        links[..., 1, :] = s * C[:, 0] + c * C[:, 1]
        links[..., 2:, :] = C[:, 2:]
        links[..., 2, 3] += np.where(self.prismatic, q, 0.0)
        return links

    def forward(self, q: Array) -> Array:
        """Return the poses (M, 4, 4) of configurations (M, n)."""
        links = self._links(q)
        T = self.constants[0] @ links[:, 0]
        for place in range(1, len(self.joints)):
            T = T @ links[:, place]
        return np.asarray(T)

    def jacobian(self, q: Array) -> tuple[Array, Array]:
        """Return the poses and their derivatives with respect to the unknown joints, shape (M, unknowns, 4, 4)."""
        links = self._links(q)
        n = len(self.joints)
        suffixes = [links[:, n - 1]]
        for place in range(n - 2, -1, -1):
            suffixes.append(links[:, place] @ suffixes[-1])
        suffixes.reverse()
        prefix = np.broadcast_to(self.constants[0], (len(q), 4, 4))
        result = np.empty((len(q), len(self.unknown), 4, 4))
        column = 0
        for place, joint in enumerate(self.joints):
            if column < len(self.unknown) and self.unknown[column] == place:
                generator = joint.sign * (_SLIDE if joint.prismatic else _TURN)
                result[:, column] = prefix @ (generator @ suffixes[place])
                column += 1
            if place < n - 1:
                prefix = prefix @ links[:, place]
        return self.constants[0] @ suffixes[0], result

    def error(self, q: Array, T: Array) -> Array:
        """Return the largest error of the given entries, shape (M,)."""
        if not len(q):
            return np.zeros(0)
        return np.asarray(np.abs((self.forward(q) - T)[:, :3, self.columns]).max(axis=(1, 2)))

    def polish(self, q: Array, T: Array, turns: int = 25, goal: float = _GOAL) -> tuple[Array, Array]:
        """Apply damped least squares from given configurations, never making them worse; return them and the errors."""
        q = np.array(q, dtype=float)
        if not len(q):
            return q, np.zeros(0)
        weights = self._weights

        def equations(x: Array, starts: Array) -> tuple[Array, Array]:
            trial = q[starts]
            trial[:, self.unknown] = x
            poses, J = self.jacobian(trial)
            difference = (poses - T[starts])[:, :3, self.columns] * weights
            return difference.reshape(len(x), -1), self._rows(J)

        x, left = levenberg_marquardt(equations, q[:, self.unknown], _DAMPING, goal, turns, units=self._units)
        sizes = np.linalg.norm(left, axis=1)
        slow = np.flatnonzero((sizes > goal) & (sizes < _SLOW))
        if len(slow):  # beside a singular position
            x[slow], left[slow] = levenberg_marquardt(
                lambda x, starts: equations(x, slow[starts]), x[slow], _FINE, goal, _FINE_TURNS, units=self._units
            )
        q[:, self.unknown] = x
        return q, np.asarray(np.abs(left / np.tile(weights, 3)).max(axis=1, initial=0))

    def _rows(self, J: Array) -> Array:
        """Return the derivatives of the given entries (M, entries, unknowns), in units of the robot length."""
        parts = J[:, :, :3, :][..., self.columns] * self._weights
        return np.asarray(np.swapaxes(parts.reshape(len(J), J.shape[1], -1), 1, 2))

    def _singular(self, q: Array) -> tuple[Array, Array]:
        """Return singular values and right singular vectors of the derivative, in units of the robot's length."""
        _, J = self.jacobian(q)
        _, values, V = np.linalg.svd(self._rows(J) * self._units, full_matrices=True)
        return values, V

    def rank(self, q: Array) -> tuple[int, list[int]]:
        """Return the rank of the derivative at a configuration, and the places of undetermined joints."""
        sizes, V = (part[0] for part in self._singular(q[None]))
        rank = int(np.sum(sizes > DEPENDENT * max(1.0, sizes[0])))
        loose = np.abs(V[rank:]).max(axis=0, initial=0) > RANK
        return rank, [place for place, free in zip(self.unknown, loose, strict=True) if free]

    def weakest(self, q: Array) -> tuple[float, list[int]]:
        """Return the median of the smallest singular value, and the joints that it moves.

        The joints are those of the first configuration.
        """
        values, V = self._singular(q)
        return float(np.median(values.min(axis=1))), [
            place for place, share in zip(self.unknown, np.abs(V[0, -1]), strict=True) if share > _MOVES
        ]

    def nearly_singular(self, q: Array) -> Array:
        """Return which solutions are nearly singular.

        A joint is free, or neighboring configurations have the same pose up to rounding.
        """
        if not len(q):
            return np.zeros(0, bool)
        values, _ = self._singular(q)
        return np.asarray(values.min(axis=1) < _SINGULAR)

    def free_joints(self, q: Array, T: Array) -> list[tuple[int, ...]]:
        """Return for each solution the joints that can move at a constant pose (in a singular pose).

        Each joint is moved along the directions that keep the pose to first order; the part that Newton's method does
        not revert is a motion. (A double root is singular too, but nothing can move there.)
        """
        found: list[tuple[int, ...]] = [() for _ in q]
        if not len(q):
            return found
        values, V = self._singular(q)
        count = len(self.unknown)
        padded = np.zeros((len(q), count))
        padded[:, : values.shape[1]] = values
        units = self._units
        rows: list[Array] = []
        parts: list[Array] = []
        for row in np.flatnonzero(padded[:, -1] < _SINGULAR):
            null = V[row][padded[row] < _SINGULAR]
            directions = null.T @ null  # the projections of every joint
            directions = directions[np.linalg.norm(directions, axis=1) > 0.1]
            parts.append(directions / np.abs(directions).max(axis=1)[:, None])
            rows.append(np.full(len(directions), row))
        if not rows:
            return found
        which: Array = np.concatenate(rows)
        directions = np.concatenate(parts)
        moving: Array = np.ones(len(which), bool)
        for stride in (0.05, -0.03):
            moved = q[which]
            moved[:, self.unknown] += stride * directions * units
            polished, errors = self.polish(moved, T[which], turns=8)
            drift = np.abs((polished - moved)[:, self.unknown] / units).max(axis=1)
            moving &= errors < _STAYS * max(1.0, self.length)
            moving &= drift < 0.5 * abs(stride)
        for number in np.unique(which[moving]):
            places = np.flatnonzero((np.abs(directions[moving & (which == number)]) > _MOVES).any(axis=0))
            found[number] = tuple(self.unknown[place] for place in places)
        return found


def wrapped(q: Array, prismatic: Array) -> Array:
    """Return angles in (-pi, pi]; half a turn within rounding is pi, which makes the order reproducible."""
    turned = np.pi - np.mod(np.pi - q, 2 * np.pi)
    turned = np.where(turned <= -np.pi + HALF_TURN, np.pi, turned)
    return np.asarray(np.where(prismatic, q, turned))


def distinct(q: Array, prismatic: Array, length: float, errors: Array | None = None) -> Array:
    """Return the indices of configurations that differ from all preceding ones.

    At a double root, a pose error e leaves an uncertainty of sqrt(e) in the joints.
    """
    marks = np.where(prismatic, q / length, 0.0)
    points = np.concatenate([marks, np.where(prismatic, 0.0, np.cos(q)), np.where(prismatic, 0.0, np.sin(q))], axis=1)
    tolerance = np.full(len(q), SAME) if errors is None else SAME + 5 * np.sqrt(errors / max(1.0, length))
    keep: list[int] = []
    for row in range(len(q)):
        if not keep or np.abs(points[keep] - points[row]).max(axis=1).min() > tolerance[row]:
            keep.append(row)
    return np.array(keep, dtype=int)


# -------------------------------------------------------------------------- solutions

#: Possible configurations of poses (m, 4, 4): the pose of each row, the rows, and the poses that need another look.
Candidates = Callable[[NumericChain, Array, Array, Mapping[str, float]], tuple[Array, Array, Array]]


_NONE = np.zeros(0)


class ClosestPose(NamedTuple):
    """The pose that comes closest to one that cannot be reached."""

    pose: Array  #: (4, 4)
    distance: float  #: from the given position, in m
    angle: float  #: from the given orientation, in rad


class _About(NamedTuple):
    joints: tuple[str, ...] = ()
    errors: Array = _NONE
    free: tuple[tuple[str, ...], ...] = ()
    complete: bool | None = None
    modes: tuple[int, ...] = ()
    why: str = ""
    closest: ClosestPose | None = None


_NOTHING = _About()
_FEW = 17
_NONE_FREE = [((),) * count for count in range(_FEW)]


class Solutions(np.ndarray[Any, np.dtype[np.float64]]):
    """Solutions (k, joints), with names of the columns, the error of each row and the joints that are free in it.

    `complete` is True if every solution is included (closed forms of loops), False if some may be missing, and None if
    this is unknown; `why` gives the reason.
    """

    _about: _About  # one attribute, because every one costs time in each call of `solve`

    @classmethod
    def of(
        cls,
        q: Array,
        joints: Sequence[str],
        errors: Array,
        free: Sequence[tuple[str, ...]],
        complete: bool | None = None,
        modes: Sequence[int] = (),
        why: str = "",
        closest: ClosestPose | None = None,
    ) -> Solutions:
        result = np.ascontiguousarray(q, dtype=float).view(cls)
        result._about = _About(tuple(joints), errors, tuple(free), complete, tuple(modes), why, closest)
        return result

    @classmethod
    def regular(cls, q: Array, joints: tuple[str, ...], errors: Array) -> Solutions:
        """Do the same as `of`, faster, for a contiguous array of doubles without free joints."""
        result = q.view(cls)
        result._about = _About(joints, errors, _NONE_FREE[len(q)] if len(q) < _FEW else ((),) * len(q))
        return result

    def __array_finalize__(self, source: object) -> None:
        self._about = getattr(source, "_about", _NOTHING)

    @property
    def joints(self) -> tuple[str, ...]:
        """The variables of the columns."""
        return self._about[0]

    @property
    def errors(self) -> Array:
        """The error of each row."""
        return self._about[1]

    @property
    def free(self) -> tuple[tuple[str, ...], ...]:
        """The joints of each row that can move at a constant pose."""
        return self._about[2]

    @property
    def complete(self) -> bool | None:
        """Whether every solution is included; None if this is unknown."""
        return self._about[3]

    @property
    def modes(self) -> tuple[int, ...]:
        """The assembly mode of each row: 0 for that of the reference, k for row k of `loop_geometry`."""
        return self._about[4]

    @property
    def why(self) -> str:
        """Why solutions may be missing, if that is known."""
        return self._about[5]

    @property
    def closest(self) -> ClosestPose | None:
        """The closest pose, if `nearest=True` was given and the pose cannot be reached; otherwise None."""
        return self._about[6]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the column names and the data of the rows, too."""
        return Solutions.of, (np.array(self), *self._about)

    def __deepcopy__(self, memo: object, /) -> Solutions:
        about = self._about._replace(errors=self.errors.copy())
        return Solutions.of(np.array(self), *about)

    @property
    def positions(self) -> list[dict[str, float]]:
        """The solutions by the names of their joints."""
        return [dict(zip(self.joints, map(float, row), strict=True)) for row in np.asarray(self)]

    @property
    def singular(self) -> bool:
        """Whether some solution has a joint that can move while the pose stays the same."""
        return any(self.free)


def parameter_values(
    names: Sequence[str], values: Mapping[str, float] | None, fixed: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Return a number for each parameter of a model; those in `fixed` unless the user overrides them."""
    if values is not None and not isinstance(values, Mapping):
        raise InputError(f"parameters: expected a mapping from names to numbers, found {values!r}")
    numbers = {name: float(value) for name, value in (fixed or {}).items()}
    for name, value in (values or {}).items():
        if name not in names:
            raise InputError(f"parameters: this model has no parameter {name}{closest(name, names)}")
        try:
            numbers[name] = float(value)
        except (TypeError, ValueError):
            raise InputError(f"parameter {name}: expected a number, found {value!r}") from None
    for name in names:
        if name not in numbers:
            raise InputError(f"the parameter {name} has no value", hint=[GiveValue(name)], code="E404")
    return numbers


class ChainSolutions(NamedTuple):
    """Solutions of one pose of a chain."""

    q: Array  #: (k, joints of the chain)
    errors: Array  #: (k,)
    free: list[tuple[int, ...]]  #: the places of the free joints of each
    complete: bool | None  #: False if solutions may be missing, None if this is unknown


@dataclass
class Solver:
    """Verified solutions of a chain, from the candidates of any method."""

    problem: PoseProblem
    candidates: Candidates
    #: typical divisor of each step of a closed form; None for other methods
    sizes: Callable[[NumericChain, Mapping[str, float]], list[list[float]]] | None = None
    #: whether a closed form is accurate with these parameters; None for other methods
    precise: Callable[[NumericChain, Mapping[str, float]], bool] | None = None
    #: another method, used if the closed form is not accurate or finds no solution
    otherwise: Candidates | None = None
    #: the inputs beside the pose at joint positions (m, joints), if they are no joints of the chain
    inputs: Callable[[NumericChain, Array], Array] | None = None
    #: the error that a solution may keep because the pose is that of a nearly equal chain
    floor: float = 0.0
    _chains: dict[tuple[tuple[str, float], ...], NumericChain] = field(default_factory=dict, repr=False)

    def numeric(self, parameters: Mapping[str, float]) -> NumericChain:
        key = tuple(parameters.items())
        if key not in self._chains:
            self._chains.clear()
            self._chains[key] = NumericChain.of(
                self.problem.chain, parameters, self.problem.columns, self.problem.unknown
            )
        return self._chains[key]

    def solve(self, T: Array, known: Array, parameters: Mapping[str, float], tolerance: Array) -> list[ChainSolutions]:
        """Return the solutions of each pose."""
        chain = self.numeric(parameters)
        pose, q, suspect = self.candidates(chain, T, known, parameters)
        scale = max(1.0, chain.length)
        if self.otherwise is not None and not self.is_precise(parameters):
            rows, more, lost = self.otherwise(chain, T, known, parameters)
            pose, q, suspect = np.concatenate([pose, rows]), np.concatenate([q, more]), suspect | lost
        near = suspect[pose] | (chain.error(q, T[pose]) <= NEAR * scale)
        pose, q = pose[near], q[near]
        found = self._verified(chain, pose, q, T, tolerance)
        if self.otherwise is not None:
            # nothing was found, or a step degenerates although no joint is free: all joints together
            rows = np.flatnonzero(suspect[found[0]])
            moving = [bool(places) for places in chain.free_joints(found[1][rows], T[found[0][rows]])]
            explained = ~suspect
            explained[found[0][rows][moving]] = True
            missing = np.setdiff1d(np.arange(len(T)), np.intersect1d(found[0], np.flatnonzero(explained)))
            if len(missing):
                rows, more, _ = self.otherwise(chain, T[missing], known[missing], parameters)
                found = self._verified(chain, missing[rows], more, T, tolerance, found)
        missing = np.setdiff1d(np.flatnonzero(suspect), found[0])
        if len(missing):
            rows, starts = _starts(chain, missing, known)
            starts, _ = chain.polish(starts, T[rows], turns=40)
            found = self._verified(chain, rows, starts, T, tolerance, found)
        # a closed form has every solution if none of its steps degenerates
        doubtful = np.ones(len(T), bool) if self.sizes is None else suspect
        return self._grouped(chain, T, *found, missing, doubtful)

    def is_precise(self, parameters: Mapping[str, float]) -> bool:
        """Return whether the candidates are known to have many correct digits."""
        return self.precise is None or self.precise(self.numeric(parameters), parameters)

    def _verified(
        self, chain: NumericChain, pose: Array, q: Array, T: Array, tolerance: Array, before: Sequence[Array] = ()
    ) -> tuple[Array, Array, Array]:
        """Return pose, joints and error of each candidate that converges; those in `before` come first."""
        q, errors = chain.polish(q, T[pose])
        good = errors <= tolerance[pose] * max(1.0, chain.length)
        found = pose[good], wrapped(q[good], chain.prismatic), errors[good]
        if not before:
            return found
        poses, joints, errors = (np.concatenate(pair) for pair in zip(before, found, strict=True))
        return poses, joints, errors

    def _grouped(
        self, chain: NumericChain, T: Array, pose: Array, q: Array, errors: Array, searched: Array, doubtful: Array
    ) -> list[ChainSolutions]:
        """Return the sorted solutions of each pose.

        Solutions may be missing for poses that were `searched`, and for `doubtful` ones that are nearly singular.
        """
        count, free = len(T), chain.free_joints(q, T[pose])
        isolated = np.array([not places for places in free], dtype=bool)
        weak = isolated & chain.nearly_singular(q)
        unsure = {*searched.tolist(), *pose[weak & doubtful[pose]].tolist()}
        # an iteration that stopped on its way along a nearly free motion is not a solution beside those that converged
        best = np.full(count, np.inf)
        np.minimum.at(best, pose, errors)
        scale = max(1.0, chain.length)
        reached = ~weak | (
            errors <= np.maximum(_UNFINISHED * np.maximum(best[pose], _GOAL * scale), self.floor * scale)
        )
        result = []
        order = np.argsort(pose, kind="stable")
        edges = np.searchsorted(pose[order], np.arange(count + 1))
        for number in range(count):
            rows = order[edges[number] : edges[number + 1]]
            rows = rows[reached[rows]]
            rows = rows[distinct(q[rows], chain.prismatic, chain.length, errors[rows])] if len(rows) else rows
            # sorted by the first joint, then the second ..; -pi (up to rounding) is sorted as pi
            marks = np.round(np.where(~chain.prismatic & (q[rows] < BELOW_HALF_TURN), np.pi, q[rows]), 6)
            rows = rows[np.lexsort(marks.T[::-1])]
            complete = False if number in unsure else None
            result.append(ChainSolutions(q[rows], errors[rows], [free[row] for row in rows], complete))
        return result


@dataclass
class NearbyCandidates:
    """Approximate candidates for a chain, taken from the solutions of a nearby chain."""

    solver: Solver

    def candidates(
        self, chain: NumericChain, T: Array, known: Array, parameters: Mapping[str, float]
    ) -> tuple[Array, Array, Array]:
        return self.solver.candidates(self.solver.numeric(parameters), T, known, parameters)

    def precise(self, chain: NumericChain, parameters: Mapping[str, float]) -> bool:
        return False


def _starts(chain: NumericChain, poses: Array, known: Array) -> tuple[Array, Array]:
    """Return random configurations for each pose, with the known joints at their values."""
    rng = random_arrays("singular poses")
    rows = np.repeat(poses, _STARTS)
    size = np.where(chain.prismatic, 1.5 * chain.length, np.pi)
    # the same for every pose: the solutions of a pose do not depend on those beside it
    q = np.tile(rng.uniform(-1, 1, (_STARTS, len(chain.joints))) * size, (len(poses), 1))
    q[:, chain.fixed] = known[rows][:, chain.fixed]
    return rows, q
