"""Inertia, bias, gravity, direct dynamics, elastic joints and floating bases of random trees against Pinocchio."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from cases.dynamic import Case, body_values, draw
from cases.library import ROBOTS
from evaluation import agree, by_machine_code, by_python
from robosym.algebra import evaluate
from robosym.dynamics import bias_torques, direct_dynamics, gravity_torques, inertia_matrix, inverse_dynamics
from robosym.dynamics.articulated import respond
from robosym.mechanism.bodies import tree_of
from robosym.parameters import base_parameters

ROUTES = ("recursive", "cholesky")


@pytest.mark.parametrize("seed", range(60))
def test_inertia_matrix(seed: int) -> None:
    case = draw(seed, symbolic=seed % 2 == 0)
    agree(case.number(inertia_matrix(case.robot))["A"], case.inertia())


@pytest.mark.parametrize("seed", range(40))
def test_bias_torques(seed: int) -> None:
    case = draw(seed, symbolic=seed % 2 == 0, mobile=seed % 5 == 0)
    agree(case.number(bias_torques(case.robot))["H"], case.bias()[0])


@pytest.mark.parametrize("seed", range(30))
def test_gravity_torques(seed: int) -> None:
    case = draw(seed, symbolic=seed % 2 == 0, mobile=seed % 5 == 0)
    oracle = case.oracle
    expected = pin.computeGeneralizedGravity(oracle.model, oracle.data, oracle.q(case.vector("q")))
    agree(case.number(gravity_torques(case.robot))["Q"], oracle.back(expected))


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("seed", range(60))
def test_direct_dynamics(seed: int, route: str) -> None:
    case = draw(seed, symbolic=seed % 2 == 0, mobile=seed % 5 == 0)
    A = case.inertia()[-case.n :, -case.n :]
    expected = np.linalg.solve(A, case.vector("GAM") - case.bias()[0])
    agree(case.number(direct_dynamics(case.robot, route=route))["qdd"], expected)


@pytest.mark.parametrize("seed", range(20))
def test_direct_dynamics_against_aba(seed: int) -> None:
    """Compare with Pinocchio's articulated-body algorithm, without rotors and friction."""
    case = draw(seed, symbolic=seed % 2 == 0, drives=False)
    oracle = case.oracle
    state = oracle.q(case.vector("q")), oracle.v(case.vector("QP")), oracle.v(case.vector("GAM"))
    qdd = pin.aba(oracle.model, oracle.data, *state, oracle.external(case.values))
    agree(case.number(direct_dynamics(case.robot))["qdd"], oracle.back(qdd))


@pytest.mark.parametrize("seed", range(20))
def test_reactions_of_the_direct_model(seed: int) -> None:
    """The reactions equal those of the inverse model at the computed accelerations."""
    case = draw(seed, symbolic=seed % 2 == 0)
    direct = direct_dynamics(case.robot)
    names = [f"{letter}{axis}{j}" for j in range(1, case.robot.NL + 1) for letter in "EN" for axis in "123"]
    qdd = dict(zip(direct.outputs["qdd"], evaluate(direct.roots, case.values), strict=True))
    inverse = inverse_dynamics(case.robot)
    for j in case.robot.tree_joints:
        case.values[case.robot.joint(j).QDP.value] = qdd[f"QDP{j}"]
    expected = evaluate(inverse.select(*names).roots, case.values)
    agree(np.array(evaluate(direct.select(*names).roots, case.values)), np.array(expected), 1e-10)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("seed", range(20))
def test_floating_base_direct(seed: int, route: str) -> None:
    case = draw(seed, symbolic=seed % 2 == 0, floating=True)
    expected = np.linalg.solve(case.inertia(), np.concatenate([np.zeros(6), case.vector("GAM")]) - _bias(case))
    found = case.number(direct_dynamics(case.robot, route=route))
    agree(found["qdd"], expected[6:])
    agree(found["base_acceleration"], _angular_first(expected[:6]))


