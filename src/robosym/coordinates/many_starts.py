"""Numerical poses of any parallel robot: its legs are closed by Newton's method from many starting points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from robosym.algebra import symbols
from robosym.algebra.generic import random_arrays
from robosym.algebra.newton import Damping, Equations, levenberg_marquardt
from robosym.algebra.once import cached_property
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import CLOSED, SAME
from robosym.coordinates.closing import Closing
from robosym.coordinates.gaps import Geometry
from robosym.coordinates.platform_poses import PlatformPoses, pose_rows
from robosym.errors import InputError
from robosym.mechanism import GEOMETRY, Robot
from robosym.mechanism.numeric_tree import NumericTree, frame_matrix
from robosym.spatial.numeric import displacement, rigid_inverse, shortest_way

__all__ = ["Search", "closed_at", "coordinates_of"]

_BATCH, _FEWEST, _MOST = 150, 3, 16  #: starts at once; batches without a new pose that end the search; batches at most
_MANY = 128  #: more poses than any robot has: the platform moves while the motors do not
_DAMPING = Damping(first=1e-4, less=10, more=10, least=1e-16, most=1e10)
_GOAL, _ROUNDS = 1e-13, 80
_PASSIVE = 1e-3  #: how much less the passive joints count than the motors, where a leg can meet the platform twice
_NEARBY = 0.2  #: how far positions around the reference are from it, as the norm of the joints
_MET = 1e-7  #: closer than this, in m and rad, a leg meets the platform
_TRIES = 30  #: starts for the joints of a leg at a given pose


class Search:
    """The legs of a parallel robot as loops; the platform is part of the first leg."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.closing = Closing(robot.closed_at(robot.position))
        self.gaps = self.closing.gaps
        self._legs = NumericTree(robot.leg_tree)
        closed, motors = self.closing.robot, robot.motor_names
        self._columns = [self.gaps.names.index(name) for name in motors]
        self._held = [self.gaps.joints[column] for column in self._columns]
        self._last = len(robot.legs[0])  # the first leg keeps its numbers
        self.turning = np.array([closed.frame(j).joint_type.turns for j in self.gaps.joints])
        geometry = [getattr(f, n) for f in (*closed.frames, *robot.places) for n in GEOMETRY]
        self.parameters = tuple(name for name in symbols(geometry) if name not in self.gaps.names)

    @cached_property
    def reference(self) -> dict[str, float]:
        """Joint values of the reference position, also if the description gives it as a pose of the platform."""
        posed = self.robot.module.reference_pose is not None
        return self.robot.closed_position() if posed else dict(self.robot.position)

    def platform(self, q: Array, values: Mapping[str, float]) -> Array:
        """Return the poses of the platform (m, 4, 4)."""
        poses = self.gaps.poses(self.gaps.geometry(values).frames, q)[:, self._last]
        return np.asarray(poses @ rigid_inverse(frame_matrix(self.robot.places[0], values)))

    def _starts(self, draw: np.random.Generator, q: Array, values: Mapping[str, float]) -> Array:
        """Return random positions with given motors; the reference position comes first if there is one."""
        lengths = self.gaps.geometry(values).frames[[1, 3, 5]]
        size = max(
            float(np.abs(lengths).sum(axis=0).max()), float(np.abs(q[~self.turning[self._columns]]).max(initial=0))
        )
        far = np.where(self.turning, np.pi, 2 * size)
        starts = draw.uniform(-far, far, (_BATCH, len(far)))
        starts[0] = [self.reference.get(name, 0.0) for name in self.gaps.names]
        starts[:, self._columns] = q
        return starts

    def solve(self, q: Array, values: Mapping[str, float]) -> PlatformPoses:
        draw = random_arrays("poses of a platform")
        found: list[Array] = []
        errors: list[float] = []
        idle = 0
        for _ in range(_MOST):
            positions, left = self.closing.settle(values, self._starts(draw, q, values), self._held)
            closed = left < CLOSED
            rows = pose_rows(self.platform(positions[closed], values))
            before = len(found)
            for row, error in zip(rows, left[closed], strict=True):
                if all(np.abs(row - other).max() > SAME * max(1.0, float(np.abs(row).max())) for other in found):
                    found.append(row)
                    errors.append(float(error))
            idle = idle + 1 if len(found) == before else 0
            if idle >= _FEWEST:
                break
            if len(found) > _MANY:
                raise InputError(
                    f"{self.robot.name}: the platform can move while these motors are locked: the position is "
                    "singular, or the motors do not determine it"
                )
        poses = np.array(found).reshape(-1, 12)
        return PlatformPoses.of(poses, np.array(errors), np.zeros(len(found), dtype=bool), "from many random starts")

    def around_reference(self) -> Array:
        """Return platform poses (m, 4, 4) at and near the reference position; single motions come first."""
        start = dict.fromkeys(self.gaps.names, 0.0) | self.reference
        values, left = self.closing.move(start)
        if left > CLOSED:
            raise InputError(f"{self.robot.name}: the legs do not meet the platform near the reference position")
        free = self.closing.velocities(values).T
        steps = np.concatenate([free, -free, free + np.roll(free, 1, axis=0)])
        positions = np.repeat(self.gaps.position(values), 1 + len(steps), axis=0)
        positions[1:, : steps.shape[1]] += _NEARBY * steps
        positions, gaps = self.closing.settle(values, positions)
        return self.platform(positions[gaps < CLOSED], values)

    def near(self, q: Array, pose: Array, values: Mapping[str, float]) -> Array:
        """Return the pose (4, 4) for these motors that is reached from the given pose."""
        draw = random_arrays("poses of a platform")
        starts = dict(zip(self.gaps.names, self._starts(draw, q, values)[:_TRIES].T, strict=True))
        for leg in range(len(self.robot.legs)):
            starts |= self.leg_at(leg, pose, values, starts)[0]
        position = np.array([[starts[name] for name in self.gaps.names]])
        position[:, self._columns] = q
        position, left = self.closing.settle(values, position, self._held)
        if left[0] > CLOSED:
            raise InputError(
                f"{self.robot.name}: the legs do not meet near the given pose for these motors: "
                f"the smallest gap is {left[0]:.2g}"
            )
        return np.asarray(self.platform(position, values)[0])

    def joints_at(self, q: Array, pose: Array, values: Mapping[str, float]) -> dict[str, float] | None:
        """Return all leg joints at a platform pose (4, 4) with the motors as given; None if they do not reach it."""
        draw, motors = random_arrays("poses of a platform"), self.robot.motor_names
        starts = dict(zip(self.gaps.names, self._starts(draw, q, values)[:_TRIES].T, strict=True))
        joints = dict(zip(motors, map(float, q), strict=True))
        for leg in range(len(self.robot.legs)):
            found, left = self.leg_at(leg, pose, values, starts, motors)
            if not left < _MET:
                return None
            joints |= found
        return joints

    def leg_at(
        self, leg: int, pose: Array, values: Mapping[str, float], starts: Mapping[str, Array],
        still: Sequence[str] = (), passive: float = _PASSIVE, positive: Sequence[str] = (),
    ) -> tuple[dict[str, float], float]:  # fmt: skip
        """Return the joints of a leg that meets the platform in a pose or comes closest, and the residual.

        Among several solutions, the one nearest to the first start is returned, with the weight `passive` for passive
        joints. Solutions in which the joints `positive` are positive are preferred.
        """
        legs, numbers = self._legs, self.robot.legs[leg]
        at_zero = legs.at_zero(values)
        own = [(column, j) for column, j in enumerate(legs.joints) if j in numbers and legs.names[column] not in still]
        held = np.array([starts[name].flat[0] if name in still else 0.0 for name in legs.names])
        columns = [column for column, _ in own]
        goal = pose @ frame_matrix(self.robot.places[leg], values)

        def equations(x: Array, _: Array) -> tuple[Array, Array]:
            full = np.tile(held, (len(x), 1))
            full[:, columns] = x
            frames = legs.poses(at_zero, full)
            T = frames[:, numbers[-1]]
            rates = legs.twists(frames, T[:, :3, 3], [j for _, j in own])
            return displacement(np.broadcast_to(goal, T.shape), T), rates

        names = [legs.names[column] for column in columns]
        first = np.stack([starts[name] for name in names], axis=1)
        found, left = levenberg_marquardt(equations, first, _DAMPING, _GOAL, _ROUNDS)
        size = np.abs(left).max(axis=1)
        good = np.flatnonzero(size <= max(10 * float(size.min()), CLOSED))
        upright = (found[good][:, [name in positive for name in names]] > 0).all(axis=1)
        good = good[upright] if upright.any() else good
        wanted = np.array([starts[name][0] for name in names])  # the reference, and the motors as they are
        away = found[good] - wanted
        turning = [self.robot.frame(j).joint_type.only_turns for _, j in own]
        away = shortest_way(away, turning)
        weight = np.where([name in self.robot.motor_names for name in names], 1.0, passive)
        best = found[good[np.abs(away * weight).max(axis=1).argmin()]]
        return dict(zip(names, map(float, best), strict=True)), float(size.min())


