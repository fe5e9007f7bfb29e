"""Test positions from poses for every structure of robot against Pinocchio's placements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

import robosym as rs
from cases.reduced_mobility import delta_pa
from long_cases import quick_and_long
from oracles.pinocchio import table_poses
from robosym.algebra import symbols
from robosym.chains.numeric_chain import Solutions
from robosym.coordinates.numeric_robot import NumericRobot
from robosym.errors import InputError
from robosym.mechanism import GEOMETRY
from robosym.solve.pose_solver import PoseSolver, pose_solver
from robosym.solve.reaching import follow_joints, lead_frame, lead_joints


def numbers(robot: rs.Robot) -> dict[str, float]:
    """Return values of a symbolic geometry: those used for pictures, and distinct values for other lengths."""
    closed = robot.to_closed()
    needed = symbols([getattr(frame, name) for frame in closed.frames for name in GEOMETRY])
    lengths = [name for name in needed if name not in closed.variables]
    return {name: closed.picture.get(name, 0.3 + 0.05 * k) for k, name in enumerate(lengths)}


def moved(solver: PoseSolver) -> dict[str, float]:
    """Return a generic position; for a closed robot, one near its reference."""
    robot = solver.numeric
    start = robot.at(None)
    step = 0.02 if robot.robot.loops else 0.6
    motors = [name for name in robot.motors if name not in solver.fixed]
    wanted = {name: start[name] + step * (-1) ** k * (1 + 0.1 * k) for k, name in enumerate(motors)}
    if not robot.robot.loops:
        return robot.coupled(start | wanted)
    here, arrived = lead_joints(robot, start, wanted)
    assert arrived
    return here


def check(solver: PoseSolver, T: np.ndarray, found: Solutions) -> None:
    """Check that solutions are distinct, reach the pose, close the loops and satisfy the couplings."""
    robot = solver.numeric.robot
    columns = ["snaP".index(name) for name in solver.given]
    for joints, error in zip(found.positions, found.errors, strict=True):
        poses = table_poses(robot, joints)
        left = np.abs(poses[solver.frame] - T)[:3, columns].max()
        assert left < 1e-6 and abs(left - error) < 1e-9
        assert all(np.abs(poses[cut] - poses[fixed]).max() < 1e-6 for cut, fixed in robot.loops)
        for name, coupling in robot.couplings.items():
            assert abs(joints[name] - coupling.value(joints)) < 1e-9
    check_distinct(solver, found)


def check_distinct(solver: PoseSolver, found: Solutions) -> None:
    rows = np.array([[joints[name] for name in solver.numeric.names] for joints in found.positions])
    for k, row in enumerate(rows):
        assert (np.abs(np.exp(1j * rows[:k]) - np.exp(1j * row)).max(axis=1) > 1e-7).all()


def holds(found: Solutions, joints: Mapping[str, float], names: tuple[str, ...]) -> bool:
    """Return whether a position is among the solutions, up to whole turns."""
    return any(all(abs(np.exp(1j * one[n]) - np.exp(1j * joints[n])) < 1e-6 for n in names) for one in found.positions)


#: method, number of solutions, whether they are complete
CASES = [
    ("rx90", "paul", 8, True),
    ("ur5e", "paul", 4, True),
    ("scara", "paul", 2, True),
    ("panda", "paul", 4, False),
    ("iiwa14", "paul", 8, False),
    ("sr400", "paul", 4, False),
    ("fivebar", "legs", 2, True),
    ("agile_eye", "legs", 8, True),
    ("delta", "legs", 8, True),
    ("hexa", "legs", 64, True),
    ("gough_stewart", "near", None, False),
    ("tricept_wrist", "near", None, False),
]


@pytest.mark.parametrize(("name", "method", "count", "complete"), quick_and_long(CASES, long=[CASES[4], CASES[9]]))
def test_every_structure(name: str, method: str, count: int | None, complete: bool | None) -> None:
    robot = rs.load(name)
    solver = pose_solver(robot, values=numbers(robot))
    here = moved(solver)
    T = table_poses(solver.numeric.robot, here)[solver.frame]
    found = solver.solve(T, seconds=0.4)
    check(solver, T, found)
    assert (solver.method, found.complete) == (method, complete)
    assert found.complete is True or found.why
    assert len(found) == count if count is not None else len(found) >= 1
    assert holds(found, here, solver.numeric.motors)


@pytest.mark.parametrize("name", ["rx90", "ur5e", "trainer"])
def test_elimination_finds_no_more_than_a_complete_closed_form(name: str) -> None:
    robot = rs.load(name)
    solver, other = (pose_solver(robot, method, values=numbers(robot)) for method in ("auto", "general"))
    T = solver.numeric.poses(moved(solver))[solver.frame]
    found, more = solver.solve(T), other.solve(T)
    assert (found.complete, more.complete, other.method) == (True, None, "general")
    assert len(more) == len(found) > 0
    assert all(holds(found, joints, solver.numeric.motors) for joints in more.positions)


def test_second_rods_of_parallelograms_follow() -> None:
    solver = pose_solver(delta_pa())
    here = moved(solver)
    T = table_poses(solver.numeric.robot, here)[solver.frame]
    found = solver.solve(T)
    check(solver, T, found)
    assert (solver.method, len(found), found.complete) == ("legs", 8, True)
    assert holds(found, here, solver.numeric.motors)


def test_fixed_joints_keep_their_values() -> None:
    solver = pose_solver(rs.load("panda"), fixed={"t3": 0.2})
    here = solver.numeric.at(None) | {"t3": 0.2, "t2": 0.4, "t4": -1.5}
    T = table_poses(solver.numeric.robot, here)[solver.frame]
    found = solver.solve(T)
    check(solver, T, found)
    assert {joints["t3"] for joints in found.positions} == {0.2} and holds(found, here, solver.numeric.names)
    assert (found.complete, found.why) == (False, "with t3 = 0.2")
    elsewhere = replace(solver, fixed={"t3": 0.1}).solve(T)
    check(solver, T, elsewhere)
    assert {joints["t3"] for joints in elsewhere.positions} <= {0.1}
    with pytest.raises(InputError, match="x9"):
        pose_solver(rs.load("panda"), fixed={"x9": 0.0})


SIX = """
name: six
frames:
  - {theta: t1}
  - {alpha: Pi/2, d: 0.2, theta: t2}
  - {d: 0.5, theta: t3}
  - {alpha: Pi/2, d: 0.1, r: 0.4, theta: t4}
  - {alpha: -Pi/2, theta: t5}
  - {alpha: Pi/2, r: 0.1, theta: t6}
