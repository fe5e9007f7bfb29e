"""Models of robots on mobile and floating bases, against Pinocchio with a free-flyer; the rest is an error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from oracles.constrained import Constrained
from oracles.pinocchio import Oracle
from oracles.regressor import base_difference
from robosym.algebra import evaluate

Array = np.ndarray


def body(j: int) -> dict[str, float]:
    return {
        "XX": 0.3 + 0.01 * j, "XY": 0.01, "XZ": -0.02, "YY": 0.25, "YZ": 0.015, "ZZ": 0.2 + 0.02 * j, "MX": 0.1 * j,
        "MY": -0.05, "MZ": 0.08, "M": 2.0 + j,
    }  # fmt: skip


def base(kind: str) -> dict[str, Any]:
    motion = {name: [f"{name}{axis}" for axis in "xyz"] for name in ("W0", "WP0", "V0", "VP0")}
    return {"type": kind, "link": body(9), **(motion if kind == "mobile" else {})}


def links(count: int) -> list[dict[str, float]]:
    return [{**body(j), "IA": 0.05 * j, "FV": 0.2, "FS": 0.1} for j in range(1, count + 1)]


def tree(kind: str, **more: Any) -> rs.Robot:
    frames = [
        {"theta": "t1", "r": 0.3}, {"alpha": "Pi/2", "d": 0.2, "theta": "t2"},
        {"alpha": 0.3, "d": 0.4, "theta": "t3", "r": 0.1, "mu": 0 if more else 1},
        {"ant": 2, "sigma": 1, "alpha": "Pi/2", "d": 0.1, "theta": 0.2, "r": "r4"},
    ]  # fmt: skip
    return rs.robot("arm", frames=frames, links=links(4), gravity=[1.5, -3, -9], base=base(kind), **more)


def coupled(kind: str) -> rs.Robot:
    return tree(kind, couplings={"t3": "2*t2 + 0.1"})


def closed(kind: str) -> rs.Robot:
    """A four-bar linkage on a post that turns, which carries a wrist."""
    frames = [
        {"theta": "t1", "r": 0.3}, {"alpha": "Pi/2", "theta": "t2"}, {"mu": 0, "theta": "t3", "d": 0.2},
        {"ant": 1, "mu": 0, "alpha": "Pi/2", "d": 0.45, "theta": "t4"},
        {"ant": 3, "d": 0.3, "alpha": "Pi/2", "theta": "t5"}, {"ant": 3, "mu": 0, "d": 0.5, "theta": "t6"},
        {"ant": 4, "sigma": 2, "d": 0.4},
    ]  # fmt: skip
    position = {"t1": 0.2, "t2": 1.3, "t3": -0.8826, "t4": 1.4188, "t5": 0.1, "t6": 1.0014}
    more = {"loops": [[6, 7]], "position": position}
    return rs.robot("post", frames=frames, links=links(5), gravity=[1.5, -3, -9], base=base(kind), **more)


class Moving:
    """A state of a robot, and what Pinocchio says of it; of the base angular before linear, in frame 0."""

    def __init__(self, robot: rs.Robot, seed: int = 3) -> None:
        self.robot, self.rng = robot, np.random.default_rng(seed)
        self.floating = robot.base.kind == "floating"
        joints = robot.tree_joints
        self.active = [k for k, j in enumerate(joints) if robot.frame(j).mu]
        self.q = self._position()
        values = dict(zip([robot.variable(j) for j in joints], self.q, strict=True))
        w, v, wp, vp = self.rng.uniform(-1, 1, (4, 3))
        motion = {"W0": w, "V0": v, "WP0": wp, "VP0": vp} if not self.floating else {}
        values |= {f"{name}{axis}": x for name, vector in motion.items() for axis, x in zip("xyz", vector, strict=True)}
        values |= {name: 0.0 for name in [*robot.parameters, *filter(None, robot.variables)] if name not in values}
        self.values = values
        self.constrained = Constrained(robot, values)
        oracle = self.oracle = self.constrained.oracle
        self.model, self.pin_q = oracle.model, oracle.q(self.q)
        self.order = [self.constrained._place(j) for j in joints]
        self.y, self.yd = self.rng.uniform(-1, 1, (2, len(self.active)))
        self.G = self._spread()
        self.qd = self.G @ self.y
        self.pin_v = oracle.v(self.qd)
        self.pin_v[:6] = [*v, *w]
        self.qdd = self.G @ self.yd + self._drift()
        self.still = np.array([*-np.cross(w, v), 0, 0, 0])  # a base whose origin and rotation do not accelerate
        self.base_a = np.array([*(vp - np.cross(w, v)), *wp])
        self.inputs = {"q": self.q, "qd": self.y, "qdd": self.yd, "base_velocity": np.array([*w, *v])}
        self.inputs["base_acceleration"] = np.array([*wp, *vp])

    def _position(self) -> Array:
        given = self.rng.uniform(-1, 1, len(self.robot.tree_joints))
        if self.robot.loops:
            return np.array(rs.loop_geometry(self.robot).solve([0.2, 1.3, 0.1])[0])
        if self.robot.couplings:
            given[2] = 2 * given[1] + 0.1
        return given

    def _spread(self) -> Array:
        passive = [k for k in range(len(self.q)) if k not in self.active]
        G = np.zeros((len(self.q), len(self.active)))
        G[self.active] = np.eye(len(self.active))
        if passive:
            J = self.constrained.rows(self.pin_q, np.zeros(self.model.nv))[0][:, self.order]
            G[passive] = np.linalg.lstsq(J[:, passive], -J[:, self.active], rcond=None)[0]
        return G

    def _drift(self) -> Array:
        drift = np.zeros(len(self.q))
        passive = [k for k in range(len(self.q)) if k not in self.active]
        if passive:
            J, rows = self.constrained.rows(self.pin_q, self.pin_v)
            drift[passive] = np.linalg.lstsq(J[:, self.order][:, passive], -rows, rcond=None)[0]
        return drift

    def efforts(self, qdd: Array, base_a: Array) -> tuple[Array, Array]:
        """On the base (moment, force), and on the active joints with rotors and friction."""
        a = self.oracle.v(qdd)
        a[:6] = base_a
        found = pin.rnea(self.model, self.model.createData(), self.pin_q, self.pin_v, a)
        rotors = np.array(evaluate([self.robot.link(j).IA for j in self.robot.tree_joints], {}))
        own = found[self.order] + rotors * qdd + 0.2 * self.qd + 0.1 * np.sign(self.qd)
        return np.array([*found[3:6], *found[:3]]), self.G.T @ own

    @property
    def inertia(self) -> Array:
        M = np.array(pin.crba(self.model, self.model.createData(), self.pin_q))
        order = [3, 4, 5, 0, 1, 2, *self.order]
        M = (np.triu(M) + np.triu(M, 1).T)[np.ix_(order, order)]
        M[6:, 6:] += np.diag(evaluate([self.robot.link(j).IA for j in self.robot.tree_joints], {}))
        P = np.block([[np.eye(6), np.zeros((6, len(self.y)))], [np.zeros((len(self.q), 6)), self.G]])
        return P.T @ M @ P

    @property
    def gravity(self) -> tuple[Array, Array]:
        g = pin.computeGeneralizedGravity(self.model, self.model.createData(), self.pin_q)
        return np.array([*g[3:6], *g[:3]]), self.G.T @ g[self.order]

    def frames(self, base_a: Array, qdd: Array, reference: Any = pin.LOCAL) -> tuple[Array, Array]:
        """Velocities and accelerations of the links (linear, angular), each in its frame."""
        a, data = self.oracle.v(qdd), self.model.createData()
        a[:6] = base_a
        pin.forwardKinematics(self.model, data, self.pin_q, self.pin_v, a)
        frames = [self.oracle.frames[j] for j in range(1, self.robot.NL + 1)]
        V = [pin.getFrameVelocity(self.model, data, f, reference).vector for f in frames]
        A = [pin.getFrameClassicalAcceleration(self.model, data, f, reference).vector for f in frames]
        return np.array(V), np.array(A)

    def of(self, model: rs.Model, **more: Any) -> Any:
        found = model.compile()(**{group: {**self.inputs, **more}[group] for group in model.inputs})
        return found._asdict() if hasattr(found, "_asdict") else {next(iter(model.outputs)): found}


def same(found: Any, right: Any) -> None:
    np.testing.assert_allclose(found, right, atol=1e-11 * max(1.0, np.abs(right).max()), rtol=0)


ROBOTS = [(kind, make) for kind in ("mobile", "floating") for make in (tree, coupled, closed)]


@pytest.fixture(params=ROBOTS, ids=lambda case: f"{case[1].__name__} {case[0]}", scope="module")
def moving(request: pytest.FixtureRequest) -> Moving:
    kind, make = request.param
    return Moving(make(kind))


def test_inertia_and_gravity(moving: Moving) -> None:
    found, M, (held, torques) = moving.of(rs.inertia_matrix(moving.robot, gravity=True)), moving.inertia, moving.gravity
    same(found["A"], M[6:, 6:])
    same(found["Q"], torques)
    alone = moving.of(rs.optimize(rs.gravity_torques(moving.robot), 1))
    same(alone["Q"], torques)
    if moving.floating:
        same(found["base"], M[:6, :6])
        same(found["coupling"], M[:6, 6:])
        same(found["base_gravity"], held)
        same(alone["base"], held)
    assert ("base" in found) == ("base" in alone) == moving.floating


def test_bias_and_inverse_dynamics(moving: Moving) -> None:
    robot, M = moving.robot, moving.inertia
    on_base, bias = moving.efforts(moving._drift(), moving.still if moving.floating else moving.base_a)
    found = moving.of(rs.bias_torques(robot))
    same(found["H"], bias)
    inverse = moving.of(rs.inverse_dynamics(robot))
    if not moving.floating:
        same(inverse["tau"], moving.efforts(moving.qdd, moving.base_a)[1])
        return
    same(found["base"], on_base)
    yields = np.linalg.solve(M[:6, :6], -(on_base + M[:6, 6:] @ moving.yd))
    same(inverse["base_acceleration"], yields)
    same(inverse["tau"], M[6:, :6] @ yields + M[6:, 6:] @ moving.yd + bias)
    direct = moving.of(rs.direct_dynamics(robot), tau=inverse["tau"])
    same(direct["qdd"], moving.yd)
    same(direct["base_acceleration"], yields)


def test_regressor(moving: Moving) -> None:
    """D times the standard parameters are the efforts, those on a floating base first."""
    D = rs.dynamic_identification(moving.robot)
    standard = rs.base_parameters(moving.robot, structure="tree" if moving.robot.couplings else None).standard
    K = {p.name: evaluate([p.entry], {})[0] for p in standard.inertial}
    for j in moving.robot.tree_joints:
        K |= {f"FV{j}": 0.2, f"FS{j}": 0.1, f"IA{j}": 0.05 * j}
    K |= {c: sum(K[name] * share for name, share in holds.items()) for c, holds in D.grouping.items()}
    on_base, torques = moving.efforts(moving.qdd, moving.base_a)
    right = np.concatenate([on_base, torques]) if moving.floating else torques
    for model in (D, rs.optimize(D, 1)):
        same(moving.of(model)["D"] @ [K[name] for name in D.columns], right)
    assert len(D.rows) == len(right)


def test_motion_of_the_links(moving: Moving) -> None:
    robot, last = moving.robot, 3
    rates = {"qd": moving.qd, "qdd": moving.qdd}
    V, A = moving.frames(moving.base_a, moving.qdd)
    found = moving.of(rs.velocities(robot), **rates)
    same(np.hstack([found["V"], found["W"]]), V)
    found = moving.of(rs.accelerations(robot), **rates)
    same(np.hstack([found["VP"], found["WP"]]), A)
    found = moving.of(rs.jdot_qdot(robot, last), **rates)
    same([*found["VPJ"], *found["WPJ"]], moving.frames(moving.still, 0 * moving.qdd)[1][last - 1])
    J = rs.jacobian(robot, last)
    found = moving.of(J)
    names = [robot.tree_joints[k] for k in moving.active]
    along = moving.y if robot.constrained else moving.qd
    own = found["J"] @ [along[(names if robot.constrained else list(robot.tree_joints)).index(j)] for j in J.joints]
    in_world = moving.frames(moving.base_a, moving.qdd, pin.LOCAL_WORLD_ALIGNED)[0][last - 1]
    same(own + found["base"] @ moving.inputs["base_velocity"], in_world)
    assert len(rs.jacobian(robot, last, rows=(1, 6)).outputs["base"]) == 2


@pytest.mark.parametrize("kind", ["mobile", "floating"])
def test_one_sweep_and_base_parameters(kind: str) -> None:
    m = Moving(tree(kind))
    found, M = m.of(rs.modified_newton_euler(m.robot)), m.inertia
    on_base, bias = m.efforts(0 * m.qdd, m.still if m.floating else m.base_a)
    same(found["A"], M[6:, 6:])
    same(found["H"], bias)
    if m.floating:
        same(found["base"], M[:6, :6])
        same(found["coupling"], M[:6, 6:])
        same(found["base_bias"], on_base)
    base = rs.base_parameters(m.robot)
    rank, apart = base_difference(m.robot, base, m.values, m.rng, joints_only=not m.floating)
    assert len(base.names) == rank and apart < 1e-12


def test_the_motion_of_a_floating_base_is_given_in_the_equivalent_tree() -> None:
    m = Moving(tree("floating"))
    right = m.efforts(m.qdd, m.base_a)[1]
    for make in (rs.inverse_dynamics, rs.dynamic_identification):
        model = make(m.robot, structure="tree")
        assert model.inputs["base_acceleration"] == ("WP10", "WP20", "WP30", "VP10", "VP20", "VP30")
        assert len(next(iter(model.outputs.values()))) == 4
    same(m.of(rs.inverse_dynamics(m.robot, structure="tree"))["tau"], right)


UNTREATED = {
    "lagrange": {}, "coriolis_matrix": {}, "manipulability": {"link": 3}, "inverse_kinematics": {"link": 3},
    "energy_identification": {}, "power_identification": {}, "filtered_identification": {}, "momentum_observer": {},
    "adaptive_control": {}, "operational_control": {}, "impedance_control": {}, "exciting_trajectory": {},
    "motor_loads": {"trajectory": None}, "identify": {"motions": []},
    "identify_drives": {"free": [], "loaded": [], "mass": 1.0},
}  # fmt: skip
FLOATING_ALONE = {
    "computed_torque": {}, "predictive_control": {}, "feedforward": {}, "pd_gravity": {}, "force_ellipsoid": {},
    "achievable_accelerations": {"limits": {j: rs.Actuator(3) for j in range(1, 5)}},
}  # fmt: skip


@pytest.mark.parametrize("kind", ["mobile", "floating"])
@pytest.mark.parametrize("name", [*UNTREATED, *FLOATING_ALONE])
def test_what_does_not_treat_a_moving_base_is_an_error(kind: str, name: str) -> None:
    options = (UNTREATED | FLOATING_ALONE)[name]
    function = getattr(rs, name)
    if kind == "mobile" and name in FLOATING_ALONE:
        function(tree(kind), **options)
        return
    with pytest.raises(rs.InputError, match=f"arm has a {kind} base: {name} treats"):
        function(tree(kind), **options)
    if "structure" in function.__wrapped__.__code__.co_varnames:
        with pytest.raises(rs.InputError, match="To hold the base at rest"):
            function(tree(kind), structure="tree", **options)


@pytest.mark.parametrize("kind", ["mobile", "floating"])
def test_inverse_and_determinant_of_a_jacobian_matrix_need_a_fixed_base(kind: str) -> None:
    J = rs.jacobian(tree(kind), 4, rows=(1, 2, 3))
    for ask in (J.inverse, J.determinant, J.singularities):
        with pytest.raises(rs.InputError, match=f"arm has a {kind} base"):
            ask()


@pytest.mark.parametrize("kind", ["mobile", "floating"])
def test_the_base_can_be_held_at_rest(kind: str) -> None:
    """What the message proposes gives the arm on a fixed base."""
    held = tree(kind).edit({"base.type": "fixed"})
    assert not set(rs.inverse_dynamics(held).inputs) & {"base_velocity", "base_acceleration"}
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.uniform(-1, 1, (3, 4))
    same(rs.inverse_dynamics(held).compile()(q=q, qd=qd, qdd=qdd), Oracle(held, {}).torques(q, qd, qdd, {}))
    rs.lagrange(held)
