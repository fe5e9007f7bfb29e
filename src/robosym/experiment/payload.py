"""Identification of a payload, and of drive gains by means of a payload of known mass."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from robosym.algebra.arrays import Array
from robosym.algebra.once import FrozenDict
from robosym.coordinates.accepts import accepts
from robosym.dynamics.identification import IdentificationModel, dynamic_identification
from robosym.errors import InputError
from robosym.experiment.estimate import Estimate
from robosym.experiment.identify import fitted, given_motions
from robosym.experiment.least_squares import Triangle, compressed, independent, noise, solve, weighted
from robosym.experiment.prepare import Motion
from robosym.experiment.regressor import ReducedLog, Regressor
from robosym.mechanism import Friction, Robot
from robosym.mechanism.end_frame import carrying_link

__all__ = ["identify_drives", "identify_payload"]

_SETTLED = 1e-9  #: relative change of the parameters that ends the iteration
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


def identify_payload(found: Estimate, loaded: Motion | Iterable[Motion], method: str = "wls") -> Estimate:
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
    Estimate
        Standard parameters of the payload in the frame of the end link, in kg, kg m and kg m². `predict` returns the
        torques of the payload alone.

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
    return fitted(regressor, motions, method)


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
