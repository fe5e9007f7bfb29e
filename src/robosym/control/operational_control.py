"""Control of a link in operational space (guide 3.6.4.3): decoupling and impedance."""

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
from robosym.mechanism.added_frame import tool_frame
from robosym.model import Model, compose
from robosym.spatial import Mat3, Scalar, Vec3

__all__ = ["impedance_control", "operational_control"]

_ROWS = tuple(range(1, 7))
_POSE = tuple(f"T{r}{c}D" for r in range(1, 5) for c in range(1, 5))
_TWIST = ("VXD", "VYD", "VZD", "WXD", "WYD", "WZD")
_GAIN = ("AXD", "AYD", "AZD", "BXD", "BYD", "BZD")


@accepts("floating", loops=False)
def operational_control(
    robot: Robot, link: int | str | None = None, kp: Gain = None, kd: Gain = None, damping: float = 0.0,
    null_damping: Gain = 0, base_parameters: bool = False, tool: ArrayLike | None = None,
    friction: bool | str = "smooth",
) -> Model:  # fmt: skip
    """Return the decoupling law tau = A J^-1 (W - Jdot qd) + H in operational space (3.128 to 3.133).

    W = X''_d + Kd (X'_d - X') + Kp e, in frame 0: on a moving base, the motion relative to the base is controlled, and
    the torques take the motion of the base into account.

    Parameters
    ----------
    robot : Robot
        Serial robot on any base. All joints must move the link.
    link : int or str, optional
        Link to control. Default: the end of the arm, found by its name (tool0, flange, ...) or by the structure.
    kp : float, str or sequence, optional
        Position gains: one for all or one per direction. Default: symbols KP1, KP2, ...
    kd : float, str or sequence, optional
        Velocity gains: one for all or one per direction. Default: symbols KD1, KD2, ...
    damping : float
        Damping lambda^2, which bounds the accelerations near singular positions.
    null_damping : float, str or sequence
        Damping of motions of a redundant robot that do not move the link.
    base_parameters : bool
        Express the model in the base inertial parameters.
    tool : array_like, optional
        Pose of a tool frame in the frame of the link: x, y, z, roll, pitch, yaw, or a 4x4 matrix.
    friction : {"smooth", "yes", "no"} or bool
        Friction in the law: `smooth` (Coulomb friction with tanh in place of the sign of a velocity), `yes` (as
        described) or `no`.

    Returns
    -------
    Model
        Output "tau"; inputs q, qd, the desired pose T (4x4, by rows), twist_desired and acceleration_desired (linear,
        then angular), and the motion of a moving base.

    Raises
    ------
    InputError
        If the robot is not supported or a gain is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> law = rs.operational_control(rs.load("ur5e"), kp=100, kd=20)
    >>> len(law.outputs["tau"])
    6
    """
    robot, link = _link(robot, link, tool)
    treated = compensation(robot, friction, desired=False)
    inverse = inverse_dynamics(treated.robot, base_parameters=base_parameters)
    axes, relative = axes_of(robot, inverse), _relative_to_base(robot)
    solver = _damping_apart(joint_rates(relative, link))
    if len(solver.inputs["gradient"]) != len(axes.q):
        raise InputError(f"{robot.name}: expected a serial robot in which every joint moves the link")
    draft = _draft(relative, link, {"acceleration_desired": _GAIN}, jdot_qdot(relative, link))
    error, speed = _errors(draft)
    gains = zip(draft.gains("KP", kp, _ROWS), draft.gains("KD", kd, _ROWS), strict=True)
    R = _rotation(draft.out("T"))
    drift = [*(R @ Vec3(*draft.out("VPJ"))), *(R @ Vec3(*draft.out("WPJ")))]
    wanted = [
        a + p * e + d * v - j
        for a, (p, d), e, v, j in zip(draft["acceleration_desired"], gains, error, speed, drift, strict=True)
    ]
    brakes = draft.gains("KN", null_damping, axes.numbers, "null_damping")
    outputs = {
        "twist": dict(zip((f"WW{r}" for r in _ROWS), wanted, strict=True)),
        "gradient": {f"ZN{j}": -(k * qd) for j, k, qd in zip(axes.numbers, brakes, draft["qd"], strict=True)},
        "lambda": {"LAMBDAD": draft.parameter(damping, "damping")},
    }
    errors = draft.model("opc", "Operational errors", outputs)
    solved = compose(errors, solver, wires={"twist": "twist", "gradient": "gradient", "lambda": "lambda"})
    law = compose(solved.select("qd"), inverse, wires={"qd": "qdd"})
    title = "Decoupling control in the operational space"
    return treated.with_note(replace(law.select("tau"), kind="opc", title=title, robot=robot))


