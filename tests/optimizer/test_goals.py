"""Goals of the optimizer: estimates, replacement of models, and random robots at every level and goal."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

import robosym as rs
from cases.other_recursions import offered
from random_robots import random_robot
from robosym.algebra import Expr, Graph, Level, evaluate, parse, reachable
from robosym.errors import InputError
from robosym.model import Model
from robosym.optimizer.goals import GOALS, Goal, Machine
from robosym.optimizer.optimize import ProgressText, _rewritten, quickly, same_function
from robosym.optimizer.sums_of_products import SumsOfProducts
from robosym.spatial import cos, sin

LEVELS = (0, 1, 2, "max")


def angles(model: Model) -> int:
    """Return the distinct angles of online sines and cosines."""
    turned = [node for node in model.nodes if node.op in ("sin", "cos") and node.level is Level.ONLINE]
    return len({node.args[0].node for node in turned})


def with_numbers(robot: rs.Robot) -> rs.Robot:
    draw = random.Random(1)
    return robot.with_values({name: round(draw.uniform(0.2, 1.0), 3) for name in rs.inverse_dynamics(robot).known})


@pytest.mark.long
@pytest.mark.parametrize("name", ["rx90", "ur5e"])
def test_goal_speed_adds_no_angle(name: str) -> None:
    model = rs.inverse_dynamics(with_numbers(rs.load(name)))
    fast, few = (rs.optimize(model, "max", goal=goal) for goal in ("speed", "operations"))
    assert angles(fast) <= angles(model) < angles(few) + 3
    assert few.operations.total < fast.operations.total < model.operations.total
    cost = GOALS["speed"].cost
    assert cost(fast) < cost(model) and cost(fast) < cost(few)


@pytest.mark.long
@pytest.mark.parametrize("goal", ["speed", "operations"])
@pytest.mark.parametrize("seed", range(6))
def test_random_robots_at_every_level(goal: str, seed: int) -> None:
    draw = random.Random(seed)
    robot = random_robot(draw, links=draw.randint(2, 5), floating=seed == 4, elastic=seed == 5)
    for generate in (rs.inverse_dynamics, rs.bias_torques, rs.inertia_matrix, rs.gravity_torques):
        model = generate(robot)
        values = {n: draw.uniform(0.2, 1.0) * draw.choice((-1, 1)) for names in model.inputs.values() for n in names}
        right = evaluate(model.roots, values)
        scale = max(map(abs, right), default=1.0)
        for level in LEVELS:
            found = evaluate(rs.optimize(model, level, goal=goal).roots, values)
            assert found == pytest.approx(right, rel=0, abs=(1e-9 if seed in (4, 5) else 1e-12) * scale)


def test_derivatives_use_the_best_recursion() -> None:
    model = rs.inverse_dynamics(rs.load("scara")).derivative("q", "qd")
    best = rs.optimize(model, "max")
    assert best.operations.total < rs.optimize(model, 1).operations.total
    assert dict(best.outputs) == dict(model.outputs)
    draw = random.Random(2)
    values = {n: draw.uniform(0.2, 1.0) for names in model.inputs.values() for n in names}
    right = evaluate(model.roots, values)
    assert evaluate(best.roots, values) == pytest.approx(right, rel=0, abs=1e-12 * max(map(abs, right)))
    assert rs.optimize(model.select("dGAM1_dt2"), 2).output_names == ("dGAM1_dt2",)


def test_unchanged_variables_keep_their_order() -> None:
    """Variables have the same order in the optimized model."""
    model = rs.inverse_dynamics(rs.load("rx90"))
    best = rs.optimize(model, 1)
    places = {name: value.index for name, value in best.definitions.items()}
    given = {name: value.index for name, value in model.definitions.items() if value.args and name in places}
    falls = sum(places[a] > places[b] for a, b in pairwise(sorted(given, key=given.__getitem__)))
    assert falls < len(given) / 20


def test_constants_are_folded() -> None:
    graph = Graph()
    x, y, p = graph.symbol("x", True), graph.symbol("y", True), graph.symbol("p", False)
    half, other = graph.number(0.5), graph.number(0.4)
    sums = [half + (other - x), (p + half) + (y - other), 2 * ((x * p) * half)]
    model = Model("m", "m", "", {"q": ("x", "y"), "parameters": ("p",)}, {"y": ("a", "b", "c")},
                  dict(zip("abc", sums, strict=True)), graph)  # fmt: skip
    assert rs.optimize(model, 1).operations.total == 1 + 2 + 1


def test_machine_costs() -> None:
    graph = Graph()
    x, y, z = (graph.symbol(name, True) for name in "xyz")

    def time_of(*roots: Expr, machine: Machine = Machine()) -> float:  # noqa: B008 (it is frozen)
        return machine.time(reachable(roots), roots)

    assert time_of(sin(x), cos(x)) < 1.2 * time_of(sin(x)) < 1.5 * time_of(sin(x), cos(y))
    without_waiting = Machine(waiting=0.0)
    assert time_of(x * y + z, machine=without_waiting) < time_of(x * y, x + z, machine=without_waiting)
    chain, tree = x, [x + y, y + z, x * z, y * y, z * z, x * x, x * y, y * z]
    for _ in range(8):
        chain = chain * y
    assert time_of(chain) > time_of(*tree)


def test_time_of_operations() -> None:
    graph = Graph()
    x, y, z = (graph.symbol(name, True) for name in "xyz")
    machine = Machine(fetched=0, waiting=0, overlapped=0)

    def time_of(*roots: Expr, machine: Machine = machine) -> float:
        return machine.time(reachable(roots), roots)

    assert [time_of(x + y), time_of(x * y), time_of(x / y)] == [1, 1, machine.division]
    assert time_of(graph.function("sqrt", x)) == machine.function
    assert time_of(graph.function("sign", x)) == machine.quick
    assert time_of(sin(x), cos(x)) == machine.angle == time_of(sin(x), cos(y)) / 2
    assert time_of(x * y + z) == 2 - machine.fused
    assert time_of(x * y + z, x * y) == 2  # the product is an output itself
    assert time_of((x + y) * (x * z), machine=Machine(fetched=3, registers=1, waiting=0, overlapped=0)) == 3 + 3
    assert time_of((x + y) * (x * z), machine=Machine(fetched=3, registers=2, waiting=0, overlapped=0)) == 3
    assert time_of((x + y) + z, machine=Machine(fetched=0, waiting=8, overlapped=0.1)) == pytest.approx(1.1 * 16)
    assert time_of(x / y, machine=Machine(fetched=0, waiting=3, overlapped=0, division=5)) == 5


def test_replacement_needs_a_minimum_gain() -> None:
    costs: Any = {
        "there": (10.0, 5.0),
        "less": (9.5, 5.0),
        "much less": (8.0, 5.0),
        "larger": (8.0, 6.0),
        "tie": (10.0, 4.0),
    }
    any_gain, worth = (Goal("a goal", costs.__getitem__, share, costs.__getitem__) for share in (0.0, 0.1))
    assert [name for name in costs if any_gain.better(name, "there")] == ["less", "much less", "larger", "tie"]
    assert [name for name in costs if worth.better(name, "there")] == ["much less"]
    assert worth.less("less", "there") and worth.less("tie", "there") and not worth.less("there", "there")


def test_passes_stop_at_the_time_limit() -> None:
    model = rs.inverse_dynamics(rs.load("planar2r"))
    asked: list[bool] = []

    def look(polynomials: SumsOfProducts, in_time: Callable[[], bool]) -> None:
        asked.append(in_time())

    assert _rewritten(model, look, time.perf_counter() - 1.0) is model and not asked
    assert same_function(model, _rewritten(model, look, time.perf_counter() + 2.0)) and asked == [True]


def test_budget_and_progress() -> None:
    model = rs.inverse_dynamics(rs.load("planar2r"))
    messages: list[str] = []
    start = time.process_time()
    few = rs.optimize(model, "max", progress=messages.append, budget=0.05)
    assert time.process_time() - start < 1.0
    assert few.operations.total <= model.operations.total
    best = rs.optimize(model, "max", progress=messages.append)
    assert best.operations.total <= few.operations.total
    shares = [step.share for step in messages if isinstance(step, ProgressText) and step.share is not None]
    assert shares[0] == 0 and shares[-1] == 1 and all(0 <= share <= 1 for share in shares)
    assert any(0 < share < 1 for share in shares)
    assert rs.optimize(model, "max", budget=0).operations.total <= model.operations.total


def test_machine_code_uses_the_cheaper_recursion(monkeypatch: pytest.MonkeyPatch) -> None:
    def written(text: str) -> Model:
        graph = Graph()
        for name in "xyz":
            graph.symbol(name, online=True)
        return Model("m", "m", "", {"q": ("x", "y", "z")}, {"f": ("f",)}, {"f": parse(text, graph)}, graph)

    model, less, more, wrong = (written(text) for text in ("x*y + x*z", "x*(y + z)", "(x + y)*z - z*y + x*y", "x*y"))
    assert more.operations.total > model.operations.total > less.operations.total
    assert quickly(offered(monkeypatch, model, less)).operations == less.operations
    for other in (more, wrong):
        given = offered(monkeypatch, model, other)
        assert quickly(given) is given
    assert quickly(model) is model


def test_budget_interrupts_a_pass() -> None:
    """The first pass of this model takes seconds."""
    frames = "\n".join(f"  - {{alpha: 0.3, d: 0.4, r: 0.5, theta: t{j}}}" for j in range(1, 13))
    model = rs.direct_dynamics(rs.loads(f"name: long\nlinks: symbolic\ngravity: [0, 0, G3]\nframes:\n{frames}", "yaml"))
    start = time.process_time()
    some = rs.optimize(model, "max", budget=0.6)
    assert time.process_time() - start < 1.2
    assert some.operations.total <= model.operations.total
    assert same_function(model, some)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [({"goal": "fast"}, "goal: expected 'operations' or 'speed', found 'fast'"),
     ({"goal": None}, "goal: expected"), ({"budget": -1}, "budget: expected a number of seconds"),
     ({"budget": "1"}, "budget: expected a number"), ({"budget": float("nan")}, "budget: expected a number")],
)  # fmt: skip
def test_rejects_invalid_goals_and_budgets(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        rs.optimize(rs.inverse_dynamics(rs.load("planar2r")), 1, **wrong)  # type: ignore[arg-type]
