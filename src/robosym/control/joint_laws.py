"""Control laws in joint space (guide 3.6.4.2), each a model with the output "tau".

The inverse dynamic model is composed with the acceleration W = qdd_d + Kd (qd_d - qd) + Kp (q_d - q) of 3.123, so
that a law needs few more operations than Newton-Euler (3.6.4.2.3).
"""

from __future__ import annotations

from dataclasses import replace
from operator import add

from robosym.algebra import Expr
from robosym.algebra.calculus import rates_of_change
from robosym.algebra.matrix import sum_of
from robosym.control.drafting import Axes, Compensation, Draft, Gain, axes_of, compensation
from robosym.coordinates.accepts import ALL, accepts
from robosym.dynamics import bias_torques, coriolis_matrix, gravity_torques, inertia_matrix, inverse_dynamics
from robosym.errors import InputError
from robosym.mechanism import Robot, need_rigid
from robosym.model import Model, compose, flat
from robosym.spatial import Vec3

__all__ = ["computed_torque", "feedforward", "momentum_observer", "pd_gravity", "predictive_control"]

_DESIRED = ("q_desired", "qd_desired", "qdd_desired")


def _draft(robot: Robot, axes: Axes, model: Model, desired: tuple[str, ...] = _DESIRED) -> Draft:
    """Return a draft with q and qd of the model and the desired motion of the driven joints."""
    names = {"q_desired": "QD", "qd_desired": "QPD", "qdd_desired": "QDPD"}
    inputs: dict[str, tuple[str, ...]] = {"q": model.inputs["q"], "qd": axes.qd}
    return Draft(robot, inputs | {group: axes.labeled(names[group]) for group in desired})


def _error_feedback(draft: Draft, axes: Axes, kp: Gain, kd: Gain) -> list[Expr]:
    """Return Kp (q_d - q) + Kd (qd_d - qd)."""
    gains = zip(draft.gains("KP", kp, axes.numbers), draft.gains("KD", kd, axes.numbers), strict=True)
    positions = [draft.graph.symbol(name) for name in axes.q]
    errors = zip(draft["q_desired"], positions, draft["qd_desired"], draft["qd"], strict=True)
    return [p * (qs - q) + d * (qds - qd) for (p, d), (qs, q, qds, qd) in zip(gains, errors, strict=True)]


def _inverse(robot: Robot, base_parameters: bool) -> Model:
    """Return the inverse model of a law, with the friction of the robot."""
    model = inverse_dynamics(robot, base_parameters=base_parameters)
    if not set(model.outputs) <= {"tau", "base_acceleration"} or "qdd" not in model.inputs:
        raise InputError(f"{robot.name}: expected a motor for each degree of freedom")
    return model.select("tau")


@accepts("floating", motors=ALL)
def computed_torque(
    robot: Robot, kp: Gain = None, kd: Gain = None, base_parameters: bool = False, friction: bool | str = "smooth"
) -> Model:
    """Return the computed torque law tau = A(q) W + H(q, qd) (3.121).

    The error decays according to e'' + Kd e' + Kp e = 0. Smooth friction is computed at the desired velocity, because
    the sign of a measured velocity makes the torque chatter; friction that depends on load or is shared by motors is
    smooth at the measured velocity.

    Parameters
    ----------
    robot : Robot
        Robot with a motor for each degree of freedom of its joints. A floating base moves freely: the torques take
        its motion into account, and its velocity is an input.
    kp : float, str or sequence, optional
        Position gains: one for all or one per joint. Default: symbols KP1, KP2, ...
    kd : float, str or sequence, optional
        Velocity gains: one for all or one per joint. Default: symbols KD1, KD2, ...
    base_parameters : bool
        Express the model in the base inertial parameters.
    friction : {"smooth", "yes", "no"} or bool
        Friction in the law: `smooth` (Coulomb friction with tanh in place of the sign of a velocity), `yes` (as
        described) or `no`.

    Returns
    -------
    Model
        Output "tau"; inputs q, qd, q_desired, qd_desired and qdd_desired of the driven joints.

    Raises
    ------
    InputError
        If the robot is not supported or a gain is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> law = rs.computed_torque(rs.load("planar2r"), kp=100, kd=20)
    >>> list(law.inputs)
    ['q', 'qd', 'q_desired', 'qd_desired', 'qdd_desired']
    """
    treated = compensation(robot, friction, desired=True)
    inverse = _inverse(treated.robot, base_parameters)
    axes = axes_of(robot, inverse)
    draft = _draft(robot, axes, inverse)
    wanted = map(add, draft["qdd_desired"], _error_feedback(draft, axes, kp, kd))
    outputs = {"qdd": axes.named("WW", wanted)}
    law = compose(draft.model("ctc", "Computed torque", outputs), inverse).select("tau")
    if treated.apart is not None:
        law = _with_friction(law, treated.apart, robot, axes)
    return _finished(law, robot, treated, "ctc", "Computed torque control")


