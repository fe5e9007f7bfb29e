"""Geometry, kinematics and dynamics on every kind of robot, against Pinocchio."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

import robosym as rs
from evaluation import agree
from kinds.states import Array, Linked, Platform, Several, State
from oracles.reduced import Reduced
from robosym.algebra import evaluate
from robosym.coordinates.platform_poses import pose_matrices

PINOCCHIO, SUBSTITUTION, BALANCE, NUMPY = "Pinocchio", "substitution", "energy", "NumPy"
#: check by public function; it returns the oracle that confirmed the value
CELLS: dict[str, Callable[[Any], str]] = {}


def cell(check: Callable[[Any], str]) -> Callable[[Any], str]:
    CELLS[check.__name__] = check
    return check


def same(found: ArrayLike, expected: ArrayLike, tolerance: float = 1e-9) -> None:
    agree(found, expected, tolerance)


def last_frame(s: State) -> int:
    """Return a frame whose joints are on one path: the end of an arm, the third link of other robots."""
    return 6 if s.kind == "serial" else 3


# ------------------------------------------------------------------ geometry


@cell
def transform(s: Linked) -> str:
    j = last_frame(s)
    T = s.of(rs.transform(s.robot, 1, j))["T"]
    same(T, np.linalg.solve(s.truth.pose(1), s.truth.pose(j)))
    return PINOCCHIO


@cell
def direct_geometry(s: State) -> str:
    if isinstance(s, Linked):
        j = last_frame(s)
        same(s.of(rs.direct_geometry(s.robot, 0, j))["T"], s.truth.pose(j))
    elif isinstance(s, Several):
        same(s.of(rs.direct_geometry(s.robot))["T"], s.truth.end)
    else:
        robot = s.robot.with_values(s.values)
        poses = np.asarray(rs.direct_geometry(robot).solve(s.truth.q)).reshape(-1, 12)
        assert np.abs(poses - s.truth.pose).max(axis=1).min() < 1e-7
    return PINOCCHIO


@cell
def inverse_geometry(s: State) -> str:
    if isinstance(s, Linked):
        j = last_frame(s)
        found = rs.inverse_geometry(s.robot, frame=j).solve(s.truth.pose(j))
        on_way = [k for k, joint in enumerate(s.joints.tree_joints) if joint <= j]
        apart = np.abs(np.exp(1j * found[:, on_way]) - np.exp(1j * s.truth.q[on_way])).max(axis=1)
        assert apart.min() < 1e-7
        return SUBSTITUTION
    if isinstance(s, Platform):
        same(rs.inverse_geometry(s.robot.with_values(s.values)).solve(s.truth.pose), s.truth.q)
        return PINOCCHIO
    found = s.of(rs.inverse_geometry(s.robot))["q"]
    same(found, [s.all_joints[name] for name in s.robot.motor_names])
    return PINOCCHIO


@cell
def pose_solver(s: State) -> str:
    """The position of the state is among the solutions of its pose, modulo full turns."""
    if isinstance(s, Linked):
        j = last_frame(s)
        on_way = [k for k, joint in enumerate(s.joints.tree_joints) if joint <= j]
        wanted = {s.joints.variable(s.joints.tree_joints[k]): s.truth.q[k] for k in on_way}
        found = rs.pose_solver(s.robot, frame=j).solve(s.truth.pose(j))
    else:
        robot = s.robot
        wanted = {name: s.all_joints[name] for name in robot.motor_names}
        T = s.truth.end if isinstance(s, Several) else pose_matrices(np.asarray(s.truth.pose))
        solver = rs.pose_solver(robot, values=s.values)
        found = solver.solve(T, solver.numeric.at(s.all_joints), seconds=0.0)
    apart = [max(abs(np.exp(1j * q[name]) - np.exp(1j * x)) for name, x in wanted.items()) for q in found.positions]
    assert min(apart) < 1e-6
    return SUBSTITUTION


@cell
def general_equations(s: Linked) -> str:
    """Sigma is singular at the value of the hidden joint in the original position."""
    model, j = rs.general_equations(s.robot, stop="Sigma", frame=last_frame(s)), last_frame(s)
    model = getattr(model, "model", model)
    hidden = s.joints.tree_joints.index(
        next(k for k in s.joints.tree_joints if s.joints.variable(k) == model.inputs["q"][0])
    )
    apart = []
    for off in (0.0, 0.3):
        angle = s.truth.q[hidden] + off
        found = s.of(model, T=s.truth.pose(j)[:3].ravel(), q=[angle, np.tan(angle / 2)])
        singular = np.linalg.svd(found["Sigma"], compute_uv=False)
        apart.append(singular[-1] / singular[0])
    assert apart[0] < 1e-9 < 1e-6 < apart[1], apart
    return SUBSTITUTION


@cell
def paul_matrices(s: Linked) -> str:
    """Both sides of every equation agree at the pose of the joints."""
    model = rs.paul_matrices(s.robot, frame=last_frame(s))
    found = s.of(model, T=s.truth.pose(last_frame(s))[:3].ravel())
    for left, right in itertools.pairwise(model.outputs):
        if left[0] in "UV" and right[0] == "T":
            same(found[left], found[right])
    return SUBSTITUTION


@cell
def loop_geometry(s: Linked) -> str:
    t = s.truth
    found = rs.loop_geometry(s.robot).solve(t.q[t.active])
    assert np.abs(np.exp(1j * np.asarray(found)) - np.exp(1j * t.q)).max(axis=1).min() < 1e-7
    return SUBSTITUTION


@cell
def loop_kinematics(s: Linked) -> str:
    model, t = rs.loop_kinematics(s.robot), s.truth
    found = s.of(model, qd=t.qd)
    active = [s.robot.tree_joints.index(j) for j in model.active]
    passive = [s.robot.tree_joints.index(j) for j in model.passive]
    rates = np.linalg.lstsq(found["Wp"], -found["Wa"] @ t.qd[active], rcond=None)[0]
    same(rates, t.qd[passive])
    right = -(found["Wa"] @ t.qdd[active] + found["Psi"])
    same(np.linalg.lstsq(found["Wp"], right, rcond=None)[0], t.qdd[passive])
    return PINOCCHIO


@cell
def draw(s: State) -> str:
    """The frames of the drawing agree with Pinocchio."""
    return _drawn(s, lambda q, values: rs.draw(s.robot, q, values=values).scene)


@cell
def share(s: State) -> str:
    """The frames of the shared page agree with Pinocchio; tests/export/test_share.py runs its models."""
    return _drawn(s, lambda q, values: rs.share(s.robot, q, values=values, functions="inverse_dynamics").posture.scene)


def _drawn(s: State, drawn: Callable[[Any, Any], Any]) -> str:
    if isinstance(s, Linked):
        same(drawn(s.position, None).poses[last_frame(s)], s.truth.pose(last_frame(s)))
        return PINOCCHIO
    scene = drawn(s.all_joints if isinstance(s, Several) else s.truth.q, s.values)
    pose = s.truth.end[:3, 3] if isinstance(s, Several) else s.truth.pose[9:]
    assert np.linalg.norm(scene.poses[:, :3, 3] - pose, axis=1).min() < 1e-7
    return PINOCCHIO


# ---------------------------------------------------------------- kinematics


@cell
def velocities(s: Linked) -> str:
    found = s.of(rs.velocities(s.robot), **s.whole)
    same(np.hstack([found["V"], found["W"]]), s.truth.frames(s.truth.base_a, s.truth.qdd)[0])
    return PINOCCHIO


@cell
def accelerations(s: Linked) -> str:
    found = s.of(rs.accelerations(s.robot), **{"qdd": s.truth.yd, **s.whole})
    same(np.hstack([found["VP"], found["WP"]]), s.truth.frames(s.truth.base_a, s.truth.qdd)[1])
    return PINOCCHIO


@cell
def jdot_qdot(s: Linked) -> str:
    found = s.of(rs.jdot_qdot(s.robot), **s.whole)
    right = s.truth.frames(s.truth.still, 0 * s.truth.qdd)[1]
    same(np.hstack([found["VPJ"], found["WPJ"]]), right)
    return PINOCCHIO


def along(s: Linked, joints: tuple[int, ...]) -> Array:
    """Return the rates of the columns of a Jacobian matrix."""
    if s.kind == "transmission":
        return s.truth.y
    return s.truth.qd[[s.joints.tree_joints.index(j) for j in joints]]


@cell
def jacobian(s: State) -> str:
    if isinstance(s, Linked):
        j = last_frame(s)
        J = rs.jacobian(s.robot, j)
        found = s.of(J)
        twist = found["J"] @ along(s, getattr(J, "joints", ()))
        if s.truth.moving:
            twist = twist + found["base"] @ s.truth.base_velocity
        same(twist, s.truth.frames(s.truth.base_a, s.truth.qdd, pin.LOCAL_WORLD_ALIGNED)[0][j - 1])
    elif isinstance(s, Platform):
        same(next(iter(s.of(rs.jacobian(s.robot)).values())) @ s.truth.twist, s.truth.qd)
    else:
        same(s.of(rs.jacobian(s.robot))["J"] @ s.truth.motors, s.truth.end_twist)
    return PINOCCHIO


@cell
def operational_jacobian(s: Linked) -> str:
    """X is the pose, and its difference along the motion is Jx q'."""
    j, t = last_frame(s), s.truth
    model = rs.operational_jacobian(s.robot, j, orientation="cosines")
    found = s.of(model)
    T = t.pose(j)
    same(found["X"], [*T[:3, 3], *T[:3, :3].T.ravel()])
    step = 1e-6
    ends = [t.later(sign * step).pose(j) for sign in (1, -1)]
    rates = (ends[0] - ends[1]) / (2 * step)
    if s.robot.constrained:
        joints = tuple(s.robot.tree_joints[k] for k in t.active)
        assert len(found["Jx"][0]) == len(joints)
    else:
        joints = tuple(k for k in s.joints.tree_joints if k <= j)
    same(found["Jx"] @ along(s, joints), [*rates[:3, 3], *rates[:3, :3].T.ravel()], 1e-6)
    return PINOCCHIO


