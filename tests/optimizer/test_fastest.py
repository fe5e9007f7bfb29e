"""Machine code may use another recursion than the model: same inputs, same values."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import robosym as rs
from cases.hand_models import random_arrays, reference
from evaluation import agree
from random_robots import random_robot
from robosym.model import Model
from robosym.optimizer.optimize import quickly

KINDS: dict[str, Callable[[Any], Model]] = {
    "inverse": rs.inverse_dynamics,
    "bias": rs.bias_torques,
    "gravity": rs.gravity_torques,
    "direct": rs.direct_dynamics,
    "derivatives": lambda robot: rs.inverse_dynamics(robot).derivative("q", "parameters"),
}
OPTIONS: list[dict[str, Any]] = [
    {"links": 3, "symbolic": True}, {"links": 6}, {"links": 5, "symbolic": True, "drives": True, "wrenches": True},
    {"links": 4, "floating": True, "symbolic": True}, {"links": 1, "symbolic": True},
]  # fmt: skip


CASES = [(kind, k) for kind in KINDS for k in range(len(OPTIONS)) if kind != "derivatives" or k in (0, 4)]


@pytest.mark.parametrize(("kind", "options"), CASES)
def test_random_robots(kind: str, options: int) -> None:
    model = KINDS[kind](random_robot(random.Random(f"{kind} {options}"), **OPTIONS[options]))
    compiled = model.compile()
    assert compiled.inputs == model.inputs
    arrays = random_arrays(model, np.random.default_rng(options))
    result = compiled(**arrays)
    found = dict(zip(model.outputs, result if isinstance(result, tuple) else (result,), strict=True))
    for group, value in reference(model, arrays).items():
        agree(found[group], value, 1e-13)


@pytest.mark.parametrize("robot", ["rx90", "ur5e", "panda", "stanford"])
def test_arms_have_fewer_operations_and_no_more_functions(robot: str) -> None:
    model = rs.inverse_dynamics(rs.load(robot))
    other = quickly(model)
    assert other is not model
    assert other.operations.total < 0.9 * model.operations.total
    assert other.operations.functions <= model.operations.functions


def test_optimized_models_are_unchanged() -> None:
    model = rs.inverse_dynamics(rs.load("ur5e"))
    chosen = rs.optimize(model, 1)
    assert quickly(chosen) is chosen
    inner = model.select("N11", "N21")  # variables that the other recursion does not have
    assert quickly(inner) is inner
    inner.compile()


def test_recursion_with_other_values_is_rejected() -> None:
    model = rs.inverse_dynamics(rs.load("ur5e"))
    for robot in (rs.load("scara").edit(name="ur5e"), rs.load("ur5e").edit({"link3.M": 7})):
        mistaken = replace(model, made=rs.inverse_dynamics(robot).made)
        assert quickly(mistaken) is mistaken