def _with_friction(law: Model, friction: Model, robot: Robot, axes: Axes) -> Model:
    """Return the law with friction torques at the desired velocities."""
    draft = Draft(robot, {"qd_desired": axes.labeled("QPD")})
    desired = draft.model("fri", "Desired velocities", {"qd": axes.named("QPF", draft["qd_desired"])})
    joined = compose(law, compose(desired, friction).select("friction"), wires={})
    return _added(joined, "tau", "friction", axes, law.kind, law.title)


def _finished(law: Model, robot: Robot, treated: Compensation, kind: str, title: str) -> Model:
    """Return the law with its name, its robot and a note on friction."""
    return treated.with_note(replace(law, kind=kind, title=title, robot=robot))


def _every_axis(robot: Robot, inverse: Model, law: str) -> Axes:
    """Return the axes of a law that evaluates the model at the desired motion, which must include every joint."""
    axes = axes_of(robot, inverse)
    if len(inverse.inputs["q"]) != len(axes.q):
        raise InputError(f"{robot.name}: {law}: expected a robot without loops")
    return axes


@accepts("floating", motors=ALL)
def predictive_control(
    robot: Robot, kp: Gain = None, kd: Gain = None, base_parameters: bool = False, friction: bool | str = "yes"
) -> Model:
    """Return the predictive law tau = A(q_d) W + H(q_d, qd_d) (3.125), with the model at the desired motion.

    Parameters
    ----------
    robot : Robot
        Robot without loops, with a motor for each joint. A floating base moves freely: the torques take its motion
        into account, and its velocity is an input.
    kp : float, str or sequence, optional
        Position gains: one for all or one per joint. Default: symbols KP1, KP2, ...
    kd : float, str or sequence, optional
        Velocity gains: one for all or one per joint. Default: symbols KD1, KD2, ...
    base_parameters : bool
        Express the model in the base inertial parameters.
    friction : {"yes", "smooth", "no"} or bool
        Friction at the desired velocity: `yes` (as described), `smooth` (tanh in place of signs) or `no`.

    Returns
    -------
    Model
        Output "tau"; inputs q, qd, q_desired, qd_desired and qdd_desired of the driven joints.

    Raises
    ------
    InputError
        If the robot is not supported or a gain is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> law = rs.predictive_control(rs.load("planar2r"), kp=100, kd=20)
    >>> law.outputs
    {'tau': ('GAM1', 'GAM2')}
    """
    treated = compensation(robot, friction, desired=False)
    inverse = _inverse(treated.robot, base_parameters)
    axes = _every_axis(robot, inverse, "predictive_control")
    draft = _draft(robot, axes, inverse)
    wanted = map(add, draft["qdd_desired"], _error_feedback(draft, axes, kp, kd))
    outputs = {
        "qdd": axes.named("WW", wanted),
        "q": axes.named("QM", draft["q_desired"]),
        "qd": axes.named("QPM", draft["qd_desired"]),
    }
    law = compose(draft.model("pre", "Predictive control", outputs), inverse)
    return _finished(law.select("tau"), robot, treated.at_desired(), "pre", "Predictive control")


