"""Control laws in the space of the joints (guide 3.6.4.2): each a model whose output "tau" drives the motors.

The inverse dynamic model is composed with the acceleration W = qdd_d + Kd (qd_d - qd) + Kp (q_d - q) of 3.123, so that
a law costs little more than Newton-Euler (3.6.4.2.3).
"""

from __future__ import annotations

from dataclasses import replace

from robosym.algebra import Expr
from robosym.algebra.matrix import sum_of
from robosym.control.drafting import Axes, Compensation, Draft, Gain, axes_of, compensation
from robosym.coordinates.accepts import ALL, accepts
from robosym.dynamics import bias_torques, coriolis_matrix, gravity_torques, inertia_matrix, inverse_dynamics
from robosym.errors import InputError
from robosym.mechanism import Robot, need_rigid
from robosym.model import Model, compose, flat

__all__ = ["computed_torque", "feedforward", "momentum_observer", "pd_gravity", "predictive_control"]

_DESIRED = ("q_desired", "qd_desired", "qdd_desired")


def _draft(robot: Robot, axes: Axes, model: Model, desired: tuple[str, ...] = _DESIRED) -> Draft:
    """With q and qd of the model, and what is desired of the driven joints: inputs QD1 .., QPD1 .., QDPD1 .. ."""
    names = {"q_desired": "QD", "qd_desired": "QPD", "qdd_desired": "QDPD"}
    inputs: dict[str, tuple[str, ...]] = {"q": model.inputs["q"], "qd": axes.qd}
    return Draft(robot, inputs | {group: axes.labelled(names[group]) for group in desired})


def _error_feedback(draft: Draft, axes: Axes, kp: Gain, kd: Gain) -> list[Expr]:
    """Kp (q_d - q) + Kd (qd_d - qd)."""
    gains = zip(draft.gains("KP", kp, axes.numbers), draft.gains("KD", kd, axes.numbers), strict=True)
    positions = [draft.graph.symbol(name) for name in axes.q]
    errors = zip(draft["q_desired"], positions, draft["qd_desired"], draft["qd"], strict=True)
    return [p * (qs - q) + d * (qds - qd) for (p, d), (qs, q, qds, qd) in zip(gains, errors, strict=True)]


def _inverse(robot: Robot, base_parameters: bool) -> Model:
    """The inverse model that a law is made of, with the friction of the robot."""
    model = inverse_dynamics(robot, base_parameters=base_parameters)
    if set(model.outputs) != {"tau"} or "qdd" not in model.inputs:
        raise InputError(f"{robot.name}: a control law needs a motor for each freedom, on a base whose motion is known")
    return model


@accepts("mobile", motors=ALL)
def computed_torque(
    robot: Robot, kp: Gain = None, kd: Gain = None, base_parameters: bool = False, friction: bool | str = "smooth"
) -> Model:
    """tau = A(q) W + H(q, qd) (3.121): the error decays as e'' + Kd e' + Kp e = 0.

    Inputs q, qd, and q_desired, qd_desired, qdd_desired of the driven joints; gains are numbers, or parameters
    KP1 .., KD1 .. where none are given. `friction="smooth"` takes dry friction at the desired velocity, with tanh in
    the place of its sign, since the sign of a measured velocity makes the torque chatter (where friction depends on
    load or several motors share it: smooth at the measured velocity); "yes" takes it as described, "no" leaves all
    friction out. The file of the model says which.
    """
    treated = compensation(robot, friction, desired=True)
    inverse = _inverse(treated.robot, base_parameters)
    axes = axes_of(robot, inverse)
    draft = _draft(robot, axes, inverse)
    wanted = [a + more for a, more in zip(draft["qdd_desired"], _error_feedback(draft, axes, kp, kd), strict=True)]
    outputs = {"qdd": axes.named("WW", wanted)}
    law = compose(draft.model("ctc", "Computed torque", outputs), inverse).select("tau")
    if treated.apart is not None:
        law = _with_friction(law, treated.apart, robot, axes)
    return _finished(law, robot, treated, "ctc", "Computed torque control")


def _with_friction(law: Model, friction: Model, robot: Robot, axes: Axes) -> Model:
    """The law with the torques of friction at the desired velocities."""
    draft = Draft(robot, {"qd_desired": axes.labelled("QPD")})
    desired = draft.model("fri", "Desired velocities", {"qd": axes.named("QPF", draft["qd_desired"])})
    joined = compose(law, compose(desired, friction).select("friction"), wires={})
    return _added(joined, "tau", "friction", axes, law.kind, law.title)


def _finished(law: Model, robot: Robot, treated: Compensation, kind: str, title: str) -> Model:
    """The law under its own name, with the robot it is for and what it makes of friction."""
    return treated.said(replace(law, kind=kind, title=title, robot=robot))


def _every_axis(robot: Robot, inverse: Model, law: str) -> Axes:
    """The axes of a law that computes the model at the desired motion: every joint must have one."""
    axes = axes_of(robot, inverse)
    if len(inverse.inputs["q"]) != len(axes.q):
        raise InputError(f"{robot.name}: {law} takes robots without loops")
    return axes


