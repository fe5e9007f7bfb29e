"""Control of a link in space (guide 3.6.4.3): decoupling in the operational space, and impedance."""

from __future__ import annotations

from dataclasses import replace

from numpy.typing import ArrayLike

from robosym.algebra import Expr
from robosym.algebra.matrix import sum_of
from robosym.control.drafting import Draft, Gain, axes_of, compensation
from robosym.control.inverse_kinematics import DAMPING, joint_rates
from robosym.coordinates.accepts import accepts
from robosym.dynamics import gravity_torques, inverse_dynamics
from robosym.errors import InputError
from robosym.kinematics import direct_geometry, jacobian, jdot_qdot
from robosym.mechanism import Robot, need_rigid
from robosym.mechanism.added_frame import aimed
from robosym.model import Model, compose
from robosym.spatial import Mat3, Scalar, Vec3

__all__ = ["impedance_control", "operational_control"]

_ROWS = tuple(range(1, 7))
_POSE = tuple(f"T{r}{c}D" for r in range(1, 5) for c in range(1, 5))
_TWIST = ("VXD", "VYD", "VZD", "WXD", "WYD", "WZD")
_GAIN = ("AXD", "AYD", "AZD", "BXD", "BYD", "BZD")


@accepts("fixed", loops=False)
def operational_control(
    robot: Robot, link: int | str | None = None, kp: Gain = None, kd: Gain = None, damping: float = 0.0,
    null_damping: Gain = 0, base_parameters: bool = False, tool: ArrayLike | None = None,
    friction: bool | str = "smooth",
) -> Model:  # fmt: skip
    """tau = A J^-1 (W - Jdot qd) + H with W = X''_d + Kd (X'_d - X') + Kp e (3.128 to 3.133), in frame 0.

    Inputs: T, the desired pose (4x4, row by row), twist_desired, acceleration_desired (linear, then angular), q, qd.
    The gains are those of the six directions. `damping` (lambda^2) bounds the accelerations near singular positions;
    a redundant robot brakes what the link does not feel with `null_damping`. `friction` is "smooth" (tanh in the place
    of the sign of measured velocities, which would chatter), "yes" (as described) or "no".
    """
    robot, link = _link(robot, link, tool)
    treated = compensation(robot, friction, desired=False)
    inverse = inverse_dynamics(treated.robot, base_parameters=base_parameters)
    axes = axes_of(robot, inverse)
    solver = _damping_apart(joint_rates(robot, link))
    if len(solver.inputs["gradient"]) != len(axes.q):
        raise InputError(f"{robot.name}: expected a serial robot, all of whose joints move the link")
    draft = _draft(robot, link, {"acceleration_desired": _GAIN}, jdot_qdot(robot, link))
    error, speed = _errors(draft)
    gains = zip(draft.gains("KP", kp, _ROWS), draft.gains("KD", kd, _ROWS), strict=True)
    R = _rotation(draft.out("T"))
    drift = [*(R @ Vec3(*draft.out("VPJ"))), *(R @ Vec3(*draft.out("WPJ")))]
    wanted = [
        a + p * e + d * v - j
        for a, (p, d), e, v, j in zip(draft["acceleration_desired"], gains, error, speed, drift, strict=True)
    ]
    brakes = draft.gains("KN", null_damping, axes.numbers)
    outputs = {
        "twist": dict(zip((f"WW{r}" for r in _ROWS), wanted, strict=True)),
        "gradient": {f"ZN{j}": -(k * qd) for j, k, qd in zip(axes.numbers, brakes, draft["qd"], strict=True)},
        "lambda": {"LAMBDAD": draft.parameter(damping, "damping")},
    }
    errors = draft.model("opc", "Operational errors", outputs)
    solved = compose(errors, solver, wires={"twist": "twist", "gradient": "gradient", "lambda": "lambda"})
    law = compose(solved.select("qd"), inverse, wires={"qd": "qdd"})
    title = "Decoupling control in the operational space"
    return treated.said(replace(law.select("tau"), kind="opc", title=title, robot=robot))


