"""A load at the end of the arm, and gains of the drives by means of a load whose mass is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from robosym.algebra.arrays import Array
from robosym.algebra.once import FrozenDict
from robosym.coordinates.accepts import accepts
from robosym.errors import InputError
from robosym.experiment.estimate import Estimate
from robosym.experiment.identify import fitted, given_motions
from robosym.experiment.least_squares import Triangle, compressed, independent, noise, solve, weighted
from robosym.experiment.prepare import Motion
from robosym.experiment.regressor import Reduced, Regressor
from robosym.mechanism import Friction, Robot
from robosym.mechanism.end_frame import carrying_link
from robosym.parameters import IdentificationModel, dynamic_identification

__all__ = ["identify_drives", "identify_payload"]

_SETTLED = 1e-9  #: a smaller relative change of the parameters ends the iteration


_STEPS = 30  #: of Gauss-Newton; three to five are enough for data that fit


class _LastLink(Regressor):
    """The ten standard parameters of what is fixed to the link at the end of the arm, and nothing else."""

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot, Friction(viscous=False, coulomb=False, offset=False), None)
        last = carrying_link(self.robot, None)
        model: IdentificationModel = dynamic_identification(self.robot.symbolic(), friction=False)
        wanted = [f"{field}{last}" for field in ("M", "MX", "MY", "MZ", "XX", "XY", "XZ", "YY", "YZ", "ZZ")]
        places = [model.columns.index(name) for name in wanted]
        self.model = replace(
            model,
            columns=tuple(wanted),
            outputs={"D": tuple(tuple(row[at] for at in places) for row in model.outputs["D"])},
        )
        self.names = tuple(wanted)
        self.inertial = len(wanted)


def identify_payload(found: Estimate, loaded: Motion | Iterable[Motion], method: str = "wls") -> Estimate:
    """Mass, first moments and inertia of a load at the end of the arm, in the frame of its link, from motions.

    The torques that the estimate of the arm without load predicts are taken away, and the rest is fitted. `predict` of
    the result is the torque of the load alone.
    """
    if not isinstance(found, Estimate):
        raise InputError(f"identify_payload: expected the estimate of the arm without load, found {found!r}"[:200])
    if found.regressor.joints != found.regressor.given.tree_joints:
        raise InputError("identify_payload: expected the estimate of an arm without loops and couplings")
    given = given_motions(loaded, found.regressor.given.joint_names)
    motions = [replace(motion, tau=motion.tau - found.predict(motion)) for motion in given]
    regressor = _LastLink(found.regressor.robot)
    return fitted(regressor, motions, method)


@accepts("fixed")
def identify_drives(
    robot: Robot,
    free: Motion | Iterable[Motion],
    loaded: Motion | Iterable[Motion],
    mass: float,
    friction: Friction | None = None,
) -> Estimate:
    """Gains of the drives from motions without and with a load of known mass; parameters of arm and load besides.

    The torques of these motions are in the unit of the log (currents, or what the controller calls torque): joint
    torques are K1.. times them. Load: names that end in L, in the frame of the link at the end of the arm.
    """
    if not mass > 0:
        raise InputError(f"identify_drives: mass: expected kilograms, found {mass!r}")
    alone, with_load = given_motions(free, robot.joint_names), given_motions(loaded, robot.joint_names)
    drive = next((motion.drive for motion in alone if motion.drive is not None), None)
    arm = Regressor(robot, friction or Friction(), drive)
    if arm.friction.load:
        raise InputError("identify_drives: expected friction without load")
    load = _LastLink(robot)
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
        raise InputError(f"identify_drives: {', '.join(lost)} cannot be told: those joints hardly move")
    values = np.zeros(len(names))
    values[kept] = solve(Triangle(data.R[:, [*kept, -1]], data.rows)).values
    if (values[-n:] == 0).any():
        raise InputError("identify_drives: expected a load that the torques show, found none")
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
        tuple(Reduced(motion, []) for motion in (*alone, *with_load)), left_out=FrozenDict(left),
    )  # fmt: skip


def _linear(part: Triangle, mass: float, j: int, n: int) -> Triangle:
    """W x + WL xL - K i = -WM mass: linear in all unknowns, a little off since i is noisy; good to begin with."""
    gains = np.zeros((len(part.R), n))
    gains[:, j] = -part.R[:, -1]
    return Triangle(np.column_stack([part.R[:, :-2], gains, -mass * part.R[:, -2]]), part.rows)


def _tangent(part: Triangle, mass: float, j: int, n: int, values: Array) -> Triangle:
    """i = (W x + WL xL + WM mass) / K, whose noise is that of i alone, linear about given values (Gauss-Newton)."""
    gain = values[len(values) - n + j]
    torque = part.R[:, :-1] @ np.append(values[:-n], mass)
    slopes = np.zeros((len(part.R), len(values)))
    slopes[:, :-n] = part.R[:, :-2] / gain
    slopes[:, len(values) - n + j] = -torque / gain**2
    return Triangle(np.column_stack([slopes, part.R[:, -1] - torque / gain + slopes @ values]), part.rows)
