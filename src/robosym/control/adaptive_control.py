"""Adaptive control on the regressor (Slotine and Li): the law learns the inertial parameters while it tracks.

With the reference velocity r = qd_d + L (q_d - q) and s = qd - r, tau = Y a - Kd s and a' = -G Y^T s, where
Y a = A r' + C(q, qd) r + Q. The regressor D(q, qd, qdd) of identification is quadratic in the velocities, so that its
bilinear form, with Christoffel's symbols and hence A' - 2 C antisymmetric, is (D(q, qd + r, 0) - D(q, qd - r, 0)) / 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from robosym.algebra import Expr
from robosym.algebra.interpret import substitute
from robosym.algebra.matrix import sum_of
from robosym.control.drafting import Axes, Draft, Gain, axes_of
from robosym.coordinates.accepts import accepts
from robosym.errors import InputError
from robosym.mechanism import Robot, need_rigid
from robosym.mechanism.friction import NOT_DRY, SHAPES, SMOOTH, has_dry_friction, with_friction
from robosym.model import Model, flat
from robosym.parameters import IdentificationModel, dynamic_identification

__all__ = ["adaptive_control"]


@accepts("fixed")
def adaptive_control(
    robot: Robot, rate: Gain = None, kd: Gain = None, learning: Gain = None, base_parameters: bool = True,
    friction: bool | str | None = "smooth",
) -> Model:  # fmt: skip
    """tau from q, qd, the desired motion and the estimate (a column of the regressor each), and "estimate_rate".

    `rate` is L (parameters L1 .. where not given), `kd` Kd, `learning` G: one for all parameters or one each. A
    simulation integrates the estimate; it begins at memory={"estimate": ...}, zero where nothing is given.
    `friction`: "smooth" has columns for the friction of the description, dry friction at the desired velocity with tanh
    in the place of its sign; "yes" (True) has FV and FS of every joint with the sign of the measured velocity, which
    makes the torque chatter, None those of the description alone; "no" (False) has none.
    """
    need_rigid(robot, "adaptive_control")
    smooth = friction == "smooth" and has_dry_friction(robot)
    regressor = _regressor(with_friction(robot, "smooth") if smooth else robot, base_parameters, friction)
    axes = axes_of(robot, regressor)
    columns = regressor.columns
    estimate = tuple(f"{name}E" for name in columns)
    draft = Draft(robot, {
        "q": regressor.inputs["q"], "qd": axes.qd, "q_desired": axes.labelled("QD"), "qd_desired": axes.labelled("QPD"),
        "qdd_desired": axes.labelled("QDPD"), "estimate": estimate,
    })  # fmt: skip
    own = dict(zip(draft.inputs["q"], draft["q"], strict=True))
    gains = draft.gains("L", rate, axes.numbers)
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
    speeds = draft.gains("G", learning, range(1, width + 1))
    learned = [-(g * sum_of(row[k] * error for row, error in zip(rows, s, strict=True))) for k, g in enumerate(speeds)]
    model = draft.model("ada", "Adaptive control on the regressor", {
        "tau": axes.named("TAU", torques),
        "estimate_rate": dict(zip((f"{name}EP" for name in columns), learned, strict=True)),
    })  # fmt: skip
    words = f"dry friction at the desired velocity, by tanh(qd_desired / {SMOOTH}) in the place of its sign"
    return replace(model, about={"tau": f"{model.meaning('tau', output=True)}; {words}"}) if smooth else model


def _columns(
    robot: Robot, regressor: IdentificationModel, draft: Draft, axes: Axes, r: list[Expr], r_rate: list[Expr],
    smooth: bool,
) -> list[Expr]:  # fmt: skip
    """The regressor Y(q, qd, r, r') row by row, linear in qd and in r; friction is of one velocity alone."""
    zero = [draft.graph.zero] * len(r)
    names = (*axes.qd, *regressor.inputs["qdd"])

    def at(qd: Sequence[Expr], qdd: Sequence[Expr]) -> list[Expr]:
        values = dict(zip(names, (*qd, *qdd), strict=True))
        return substitute([regressor.definitions[name] for name in flat(regressor.outputs["D"])], draft.graph, values)

    felt = at(zero, r_rate)
    both, apart = (at([a + sign * b for a, b in zip(draft["qd"], r, strict=True)], zero) for sign in (1, -1))
    measured = at(draft["qd"], zero)
    wanted = at(draft["qd_desired"], zero) if smooth else measured
    terms = {*SHAPES, *(name for joint in robot.joints for name, _ in joint.friction.own)}
    fields = [name.rstrip("0123456789") for name in regressor.columns]
    found = []
    for k, (a, b, c) in enumerate(zip(felt, both, apart, strict=True)):
        field = fields[k % len(fields)]
        found.append(a + (b - c) / 4 if field not in terms else (measured if field in NOT_DRY else wanted)[k])
    return found


def _regressor(robot: Robot, base_parameters: bool, friction: bool | str | None) -> IdentificationModel:
    """The regressor with the columns of friction that are wanted."""
    choices = {"smooth": None, "yes": True, "no": False, None: None, True: True, False: False}
    if friction not in choices:
        raise InputError(f"friction: expected 'no', 'smooth' or 'yes', found {friction!r}")
    return dynamic_identification(robot, base_parameters=base_parameters, friction=choices[friction])
