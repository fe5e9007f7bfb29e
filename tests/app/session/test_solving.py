"""Solutions of a pose on the page: all of them, put back by an independent program; steps as the book writes them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict

import numpy as np
import pytest

import robosym as rs
from long_cases import quick_and_long
from oracles.pinocchio import table_poses
from robosym.drawing.posture import Posture
from robosym.drawing.posture_solver import PageSolver
from robosym.errors import InputError
from robosym.solve.pose_solver import pose_solver


def direct(posture: Posture) -> Callable[[Mapping[str, float]], np.ndarray]:
    """The pose at joints, by another program."""
    robot = posture.closed.with_values({s.name: s.value for s in posture.symbols})
    return lambda joints: table_poses(robot, joints)[posture.frame]


@pytest.mark.parametrize(("name", "count"), [("rx90", 8), ("ur5e", 8), ("scara", 2), ("planar2r", 2), ("panda", 8)])
def test_every_solution_reaches_the_pose(name: str, count: int) -> None:
    posture = Posture(rs.load(name))
    solver = PageSolver(posture)
    goal = posture.scene.poses[posture.frame]
    found = solver.solve(goal)
    assert len(found) == count
    columns = ["snaP".index(letter) for letter in solver.given]
    pose = direct(posture)
    for solution in found:
        assert np.allclose(pose(solution.joints)[:, columns], goal[:, columns], atol=1e-9)
    now = posture.joints
    assert any(
        all(abs(np.remainder(s.joints[n] - now[n] + np.pi, 2 * np.pi) - np.pi) < 1e-7 for n in solver.joints)
        for s in found
    )


CLOSED = [("sr400", 4), ("delta", 8), ("gough", 1), ("gough_stewart", 1)]


@pytest.mark.parametrize(("name", "count"), quick_and_long(CLOSED, long=[("gough", 1)]))
def test_closed_and_parallel_robots(name: str, count: int) -> None:
    posture = Posture(rs.load(name))
    solver = PageSolver(posture)
    found = solver.solve(posture.scene.poses[posture.frame], search=False)
    assert len(found) == count
    for solution in found:
        posture.stand(solution.joints)
        poses = posture.scene.poses
        assert all(np.allclose(poses[a][:3, 3], poses[b][:3, 3], atol=1e-7) for a, b in posture.closed.loops)


def test_unreachable_pose_has_no_solution() -> None:
    posture = Posture(rs.load("ur5e"))
    T = np.eye(4)
    T[:3, 3] = 5.0, 0.0, 0.0
    assert PageSolver(posture).solve(T) == []
    with pytest.raises(InputError):
        PageSolver(posture).solve(np.diag([2.0, 1.0, 1.0, 1.0]))


def test_fixes_a_joint_of_a_redundant_robot() -> None:
    posture = Posture(rs.load("panda"))
    solver = PageSolver(posture)
    assert (solver.method, solver.fixed) == ("paul", {"t7": posture.joints["t7"]})
    assert {s.joints["t7"] for s in solver.solve(posture.scene.poses[posture.frame])} == {posture.joints["t7"]}
    assert PageSolver(posture, fixed={"x9": 0.0}).fixed == solver.fixed  # what another robot held is forgotten


def test_fixes_two_of_eight_joints() -> None:
    frames = [{"theta": f"t{j}", "alpha": "0" if j == 1 else f"{(-1) ** j}*Pi/2", "r": 0.3 if j % 2 else 0}
              for j in range(1, 9)]  # fmt: skip
    posture = Posture(rs.robot("snake", frames=frames, gravity=[0, 0, -9.81]))
    solver = PageSolver(posture)
    goal = posture.scene.poses[posture.frame]
    found = solver.solve(goal)
    assert len(solver.fixed) == 2 and found
    pose = direct(posture)
    assert all(np.allclose(pose(solution.joints), goal, atol=1e-8) for solution in found)


def test_hybrid_robot_reports_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("robosym.drawing.posture_solver._SEARCH", 0.3)
    posture = Posture(rs.load("tricept_wrist"))
    posture.place({"w1": 0.4, "w2": 0.5, "w3": -0.3})
    solver = PageSolver(posture)
    goal = posture.scene.poses[posture.frame]
    assert solver.searches and len(solver.solve(goal, search=False)) == 1
    assert "others are searched" in solver.remark
    found = solver.solve(goal)
    assert found and "there may be more" in solver.remark
    pose = direct(posture)
    assert all(np.allclose(pose(solution.joints), goal, atol=1e-6) for solution in found)


def test_steps_equal_those_of_the_book() -> None:
    solver = PageSolver(Posture(rs.load("ur5e")))
    json.dumps([asdict(step) for step in solver.steps])
    first = solver.steps[0]
    assert (first.unknown, first.type, first.values) == ("t1", "type 2", 2)
    assert first.letters[1] == ("Y", "Py - 0.0996*ay")
    assert first.equations == ("X*sin(t1) + Y*cos(t1) + Z = 0",)
    assert first.free == "X = Y = Z = 0"
    assert solver.counted == "2 × 2 × 2 = 8 solutions"


def test_number_of_solutions_per_leg() -> None:
    posture = Posture(rs.load("ur5e"))
    solver = PageSolver(posture)
    found = solver.solve(posture.scene.poses[posture.frame])
    tags = solver.tags(found, 5)
    assert [tag["tag"] for tag in tags if tag["on"]] == [5]
    assert len({tuple(np.round(tag["at"], 6)) for tag in tags}) > 2


def test_leg_has_its_own_equations() -> None:
    steps = PageSolver(Posture(rs.load("delta"))).steps
    assert steps
    assert all(step.letters for step in steps)


@pytest.mark.parametrize("name", ["rx90", "panda", "sr400", "fivebar"])
def test_library_and_page_find_the_same(name: str) -> None:
    posture = Posture(rs.load(name))
    goal = posture.scene.poses[posture.frame]
    solver = pose_solver(posture.robot, values={s.name: s.value for s in posture.symbols}, near=posture.joints)
    found = solver.solve(goal, posture.joints)
    shown = PageSolver(posture).solve(goal)
    assert shown
    assert found.positions == [dict(one.joints) for one in shown]
