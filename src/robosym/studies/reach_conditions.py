"""Conditions that a pose of a platform must meet to count as reached, tested for many poses at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robosym.algebra.arrays import Array, numbers, one_thread
from robosym.algebra.once import cached_property
from robosym.coordinates.platform_poses import LegEnds
from robosym.coordinates.reference import numeric_reference
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.solve.leg_joints import leg_joints
from robosym.studies.conditioning import Conditioning
from robosym.studies.leg_segments import leg_segments
from robosym.studies.workers import cores

__all__ = ["REASONS", "Conditions", "bounds_of_efforts", "feasible", "normal_of"]

_CHUNK = 16384  #: poses per batch
_HELD = 1e-9  #: measure of type 2 below which motors do not hold the platform
_SLACK = 1e-9  #: tolerance of a balance, relative to the efforts
#: why a pose is not reached; bits of `Reach.reasons`
REASONS = {
    1: "a leg does not reach", 2: "a joint is beyond its limits", 4: "the angle of a leg exceeds its cone",
    8: "legs are too close", 16: "too close to a singular pose", 32: "motors cannot balance the wrenches",
}  # fmt: skip


@dataclass(frozen=True)
class Conditions:
    """Conditions on the poses of a robot; `reasons` tests them."""

    robot: Robot
    modes: Sequence[int] | None = None
    parameters: Mapping[str, float] | None = None
    length: float | None = None
    limits: bool = True
    cones: tuple[float, float] | None = None  #: largest angles in rad at base and platform
    clearance: float | None = None  #: smallest distance between legs in m
    margin: float | None = None  #: smallest measure of singularity
    wrenches: Array | None = None  #: shape (n, 6)
    efforts: tuple[Array, Array] | None = None  #: bounds of the motors, shape (motors,)

    @cached_property
    def conditioning(self) -> Conditioning:
        """Measures of poses."""
        return Conditioning(self.robot, self.modes, self.parameters, self.length)

    @cached_property
    def _joints(self) -> tuple[Any, list[tuple[int, int]], bool]:
        """Return the model of the joints, its columns of limited joints, and whether the legs may have gaps."""
        robot = self.robot
        limits = {j: robot.joint(j).limits for j in robot.tree_joints if self.limits}
        limited = [j for j, one in limits.items() if (one.lower, one.upper) != (None, None)]
        passive = any(not robot.frame(j).mu for j in limited)
        model = leg_joints(robot, self.modes, passive)
        names = [name for layout in model.outputs.values() for name in layout]
        unchecked = model.domain is None and numeric_reference(robot) is None
        if unchecked and not passive:
            model = leg_joints(robot, self.modes)
            names = [name for layout in model.outputs.values() for name in layout]
        return model, [(names.index(f"Q{j}"), j) for j in limited], unchecked

    @cached_property
    def _ends(self) -> LegEnds:
        return LegEnds(self.robot)

    @cached_property
    def _segments(self) -> Any:
        return leg_segments(self.robot, self.modes, self.cones is not None, self.clearance is not None).model

    @cached_property
    def _functions(self) -> dict[str, Any]:
        """Machine code; compiled before threads start."""
        found = {"joints": self._joints[0].compile()}
        if self.cones is not None or self.clearance is not None:
            found["segments"] = self._segments.compile()
        if self.margin is not None or self.wrenches is not None:
            found["rows"] = self.conditioning.ready()
        return found

    def reasons(self, poses: Array) -> NDArray[np.uint8]:
        """Return why poses (n, 12) are not reached, as bits of REASONS: 0 if they are."""
        assert self._functions
        found = np.zeros(len(poses), dtype=np.uint8)
        starts = range(0, len(poses), _CHUNK)

        def part(k: int) -> None:
            found[k : k + _CHUNK] = self._some(poses[k : k + _CHUNK])

        with one_thread(), ThreadPoolExecutor(cores()) as pool:
            list(pool.map(part, starts))
        return found

    def _some(self, poses: Array) -> NDArray[np.uint8]:
        model, limited, unchecked = self._joints
        given = self.conditioning.given(model, poses)
        values = self._functions["joints"](**given)
        parts = [np.asarray(part) for part in values] if len(model.outputs) > 1 else [np.asarray(values)]
        found = np.zeros(len(poses), dtype=np.uint8)
        for part in parts:
            found[~np.isfinite(part.sum(axis=1))] = 1
        joints = np.concatenate(parts, axis=1) if len(parts) > 1 and limited else parts[0]
        with np.errstate(invalid="ignore"):
            for column, j in limited:
                found[~self._ends.joint_within_limits(j, joints[:, column])] |= 2
        if unchecked:  # without a reference position, poses that the legs do not allow are found by their gaps
            found[~self.conditioning.closed(poses)] = 1
        found[(found & 1).astype(bool)] = 1
        for test in self._tests():
            open_ = np.flatnonzero(found == 0)
            if len(open_):
                found[open_] = test(np.ascontiguousarray(poses[open_]))
        return found

    def _tests(self) -> Iterator[Any]:
        """Yield the other tests; each is applied to poses that passed the previous ones."""
        if self.cones is not None or self.clearance is not None:
            yield self._by_segments
        if self.margin is not None:
            yield self._by_margin
        if self.wrenches is not None:
            yield self._by_wrenches

    def _by_segments(self, poses: Array) -> NDArray[np.uint8]:
        values = self._functions["segments"](**self.conditioning.given(self._segments, poses))
        names = list(self._segments.outputs)
        outputs = dict(zip(names, values if len(names) > 1 else [values], strict=True))
        found = np.zeros(len(poses), dtype=np.uint8)
        for name, most in zip(("base", "platform"), self.cones or (), strict=False):
            found[~(np.asarray(outputs[name]).min(axis=1) >= np.cos(most))] |= 4
        if self.clearance is not None and "distance" in outputs:
            found[~(np.asarray(outputs["distance"]).min(axis=1) >= self.clearance**2)] |= 8
        return found

    def _by_margin(self, poses: Array) -> NDArray[np.uint8]:
        m = self.conditioning.measures(poses)
        least = np.minimum(m.type2, m.type1.min(axis=1))
        return np.where(least >= (self.margin or 0.0), 0, 16).astype(np.uint8)

    def _by_wrenches(self, poses: Array) -> NDArray[np.uint8]:
        assert self.wrenches is not None and self.efforts is not None
        W, E, regular = self.conditioning.matrices(poses)
        wanted = -np.einsum("nif,ki->nkf", E, self.wrenches)  # shape (poses, wrenches, freedom)
        return np.where(regular & feasible(W, wanted, *self.efforts), 0, 32).astype(np.uint8)


def feasible(W: Array, wanted: Array, low: Array, high: Array) -> NDArray[np.bool_]:
    """Return where efforts within bounds can exert every wanted force: W (n, f, m) times efforts = wanted (n, k, f).

    The forces that bounded efforts give are a zonotope. A point is inside if it is between all pairs of parallel
    facets; each is spanned by f - 1 columns of W.
    """
    n, f, m = W.shape
    middle, half = (low + high) / 2, (high - low) / 2
    away = wanted - (W @ middle)[:, None]
    held = np.ones(n, dtype=bool)
    sizes = np.linalg.norm(W, axis=1).max(axis=1)
    held &= np.linalg.svd(W, compute_uv=False)[:, min(f, m) - 1] > _HELD * sizes
    if m < f:
        return np.zeros(n, dtype=bool)
    for chosen in combinations(range(m), f - 1):
        normal = normal_of(W[:, :, list(chosen)])
        reach = np.abs(np.einsum("nf,nfm->nm", normal, W)) @ half
        needed = np.abs(np.einsum("nf,nkf->nk", normal, away)).max(axis=1)
        held &= needed <= reach + _SLACK * np.linalg.norm(normal, axis=1) * sizes * float(np.abs(half).max())
    return held


def normal_of(columns: Array) -> Array:
    """Return vectors (n, f) orthogonal to f - 1 columns (n, f, f - 1), by minors; zero if these are dependent."""
    f = columns.shape[1]
    if f == 1:
        return np.ones((len(columns), 1))
    rows = [np.delete(columns, k, axis=1) for k in range(f)]
    return np.stack([(-1) ** k * np.linalg.det(part) for k, part in enumerate(rows)], axis=1)


def bounds_of_efforts(robot: Robot, efforts: ArrayLike | None) -> tuple[Array, Array]:
    """Return bounds of the motors from one number, a pair, or pairs per motor; by default those of the description."""
    n = len(robot.motors)
    if efforts is None:
        most = [robot.joint(j).limits.effort for j in robot.motors]
        missing = [name for name, value in zip(robot.motor_names, most, strict=True) if value is None]
        if missing:
            raise InputError(
                f"efforts: expected bounds, because the description has no effort limits of {', '.join(missing)}"
            )
        high = np.array(most, dtype=float)
        return -high, high
    given = numbers("efforts", efforts)
    if given.ndim == 0:
        low, high = np.full(n, -abs(float(given))), np.full(n, abs(float(given)))
    elif given.shape in ((2,), (n, 2)):
        low, high = (np.broadcast_to(part, (n,)).astype(float) for part in np.moveaxis(given, -1, 0))
    else:
        raise InputError(f"efforts: expected a number, [low, high] or {n} such pairs, found the shape {given.shape}")
    if (low >= high).any():
        raise InputError("efforts: expected lower bounds below the upper ones")
    return low, high