def geometric_jacobian(s: Linked, j: int) -> Array:
    """Return Pinocchio's Jacobian over the active joints that move link j, in frame 0."""
    t = s.truth
    full = pin.computeFrameJacobian(t.model, t.model.createData(), t.pin_q, t.oracle.frames[j], pin.LOCAL_WORLD_ALIGNED)
    J = full[:, t.order] @ t.G
    return np.array(J[:, np.abs(J).max(axis=0) > 1e-12])


@cell
def manipulability(s: Linked) -> str:
    w = s.of(rs.manipulability(s.robot, last_frame(s), task="position"))["w"]
    J = geometric_jacobian(s, last_frame(s))[:3]
    gram = J @ J.T if J.shape[0] <= J.shape[1] else J.T @ J
    same(np.ravel(w), [np.sqrt(np.linalg.det(gram))])
    return PINOCCHIO


@cell
def force_ellipsoid(s: Linked) -> str:
    found = s.of(rs.force_ellipsoid(s.robot, last_frame(s), limits=2.0))["E"]
    J = geometric_jacobian(s, last_frame(s))[:3]
    same(found, J @ J.T / 4)
    return PINOCCHIO


# ------------------------------------------------------------------ dynamics


@cell
def inverse_dynamics(s: State) -> str:
    found = s.of(rs.inverse_dynamics(s.robot))
    same(found["tau"], s.inputs["tau"])
    if s.kind == "floating":
        same(found["base_acceleration"], s.truth.yields)
    if s.kind == "elastic":
        same(found["qdd"], s.accelerations[[k for k in range(4) if k not in s.motors]])
    return PINOCCHIO