gravity: [0, 0, -9.81]
"""


def test_searches_positions_of_coupled_joints() -> None:
    """Five degrees of freedom determine a point and one axis; the rotation about this axis is free."""
    robot = rs.loads(SIX + "couplings: {t6: 0.5*t4 + 0.1}\n", "yaml")
    whole, axis = pose_solver(robot), pose_solver(robot, given="aP")
    here = moved(whole)
    T = table_poses(whole.numeric.robot, here)[6]
    for solver in (whole, axis):
        assert solver.method == "near"
        found = solver.solve(T, seconds=60)  # from every start, also on a slow machine
        check(solver, T, found)
        assert holds(found, here, solver.numeric.names)
        assert not found.complete and "there may be more" in found.why
    assert len(found) > 1
    turned = T.copy()
    turned[:3, :2] = T[:3, 1::-1] * [1, -1]
    assert len(whole.solve(turned, seconds=0.0)) == 0
    assert len(axis.solve(turned, here, seconds=0.0)) == 1
    with pytest.raises(InputError, match="coupled"):
        pose_solver(robot, "paul")


def test_redundant_joints_return_the_nearest_solution() -> None:
    """The result also explains why the solution is not unique."""
    solver = pose_solver(rs.load("gough_stewart"), given="P", values=numbers(rs.load("gough_stewart")))
    T = solver.numeric.poses(moved(solver))[solver.frame]
    found = solver.solve(T[:3, 3])
    check(solver, T, found)
    assert len(found) == 1 and "infinitely many" in found.why
    arm = pose_solver(rs.load("lumped2axis"), frame=12, values=numbers(rs.load("lumped2axis")))
    T = arm.numeric.poses(moved(arm))[12]
    found = arm.solve(T, moved(arm))
    check(arm, T, found)
    assert len(found) == 1 and "infinitely many" in found.why


def test_reaches_a_reversed_axis() -> None:
    robot = NumericRobot(rs.loads(SIX, "yaml"))
    here = robot.at([0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    T = robot.poses(here)[6].copy()
    T[:3, 2] *= -1
    joints = lead_frame(robot, here, 6, T, given="a")
    assert np.abs(table_poses(robot.robot, joints)[6][:3, 2] - T[:3, 2]).max() < 1e-8


def test_singular_poses_and_truncated_lists() -> None:
    solver = pose_solver(rs.load("ur5e"))
    T = solver.numeric.poses(solver.numeric.at([0.3, -1.0, 1.2, 0.4, 0.0, 0.2]))[solver.frame]
    found = solver.solve(T)
    check(solver, T, found)
    assert found.complete is False and "singular" in found.why and found.singular
    T = solver.numeric.poses(solver.numeric.at([0.3, -1.0, 1.2, 0.4, 0.5, 0.2]))[solver.frame]
    some = solver.solve(T, most=3)
    assert (len(some), some.complete, some.why) == (3, False, "the first 3 solutions")
    assert solver.solve(T, most=8).complete is True


def test_searches_poses_of_another_platform_frame() -> None:
    robot = rs.load("fivebar")
    platform = pose_solver(robot).frame
    solver = pose_solver(robot, frame=1 if platform != 1 else 2)
    here = moved(solver)
    T = table_poses(solver.numeric.robot, here)[solver.frame]
    found = solver.solve(T, here, seconds=0.3)
    check(solver, T, found)
    assert solver.method == "near" and holds(found, here, solver.numeric.motors)


#: method for positions from motors, number of positions, whether they are complete
FROM_MOTORS = [
    ("fivebar", "closed form", 2, True),
    ("delta", "continuation", 2, False),
    ("gough", "continuation", None, True),
    ("agile_eye", "continuation", None, True),
    ("sr400", "explicit", 2, True),
    ("tricept", "search", None, False),
]


@pytest.mark.parametrize(("name", "method", "count", "complete"), FROM_MOTORS)
def test_positions_from_motors(name: str, method: str, count: int | None, complete: bool) -> None:
    robot = rs.load(name)
    values = numbers(robot)
    motors = NumericRobot(robot, values).motors
    solver = pose_solver(robot, known=motors, values=values)
    here = moved(solver)
    q = [here[name] for name in solver.known]
    found = solver.solve(q)
    closed = solver.numeric.robot
    for joints in found.positions:
        poses = table_poses(closed, joints)
        assert all(np.abs(poses[cut] - poses[fixed]).max() < 1e-6 for cut, fixed in closed.loops)
        assert np.abs(np.array([joints[name] for name in solver.known]) - q).max() < 1e-9
    check_distinct(solver, found)
    assert (solver.method, found.complete) == (method, complete)
    assert found.complete is True or found.why
    assert len(found) == count if count is not None else len(found) >= 1
    frames = np.array([table_poses(closed, joints)[solver.frame] for joints in found.positions])
    assert np.abs(frames - table_poses(closed, here)[solver.frame]).max(axis=(1, 2)).min() < 1e-6


def test_rejects_invalid_known_joints() -> None:
    with pytest.raises(InputError, match="expected a robot with loops or couplings"):
        pose_solver(rs.load("ur5e"), known=("t1",))
    with pytest.raises(InputError, match="known: "):
        pose_solver(rs.load("fivebar"), known=("x9",))
    solver = pose_solver(rs.load("fivebar"), known=rs.load("fivebar").motor_names)
    with pytest.raises(InputError, match=r"q: expected 2 numbers"):
        solver.solve(np.eye(4))


def test_rejects_invalid_poses_and_methods() -> None:
    solver = pose_solver(rs.load("ur5e"))
    far = np.eye(4)
    far[0, 3] = 5.0
    assert len(solver.solve(far)) == 0 and solver.solve(far).complete is True
    with pytest.raises(InputError, match="rotation"):
        solver.solve(np.diag([2.0, 1.0, 1.0, 1.0]))
    with pytest.raises(InputError, match="did you mean 'paul'"):
        pose_solver(rs.load("ur5e"), "paull")
    with pytest.raises(InputError, match="D3 has no value"):
        pose_solver(rs.load("rx90"))


def test_follows_joints_of_a_closed_robot() -> None:
    robot = NumericRobot(rs.load("sr400"), numbers(rs.load("sr400")))
    start = robot.at(None)
    name = robot.motors[1]
    path = follow_joints(robot, start, [name], start[name] + np.linspace(0, 0.2, 5)[:, None])
    for k, here in enumerate(path):
        assert here[name] == pytest.approx(start[name] + 0.05 * k)
        poses = table_poses(robot.robot, here)
        gaps = [np.abs(poses[cut][:3, 3] - poses[fixed][:3, 3]).max() for cut, fixed in robot.robot.loops]
        assert max(gaps) < 1e-9
    with pytest.raises(InputError, match="sample 2 of 2: expected finite numbers"):
        follow_joints(robot, start, [name], np.array([[start[name]], [float("inf")]]))
    gough = NumericRobot(rs.load("gough"), numbers(rs.load("gough")))
    start, name = gough.at(None), gough.motors[0]
    with pytest.raises(InputError, match="sample 2 of 2: gough: the loops stay open"):
        follow_joints(gough, start, [name], np.array([[start[name]], [start[name] + 10]]))
