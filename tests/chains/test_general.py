"""Test the general method: arms without special structure, prismatic joints anywhere, degenerate geometry."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import robosym as rs
from cases.forward import build, gap, place
from robosym.solve import inverse_geometry


def arm(types, rng, noise=None):
    rows = []
    for j, kind in enumerate(types, 1):
        row = {"alpha": rng.uniform(-3, 3), "d": rng.uniform(0.1, 1)}
        row |= {"theta": f"t{j}", "r": rng.uniform(0.1, 1)} if kind == "R" else {
            "sigma": 1, "theta": rng.uniform(-3, 3), "r": f"r{j}"}  # fmt: skip
        rows.append(row)
    return build("arm", rows)


def recovered(robot, rng, count=1):
    model = inverse_geometry(robot, "general")
    lengths = [joint.prismatic for joint in model.problem.chain.joints]
    for _ in range(count):
        q = np.where(lengths, rng.uniform(-1, 1, len(lengths)), rng.uniform(-np.pi, np.pi, len(lengths)))
        T = place(robot, dict(zip(model.joints, q, strict=True)), robot.NF)
        solutions = model.solve(T)
        assert gap(solutions, q, lengths) < 1e-6
        for solution in solutions:
            reached = place(robot, dict(zip(model.joints, solution, strict=True)), robot.NF)
            assert np.abs(reached - T).max() < 1e-9
        if len(lengths) == 6:
            assert len(solutions) % 2 == 0


@pytest.mark.parametrize("seed", range(4))
def test_general_6r(seed):
    rng = np.random.default_rng(seed)
    for _ in range(6):
        recovered(arm("RRRRRR", rng), rng)


@pytest.mark.parametrize("place_", range(6))
def test_5r1p(place_):
    rng = np.random.default_rng(place_)
    for _ in range(3):
        recovered(arm("R" * place_ + "P" + "R" * (5 - place_), rng), rng)


@pytest.mark.parametrize("places", list(itertools.combinations(range(6), 2)))
def test_4r2p_in_every_placement(places):
    rng = np.random.default_rng(sum(places))
    types = "".join("P" if j in places else "R" for j in range(6))
    for _ in range(2):
        recovered(arm(types, rng), rng)


@pytest.mark.parametrize("types", ["PPRRPR", "RPRPRP", "RRRRR", "RPRR", "RRP"])
def test_3r3p_and_fewer_than_six_joints(types):
    rng = np.random.default_rng(len(types))
    recovered(arm(types, rng), rng, 4)


@pytest.mark.parametrize("error", [1e-2, 1e-3, 1e-4])
def test_calibrated_arms(error):
    """Almost right angles and axes that almost meet: there is no closed form, and elimination is nearly singular."""
    rng = np.random.default_rng(7)
    nominal = [(0, 0, 0), (1, 0, 0), (0, 0.45, 0), (-1, 0, 0.45), (1, 0, 0), (-1, 0, 0)]
    for _ in range(4):
        rows = [
            {"alpha": a * np.pi / 2 + error * rng.normal(), "d": d + error * rng.normal(),
             "r": r + error * rng.normal(), "theta": f"t{j}"}
            for j, (a, d, r) in enumerate(nominal, 1)
        ]  # fmt: skip
        recovered(build("calibrated", rows), rng)


@pytest.mark.parametrize("name", ["puma560", "ur5e", "rx90"])
def test_degenerate_geometry(name):
    """Intersecting and parallel axes break plain elimination; all solutions must still be found."""
    robot = rs.load(name)
    if name == "rx90":
        robot = robot.with_values({"D3": 0.45, "RL4": 0.45})
    q = np.array([0.3, -0.5, 0.7, 1.1, -0.9, 0.4])
    closed, general = inverse_geometry(robot), inverse_geometry(robot, "general")
    T = place(robot, dict(zip(closed.joints, q, strict=True)), robot.NF)
    expected = closed.solve(T)
    found = general.solve(T)
    assert len(found) == len(expected)
    assert all(gap(found, row, [False] * 6) < 1e-6 for row in np.asarray(expected))


def test_sixteen_real_solutions():
    """Manseur and Doty's arm: twists of 90 and 1 degrees."""
    twist, a, d = (90, 1, 90, 1, 90, 1), (0.3, 1, 0, 1.5, 0, 0), (0, 0, 0.2, 0, 0, 0)
    rows = [{"theta": "t1"}]
    rows += [{"alpha": f"{twist[j - 1]}*Pi/180", "d": a[j - 1], "theta": f"t{j + 1}", "r": d[j]} for j in range(1, 6)]
    robot = build("sixteen", [*rows, {"sigma": 2, "alpha": "Pi/180"}])
    T = np.eye(4)
    T[:3] = [[-0.760117, -0.641689, 0.102262, -1.140175], [0.133333, 0, 0.991071, 0],
             [-0.635959, 0.766965, 0.085558, 0]]  # fmt: skip
    model = inverse_geometry(robot)
    assert model.method == "general"
    solutions = model.solve(T)
    assert len(solutions) == 16
    for solution in solutions:
        reached = place(robot, dict(zip(model.joints, solution, strict=True)), 7)
        assert np.abs(reached - T).max() < 2e-6  # the pose is printed with six digits


def test_batch_equals_single_poses():
    rng = np.random.default_rng(5)
    robot = arm("RRPRRR", rng)
    model = inverse_geometry(robot)
    T = np.array([place(robot, dict(zip(model.joints, rng.uniform(-1, 1, 6), strict=True)), 6) for _ in range(10)])
    for many, pose in zip(model.solve(T), T, strict=True):
        one = model.solve(pose)
        assert len(one) == len(many) and all(gap(many, row, [False] * 6) < 1e-7 for row in np.asarray(one))


def test_finds_solutions_with_equal_hidden_joint() -> None:
    """At poses with right angles one eigenvalue belongs to two solutions; neither may be lost."""
    text = """
    name: right_angles
    frames:
      - {theta: t1 + Pi}
      - {alpha: Pi/2, d: 0.848, theta: t2 - Pi/2, r: -0.185}
      - {d: -0.386, theta: t3, r: 0.825}
      - {alpha: Pi/2, theta: t4, r: -0.484}
      - {alpha: Pi/2, theta: t5 + 0.3, r: 0.884}
      - {alpha: -Pi/2, d: 0.178, theta: t6, r: -0.671}
    gravity: [0, 0, G3]
    """
    robot = rs.loads(text, format="yaml")
    pose = rs.direct_geometry(robot, 0, 6).compile()(q=np.zeros(6))
    solutions = rs.inverse_geometry(robot, method="general").solve(pose)
    assert len(solutions) == 4  # the number that Newton's method finds from many starts
    for t3 in (0.0, np.pi):  # these two have t1 = t4 = t6 = 0
        assert np.min(np.abs(np.sin((solutions[:, [0, 2, 3, 5]] - [0, t3, 0, 0]) / 2)).max(axis=1)) < 1e-9
