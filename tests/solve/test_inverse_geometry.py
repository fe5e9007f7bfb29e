"""Test arguments of `inverse_geometry` and their error messages."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from cases.forward import build, gap, place, poses
from robosym.errors import InputError
from robosym.solve import inverse_geometry

PUMA = rs.load("puma560")
MODEL = inverse_geometry(PUMA)


@pytest.mark.parametrize(
    ("pose", "words"),
    [
        (np.eye(3), "shape"),
        (np.zeros((2, 3, 4, 4)), "shape"),
        ("nonsense", "4x4"),
        (np.diag([1.0, 1, -1, 1]), "reflection"),
        (np.diag([1.0, 1, 2, 1]), "not a rotation"),
        (np.full((4, 4), np.nan), "finite"),
        (np.ones((4, 4)), "last row"),
    ],
)
def test_rejects_invalid_poses(pose, words):
    with pytest.raises(InputError, match=words):
        MODEL.solve(pose)


def test_unreachable_pose_has_no_solution():
    far = np.eye(4)
    far[:3, 3] = 5
    assert MODEL.solve(far).shape == (0, 6)
    found = MODEL.solve(np.array([far, place(PUMA, dict.fromkeys(MODEL.joints, 0.5), 6)]))
    assert [len(solutions) for solutions in found] == [0, 8]


def test_rounded_pose_is_accepted():
    T = np.round(place(PUMA, dict.fromkeys(MODEL.joints, 0.5), 6), 7)
    assert gap(MODEL.solve(T), np.full(6, 0.5), [False] * 6) < 1e-5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"method": "magic"}, "expected one of"),
        ({"given": "xyz"}, "letters"),
        ({"frame": 9}, "frames 1 to 6"),
        ({"fixed": ["t9"]}, "expected a joint"),
        ({"tool": [[1, 2], [3, 4]]}, "4x4"),
        ({"tool": np.diag([1.0, 1, -1, 1])}, "not a rotation"),
        ({"given": "P", "frame": 6, "method": "paul", "tool": np.diag([1.0, 1, 1, 1]) + np.eye(4, k=3)}, "free"),
    ],
)
def test_rejects_invalid_arguments(arguments, words):
    with pytest.raises(InputError, match=words):
        inverse_geometry(PUMA, **arguments)


def test_task_that_leaves_joints_free_needs_a_position():
    model = inverse_geometry(rs.load("iiwa14"), given="sna")
    for call in (lambda: model.solve(np.eye(4)), model.code, model.branches):
        with pytest.raises(InputError, match="s n a of the pose leaves 4 joints free"):
            call()
    with pytest.raises(InputError, match="fix 1 of them"):
        inverse_geometry(rs.load("iiwa14"), method="paul", given="sna")


def test_error_names_missing_parameters():
    model = inverse_geometry(rs.load("rx90"))
    assert model.parameters == ("D3", "RL4")
    with pytest.raises(InputError, match="D3 has no value"):
        model.solve(np.eye(4))
    with pytest.raises(InputError, match="no parameter D4"):
        model.solve(np.eye(4), parameters={"D3": 1, "RL4": 1, "D4": 1})
    numbers = inverse_geometry(rs.load("rx90").with_values({"D3": 0.45, "RL4": 0.45}))
    T = place(rs.load("rx90"), {"D3": 0.45, "RL4": 0.45, **dict.fromkeys(model.joints, 0.4)}, 6)
    assert np.allclose(numbers.solve(T), model.solve(T, parameters={"D3": 0.45, "RL4": 0.45}))


def test_rejects_unsuitable_methods():
    rng = np.random.default_rng(0)
    rows = [{"alpha": rng.uniform(-2, 2), "d": rng.uniform(0.2, 1), "r": rng.uniform(0.2, 1), "theta": f"t{j}"}
            for j in range(1, 7)]  # fmt: skip
    general = build("general", rows)
    with pytest.raises(InputError, match="Paul"):
        inverse_geometry(general, "paul")
    with pytest.raises(InputError, match="Pieper"):
        inverse_geometry(general, "pieper")
    with pytest.raises(InputError, match="no closed form"):
        inverse_geometry(general, "general").code("fortran")
    with pytest.raises(InputError, match="unknown language"):
        MODEL.code("cobol")


@pytest.mark.parametrize("seed", range(16))
def test_random_robots(seed):
    """Chains of one to six joints with prismatic joints, special and random angles, gamma, b and fixed frames."""
    rng = np.random.default_rng(seed)
    rows = []
    for j in range(1, int(rng.integers(1, 7)) + 1):
        sigma = int(rng.random() < 0.3)
        row = {
            "sigma": sigma,
            "alpha": str(rng.choice(["0", "Pi/2", "-Pi/2", "Pi", "Pi/3", "0.7"])),
            "d": float(rng.choice([0, 0.3, 0.5])),
            "theta": "0.5" if sigma else f"t{j}{rng.choice(['', ' + Pi/2', ' - 0.3'])}",
            "r": f"r{j}" if sigma else float(rng.choice([0, 0.25])),
        }
        if rng.random() < 0.2:
            row |= {"gamma": str(rng.choice(["Pi/2", "0.4"])), "b": 0.2}
        rows.append(row)
        if rng.random() < 0.15:
            rows.append({"sigma": 2, "alpha": str(rng.choice(["Pi/2", "0.3"])), "d": 0.1, "r": 0.05, "theta": "0.2"})
    robot = build("random", rows)
    try:
        model = inverse_geometry(robot)
    except InputError as error:
        assert "free" in str(error)  # only poses with a free joint are rejected
        return
    lengths = [joint.prismatic for joint in model.problem.chain.joints]
    shape = (6, len(lengths))
    q = np.where(lengths, rng.uniform(-1, 1, shape), rng.uniform(-np.pi, np.pi, shape))
    T = poses(robot, model.joints, q, {}, robot.NF)
    for target, solutions, row in zip(T, model.solve(T), q, strict=True):
        assert solutions.singular or gap(solutions, row, lengths) < 1e-5
        for solution in solutions:
            reached = place(robot, dict(zip(model.joints, solution, strict=True)), robot.NF)
            assert np.abs(reached - target).max() < 1e-8


@pytest.mark.parametrize("fixed", [{"t1": "a"}, {"t1": None}, 3])
def test_rejects_fixed_without_names(fixed) -> None:
    with pytest.raises(rs.Error, match="fixed: expected names of joints"):
        inverse_geometry(rs.load("puma560"), fixed=fixed)


def test_rejects_parameters_that_are_no_mapping() -> None:
    with pytest.raises(rs.Error, match="expected a mapping"):
        inverse_geometry(rs.load("puma560")).solve(np.eye(4), parameters="D3")