@accepts("floating", motors=ALL)
def feedforward(
    robot: Robot, kp: Gain = None, kd: Gain = None, base_parameters: bool = False, friction: bool | str = "yes"
) -> Model:
    """Return the feedforward law tau = A(q_d) qdd_d + H(q_d, qd_d) + Kp (q_d - q) + Kd (qd_d - qd).

    Parameters
    ----------
    robot : Robot
        Robot without loops, with a motor for each joint. A floating base moves freely: the torques take its motion
        into account, and its velocity is an input.
    kp : float, str or sequence, optional
        Position gains: one for all or one per joint. Default: symbols KP1, KP2, ...
    kd : float, str or sequence, optional
        Velocity gains: one for all or one per joint. Default: symbols KD1, KD2, ...
    base_parameters : bool
        Express the model in the base inertial parameters.
    friction : {"yes", "smooth", "no"} or bool
        Friction at the desired velocity: `yes` (as described), `smooth` (tanh in place of signs) or `no`.

    Returns
    -------
    Model
        Output "tau"; inputs q, qd, q_desired, qd_desired and qdd_desired of the driven joints.

    Raises
    ------
    InputError
        If the robot is not supported or a gain is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> law = rs.feedforward(rs.load("planar2r"), kp=100, kd=20)
    >>> law.outputs
    {'tau': ('TAU1', 'TAU2')}
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
    """Return the PD law with gravity compensation, tau = Q(q) + Kp (q_d - q) + Kd (qd_d - qd).

    It holds a position exactly without inertial parameters other than masses and first moments.

    Parameters
    ----------
    robot : Robot
        Robot with rigid joints.
    kp : float, str or sequence, optional
        Position gains: one for all or one per joint. Default: symbols KP1, KP2, ...
    kd : float, str or sequence, optional
        Velocity gains: one for all or one per joint. Default: symbols KD1, KD2, ...
    base_parameters : bool
        Express the model in the base inertial parameters.

    Returns
    -------
    Model
        Output "tau"; inputs q, qd, q_desired and qd_desired of the driven joints.

    Raises
    ------
    InputError
        If the robot is not supported or a gain is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> law = rs.pd_gravity(rs.load("planar2r"), kp=100, kd=20)
    >>> run = rs.simulate(
    ...     "planar2r", [0, 0], controller=law, until=3, reference={"q_desired": [0.5, 0.5], "qd_desired": 0}
    ... )
    >>> bool(abs(run.q[-1] - 0.5).max() < 1e-3)
    True
    """
    inverse = _inverse(robot, False)
    need_rigid(robot, "pd_gravity")  # springs of passive joints in loops carry part of the weight
    gravity = gravity_torques(robot, base_parameters=base_parameters)
    axes = axes_of(robot, inverse)
    draft = _draft(robot, axes, inverse, ("q_desired", "qd_desired"))
    outputs = {"feedback": axes.named("FBK", _error_feedback(draft, axes, kp, kd))}
    joined = compose(draft.model("pdg", "PD", outputs), gravity)
    law = _added(joined, "Q", "feedback", axes, "pdg", "PD control with gravity compensation")
    return replace(law, robot=robot)


def _added(joined: Model, one: str, other: str, axes: Axes, kind: str, title: str) -> Model:
    """Return tau as the sum of two output groups."""
    pairs = zip(flat(joined.outputs[one]), flat(joined.outputs[other]), strict=True)
    names = axes.labeled("TAU")
    sums = {name: joined.definitions[a] + joined.definitions[b] for name, (a, b) in zip(names, pairs, strict=True)}
    return replace(joined, kind=kind, title=title, outputs={"tau": names}, definitions={**joined.definitions, **sums})


@accepts("floating", loops=False)
def momentum_observer(robot: Robot, gain: Gain = None, friction: bool | str = "smooth") -> Model:
    """Return the momentum observer, which estimates external joint torques without accelerations.

    The momentum p = A qd changes by tau - H + (C + C^T) qd and by external torques, for example in a collision. The
    residual r = K (p - estimated p) follows the external torques with the time constant 1 / K. `compose(law,
    momentum_observer(robot))` adds it to a control law. The estimated momentum starts at A qd, which is 0 at rest. On a
    moving base, the measured velocity of the base adds its part of the momentum of the joints; forces on the base do
    not disturb the estimate.

    Parameters
    ----------
    robot : Robot
        Tree robot on any base.
    gain : float, str or sequence, optional
        Inverse K of the time constant in 1/s: one for all or one per joint. Default: symbols KO1, KO2, ...
    friction : {"smooth", "yes", "no"} or bool
        Friction in the law: `smooth` (Coulomb friction with tanh in place of the sign of a velocity), `yes` (as
        described) or `no`.

    Returns
    -------
    Model
        Outputs "residual" (external torque of each joint) and "momentum_rate"; inputs q, qd, tau and momentum, and
        the velocity of a moving base.

    Raises
    ------
    InputError
        If the robot is not supported or a gain is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> observer = rs.momentum_observer(rs.load("planar2r"), gain=50)
    >>> list(observer.outputs)
    ['residual', 'momentum_rate']
    """
    need_rigid(robot, "momentum_observer")
    if robot.base.kind != "fixed":
        return _observer_on_moving_base(robot, gain, friction)
    treated = compensation(robot, friction, desired=False)
    below = compose(inertia_matrix(robot), bias_torques(treated.robot), coriolis_matrix(robot), wires={})
    axes = axes_of(robot, below)
    n = len(axes.q)
    draft = Draft(robot, {"tau": axes.labeled("GAM"), "momentum": axes.labeled("PO")}, below)
    A, C, H, qd = draft.out("A"), draft.out("C"), draft.out("H"), draft["qd"]
    residual, rate = {}, {}
    for i, (k, j) in enumerate(zip(draft.gains("KO", gain, axes.numbers, "gain"), axes.numbers, strict=True)):
        p = sum_of(A[i * n + m] * qd[m] for m in range(n))
        drawn = sum_of((C[i * n + m] + C[m * n + i]) * qd[m] for m in range(n))
        residual[f"RES{j}"] = k * (p - draft["momentum"][i])
        rate[f"POP{j}"] = draft["tau"][i] - H[i] + drawn + residual[f"RES{j}"]
    model = draft.model("obs", "Momentum observer", {"residual": residual, "momentum_rate": rate})
    return treated.with_note(model, "residual")


def _observer_on_moving_base(robot: Robot, gain: Gain, friction: bool | str) -> Model:
    """Return the observer of p = A qd + B^T V, where V is the velocity of the base in frame 0.

    Its rate is tau - H plus the derivatives of A and B along the motion, less B^T (W x V) of the rotating frame 0.
    """
    if robot.base.kind == "mobile":  # its acceleration need not be known, as that of a free base
        robot = replace(robot, base=replace(robot.base, kind="floating")).changed()
    treated = compensation(robot, friction, desired=False)
    below = compose(inertia_matrix(robot), bias_torques(treated.robot), wires={})
    axes = axes_of(robot, below)
    n = len(axes.q)
    draft = Draft(robot, {"tau": axes.labeled("GAM"), "momentum": axes.labeled("PO")}, below)
    A, B, H, qd, V = draft.out("A"), draft.out("coupling"), draft.out("H"), draft["qd"], draft["base_velocity"]
    turned = [*Vec3(*V[:3]).cross(Vec3(*V[3:]))]
    p = [
        sum_of([*(A[i * n + m] * qd[m] for m in range(n)), *(B[r * n + i] * V[r] for r in range(6))]) for i in range(n)
    ]
    drawn = rates_of_change([A[0].graph.zero + entry for entry in p], dict(zip(draft.inputs["q"], qd, strict=True)))
    residual, rate = {}, {}
    for i, (k, j) in enumerate(zip(draft.gains("KO", gain, axes.numbers, "gain"), axes.numbers, strict=True)):
        held = sum_of(B[(3 + r) * n + i] * turned[r] for r in range(3))
        residual[f"RES{j}"] = k * (p[i] - draft["momentum"][i])
        rate[f"POP{j}"] = draft["tau"][i] - H[i] + drawn[i] - held + residual[f"RES{j}"]
    model = draft.model("obs", "Momentum observer", {"residual": residual, "momentum_rate": rate})
    return treated.with_note(model, "residual")
