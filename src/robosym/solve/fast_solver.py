"""Closed forms in machine code, all branches at once; poses that may be singular take the slow path.

The result of the machine code is used only if it is certain: every divisor in every real branch is clearly nonzero,
no root is nearly double, and each branch either reaches the pose up to rounding or clearly misses it. Roots that are
not nearly double differ, so the solutions are distinct. Each unknown is then a smooth function of the pose, so no
joint is free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, overload

import numpy as np

from robosym.algebra.generic import random_arrays
from robosym.algebra.once import cached_property
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import SAME, SOLVED
from robosym.chains.elimination.all_solutions import MOST
from robosym.chains.numeric_chain import NEAR, NumericChain, Solutions, Solver
from robosym.errors import counted
from robosym.model.solution.unrolled import MOST_BRANCHES, Branches
from robosym.runtime.packed_call import PackedCall
from robosym.solve.general import (
    Prepared,
    compiled_plain,
    general_rows,
    polished_solutions,
    prepared,
    six_joints,
)

__all__ = ["DOUBLE", "FastSolver", "GeneralFast", "PolishedFast", "SolutionBatch", "blur_of", "nominal_solver"]

DOUBLE = np.dtype(np.float64)  #: the only instance of it: `is` takes less time than `==`
_EXACT = 1e-11  #: the error of forward substitution, in units of the robot, that rounding may leave
_BEFORE = 1e-9  #: the same where solutions are polished afterward
_TRIALS = 16  #: poses of known joints that are tried first
_LANES = 8  #: poses of the widest vectors: fewer take longer
_CHUNK = 512  #: poses that are computed together: intermediate values stay in the cache
_TURNS = 12  #: maximum number of Newton steps from the solutions of a nearly equal geometry
_AMPLIFIED = 2.0  #: error of the divisors of steps, relative to the difference of the two geometries
_MISSED = 20.0  #: times this difference: the error of a branch that is no solution of the true geometry either


class SolutionBatch(Sequence[Solutions]):
    """The solutions of many poses, one `Solutions` per pose, made on access.

    `rows` holds the solutions of all poses, `counts` the number of solutions per pose.
    """

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
        """The number of solutions per pose, shape (m,)."""
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
        """Return whether a solution has a joint that can move without changing the pose."""
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
        size = f"{counted(int(self.counts.sum()), 'solution')} of {counted(len(self), 'pose')}"
        return f"<SolutionBatch: {size}, {', '.join(self.joints)}>"


@dataclass(frozen=True)
class _Prepared:
    """The data that depend on the parameters: thresholds, further inputs, and the unit of errors."""

    key: tuple[tuple[str, float], ...]
    clear: Array
    inputs: Mapping[str, Array]
    scale: float
    clear_at: int  #: the address of `clear`
    trusted: bool = True  #: whether joints that are known come back from their poses, to rounding


class FastSolver:
    """The compiled branches, with thresholds for each set of parameters."""

    def __init__(
        self, solver: Solver, branches: Branches, near: float = NEAR, function: Callable[..., Any] | None = None,
        exact: float = _EXACT,
    ) -> None:  # fmt: skip
        self.solver, self.branches, self.near, self.exact = solver, branches, near, exact
        self.known = branches.model.inputs.get("q", ())  #: known joints, whose values may differ from pose to pose
        self.function = function or branches.model.compile()
        self._turning = [not joint.prismatic for joint in solver.problem.chain.joints]
        outputs = branches.model.outputs
        sizes = (len(self._turning), len(outputs["errors"]), len(outputs["margins"]))
        self._shape = np.array([*sizes, *self._turning], np.intc)
        self._shape_at = self._shape.ctypes.data
        self._choose = _branch_rows()
        self._buffers: list[_Buffer] = []
        self._kept: _Prepared | None = None

    def __reduce__(self) -> tuple[type[FastSolver], tuple[object, ...]]:
        return FastSolver, (self.solver, self.branches, self.near, self.function, self.exact)  # no addresses

    def prepare(self, parameters: Mapping[str, float]) -> None:
        """Compute what depends on the parameters alone, so that the first pose takes no longer than others."""
        self._prepared(parameters)
        self._buffers = self._buffers or [_Buffer(self)]

    def _prepared(self, parameters: Mapping[str, float]) -> _Prepared:
        """Data of a set of parameters, cached for the next call; other threads may use another set."""
        known = self.known
        key = tuple(item for item in parameters.items() if item[0] not in known) if known else tuple(parameters.items())
        kept = self._kept
        if kept is None or kept.key != key:
            rest = dict(key)
            chain = self.solver.numeric(rest)
            assert self.solver.sizes is not None  # a closed form has them
            sizes = self.solver.sizes(chain, rest)
            weak = self.branches.weak
            clear = [clear if step < 0 else clear * sizes[step][0] ** power for step, clear, power in weak]
            groups = self.branches.model.inputs.items()
            inputs = {group: np.array([rest[n] for n in names]) for group, names in groups if group not in ("T", "q")}
            limits = np.array(clear)
            kept = _Prepared(key, limits, inputs, max(1.0, chain.length), limits.ctypes.data)
            trusted = self.solver.is_precise(rest) and self._tried(chain, kept)
            kept = self._kept = replace(kept, trusted=trusted)
        return kept

    def _tried(self, chain: NumericChain, ready: _Prepared) -> bool:
        """Return whether the branches recover known joints up to rounding if no margin is small.

        With nearly parallel axes, steps may be accurate to a few digits only, because coefficients cancel and
        neglected terms matter.
        """
        size = np.where(chain.prismatic, chain.length, np.pi)
        q = random_arrays("trials of machine code").uniform(-1, 1, (_TRIALS, len(chain.joints))) * size
        with np.errstate(all="ignore"):
            known = q[:, chain.fixed] if self.solver.inputs is None else self.solver.inputs(chain, q)
            found, errors, _, margins = self._called(chain.forward(q).reshape(-1, 16), known, ready)
        clear = ~(margins < ready.clear).any(axis=1)
        found = found.reshape(_TRIALS, errors.shape[1], -1)
        off = np.where(chain.prismatic, (found - q[:, None]) / size, 2 * np.sin((found - q[:, None]) / 2))
        same = (np.abs(off).max(axis=2) <= SAME) & (errors <= self.exact * ready.scale)
        return bool(np.count_nonzero(clear) >= _TRIALS // 2 and same.any(axis=1)[clear].all())

    def _called(self, T: Array, known: Array, ready: _Prepared) -> Any:
        """Return the outputs of the compiled branches at poses (m, 16) and known joints (m, k) or (k,)."""
        if self.known:
            return self.function(T=T, q=known, **ready.inputs)
        return self.function(T=T, **ready.inputs)

    def one(
        self, T: Array, parameters: Mapping[str, float], tolerance: float
    ) -> tuple[Array, Array] | None:  # fmt: skip
        """Return the solutions of a pose (4, 4) and their errors; None if the pose needs the slow path."""
        kept = self._kept
        usual = kept is not None and not kept.key and len(parameters) == len(self.known)
        ready = kept if usual else self._prepared(parameters)
        assert ready is not None
        if not ready.trusted:
            return None
        buffer = self._filled(T, parameters, ready)
        if buffer.ready is not ready or buffer.tolerance != tolerance:
            buffer.accept(ready, tolerance, min(tolerance, self.exact) * ready.scale, self.near * ready.scale)
        count = buffer.choose.function(buffer.choose.address)
        found = (
            None if count == 0 and buffer.numbers[0] < 0 else (buffer.rows[:count].copy(), buffer.left[:count].copy())
        )
        self._buffers.append(buffer)
        return found

    def _filled(self, T: Array, parameters: Mapping[str, float], ready: _Prepared) -> _Buffer:
        """Return a buffer with the branches of a pose (4, 4)."""
        buffer = self._buffers.pop() if self._buffers else _Buffer(self)  # that of another thread is never used
        buffer.poses[:] = T  # in every lane: other poses may take longer
        if self.known:
            known = np.array([parameters[name] for name in self.known])
            self.function(buffer.flat, q=known, **ready.inputs, out=buffer.outputs)
        else:
            self.function(buffer.flat, **ready.inputs, out=buffer.outputs)
        return buffer

    def isolated(self, T: Array, parameters: Mapping[str, float], tolerance: float) -> None:
        """Return None: the slow path has all solutions of a pose that is nearly singular."""

    def near_rows(self, T: Array, parameters: Mapping[str, float]) -> Array:
        """Return the rows (k, joints) of all branches that may be near a solution of a pose, whether certain or not."""
        ready = self._prepared(parameters)
        buffer = self._filled(T, parameters, ready)
        q, errors = buffer.outputs[0][0], buffer.outputs[1][0]
        rows = q[np.isfinite(q).all(axis=1) & (errors <= self.near * ready.scale)]
        self._buffers.append(buffer)
        return np.asarray(rows)

    def many(
        self, T: Array, parameters: Mapping[str, float], tolerance: float, known: Array | None = None
    ) -> tuple[Array, Array, Array, Array]:  # fmt: skip
        """Return solutions, errors, the number of solutions per pose, and the poses that need the slow path.

        The rows of all poses (m, 4, 4) follow each other; poses for the slow path have no rows. `known` holds the
        known joints of each pose (m, k) if they differ between poses.
        """
        ready = self._prepared(parameters)
        width, most = len(self._turning), self._shape[1]
        if not ready.trusted:
            return np.zeros((0, width)), np.zeros(0), np.zeros(len(T), int), np.arange(len(T))
        if known is None:
            known = np.tile([parameters[name] for name in self.known], (len(T), 1))
        rows, left = np.empty((len(T) * most, width)), np.empty(len(T) * most)
        numbers, total = np.empty(len(T), np.intc), 0
        good = min(tolerance, self.exact) * ready.scale
        for k in range(0, len(T), _CHUNK):
            found = self._called(T[k : k + _CHUNK].reshape(-1, 16), known[k : k + _CHUNK], ready)
            places = (*found, rows[total:], left[total:], numbers[k:])
            total += self._choose(
                self._shape_at, ready.clear_at, good, self.near * ready.scale, len(found[1]),
                *(place.ctypes.data for place in places),
            )  # fmt: skip
        return rows[:total], left[:total], np.maximum(numbers, 0).astype(int), np.flatnonzero(numbers < 0)


class _Buffer:
    """Arrays for one pose and their addresses. The code computes whole vectors of poses; the first one is used."""

    def __init__(self, solver: FastSolver) -> None:
        joints, branches, margins = (int(size) for size in solver._shape[:3])
        self.flat = np.tile(np.eye(4).ravel(), (_LANES, 1))
        self.poses = self.flat.reshape(_LANES, 4, 4)
        shapes = ((branches, joints), (branches,), (1,), (margins,))
        self.outputs = tuple(np.empty((_LANES, *shape)) for shape in shapes)
        self.rows, self.left, self.numbers = np.empty((branches, joints)), np.empty(branches), np.empty(1, np.intc)
        places = tuple(part.ctypes.data for part in (*self.outputs, self.rows, self.left, self.numbers))
        self.choose = PackedCall(solver._choose, [solver._shape_at, 0, 0.0, 0.0, 1, *places])
        self.ready: _Prepared | None = None  #: whose thresholds are those of the call
        self.tolerance = 0.0

    def accept(self, ready: _Prepared, tolerance: float, good: float, near: float) -> None:
        """Set the thresholds of solutions."""
        self.ready, self.tolerance = ready, tolerance
        self.choose.integers[1] = ready.clear_at
        self.choose.floats[2:4] = good, near


@cache
def _branch_rows() -> Callable[..., int]:
    """Compile the functions once for all robots."""
    source = files("robosym.chains.elimination").joinpath("branch_rows.py").read_text("utf-8")
    return compiled_plain([source], ("branch_rows",))["branch_rows"]


# -------------------------------------------------------------------------- geometry near to a special one


def blur_of(error: float) -> float:
    """Return the relative size below which a divisor or discriminant may vanish in the true geometry.

    The error of a joint grows with the inverse square root of the discriminant of its step, and affects the following
    steps. The exponent allows for one step at the limit.
    """
    return float((_AMPLIFIED * error) ** (2 / 3))


def nominal_solver(special: Solver, branches: Branches, error: float) -> FastSolver:
    """Return the machine code of a special geometry, whose branches may miss a pose by the error of the geometry."""
    return FastSolver(special, branches, max(NEAR, _MISSED * error), exact=_BEFORE)


class PolishedFast:
    """The counterpart of `FastSolver` for a nearly special chain; solutions are polished on the given one.

    The result is used only if the solutions of both geometries correspond to each other: compared with the difference
    of the geometries, no branch of the special one is near a double root or a singularity, and Newton's method moves
    every solution by less than half the distance between branches.
    """

    def __init__(self, solver: Solver, special: FastSolver, error: float) -> None:
        self.solver, self.special, self.error = solver, special, error
        self.general = GeneralFast(solver) if solver.problem.columns == "snaP" else None
        self._most = 0.5 * float(np.sqrt(blur_of(error)))
        self._kept: tuple[tuple[tuple[str, float], ...], NumericChain, Prepared, _Polishing] | None = None

    def __reduce__(self) -> tuple[type[PolishedFast], tuple[object, ...]]:
        return PolishedFast, (self.solver, self.special, self.error)  # addresses are not copied

    def prepare(self, parameters: Mapping[str, float]) -> None:
        """Compute what depends on the parameters alone, so that the first pose takes no longer than others."""
        self.special.prepare(parameters)
        self._ready(parameters)[2].prepare()
        if self.general is not None:
            self.general.prepare(parameters)

    def _ready(self, parameters: Mapping[str, float]) -> tuple[NumericChain, Prepared, _Polishing]:
        """Return the given chain and its polishing data, cached for the next call."""
        key = tuple(parameters.items())
        kept = self._kept
        if kept is None or kept[0] != key:
            chain = self.solver.numeric(parameters)
            known = np.array([parameters.get(joint.name, 0.0) for joint in chain.joints])
            ready = Prepared(six_joints(chain, known), len(chain.unknown), chain.columns, [])
            kept = self._kept = key, chain, ready, _Polishing(chain, ready, self._most)
        return kept[1:]

    def one(self, T: Array, parameters: Mapping[str, float], tolerance: float) -> tuple[Array, Array] | None:
        """Return the solutions of a pose (4, 4) and their errors; None if it needs the slow path."""
        found = self.special.one(T, parameters, tolerance)
        if found is None:
            return self._joined(T, parameters, tolerance)
        q, errors = found
        if not len(q):
            return found
        chain, _, polishing = self._ready(parameters)
        good = min(tolerance, _EXACT) * max(1.0, chain.length)
        if polishing.one(T, q, errors, good):
            return found
        return self._joined(T, parameters, tolerance)

    def many(
        self, T: Array, parameters: Mapping[str, float], tolerance: float
    ) -> tuple[Array, Array, Array, Array]:  # fmt: skip
        """Return solutions, errors, the number of solutions per pose, and the poses that need the slow path."""
        q, errors, counts, doubtful = self.special.many(T, parameters, tolerance)
        if not len(q):
            return q, errors, counts, doubtful
        chain, _, polishing = self._ready(parameters)
        good = min(tolerance, _EXACT) * max(1.0, chain.length)
        numbers = polishing.many(T, q, errors, counts, good)
        if (numbers < 0).any():
            kept = np.repeat(numbers >= 0, counts)
            doubtful = np.union1d(doubtful, np.flatnonzero(numbers < 0))
            q, errors, counts = q[kept], errors[kept], np.maximum(numbers, 0)
        return q, errors, counts, doubtful

    def _joined(self, T: Array, parameters: Mapping[str, float], tolerance: float) -> tuple[Array, Array] | None:
        """Return the solutions that the general method finds on the given geometry, and those near to the special one.

        Return None if the pose may be singular, or if an odd number of solutions shows that one is missing.
        """
        if self.general is None:
            return None
        return self.general.one(T, parameters, tolerance, self.special.near_rows(T, parameters))

    def isolated(self, T: Array, parameters: Mapping[str, float], tolerance: float) -> tuple[Array, Array] | None:
        """Do the same for a pose with a solution that is nearly singular, if no joint of any solution is free."""
        if self.general is None:
            return None
        return self.general.isolated(T, parameters, tolerance, self.special.near_rows(T, parameters))


class _Polishing:
    """The arguments of the compiled refinement, with memory for one pose."""

    def __init__(self, chain: NumericChain, ready: Prepared, most: float) -> None:
        self._ready, self._most = ready, most
        self._places = np.array(chain.unknown, np.intc)
        self._order = np.array([len(chain.joints), 0, 0, *~chain.prismatic], np.intc)
        self._constant = [
            ready.shape.ctypes.data, ready.constants.ctypes.data, self._places.ctypes.data, self._order.ctypes.data,
            _TURNS,
        ]  # fmt: skip
        self._buffers: list[tuple[Array, Array, Array, Array, PackedCall]] = []

    def prepare(self) -> None:
        """Compile the refinement, which all robots share, and allocate memory for a pose."""
        self._buffers = self._buffers or [self._buffer(0.0)]

    def one(self, T: Array, q: Array, errors: Array, good: float) -> bool:
        """Refine and sort the solutions of a pose in place; return whether they correspond to each other."""
        pose, numbers, rows, left, call = self._buffers.pop() if self._buffers else self._buffer(good)
        count = len(q)
        pose[:] = T[:3]
        numbers[0] = count
        rows[:count] = q
        if call.floats[5] != good:
            call.floats[5] = good
        certain = call() == 1
        q[:], errors[:] = rows[:count], left[:count]
        self._buffers.append((pose, numbers, rows, left, call))
        return certain

    def _buffer(self, good: float) -> tuple[Array, Array, Array, Array, PackedCall]:
        pose, numbers = np.empty((3, 4)), np.empty(1, np.intc)
        rows, left = np.empty((MOST_BRANCHES, self._order[0])), np.empty(MOST_BRANCHES)
        places = [part.ctypes.data for part in (pose, numbers, rows, left)]
        call = PackedCall(polished_solutions(), [*self._constant, good, self._most, 1, *places])
        return pose, numbers, rows, left, call

    def many(self, T: Array, q: Array, errors: Array, counts: Array, good: float) -> Array:
        """Do the same for many poses; return the number of solutions of each, -1 where they do not correspond."""
        poses, numbers = np.ascontiguousarray(T[:, :3], dtype=float), counts.astype(np.intc)
        arrays = [part.ctypes.data for part in (poses, numbers, q, errors)]
        polished_solutions()(*self._constant, good, self._most, len(T), *arrays)
        return numbers


# -------------------------------------------------------------------------- the general method


class GeneralFast:
    """The counterpart of `FastSolver` for the general method, for chains whose pose is given completely."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self._kept: tuple[tuple[tuple[str, float], ...], _General] | None = None

    def __reduce__(self) -> tuple[type[GeneralFast], tuple[object, ...]]:
        return GeneralFast, (self.solver,)  # addresses are not copied

    def _ready(self, parameters: Mapping[str, float]) -> _General:
        """Chain, known joints and plans of a set of parameters, cached for the next call."""
        key = tuple(parameters.items())
        kept = self._kept
        if kept is None or kept[0] != key:
            chain = self.solver.numeric(parameters)
            known = np.array([parameters.get(joint.name, 0.0) for joint in chain.joints])
            kept = self._kept = key, _General(chain, known, None if kept is None else kept[1].plans)
        return kept[1]

    def prepare(self, parameters: Mapping[str, float]) -> None:
        """Choose the start of the elimination and solve a pose, so that the first pose takes no longer than others."""
        ready = self._ready(parameters)
        ready.one(ready.chain.forward(ready.known[None] + 0.5)[0], SOLVED)

    def one(
        self, T: Array, parameters: Mapping[str, float], tolerance: float, more: Array | None = None
    ) -> tuple[Array, Array] | None:
        """Return the solutions of a pose (4, 4) and their errors; None if it needs the slow path.

        `more` contains rows (k, joints) from which Newton's method looks for further solutions.
        """
        return self._ready(parameters).one(T, tolerance, more)

    def isolated(
        self, T: Array, parameters: Mapping[str, float], tolerance: float, more: Array | None = None
    ) -> tuple[Array, Array] | None:
        """Do the same for a pose with a solution that is nearly singular, if no joint of any solution is free."""
        return self._ready(parameters).one(T, tolerance, more, singular=True)

    def many(
        self, T: Array, parameters: Mapping[str, float], tolerance: float
    ) -> tuple[Array, Array, Array, Array]:  # fmt: skip
        """Return solutions, errors, the number of solutions per pose, and the poses that need the slow path.

        The rows of all poses (m, 4, 4) follow each other; poses for the slow path have no rows.
        """
        return self._ready(parameters).many(T, tolerance)


