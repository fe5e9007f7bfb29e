"""The zero test on identities that no rewriting of the graph finds, and streams of random numbers that stay."""

from __future__ import annotations

import re
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


def test_every_random_number_has_a_purpose() -> None:
    """No other file starts a stream of its own, and every purpose is somebody's."""
    asked, started = set(), []
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        asked |= set(re.findall(r'random_(?:numbers|arrays)\(\s*"([^"]+)"', text))
        if re.search(r"default_rng\(|random\.Random\(", text):
            started.append(path.name)
    assert started == ["generic.py"]
    assert asked == set(_SEEDS)


def test_no_bare_tolerances() -> None:
    """A small number has a name, or is the default of an argument that has one."""
    named = re.compile(r'^(_?[A-Z][A-Z_, ]* = |.*\w: float = )|"""|f"{indent}')  # or is text of emitted code
    bare = [
        f"{path.relative_to(SOURCE)}:{number}: {line.strip()}"
        for path in SOURCE.rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"(?<![\w.])\d+(\.\d+)?e-\d", line)
        and not named.search(line)
        and path.stem != "sincos"  # a series
    ]
    assert not bare, "\n".join(bare)