@accepts("mobile", motors=ALL)
def predictive_control(
    robot: Robot, kp: Gain = None, kd: Gain = None, base_parameters: bool = False, friction: bool | str = "yes"
) -> Model:
    """tau = A(q_d) W + H(q_d, qd_d) (3.125): as `computed_torque`, the model at the desired motion, off the sensors.

    Friction too is that of the desired velocity: as described ("yes"), with smooth signs ("smooth") or none ("no").
    """
    treated = compensation(robot, friction, desired=False)
    inverse = _inverse(treated.robot, base_parameters)
    axes = _every_axis(robot, inverse, "predictive_control")
    draft = _draft(robot, axes, inverse)
    wanted = [a + more for a, more in zip(draft["qdd_desired"], _error_feedback(draft, axes, kp, kd), strict=True)]
    outputs = {
        "qdd": axes.named("WW", wanted),
        "q": axes.named("QM", draft["q_desired"]),
        "qd": axes.named("QPM", draft["qd_desired"]),
    }
    law = compose(draft.model("pre", "Predictive control", outputs), inverse)
    return _finished(law.select("tau"), robot, treated.at_desired(), "pre", "Predictive control")


@accepts("mobile", motors=ALL)
def feedforward(
    robot: Robot, kp: Gain = None, kd: Gain = None, base_parameters: bool = False, friction: bool | str = "yes"
) -> Model:
    """tau = A(q_d) qdd_d + H(q_d, qd_d) + Kp (q_d - q) + Kd (qd_d - qd): torques ahead, and a PD law beside them.

    Friction is that of the desired velocity: as described ("yes"), with smooth signs ("smooth") or none ("no").
    """
    treated = compensation(robot, friction, desired=False)
    inverse = _inverse(treated.robot, base_parameters)
    axes = _every_axis(robot, inverse, "feedforward")
    draft = _draft(robot, axes, inverse)
    outputs = {
        "feedback": axes.named("FBK", _error_feedback(draft, axes, kp, kd)),
        "q": axes.named("QM", draft["q_desired"]),
        "qd": axes.named("QPM", draft["qd_desired"]),
        "qdd": axes.named("QDPM", draft["qdd_desired"]),
    }
    joined = compose(draft.model("ffw", "Feedforward", outputs), inverse)
    law = _added(joined, "tau", "feedback", axes, "ffw", "Feedforward and PD control")
    return _finished(law, robot, treated.at_desired(), "ffw", "Feedforward and PD control")


@accepts("mobile", motors=ALL)
def pd_gravity(robot: Robot, kp: Gain = None, kd: Gain = None, base_parameters: bool = False) -> Model:
    """tau = Q(q) + Kp (q_d - q) + Kd (qd_d - qd): holds a position exactly without knowing the inertia."""
    inverse = _inverse(robot, False)
    need_rigid(robot, "pd_gravity")  # springs of passive joints in loops hold a part of the weight
    gravity = gravity_torques(robot, base_parameters=base_parameters)
    axes = axes_of(robot, inverse)
    draft = _draft(robot, axes, inverse, ("q_desired", "qd_desired"))
    outputs = {"feedback": axes.named("FBK", _error_feedback(draft, axes, kp, kd))}
    joined = compose(draft.model("pdg", "PD", outputs), gravity)
    law = _added(joined, "Q", "feedback", axes, "pdg", "PD control with compensation of gravity")
    return replace(law, robot=robot)


def _added(joined: Model, one: str, other: str, axes: Axes, kind: str, title: str) -> Model:
    """tau as the sum of two groups of outputs."""
    pairs = zip(flat(joined.outputs[one]), flat(joined.outputs[other]), strict=True)
    names = axes.labelled("TAU")
    sums = {name: joined.definitions[a] + joined.definitions[b] for name, (a, b) in zip(names, pairs, strict=True)}
    return replace(joined, kind=kind, title=title, outputs={"tau": names}, definitions={**joined.definitions, **sums})


@accepts("fixed", loops=False)
def momentum_observer(robot: Robot, gain: Gain = None, friction: bool | str = "smooth") -> Model:
    """Outputs "residual" (the effort from outside on each joint) and "momentum_rate"; inputs q, qd, tau, momentum.

    The momentum p = A qd changes by tau - H + (C + C^T) qd and by what acts from outside, a collision say. The observer
    integrates the former, to which it adds r = K (p - what it expects): r follows the effort from outside with the time
    constant 1 / K, without any acceleration being measured.

    Composed with a law, `compose(law, momentum_observer(robot))`, it is part of a controller; the momentum that it
    expects begins at A qd, which is 0 at rest. `friction` is "smooth" (tanh in the place of the sign of measured
    velocities, which would make the residual chatter), "yes" (as described) or "no".
    """
    need_rigid(robot, "momentum_observer")
    treated = compensation(robot, friction, desired=False)
    below = compose(inertia_matrix(robot), bias_torques(treated.robot), coriolis_matrix(robot), wires={})
    axes = axes_of(robot, below)
    n = len(axes.q)
    draft = Draft(robot, {"tau": axes.labelled("GAM"), "momentum": axes.labelled("PO")}, below)
    A, C, H, qd = draft.out("A"), draft.out("C"), draft.out("H"), draft["qd"]
    residual, rate = {}, {}
    for i, (k, j) in enumerate(zip(draft.gains("KO", gain, axes.numbers), axes.numbers, strict=True)):
        p = sum_of(A[i * n + m] * qd[m] for m in range(n))
        drawn = sum_of((C[i * n + m] + C[m * n + i]) * qd[m] for m in range(n))
        residual[f"RES{j}"] = k * (p - draft["momentum"][i])
        rate[f"POP{j}"] = draft["tau"][i] - H[i] + drawn + residual[f"RES{j}"]
    model = draft.model("obs", "Observer of momentum", {"residual": residual, "momentum_rate": rate})
    return treated.said(model, "residual")