class _General:
    """The general method of a chain in numbers: the arguments of its compiled function, with memory for one pose."""

    def __init__(self, chain: NumericChain, known: Array, before: Prepared | None) -> None:
        self.chain, self.known, self.plans = chain, known, prepared(chain, known, before)
        self._places = np.array(chain.unknown, np.intc)
        self._order = np.array([len(chain.joints), 0, 0, *~chain.prismatic], np.intc)
        arrays = self.plans.shape, self.plans.constants, self.plans.plans, self._places, self._order, self.known
        self._constant = [part.ctypes.data for part in arrays]
        self._buffers: list[tuple[Array, Array, Array, Array, PackedCall]] = []

    def one(
        self, T: Array, tolerance: float, more: Array | None = None, singular: bool = False
    ) -> tuple[Array, Array] | None:
        """Return the solutions of a pose (4, 4) and their errors; None if it needs the slow path."""
        pose, numbers, rows, errors, call = self._buffers.pop() if self._buffers else self._buffer()
        pose[:] = T
        call.integers[6], call.floats[7], call.integers[8] = singular, tolerance, 0
        if more is not None and len(more):
            starts = np.ascontiguousarray(more, dtype=float)
            call.integers[8], call.integers[9] = len(starts), starts.ctypes.data
        count = call()
        found = (rows[:count].copy(), errors[:count].copy()) if numbers[0] >= 0 else None
        self._buffers.append((pose, numbers, rows, errors, call))
        return found

    def _buffer(self) -> tuple[Array, Array, Array, Array, PackedCall]:
        pose, numbers, rows, errors = self._memory(1)
        places = [part.ctypes.data for part in (pose, numbers, rows, errors)]
        call = PackedCall(general_rows(), [*self._constant, 0, 0.0, 0, 0, 1, *places])
        return pose, numbers, rows, errors, call

    def _memory(self, count: int) -> tuple[Array, Array, Array, Array]:
        most = count * MOST
        return np.empty((count, 4, 4)), np.empty(count, np.intc), np.empty((most, len(self.known))), np.empty(most)

    def many(self, T: Array, tolerance: float) -> tuple[Array, Array, Array, Array]:
        """Return solutions, errors, the number of solutions per pose, and the poses that need the slow path."""
        poses, numbers, rows, errors = self._memory(len(T))
        poses[:] = T
        places = [part.ctypes.data for part in (poses, numbers, rows, errors)]
        total = general_rows()(*self._constant, 0, tolerance, 0, 0, len(T), *places)
        return rows[:total], errors[:total], np.maximum(numbers, 0).astype(int), np.flatnonzero(numbers < 0)
