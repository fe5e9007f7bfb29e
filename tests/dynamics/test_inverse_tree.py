"""Inverse dynamics of random trees against Pinocchio, through every way of evaluation."""

from __future__ import annotations

import random

import numpy as np
import pytest

import robosym as rs
from cases.library import ROBOTS
from evaluation import HAS_GCC, Array, agree, by_c, by_machine_code, by_python, on_graph, random_values
from long_cases import quick_and_long
from oracles.pinocchio import Oracle
from random_robots import random_robot
from robosym.algebra import evaluate
from robosym.dynamics.newton_euler import newton_euler
from robosym.mechanism import Robot
from robosym.mechanism.bodies import tree_of


def reference(robot: Robot, model: rs.Model, values: dict[str, float]) -> tuple[Array, Array]:
    """Return torques and the wrench on the base, by Pinocchio."""
    motion = [np.array([values[n] for n in model.inputs.get(g, ())]) for g in ("q", "qd", "qdd")]
    return Oracle(robot, values).efforts(*motion, values)


def draw(seed: int, **options: object) -> tuple[Robot, rs.Model, dict[str, float]]:
    rng = random.Random(seed)
    robot = random_robot(rng, links=rng.randint(1, 9), **options)  # type: ignore[arg-type]
    model = rs.inverse_dynamics(robot, structure="tree")
    return robot, model, dict.fromkeys(robot.parameters, 0.7) | random_values(model, rng)


@pytest.mark.parametrize("seed", range(120))
def test_random_trees(seed: int) -> None:
    robot, model, values = draw(seed, symbolic=seed % 2 == 0)
    agree(on_graph(model, values), reference(robot, model, values)[0])


@pytest.mark.parametrize("seed", range(40))
def test_moving_bases(seed: int) -> None:
    robot, model, values = draw(seed, symbolic=seed % 2 == 0, mobile=True)
    torques, base = reference(robot, model, values)
    agree(on_graph(model, values), torques)
    held = model.select("E10", "E20", "E30", "N10", "N20", "N30")
    agree(on_graph(held, values), base)


@pytest.mark.parametrize("seed", quick_and_long(range(12), long=range(5, 12)))
def test_evaluations_agree(seed: int) -> None:
    robot, model, values = draw(1000 + seed, symbolic=seed % 2 == 0, mobile=seed % 4 == 0)
    expected = reference(robot, model, values)[0]
    agree(by_python(model, values), expected)
    agree(by_machine_code(model, values), expected)
    if HAS_GCC:
        agree(by_c(model, values), expected)


@pytest.mark.parametrize("name", ROBOTS)
def test_library(name: str) -> None:
    robot = rs.load(name)
    model = rs.inverse_dynamics(robot, structure="tree")
    rng = random.Random(name)
    values = dict.fromkeys(robot.parameters, 0.5) | random_values(model, rng)
    agree(on_graph(model, values), reference(robot, model, values)[0])


@pytest.mark.parametrize("dialect", ["par", "opensymoro", "yaml"])
def test_generated_code(dialect: str) -> None:
    for seed in range(2000, 2020):
        robot, model, values = draw(seed, symbolic=seed % 2 == 0)
        again = rs.inverse_dynamics(rs.loads(robot.dumps(dialect), format=dialect), structure="tree")
        agree(on_graph(again, values), reference(robot, model, values)[0])


@pytest.mark.parametrize("seed", range(20))
def test_algorithm_runs_on_floats(seed: int) -> None:
    """The same source runs on numbers and on expressions."""
    robot, model, values = draw(3000 + seed, symbolic=True)
    tree = tree_of(robot, lambda e: evaluate([e], values)[0])
    along = newton_euler(tree).along
    names = [f"N3{j}" if robot.frame(j).sigma == 0 else f"E3{j}" for j in robot.tree_joints]
    agree(np.array([along[j] for j in robot.tree_joints]), on_graph(model.select(*names), values))


def test_missing_rates_and_accelerations_are_zero() -> None:
    robot, _, values = draw(3000, symbolic=True)
    tree = tree_of(robot, lambda e: evaluate([e], values)[0])
    first = robot.tree_joints[0]
    moved = tree.with_rates({first: 2.0}).with_accelerations({first: 3.0})
    for j, body in moved.items():
        assert (body.qd, body.qdd) == ((2.0, 3.0) if j == first else (0, 0))


def test_zero_masses_give_zero_torques() -> None:
    robot = rs.load("rx90")
    nothing = {name: 0 for name in robot.parameters if name[0] in "XYZMFI"}
    model = rs.inverse_dynamics(robot.with_values(nothing))
    assert model.operations.total == 0
    assert [model.definitions[name].is_zero for name in model.output_names] == [True] * 6


def test_hundreds_of_links() -> None:
    frames = "\n".join(f"  - {{alpha: Pi/2, d: 0.1, theta: t{j}}}" for j in range(1, 301))
    robot = rs.loads(f"name: snake\nframes:\n{frames}\nlinks: symbolic\ngravity: [0, 0, G3]", format="yaml")
    model = rs.inverse_dynamics(robot)
    assert len(model.outputs["tau"]) == 300
    assert model.code("listing").count("\n") > 12_000