@cell
def direct_dynamics(s: State) -> str:
    found = s.of(rs.direct_dynamics(s.robot))
    if isinstance(s, Linked):
        same(found["qdd"], s.accelerations)
        if s.kind == "floating":
            same(found["base_acceleration"], s.truth.yields)
    elif isinstance(s, Platform):
        same(found["acceleration"], s.truth.acceleration)
    else:
        same(np.concatenate(list(found.values())), [*s.truth.acceleration, *s.truth.qdd])
    return PINOCCHIO


@cell
def inertia_matrix(s: State) -> str:
    if isinstance(s, Linked):
        found, M, first = s.of(rs.inertia_matrix(s.robot)), s.truth.inertia, s.truth.first
        same(found["A"], M[first:, first:])
        if s.kind == "floating":
            same(np.hstack([found["base"], found["coupling"]]), M[:6])
    elif isinstance(s, Platform):
        A = s.of(rs.inertia_matrix(s.robot, space="joint"))["A"]
        H = s.of(rs.bias_torques(s.robot, space="joint"))["H"]
        same(A @ s.truth.qdd + H, s.truth.tau)
    else:
        _hybrid_equation(s)
    return PINOCCHIO


def _hybrid_equation(s: Several) -> None:
    """A s' + h equals the generalized forces of the motors: joints of the gantry, translation of the Delta."""
    A, h = s.of(rs.inertia_matrix(s.robot))["A"], s.of(rs.bias_torques(s.robot))["H"]
    right = A @ [*s.truth.qdd, *s.truth.acceleration[:3]] + h
    rates = [*s.truth.qd, *s.truth.twist[:3]]
    same([right @ rates], [s.truth.power])
    same(right[:2], s.truth.tau[:2])


