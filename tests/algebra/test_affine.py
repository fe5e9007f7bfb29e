"""Bounds of affine arithmetic: they hold at sampled points, and are narrow for small boxes."""

from __future__ import annotations

import numpy as np
import pytest

from robosym.algebra import Graph, evaluate, parse
from robosym.algebra.affine import affine_bounds
from robosym.algebra.intervals import Interval, bounds

TEXTS = (
    "x*y - y*x + x", "sin(x + y)*cos(y) - x/y", "sqrt(x*x + y*y + 1) - x", "atan2(y, x + 3)*x", "acos(x/4)*asin(y/4)",
    "exp(x)*log(y + 4) - tanh(x)", "abs(x - y) + (x + y)*(x + y)", "x/(y*y + 0.5) + atan(x*y)",
)  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_bounds_hold_at_points_of_boxes(text: str) -> None:
    graph = Graph()
    root = parse(text, graph)
    rng = np.random.default_rng(3)
    low = rng.uniform(-2, 1, (40, 2))
    high = low + rng.uniform(0.001, 1, (40, 2))
    boxes = {name: Interval(low[:, k], high[:, k]) for k, name in enumerate("xy")}
    (found,) = affine_bounds([root], boxes)
    for share in (np.zeros(2), np.ones(2), *rng.uniform(size=(60, 2))):
        for k, (x, y) in enumerate(low + share * (high - low)):
            (value,) = evaluate([root], {"x": x, "y": y})
            assert found.natural.low[k] <= value <= found.natural.high[k]


def test_error_falls_with_the_square_of_the_size() -> None:
    """x y - y x is zero: intervals give a width proportional to the size, affine bounds to its square."""
    graph = Graph()
    root = parse("sin(x)*y/(x + 3) - y*sin(x)/(3 + x) + x*(y + 2) - x*y - 2*x", graph)
    widths = []
    for size in (0.1, 0.01):
        box = {name: Interval(np.array([0.5]), np.array([0.5 + size])) for name in "xy"}
        (found,), (plain,) = affine_bounds([root], box), bounds([root], box)
        widths.append(float((found.natural.high - found.natural.low)[0]))
        assert widths[-1] < 0.2 * float((plain.high - plain.low)[0])
    assert widths[1] < 0.02 * widths[0]


def test_root_of_negative_values_is_unknown() -> None:
    root = parse("sqrt(x)", Graph())
    (found,) = affine_bounds([root], {"x": Interval(np.array([-1.0, 1.0]), np.array([1.0, 2.0]))})
    assert not np.isfinite(found.size[0])
    assert found.natural.low[1] <= 1.0 <= np.sqrt(2) <= found.natural.high[1]
