"""Trajectories of joints through given positions: time laws, splines and blends, within limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.arrays import Array, numbers
from robosym.coordinates.accepts import ALL, accepts
from robosym.errors import InputError, Pass, closest
from robosym.mechanism import Robot
from robosym.model import Model
from robosym.simulation.motion_limits import MotionLimits, motion_limits
from robosym.simulation.motions import State, sampled_motion
from robosym.simulation.planning.blended_lines import blended_lines
from robosym.simulation.planning.curve_model import model_of_curve
from robosym.simulation.planning.joint_efforts import JointEfforts
from robosym.simulation.planning.piecewise import PiecewisePolynomial, spline
from robosym.simulation.planning.time_laws import (
    InverseLimits,
    fastest_law,
    joined,
    merged,
    stretch_for,
)
from robosym.simulation.planning.timed_motion import TimedMotion
from robosym.simulation.planning.torque_stretch import torque_stretch

__all__ = ["JointTrajectory", "joint_trajectory"]

Law = Literal[
    "cubic", "quintic", "septic", "trapezoidal", "double_s", "cubic_spline", "quintic_spline", "septic_spline", "blends"
]
_SPLINES: dict[str, Literal[3, 5, 7]] = {"cubic_spline": 3, "quintic_spline": 5, "septic_spline": 7}
_DERIVATIVES = {"velocity": "qd", "acceleration": "qdd", "jerk": "jerk"}
_ROUNDING = 1e-9  #: part by which a given time may exceed a limit


@dataclass(frozen=True, eq=False, repr=False)
class JointTrajectory(TimedMotion):
    """Motion of joints in polynomials of time, returned by `joint_trajectory`.

    Attributes
    ----------
    name : str
        Name of the robot.
    joints : tuple of str
        Names of the independent joints, in the order of q.
    law : str
        Time law, such as "quintic".
    t : ndarray, shape (pieces + 1,)
        Times in s at which the polynomials change.
    """

    name: str
    joints: tuple[str, ...]
    law: str
    curve: PiecewisePolynomial
    robot: Robot
    efforts: JointEfforts

    @property
    def t(self) -> Array:
        """Times at which the polynomials change."""
        return self.curve.breaks

    @property
    def period(self) -> float:
        """Duration in s."""
        return float(self.curve.breaks[-1])

    def at(self, t: ArrayLike) -> State:
        """Evaluate the motion.

        Parameters
        ----------
        t : float or array_like
            Times in s; the robot is at rest before the start and after the end.

        Returns
        -------
        State
            Named tuple (q, qd, qdd) of the joints `joints`, in rad or m, and s.
        """
        return State(*self.curve.at(numbers("t", t), 3))

    def peaks(self) -> dict[str, tuple[Array, Array]]:
        """Return the exact lowest and highest position, velocity, acceleration and jerk of each joint.

        Returns
        -------
        dict of str to (ndarray, ndarray)
            Lowest and highest values by quantity.
        """
        words = ("position", *_DERIVATIVES)
        return {word: self.curve.derivative(order).peaks() for order, word in enumerate(words)}

    def torques(self, t: ArrayLike) -> Array:
        """Return the motor torques at times.

        Parameters
        ----------
        t : float or array_like
            Times in s.

        Returns
        -------
        ndarray
            Torques in N m or N, with one more axis than `t`.

        Raises
        ------
        InputError
            If the base is mobile, the robot has contacts, or a symbol has no value.
        """
        times = numbers("t", t)
        self.efforts.start()
        order = np.argsort(times.ravel(), kind="stable")
        q, qd, qdd = self.at(times.ravel()[order])
        found = np.empty(q.shape)
        found[order] = self.efforts.at(self.efforts.all_joints(q), qd, qdd)
        return found.reshape(*times.shape, -1)

    def model(self) -> Model:
        """Return the motion as a model with the time as input, which `compose` connects to a control law.

        Returns
        -------
        Model
            Input "time" (s), outputs "q", "qd" and "qdd".

        Examples
        --------
        >>> import robosym as rs
        >>> motion = rs.joint_trajectory("planar2r", [[0, 0], [1, 0.5]], duration=2)
        >>> motion.model().compile()(time=[1.0]).q.round(3).tolist()
        [0.5, 0.25]
        """
        return model_of_curve(self.curve, self.name, f"Trajectory, {self.law}", self.robot)

    def _sentence(self) -> str:
        return f"{self.law}, {len(self.joints)} joints, {len(self.curve.coefficients)} pieces, {self.period:.6g} s"

    @property
    def _title(self) -> str:  # type: ignore[override]
        return f"Trajectory of {self.name}"

    @property
    def _rate(self) -> float:  # type: ignore[override]
        return 500 / self.period

    def __repr__(self) -> str:
        return f"<JointTrajectory of {self.name}: {self._sentence()}>"

    def __str__(self) -> str:
        width = max(5, *map(len, self.joints))
        peaks = {word: np.maximum(-low, high) for word, (low, high) in self.peaks().items() if word != "position"}
        lines = [f"{self.name}: {self._sentence()}", "", "largest absolute values"]
        lines.append(f"{'joint':<{width}}" + "".join(f"  {word:>12}" for word in peaks))
        for k, name in enumerate(self.joints):
            lines.append(f"{name:<{width}}" + "".join(f"  {values[k]:12.6g}" for values in peaks.values()))
        return "\n".join(lines)


@accepts("floating", motors=ALL, platform=ALL, modules=ALL, contacts=ALL)
def joint_trajectory(
    robot: Robot,
    points: object,
    law: Law = "quintic",
    limits: Mapping[str, ArrayLike] | str | Path | None = None,
    duration: float | None = None,
    times: ArrayLike | None = None,
    synchronized: bool = True,
    parameters: Mapping[str, float] | None = None,
) -> JointTrajectory:
    """Return a trajectory of the joints through positions, from rest to rest, as fast as its law and limits allow.

    Parameters
    ----------
    robot : Robot
        Robot on any base.
    points : array_like, file or motion
        Positions of the independent joints, shape (positions, joints), at least two; of a closed robot these are the
        active joints, of a platform its motors. Or a .csv file with columns t, q1 .., whose times are ignored.
    law : str, optional
        Polynomials that stop at each position (`cubic`, `quintic`, `septic`); profiles that stop at each position
        (`trapezoidal` velocity, `double_s` with limited jerk); splines that pass through all positions (`cubic_spline`,
        `quintic_spline`, `septic_spline`); or straight lines with rounded corners near the positions (`blends`).
    limits : mapping or path of a YAML file, optional
        Limits with the keys `velocity`, `acceleration`, `jerk` and `torque`: a number, one per joint, or lower and
        upper limits. Default: the limits in the description.
    duration : float, optional
        Duration in s. Default: the shortest within the limits.
    times : array_like, optional
        Times in s of the positions of a spline, from 0. Default: proportional to the times that each part needs at the
        velocity limits.
    synchronized : bool, optional
        Move all joints in proportion, on straight lines between the positions; otherwise each joint moves as fast as
        it can. Splines and blends are always synchronized.
    parameters : mapping of str to float, optional
        Values of symbols of the robot, for limits of torque.

    Returns
    -------
    JointTrajectory
        The motion: `at(t)`, `period`, `peaks()`, `torques(t)`, `model()`, `write`, `plot`.

    Raises
    ------
    InputError
        If an argument is invalid, or a given time is too short for the limits.

    Notes
    -----
    Velocity, acceleration and jerk are polynomials, so that their extrema are exact. Limits of torque hold at 2,000
    times at least: a part that exceeds them is slowed down. Those of the description do not
    apply to robots on a mobile base or with contacts. A floating base moves freely from rest.
    A law that jumps in acceleration (cubic, trapezoidal, blends without a limit of jerk) has infinite jerk.

    Examples
    --------
    >>> import robosym as rs
    >>> limits = {"velocity": 2, "acceleration": 8, "jerk": 60}
    >>> motion = rs.joint_trajectory("planar2r", [[0, 0], [1, 0.5], [0, 1]], "double_s", limits)
    >>> motion.joints, round(motion.period, 3)
    (('t1', 't2'), 1.767)
    """
    if law not in get_args(Law):
        raise InputError(
            f"law: expected one of {', '.join(get_args(Law))}, found {law!r}{closest(str(law), get_args(Law))}"
        )
    efforts = JointEfforts(robot, parameters)
    permitted = motion_limits(efforts.robot, limits, efforts.joints, needed=(), jerk=True)
    _check(robot, law, permitted, limits, duration, times)
    rows = _positions(points, efforts.names)
    lower, upper = _derivative_limits(permitted)
    if law in _SPLINES:
        parts = [_spline(rows, law, times, lower, upper)]
    else:
        parts = _stopping(rows, law, lower, upper, synchronized)
    if permitted.limits("tau") and robot.base.kind != "mobile" and not robot.contacts:
        parts = [_slowed(part, efforts, permitted, fixed_times=times is not None) for part in parts]
    curve = joined(parts)
    if duration is not None:
        _check_least(curve.breaks[-1], duration, bool(np.isfinite(np.concatenate(upper)).any()))
        curve = curve.scaled(duration / curve.breaks[-1])
    return JointTrajectory(robot.name, efforts.names, law, curve, robot, efforts)


def _check(
    robot: Robot, law: str, permitted: MotionLimits, limits: object, duration: float | None, times: object
) -> None:
    """Raise an error for arguments that do not fit together."""
    if duration is not None and not (isinstance(duration, (int, float)) and 0 < duration < np.inf):
        raise InputError(f"duration: expected a positive number of seconds, found {duration!r}")
    if times is not None and law not in _SPLINES:
        raise InputError(
            f"times: expected none, because the motion stops or turns at each position, found times with {law}"
        )
    if times is not None and duration is not None:
        raise InputError("duration: expected none, because times are given")
    explicit = isinstance(limits, Mapping) and {"torque", "tau", "effort", "torques"} & {*limits}
    if explicit and permitted.limits("tau") and (robot.base.kind == "mobile" or robot.contacts):
        raise InputError(
            f"limits: torque: expected a robot on a fixed base or in free flight, found "
            f"{'contacts' if robot.contacts else 'a mobile base'}"
        )
    needed = {"trapezoidal": ("acceleration",), "double_s": ("jerk",), "blends": ("velocity", "acceleration")}.get(
        law, ()
    )
    for word in needed:
        if not np.isfinite(np.concatenate(permitted.of(_DERIVATIVES[word]))).all():
            raise InputError(
                f"limits: {law}: expected a limit of {word} of each joint, found none",
                hint=("pass ", Pass("limits", {word: None})),
            )
    limited = any(np.isfinite(np.concatenate(permitted.of(group))).all() for group in _DERIVATIVES.values())
    if not limited and duration is None and times is None:
        hint = ("pass ", Pass("limits", {"velocity": None}), " or ", Pass("duration"))
        raise InputError(
            "limits: expected limits of velocity, acceleration or jerk of all joints, found none", hint=hint
        )
    if law in ("cubic", "trapezoidal", "cubic_spline") and permitted.limits("jerk"):
        raise InputError(
            f"limits: jerk: expected a law without jumps of the acceleration, such as double_s, found {law}"
        )


def _positions(points: object, joints: tuple[str, ...]) -> Array:
    """Return the positions as rows, without repetitions of the previous one."""
    if isinstance(points, (str, Path, Mapping)) or hasattr(points, "q") or hasattr(points, "at") or callable(points):
        rows = sampled_motion(points, what="points").q
    else:
        rows = numbers("points", points)
    if rows.ndim != 2 or rows.shape[1] != len(joints):
        raise InputError(
            f"points: expected positions of {', '.join(joints)} in {len(joints)} columns, found shape {rows.shape}"
        )
    if len(rows) < 2 or not np.diff(rows, axis=0).any(axis=1).all():
        raise InputError("points: expected at least two positions, each different from the previous one")
    return rows


def _derivative_limits(permitted: MotionLimits) -> tuple[list[Array], list[Array]]:
    """Return the lower and upper limits of velocity, acceleration and jerk."""
    both = [permitted.of(group) for group in _DERIVATIVES.values()]
    return [low for low, _ in both], [high for _, high in both]


def _stopping(
    rows: Array, law: str, lower: list[Array], upper: list[Array], synchronized: bool
) -> list[PiecewisePolynomial]:
    """Return the motions from each position to the next, or the one motion that blends lines."""
    least = [np.minimum(-low, high) for low, high in zip(lower, upper, strict=True)]
    limited = any(np.isfinite(limit).any() for limit in least)
    if not limited:
        least[0] = np.ones_like(least[0])  # the proportions of the parts, whose duration is given
    if law == "blends":
        return [blended_lines(rows, least)]
    parts = []
    for start, way in zip(rows[:-1], np.diff(rows, axis=0), strict=True):
        groups = [slice(None)] if synchronized else [slice(k, k + 1) for k in range(len(way))]
        ahead = [np.where(way > 0, upper[0], -lower[0]), *least[1:]] if limited else least  # velocities keep their sign
        curves = [_over(start[g], way[g], law, [limit[g] for limit in ahead]) for g in groups]
        parts.append(merged(curves) if len(curves) > 1 else curves[0])
    return parts


def _over(start: Array, way: Array, law: str, limits: list[Array]) -> PiecewisePolynomial:
    """Return the law over a distance; a joint that does not move has a law of duration 0."""
    if not way.any():
        return PiecewisePolynomial(np.array([0.0, 0.0]), start[None, None, :])
    unit = fastest_law(law, InverseLimits.over(way, limits))
    rows = unit.coefficients * way
    rows[:, 0] += start
    return PiecewisePolynomial(unit.breaks, rows)


def _spline(
    rows: Array, law: str, times: ArrayLike | None, lower: list[Array], upper: list[Array]
) -> PiecewisePolynomial:
    """Return the spline through the positions at given times, or at the earliest times that respect the limits."""
    if times is not None:
        knots = numbers("times", times, (len(rows),))
        if knots[0] != 0 or not (np.diff(knots) > 0).all():
            raise InputError(f"times: expected {len(rows)} increasing times from 0, found {knots.tolist()}")
    else:
        fastest = np.minimum(-lower[0], upper[0])
        fastest = np.where(np.isfinite(fastest), fastest, 1.0)
        knots = np.concatenate([[0.0], np.cumsum((np.abs(np.diff(rows, axis=0)) / fastest).max(axis=1))])
    curve = spline(knots, rows, _SPLINES[law], "rest")
    factor = stretch_for(curve, lower, upper)
    if times is not None:
        _check_least(knots[-1] * factor, float(knots[-1]), True)
        return curve
    return curve.scaled(factor) if factor else curve


def _slowed(
    curve: PiecewisePolynomial, efforts: JointEfforts, permitted: MotionLimits, fixed_times: bool
) -> PiecewisePolynomial:
    """Return the motion with torques within their limits."""
    factor = torque_stretch(curve, efforts, *permitted.of("tau"))
    if fixed_times and factor > 1:
        _check_least(curve.breaks[-1] * factor, curve.breaks[-1], True)
    return curve.scaled(factor) if factor > 1 else curve


def _check_least(least: float, given: float, limited: bool) -> None:
    if limited and given < least * (1 - _ROUNDING):
        raise InputError(f"duration: expected at least {least:.6g} s, which the limits need, found {given:.6g} s")
