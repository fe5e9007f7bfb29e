"""Identification of a payload, and of drive gains by means of a payload of known mass."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, fields, replace

import numpy as np

from robosym.algebra.arrays import Array
from robosym.algebra.once import FrozenDict
from robosym.coordinates.accepts import accepts
from robosym.dynamics.identification import IdentificationModel, dynamic_identification
from robosym.errors import InputError, RobotWarning
from robosym.experiment.estimate import Estimate
from robosym.experiment.identify import fitted, given_motions
from robosym.experiment.least_squares import Triangle, compressed, independent, noise, solve, weighted
from robosym.experiment.prepare import Motion
from robosym.experiment.regressor import ReducedLog, Regressor
from robosym.kinematics import transform
from robosym.mechanism import Friction, Robot
from robosym.mechanism.end_frame import carrying_link, chosen_frame

__all__ = ["Payload", "PayloadEstimate", "identify_drives", "identify_payload"]

_SETTLED = 1e-9  #: relative change of the parameters that ends the iteration
_SIGNIFICANT = 3  #: standard deviations of a mass below which the center of mass is not reported
_STEPS = 30  #: maximum number of Gauss-Newton steps; three to five suffice for consistent data


class _PayloadRegressor(Regressor):
    """Regressor with the ten standard parameters of a body fixed to the end link only."""

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot, Friction(viscous=False, coulomb=False, offset=False), None)
        last = carrying_link(self.robot, None)
        model: IdentificationModel = dynamic_identification(self.robot.symbolic(), friction=False)
        wanted = [f"{field}{last}" for field in ("M", "MX", "MY", "MZ", "XX", "XY", "XZ", "YY", "YZ", "ZZ")]
        self.model = model.with_columns(wanted)
        self.names = tuple(wanted)
        self.inertial = len(wanted)


@dataclass(frozen=True)
class Payload:
    """Mass, center of mass and inertia of a payload in a frame; standard deviations of mass and center of mass."""

    frame: str
    mass: float  #: kg
    com: Array  #: center of mass in m, shape (3,)
    inertia: Array  #: kg m² about the center of mass, shape (3, 3)
    mass_deviation: float
    com_deviations: Array

    def __str__(self) -> str:
        place = ", ".join(f"{1e3 * x:.4g} ± {1e3 * s:.2g}" for x, s in zip(self.com, self.com_deviations, strict=True))
        return f"payload: {self.mass:.5g} ± {self.mass_deviation:.2g} kg, center of mass in {self.frame}: {place} mm"


class PayloadEstimate(Estimate):
    """Estimate of a payload: standard parameters in the frame of the end link."""

    def at(self, frame: int | str | None = None) -> Payload:
        """Return mass, center of mass and inertia in a frame of the end link.

        Parameters
        ----------
        frame : int or str, optional
            Frame of the arm, by number or name. Default: its end, such as the flange.

        Returns
        -------
        Payload
            The payload in this frame.

        Raises
        ------
        InputError
            If the frame is not fixed to the end link, or the mass was not identified.
        """
        robot = self.regressor.given
        number = robot.frame_number(chosen_frame(robot, frame))
        link = int(self.regressor.names[0].lstrip("M"))
        if carrying_link(robot, number) != link:
            raise InputError(f"frame: expected a frame fixed to link {link}, found {frame!r}")
        values = dict(zip(self.regressor.names, self.all_values(), strict=True))
        mass = values[f"M{link}"]
        if f"M{link}" not in self.names or mass <= 0:
            raise InputError(
                "payload: expected motions that determine a positive mass; lift the payload against gravity"
            )
        first = np.array([values[f"M{axis}{link}"] for axis in "XYZ"])
        c = first / mass
        entries = {pair: values[f"{pair}{link}"] for pair in ("XX", "XY", "XZ", "YY", "YZ", "ZZ")}
        about = np.array([[entries["".join(sorted(a + b))] for b in "XYZ"] for a in "XYZ"])
        central = about - mass * (c @ c * np.eye(3) - np.outer(c, c))
        names = [f"M{link}", *(f"M{axis}{link}" for axis in "XYZ")]
        kept = [name for name in names if name in self.names]
        at = [self.names.index(name) for name in kept]
        slopes = np.zeros((3, len(names)))
        slopes[:, 0], slopes[:, 1:] = -c / mass, np.eye(3) / mass
        slopes = slopes[:, [names.index(name) for name in kept]]
        T = np.eye(4) if number == link else transform(robot, link, number).compile()(**_at_rest(robot, link, number))
        R, P = np.asarray(T)[:3, :3], np.asarray(T)[:3, 3]
        spread = R.T @ slopes @ self.covariance[np.ix_(at, at)] @ slopes.T @ R
        name = next((name for name, j in robot.frame_names.items() if j == number), "")
        return Payload(
            name or f"frame {number}", mass, R.T @ (c - P), R.T @ central @ R,
            float(np.sqrt(self.covariance[at[0], at[0]])), np.sqrt(np.diag(spread)),
        )  # fmt: skip


def _at_rest(robot: Robot, link: int, frame: int) -> dict[str, Array]:
    """Return zeros for the inputs of the transform between a link and a frame fixed to it."""
    model = transform(robot, link, frame)
    return {group: np.zeros(len(names)) for group, names in model.inputs.items()}


def identify_payload(found: Estimate, loaded: Motion | Iterable[Motion], method: str = "wls") -> PayloadEstimate:
    """Identify mass, first moments and inertia of a payload at the end of the arm.

    The torques predicted for the arm without payload are subtracted, and the rest is fitted.

    Parameters
    ----------
    found : Estimate
        Estimate of the arm without payload.
    loaded : Motion, Log, path, or an iterable of these
        Motions with the payload.
    method : str
        Method of `identify`.

    Returns
    -------
    PayloadEstimate
        Standard parameters of the payload in the frame of the end link, in kg, kg m and kg m². `at(frame)` returns
        mass and center of mass in another frame, such as the flange; `predict` returns the torques of the payload
        alone.

    Raises
    ------
    InputError
        If `found` is not an estimate of an arm without loops and couplings.

    Examples
    --------
    >>> import robosym as rs
    >>> import numpy as np
    >>> arm = rs.load("planar2r")
    >>> t = np.arange(0, 10, 0.005)
    >>> q = np.sin(np.outer(t, [1.3, 2.1])) + np.sin(np.outer(t, [2.9, 3.7]))
    >>> qd = np.gradient(q, t, axis=0)
    >>> qdd = np.gradient(qd, t, axis=0)
    >>> tau = rs.inverse_dynamics(arm).compile()(q=q, qd=qd, qdd=qdd)
    >>> loaded = rs.inverse_dynamics(arm.with_payload(2, 3.0, com=(0.5, 0, 0))).compile()(q=q, qd=qd, qdd=qdd)
    >>> found = rs.identify(arm, rs.Motion(t, q, qd, qdd, tau))
    >>> payload = rs.identify_payload(found, rs.Motion(t, q, qd, qdd, loaded))
    >>> round(float(payload["MX2"]), 3)
    1.5
    """
    if not isinstance(found, Estimate):
        raise InputError(
            f"identify_payload: found: expected an Estimate of the arm without payload, found {found!r}"[:200]
        )
    if found.regressor.joints != found.regressor.given.tree_joints:
        raise InputError("identify_payload: found: expected an Estimate of an arm without loops and couplings")
    given = given_motions(loaded, found.regressor.given.joint_names)
    motions = [replace(motion, tau=motion.tau - found.predict(motion)) for motion in given]
    regressor = _PayloadRegressor(found.regressor.robot)
    estimate = fitted(regressor, motions, method)
    payload = PayloadEstimate(**{entry.name: getattr(estimate, entry.name) for entry in fields(Estimate)})
    with warnings.catch_warnings(), suppress(InputError):
        warnings.simplefilter("ignore", RobotWarning)
        held = payload.at()
        if held.mass > _SIGNIFICANT * held.mass_deviation:
            return replace(payload, remarks=(*payload.remarks, str(held)))
    return payload


@accepts("fixed")
def identify_drives(
    robot: Robot,
    free: Motion | Iterable[Motion],
    loaded: Motion | Iterable[Motion],
    mass: float,
    friction: Friction | None = None,
) -> Estimate:
    """Identify drive gains from motions without and with a payload of known mass.

    Parameters
    ----------
    robot : Robot
        Robot on a fixed base.
    free, loaded : Motion, Log, path, or an iterable of these
        Motions without and with the payload, with torques in the unit of the controller (for example currents in A).
    mass : float
        Mass of the payload in kg.
    friction : Friction, optional
        Friction terms, as for `identify`, without load dependence.

    Returns
    -------
    Estimate
        Parameters of the arm in the unit of joint torques, of the payload (names ending in L, in the frame of the end
        link), and the gains K1, .. by which logged values are multiplied to give joint torques.

    Raises
    ------
    InputError
        If the mass is not positive, a joint does not move enough, or the payload has no effect on the torques.

    Examples
    --------
    >>> import robosym as rs
    >>> import numpy as np
    >>> arm = rs.load("planar2r")
    >>> t = np.arange(0, 10, 0.005)
    >>> q = np.sin(np.outer(t, [1.3, 2.1])) + np.sin(np.outer(t, [2.9, 3.7]))
    >>> qd = np.gradient(q, t, axis=0)
    >>> qdd = np.gradient(qd, t, axis=0)
    >>> tau = rs.inverse_dynamics(arm).compile()(q=q, qd=qd, qdd=qdd)
    >>> loaded = rs.inverse_dynamics(arm.with_payload(2, 3.0, com=(0.5, 0, 0))).compile()(q=q, qd=qd, qdd=qdd)
    >>> free, loaded = (rs.Motion(t, q, qd, qdd, torques / [20, 10]) for torques in (tau, loaded))
    >>> drives = rs.identify_drives(arm, free, loaded, mass=3.0)
    >>> round(float(drives["K1"]), 2), round(float(drives["K2"]), 2)
    (20.0, 10.0)
    """
    if not mass > 0:
        raise InputError(f"identify_drives: mass: expected a positive mass in kg, found {mass!r}")
    alone, with_load = given_motions(free, robot.joint_names), given_motions(loaded, robot.joint_names)
    drive = next((motion.drive for motion in alone if motion.drive is not None), None)
    arm = Regressor(robot, friction or Friction(), drive)
    if arm.friction.load:
        raise InputError("identify_drives: friction: expected friction without load dependence, found load=True")
    load = _PayloadRegressor(robot)
    n = len(arm.joints)
    rows: list[list[Array]] = [[] for _ in range(n)]
    for motion, has_load in [*((m, False) for m in alone), *((m, True) for m in with_load)]:
        table, more = arm.table(motion), load.table(motion) if has_load else None
        for j in range(n):
            extra = np.zeros((len(motion), len(load.names))) if more is None else more.row(j)
            both = np.hstack([table.row(j), extra[:, 1:], extra[:, :1], motion.tau[:, j, None]])
            rows[j].append(both[motion.moving[:, j]])
    parts = [compressed(table[:, :-1], table[:, -1]) for table in map(np.concatenate, rows)]
    deviations = [noise(part) for part in parts]
    names = (*arm.names, *(f"{name.rstrip('0123456789')}L" for name in load.names[1:]), *(f"K{j}" for j in arm.joints))
    data = weighted([_linear(part, mass, j, n) for j, part in enumerate(parts)], deviations)
    kept = independent(data.R)
    left = {name: "the motions do not excite it" for at, name in enumerate(names) if at not in kept}
    if lost := [name for name in left if name.startswith("K")]:
        raise InputError(f"identify_drives: free: {', '.join(lost)} cannot be identified: move these joints more")
    values = np.zeros(len(names))
    values[kept] = solve(Triangle(data.R[:, [*kept, -1]], data.rows)).values
    if (values[-n:] == 0).any():
        raise InputError("identify_drives: loaded: expected torques that differ with the payload, found a gain of zero")
    for _ in range(_STEPS):
        tangents = [_tangent(part, mass, j, n, values) for j, part in enumerate(parts)]
        data = weighted(tangents, deviations)
        chosen = Triangle(data.R[:, [*kept, -1]], data.rows)
        fit = solve(chosen)
        change = np.linalg.norm(fit.values - values[kept]) / np.linalg.norm(fit.values)
        values[kept] = fit.values
        if change < _SETTLED:
            break
    return Estimate(
        tuple(names[k] for k in kept), fit.values, fit.covariance, fit.condition, "wls", arm, chosen,
        tuple(ReducedLog(motion, []) for motion in (*alone, *with_load)), left_out=FrozenDict(left),
    )  # fmt: skip


def _linear(part: Triangle, mass: float, j: int, n: int) -> Triangle:
    """Return the rows of W x + WL xL - K i = -WM mass, which are linear in all unknowns.

    Noise in i makes the solution slightly biased; it is the initial value for Gauss-Newton.
    """
    gains = np.zeros((len(part.R), n))
    gains[:, j] = -part.R[:, -1]
    return Triangle(np.column_stack([part.R[:, :-2], gains, -mass * part.R[:, -2]]), part.rows)


def _tangent(part: Triangle, mass: float, j: int, n: int, values: Array) -> Triangle:
    """Linearize i = (W x + WL xL + WM mass) / K, whose noise is that of i alone, about `values` (Gauss-Newton)."""
    gain = values[len(values) - n + j]
    torque = part.R[:, :-1] @ np.append(values[:-n], mass)
    slopes = np.zeros((len(part.R), len(values)))
    slopes[:, :-n] = part.R[:, :-2] / gain
    slopes[:, len(values) - n + j] = -torque / gain**2
    return Triangle(np.column_stack([slopes, part.R[:, -1] - torque / gain + slopes @ values]), part.rows)
