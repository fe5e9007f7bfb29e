"""The optimizer as a whole: operation counts, unchanged values, and models it must not change."""

from __future__ import annotations

import pickle
import random
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import robosym as rs
from cases.other_recursions import offered
from evaluation import same_outputs
from long_cases import quick_and_long
from random_robots import random_robot
from robosym.algebra import Graph, evaluate, parse
from robosym.errors import InputError
from robosym.model import Model
from robosym.optimizer.optimize import simplified

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import operations

CASES = {case[0].strip(): case for case in operations.cases()}
BARRED = [name for name, case in CASES.items() if case[3]]
LONG = [name for name in BARRED if name.startswith(("LWR", "RX90 base"))]


def values_of(model: Model, draw: random.Random) -> dict[str, float]:
    return {n: draw.uniform(0.2, 1.0) * draw.choice((-1, 1)) for names in model.inputs.values() for n in names}


@pytest.mark.parametrize(
    "name", quick_and_long(BARRED, long=[name for name in BARRED if name.startswith(("LWR", "RX90 base"))])
)
def test_operation_counts(name: str) -> None:
    _, generate, _, bar, _, online = CASES[name]
    model = generate()
    best = rs.optimize(model, "max")
    operations_ = best.operations.online if online else best.operations
    assert operations_ is not None and operations_.total <= bar
    # random inertia makes the inverse ill-conditioned
    same_outputs(model, best, 1e-12 if model.kind != "ddm" else 1e-9)
    assert best.output_names == model.output_names


def test_accelerations_of_a_realistic_arm() -> None:
    model = rs.direct_dynamics(rs.load("iiwa14"))
    best = rs.optimize(model, "max", budget=3)
    assert best.operations.total < model.operations.total
    same_outputs(model, best, 1e-12)


LEVELLED = ["planar2r", "rx90", "puma560", "stanford", "ur5e", "scara", "gantry3p3r", "gs_tree"]


@pytest.mark.parametrize("name", quick_and_long(LEVELLED, long=LEVELLED[1:]))
def test_levels_do_not_increase_the_cost(name: str) -> None:
    model = rs.inverse_dynamics(rs.load(name))
    totals = []
    for level in (0, 1, 2, 3):
        best = rs.optimize(model, level)
        same_outputs(model, best)
        totals.append(best.operations.total)
    assert totals == sorted(totals, reverse=True)
    assert totals[0] == model.operations.total


def test_level_0_is_the_plain_form() -> None:
    model = rs.inverse_dynamics(rs.load("rx90")).select("GAM6")
    plain = rs.optimize(model, 0)
    assert plain.operations == model.operations
    assert "W36" in plain.definitions and "E11" not in plain.definitions  # what GAM6 does not need is gone


def test_reactions_keep_the_recursion() -> None:
    """Regrouping changes reactions, so a model with these outputs is only rewritten."""
    model = rs.inverse_dynamics(rs.load("scara")).select("GAM", "E13", "N23")
    best = rs.optimize(model, 2)
    assert set(best.output_names) == set(model.output_names)
    same_outputs(model, best)


@pytest.mark.long
@pytest.mark.parametrize("option", ["floating", "elastic", "mobile"])
def test_other_options_are_unchanged(option: str) -> None:
    for seed in range(2):
        robot = random_robot(random.Random(seed), links=4, **{option: True})
        for generate in (rs.inverse_dynamics, rs.direct_dynamics, rs.bias_torques, rs.inertia_matrix):
            model = generate(robot)
            best = rs.optimize(model, "max")
            assert dict(best.outputs) == dict(model.outputs)
            assert best.operations.total <= model.operations.total
            same_outputs(model, best, 1e-8 if generate is rs.direct_dynamics else 1e-11)


def test_closed_robot() -> None:
    model = rs.inverse_dynamics(rs.load("sr400"), structure="tree")
    best = rs.optimize(model, "max", budget=2)
    assert best.operations.total < model.operations.total
    same_outputs(model, best)


def test_rejects_invalid_levels() -> None:
    model = rs.inverse_dynamics(rs.load("planar2r"))
    for level in (-1, 4, "most", True, 1.5, None):
        with pytest.raises(InputError, match="level: expected 0, 1, 2, 3"):
            rs.optimize(model, level)  # type: ignore[arg-type]


def test_progress_and_compilation() -> None:
    messages: list[str] = []
    model = rs.optimize(rs.inverse_dynamics(rs.load("planar2r")), "max", progress=messages.append)
    assert messages and all("operations" in text for text in messages)
    draw = random.Random(1)
    values = values_of(model, draw)
    arrays = {group: [values[n] for n in names] for group, names in model.inputs.items()}
    assert model.compile()(**arrays).tolist() == pytest.approx(evaluate(model.roots, values), rel=1e-12)


def test_variants_of_an_algorithm() -> None:
    """They survive pickling and selection; reactions and files have none."""
    model = rs.inverse_dynamics(rs.load("rx90"))
    best = rs.optimize(model)
    assert best.operations.total < rs.optimize(model, 1).operations.total
    again = pickle.loads(pickle.dumps(model))
    assert rs.optimize(again).operations == best.operations
    for other in (model.select("E11"), replace(model, made=None)):
        assert rs.optimize(other).operations == rs.optimize(other, 1).operations


def test_variant_must_be_cheaper_and_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    model = rs.gravity_torques(rs.load("planar2r"))
    graph = Graph()
    wrong = replace(model, definitions=dict.fromkeys(model.output_names, graph.zero), graph=graph)
    right = rs.optimize(model, 1)
    assert rs.optimize(offered(monkeypatch, model, wrong, right)).operations == right.operations
    assert not any(value.is_zero for value in rs.optimize(offered(monkeypatch, model, wrong)).roots)


def test_best_variants_are_compared_after_the_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variant that is shorter at first gains nothing; the other becomes shorter."""

    def written(text: str) -> Model:
        graph = Graph()
        for name in "xyzab":
            graph.symbol(name, online=True)
        return Model("m", "m", "", {"q": tuple("xyzab")}, {"f": ("f",)}, {"f": parse(text, graph)}, graph)

    model = written("(2*sin(x)*cos(x))*y + (2*sin(x)*cos(x))*z + (2*sin(x)*cos(x))*a + (2*sin(x)*cos(x))*b")
    short = written("(y + z + a + b)*(2*sin(x)*cos(x))")
    shorter = written("sin(2*x)*y + sin(2*x)*z + sin(2*x)*a + sin(2*x)*b")
    assert [m.operations.total for m in (model, short, shorter)] == [9, 6, 8]
    best = rs.optimize(offered(monkeypatch, model, short, shorter), 2)
    assert best.operations.total == 5
    same_outputs(model, best)
    assert rs.optimize(offered(monkeypatch, model, short), 2).operations.total == 6


@pytest.mark.long
@pytest.mark.parametrize("name", ["sr400", "akr3000", "gough_stewart"])
def test_operation_counts_of_closed_robots(name: str) -> None:
    model = rs.inverse_dynamics(rs.load(name))
    best = rs.optimize(model, "max")
    assert best.operations.total < simplified(model).operations.total  # what one pass leaves
    same_outputs(model, best, 1e-8)
    pickle.loads(pickle.dumps(best))
