"""Test reverse-mode gradients against complex steps, finite differences and forward derivatives."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robosym as rs
from cases import models, toolchains
from cases.dynamic import draw
from cases.hand_models import model_of
from evaluation import agree
from robosym.algebra import OPERATIONS, evaluate
from robosym.algebra.interpret import Arithmetic, functions_of, interpret
from robosym.languages import LANGUAGES
from robosym.model import Model, flat

#: each operation of the table, with an argument at which it is smooth
EVERY = (
    "x + y*3", "x*y*x", "x/y - y/(x*x)", "sin(x*y)", "cos(x - y)", "tan(x/3)", "asin(x/3)", "acos(y/3)", "atan(x*y)",
    "atan2(x, y)", "sqrt(x + y)", "exp(x - y)", "tanh(x*y)", "log(x*y)", "abs(x - 3)*y", "sign(x)*y",
    "x**y + y**2.5 + x**3",
)  # fmt: skip


def by_forward(model: Model, groups: tuple[str, ...], values: dict[str, float]) -> list[list[float]]:
    """Return the weights times the forward derivative, one list per group."""
    slopes = model.derivative(*groups)
    numbers = dict(zip(slopes.output_names, evaluate(slopes.roots, values), strict=True))
    return [
        [
            sum(values.get(f"w{name}", 1.0) * numbers[f"d{name}_d{x}"] for name in model.output_names)
            for x in model.inputs[group]
        ]
        for group in groups
    ]


def filled(model: Model, values: dict[str, float], seed: int = 3) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    names = [name for group in model.inputs.values() for name in group]
    return {**{name: float(x) for name, x in zip(names, rng.uniform(0.3, 1.2, len(names)), strict=True)}, **values}


def test_every_operation_agrees_with_complex_steps() -> None:
    outputs = {"f": tuple(f"F{k}" for k in range(len(EVERY)))}
    model = model_of({"q": "x y"}, outputs, dict(zip(outputs["f"], EVERY, strict=True)))
    assert {node.op for node in model.nodes} >= OPERATIONS.keys()
    backward = model.gradient("q")
    at = {"x": 1.3, "y": 0.7}
    for k, name in enumerate(model.output_names):
        weights = {f"w{other}": float(other == name) for other in model.output_names}
        found = evaluate(backward.roots, {**at, **weights})
        [reference] = by_forward(model, ("q",), {**at, **weights})
        assert found == pytest.approx(reference, rel=1e-13, abs=1e-13)
        if {"abs", "sign", "atan2"} & {word for word in OPERATIONS if word in EVERY[k]}:
            continue  # undefined for complex numbers
        step = 1e-30
        for variable, ours in zip("xy", found, strict=True):
            moved = {**at, variable: at[variable] + 1j * step}
            [theirs] = interpret([model.definitions[name]], Arithmetic(functions_of(np, "numpy"), moved))
            assert ours == pytest.approx(np.imag(theirs) / step, rel=1e-12, abs=1e-14)


MODELS: dict[str, Callable[..., Model]] = {
    "inverse": rs.inverse_dynamics,
    "direct": rs.direct_dynamics,
    "inertia": rs.inertia_matrix,
    "regressor": rs.dynamic_identification,
}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", MODELS)
def test_random_trees(kind: str, seed: int) -> None:
    case = draw(seed, symbolic=seed % 2 == 0, drives=False, wrenches=False)
    model = MODELS[kind](case.robot)
    groups = tuple(group for group in ("q", "qd", "qdd", "tau") if group in model.inputs)
    backward = model.gradient(*groups)
    values = filled(backward, case.values)
    found = iter(evaluate(backward.roots, values))
    for group, right in zip(groups, by_forward(model, groups, values), strict=True):
        agree(np.array([next(found) for _ in model.inputs[group]]), np.array(right), 1e-10)


@pytest.mark.parametrize("name", ["sr400", "akr3000"])
def test_machine_code_of_closed_robots_agrees_with_finite_differences(name: str) -> None:
    model = rs.inverse_dynamics(rs.load(name))
    f, backward = model.compile(), model.gradient("qd", "qdd").compile()
    rng = np.random.default_rng(5)
    given: dict[str, Any] = {group: rng.uniform(0.4, 0.9, len(names)) for group, names in model.inputs.items()}
    given["parameters"] = dict(zip(model.inputs["parameters"], given["parameters"], strict=True))
    weights = rng.uniform(-1, 1, len(model.output_names))
    found = backward(**given, weights=weights)
    step = 1e-5
    for group in ("qd", "qdd"):
        moved = given[group] + step * np.eye(len(given[group]))
        back = given[group] - step * np.eye(len(given[group]))
        slope = (f(**{**given, group: moved}) - f(**{**given, group: back})) @ weights / (2 * step)
        agree(getattr(found, f"ds_d{group}"), slope, 1e-6)


def test_cost_does_not_grow_with_the_number_of_inputs() -> None:
    model = models.long_chain(40)
    backward = model.gradient("q", "qd", "qdd")
    assert backward.operations.total < 5 * model.operations.total
    assert rs.dynamic_identification(rs.load("ur10e"), base_parameters=True).gradient("q").operations.total < 2500


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_prints_gradients(language: str) -> None:
    text = rs.inverse_dynamics(rs.load("planar2r")).gradient("q").code(language)
    assert "dsdt" in re.sub(r"[^A-Za-z0-9]", "", text)


def test_c_code_agrees(tmp_path: Path) -> None:
    model = models.rx90().gradient("q", "qdd")
    states = models.states(model)
    for row, state in zip(toolchains.c(model, states, tmp_path), states, strict=True):
        named = {n: v for g, names in model.inputs.items() for n, v in zip(names, state[g], strict=True)}
        right = evaluate(model.roots, named)
        assert row == pytest.approx(right, rel=1e-12, abs=1e-12 * max(map(abs, right)))


def test_fixed_weights() -> None:
    model = rs.inverse_dynamics(rs.load("planar2r"))
    one = model.gradient("q", weights={"GAM1": 2})
    assert "weights" not in one.inputs
    slope = model.select("GAM1").gradient("q")
    values = filled(one, {})
    assert evaluate(one.roots, values) == pytest.approx([2 * x for x in evaluate(slope.roots, values)])


def test_names_and_errors() -> None:
    model = rs.inverse_dynamics(rs.load("planar2r"))
    backward = model.gradient("q", "qd")
    assert backward.inputs["weights"] == ("wGAM1", "wGAM2")
    assert backward.outputs == {"ds_dq": ("ds_dt1", "ds_dt2"), "ds_dqd": ("ds_dQP1", "ds_dQP2")}
    matrix = rs.inertia_matrix(rs.load("planar2r"))
    assert matrix.gradient("q").inputs["weights"] == tuple(f"w{name}" for name in flat(matrix.outputs["A"]))
    with pytest.raises(rs.InputError, match="no input group 'qq'"):
        model.gradient("qq")
    with pytest.raises(rs.InputError, match="found none"):
        model.gradient()
    with pytest.raises(rs.InputError, match="no output 'GAM9'"):
        model.gradient("q", weights={"GAM9": 1})
    again = backward.gradient("q")
    assert again.inputs["weight_r"] == ("wds_dt1", "wds_dt2", "wds_dQP1", "wds_dQP2")
    assert again.outputs == {"dr_dq": ("dr_dt1", "dr_dt2")}
    taken = model_of({"q": "x", "qd": "wF2"}, {"f": ("F1", "F2")}, {"F1": "x*wF2", "F2": "x"})
    with pytest.raises(rs.InputError, match="wF2, the weight of F2, is a variable"):
        taken.gradient("q")
