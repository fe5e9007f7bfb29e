"""Test Paul's method on industrial arms: every solution is verified by an independent forward model."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from cases.forward import build, gap, place, poses
from robosym.algebra import Graph, parse
from robosym.algebra.samples import Samples
from robosym.chains.equation_types import Univariate
from robosym.chains.paul import _best
from robosym.model.solution.steps import Variable
from robosym.solve import inverse_geometry

VALUES = {
    "rx90": {"D3": 0.45, "RL4": 0.45},
    "stanford": {"RL2": 0.2},
    "sr400": {"D2": 0.1, "D3": 0.8, "D4": 0.2, "RL4": 0.9, "D8": 0.3},
}


def random_joints(model, count, seed=0):
    rng = np.random.default_rng(seed)
    lengths = [joint.prismatic for joint in model.problem.chain.joints]
    shape = (count, len(lengths))
    return np.where(lengths, rng.uniform(-0.8, 0.8, shape), rng.uniform(-np.pi, np.pi, shape)), lengths


def check(robot, model, q, lengths, parameters, frame, tolerance=1e-9):
    """Check that the solutions contain the original configuration and that every solution reaches the pose."""
    names = [joint.name for joint in model.problem.chain.joints]
    T = poses(robot, names, q, parameters, frame)
    found = model.solve(T, parameters={k: v for k, v in parameters.items() if k in model.parameters})
    columns = [list(model.joints).index(name) for name in names]
    for target, solutions, row in zip(T, found, q, strict=True):
        assert gap(solutions[:, columns], row, lengths) < 1e-6
        for solution in solutions[:3]:
            reached = place(robot, {**parameters, **dict(zip(model.joints, solution, strict=True))}, frame)
            assert np.abs(reached - target).max() < tolerance
    return found


@pytest.mark.parametrize("name", ["rx90", "puma560", "stanford", "ur5e", "tx90", "scara", "gantry3p3r"])
def test_every_solution_of_industrial_arms(name):
    robot = rs.load(name)
    model = inverse_geometry(robot)
    assert model.method == "paul"
    q, lengths = random_joints(model, 60)
    found = check(robot, model, q, lengths, VALUES.get(name, {}), robot.NF)
    most = {"scara": 2, "gantry3p3r": 2}.get(name, 8)
    counts = {len(solutions) for solutions in found}
    assert max(counts) == most and all(count % 2 == 0 for count in counts)


def test_solutions_are_distinct_and_within_one_turn():
    model = inverse_geometry(rs.load("puma560"))
    q, _ = random_joints(model, 5)
    for solutions in model.solve(poses(rs.load("puma560"), model.joints, q, {}, 6)):
        assert len(np.unique(np.round(solutions, 5), axis=0)) == len(solutions)
        assert np.all(np.abs(solutions) <= np.pi)


@pytest.mark.parametrize("name", ["rx90", "puma560", "ur5e", "stanford", "tx90"])
def test_names_free_joints_at_right_angles(name):
    robot = rs.load(name)
    model = inverse_geometry(robot)
    q, lengths = random_joints(model, 70)
    q = np.where(lengths, np.round(q, 1), np.round(q / (np.pi / 2)) * np.pi / 2)
    T = poses(robot, model.joints, q, VALUES.get(name, {}), robot.NF)
    found = model.solve(T, parameters=VALUES.get(name))
    named = 0
    for row, target, solutions in zip(q, T, found, strict=True):
        assert len(solutions) and np.isfinite(solutions).all()
        reached = place(robot, {**VALUES.get(name, {}), **dict(zip(model.joints, solutions[0], strict=True))}, robot.NF)
        assert np.abs(reached - target).max() < 1e-9
        wrist = abs(np.sin(row[4])) < 1e-9 and np.hypot(*target[:2, 3]) > 0.1  # only axes 4 and 6 coincide
        if name in ("rx90", "puma560") and wrist:
            assert any({"t4", "t6"} <= set(free) for free in solutions.free)
            named += 1
    assert named or name not in ("rx90", "puma560")


@pytest.mark.parametrize("name", ["puma560", "stanford"])
def test_solves_poses_close_to_singular_ones(name):
    robot = rs.load(name)
    model = inverse_geometry(robot)
    rng = np.random.default_rng(0)
    lengths = [joint.prismatic for joint in model.problem.chain.joints]
    for digits in (3, 6, 9, 12):
        q = rng.integers(-1, 3, (15, 6)) * np.pi / 2 + rng.uniform(-1, 1, (15, 6)) * 10.0**-digits
        q = np.where(lengths, rng.choice([0, 0.3], (15, 6)), q)
        T = poses(robot, model.joints, q, VALUES.get(name, {}), 6)
        for solutions in model.solve(T, parameters=VALUES.get(name)):
            assert len(solutions) and solutions.errors.max() < 2e-9


def test_stretched_arm_has_no_free_joint():
    robot = rs.load("planar2r")
    model = inverse_geometry(robot, given="P")
    solutions = model.solve([2.0, 0.0, 0.0])
    assert solutions == pytest.approx(np.zeros((1, 2)), abs=1e-6)
    assert not solutions.singular
    assert len(model.solve([1.0, 1.0, 0.0])) == 2
    assert model.solve([2.1, 0.0, 0.0]).shape == (0, 2)


def test_offsets_gamma_b_and_fixed_frames():
    rows = [
        {"gamma": 0.3, "b": 0.1, "theta": "t1 + Pi/3", "r": 0.2},
        {"sigma": 2, "gamma": -0.2, "alpha": 0.0, "d": 0.05, "b": 0.07},
        {"gamma": "Pi/2", "b": -0.1, "alpha": "Pi/2", "theta": "t3 - 0.4"},
        {"d": 0.45, "theta": "t4", "gamma": 0.1, "b": 0.05},
        {"sigma": 2, "theta": "Pi/2"},
        {"alpha": "Pi/2", "theta": "t6", "r": 0.5},
        {"alpha": "-Pi/2", "theta": "t7"},
        {"alpha": "Pi/2", "theta": "t8", "r": 0.1},
        {"sigma": 2, "gamma": 0.3, "alpha": 0.4, "d": 0.1, "r": 0.2},
    ]
    robot = build("odd", rows)
    model = inverse_geometry(robot)
    assert model.method in ("paul", "pieper")
    q, lengths = random_joints(model, 40)
    check(robot, model, q, lengths, {}, robot.NF)


@pytest.mark.parametrize("prismatic", [False, True])
def test_planar_arms_use_sums_of_angles(prismatic):
    """Planar arms with three parallel axes, or two and a prismatic joint, need equations of types 4 to 8."""
    middle = {"d": 0.5, "alpha": 0.0, "theta": "t2"}
    if prismatic:
        middle = {"sigma": 1, "alpha": "Pi/2", "r": "r2"}
    last = {"alpha": "-Pi/2" if prismatic else 0, "d": 0.4, "theta": "t3"}
    robot = build("planar", [{"theta": "t1"}, middle, last, {"sigma": 2, "d": 0.3}])
    model = inverse_geometry(robot)
    q, lengths = random_joints(model, 40)
    check(robot, model, q, lengths, {}, 4)


def test_position_and_axis_tasks():
    robot = build("arm3", [{"theta": "t1", "r": 0.2}, {"alpha": "Pi/2", "theta": "t2"}, {"d": 0.5, "theta": "t3"},
                           {"sigma": 2, "d": 0.4}])  # fmt: skip
    model = inverse_geometry(robot, given="P")
    rng = np.random.default_rng(1)
    q = rng.uniform(-3, 3, (30, 3))
    T = poses(robot, model.joints, q, {}, 4)
    for solutions, row in zip(model.solve(T[:, :3, 3]), q, strict=True):
        assert gap(solutions, row, [False] * 3) < 1e-6 and len(solutions) == 4
    five = build("arm5", [{"theta": "t1"}, {"alpha": "Pi/2", "theta": "t2"}, {"d": 0.5, "theta": "t3"},
                          {"d": 0.4, "theta": "t4"}, {"alpha": "Pi/2", "theta": "t5", "r": 0.1},
                          {"sigma": 2, "alpha": 0.7, "d": 0.1}])  # fmt: skip
    model = inverse_geometry(five, given="aP")
    q = rng.uniform(-3, 3, (30, 5))
    T = poses(five, model.joints, q, {}, 6)
    for target, solutions, row in zip(T, model.solve(T), q, strict=True):
        assert gap(solutions, row, [False] * 5) < 1e-6
        for solution in solutions:
            reached = place(five, dict(zip(model.joints, solution, strict=True)), 6)
            assert np.abs((reached - target)[:, 2:]).max() < 1e-9


def test_joints_without_effect_on_the_task_are_free():
    robot = rs.load("rx90")
    model = inverse_geometry(robot, given="P")
    assert model.idle == ("t4", "t5", "t6") and "free: t4 t5 t6" in model.explain()
    q = np.array([0.3, 0.5, -0.7, 0, 0, 0])
    point = place(robot, {**VALUES["rx90"], **dict(zip(model.joints, q, strict=True))}, 6)[:3, 3]
    solutions = model.solve(point, parameters=VALUES["rx90"])
    assert gap(solutions, q, [False] * 6) < 1e-9 and len(solutions) == 4
    assert set(solutions.free) == {("t4", "t5", "t6")}


@pytest.mark.parametrize("fixed", ["t3", "t7"])
def test_redundant_arm_with_a_joint_fixed(fixed):
    robot = rs.load("iiwa14")
    model = inverse_geometry(robot, fixed=[fixed])
    names = [joint.name for joint in model.problem.chain.joints]
    rng = np.random.default_rng(3)
    for q in rng.uniform(-2, 2, (8, 7)):
        T = place(robot, dict(zip(names, q, strict=True)), robot.NF)
        solutions = model.solve(T, parameters={fixed: q[names.index(fixed)]})
        assert gap(solutions, np.delete(q, names.index(fixed)), [False] * 6) < 1e-6
    value = 0.3
    given = inverse_geometry(robot, fixed={fixed: value})
    assert len(given.solve(place(robot, {**dict(zip(names, q, strict=True)), fixed: value}, robot.NF)))


def test_tool_and_world():
    robot = rs.load("puma560")
    E = np.array([[0, -1, 0, 0.1], [1, 0, 0, 0], [0, 0, 1, 0.2], [0, 0, 0, 1.0]])
    model = inverse_geometry(robot, tool=E, reference=-1)
    q = np.array([0.3, -0.5, 0.7, 1.1, -0.9, 0.4])
    T = place(robot, dict(zip(model.joints, q, strict=True)), 6) @ E  # the world frame of this robot is its frame 0
    assert gap(model.solve(T), q, [False] * 6) < 1e-9


def test_steps_explain_themselves():
    model = inverse_geometry(rs.load("rx90"))
    assert sorted(step.joint for step in model.steps) == ["t1", "t2", "t3", "t4", "t5", "t6"]
    first = next(step for step in model.steps if step.joint == "t1")
    assert first.type == "type 2" and first.branches == 2 and first.equations == ("U1,2[2,4]",)
    assert first.values == {"X": "-Px", "Y": "Py", "Z": "0"}
    text = model.explain()
    assert "paul method" in text and all(f"{step.joint}:" in text for step in model.steps)
    assert "\\begin{align*}" in model.latex() and "RL_{4}" in model.latex()


def test_prefers_equations_that_are_rarely_singular():
    """The order is: pairs with a constant divisor, orthogonal pairs of equal norm, orthogonal pairs, other pairs."""
    graph = Graph()
    rng = np.random.default_rng(0)
    samples = Samples(graph, {name: rng.uniform(0.1, 0.2, 5) for name in "abcde"})
    texts = ("2 0 a 0 3 b", "a b c -b a d", "a b c -3*b 3*a d", "a b c d e 1")
    pairs = [
        Univariate(
            Variable((("t1", 1),)), "pair", text, tuple(parse(part, graph) for part in text.split()), ("U1", "U2")
        )
        for text in texts
    ]
    for k in range(len(pairs)):
        assert _best(pairs[::-1][: len(pairs) - k], False, samples) is pairs[k]
