"""atan2 in machine code against that of the C library."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from robosym.algebra import Graph
from robosym.model import Model
from robosym.runtime.compiled import Compiled


@pytest.fixture(scope="module")
def atan2() -> Compiled:
    graph = Graph()
    y, x = (graph.symbol(name, online=True) for name in ("y", "x"))
    value = graph.function("atan2", y, x)
    return Compiled(Model("angle", "test", "angle", {"q": ("y", "x")}, {"angle": ("a",)}, {"a": value}, graph))


def test_agrees_with_libm_within_two_units_in_the_last_place(atan2: Compiled) -> None:
    rng = np.random.default_rng(3)
    points = rng.normal(size=(40_000, 2)) * 10.0 ** rng.uniform(-12, 12, (40_000, 2))
    points[:10_000] = rng.normal(size=(10_000, 2))
    found = atan2(q=points)[:, 0]
    expected = np.arctan2(points[:, 0], points[:, 1])
    assert (np.abs(found - expected) / np.spacing(np.abs(expected))).max() <= 2


def test_special_values_are_those_of_the_standard(atan2: Compiled) -> None:
    values = (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 5e-324, -5e-324, 1.7e308, -1.7e308, 1e-300)
    points = np.array(list(product(values, repeat=2)))
    for points_given in (points, points[::-1].copy(), points[:1]):
        found = atan2(q=points_given)[:, 0]
        expected = np.arctan2(points_given[:, 0], points_given[:, 1])
        np.testing.assert_allclose(found, expected, rtol=5e-16, atol=0)
        known = ~np.isnan(expected)
        assert (np.signbit(found) == np.signbit(expected))[known].all()