@pytest.mark.parametrize("seed", range(20))
def test_floating_base_inverse(seed: int) -> None:
    case = draw(seed, symbolic=seed % 2 == 0, floating=True)
    A, H = case.inertia(), _bias(case)
    qdd = case.vector("QDP")
    base = -np.linalg.solve(A[:6, :6], H[:6] + A[:6, 6:] @ qdd)
    found = case.number(inverse_dynamics(case.robot))
    agree(found["base_acceleration"], _angular_first(base))
    agree(found["tau"], A[6:, :6] @ base + A[6:, 6:] @ qdd + H[6:])


@pytest.mark.parametrize("seed", range(10))
def test_floating_base_matrices(seed: int) -> None:
    case = draw(seed, symbolic=seed % 2 == 0, floating=True)
    order = [3, 4, 5, 0, 1, 2]
    A, H = case.inertia(), _bias(case)
    matrices = case.number(inertia_matrix(case.robot))
    agree(matrices["A"], A[6:, 6:])
    agree(matrices["base"], A[np.ix_(order, order)])
    agree(matrices["coupling"], A[order, 6:])
    bias = case.number(bias_torques(case.robot))
    agree(bias["H"], H[6:])
    agree(bias["base"], H[order])


def _bias(case: Case) -> np.ndarray:
    """Return force and moment on the base, and joint efforts, at zero acceleration of the base origin."""
    zeros = 3 * (case.robot.graph.zero,)
    still = replace(case.robot, base=replace(case.robot.base, WP0=zeros, VP0=zeros))
    torques, base = Case(still, case.values).bias()
    return np.concatenate([base, torques])


def _angular_first(base: np.ndarray) -> np.ndarray:
    return base[[3, 4, 5, 0, 1, 2]]


@pytest.mark.parametrize("seed", range(30))
def test_elastic_joints(seed: int) -> None:
    """Springs act as torques on the same tree in both models; every third robot has a floating base."""
    case = draw(seed, links=3 + seed % 5, symbolic=seed % 2 == 0, elastic=True, floating=seed % 3 == 0)
    robot, joints = case.robot, case.robot.tree_joints
    springs = [j for j in joints if robot.joint(j).eta]
    rest = {j: "0.25" if j % 2 else 0.4 for j in springs}
    q0 = np.array([float(rest.get(j, 0)) for j in joints])
    stiffness = np.array(evaluate([robot.joint(j).k for j in joints], case.values))
    torques = np.where([j in springs for j in joints], -stiffness * (case.vector("q") - q0), case.vector("GAM"))
    free = 6 if seed % 3 == 0 else 0
    A, H = case.inertia(), _bias(case) if free else case.bias()[0]
    qdd = np.linalg.solve(A, np.concatenate([np.zeros(free), torques]) - H)
    for route in ROUTES:
        agree(case.number(direct_dynamics(robot, route=route, rest=rest))["qdd"], qdd[free:])

    model = inverse_dynamics(robot, rest=rest)
    unknown = [*range(free), *(free + k for k, j in enumerate(joints) if j in springs)]
    known = [k for k in range(free + case.n) if k not in unknown]
    full = np.concatenate([np.zeros(free), case.vector("QDP")])
    spring = np.concatenate([np.zeros(free), torques])[unknown]
    if unknown:
        right = spring - H[unknown] - A[np.ix_(unknown, known)] @ full[known]
        full[unknown] = np.linalg.solve(A[np.ix_(unknown, unknown)], right)
    found = case.number(model)
    agree(found["tau"], (A @ full + H)[known])
    if springs:
        agree(found["qdd"], full[[k for k in unknown if k >= free]])
        assert not set(model.inputs.get("qdd", ())) & {f"QDP{j}" for j in springs}


