"""Expanding and factoring: gains, unchanged values, termination."""

from __future__ import annotations

import random
from time import perf_counter

import pytest

import robosym as rs
from evaluation import same_outputs
from long_cases import quick_and_long
from random_robots import random_robot
from robosym.algebra import Expr, Graph, evaluate, parse
from robosym.algebra.count import count
from robosym.model import Model
from robosym.optimizer.local_search import _Forms, search_forms
from robosym.optimizer.sums_of_products import SumsOfProducts

NAMES = ("x", "y", "z", "u", "v")


def searched(texts: list[str]) -> tuple[list[Expr], list[Expr]]:
    graphs = Graph(), Graph()
    for graph in graphs:
        for name in NAMES:
            graph.symbol(name, online=True)
    roots = [parse(text, graphs[0]) for text in texts]
    polynomials = SumsOfProducts(roots)
    search_forms(polynomials, 1.0, lambda: True, lambda text, share=None: None)
    return roots, polynomials.build(graphs[1])[0]


@pytest.mark.parametrize(
    ("texts", "before", "after"),
    [
        (["(x + y)*z - x*z"], 4, 1),  # x z cancels
        (["(x + y)*z + (x - y)*z", "x*u"], 6, 3),
        (["(u + x)*(u + y) - u*y"], 5, 4),  # u (u + x) + x y
        (["x*y + z"], 2, 2),
        (["cos(x*(y + z) - x*z)", "y*x"], 5, 1),  # in arguments, too
    ],
)
def test_cancels_terms(texts: list[str], before: int, after: int) -> None:
    roots, found = searched(texts)
    assert (count(roots).total, count(found).total) == (before, after)
    values = dict(zip(NAMES, (0.3, -1.7, 2.1, 0.9, 1.3), strict=True))
    assert evaluate(found, values) == pytest.approx(evaluate(roots, values), rel=1e-13)


@pytest.mark.parametrize("factor", ["u", "2.5*u", "3", "3*a", "a*b", "7*a*b"])
@pytest.mark.parametrize("online", [True, False])
def test_reports_remaining_operations(online: bool, factor: str) -> None:
    graph, messages = Graph(), list[str]()
    for name in NAMES:
        graph.symbol(name, online=online)
    polynomials = SumsOfProducts([parse(f"(x + y)*z - x*z + {factor}*v*(x + y)", graph)])
    search_forms(polynomials, 1.0, lambda: True, lambda text, share=None: messages.append(text))
    assert messages[-1].startswith(f"{count(polynomials.build(Graph())[0]).total} operations")


@pytest.mark.parametrize(
    "texts",
    [["u*((x + y)*z - x*z - y*z) + v", "(x + y)*u", "((x + y)*z - x*z - y*z)*v"],
     ["u*(x*(y + z) - x*z - y*x)*v + x", "x*(y + z)"],
     ["((x + y)*(x - y) - x*x + y*y)*u + cos(v)", "(x + y)*z"]],
)  # fmt: skip
def test_sums_that_vanish(texts: list[str]) -> None:
    roots, found = searched(texts)
    assert count(found).total <= count(roots).total
    values = dict(zip(NAMES, (0.3, -1.7, 2.1, 0.9, 1.3), strict=True))
    assert evaluate(found, values) == pytest.approx(evaluate(roots, values), rel=1e-13)


@pytest.mark.parametrize(("most", "opens"), [(24, True), (1, False)])
def test_step_is_undone_if_a_sum_vanishes_or_grows(most: int, opens: bool) -> None:
    graph = Graph()
    texts = ["u*((x + y)*z - x*z - y*z) + v", "(x + y)*u", "((x + y)*z - x*z - y*z)*v", "(x + y)*(x + y)*(x + y)*v"]
    polynomials = SumsOfProducts([parse(text, graph) for text in texts])
    forms = _Forms(polynomials, 1.0, random.Random(0))
    before, total = {variable: list(terms) for variable, terms in polynomials.terms.items()}, forms.total
    bracket = polynomials.number[parse("x + y", graph).node]
    assert forms.open(bracket, most) is opens
    assert not (opens and forms.tidy())
    forms.take_back()
    assert (polynomials.terms, forms.total) == (before, total)


@pytest.mark.parametrize("seed", quick_and_long(range(3), long=[1, 2]))
def test_random_robots_keep_their_values(seed: int) -> None:
    draw = random.Random(seed)
    robot = random_robot(draw, links=draw.randint(2, 3))
    for generate in (rs.jdot_qdot, rs.coriolis_matrix, rs.velocities):
        model = generate(robot)
        found = rs.optimize(model, "max")
        assert found.operations.total <= rs.optimize(model, 2).operations.total
        same_outputs(model, found)


@pytest.mark.long
def test_jdot_qdot_of_an_arm() -> None:
    model = rs.jdot_qdot(rs.load("rx90"), 6)
    found = rs.optimize(model, "max")
    assert found.operations.total <= 95 < model.operations.total
    same_outputs(model, found, seed=1)


@pytest.mark.parametrize(
    ("level", "goal", "searches"), [(1, "operations", False), (2, "operations", False), ("max", "operations", True)],
)  # fmt: skip
def test_only_the_highest_level_searches(level: int | str, goal: str, searches: bool) -> None:
    graph, messages = Graph(), list[str]()
    for name in "xyu":
        graph.symbol(name, online=True)
    given = {"a": parse("(u + x)*(u + y) - u*y", graph)}
    model = Model("m", "m", "", {"q": ("x", "y", "u")}, {"y": ("a",)}, given, graph)
    found = rs.optimize(model, level, goal=goal, progress=messages.append)
    assert (found.operations.total == 4) is searches
    assert any("after expanding and factoring" in text for text in messages) is searches


def test_small_model_is_searched_to_the_end() -> None:
    model = rs.inverse_dynamics(rs.load("scara"))
    found = rs.optimize(model, "max")
    assert found.operations.total <= 48
    same_outputs(model, found, seed=2)


def test_search_is_deterministic() -> None:
    model = rs.inertia_matrix(rs.load("scara"))
    assert rs.optimize(model, "max").code("c") == rs.optimize(model, "max").code("c")


def test_search_stops_at_the_time_limit() -> None:
    model = rs.coriolis_matrix(rs.load("ur5e"))
    start = perf_counter()
    found = rs.optimize(model, "max", budget=0.3)
    assert perf_counter() - start < 1.5 and found.operations.total <= model.operations.total


def test_filtered_model_uses_sums_of_parallel_angles() -> None:
    model = rs.filtered_identification(rs.load("rx90"))
    found = rs.optimize(model, 2)
    assert found.operations.total < rs.optimize(model, 1).operations.total < model.operations.total
    same_outputs(model, found, seed=2)
