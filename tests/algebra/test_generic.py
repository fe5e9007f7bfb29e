"""The zero test on identities that no rewriting of the graph finds, and streams of random numbers that stay."""

from __future__ import annotations

import numpy as np
import pytest

from robosym.algebra import Graph, parse
from robosym.algebra.generic import (
    ZERO,
    generic_values,
    negligible,
    random_arrays,
    random_numbers,
    vanishes,
)


@pytest.mark.parametrize(
    "text",
    ["sin(a)**2 + cos(a)**2 - 1", "(a + b)**2 - a**2 - 2*a*b - b**2", "tan(a) - sin(a)/cos(a)", "sqrt(a*a) - a", "0"],
)
def test_identities_vanish(text: str) -> None:
    assert vanishes(parse(text, Graph()))


@pytest.mark.parametrize("text", ["sin(a) - a", "a - b", "cos(a)*cos(b) - cos(a + b)", "1/1000"])
def test_others_do_not(text: str) -> None:
    graph = Graph()
    assert not vanishes(parse(text, graph))
    assert not vanishes(graph.zero, parse(text, graph))


def test_numbers() -> None:
    assert vanishes() and vanishes(0, 0.0, 0.1 * ZERO) and not vanishes(0, 10 * ZERO)
    assert negligible(np.array([0.0, 1e3 * ZERO]), 1e4) and not negligible(np.array([0.0, 10 * ZERO]))
    assert not negligible(float("nan")) and not negligible(np.array([0.0, np.nan]))


def test_values_belong_to_names() -> None:
    values = generic_values(["a", "b"])
    assert generic_values(["b"]) == {"b": values["b"]} and values["a"] != values["b"]
    assert generic_values(["a"], seed=1)["a"] != values["a"]


def test_streams_are_repeated() -> None:
    for draw in (random_numbers, random_arrays):
        first, again, other = (draw("residues", k).random() for k in (0, 0, 1))  # type: ignore[operator]
        assert first == again != other