def test_passive_joints_move_freely() -> None:
    case = draw(7, links=6, symbolic=True, fixed_frames=False)
    frames = tuple(replace(frame, mu=int(j % 2)) for j, frame in enumerate(case.robot.frames, 1))
    case.robot = replace(case.robot, frames=frames)
    torques = np.where([j % 2 == 1 for j in case.robot.tree_joints], case.vector("GAM"), 0)
    model = direct_dynamics(case.robot, passive="free")
    assert model.inputs["tau"] == ("GAM1", "GAM3", "GAM5")
    agree(case.number(model)["qdd"], np.linalg.solve(case.inertia(), torques - case.bias()[0]))
    with pytest.raises(rs.InputError, match="passive"):
        direct_dynamics(case.robot, passive="idle")


def test_rest_positions_are_those_of_elastic_joints() -> None:
    with pytest.raises(rs.InputError, match="joint"):
        inverse_dynamics(rs.load("rx90"), rest={2: 0.1})
    symbolic = direct_dynamics(rs.load("lumped2axis"), rest={1: "Q01"})
    assert "Q01" in symbolic.inputs["parameters"]


def test_robot_with_elastic_joints_only() -> None:
    """Pendulum on a spring: ZZ q'' = -K q - M g c cos(q)."""
    text = "name: spring\nframes: [{alpha: Pi/2, theta: t1}]\n"
    text += "links: {1: {XX: 0.1, YY: 0.45, ZZ: 0.5, MX: 0.6, M: 2, eta: 1, k: 30}}\n"
    robot = rs.loads(text + "gravity: [0, 0, -9.81]", "yaml")
    model = inverse_dynamics(robot)
    assert model.outputs == {"tau": (), "qdd": ("QDP1",)}
    assert "tau" not in model.code("c").split("#include")[1]
    f = model.compile()
    q = np.linspace(-2, 2, 9)[:, None]
    np.testing.assert_allclose(f(q=q, qd=0 * q), (-30 * q - 0.6 * 9.81 * np.cos(q)) / 0.5, rtol=1e-12)


def test_names_and_groups() -> None:
    direct = direct_dynamics(rs.load("rx90"))
    assert direct.outputs == {"qdd": tuple(f"QDP{j}" for j in range(1, 7))}
    assert direct.inputs["tau"] == tuple(f"GAM{j}" for j in range(1, 7))
    assert "qdd" not in direct.inputs
    assert inertia_matrix(rs.load("planar2r")).outputs["A"] == (("A11", "A12"), ("A21", "A22"))
    assert bias_torques(rs.load("planar2r")).outputs["H"] == ("H1", "H2")
    listing = direct.select("E36").code("listing")
    assert "\nMJE" in listing and "\nE36" in listing and "\nQDP6 =" not in listing


def test_rejects_invalid_arguments() -> None:
    robot = rs.load("planar2r")
    for call in (
        lambda: direct_dynamics(robot, route="inverse"),
        lambda: inertia_matrix(robot, structure="serial"),
        lambda: bias_torques(robot, structure="closed"),
    ):
        with pytest.raises(rs.InputError, match="expected"):
            call()


@pytest.mark.parametrize("route", ROUTES)
def test_joint_without_inertia(route: str) -> None:
    text = "name: bare\nframes: [{theta: t1}, {d: 1, theta: t2}]\nlinks: {1: {ZZ: 1}}\ngravity: [0, 0, 0]"
    with pytest.raises(rs.InputError, match="moves no inertia"):
        direct_dynamics(rs.loads(text, format="yaml"), route=route)


