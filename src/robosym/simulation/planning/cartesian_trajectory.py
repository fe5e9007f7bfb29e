"""Trajectories of a frame along lines and arcs, with one time law for position and orientation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra import Expr, Graph
from robosym.algebra.arrays import Array, numbers
from robosym.algebra.matrix import sum_of
from robosym.algebra.tolerances import ORTHONORMAL
from robosym.errors import InputError, Pass, closest
from robosym.formats.pose_texts import poses_from
from robosym.mechanism import Robot
from robosym.model import Layout, Model
from robosym.model.groups import declare
from robosym.model.naming import entry_name
from robosym.simulation.planning.curve_model import TIME, at_least, curve_entries
from robosym.simulation.planning.joint_efforts import JointEfforts
from robosym.simulation.planning.joint_trajectory import JointTrajectory
from robosym.simulation.planning.piecewise import PiecewisePolynomial, spline
from robosym.simulation.planning.pose_segments import PoseSegment, segment_between
from robosym.simulation.planning.time_laws import POLYNOMIALS, PROFILES, InverseLimits, fastest_law
from robosym.solve import inverse_geometry
from robosym.table_files import write_columns

__all__ = ["CartesianState", "CartesianTrajectory", "cartesian_trajectory"]

Law = Literal["cubic", "quintic", "septic", "trapezoidal", "double_s"]
_LINEAR = ("velocity", "acceleration", "jerk")
_ANGULAR = tuple(f"angular_{name}" for name in _LINEAR)
_UNIT = 1e-3  #: error of the length of a quaternion, as files often have few digits
_ROUNDING = 1e-9  #: part by which a given duration may be below the least
_COLUMNS = ("R11", "R12", "R13", "R21", "R22", "R23", "R31", "R32", "R33", "PX", "PY", "PZ")


class CartesianState(NamedTuple):
    """Pose, twist and acceleration (linear, then angular) in the axes of the given poses."""

    T: Array
    twist: Array
    acceleration: Array


@dataclass(frozen=True, eq=False, repr=False)
class CartesianTrajectory:
    """Motion of a frame, returned by `cartesian_trajectory`.

    Attributes
    ----------
    law : str
        Time law, such as "double_s".
    t : ndarray, shape (poses,)
        Times in s at which the frame is at rest in the given poses.
    """

    law: str
    t: Array
    segments: tuple[PoseSegment, ...]
    laws: tuple[PiecewisePolynomial, ...]  #: parameter of each segment over the time since its start

    @property
    def period(self) -> float:
        """Duration in s."""
        return float(self.t[-1])

    def at(self, t: ArrayLike) -> CartesianState:
        """Evaluate the motion.

        Parameters
        ----------
        t : float or array_like
            Times in s; the frame is at rest before the start and after the end.

        Returns
        -------
        CartesianState
            Named tuple (T, twist, acceleration): poses (..., 4, 4), linear then angular velocity (..., 6), and the same
            of the acceleration.
        """
        times = numbers("t", t)
        flat = np.atleast_1d(times).ravel()
        T, rates, changes = np.tile(np.eye(4), (len(flat), 1, 1)), np.zeros((len(flat), 6)), np.zeros((len(flat), 6))
        place = np.clip(np.searchsorted(self.t, flat, side="right") - 1, 0, len(self.segments) - 1)
        for k in np.unique(place):
            rows = place == k
            segment = self.segments[k]
            s, speed, change = (part[:, 0] for part in self.laws[k].at(flat[rows] - self.t[k], 3))
            path = segment.at(s, np.cos, np.sin)
            slope, bend = np.stack(path.slope, axis=-1), np.stack(path.bend, axis=-1)
            T[rows, :3, 3] = np.stack(path.position, axis=-1)
            T[rows, :3, :3] = np.stack([np.stack(row, axis=-1) for row in path.rotation], axis=-2)
            turn = segment.turn
            rates[rows] = np.concatenate([slope * speed[:, None], speed[:, None] * turn], axis=1)
            linear = slope * change[:, None] + bend * speed[:, None] ** 2
            changes[rows] = np.concatenate([linear, change[:, None] * turn], axis=1)
        shape = times.shape
        return CartesianState(T.reshape(*shape, 4, 4), rates.reshape(*shape, 6), changes.reshape(*shape, 6))

    def times(self, rate: float = 100.0) -> Array:
        """Return evenly spaced times from zero to the end, including both.

        Parameters
        ----------
        rate : float
            Samples per second.

        Returns
        -------
        ndarray
            Times in s.

        Raises
        ------
        InputError
            If the rate is not positive.
        """
        if not (np.isfinite(rate) and rate > 0):
            raise InputError(f"rate: expected a positive number of samples per second, found {rate!r}")
        return np.linspace(0, self.period, max(2, round(self.period * rate) + 1))

    def write(self, path: str | Path, rate: float = 100.0) -> CartesianTrajectory:
        """Write a CSV table with t, the pose (R row by row, then P) and the twist.

        Parameters
        ----------
        path : str or Path
            File to write.
        rate : float
            Samples per second.

        Returns
        -------
        CartesianTrajectory
            The motion itself.
        """
        t = self.times(rate)
        T, twist, _ = self.at(t)
        entries = np.concatenate([T[:, :3, :3].reshape(-1, 9), T[:, :3, 3]], axis=1)
        columns = dict(zip(_COLUMNS, entries.T, strict=True)) | {"twist": twist}
        write_columns(path, {"t": t, **columns})
        return self

    def joints(
        self, robot: Robot, start: ArrayLike | None = None, rate: float = 200.0, frame: int | str | None = None,
        limits: object = None, parameters: Mapping[str, float] | None = None,
    ) -> JointTrajectory:  # fmt: skip
        """Return the motion of the joints of an arm that moves a frame along this motion.

        Parameters
        ----------
        robot : Robot
            Serial robot whose joints the pose determines.
        start : array_like, optional
            Joint positions near which the motion starts. Default: any solution.
        rate : float
            Poses per second that are solved; a cubic spline connects them.
        frame : int or str, optional
            Frame that moves. Default: the last one.
        limits : object, optional
            Position limits of the joints, or "robot" for those of the description; see `InverseGeometry.follow`.
        parameters : mapping of str to float, optional
            Values of symbols of the robot.

        Returns
        -------
        JointTrajectory
            The motion of the joints.

        Raises
        ------
        InputError
            If a pose is out of reach, or the joints would jump.
        """
        t = self.times(rate)
        found = inverse_geometry(robot, frame=frame).follow(self.at(t).T, start, parameters, limits=limits)
        if found.unreachable:
            raise InputError(
                f"joints: expected poses within reach, found one out of reach at {t[found.unreachable[0]]:.4g} s"
            )
        if not found.continuous:
            raise InputError(
                f"joints: expected a motion without jumps, found one at {t[found.jumps[0]]:.4g} s: the path crosses a "
                "singular position, or the start is far away"
            )
        curve = spline(t, found.q, 3, "rest")
        return JointTrajectory(robot.name, found.joints, self.law, curve, robot, JointEfforts(robot, parameters))

    def model(self) -> Model:
        """Return the motion as a model with the time as input, which `compose` connects to a control law.

        Returns
        -------
        Model
            Input "time" (s), outputs "T" (4x4), "twist" (6) and "acceleration" (6).

        Examples
        --------
        >>> import robosym as rs
        >>> line = rs.cartesian_trajectory([[0, 0, 0, 1, 0, 0, 0], [1, 0, 0, 1, 0, 0, 0]], duration=2)
        >>> line.model().compile()(time=[1.0]).T[:3, 3].round(9).tolist()
        [0.5, 0.0, 0.0]
        """
        graph, inputs = Graph(), {TIME: (TIME,)}
        declare(graph, inputs)
        poses, twists, changes = _entries(self, graph.symbol(TIME))
        layout = tuple(tuple(entry_name("T", r, c) for c in range(1, 5)) for r in range(1, 5))
        names = [*"V1 V2 V3 W1 W2 W3".split()]
        last = [graph.zero] * 3 + [graph.one]
        definitions = {
            n: e for names_, row in zip(layout, [*poses, last], strict=True) for n, e in zip(names_, row, strict=True)
        }
        definitions |= dict(zip(names, twists, strict=True))
        accelerations = [name.replace("V", "VP").replace("W", "WP") for name in names]
        definitions |= dict(zip(accelerations, changes, strict=True))
        outputs: dict[str, Layout] = {"T": layout, "twist": tuple(names), "acceleration": tuple(accelerations)}
        about = {
            "T": "pose: a 4x4 matrix, row by row (1, m)", "twist": "velocity: linear, then angular (m/s, rad/s)",
            "acceleration": "acceleration: linear, then angular (m/s^2, rad/s^2)",
        }  # fmt: skip
        title = f"Trajectory of a frame, {self.law}"
        return Model("frame", "trj", title, inputs, outputs, definitions, graph, about=about)

    def __repr__(self) -> str:
        return f"<CartesianTrajectory: {self._sentence()}>"

    def __str__(self) -> str:
        lines = [self._sentence(), "", f"{'segment':<8}{'path':>8}{'length, m':>14}{'angle, rad':>14}{'time, s':>14}"]
        for k, (segment, took) in enumerate(zip(self.segments, np.diff(self.t), strict=True), 1):
            kind = "line" if segment.center is None else "arc"
            lines.append(f"{k:<8}{kind:>8}{segment.length:14.6g}{segment.angle:14.6g}{took:14.6g}")
        return "\n".join(lines)

    def _sentence(self) -> str:
        return f"{self.law}, {len(self.segments)} segments, {self.period:.6g} s"


def _entries(motion: CartesianTrajectory, t: Expr) -> tuple[list[list[Expr]], list[Expr], list[Expr]]:
    """Return pose, twist and acceleration as expressions; each segment contributes between its ends."""
    graph = t.graph
    parts = []
    reached = [at_least(t, float(start)) for start in motion.t[:-1]]
    for k, (segment, law) in enumerate(zip(motion.segments, motion.laws, strict=True)):
        (s,), (speed,), (change,) = curve_entries(law, t - float(motion.t[k]))
        path = segment.at(s, lambda x: graph.function("cos", x), lambda x: graph.function("sin", x))
        within = (1 if k == 0 else reached[k]) - (reached[k + 1] if k + 1 < len(reached) else 0)
        pose = [[within * x for x in (*row, p)] for row, p in zip(path.rotation, path.position, strict=True)]
        twist = [within * x for x in (*(d * speed for d in path.slope), *(float(w) * speed for w in segment.turn))]
        linear = [d * change + b * speed * speed for d, b in zip(path.slope, path.bend, strict=True)]
        parts.append((pose, twist, [within * x for x in (*linear, *(float(w) * change for w in segment.turn))]))

    def total(terms: Sequence[Any]) -> Expr:
        found: Expr = graph.zero + sum_of(terms)
        return found

    poses = [[total([part[0][r][c] for part in parts]) for c in range(4)] for r in range(3)]
    twists, changes = ([total([part[g][r] for part in parts]) for r in range(6)] for g in (1, 2))
    return poses, twists, changes


def cartesian_trajectory(
    poses: object,
    law: Law = "quintic",
    limits: Mapping[str, float] | None = None,
    duration: float | None = None,
    via: Mapping[int, ArrayLike] | None = None,
) -> CartesianTrajectory:
    """Return a trajectory of a frame along lines and arcs between poses, at rest in each pose.

    Parameters
    ----------
    poses : array_like or path
        Poses (m, 4, 4), or rows of position and quaternion w x y z (m, 7); or a .csv or .json file of poses.
    law : str, optional
        Time law: `cubic`, `quintic`, `septic` polynomials; `trapezoidal` velocity; `double_s` with limited jerk.
    limits : mapping, optional
        Limits of `velocity` (m/s), `acceleration`, `jerk`, `angular_velocity` (rad/s), `angular_acceleration` and
        `angular_jerk`.
    duration : float, optional
        Duration in s. Default: the shortest within the limits, by the law on lines.
    via : mapping of int to array_like, optional
        Intermediate point of each arc, by number of the segment from 1. The other segments are lines.

    Returns
    -------
    CartesianTrajectory
        The motion: `at(t)`, `period`, `joints(robot)`, `model()`, `write`.

    Raises
    ------
    InputError
        If an argument is invalid, or the duration is too short for the limits.

    Notes
    -----
    The orientation takes the shorter rotation between two quaternions, in proportion to the length of the path. On
    arcs, the sum of tangential and centripetal acceleration is within its limit.

    Examples
    --------
    >>> import robosym as rs
    >>> poses = [[0.4, 0, 0.3, 1, 0, 0, 0], [0.4, 0.2, 0.3, 1, 0, 0, 0], [0.2, 0.4, 0.3, 0, 0, 0, 1]]
    >>> limits = {"velocity": 0.5, "acceleration": 2, "angular_velocity": 3, "angular_acceleration": 10}
    >>> motion = rs.cartesian_trajectory(poses, "trapezoidal", limits, via={2: [0.35, 0.35, 0.3]})
    >>> [round(segment.length, 3) for segment in motion.segments]
    [0.2, 0.328]
    """
    if law not in get_args(Law):
        raise InputError(
            f"law: expected one of {', '.join(get_args(Law))}, found {law!r}{closest(str(law), get_args(Law))}"
        )
    if duration is not None and not (isinstance(duration, (int, float)) and 0 < duration < np.inf):
        raise InputError(f"duration: expected a positive number of seconds, found {duration!r}")
    rows = _limits(limits)
    if not limits and duration is None:
        raise InputError("limits: expected limits of velocity or acceleration, found none",
                         hint=("pass ", Pass("limits", {"velocity": None}), " or ", Pass("duration")))  # fmt: skip
    matrices = _poses(poses)
    segments = _segments(matrices, via or {})
    laws = [_law(segment, law, rows, bool(limits), k) for k, segment in enumerate(segments, 1)]
    least = sum(curve.breaks[-1] for curve in laws)
    if duration is not None:
        if limits and duration < least * (1 - _ROUNDING):
            raise InputError(
                f"duration: expected at least {least:.6g} s, which the limits need, found {duration:.6g} s"
            )
        laws = [curve.scaled(duration / least) for curve in laws]
    t = np.concatenate([[0.0], np.cumsum([curve.breaks[-1] for curve in laws])])
    return CartesianTrajectory(law, t, tuple(segments), tuple(laws))


def _limits(given: Mapping[str, float] | None) -> list[Array]:
    """Return the limits of length and angle, one row per derivative."""
    known = (*_LINEAR, *_ANGULAR)
    for name, value in (given or {}).items():
        if name not in known:
            raise InputError(
                f"limits: unknown name {name!r}{closest(str(name), known)}; expected one of {', '.join(known)}"
            )
        if not float(numbers(f"limits: {name}", value, (), finite=False)) > 0:
            raise InputError(f"limits: {name}: expected a positive number, found {value!r}")
    values = [[float((given or {}).get(name, np.inf)) for name in pair] for pair in zip(_LINEAR, _ANGULAR, strict=True)]
    return [np.array(row) for row in values]


def _poses(given: object) -> Array:
    if isinstance(given, (str, Path)):
        rows: Array = poses_from([str(given)])
        if np.isnan(rows).any():
            raise InputError(f"{given}: expected poses with an orientation, found positions")
    else:
        rows = numbers("poses", given)
    if rows.ndim == 2 and rows.shape[1] == 7:
        rows = np.array([_of_quaternion(row, k) for k, row in enumerate(rows, 1)])
    if rows.ndim != 3 or rows.shape[1:] != (4, 4) or len(rows) < 2:
        raise InputError(f"poses: expected at least two poses (m, 4, 4) or rows (m, 7), found the shape {rows.shape}")
    for k, T in enumerate(rows, 1):
        R = T[:3, :3]
        if np.abs(R @ R.T - np.eye(3)).max() > ORTHONORMAL or np.linalg.det(R) < 0:
            raise InputError(f"poses: pose {k}: expected a rotation matrix")
    return rows


def _of_quaternion(row: Array, number: int) -> Array:
    T = np.eye(4)
    T[:3, 3] = row[:3]
    size = float(np.linalg.norm(row[3:]))
    if abs(size - 1) > _UNIT:
        raise InputError(f"poses: pose {number}: expected a quaternion of length 1, found {size:g}")
    w, x, y, z = row[3:] / size
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    T[:3, :3] += 2 * w * K + 2 * K @ K
    return T


def _segments(poses: Array, via: Mapping[int, ArrayLike]) -> list[PoseSegment]:
    count = len(poses) - 1
    for k in via:
        if k not in range(1, count + 1):
            raise InputError(f"via: expected the number of a segment from 1 to {count}, found {k!r}")
    points = {k: numbers(f"via: segment {k}", point, (3,)) for k, point in via.items()}
    return [
        segment_between(a, b, points.get(k), f"via: segment {k}" if k in points else f"poses: pose {k + 1}")
        for k, (a, b) in enumerate(pairwise(poses), 1)
    ]


def _law(segment: PoseSegment, law: str, limits: Sequence[Array], limited: bool, number: int) -> PiecewisePolynomial:
    """Return the parameter of a segment over time, within limits; without limits, at constant average speed."""
    ways = np.array([segment.length, segment.angle])
    rows = list(limits)
    if not limited:
        rows[0] = np.ones(2)
        if law in PROFILES:  # a third of the time each, or seven equal phases
            rows[1:] = [np.full(2, 4.5), np.full(2, 32.0 * 4.5)]
    slow = InverseLimits.over(ways, rows)
    needed = {"trapezoidal": "acceleration", "double_s": "jerk"}.get(law)
    lacks = not any(slow) if law in POLYNOMIALS else not getattr(slow, str(needed))
    if lacks:
        what = needed or "velocity"
        name = what if segment.length else f"angular_{what}"
        raise InputError(f"limits: segment {number}: expected a limit of {name}, found none",
                         hint=("pass ", Pass("limits", {name: None})))  # fmt: skip
    curve = fastest_law(law, slow)
    if segment.curvature:
        curve = curve.scaled(_stretch_on_arc(segment, curve, rows))
    return curve


def _stretch_on_arc(segment: PoseSegment, curve: PiecewisePolynomial, limits: Sequence[Array]) -> float:
    """Return the factor of time that keeps the total acceleration and jerk on an arc within limits."""
    V, A, J = (float(np.abs(curve.derivative(order).peaks()).max()) * segment.length for order in (1, 2, 3))
    bent = segment.curvature
    acceleration = float(np.hypot(A, bent * V**2)) / float(limits[1][0])
    jerk = float(np.hypot(J + bent**2 * V**3, 3 * bent * V * A)) / float(limits[2][0])
    return float(max(1.0, acceleration ** (1 / 2), jerk ** (1 / 3)))