@accepts("fixed", loops=False)
def impedance_control(
    robot: Robot, link: int | str | None = None, stiffness: Gain = None, damping: Gain = None,
    null_damping: Gain = 0, base_parameters: bool = False, tool: ArrayLike | None = None,
) -> Model:  # fmt: skip
    """tau = J^T (K e + D (X'_d - X')) + Q(q): the link hangs on springs and dampers at the desired pose.

    Inputs: T, the desired pose (4x4, row by row), twist_desired, q, qd. K1 .. K6 and D1 .. D6 are N/m, N m/rad and
    their rates, along and about the axes of frame 0; `null_damping` brakes the joints themselves.
    """
    robot, link = _link(robot, link, tool)
    gravity = gravity_torques(robot, base_parameters=base_parameters)
    axes = axes_of(robot, inverse_dynamics(robot))
    draft = _draft(robot, link, {}, gravity)
    error, speed = _errors(draft)
    gains = zip(draft.gains("K", stiffness, _ROWS), draft.gains("D", damping, _ROWS), strict=True)
    force = [k * e + d * v for (k, d), e, v in zip(gains, error, speed, strict=True)]
    J, n = draft.out("J"), len(axes.q)
    if len(J) != 6 * n:
        raise InputError(f"{robot.name}: expected a serial robot, all of whose joints move the link")
    brakes = draft.gains("KN", null_damping, axes.numbers)
    torques = [
        q + sum_of(J[r * n + k] * force[r] for r in range(6)) - brake * qd
        for k, (q, brake, qd) in enumerate(zip(draft.out("Q"), brakes, draft["qd"], strict=True))
    ]
    law = draft.model("imp", "Impedance control", {"tau": axes.named("TAU", torques)})
    return law


def _damping_apart(solver: Model) -> Model:
    """The same model with its damping in a group of its own, beside the parameters of the robot."""
    others = tuple(name for name in solver.inputs["parameters"] if name != DAMPING)
    groups = {**solver.inputs, "lambda": (DAMPING,), "parameters": others}
    return replace(solver, inputs={group: names for group, names in groups.items() if names})


def _link(robot: Robot, link: int | str | None, tool: ArrayLike | None) -> tuple[Robot, int]:
    """The robot and the frame that is controlled; by default the end of the arm, with the tool."""
    need_rigid(robot, "control in space")
    robot, chosen = aimed(robot, link, tool, "link")
    return robot, robot.frame_number(chosen)


def _draft(robot: Robot, link: int, more: dict[str, tuple[str, ...]], other: Model) -> Draft:
    """With the pose of the link, its Jacobian, another model, and what is desired of the link."""
    pose = direct_geometry(robot, 0, link)
    J = jacobian(robot, link, 0, link, active=False).plain()
    below = compose(pose, J, other, wires={})
    velocities = tuple(name for j in robot.tree_joints for name in [robot.joint(j).QP.name] if name)
    return Draft(robot, {"qd": velocities, "T": _POSE, "twist_desired": _TWIST, **more}, below)


def _rotation(T: list[Expr]) -> Mat3:
    return Mat3.of(*(T[4 * r + c] for r in range(3) for c in range(3)))


def _errors(draft: Draft) -> tuple[list[Scalar], list[Scalar]]:
    """e = (P_d - P, (s x s_d + n x n_d + a x a_d) / 2) (3.132, 3.133), and X'_d - J qd."""
    T, wanted, J, qd = draft.out("T"), draft["T"], draft.out("J"), draft["qd"]
    place = [wanted[4 * r + 3] - T[4 * r + 3] for r in range(3)]
    columns = zip(_rotation(T).T.rows, _rotation(wanted).T.rows, strict=True)
    first, second, third = (now.cross(then) for now, then in columns)
    turn = [part / 2 for part in first + second + third]
    n = len(J) // 6
    moved = [sum_of(J[r * n + k] * qd[k] for k in range(n)) for r in range(6)]
    return [*place, *turn], [d - v for d, v in zip(draft["twist_desired"], moved, strict=True)]
