"""The reference position in numbers: poses of the legs, motion of the platform and constant coordinates.

Rows, pivots and zeros of the models of a parallel robot are decided at samples in the operation mode of the
reference, so that other operation modes of the same legs have no influence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from robosym.algebra import symbols
from robosym.algebra.generic import random_arrays
from robosym.algebra.linear.regular import Sizes
from robosym.algebra.once import cached_property
from robosym.algebra.samples import Array
from robosym.algebra.subspaces import best_rows, null_space, rank
from robosym.algebra.tolerances import CLOSED, SINGULAR, TINY, ZERO
from robosym.coordinates.closing import Closing
from robosym.coordinates.first_guess import first_guess, moved_from_guess
from robosym.coordinates.platform_motion import POSE
from robosym.errors import InputError
from robosym.mechanism import GEOMETRY, Robot
from robosym.mechanism.numeric_tree import NumericTree, frame_matrix
from robosym.spatial.numeric import rigid_inverse

__all__ = ["WARNED", "Reference", "Sample", "numeric_reference", "remembered"]

_SAMPLES = 4
_STEP = 0.15  #: how far the samples lie from the reference, in rad and m, along the motions that are free
_PARTS = 6  #: number of steps on the way to a sample
_CORRECTED = 0.5  #: a larger correction of a part of the way, in parts of it, is a jump
WARNED = "warned of its reference"  #: key under which a warning about the reference position of a robot is remembered


@dataclass(frozen=True)
class Sample:
    """A position: joint values, the platform's pose, and the twists of its origin by each leg's joints, in frame 0."""

    joints: dict[str, float]
    pose: Array
    jacobians: tuple[Array, ...]  #: (6, joints) of each leg

    @property
    def twists(self) -> Array:
        """A basis (6, freedom) of the platform's twists that every leg allows."""
        walls = [null_space(J.T) for J in self.jacobians]
        return null_space(np.hstack(walls).T) if sum(w.shape[1] for w in walls) else np.eye(6)

    @property
    def pose_values(self) -> dict[str, float]:
        entries = (*self.pose[:3, :3].ravel(), *self.pose[:3, 3])
        return dict(zip(POSE, map(float, entries), strict=True))


def numeric_reference(robot: Robot) -> Reference | None:
    """Return the reference of a robot with numeric geometry; None if it has symbols or no reference."""
    found: Reference | None = remembered(robot, "reference", lambda: _numeric_reference(robot))
    return found


def remembered(robot: Robot, what: str, make: Callable[[], Any], place: str = "_made") -> Any:
    """Return a derived object of a robot, computed once: descriptions are immutable.

    Objects stored at "_derivations" are not pickled.
    """
    known = vars(robot).setdefault(place, {})
    if what not in known:
        known[what] = make()
    return known[what]


def in_numbers(robot: Robot) -> bool:
    """Return whether the geometry has no symbols except the joint variables."""
    held = set(robot.variables)
    lengths = (getattr(frame, name) for frame in robot.frames for name in GEOMETRY)
    return all(name in held for name in symbols(lengths))


def watched_sizes(robot: Robot, values: Mapping[str, float]) -> Sizes:
    """Return magnitudes in one position; singular poses of a numeric geometry are reported."""
    return Sizes((values,), divisors={} if in_numbers(robot) else None)


def _numeric_reference(robot: Robot) -> Reference | None:
    given = robot.position or robot.module.reference_pose is not None
    return Reference(robot) if given and in_numbers(robot) else None