@pytest.mark.parametrize("name", ROBOTS)
def test_library(name: str) -> None:
    """Both routes, with springs, on the equivalent tree of every library robot."""
    robot, rng = rs.load(name), random.Random(name)
    values = {n: rng.uniform(0.3, 1.2) for n in (*robot.variables, *robot.parameters) if n}
    for j in range(robot.NL + 1):
        values |= {n: v for n, v in body_values(rng, j).items() if n in values}
    case = Case(robot, values)
    inertia = case.inertia()[-case.n :, -case.n :]
    if np.linalg.matrix_rank(inertia) < case.n:  # massless links that only the loops support
        for route in ROUTES:
            with pytest.raises(rs.InputError, match="moves no inertia"):
                direct_dynamics(robot, route=route, structure="tree")
        return
    expected = np.linalg.solve(inertia, case.vector("GAM") - case.bias()[0])
    for route in ROUTES:
        agree(case.number(direct_dynamics(robot, route=route, structure="tree"))["qdd"], expected, 1e-9)


@pytest.mark.parametrize("name", ["rx90", "stanford", "puma560", "sr400"])
def test_base_parameters_give_the_same_motion(name: str) -> None:
    """Base parameters give the same accelerations and torques; their values follow from the grouping."""
    robot, rng = rs.load(name), random.Random(name)
    reduced = base_parameters(robot)
    values = {n: rng.uniform(0.3, 1.2) for n in (*robot.variables, *robot.parameters) if n}
    for j in range(robot.NL + 1):
        values |= {n: v for n, v in body_values(rng, j).items() if n in values}
    if name == "sr400":  # at a closed position
        values |= {"t3": np.pi / 2 - values["t2"] + values["t7"], "t8": values["t2"] - values["t7"]}
    for function in (inverse_dynamics, direct_dynamics):
        plain, grouped = function(robot), function(robot, base_parameters=True)
        assert grouped.operations.total < plain.operations.total
        grouping = values | reduced.values({n: values[n] for n in robot.parameters})
        agree(np.array(evaluate(grouped.roots, grouping)), np.array(evaluate(plain.roots, values)), 1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_articulated_bodies_run_on_floats(seed: int) -> None:
    case = draw(seed, floating=seed % 2 == 0)
    robot = case.robot
    free = robot.base.kind == "floating"
    tree = tree_of(robot, lambda e: evaluate([e], case.values)[0], base_free=free)
    gam = dict(zip(robot.tree_joints, case.vector("GAM"), strict=True))
    qdd = respond(tree, {j: gam[j] - tree.body(j).friction for j in gam}, free).qdd
    agree(np.array([qdd[j] for j in robot.tree_joints]), case.number(direct_dynamics(robot))["qdd"])


@pytest.mark.parametrize("seed", range(3))
def test_evaluations_agree(seed: int) -> None:
    case = draw(100 + seed, links=5, symbolic=True)
    model = direct_dynamics(case.robot)
    expected = case.number(model)["qdd"]
    agree(by_python(model, case.values), expected)
    agree(by_machine_code(model, case.values), expected)


def test_singular_pose_and_one_link() -> None:
    """At a singular wrist, the inertia matrix is regular."""
    case = draw(3, links=1, symbolic=True)
    agree(case.number(inertia_matrix(case.robot))["A"], case.inertia())
    arm = Case(rs.load("ur5e"), {})
    arm.values = dict.fromkeys((n for n in arm.robot.variables if n), 0.0) | dict.fromkeys(arm.robot.parameters, 0.3)
    expected = np.linalg.solve(arm.inertia(), arm.vector("GAM") - arm.bias()[0])
    agree(arm.number(direct_dynamics(arm.robot))["qdd"], expected, 1e-9)


def test_long_chain() -> None:
    """Traversals are iterative; names of two-digit joints are unique."""
    frames = "\n".join(f"  - {{alpha: Pi/2, d: 0.1, theta: t{j}}}" for j in range(1, 121))
    robot = rs.loads(f"name: snake\nframes:\n{frames}\nlinks: symbolic\ngravity: [0, 0, G3]", format="yaml")
    assert len(direct_dynamics(robot).outputs["qdd"]) == 120
    assert len(set(inertia_matrix(robot).output_names)) == 120 * 120
