"""Models of robots on mobile and floating bases, against Pinocchio with a free-flyer; the rest is an error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from evaluation import agree
from long_cases import quick_and_long
from oracles.pinocchio import Oracle
from oracles.reduced import Reduced
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


class Moving(Reduced):
    """A state of a robot on a moving base, and its inputs."""

    def __init__(self, robot: rs.Robot) -> None:
        rng = np.random.default_rng(3)
        q = rng.uniform(-1, 1, len(robot.tree_joints))
        if robot.loops:
            q = np.array(rs.loop_geometry(robot).solve([0.2, 1.3, 0.1])[0])
        elif robot.couplings:
            q[2] = 2 * q[1] + 0.1
        super().__init__(robot, q, rng)
        self.inputs = {
            "q": self.q, "qd": self.y, "qdd": self.yd, "base_velocity": self.base_velocity,
            "base_acceleration": self.base_acceleration,
        }  # fmt: skip

    def of(self, model: rs.Model, **more: Any) -> Any:
        found = model.compile()(**{group: {**self.inputs, **more}[group] for group in model.inputs})
        return found._asdict() if hasattr(found, "_asdict") else {next(iter(model.outputs)): found}


MAKERS = {"tree": tree, "coupled": coupled, "closed": closed}
ROBOTS = [f"{name} {kind}" for name in MAKERS for kind in ("mobile", "floating")]


@pytest.fixture(
    params=quick_and_long(ROBOTS, long=["tree floating", "coupled mobile", "closed mobile"]), scope="module"
)
def moving(request: pytest.FixtureRequest) -> Moving:
    name, kind = request.param.split()
    return Moving(MAKERS[name](kind))


def test_inertia_and_gravity(moving: Moving) -> None:
    found, M, (held, torques) = moving.of(rs.inertia_matrix(moving.robot, gravity=True)), moving.inertia, moving.gravity
    agree(found["A"], M[6:, 6:])
    agree(found["Q"], torques)
    alone = moving.of(rs.optimize(rs.gravity_torques(moving.robot), 1))
    agree(alone["Q"], torques)
    if moving.floating:
        agree(found["base"], M[:6, :6])
        agree(found["coupling"], M[:6, 6:])
        agree(found["base_gravity"], held)
        agree(alone["base"], held)
    assert ("base" in found) == ("base" in alone) == moving.floating


def test_bias_and_inverse_dynamics(moving: Moving) -> None:
    robot = moving.robot
    on_base, bias = moving.bias()
    found = moving.of(rs.bias_torques(robot))
    agree(found["H"], bias)
    inverse = moving.of(rs.inverse_dynamics(robot))
    if not moving.floating:
        agree(inverse["tau"], moving.efforts(moving.qdd, moving.base_a)[1])
        return
    agree(found["base"], on_base)
    yields = moving.yields
    agree(inverse["base_acceleration"], yields)
    agree(inverse["tau"], moving.free_tau)
    direct = moving.of(rs.direct_dynamics(robot), tau=inverse["tau"])
    agree(direct["qdd"], moving.yd)
    agree(direct["base_acceleration"], yields)


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
        agree(moving.of(model)["D"] @ [K[name] for name in D.columns], right)
    assert len(D.rows) == len(right)


def test_motion_of_the_links(moving: Moving) -> None:
    robot, last = moving.robot, 3
    rates = {"qd": moving.qd, "qdd": moving.qdd}
    V, A = moving.frames(moving.base_a, moving.qdd)
    found = moving.of(rs.velocities(robot), **rates)
    agree(np.hstack([found["V"], found["W"]]), V)
    found = moving.of(rs.accelerations(robot), **rates)
    agree(np.hstack([found["VP"], found["WP"]]), A)
    found = moving.of(rs.jdot_qdot(robot, last), **rates)
    agree([*found["VPJ"], *found["WPJ"]], moving.frames(moving.still, 0 * moving.qdd)[1][last - 1])
    J = rs.jacobian(robot, last)
    found = moving.of(J)
    names = [robot.tree_joints[k] for k in moving.active]
    along = moving.y if robot.constrained else moving.qd
    own = found["J"] @ [along[(names if robot.constrained else list(robot.tree_joints)).index(j)] for j in J.joints]
    in_world = moving.frames(moving.base_a, moving.qdd, pin.LOCAL_WORLD_ALIGNED)[0][last - 1]
    agree(own + found["base"] @ moving.inputs["base_velocity"], in_world)
    assert len(rs.jacobian(robot, last, rows=(1, 6)).outputs["base"]) == 2


@pytest.mark.parametrize("kind", ["mobile", "floating"])
def test_one_sweep_and_base_parameters(kind: str) -> None:
    m = Moving(tree(kind))
    found, M = m.of(rs.modified_newton_euler(m.robot)), m.inertia
    on_base, bias = m.bias()
    agree(found["A"], M[6:, 6:])
    agree(found["H"], bias)
    if m.floating:
        agree(found["base"], M[:6, :6])
        agree(found["coupling"], M[:6, 6:])
        agree(found["base_bias"], on_base)
    base = rs.base_parameters(m.robot)
    rank, apart = base_difference(m.robot, base, m.values, np.random.default_rng(4), joints_only=not m.floating)
    assert len(base.names) == rank and apart < 1e-12


def test_the_motion_of_a_floating_base_is_given_in_the_equivalent_tree() -> None:
    m = Moving(tree("floating"))
    right = m.efforts(m.qdd, m.base_a)[1]
    for make in (rs.inverse_dynamics, rs.dynamic_identification):
        model = make(m.robot, structure="tree")
        assert model.inputs["base_acceleration"] == ("WP10", "WP20", "WP30", "VP10", "VP20", "VP30")
        assert len(next(iter(model.outputs.values()))) == 4
    agree(m.of(rs.inverse_dynamics(m.robot, structure="tree"))["tau"], right)


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
def test_a_motion_cycle_by_cycle_needs_a_fixed_base(kind: str) -> None:
    motors = {j: rs.Actuator(50.0) for j in range(1, 5)}
    path = {"reference": lambda t: [np.zeros(4), np.zeros(4), np.zeros(4)], "actuators": motors}
    with pytest.raises(rs.InputError, match=f"{kind} base: simulate with method='cycle' treats a fixed base"):
        rs.simulate(tree(kind), until=0.1, step=0.01, method="cycle", **path)


@pytest.mark.parametrize("kind", ["mobile", "floating"])
def test_the_base_can_be_held_at_rest(kind: str) -> None:
    """What the message proposes gives the arm on a fixed base."""
    held = tree(kind).edit({"base.type": "fixed"})
    assert not set(rs.inverse_dynamics(held).inputs) & {"base_velocity", "base_acceleration"}
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.uniform(-1, 1, (3, 4))
    agree(rs.inverse_dynamics(held).compile()(q=q, qd=qd, qdd=qdd), Oracle(held, {}).torques(q, qd, qdd, {}))
    rs.lagrange(held)