@cell
def bias_torques(s: State) -> str:
    if isinstance(s, Linked):
        found, (on_base, bias) = s.of(rs.bias_torques(s.robot)), s.truth.bias()
        same(found["H"], bias)
        if s.kind == "floating":
            same(found["base"], on_base)
        return PINOCCHIO
    return inertia_matrix(s)


@cell
def gravity_torques(s: Linked) -> str:
    found, (held, torques) = s.of(rs.gravity_torques(s.robot)), s.truth.gravity
    same(found["Q"], torques)
    if s.kind == "floating":
        same(found["base"], held)
    return PINOCCHIO


@cell
def modified_newton_euler(s: Linked) -> str:
    found, M, first, bias = s.of(rs.modified_newton_euler(s.robot)), s.truth.inertia, s.truth.first, s.truth.bias()
    same(found["A"], M[first:, first:])
    same(found["H"], bias[1])
    if s.kind == "floating":
        same(np.hstack([found["base"], found["coupling"]]), M[:6])
        same(found["base_bias"], bias[0])
    return PINOCCHIO


@cell
def coriolis_matrix(s: Linked) -> str:
    """C times the velocities are the velocity efforts, and C + C^T is the rate of A in fixed axes."""
    C, t = s.of(rs.coriolis_matrix(s.robot))["C"], s.truth
    rows, columns = C.shape
    speed = np.concatenate(t.efforts(t.drift, t.still, friction=False)) - np.concatenate(t.gravity)
    same(C @ t.velocity[-columns:], speed[-rows:])
    step = 1e-6
    rate = (t.later(step).inertia - t.later(-step).inertia) / (2 * step) + t.turning @ t.inertia - t.inertia @ t.turning
    same(C[:, -rows:] + C[:, -rows:].T, rate[-rows:, -rows:], 1e-6)
    if t.moving:
        own = pin.computeCoriolisMatrix(t.model, t.model.createData(), t.pin_q, t.pin_v)
        order = [3, 4, 5, 0, 1, 2, *t.order]
        same(C, (own[np.ix_(order, order)] - t.inertia @ t.turning)[-rows:])
    return PINOCCHIO


def centroidal_map(s: Linked) -> Array:
    """Return Pinocchio's matrix of the momentum (angular, linear) over the velocities of the models."""
    t = s.truth
    A = pin.computeCentroidalMap(t.model, t.model.createData(), t.pin_q)[[3, 4, 5, 0, 1, 2]]
    return np.hstack([A[:, [3, 4, 5, 0, 1, 2][: t.first]], A[:, t.order] @ t.G])


@cell
def centroidal_momentum(s: Linked) -> str:
    found, A, t = s.of(rs.centroidal_momentum(s.robot)), centroidal_map(s), s.truth
    same(found["matrix"], A)
    same(found["momentum"], A @ t.velocity[-A.shape[1] :])
    same(found["center"], pin.centerOfMass(t.model, t.model.createData(), t.pin_q))
    return PINOCCHIO


@cell
def contact_kinematics(s: Linked) -> str:
    """A foot on the last link: the velocity and the acceleration of its point vanish."""
    P, t = np.array([0.1, 0.2, -0.3]), s.truth
    robot = s.robot.with_contacts({"frame": s.robot.NL, "type": "point", "at": P.tolist()})
    model = rs.contact_kinematics(robot)
    found, (v, w) = s.of(model, qd=t.y), np.split(t.frames(t.base_a, t.qdd)[0][-1], 2)
    same(found["slip"], v + np.cross(w, P))
    same(found["J"] @ np.array([*t.base_velocity[: t.first], *t.y]), found["slip"])
    still, turning = np.split(t.frames(t.still, t.drift)[1][-1], 2)
    same(found["drift"], still + np.cross(turning, P) + np.cross(w, np.cross(w, P)))
    same(found["J"] @ found["S"], 0 * found["J"] @ found["S"])
    assert model.mobility == found["J"].shape[1] - np.linalg.matrix_rank(found["J"])
    return PINOCCHIO


@cell
def base_velocity(s: Linked) -> str:
    model = rs.base_velocity(s.robot)
    found = s.of(model, centroidal_momentum=centroidal_map(s) @ s.truth.velocity)
    same(found["velocity"], s.truth.base_velocity)
    return PINOCCHIO