class Reference:
    """Samples of the positions around the reference, the reference first."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        closing = Closing(robot.closed_at(robot.position))
        values, gap = closing.move(first_guess(robot))
        if gap > CLOSED:
            raise InputError(
                f"{robot.name}: position: the legs do not meet the platform near this position, the gap is {gap:.3g}: "
                "give joint values nearer to a position in which they do"
            )
        self._closing, self._start = closing, values
        self._first = self.at_position(values)
        self.moved, self.remarks = moved_from_guess(robot, self._first.joints, self._first.pose)
        self._sides: dict[int, tuple[Array, float]] = {}
        self.samples = [self._first, *self.around(_SAMPLES - 1)]
        self._check()

    @property
    def joints_of_loops(self) -> dict[str, float]:
        """The reference position in joint coordinates, including cut joints."""
        return dict(self._start)

    def informative_samples(self, leg: int) -> list[Sample]:
        """Return samples that show the branch of a leg: the reference, or around it if it is singular.

        A step away from it may cross a fold of the leg; a step across two folds is not detected.
        """
        sizes = np.linalg.svd(self._first.jacobians[leg], compute_uv=False)
        return self.samples if sizes[-1] > SINGULAR * sizes[0] else [*self.samples[1:], self._first]

    def around(self, count: int, number: int = 0) -> list[Sample]:
        """Return at most `count` positions near the reference, in its mode; `number` selects another random set."""
        closing, values = self._closing, self._start
        rng = random_arrays("positions of a parallel robot", number)
        free = closing.velocities(values)
        tree = free.shape[0]
        found: list[Sample] = []
        for _ in range(8 * count):
            if len(found) == count or not free.shape[1]:
                break
            step = free @ rng.normal(size=free.shape[1])
            step *= _STEP * rng.uniform(0.3, 1) / max(float(np.abs(step).max()), TINY)
            moved = self._followed(step, tree)
            if moved is None:
                continue
            sample = self.at_position(moved)
            if all(self._on_this_side(leg, J) for leg, J in enumerate(sample.jacobians)):
                found.append(sample)
        return found

    def _followed(self, step: Array, tree: int) -> dict[str, float] | None:
        """Return the position after a step of the tree's joints, or None where the legs do not close or jump.

        The step is taken in small parts along the free motions: a long one could end in another operation mode.
        """
        closing, names = self._closing, self._closing.gaps.names
        values = dict(self._start)
        for _ in range(_PARTS):
            free = closing.velocities(values, cut=True)
            along = np.linalg.lstsq(free[:tree], step / _PARTS, rcond=None)[0]
            part = free @ along
            tried = values | {name: values[name] + float(d) for name, d in zip(names, part, strict=True)}
            closed, gap = closing.move(tried)
            away = max(abs(closed[name] - tried[name]) for name in names)
            if gap > CLOSED or away > _CORRECTED * max(float(np.abs(part).max()), TINY):
                return None
            values, step = closed, (free @ along)[:tree] * _PARTS
        return values

    def _on_this_side(self, leg: int, J: Array) -> bool:
        """Return whether a leg is in the working mode of the reference, without a stretched position between."""
        if leg not in self._sides:
            first = self._first.jacobians[leg]
            rest = null_space(first.T)
            square = first.shape[1] + rest.shape[1] == 6
            self._sides[leg] = (rest, float(np.linalg.det(np.hstack([first, rest]))) if square else 0.0)
        rest, side = self._sides[leg]
        return side == 0 or float(np.linalg.det(np.hstack([J, rest]))) * side > 0

    def at_position(self, values: dict[str, float]) -> Sample:
        """Return the sample at joint values that close the legs."""
        robot = self.robot
        tree = NumericTree(robot.leg_tree)
        frames = tree.poses(tree.at_zero(values), tree.position(values))
        pose = frames[:, robot.legs[0][-1]] @ rigid_inverse(frame_matrix(robot.places[0], {}))
        jacobians = []
        for numbers in robot.legs:
            joints = [j for j in numbers if robot.frame(j).is_joint]
            J = dict(zip(joints, tree.twists(frames, pose[:, :3, 3], joints)[0].T, strict=True))
            for j, (rod, way) in robot.followers.items():
                if j in J:
                    J[rod] = J[rod] + way * J.pop(j)
            jacobians.append(np.array(list(J.values())).T)
        return Sample({name: values[name] for name in robot.variables if name}, pose[0], tuple(jacobians))

    def _check(self) -> None:
        freedom, nearby = self.freedom, [sample.twists.shape[1] for sample in self.samples[1:]]
        if any(other != freedom for other in nearby):
            raise InputError(
                f"{self.robot.name}: position: the platform has {freedom} degrees of freedom there and {min(nearby)} "
                "nearby: the reference position is singular, give another"
            )
        if not freedom:
            raise InputError(
                f"{self.robot.name}: the legs leave the platform no degree of freedom at the reference position"
            )
        given = self.robot.module.freedom
        if given is not None and given != freedom:
            raise InputError(f"{self.robot.name}: freedom: {given} is given, {freedom} found at the reference position")
        self._check_singular()

    def _check_singular(self) -> None:
        """Check that no leg is stretched at the reference (type 1) and that the motors hold the platform (type 2)."""
        robot, (first, *others) = self.robot, self.samples
        for leg, J in enumerate(first.jacobians):
            if others and rank(J, SINGULAR) < min(rank(sample.jacobians[leg], SINGULAR) for sample in others):
                raise InputError(
                    f"{robot.name}: position: leg {leg + 1} can move there while the platform is at rest, stretched "
                    "out or folded: the reference position is singular (type 1), give another"
                )
        if len(robot.motors) < self.freedom:
            return
        held = [rank(self._motor_rows(sample), SINGULAR) for sample in self.samples]
        if max(held) < self.freedom:
            raise InputError(
                f"{robot.name}: the platform has {self.freedom} degrees of freedom, and {self.freedom - max(held)} of "
                f"them while all {len(robot.motors)} motors are at rest: drive other joints (mu = 1) "
                "or change the geometry"
            )
        if held[0] < max(held):
            raise InputError(
                f"{robot.name}: position: the platform can move there while all motors are at rest: the reference "
                "position is singular (type 2), give another"
            )

    def _motor_rows(self, sample: Sample) -> Array:
        """Return the motor velocities per free motion of the platform, with rows of length 1."""
        rows = []
        for numbers, J in zip(self.robot.legs, sample.jacobians, strict=True):
            joints = [j for j in numbers if self.robot.frame(j).is_joint and j not in self.robot.followers]
            rates = np.linalg.pinv(J, rcond=SINGULAR) @ sample.twists
            rows += [rates[k] for k, j in enumerate(joints) if self.robot.frame(j).mu]
        table = np.array(rows)
        return np.asarray(table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), TINY))

    def at_point(self, sample: Sample, leg: int) -> Array:
        """Return the velocities (3, joints) of the end point of a leg per joint rate, in frame 0."""
        J = sample.jacobians[leg]
        arm = sample.pose[:3, :3] @ frame_matrix(self.robot.places[leg], {})[:3, 3]
        return np.asarray(J[:3] + np.cross(J[3:].T, arm).T)

    @property
    def freedom(self) -> int:
        """Degrees of freedom of the platform."""
        return int(self.samples[0].twists.shape[1])

    @property
    def sizes(self) -> Sizes:
        """Values of entries at the samples, which are all in one mode; singular poses are reported."""
        return Sizes([sample.pose_values for sample in self.samples[1:] or self.samples], one_mode=True, divisors={})

    @cached_property
    def coordinates(self) -> tuple[int, ...]:
        """The first components of the twist that determine the others in every sample."""
        return best_rows([sample.twists for sample in self.samples], self.freedom)

    @property
    def bound(self) -> list[int]:
        """The other components of the twist, which follow from them."""
        free = self.coordinates
        return [r for r in range(6) if r not in free]

    @cached_property
    def basis(self) -> list[Array]:
        """The matrix E (6, freedom) of each sample, which gives the twist from its coordinates."""
        rows = list(self.coordinates)
        return [sample.twists @ np.linalg.inv(sample.twists[rows]) for sample in self.samples]

    @cached_property
    def constant_basis(self) -> Array | None:
        """E, where it is the same everywhere."""
        first = self.basis[0]
        if any(np.abs(E - first).max() > ZERO for E in self.basis):
            return None
        return np.where(np.abs(first - np.round(first)) < ZERO, np.round(first), first)

    @cached_property
    def still(self) -> frozenset[int]:
        """Components of the twist that are zero in every position."""
        return frozenset(r for r in range(6) if all(np.abs(E[r]).max() < ZERO for E in self.basis))

    @cached_property
    def constants(self) -> dict[str, float]:
        """Entries of the pose that have the same value in every position."""
        first = self.samples[0].pose_values
        same = {n: v for n, v in first.items() if all(abs(s.pose_values[n] - v) < ZERO for s in self.samples)}
        return {n: float(round(v)) if abs(v - round(v)) < ZERO else v for n, v in same.items()}
