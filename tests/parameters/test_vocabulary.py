"""Recognition of numbers as expressions of the geometry."""

from __future__ import annotations

from fractions import Fraction

import pytest

from cases.identification import yaml
from robosym.algebra import Graph, evaluate, parse
from robosym.parameters.by_numbers import Vocabulary, geometry_entries, has_symbols


def test_short_expressions_are_recognized() -> None:
    graph = Graph()
    entries = [parse(text, graph) for text in ("D3", "D8", "cos(g1)")]
    geometries = [{"D3": 0.7, "D8": 1.1, "g1": 0.4}, {"D3": 0.9, "D8": 0.3, "g1": 1.2}]
    words = Vocabulary(graph, entries, geometries)

    def meets(text: str) -> None:
        wanted = parse(text, graph)
        found = words.recognize([evaluate([wanted], geometry)[0] for geometry in geometries])
        assert found is not None
        for geometry in ({"D3": 0.21, "D8": 0.83, "g1": 0.9}, geometries[0]):
            assert evaluate([found - wanted], geometry)[0] == pytest.approx(0, abs=1e-12)

    for text in ("0", "-1", "2*D3", "-D8/D3", "D8*D8/D3", "D3*cos(g1)/2", "3/7"):
        meets(text)
    assert words.recognize([0.123456789, 0.987654321]) is None
    assert str(Fraction(3, 7)) in str(words.recognize([3 / 7, 3 / 7]))


def test_entries_of_geometry() -> None:
    graph = Graph()
    frames = "[{theta: t1, r: R1}, {alpha: Pi/2, d: D2, sigma: 1, theta: g2, r: r2}]"
    text = f"name: two\nframes: {frames}\nlinks: symbolic\ngravity: [0, 0, 1]\n"
    entries = {str(entry) for entry in geometry_entries(yaml(text), graph)}
    assert {"R1", "D2", "cos(g2)", "sin(g2)"} <= entries and not entries & {"t1", "r2", "cos(t1)"}
    assert has_symbols(geometry_entries(yaml(text), graph))
    numbers = yaml("name: one\nframes: [{theta: t1, r: 0.3}]\nlinks: symbolic\ngravity: [0, 0, 1]\n")
    assert not has_symbols(geometry_entries(numbers, graph))
