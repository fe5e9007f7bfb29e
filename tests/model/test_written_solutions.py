"""Test solution formulas with substituted coefficients: at a pose they give joint values of a solution."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from robosym.algebra import Graph, evaluate, parse, substitute
from robosym.model.solution.steps import substituted

NUMBERS = {"D3": 0.45, "RL4": 0.45, "RL2": 0.2}
POSE = [f"{column}{axis}" for axis in "xyz" for column in "snaP"]


@pytest.mark.parametrize("name", ["rx90", "ur5e", "scara", "stanford", "puma560"])
def test_formulas_give_a_solution(name: str) -> None:
    robot = rs.load(name)
    robot = robot.with_values({n: v for n, v in NUMBERS.items() if n in robot.parameters})
    solution = rs.inverse_geometry(robot)
    q = np.array([0.4, -0.7, 0.5, 0.3, 0.9, -0.2, 0.1])[: len(robot.tree_joints)]
    T = rs.direct_geometry(robot, 0, robot.NL).compile()(q=q)
    values = dict(zip(POSE, map(float, T[:3].ravel()), strict=True))
    values |= dict(zip((robot.variable(j) for j in robot.tree_joints), map(float, q), strict=True))
    checked = 0
    for step in solution.steps:
        solved = getattr(step, "solved", None)
        if solved is None:
            continue
        pattern, parts = solved
        numbers = evaluate(parts, values)
        found = [eval_pattern(pattern.replace("+-", sign), numbers) for sign in ("+", "-")]
        found = [x for pair in found for x in pair]
        want = sum(sign * values[joint] for joint, sign in step.variable.terms)
        gap = min(abs(np.remainder(x - want + np.pi, 2 * np.pi) - np.pi) for x in found)
        assert gap < 1e-7, (step.joint, pattern, numbers, want)
        checked += 1
    assert checked >= len(solution.steps) - 1


def eval_pattern(pattern: str, numbers: list[float]) -> list[float]:
    """Return the values of a pattern, whose alternatives are separated by `, and`."""
    texts = pattern.format(*(f"({n!r})" for n in numbers)).split(", and ")
    return [evaluate([parse(text.strip().removeprefix("+"), Graph())], {})[0] for text in texts]


@pytest.mark.parametrize(
    ("form", "texts", "equation"),
    [
        ("linear", ("3", "2"), "2*u + 3"),
        ("sine", ("0.3", "0.8", "0.2"), "0.3*sin(u) + 0.8*cos(u) + 0.2"),
        ("sine", ("-0.3", "0.8", "0"), "-0.3*sin(u) + 0.8*cos(u)"),
        ("sine", ("0", "0.8", "0.2"), "0.8*cos(u) + 0.2"),
        ("sine", ("0.8", "0", "0.2"), "0.8*sin(u) + 0.2"),
        ("quadratic", ("-2", "1", "3"), "3*u*u + u - 2"),
        ("quadratic", ("-2", "0", "3"), "3*u*u - 2"),
    ],
)
def test_every_alternative_satisfies_the_equation(form: str, texts: tuple[str, ...], equation: str) -> None:
    """Substitute every alternative into the equation."""
    graph = Graph()
    solved = substituted(form, [parse(text, graph) for text in texts])
    assert solved is not None
    pattern, parts = solved
    numbers = evaluate(parts, {})
    left = parse(equation, graph)
    for sign in ("+", "-"):
        for u in eval_pattern(pattern.replace("+-", sign), numbers):
            (value,) = evaluate(substitute([left], Graph(), {}), {"u": u})
            assert abs(value) < 1e-9
