"""Poses of a platform from some of its coordinates: those that depend on them are computed.

Coordinates are x, y, z of the platform's origin and roll, pitch, yaw of R = Rz(yaw) Ry(pitch) Rx(roll) R0, where R0 is
the orientation of a start pose, by default that of the reference position. A platform with fewer than six degrees of
freedom takes the rest of its pose from its legs: a five-bar robot its orientation from x and y.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.arrays import numbers
from robosym.algebra.generic import random_arrays
from robosym.algebra.newton import Damping, Equations, levenberg_marquardt
from robosym.algebra.samples import Array
from robosym.algebra.subspaces import independent_columns
from robosym.algebra.tolerances import CLOSED, EXACTLY, SINGULAR, TIGHTLY
from robosym.coordinates.legs import Legs
from robosym.coordinates.many_starts import Search, closed_at, coordinates_of
from robosym.coordinates.platform_poses import LegEnds, pose_matrices, pose_rows, poses_given
from robosym.coordinates.pose_inputs import COORDINATES, PoseInputs, check_names, natural_coordinates
from robosym.coordinates.reference import Reference, numeric_reference, remembered
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.runtime import Compiled
from robosym.solve.leg_joints import leg_joints
from robosym.spatial.numeric import screws, shortest_way

__all__ = ["COORDINATES", "PoseCoordinates", "coordinate_names", "platform_pose", "poses_of", "start_pose"]

_DAMPING = Damping(first=1e-6, less=10, more=10, least=1e-16, most=1e8)
_ROUNDS = 40
_STEPS = 6  #: from the reference to a pose
_PASSES = 12  #: from solved poses to their neighbors
_RANDOM, _BUDGET = 24, 4000  #: random starts of a pose, and of all poses together
_CHUNK = 16384  #: poses checked together
_TIGHTLY = 1e-8  #: meters and radians between a leg and the platform in a pose that is returned


def platform_pose(
    robot: Robot,
    x: ArrayLike | None = None,
    y: ArrayLike | None = None,
    z: ArrayLike | None = None,
    roll: ArrayLike | None = None,
    pitch: ArrayLike | None = None,
    yaw: ArrayLike | None = None,
    pose: ArrayLike | None = None,
    modes: Sequence[int] | None = None,
) -> Array:
    """Return the poses (..., 12) of a platform with these coordinates, completed by those that depend on them.

    Coordinates are numbers or arrays that broadcast. Those that are neither given nor dependent are taken from `pose`.

    Parameters
    ----------
    robot
        Robot with a platform.
    x, y, z
        Origin of the platform in frame 0, in m.
    roll, pitch, yaw
        Angles of R = Rz(yaw) Ry(pitch) Rx(roll) R0, in rad.
    pose
        Pose (12 entries) that gives R0 and the coordinates that are left out. Default: the reference position.
    modes
        Branch of each leg, from 0. Default: the branches of the reference position.

    Returns
    -------
    ndarray
        Poses (..., 12): R row by row, then the origin. Rows of a batch that the legs do not allow are NaN.

    Raises
    ------
    InputError
        If the legs do not allow the pose.

    Examples
    --------
    >>> import robosym as rs
    >>> rs.platform_pose(rs.load("delta"), x=0.1, z=-0.8).shape
    (12,)
    """
    given = {n: v for n, v in zip(COORDINATES, (x, y, z, roll, pitch, yaw), strict=True) if v is not None}
    values = {name: numbers(name, value) for name, value in given.items()}
    try:
        shape = np.broadcast_shapes(*(value.shape for value in values.values()))
    except ValueError:
        found = ", ".join(f"{name} {value.shape}" for name, value in values.items())
        raise InputError(f"coordinates: expected arrays that broadcast, found {found}") from None
    flat = {name: np.broadcast_to(value, shape).ravel() for name, value in values.items()}
    coordinates = PoseCoordinates(robot, modes)
    rows = coordinates.poses(flat, start_pose(robot, pose, coordinates.reference))
    if shape == () and not np.isfinite(rows).all():
        what = ", ".join(f"{name} = {float(value):.6g}" for name, value in values.items())
        message = f"{robot.name}: the legs allow no pose with {what} in their branches; it is out of reach"
        hint = "angles that are left out are computed where the legs determine them" if len(values) > 3 else ""
        raise InputError(message, hint=hint)
    return rows.reshape(*shape, 12)


def coordinate_names(robot: Robot, count: int, word: str = "pose") -> tuple[str, ...]:
    """Return the names of `count` numbers of a pose: the free coordinates if there are as many, or else x, y, z, .."""
    reference = numeric_reference(robot)
    free = natural_coordinates(reference)
    if reference is not None and count == len(free):
        return free
    if count not in (3, 6):
        some = "" if reference is None or len(free) in (3, 6) else f"{len(free)} ({', '.join(free)}), "
        raise InputError(f"{word}: expected {some}12, 3 or 6 numbers per pose, found {count}", code="E403")
    return COORDINATES[:count]


def poses_of(robot: Robot, poses: ArrayLike | Mapping[str, ArrayLike], modes: Sequence[int] | None = None) -> Array:
    """Return poses (..., 12) from poses, matrices (..., 4, 4), coordinates by name, or the free ones as columns."""
    given: Mapping[str, ArrayLike] | None = poses if isinstance(poses, Mapping) else None
    if given is None:
        array = numbers("poses", poses)
        if array.shape[-2:] == (4, 4) or array.shape[-1:] in ((12,), (), (0,)) or array.ndim == 0:
            return poses_given(array)
        names = coordinate_names(robot, array.shape[-1], "poses")
        given = dict(zip(names, np.moveaxis(array, -1, 0), strict=True))
    check_names(given)
    rows = platform_pose(robot, **given, modes=modes)
    lost: Array = np.asarray(~np.isfinite(rows).all(axis=-1))
    if lost.any():  # out of reach: a pose with these coordinates that no leg reaches
        flat = {
            name: np.broadcast_to(np.asarray(value, dtype=float), lost.shape)[lost] for name, value in given.items()
        }
        rows[lost] = PoseCoordinates.strict(flat, start_pose(robot, None, numeric_reference(robot)))
    return rows


def start_pose(robot: Robot, pose: ArrayLike | Mapping[str, ArrayLike] | None, reference: Reference | None) -> Array:
    """Return one pose (12,): the given one, the reference position, or the identity if there is none."""
    if pose is not None:
        start = poses_of(robot, pose)
        if start.ndim != 1:
            raise InputError(f"pose: expected one pose (12,) or (4, 4), found an array of shape {start.shape}")
        return start
    if reference is not None:
        return np.array([*reference.samples[0].pose_values.values()])
    return pose_rows(np.eye(4))


class PoseCoordinates:
    """The poses of a robot by coordinates, its legs in the branches of the reference position or of `modes`."""

    def __init__(self, robot: Robot, modes: Sequence[int] | None = None) -> None:
        if not isinstance(robot, Robot) or robot.structure != "parallel":
            kind = (
                "a robot of several modules: pass one of them" if getattr(robot, "modules", ()) else "no parallel robot"
            )
            raise InputError(f"{getattr(robot, 'name', robot)!r} is {kind}; expected a parallel robot")
        legs = Legs(robot, ("pose",), ("parameters",), modes, vectors=False)
        self.robot, self.reference = legs.robot, legs.reference
        self.bound = self.reference is not None and self.reference.freedom < 6  #: whether coordinates depend on others

    def poses(self, given: Mapping[str, Array], start: Array) -> Array:
        """Return poses (n, 12) from arrays (n,), NaN where a constrained platform has no pose."""
        strict = self.strict(given, start)
        if not self.bound:
            return strict
        assert self.reference is not None
        closed = self._closed(tuple(given), start)
        if closed is not None and len(strict):
            return np.asarray(closed(pose=np.stack(list(given.values()), axis=1)))
        return _Dependent(self.robot, self.reference, given, start, strict).rows

    def _closed(self, names: tuple[str, ...], start: Array) -> Compiled | None:
        """Return the closed form of the poses in these coordinates as machine code, or None if there is none."""

        def made() -> Compiled | None:
            try:
                inputs = PoseInputs(self.robot, names, None, start)
            except InputError:
                return None  # other coordinates are given
            return None if inputs.explicit or not inputs.closed else inputs.model.compile()

        found: Compiled | None = remembered(self.robot, f"pose from {names} {start.tobytes().hex()}", made)
        return found

    @staticmethod
    def strict(given: Mapping[str, Array], start: Array) -> Array:
        """Return poses whose other coordinates are those of the start."""
        count = len(next(iter(given.values()))) if given else 1
        rows = np.empty((count, 12))
        rows[:] = start
        for place, name in enumerate(COORDINATES[:3]):
            if name in given:
                rows[:, 9 + place] = given[name]
        turned = [(axis, name) for axis, name in enumerate(COORDINATES[3:]) if name in given]
        if turned:
            R = np.broadcast_to(np.eye(3), (count, 3, 3))
            for axis, name in reversed(turned):
                R = R @ screws(axis, given[name], 0.0)[..., :3, :3]
            rows[:, :9] = (R @ np.reshape(start[:9], (3, 3))).reshape(count, 9)
        return rows


class _Dependent:
    """Poses of a platform with fewer than six degrees of freedom: legs closed at given values of some coordinates."""

    def __init__(
        self, robot: Robot, reference: Reference, given: Mapping[str, Array], start: Array, strict: Array
    ) -> None:
        self.robot, self.reference = robot, reference
        self._legs, self._ends = leg_joints(robot), LegEnds(robot)
        self.rows = np.full(strict.shape, np.nan)
        for k in range(0, len(strict), _CHUNK):
            part = np.arange(k, min(k + _CHUNK, len(strict)))
            self._accept(part, strict[part])
        if reference.freedom + len(reference.still) == 6:
            return  # the other coordinates are constant: no other pose has these coordinates
        self.start = pose_matrices(start)
        self.names = self._held(given)
        self.places = [COORDINATES.index(name) for name in self.names]
        self.targets = coordinates_of(pose_matrices(strict), self.start)[:, self.places]
        for k, name in enumerate(self.names):
            if name in given:
                self.targets[:, k] = given[name]
        self.search = Search(robot)
        gaps = self.search.gaps
        self._geometry = gaps.geometry(reference.joints_of_loops)
        self._first = gaps.position(reference.joints_of_loops)[0]
        self.q = np.tile(self._first, (len(strict), 1))
        self._solve()

    def _held(self, given: Mapping[str, Array]) -> list[str]:
        """Return the given coordinates, and the others that they leave free, in order."""
        samples = self.reference.samples
        twists = samples[min(1, len(samples) - 1)].twists
        order = [*given, *(name for name in COORDINATES if name not in given)]
        kept, _ = independent_columns(twists[[COORDINATES.index(name) for name in order]].T, SINGULAR)
        return [name for k, name in enumerate(order) if name in given or k in kept]

    def _accept(self, which: Array, rows: Array) -> Array:
        """Keep poses that the legs allow in their branches."""
        with np.errstate(all="ignore"):
            joints = self._legs.joints_at({"pose": np.ascontiguousarray(rows)}, ordered=True)
            finite = np.isfinite(joints).all(axis=-1) & np.isfinite(rows).all(axis=-1)
            good = finite & (self._ends.gaps(rows, np.nan_to_num(joints), {}).max(axis=1) < _TIGHTLY)
        self.rows[which[good]] = rows[good]
        return np.asarray(good)

    @property
    def _left(self) -> Array:
        return np.flatnonzero(~np.isfinite(self.rows).all(axis=1))

    def _solve(self) -> None:
        if len(self._left):
            self._try(self._left, np.tile(self._first, (len(self._left), 1)), _STEPS)
        tried = np.full(len(self.rows), -1)
        for _ in range(_PASSES):  # outward from the solved poses
            left, solved = self._left, np.flatnonzero(np.isfinite(self.rows).all(axis=1))
            if not len(left) or not len(solved):
                break
            near = np.array(
                [solved[np.abs(self.targets[solved] - goal).max(axis=1).argmin()] for goal in self.targets[left]]
            )
            new = near != tried[left]  # from a neighbor that was not there before
            tried[left] = near
            if not new.any() or not self._try(left[new], self.q[near[new]], 2):
                break
        draw = random_arrays("poses of a platform")
        for _ in range(min(_RANDOM, _BUDGET // max(len(self._left), 1))):
            left = self._left
            if not len(left):
                break
            starts = np.tile(self._first, (len(left), 1)) + draw.normal(0, 1, (len(left), len(self._first)))
            self._try(left, starts, 1)

    def _try(self, which: Array, starts: Array, steps: int) -> int:
        """Close the legs at the targets from positions of the joints, and return the number of poses found."""
        begin = coordinates_of(self._platform(starts), self.start)[:, self.places]
        way = self.targets[which] - begin
        turning = [place > 2 for place in self.places]
        way = shortest_way(way, turning)
        q, residual = starts, np.full(len(which), np.inf)
        for part in range(1, steps + 1):
            goals = begin + way * part / steps
            q, left = levenberg_marquardt(self._equations(goals), q, _DAMPING, EXACTLY, _ROUNDS, settled=TIGHTLY)
            residual = np.abs(left).max(axis=1)
        closed = np.flatnonzero(residual < CLOSED)
        if not len(closed):
            return 0
        good = self._accept(which[closed], pose_rows(self._platform(q[closed])))
        self.q[which[closed[good]]] = q[closed[good]]
        return int(good.sum())

    def _platform(self, q: Array) -> Array:
        return self.search.platform(q, {})

    def _equations(self, goals: Array) -> Equations:
        return closed_at(self.search, self._geometry, goals, self.places, self.start)
