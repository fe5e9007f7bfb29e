"""The numeric and the exact method: they agree with the symbolic rules on trees, and go further on special loops."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

import robosym as rs
from cases.identification import special_tree, yaml
from random_robots import random_robot
from robosym.algebra import Graph, evaluate, parse
from robosym.algebra.modular import PRIME, modular_rank, residues
from robosym.errors import InputError
from robosym.parameters import base_parameters
from robosym.parameters.rank import dependence
from robosym.parameters.vocabulary import Vocabulary


@pytest.mark.parametrize("seed", range(200, 230))
def test_trees(seed: int) -> None:
    robot = special_tree(seed)
    symbolic, numeric = base_parameters(robot), base_parameters(robot, "numeric")
    assert numeric.missed == () and numeric.names == symbolic.names
    assert f"exact rank {len(symbolic.names)} (proved)" in numeric.remark


@pytest.mark.parametrize("seed", range(8))
def test_trees_with_numbers(seed: int) -> None:
    """Decimal lengths, angles of 45 and 120 degrees, any other number of radians."""
    robot = random_robot(random.Random(seed), links=4, symbolic=False)
    assert "(proved)" in base_parameters(robot, "numeric").remark


@pytest.mark.parametrize("name", ["rx90", "stanford", "iiwa14", "tx90", "gantry3p3r"])
def test_library(name: str) -> None:
    robot = rs.load(name)
    assert base_parameters(robot, "numeric").names == base_parameters(robot).names


def test_moving_base_is_refused() -> None:
    robot = random_robot(random.Random(1), links=2, floating=True)
    with pytest.raises(InputError, match="floating base"):
        base_parameters(robot, "numeric")


def test_residues_keep_identities() -> None:
    """sin^2 + cos^2, sums of angles, and special angles hold exactly modulo the prime."""
    graph = Graph()
    texts = (
        "sin(t)^2 + cos(t)^2 - 1",
        "sin(t + s) - sin(t)*cos(s) - cos(t)*sin(s)",
        "cos(t + Pi/3) - cos(t)/2 + sin(Pi/3)*sin(t)",
        "4*sin(Pi/3)^2 - 3",
        "2*cos(Pi/4)^2 - 1",
        "sin(2*t) - 2*sin(t)*cos(t)",
        "x*(y + 1/3)/x - y - 1/3",
        "cos(t - 0.3)*cos(0.3) - sin(t - 0.3)*sin(0.3) - cos(t)",
    )
    values = residues([parse(text, graph) for text in texts], ["t", "s", "x"], 5)
    assert not values.any()
    moving = residues([parse("sin(t)", graph), parse("y", graph)], ["t"], 5)
    assert len(set(moving[:, 0])) == 5 and len(set(moving[:, 1])) == 1


def test_modular_rank() -> None:
    rng = random.Random(0)
    left = np.array([[rng.randrange(PRIME) for _ in range(4)] for _ in range(9)], dtype=object)
    right = np.array([[rng.randrange(PRIME) for _ in range(7)] for _ in range(4)], dtype=object)
    right[:, 2] = 3 * right[:, 0] + right[:, 1]
    product = np.array((left @ right) % PRIME, dtype=np.int64)
    assert modular_rank(product) == (4, [0, 1, 3, 4])


def test_dependence_of_columns() -> None:
    rng = np.random.default_rng(0)
    free = rng.normal(size=(40, 3))
    x, y, z = free.T
    matrix = np.column_stack([x, 1e-6 * y, x - 2e-6 * y, z, 0 * x])
    found = dependence(matrix)
    assert found.independent == [0, 1, 3] and found.dependent == [2, 4] and found.clear
    assert np.allclose(found.weights, [[1, 0], [-2, 0], [0, 0]], atol=1e-8)


def test_recognition() -> None:
    graph = Graph()
    entries = [parse(text, graph) for text in ("D3", "D8", "cos(g1)")]
    geometries = [{"D3": 0.7, "D8": 1.1, "g1": 0.4}, {"D3": 0.9, "D8": 0.3, "g1": 1.2}]
    words = Vocabulary(graph, entries, geometries)

    def meets(text: str) -> None:
        wanted = parse(text, graph)
        found = words.recognise([evaluate([wanted], geometry)[0] for geometry in geometries])
        assert found is not None
        for geometry in ({"D3": 0.21, "D8": 0.83, "g1": 0.9}, geometries[0]):
            assert evaluate([found - wanted], geometry)[0] == pytest.approx(0, abs=1e-12)

    for text in ("0", "-1", "2*D3", "-D8/D3", "D8*D8/D3", "D3*cos(g1)/2", "3/7"):
        meets(text)
    assert words.recognise([0.123456789, 0.987654321]) is None
    assert str(Fraction(3, 7)) in str(words.recognise([3 / 7, 3 / 7]))


def test_report() -> None:
    robot = yaml("name: two\nframes: [{theta: t1}, {d: L, theta: t2}]\nlinks: symbolic\ngravity: [0, 0, g]\n")
    text = str(base_parameters(robot, "numeric"))
    assert "tolerance" in text and "largest dropped" in text and "(numeric)" in text
