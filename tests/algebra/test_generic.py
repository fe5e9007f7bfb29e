"""Test the zero test on identities that the graph does not simplify, and reproducible random numbers."""

from __future__ import annotations

import re
import tokenize
from pathlib import Path

import numpy as np
import pytest

import robosym
from robosym.algebra import Graph, parse
from robosym.algebra.generic import (
    _SEEDS,
    ZERO,
    generic_values,
    negligible,
    random_arrays,
    random_numbers,
    vanishes,
)

SOURCE = Path(robosym.__file__).parent


@pytest.mark.parametrize(
    "text",
    ["sin(a)**2 + cos(a)**2 - 1", "(a + b)**2 - a**2 - 2*a*b - b**2", "tan(a) - sin(a)/cos(a)", "sqrt(a*a) - a", "0"],
)
def test_identities_vanish(text: str) -> None:
    assert vanishes(parse(text, Graph()))


@pytest.mark.parametrize("text", ["sin(a) - a", "a - b", "cos(a)*cos(b) - cos(a + b)", "1/1000"])
def test_other_expressions_do_not_vanish(text: str) -> None:
    graph = Graph()
    assert not vanishes(parse(text, graph))
    assert not vanishes(graph.zero, parse(text, graph))


def test_numbers() -> None:
    assert vanishes() and vanishes(0, 0.0, 0.1 * ZERO) and not vanishes(0, 10 * ZERO)
    assert negligible(np.array([0.0, 1e3 * ZERO]), 1e4) and not negligible(np.array([0.0, 10 * ZERO]))
    assert not negligible(float("nan")) and not negligible(np.array([0.0, np.nan]))


def test_values_depend_on_names_only() -> None:
    values = generic_values(["a", "b"])
    assert generic_values(["b"]) == {"b": values["b"]} and values["a"] != values["b"]
    assert generic_values(["a"], seed=1)["a"] != values["a"]


def test_random_streams_are_reproducible() -> None:
    for draw in (random_numbers, random_arrays):
        first, again, other = (draw("residues", k).random() for k in (0, 0, 1))  # type: ignore[operator]
        assert first == again != other


def test_every_random_number_has_a_purpose() -> None:
    """Only generic.py creates random generators, and every declared purpose is used."""
    asked, started = set(), []
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        asked |= set(re.findall(r'random_(?:numbers|arrays)\(\s*"([^"]+)"', text))
        if re.search(r"^(?!\s*>>>).*(default_rng\(|random\.Random\()", text, re.M):  # examples may draw numbers
            started.append(path.name)
    assert started == ["generic.py"]
    assert asked == set(_SEEDS)


def test_tolerances_have_names() -> None:
    """A small number in code is a named constant or the default value of an argument."""
    named = re.compile(r"^_?[A-Z][A-Z_, ]* = |.*\w: float = ")
    bare, series = [], ("sincos", "arctangent", "elementary", "dialects")
    for path in SOURCE.rglob("*.py"):
        with path.open(encoding="utf-8") as source:
            tokens = list(tokenize.generate_tokens(source.readline))
        for token in tokens:
            small = token.type == tokenize.NUMBER and re.fullmatch(r"\d+(\.\d+)?e-\d+", token.string)
            if small and not named.match(token.line) and path.stem not in series:  # series
                bare.append(f"{path.relative_to(SOURCE)}:{token.start[0]}: {token.line.strip()}")
    assert not bare, "\n".join(bare)
