"""Adaptive control on the regressor (Slotine and Li): the law estimates the inertial parameters while it tracks.

With the reference velocity r = qd_d + L (q_d - q) and s = qd - r, tau = Y a - Kd s and a' = -G Y^T s, where Y a = A
r' + C(q, qd) r + Q. The regressor D(q, qd, qdd) of identification is quadratic in the velocities, so that its
bilinear form (D(q, qd + r, 0) - D(q, qd - r, 0)) / 4 contains the Christoffel symbols, and A' - 2 C is antisymmetric.
On a moving base, D also has terms linear in the joint velocities (Coriolis forces of the rotating base). They are
antisymmetric, too; the bilinear form contains half of them, and (D(q, r, 0) - D(q, -r, 0)) / 4 the other half.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from robosym.algebra import Expr
from robosym.algebra.interpret import substitute
from robosym.algebra.matrix import sum_of
from robosym.control.drafting import Axes, Draft, Gain, axes_of
from robosym.coordinates.accepts import accepts
from robosym.dynamics.identification import IdentificationModel, dynamic_identification
from robosym.errors import InputError
from robosym.mechanism import Robot, need_rigid
from robosym.mechanism.friction import NOT_DRY, SHAPES, SMOOTH, has_dry_friction, with_friction
from robosym.model import Model, flat

__all__ = ["adaptive_control"]


@accepts("mobile")
def adaptive_control(
    robot: Robot, rate: Gain = None, kd: Gain = None, learning: Gain = None, base_parameters: bool = True,
    friction: bool | str | None = "smooth",
) -> Model:  # fmt: skip
    """Return the adaptive control law of Slotine and Li.

    Parameters
    ----------
    robot : Robot
        Robot on a fixed base or on one whose motion is given.
    rate : float, str or sequence, optional
        Rates L at which errors decay, in 1/s: one for all or one per joint. Default: symbols L1, L2, ...
    kd : float, str or sequence, optional
        Velocity gains: one for all or one per joint. Default: symbols KD1, KD2, ...
    learning : float, str or sequence, optional
        Adaptation gains G: one for all parameters or one per parameter. Default: symbols G1, G2, ...
    base_parameters : bool
        Estimate the base parameters only.
    friction : {"smooth", "yes", "no"}, bool or None
        Friction columns: `smooth` (those of the description, with Coulomb friction at the desired velocity and tanh
        in place of the sign), `yes` (FV and FS of every joint with the sign of the measured velocity, which causes
        chattering) or `no`.

    Returns
    -------
    Model
        Outputs "tau" and "estimate_rate". Inputs q, qd, the desired motion and "estimate", one value per column of
        the regressor. `simulate` integrates the estimate from memory={"estimate": ...}, by default from zero.

    Raises
    ------
    InputError
        If the robot is not supported or a gain is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> law = rs.adaptive_control(rs.load("planar2r"), rate=5, kd=10, learning=1)
    >>> list(law.outputs)
    ['tau', 'estimate_rate']
    """
    need_rigid(robot, "adaptive_control")
    smooth = friction == "smooth" and has_dry_friction(robot)
    regressor = _regressor(with_friction(robot, "smooth") if smooth else robot, base_parameters, friction)
    axes = axes_of(robot, regressor)
    columns = regressor.columns
    estimate = tuple(f"{name}E" for name in columns)
    draft = Draft(robot, {
        "q": regressor.inputs["q"], "qd": axes.qd, "q_desired": axes.labeled("QD"), "qd_desired": axes.labeled("QPD"),
        "qdd_desired": axes.labeled("QDPD"), "estimate": estimate,
    })  # fmt: skip
    own = dict(zip(draft.inputs["q"], draft["q"], strict=True))
    gains = draft.gains("L", rate, axes.numbers, "rate")
    q = [own[name] for name in axes.q]
    errors = [a - b for a, b in zip(draft["q_desired"], q, strict=True)]
    r = [v + g * e for v, g, e in zip(draft["qd_desired"], gains, errors, strict=True)]
    s = [v - a for v, a in zip(draft["qd"], r, strict=True)]
    r_rate = [
        a + g * (vd - v)
        for a, g, vd, v in zip(draft["qdd_desired"], gains, draft["qd_desired"], draft["qd"], strict=True)
    ]
    for group, names in regressor.inputs.items():
        if group not in ("q", "qd", "qdd"):
            draft.inputs[group] = (*draft.inputs.get(group, ()), *names)
    width = len(columns)
    Y = _columns(robot, regressor, draft, axes, r, r_rate, smooth)
    rows = [Y[k * width : (k + 1) * width] for k in range(len(s))]
    brakes = draft.gains("KD", kd, axes.numbers)
    torques = [
        sum_of(y * a for y, a in zip(row, draft["estimate"], strict=True)) - k * error
        for row, k, error in zip(rows, brakes, s, strict=True)
    ]
    speeds = draft.gains("G", learning, range(1, width + 1), "learning")
    learned = [-(g * sum_of(row[k] * error for row, error in zip(rows, s, strict=True))) for k, g in enumerate(speeds)]
    model = draft.model("ada", "Adaptive control on the regressor", {
        "tau": axes.named("TAU", torques),
        "estimate_rate": dict(zip((f"{name}EP" for name in columns), learned, strict=True)),
    })  # fmt: skip
    words = f"Coulomb friction at the desired velocity, tanh(qd_desired / {SMOOTH}) in place of its sign"
    return replace(model, about={"tau": f"{model.meaning('tau', output=True)}; {words}"}) if smooth else model


def _columns(
    robot: Robot, regressor: IdentificationModel, draft: Draft, axes: Axes, r: list[Expr], r_rate: list[Expr],
    smooth: bool,
) -> list[Expr]:  # fmt: skip
    """Return the regressor Y(q, qd, r, r') by rows, linear in qd and in r; friction depends on one velocity only."""
    zero = [draft.graph.zero] * len(r)
    names = (*axes.qd, *regressor.inputs["qdd"])

    def at(qd: Sequence[Expr], qdd: Sequence[Expr]) -> list[Expr]:
        values = dict(zip(names, (*qd, *qdd), strict=True))
        return substitute([regressor.definitions[name] for name in flat(regressor.outputs["D"])], draft.graph, values)

    def half_difference(center: Sequence[Expr], spread: Sequence[Expr]) -> list[Expr]:
        """Return half of the parts of D(q, center, 0) that are linear in `spread` where it is added."""
        after, before = (at([a + sign * b for a, b in zip(center, spread, strict=True)], zero) for sign in (1, -1))
        return [(a - b) / 4 for a, b in zip(after, before, strict=True)]

    apparent = at(zero, r_rate)
    carried = half_difference(draft["qd"], r)
    if robot.base.kind != "fixed":
        carried = [a + b for a, b in zip(carried, half_difference(zero, r), strict=True)]
    measured = at(draft["qd"], zero)
    wanted = at(draft["qd_desired"], zero) if smooth else measured
    terms = {*SHAPES, *(name for joint in robot.joints for name, _ in joint.friction.own)}
    fields = [name.rstrip("0123456789") for name in regressor.columns]
    found = []
    for k, (a, b) in enumerate(zip(apparent, carried, strict=True)):
        field = fields[k % len(fields)]
        found.append(a + b if field not in terms else (measured if field in NOT_DRY else wanted)[k])
    return found


def _regressor(robot: Robot, base_parameters: bool, friction: bool | str | None) -> IdentificationModel:
    """Return the regressor with the required friction columns."""
    choices = {"smooth": None, "yes": True, "no": False, None: None, True: True, False: False}
    if friction not in choices:
        raise InputError(f"friction: expected 'no', 'smooth' or 'yes', found {friction!r}")
    return dynamic_identification(robot, base_parameters=base_parameters, friction=choices[friction])