_UPRIGHT = 1e-9  #: the least cosine of the pitch for which rates of roll and yaw are distinguished


def closed_at(search: Search, geometry: Geometry, goals: Array, places: Sequence[int], start: Array) -> Equations:
    """Return equations for Newton's method: loop gaps, and coordinates minus goals (n, coordinates)."""
    gaps, robot = search.gaps, search.robot
    leg = [j for j in robot.legs[0] if robot.frame(j).is_joint]  # its numbers are those of the closed robot
    columns = [gaps.joints.index(j) for j in leg]
    turning = [place > 2 for place in places]

    def equations(x: Array, starts: Array) -> tuple[Array, Array]:
        gap, slope = gaps.linearized(geometry, x)
        T = search.platform(x, {})
        twists = np.zeros((len(x), 6, x.shape[1]))
        twists[..., columns] = gaps.twists(gaps.poses(geometry.frames, x), T[:, :3, 3], leg)
        here = coordinates_of(T, start)
        away = here[:, places] - goals[starts]
        away = shortest_way(away, turning)
        twists[:, 3:] = _angle_rates(here) @ twists[:, 3:]
        return np.concatenate([gap, away], axis=1), np.concatenate([slope, twists[:, places]], axis=1)

    return equations


def coordinates_of(T: Array, start: Array) -> Array:
    """Return x, y, z, roll, pitch, yaw (n, 6) of matrices (n, 4, 4)."""
    R = T[:, :3, :3] @ start[:3, :3].T
    roll, yaw = np.arctan2(R[:, 2, 1], R[:, 2, 2]), np.arctan2(R[:, 1, 0], R[:, 0, 0])
    pitch = np.arctan2(-R[:, 2, 0], np.hypot(R[:, 0, 0], R[:, 1, 0]))
    return np.column_stack([T[:, :3, 3], roll, pitch, yaw])


def _angle_rates(coordinates: Array) -> Array:
    """Return the matrix from the angular velocity in frame 0 to the rates of roll, pitch, yaw (n, 3, 3)."""
    pitch, yaw = coordinates[:, 4], coordinates[:, 5]
    cy, sy, cp = np.cos(yaw), np.sin(yaw), np.cos(pitch)
    cp = np.where(np.abs(cp) < _UPRIGHT, _UPRIGHT, cp)
    tp, zero = np.sin(pitch) / cp, np.zeros_like(pitch)
    rows = [[cy / cp, sy / cp, zero], [-sy, cy, zero], [cy * tp, sy * tp, zero + 1]]
    return np.moveaxis(np.array(rows), -1, 0)
