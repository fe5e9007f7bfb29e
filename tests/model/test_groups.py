"""Test that the table of groups alone decides which symbols are online, in models, languages and machine code."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from robosym.algebra import Graph, Level
from robosym.model import Model, is_online
from robosym.model.groups import GROUPS, declare, input_groups


def test_rejects_conflicting_levels() -> None:
    graph = Graph()
    graph.symbol("x", online=True)
    assert graph.symbol("x").level is Level.ONLINE
    with pytest.raises(rs.ExpressionError, match="the symbol x cannot be declared offline: it is online already"):
        graph.symbol("x", online=False)
    graph.symbol("L")
    with pytest.raises(rs.ExpressionError, match="cannot be declared online"):
        graph.symbol("L", online=True)


def test_declared_symbol_is_online_when_it_occurs() -> None:
    robot = rs.load("rx90")
    graph = Graph()
    graph.expect_online(["t1"])
    assert len(graph) == len(Graph())
    (copied,) = graph.copy([robot.frame(1).theta])
    assert copied.level is Level.ONLINE


def test_rejects_offline_symbols_in_online_groups() -> None:
    graph = Graph()
    x = graph.symbol("x")
    with pytest.raises(rs.InputError, match="x: expected an online symbol, as the group q is online"):
        Model("m", "k", "t", {"q": ("x",)}, {"y": ("y1",)}, {"y1": x * 2}, graph)


def test_groups_of_a_robot() -> None:
    assert all(group.meaning and group.unit for group in GROUPS.values())
    found = input_groups(rs.load("rx90"), ("q", "qd", "gravity", "parameters"))
    assert found["q"] == tuple(f"t{j}" for j in range(1, 7))
    graph = Graph()
    declare(graph, found)
    online = [graph.symbol(name) for group, names in found.items() if is_online(group) for name in names]
    assert {symbol.level for symbol in online} == {Level.ONLINE}
    assert graph.symbol("D3").level is Level.OFFLINE


@pytest.mark.parametrize("which", ["paul", "general"])
def test_python_with_init_agrees_with_machine_code(which: str) -> None:
    """Everything that depends on the desired pose is online."""
    robot = rs.load("rx90")
    model = rs.paul_matrices(robot) if which == "paul" else rs.general_equations(robot, stop="AB").model
    rng = np.random.default_rng(5)
    given = {group: rng.uniform(-1, 1, len(names)) for group, names in model.inputs.items()}
    space: dict[str, object] = {}
    exec(model.code("python", init=True), space)
    name = f"rx90_{model.kind}"
    constants = space[f"{name}_init"](given["parameters"])  # type: ignore[operator]
    arguments = [given[g] for g in model.inputs if is_online(g)]
    by_python = space[name](*arguments, constants)  # type: ignore[operator]
    by_machine = model.compile()(**given)
    for a, b in zip(by_python, by_machine, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
