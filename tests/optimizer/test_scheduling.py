"""Forms for speed: sines and cosines of sums of angles, and scheduling of terms."""

from __future__ import annotations

import random

import pytest

import robosym as rs
from evaluation import same_outputs
from long_cases import quick_and_long
from random_robots import random_robot
from robosym.algebra import Graph, parse
from robosym.model import Model
from robosym.optimizer.goals import Machine, goal_of
from robosym.optimizer.optimize import _rewritten
from robosym.optimizer.recursions.of_trees import inverse_by_second_moments
from robosym.optimizer.recursions.treatments import ACROSS, PAST, Treatments
from robosym.optimizer.scheduling import ScheduledSums, composed


def model_of(names: str, **definitions: str) -> Model:
    graph = Graph()
    for name in names:
        graph.symbol(name, online=True)
    given = {name: parse(text, graph) for name, text in definitions.items()}
    return Model("m", "m", "", {"q": tuple(names)}, {"y": tuple(given)}, given, graph)


def in_turn(model: Model) -> Model:
    return _rewritten(model, lambda _, in_time: None, sums=ScheduledSums)


def test_sum_of_known_angles_needs_no_function() -> None:
    model = model_of("xyz", a="sin(x)*cos(y)*sin(z)", b="sin(x + y) + 2*cos(x + y - z)", c="cos(x - y)")
    found = composed(model)
    assert model.operations.functions == 6 and found.operations.functions == 6 == len(
        {node for node in found.nodes if node.op in ("sin", "cos")}
    )
    assert all(node.args[0].op == "symbol" for node in found.nodes if node.op in ("sin", "cos"))
    same_outputs(model, found, seed=1)


def test_sum_of_unknown_angles_is_unchanged() -> None:
    model = model_of("xyz", a="sin(x + y)", b="cos(x)*sin(2*x)", c="cos(x + z)")
    assert composed(model) is model


@pytest.mark.parametrize("seed", range(6))
def test_only_the_order_changes(seed: int) -> None:
    robot = random_robot(random.Random(seed), links=4)
    for model in (rs.inverse_dynamics(robot, structure="tree"), rs.inertia_matrix(robot, structure="tree")):
        found = in_turn(model)
        assert found.operations.total <= model.operations.total
        assert found.operations.functions <= model.operations.functions
        same_outputs(model, found, seed=seed)


def test_terms_are_scheduled_near_their_factors() -> None:
    """Computed row by row, every row of a matrix product would load the vector again."""
    names = [f"{letter}{k}" for letter in "uv" for k in range(12)]
    graph = Graph()
    symbols = [graph.symbol(name, online=True) for name in names]
    squares = [symbol * symbol for symbol in symbols]
    rows = {
        f"y{k}": sum((squares[j] * squares[(j + k) % len(squares)] for j in range(24)), start=graph.zero)
        for k in range(6)
    }
    model = Model("m", "m", "", {"q": tuple(names)}, {"y": tuple(rows)}, rows, graph)
    found = in_turn(model)
    same_outputs(model, found, seed=2)
    machine = Machine()
    times = [machine.time(each.nodes, each.roots) for each in (model, found)]
    assert times[1] < times[0]


def test_terms_after_a_quotient_keep_their_order() -> None:
    model = rs.direct_dynamics(rs.load("planar2r"))
    assert not ScheduledSums(model.roots).possible
    same_outputs(model, in_turn(model), seed=3)


def test_rotation_by_sums_adds_no_function() -> None:
    robot = rs.load("rx90")
    model = composed(inverse_by_second_moments(robot, Treatments({2: ACROSS, 3: PAST}, frozenset(), True, True)))
    assert model.operations.functions == rs.inverse_dynamics(robot).operations.functions
    same_outputs(rs.inverse_dynamics(robot), model, seed=4)


@pytest.mark.parametrize("seed", quick_and_long([None, *range(4)], long=range(4)))
def test_robots_for_speed(seed: int | None) -> None:
    """A small robot, and random ones."""
    draw = random.Random(seed)
    robot = rs.load("planar2r") if seed is None else random_robot(draw, links=draw.randint(2, 4))
    for make in (rs.inverse_dynamics, rs.bias_torques, rs.inertia_matrix):
        model = make(robot, structure="tree")
        found = rs.optimize(model, "max", goal="speed")
        cost = goal_of("speed").cost
        assert cost(found) <= cost(rs.optimize(model, 0))
        same_outputs(model, found, seed=6)


@pytest.mark.long
def test_rx90_with_base_parameters() -> None:
    robot = rs.load("rx90").with_links(dict.fromkeys(("IA", "FV", "FS"), 0) for _ in range(6))
    model = rs.inverse_dynamics(robot, base_parameters=True)
    found = rs.optimize(model, "max", goal="speed")
    assert found.operations.online is not None and found.operations.online.total <= 396
    assert found.operations.functions <= model.operations.functions
    same_outputs(model, found, seed=5)
