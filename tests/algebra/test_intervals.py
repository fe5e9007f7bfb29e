"""Test bounds over boxes against values at random points in the boxes."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from robosym.algebra import OPERATIONS, Graph, parse
from robosym.algebra.intervals import _ON_INTERVALS, Interval, bounds
from robosym.algebra.samples import evaluate_arrays
from robosym.errors import ExpressionError

TEXTS = (
    "x*y - x/y + x*x", "x/(y - 1)", "sin(3*x)*cos(y - 5*x)", "tan(x)", "asin(x/4) + acos(y/4)", "atan(x) - atan2(x, y)",
    "atan2(y, -x)", "sqrt(2 + y*y)", "exp(x) - log(4 + y)", "tanh(x)*y", "abs(x)*y - abs(x - y)", "sign(x)*y",
    "(3 + x)**y + x**3",
    "1/3 - Pi*x",
)  # fmt: skip


def test_every_operation_has_bounds() -> None:
    assert {*_ON_INTERVALS, "mul"} == OPERATIONS.keys()


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("width", [2.0, 0.1, 1e-3, 0.0])
def test_bounds_are_valid_and_tight(text: str, width: float) -> None:
    rng = np.random.default_rng(7)
    center, half = rng.uniform(-2, 2, (2, 400)), width * rng.uniform(0, 1, (2, 400))
    [root] = [parse(text, Graph())]
    boxes = {name: Interval(c - h, c + h) for name, c, h in zip("xy", center, half, strict=True)}
    [found] = bounds([root], boxes)
    unknown = np.isnan(found.low) | np.isnan(found.high)
    for _ in range(60):
        at = {name: np.clip(rng.uniform(box.low, box.high), box.low, box.high) for name, box in boxes.items()}
        [value] = evaluate_arrays([root], at)
        with np.errstate(invalid="ignore"):
            good = (found.low <= value) & (value <= found.high)
        assert (good | unknown | np.isnan(value)).all()
    if width == 0:
        finite = np.isfinite(found.high - found.low)
        assert finite.mean() > 0.3
        span = (found.high - found.low)[finite]
        jumps = {"atan2", "sign"} & {word for word in OPERATIONS if word in text}
        assert (span < 1e-10 * (1 + np.abs(found.high[finite]))).all() or jumps


def test_bounds_torques_of_an_arm() -> None:
    model = rs.inverse_dynamics(rs.load("ur10e"))
    rng = np.random.default_rng(1)
    names = [name for group in model.inputs.values() for name in group]
    center = rng.uniform(-2, 2, (len(names), 50))
    boxes = {name: Interval(c - 0.01, c + 0.01) for name, c in zip(names, center, strict=True)}
    found = bounds(model.roots, boxes)
    for shift in rng.uniform(-0.01, 0.01, (200, len(names), 1)):
        at = dict(zip(names, center + shift, strict=True))
        for bound, value in zip(found, evaluate_arrays(model.roots, at), strict=True):
            assert (bound.low <= value).all() and (value <= bound.high).all()


def test_names_symbol_without_interval() -> None:
    with pytest.raises(ExpressionError, match="symbol y"):
        bounds([parse("x*y", Graph())], {"x": Interval(np.zeros(1), np.ones(1))})
