"""Test legs of many kinds against Pinocchio's constrained tree, by vectors and by the recursion."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from cases.leg_kinds import random_parallel
from cases.parallel import motion_values, positions, values_of
from evaluation import on_graph
from long_cases import quick_and_long
from oracles.parallel import state
from robosym.algebra import evaluate
from robosym.coordinates.legs import Legs
from robosym.spatial.vectors import KnownAngle

CASES = {
    "RUS": (["RUS"] * 6, 0),
    "RUS turned": (["RUS turned"] * 6, 9),
    "PUS": (["PUS"] * 6, 10),
    "PUS skew": (["PUS skew"] * 6, 3),
    "two motors per leg, near the edge of a mode": (["CUS"] * 3, 1),
    "six kinds": (["UPS", "RUS", "PUS", "RUS across", "RRRS", "URR"], 6),
}


@pytest.mark.parametrize("name", quick_and_long(CASES, long=["RUS", "PUS", "RUS turned"]))
def test_models_of_any_leg_agree_with_pinocchio(name: str) -> None:
    kinds, seed = CASES[name]
    robot = random_parallel(kinds, seed, drives=True)
    by_vectors = len(Legs(robot, ("pose",)).struts)
    assert by_vectors == {"six kinds": 3, "two motors per leg, near the edge of a mode": 0}.get(name, 6)
    rng = np.random.default_rng(1)
    values = values_of(robot, rng)
    models = rs.inverse_dynamics(robot), rs.direct_dynamics(robot), rs.jacobian(robot)
    A, h = (m(robot, space="joint") for m in (rs.inertia_matrix, rs.bias_torques))
    for joints in list(positions(robot))[:2]:
        s = state(robot, joints, values, rng)
        given = values | motion_values(robot, s)
        forces, acceleration, rows = (on_graph(model, given) for model in models)
        size = max(10.0, float(np.abs(s.acceleration).max()))
        assert np.abs(forces - s.tau).max() < 1e-9 * size
        assert np.abs(acceleration - s.acceleration).max() < 1e-9 * size
        assert np.abs(rows.reshape(6, 6) @ s.twist - s.qd).max() < 1e-9
        pushed = on_graph(A, given).reshape(6, 6) @ s.qdd
        assert np.abs(pushed + on_graph(h, given) - s.tau).max() < 1e-9 * max(10.0, float(np.abs(pushed).max()))


@pytest.mark.parametrize(("kind", "seed"), [("UPS", 1), ("RUS", 0), ("RUS turned", 9), ("PUS", 10), ("PUS skew", 3)])
def test_vector_solution_of_leg_joints(kind: str, seed: int) -> None:
    """Check cosine and sine of each angle, and each length, where the legs meet the platform."""
    robot = random_parallel([kind] * 6, seed)
    legs = Legs(robot, ("pose",))
    rng = np.random.default_rng(1)
    values = values_of(robot, rng)
    for joints in list(positions(robot))[:2]:
        given = values | motion_values(robot, state(robot, joints, values, rng))
        for strut in legs.struts:
            for j, place in strut.places.items():
                wanted = joints[robot.variable(j)]
                if isinstance(place, KnownAngle):
                    found = evaluate([place.c, place.s], given)
                    assert found == pytest.approx([np.cos(wanted), np.sin(wanted)], abs=1e-9)
                else:
                    assert evaluate([place], given)[0] == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize(("kind", "seed"), quick_and_long([("SPS", 3), ("RSS", 0)], long=[("RSS", 0)]))
def test_legs_between_two_balls(kind: str, seed: int) -> None:
    """The spin of a rod about its axis has no effect; rods that are not symmetric about it are rejected."""
    robot = random_parallel([kind] * 6, seed)
    rng = np.random.default_rng(1)
    values = values_of(robot, rng) | {n: 0.3 for n in robot.parameters if n.startswith("I")}
    forces, accelerate = rs.inverse_dynamics(robot), rs.direct_dynamics(robot)
    joints = dict(robot.position)
    s = state(robot, joints, values, rng)
    given = values | motion_values(robot, s)
    size = max(10.0, float(np.abs(s.acceleration).max()))
    assert np.abs(on_graph(forces, given) - s.tau).max() < 1e-8 * size
    assert np.abs(on_graph(accelerate, given) - s.acceleration).max() < 1e-8 * size
    assert np.abs(rs.inverse_geometry(robot).solve(s.pose) - s.q).max() < 1e-9
    text = robot.dumps("yaml")
    number = 3 if kind == "SPS" else 4
    with pytest.raises(rs.InputError, match=f"link {number} is not symmetrical about it"):
        rs.inverse_dynamics(rs.loads(text.replace(f"M: M{number}}}", f"M: M{number}, XY: 0.1}}", 1), "yaml"))


def test_modes_of_rods_agree_with_the_whole_leg() -> None:
    """Modes are numbered as in the inverse geometric model, also for legs that are solved by vectors."""
    robot = rs.load("delta")
    values = values_of(robot, np.random.default_rng(2))
    assert rs.inverse_geometry(robot).leg_modes == (4, 4, 4)
    pose = state(robot, next(iter(positions(robot))), values, np.random.default_rng(0)).pose
    names = [robot.variable(j) for j in robot.tree_joints]
    for modes in ((0, 1, 2), (3, 3, 1)):
        joints = rs.inverse_geometry(robot, modes=modes).solve(pose, passive=True)
        s = state(robot, dict(zip(names, map(float, joints), strict=True)), values, np.random.default_rng(3))
        given = values | motion_values(robot, s)
        assert np.abs(on_graph(rs.inverse_dynamics(robot, modes=modes), given) - s.tau).max() < 1e-8
        rows = on_graph(rs.jacobian(robot, modes=modes), given).reshape(3, 6)
        assert np.abs(rows @ s.twist - s.qd).max() < 1e-9


def test_operations_of_delta() -> None:
    """With one rod per leg, the required maximum is 760 plus the leg geometry."""
    robot = rs.load("delta")
    geometry = rs.inverse_geometry(robot, passive=False).operations.total
    assert rs.inverse_dynamics(robot).operations.total - geometry < 570
