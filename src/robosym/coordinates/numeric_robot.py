"""A robot with numbers for all symbols: poses of its frames, Jacobians, and positions in which its loops are closed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

import numpy as np

from robosym.algebra import numeric_value, symbols
from robosym.algebra.generic import random_arrays, random_numbers
from robosym.algebra.once import cached_property
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import CLOSED, SINGULAR
from robosym.coordinates.closed_samples import assembled_parallelograms
from robosym.coordinates.closing import Closing
from robosym.errors import InputError, Pass, closest
from robosym.mechanism import GEOMETRY, Robot
from robosym.mechanism.elements import length_entries
from robosym.mechanism.path import path
from robosym.spatial.numeric import shortest_way

__all__ = ["Given", "NumericRobot", "Position", "joint_values"]

Position = Mapping[str, float]  #: a value for each joint variable, rad or m
Given = Position | Sequence[float] | Array | None
_TURN = 1.4  #: rad, how far an unlimited joint turns in a random position
_STARTS = 240  #: from which loops are tried to be closed
_JUMP = 0.8  #: rad that a joint turns in one step at most, unless another assembly mode was met


class NumericRobot:
    """A robot in joint coordinates with numeric geometry; `values` are those of its symbols.

    A position holds every joint by variable, cut joints included, with the loops closed.
    """

    def __init__(self, robot: Robot, values: Mapping[str, float] | None = None) -> None:
        self.values = dict(values or {})
        robot = robot.to_closed()
        robot = robot.with_values(self.values) if self.values else robot
        entries = [getattr(frame, name) for frame in robot.frames for name in GEOMETRY]
        unknown = [name for name in symbols(entries) if name not in robot.variables]
        if unknown:
            raise InputError(
                f"{robot.name}: the parameter {unknown[0]} has no value",
                hint=("give one with ", Pass("values")),
                code="E404",
            )
        self.robot = robot
        self.names = tuple(robot.variable(j) for j in robot.tree_joints)
        self.closing = Closing(robot, tuple(assembled_parallelograms(robot).values()) if robot.loops else ())
        self._gaps = self.closing.gaps
        self._at_zero = self._gaps.at_zero({})
        self.reach = _reach(robot)

    @cached_property
    def movable(self) -> tuple[int, ...]:
        """The independent joints: the motors of a closed robot, all but the coupled joints of an open one."""
        robot = self.robot
        free = [j for j in robot.tree_joints if robot.variable(j) not in robot.couplings]
        motors = tuple(j for j in free if robot.frame(j).mu)
        return motors if robot.loops and motors else tuple(free)

    @cached_property
    def motors(self) -> tuple[str, ...]:
        """The variables of these joints."""
        return tuple(self.robot.variable(j) for j in self.movable)

    def slides(self, j: int) -> bool:
        return not self.robot.frame(j).joint_type.turns

    def range_of(self, j: int, value: float, reach: float | None = None) -> tuple[float, float]:
        """Return the limits of a joint; without limits one turn, or plausible lengths around its value."""
        limits, reach = self.robot.joint(j).limits, self.reach if reach is None else reach
        low, high = (min(0.0, 2 * value), max(0.3 * reach, 2 * value)) if self.slides(j) else (-math.pi, math.pi)
        low = low if limits.lower is None else max(limits.lower, -4 * math.pi)
        high = high if limits.upper is None else min(limits.upper, 4 * math.pi)
        return min(low, value), max(high, value)

    # ------------------------------------------------------------------ positions

    def at(self, q: Given) -> dict[str, float]:
        """Return the position with the joints q, by name or in order; for a closed robot, motors suffice."""
        if q is None:
            return dict(self.start)
        given = joint_values(self.robot, q)
        values = self.coupled(self.home() | given)
        if not self.robot.loops:
            return values
        fixed = [j for j in self.robot.tree_joints if self.robot.variable(j) in given]
        return self.closing.with_cut(values) if len(fixed) == len(self.names) else self.closed(values, fixed)

    def closed(self, values: Position, fixed: Sequence[int] = ()) -> dict[str, float]:
        """Return the position with the loops closed from these values, with joints `fixed` unchanged.

        An error is raised if a loop stays open. In an open robot, coupled joints follow.
        """
        if not self.robot.loops:
            return self.coupled(values)
        start = dict.fromkeys((name for name in self.robot.variables if name), 0.0) | dict(values)
        found, gap = self.closing.move(start, fixed)
        if gap > CLOSED:
            raise InputError(
                f"{self.robot.name}: the loops stay open, {self.closing.widest(found)}: give other joint positions"
            )
        return found

    def coupled(self, values: Position) -> dict[str, float]:
        """Return the position with the coupled joints computed."""
        return {**values, **{name: coupling.value(values) for name, coupling in self.robot.couplings.items()}}

    def whole(self, joints: Position, here: Position) -> dict[str, float]:
        """Return all joints from some of them; the others stay as in `here`, or close to it if loops move them."""
        known = {name: value for name, value in joints.items() if name in self.robot.variables}
        if not self.robot.loops:
            return self.coupled({**here, **known})
        fixed = [j for j, name in zip(self.robot.tree_joints, self.names, strict=True) if name in known]
        values = self.closing.with_cut({name: here[name] for name in self.names} | known)
        return values if len(fixed) == len(self.names) else self.closing.move(values, fixed)[0]

    def gap(self, joints: Position) -> float:
        """Largest gap of the loops, in m and rad."""
        return float(np.abs(self.closing.gap(joints)).max(initial=0.0)) if self.robot.loops else 0.0

    def is_overdriven(self, joints: Position) -> bool:
        """Return whether a closed robot has more motors than DoF, so that no motor can move alone."""
        return bool(self.robot.loops) and self.rates(joints).shape[1] < len(self.movable)

    def home(self) -> dict[str, float]:
        """Return the position of the description, or zero if it has none; its loops may be open."""
        reference = {**dict.fromkeys(self.names, 0.0), **self.robot.position, **self.robot.picture}
        return {name: value for name, value in reference.items() if name in self.robot.variables}

    @property
    def has_position(self) -> bool:
        """Whether the description contains positions of joints."""
        return bool({*self.robot.position, *self.robot.picture} & {*self.names})

    @cached_property
    def start(self) -> Position:
        """The position of the description or, for a closed robot without one, the most regular of many closed ones."""
        if not self.robot.loops:
            return self.coupled(self.home())
        start = dict.fromkeys((name for name in self.robot.variables if name), 0.0) | self.home()
        motors = tuple(j for j in self.robot.tree_joints if self.robot.frame(j).mu)
        for fixed in (motors, ()) if self.has_position else ():
            found, gap = self.closing.move(start, fixed)
            if gap <= CLOSED:
                return found
        trials = self.random_positions(_STARTS)
        trials[0] = [start[name] for name in self.names]
        cut = len(self._gaps.names) - len(self.names)
        ends, gaps = self.closing.settle(start, np.hstack([trials, np.zeros((_STARTS, cut))]))
        closed = np.flatnonzero(gaps <= CLOSED)
        if not len(closed):
            raise InputError(
                f"{self.robot.name}: the loops cannot be closed with these lengths",
                hint=("give ", Pass("values"), " that fit together, ", Pass("q"),
                      ", or position: and picture: in the description"),
            )  # fmt: skip
        best = min(closed, key=lambda k: self._oddness(ends[k]))
        return start | self._gaps.named(_wrapped(ends[best]))

    def _oddness(self, q: Array) -> float:
        """Return a penalty of an assembly for large rotations, negative strokes and different motor positions."""
        frames = [self.robot.frame(j) for j in self.robot.tree_joints]
        slides = np.array([not frame.joint_type.turns for frame in frames], dtype=bool)  # of none as well
        motors = np.array([bool(frame.mu) for frame in frames], dtype=bool)
        tree = q[: len(slides)]
        pushed = tree[slides & motors] / self.reach
        odd = 20 * float((pushed < 0).sum()) + 10 * float(np.std(pushed)) if len(pushed) else 0.0
        turned = np.abs(shortest_way(tree[~slides]))
        return odd + float(turned.sum()) / max(1, len(turned))

    def random_positions(self, count: int) -> Array:
        """Return reproducible positions (count, tree joints) within the limits, with open loops."""
        rng = random_arrays("postures of a picture")
        ranges = []
        for j, limits in zip(self.robot.tree_joints, self.robot.joint_limits, strict=True):
            slides = self.robot.frame(j).joint_type.slides
            low, high = (0.3 * self.reach, 0.7 * self.reach) if slides else (-_TURN, _TURN)
            low = low if limits.lower is None else max(low, limits.lower)
            high = high if limits.upper is None else min(high, limits.upper)
            ranges.append((min(low, high), max(low, high)))
        return np.array([[rng.uniform(*one) for one in ranges] for _ in range(count)]).reshape(count, len(self.names))

    def starts(self, here: Position, count: int, near: float | None = None) -> Iterator[dict[str, float]]:
        """Return at most `count` closed positions, random or within `near` of this one; some trials may fail."""
        robot, draw = self.robot, random_numbers("starts of a search")
        for _ in range(count):
            tried = dict(here)
            for j, name in zip(robot.tree_joints, self.names, strict=True):
                around = self.reach if self.slides(j) else math.pi
                low, high = tried[name] - around, tried[name] + around
                low, high = self.range_of(j, tried[name]) if j in self.movable else (low, high)
                tried[name] = draw.uniform(low, high) if near is None else tried[name] + draw.uniform(-near, near)
            with suppress(InputError):
                yield self.closed(tried)

    def jumps(self, before: Position, after: Position) -> bool:
        """Return whether a joint moved so far that the assembly mode may have changed; full turns are ignored."""
        turning = (name for j, name in zip(self.robot.tree_joints, self.names, strict=True) if not self.slides(j))
        return any(abs(math.remainder(after[name] - before[name], 2 * math.pi)) > _JUMP for name in turning)

    def same(self, one: Position, other: Position, tolerance: float) -> bool:
        """Return whether two positions differ by full turns only."""
        for j, name in zip(self.robot.tree_joints, self.names, strict=True):
            apart = one[name] - other[name]
            if abs(apart if self.slides(j) else math.remainder(apart, 2 * math.pi)) > tolerance:
                return False
        return True

    # ------------------------------------------------------------------ poses and rates

    def poses(self, joints: Position) -> Array:
        """Return 0Tj of every frame, frame 0 first, shape (frames + 1, 4, 4)."""
        return np.asarray(self._gaps.poses(self._at_zero, self._gaps.position(joints))[0])

    def poses_of_tree(self, q: Array) -> Array:
        """Return the poses (m, frames + 1, 4, 4) at positions (m, tree joints), cut joints at 0."""
        cut = len(self._gaps.names) - len(self.names)
        return self._gaps.poses(self._at_zero, np.hstack([q, np.zeros((len(q), cut))]))

    def columns(self, poses: Array, frame: int) -> Array:
        """Return the matrix (6, joints) from tree joint rates to the twist of a frame, at its origin in frame 0."""
        places = {j: k for k, j in enumerate(self.robot.tree_joints)}
        moving = [j for j in path(self.robot, 0, frame)[1] if j in places]
        J = np.zeros((6, len(places)))
        J[:, [places[j] for j in moving]] = self._gaps.twists(poses[None], poses[None, frame, :3, 3], moving)[0]
        return J

    def rates(self, joints: Position, cut: bool = False) -> Array:
        """Return a basis of the tree joint rates that loops and couplings allow, by columns.

        With `cut`, the rates of the cut joints follow below.
        """
        if self.robot.loops:
            return self.closing.velocities(joints, cut)
        free = [name for name in self.names if name not in self.robot.couplings]
        N = np.array([[float(name == other) for other in free] for name in self.names]).reshape(-1, len(free))
        for name, coupling in self.robot.couplings.items():
            for other, ratio in coupling.ratios.items():
                N[self.names.index(name)] += ratio * N[self.names.index(other)]
        return N

    def jacobian(self, joints: Position, frame: int) -> Array:
        """Return the Jacobian (6, n) of a frame with respect to the independent joints that affect it."""
        J, N = self.columns(self.poses(joints), frame), self.rates(joints)
        rows = [self.robot.tree_joints.index(j) for j in self.movable]
        columns = J @ N @ np.linalg.pinv(N[rows], rcond=SINGULAR)
        used = np.abs(columns).max(axis=0) > SINGULAR * max(1.0, float(np.abs(columns).max(initial=0.0)))
        return np.asarray(columns if self.robot.loops else columns[:, used])

    def manipulability(self, joints: Position, frame: int) -> float:
        """Return sqrt(det(J J^T)) of a frame, or sqrt(det(J^T J)) if fewer than six joints move it."""
        J = self.jacobian(joints, frame)
        return float(np.prod(np.linalg.svd(J, compute_uv=False))) if J.size else 0.0


def _reach(robot: Robot) -> float:
    """Return an upper bound of distances in the robot: the sum of all lengths, or four times the longest."""
    entries = length_entries(robot.frames)
    lengths = sorted(abs(number) for number in map(numeric_value, entries) if number)
    return min(sum(lengths), 4 * lengths[-1]) or 1.0 if lengths else 1.0


def _wrapped(q: Array) -> Array:
    """Return angles within one turn; lengths stay unchanged."""
    return shortest_way(q, np.abs(q) > 2 * math.pi)


def joint_values(robot: Robot, q: Given) -> dict[str, float]:
    """Return numbers by joint variable from a mapping of variables or names, or an array of all joints or motors."""
    joints = robot.tree_joints
    if isinstance(q, Mapping):
        known = {name: robot.variable(j) for name, j in zip(robot.joint_names, joints, strict=True)}
        known |= {name: name for name in robot.variables if name}
        for name in q:
            if name not in known:
                raise InputError(f"q: {robot.name} has no joint {name}{closest(name, known)}")
        values = {known[name]: _number(value) for name, value in q.items()}
    else:
        array = _array(q)
        motors = [j for j in joints if robot.frame(j).mu]
        wanted = {len(joints): list(joints)} if not robot.loops else {len(motors): motors, len(joints): list(joints)}
        if array.ndim != 1 or len(array) not in wanted:
            sizes = " or ".join(
                f"{size} ({', '.join(robot.variable(j) for j in which)})" for size, which in wanted.items()
            )
            raise InputError(f"q: expected joint positions, {sizes}, found an array of shape {array.shape}")
        values = {robot.variable(j): float(value) for j, value in zip(wanted[len(array)], array, strict=True)}
    for name, value in values.items():
        if not math.isfinite(value):
            raise InputError(f"q: {name}: expected a finite number, found {value!r}")
    return values


def _array(q: object) -> Array:
    try:
        return np.asarray(q, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"q: expected numbers, found {q!r}") from None


def _number(value: object) -> float:
    array = _array(value)
    return float(array.reshape(-1)[0]) if array.size == 1 else math.nan
