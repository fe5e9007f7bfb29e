"""Closed forms at machine speed: all branches at once in machine code, the careful way where a pose looks singular.

A pose is taken from the machine code only where nothing is doubtful: every step of every live branch divides by
something clear of zero, no root is nearly double, and each branch either fulfils the pose to rounding or misses it
clearly. Roots that are clear of double ones differ, so solutions are distinct; each step then gives its unknown as a
smooth function of the pose, so no joint is free.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import overload

import numpy as np

from robosym.algebra.generic import random_arrays
from robosym.algebra.once import cached_property
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import SAME
from robosym.chains.general import Prepared, prepared
from robosym.chains.numeric_chain import BELOW_HALF_TURN, HALF_TURN, NEAR, NumericChain, Solutions, Solver
from robosym.model.solution.unrolled import Branches

__all__ = ["FastSolver", "GeneralFast", "SolutionBatch"]

_EXACT = 1e-11  #: the error of forward substitution, in units of the robot, that rounding may leave
_ROTATION = 1e-12  #: the square of how far from a rotation a pose may be for one turn of correction
_TRIALS = 16  #: poses of known joints that are tried first
_DIGITS = 1e6  #: solutions are sorted by their joints in these parts of a radian or metre
_WIDTH = 2.0**26  #: two joints in such parts share a number
_CHUNK = 512  #: poses that are computed together: what lies between stays in the cache
_AS_IT_IS = 1e-13  #: how far from a rotation a pose may be that the general method takes as it is


class SolutionBatch(Sequence[Solutions]):
    """The solutions of many poses, a `Solutions` each when it is looked at; `rows` are those of all poses together,
    `counts` how many each pose has."""

    def __init__(
        self, joints: Sequence[str], rows: Array, errors: Array, counts: Array, careful: Mapping[int, Solutions],
        free: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        self.joints = tuple(joints)
        self._rows, self._errors, self._careful, self._free = rows, errors, careful, free
        self._ends = np.cumsum(counts)
        self._counts = counts

    @property
    def counts(self) -> Array:
        """How many solutions each pose has: (m,)."""
        counts = self._counts.copy()
        for number, solutions in self._careful.items():
            counts[number] = len(solutions)
        return counts

    @cached_property
    def rows(self) -> Array:
        """The solutions of all poses, one below the other: (sum of counts, joints)."""
        return np.concatenate([np.asarray(part) for part in self]) if self._careful else self._rows

    @property
    def singular(self) -> bool:
        """Whether some solution has a joint that can move while the pose stays."""
        return bool(self._free) or any(part.singular for part in self._careful.values())

    def __len__(self) -> int:
        return len(self._counts)

    @overload
    def __getitem__(self, place: int) -> Solutions: ...
    @overload
    def __getitem__(self, place: slice) -> list[Solutions]: ...
    def __getitem__(self, place: int | slice) -> Solutions | list[Solutions]:
        if isinstance(place, slice):
            return [self[k] for k in range(*place.indices(len(self)))]
        number = range(len(self))[place]
        if number in self._careful:
            return self._careful[number]
        end = int(self._ends[number])
        rows = slice(end - int(self._counts[number]), end)
        q = self._rows[rows]
        return Solutions.of(q, self.joints, self._errors[rows], (self._free,) * len(q))

    def __iter__(self) -> Iterator[Solutions]:
        return (self[number] for number in range(len(self)))

    def __repr__(self) -> str:
        return f"<SolutionBatch: {int(self.counts.sum())} solutions of {len(self)} poses, {', '.join(self.joints)}>"


@dataclass(frozen=True)
class _Prepared:
    """What depends on the parameters: what is clear of zero, the inputs beside the pose, the unit of errors."""

    key: tuple[tuple[str, float], ...]
    clear: Array
    inputs: Mapping[str, Array]
    scale: float
    trusted: bool = True  #: whether joints that are known come back from their poses, to rounding


class FastSolver:
    """The machine code of the branches, and for each set of parameters what is clear."""

    def __init__(self, solver: Solver, branches: Branches) -> None:
        self.solver, self.branches = solver, branches
        self.function = branches.model.compile()
        self._turning = np.array([not joint.prismatic for joint in solver.problem.chain.joints])
        self._kept: _Prepared | None = None

    def _prepared(self, parameters: Mapping[str, float]) -> _Prepared:
        """What belongs to a set of parameters, kept for the next call; calls in other threads may have another one."""
        key = tuple(parameters.items())
        kept = self._kept
        if kept is None or kept.key != key:
            chain = self.solver.numeric(parameters)
            assert self.solver.sizes is not None  # a closed form has them
            sizes = self.solver.sizes(chain, parameters)
            weak = self.branches.weak
            clear = [clear if step < 0 else clear * sizes[step][0] ** power for step, clear, power in weak]
            groups = self.branches.model.inputs.items()
            inputs = {group: np.array([parameters[n] for n in names]) for group, names in groups if group != "T"}
            kept = _Prepared(key, np.array(clear), inputs, max(1.0, chain.length))
            trusted = self.solver.is_precise(parameters) and self._tried(chain, parameters, kept)
            kept = self._kept = replace(kept, trusted=trusted)
        return kept

    def _tried(self, chain: NumericChain, parameters: Mapping[str, float], ready: _Prepared) -> bool:
        """Whether the branches give known joints back, to rounding, wherever no margin is small.

        Steps of nearly parallel axes may hold to a few digits only: coefficients cancel, neglected terms count.
        """
        known = np.array([parameters.get(joint.name, 0.0) for joint in chain.joints])
        size = np.where(chain.prismatic, chain.length, np.pi)
        q = np.tile(known, (_TRIALS, 1))
        drawn = random_arrays("trials of machine code").uniform(-1, 1, q.shape) * size
        q[:, chain.unknown] = drawn[:, chain.unknown]
        with np.errstate(all="ignore"):
            found, errors, _, margins = self.function(T=chain.forward(q).reshape(-1, 16), **ready.inputs)
        clear = ~(margins < ready.clear).any(axis=1)
        found = found.reshape(_TRIALS, errors.shape[1], -1)
        off = np.where(chain.prismatic, (found - q[:, None]) / size, 2 * np.sin((found - q[:, None]) / 2))
        same = (np.abs(off).max(axis=2) <= SAME) & (errors <= _EXACT * ready.scale)
        return bool(np.count_nonzero(clear) >= _TRIALS // 2 and same.any(axis=1)[clear].all())

    def one(
        self, T: Array, parameters: Mapping[str, float], tolerance: float
    ) -> tuple[Array, Array] | None:  # fmt: skip
        """The solutions of a pose (4, 4) and their errors; None where the careful way must look at it."""
        ready = self._prepared(parameters)
        if not ready.trusted:
            return None
        q, errors, rotation, margins = self.function(T=T.reshape(16), **ready.inputs)
        if not rotation[0] <= _ROTATION or np.count_nonzero(margins < ready.clear):
            return None
        good, near = min(tolerance, _EXACT) * ready.scale, NEAR * ready.scale
        kept = []
        for place, error in enumerate(errors.tolist()):
            if error <= good:
                kept.append(place)
            elif error <= near:
                return None
        if len(errors) == 1:
            q = q.reshape(1, -1)
        below = self._turning & (q <= -np.pi + HALF_TURN)
        if np.count_nonzero(below):
            q[below] = np.pi
        if len(kept) > 1:
            marks = self._marks(q).tolist()
            kept.sort(key=marks.__getitem__)
        return q.take(kept, 0), errors.take(kept)

    def many(
        self, T: Array, parameters: Mapping[str, float], tolerance: float
    ) -> tuple[Array, Array, Array, Array]:  # fmt: skip
        """Of poses (m, 4, 4): the solutions of all one below the other, their errors, how many each pose has, and the
        poses (none of whose solutions are among them) that the careful way must look at."""
        ready = self._prepared(parameters)
        if not ready.trusted:
            counts = np.zeros(len(T), int)
            return np.zeros((0, len(self._turning))), np.zeros(0), counts, np.arange(len(T))
        parts = [self._chunk(T[k : k + _CHUNK], ready, tolerance) for k in range(0, len(T), _CHUNK)]
        q, errors, counts, doubtful = (np.concatenate(part) for part in zip(*parts, strict=True))
        return q, errors, counts, np.flatnonzero(doubtful)

    def _chunk(self, T: Array, ready: _Prepared, tolerance: float) -> tuple[Array, Array, Array, Array]:
        q, errors, rotation, margins = self.function(T=T.reshape(-1, 16), **ready.inputs)
        if errors.shape[1] == 1:
            q = q.reshape(len(T), 1, -1)
        good, near = min(tolerance, _EXACT) * ready.scale, NEAR * ready.scale
        valid = errors <= good
        doubtful = ~(rotation[:, 0] <= _ROTATION)
        doubtful[_poses_with(margins < ready.clear)] = True
        doubtful[_poses_with(valid != (errors <= near))] = True  # neither a solution nor clearly none
        q[self._turning & (q <= -np.pi + HALF_TURN)] = np.pi
        order, ties = self._order(q, valid)
        doubtful[ties] = True
        valid[doubtful] = False
        counts = np.bincount(_poses_with(valid), minlength=len(T))
        flat = order + (np.arange(len(T)) * errors.shape[1])[:, None]
        rows = flat[np.arange(errors.shape[1]) < counts[:, None]]
        return q.reshape(-1, q.shape[2])[rows], errors.reshape(-1)[rows], counts, doubtful

    def _marks(self, q: Array) -> Array:
        """What solutions are sorted by: -pi but for rounding stands where pi does."""
        return np.asarray(np.rint(np.where(self._turning & (q < BELOW_HALF_TURN), np.pi, q) * _DIGITS))

    def _order(self, q: Array, valid: Array) -> tuple[Array, Array]:
        """Places of the branches, valid ones first and by the first joint, then the second ..; and the poses where this
        is left undecided."""
        marks = self._marks(q)[:, :, :4]
        if marks.shape[2] < 4:
            marks = np.concatenate([marks, np.zeros((*marks.shape[:2], 4 - marks.shape[2]))], axis=2)
        keys = np.empty(valid.shape, complex)
        keys.real = np.where(valid, marks[:, :, 0] * _WIDTH + marks[:, :, 1], np.inf)
        keys.imag = np.where(valid, marks[:, :, 2] * _WIDTH + marks[:, :, 3], 0.0)
        order = np.argsort(keys, axis=1)
        keys = np.take_along_axis(keys, order, axis=1)
        same = (keys[:, 1:] == keys[:, :-1]) & np.isfinite(keys.real[:, 1:])
        wide = (np.abs(marks) >= _WIDTH / 2) & valid[:, :, None]
        return order, np.concatenate([_poses_with(same), _poses_with(wide)])


def _poses_with(marked: Array) -> Array:
    """The poses (rows) of what is marked, one number a mark: faster than `any` where few are marked and rows short."""
    width = marked[0].size
    return np.flatnonzero(marked) // width if width else np.zeros(0, int)


# -------------------------------------------------------------------------- the general method


class GeneralFast:
    """As `FastSolver`, of chains whose whole pose is given."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self._kept: tuple[tuple[tuple[str, float], ...], NumericChain, Array, Prepared] | None = None

    def _ready(self, parameters: Mapping[str, float]) -> tuple[NumericChain, Array, Prepared]:
        """Chain, known joints and plans of a set of parameters, kept for the next call."""
        key = tuple(parameters.items())
        kept = self._kept
        if kept is None or kept[0] != key:
            chain = self.solver.numeric(parameters)
            known = np.array([parameters.get(joint.name, 0.0) for joint in chain.joints])
            kept = self._kept = key, chain, known, prepared(chain, known)
        return kept[1:]

    def one(self, T: Array, parameters: Mapping[str, float], tolerance: float) -> tuple[Array, Array] | None:
        """The solutions of a pose (4, 4) and their errors; None where the careful way must look at it."""
        q, errors, _, doubtful = self.many(T[None], parameters, tolerance)
        return None if len(doubtful) else (q, errors)

    def many(
        self, T: Array, parameters: Mapping[str, float], tolerance: float
    ) -> tuple[Array, Array, Array, Array]:  # fmt: skip
        """Of poses (m, 4, 4): the solutions of all one below the other, their errors, how many each pose has, and the
        poses (none of whose solutions are among them) that the careful way must look at."""
        chain, known, plans = self._ready(parameters)
        A = T[:, :3, :3]
        exact = (np.abs(np.swapaxes(A, 1, 2) @ A - np.eye(3)) <= _AS_IT_IS).all(axis=(1, 2))
        exact &= (T[:, 3] == (0, 0, 0, 1)).all(axis=1) & np.isfinite(T).all(axis=(1, 2)) & (np.linalg.det(A) > 0)
        if exact.all():
            q, errors, free, counts = plans.solve(T, np.array(tolerance))
        else:
            places = np.flatnonzero(exact)
            found = plans.solve(T[places], np.array(tolerance))
            q, errors, free, counts = (np.zeros((len(T), *part.shape[1:]), part.dtype) for part in found)
            for whole, part in zip((q, errors, free, counts), found, strict=True):
                whole[places] = part
        there = np.arange(q.shape[1]) < counts[:, None]
        doubtful = ~exact | ((free != 0) & there).any(axis=1)
        pose, place = np.nonzero(there & ~doubtful[:, None])
        rows = np.tile(known, (len(pose), 1))
        rows[:, chain.unknown] = q[pose, place, : len(chain.unknown)]
        doubtful[pose[chain.nearly_singular(rows)]] = True
        counts = np.where(doubtful, 0, counts)
        clear = ~doubtful[pose]
        pose, place, rows = pose[clear], place[clear], rows[clear]
        order = np.lexsort([*np.round(rows, 6).T[::-1], pose])  # by the first joint, then the second ..
        return rows[order], errors[pose, place][order], counts, np.flatnonzero(doubtful)
