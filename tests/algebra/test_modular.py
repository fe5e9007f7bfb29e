"""Test arithmetic modulo a prime: exact identities and integer ranks."""

from __future__ import annotations

import random

import numpy as np

from robosym.algebra import Graph, parse
from robosym.algebra.modular import PRIME, modular_rank, residues


def test_residues_satisfy_identities() -> None:
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