@cell
def linearize(s: Linked) -> str:
    """A and B predict how the accelerations change along the motion of the state, and with the torques."""
    found, t = s.of(rs.linearize(s.robot)), s.truth
    free, motors = t.first if t.floating else 0, [t.active.index(k) for k in s.motors]
    rows = free + len(t.y)

    def accelerations(at: Reduced, more: ArrayLike = 0.0) -> Array:
        """Return those of Pinocchio's components, for the torques of the state."""
        base, joints = at.efforts(at.drift, np.zeros(6) if at.floating else at.base_a)
        own = at.G.T @ at.springs - joints
        own[motors] += s.torques + more
        return np.linalg.solve(at.inertia[-rows:, -rows:], [*-base[:free], *own])

    step = 1e-5
    ends = [t.later(sign * step) for sign in (1, -1)]
    for end in ends if s.kind == "mobile" else ():  # whose motion is given
        end.pin_v[:6] = t.pin_v[:6]
    rates = [*[0.0] * free, *t.y, *((ends[0].velocity - ends[1].velocity) / (2 * step))[-rows:]]
    same(found["A"][rows:] @ rates, (accelerations(ends[0]) - accelerations(ends[1])) / (2 * step), 1e-5)
    more = np.arange(1.0, len(s.motors) + 1)
    same(found["B"][rows:] @ more, accelerations(t, more) - accelerations(t))
    return PINOCCHIO


@cell
def lagrange(s: Linked) -> str:
    found, t = s.of(rs.lagrange(s.robot)), s.truth
    rows, columns = found["A"].shape
    rates, accelerations = t.velocity[-columns:], np.array([*t.base_acceleration, *t.yd])[-columns:]
    pairs = [a * b for a, b in itertools.combinations(rates, 2)]
    efforts = found["A"] @ accelerations + found["B"] @ pairs + found["C"] @ rates**2 + found["Q"]
    same(efforts, np.concatenate(t.efforts(t.qdd, t.base_a, friction=False))[-rows:])
    return PINOCCHIO


@cell
def energy(s: Linked) -> str:
    found, t = s.of(rs.energy(s.robot)), s.truth
    kinetic, potential = t.energies()
    same(found["energy"], [kinetic, potential, -float(t.springs @ t.q) / 2])
    motors = t.qd[s.motors] if s.kind != "transmission" else t.y
    same(found["power"], [s.inputs["tau"] @ motors, t.friction @ t.qd, 0])
    return PINOCCHIO


@cell
def derivation(s: State) -> str:
    """The last step of each derivation gives the torques, and the columns are those of the Jacobian matrix."""
    steps = rs.derivation(s.robot).steps
    assert isinstance(s, Linked)
    joints = s.joints
    at: dict[str, float] = {**s.values}
    for names, values in (("q", s.truth.q), ("qd", s.truth.qd), ("qdd", s.truth.qdd)):
        symbols = rs.inverse_dynamics(s.robot).inputs[names]
        at |= dict(zip(symbols, map(float, values), strict=True))
    derived = [steps]
    if len(joints.tree_joints) <= 4:
        derived.append(rs.derivation(s.robot, "lagrange").steps)
    for found in derived:
        for formula in (formula for step in found for formula in step.formulas):
            at[formula.name] = evaluate([formula.value], at)[0]
        same([at[f"GAM{j}"] for j in joints.tree_joints], s.inputs["tau"], 1e-8)
    link = last_frame(s)
    steps = rs.derivation(s.robot, "jacobian", link).steps
    columns = [step.formulas for step in steps if step.heading.startswith("Column")]
    entries = [[evaluate([f.value], at)[0] for f in column if hasattr(f, "value")] for column in columns]
    J = np.reshape(s.of(rs.jacobian(s.robot, link))["J"], (6, -1))
    same(np.transpose(entries), J, 1e-9)
    return PINOCCHIO


@cell
def formulations(s: Linked) -> str:
    """Compare the formulations of the tree, without friction and rotors."""
    if not isinstance(s, Linked) or s.kind == "transmission":
        rs.formulations.compare(s.robot)
    joints, t = s.joints, s.truth
    values = dict(zip([joints.variable(j) for j in joints.tree_joints], map(float, s.truth.q), strict=True))
    values |= {f"QP{j}": float(x) for j, x in zip(joints.tree_joints, s.truth.qd, strict=True)}
    values |= {f"QDP{j}": float(x) for j, x in zip(joints.tree_joints, s.truth.qdd, strict=True)}
    table = rs.formulations.compare(joints, values)
    right = pin.rnea(t.model, t.model.createData(), t.pin_q, t.pin_v, t.oracle.v(t.qdd))[t.order]
    for row in table.rows:
        if row.torques:
            same(row.torques, right, 1e-8)
    return PINOCCHIO
