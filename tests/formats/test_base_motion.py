"""A base with given motion, compared with Pinocchio's free joint at the root."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from oracles.pinocchio import Oracle
from random_robots import random_robot
from robosym.mechanism import BASE_MOTION, DRIVE, INERTIA, WRENCH, Link, Robot

MOTION = {"W0": (0.3, -0.2, 0.5), "WP0": (1.1, 0.0, -0.7), "V0": (0.0, 0.4, 0.0), "VP0": (0.2, 0.0, 2.5)}


def moved(text: str, motion: dict[str, tuple[float, ...]]) -> str:
    for key, values in motion.items():
        text, count = re.subn(rf"(?m)^{key} = [^}}]*}}", f"{key} = {{{','.join(map(str, values))}}}", text)
        assert count == 1
    return text


def still(seed: int) -> Robot:
    return random_robot(random.Random(seed), links=3, tree=False, wrenches=False)


def mobile(robot: Robot, motion: dict[str, tuple[float, ...]]) -> Robot:
    """Return the robot with this base motion, without a reader."""
    graph = robot.graph
    blank = Link(**dict.fromkeys((*INERTIA, *DRIVE, *WRENCH), graph.zero))
    rest = {key: tuple(graph.number(v) for v in motion.get(key, (0, 0, 0))) for key in BASE_MOTION}
    return replace(robot, base=replace(robot.base, kind="mobile", link=blank, **rest))


@pytest.mark.parametrize("dialect", ["par", "opensymoro"])
@pytest.mark.parametrize("keys", [("W0",), ("VP0",), tuple(MOTION)])
def test_torques_on_a_moving_base(dialect: str, keys: tuple[str, ...]) -> None:
    robot, motion = still(3), {key: MOTION[key] for key in keys}
    read = rs.loads(moved(robot.dumps(dialect), motion))
    assert read.base.kind == "mobile" and read == rs.loads(read.dumps(dialect))
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.uniform(-1, 1, (3, len(robot.tree_joints)))
    model = rs.inverse_dynamics(read)
    values = {name: 0.0 for group in ("parameters", "wrench") for name in model.inputs.get(group, ())}
    given = {"q": q, "qd": qd, "qdd": qdd}
    found = model.compile()(**{name: given.get(name, np.zeros(len(names))) for name, names in model.inputs.items()})
    wanted = Oracle(mobile(robot, motion), values).torques(q, qd, qdd, values)
    np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_number_of_base_parameters_equals_the_rank() -> None:
    text = rs.load("rx90").dumps("par")
    symbols = {key: tuple(f"{key[:-1]}{axis}0" for axis in "XYZ") for key in BASE_MOTION}
    robot = rs.loads(moved(text, symbols)).with_links([{"IA": 0}] * 6)  # type: ignore[arg-type]
    rows = []
    values = {"D3": 0.45, "RL4": 0.4, **dict.fromkeys((n for n in robot.parameters if n not in ("D3", "RL4")), 0.1)}
    oracle = Oracle(mobile(robot, {}), values)
    rng = np.random.default_rng(2)
    for _ in range(40):
        q = pin.randomConfiguration(oracle.model, -np.ones(oracle.model.nq), np.ones(oracle.model.nq))
        v, a = rng.uniform(-1, 1, (2, oracle.model.nv))
        rows.append(pin.computeJointTorqueRegressor(oracle.model, oracle.data, q, v, a)[6:])
    assert len(rs.base_parameters(robot).names) == np.linalg.matrix_rank(np.vstack(rows)) > 36


ARM = """name: arm
frames: [{theta: q1}]
links: {1: {M: 1}}
gravity: [0, 0, -9.81]
"""


@pytest.mark.parametrize("base", ["{type: fixed, W0: [0, 0, 0.3]}", "{VP0: [0, ax, 0]}"])
def test_yaml_rejects_a_fixed_base_that_moves(base: str) -> None:
    with pytest.raises(rs.FormatError, match=r"5:\d+: .*a fixed base does not move.*expected type mobile"):
        rs.loads(f"{ARM}base: {base}\n", "yaml")
    assert rs.loads(f"{ARM}base: {{type: fixed, W0: [0, 0, 0]}}\n", "yaml").base.kind == "fixed"


def test_python_rejects_a_fixed_base_that_moves() -> None:
    robot = rs.loads(ARM, "yaml")
    for change in ({"base.W0[3]": 0.2}, {"base": {"type": "fixed", "V0": [0, "v", 0]}}):
        with pytest.raises(rs.RobotError, match="a fixed base does not move"):
            robot.edit(change)
    floating = robot.edit(base={"type": "floating", "W0": ["a", "b", "c"], "M": 1})
    assert floating.edit(base={"type": "fixed"}).base.kind == "fixed"