@accepts("mobile", loops=False)
def impedance_control(
    robot: Robot, link: int | str | None = None, stiffness: Gain = None, damping: Gain = None,
    null_damping: Gain = 0, base_parameters: bool = False, tool: ArrayLike | None = None,
) -> Model:  # fmt: skip
    """Return the impedance law tau = J^T (K e + D (X'_d - X')) + Q(q).

    The link behaves as if springs and dampers connected it to the desired pose, which is relative to the base.

    Parameters
    ----------
    robot : Robot
        Serial robot on a fixed base or on one whose motion is given. All joints must move the link.
    link : int or str, optional
        Link to control. Default: the end of the arm, found by its name (tool0, flange, ...) or by the structure.
    stiffness : float, str or sequence, optional
        Stiffness K1 .. K6 in N/m and N m/rad along and about the axes of frame 0: one for all or one per direction.
        Default: symbols K1, K2, ...
    damping : float, str or sequence, optional
        Damping D1 .. D6 in N s/m and N m s/rad: one for all or one per direction. Default: symbols D1, D2, ...
    null_damping : float, str or sequence
        Damping of the joints.
    base_parameters : bool
        Express the model in the base inertial parameters.
    tool : array_like, optional
        Pose of a tool frame in the frame of the link: x, y, z, roll, pitch, yaw, or a 4x4 matrix.

    Returns
    -------
    Model
        Output "tau"; inputs q, qd, the desired pose T (4x4, by rows) and twist_desired.

    Raises
    ------
    InputError
        If the robot is not supported or a gain is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> law = rs.impedance_control(rs.load("panda"), stiffness=400, damping=40)
    >>> len(law.outputs["tau"])
    7
    """
    robot, link = _link(robot, link, tool)
    gravity = gravity_torques(robot, base_parameters=base_parameters)
    axes = axes_of(robot, inverse_dynamics(robot))
    draft = _draft(_relative_to_base(robot), link, {}, gravity)
    error, speed = _errors(draft)
    gains = zip(
        draft.gains("K", stiffness, _ROWS, "stiffness"), draft.gains("D", damping, _ROWS, "damping"), strict=True
    )
    force = [k * e + d * v for (k, d), e, v in zip(gains, error, speed, strict=True)]
    J, n = draft.out("J"), len(axes.q)
    if len(J) != 6 * n:
        raise InputError(f"{robot.name}: expected a serial robot in which every joint moves the link")
    brakes = draft.gains("KN", null_damping, axes.numbers, "null_damping")
    torques = [
        q + sum_of(J[r * n + k] * force[r] for r in range(6)) - brake * qd
        for k, (q, brake, qd) in enumerate(zip(draft.out("Q"), brakes, draft["qd"], strict=True))
    ]
    return replace(draft.model("imp", "Impedance control", {"tau": axes.named("TAU", torques)}), robot=robot)


def _damping_apart(solver: Model) -> Model:
    """Return the model with its damping in a separate input group."""
    others = tuple(name for name in solver.inputs["parameters"] if name != DAMPING)
    groups = {**solver.inputs, "lambda": (DAMPING,), "parameters": others}
    return replace(solver, inputs={group: names for group, names in groups.items() if names})


def _link(robot: Robot, link: int | str | None, tool: ArrayLike | None) -> tuple[Robot, int]:
    """Return the robot and the controlled frame; the default is the end link with the tool."""
    need_rigid(robot, "control in space")
    robot, chosen = tool_frame(robot, link, tool, "link")
    return robot, robot.frame_number(chosen)


def _relative_to_base(robot: Robot) -> Robot:
    """Return the robot on a fixed base: the motion of its links in frame 0."""
    return robot if robot.base.kind == "fixed" else robot.edit({"base.type": "fixed"})


def _draft(robot: Robot, link: int, more: dict[str, tuple[str, ...]], other: Model) -> Draft:
    """Return a draft with pose and Jacobian of the link, another model, and the desired motion of the link."""
    pose = direct_geometry(robot, 0, link)
    J = jacobian(robot, link, 0, link, active=False).plain()
    below = compose(pose, J, other, wires={})
    velocities = tuple(name for j in robot.tree_joints for name in [robot.joint(j).QP.name] if name)
    return Draft(robot, {"qd": velocities, "T": _POSE, "twist_desired": _TWIST, **more}, below)


def _rotation(T: list[Expr]) -> Mat3:
    return Mat3.of(*(T[4 * r + c] for r in range(3) for c in range(3)))


def _errors(draft: Draft) -> tuple[list[Scalar], list[Scalar]]:
    """Return e = (P_d - P, (s x s_d + n x n_d + a x a_d) / 2) (3.132, 3.133) and X'_d - J qd."""
    T, wanted, J, qd = draft.out("T"), draft["T"], draft.out("J"), draft["qd"]
    place = [wanted[4 * r + 3] - T[4 * r + 3] for r in range(3)]
    columns = zip(_rotation(T).T.rows, _rotation(wanted).T.rows, strict=True)
    first, second, third = (now.cross(then) for now, then in columns)
    turn = [part / 2 for part in first + second + third]
    n = len(J) // 6
    moved = [sum_of(J[r * n + k] * qd[k] for k in range(n)) for r in range(6)]
    return [*place, *turn], [d - v for d, v in zip(draft["twist_desired"], moved, strict=True)]
