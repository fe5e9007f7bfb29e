"""Test sparse polynomials and trigonometric identities against SymPy and numeric values."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
import sympy

from robosym.algebra import Graph, evaluate, parse
from robosym.algebra.count import count
from robosym.algebra.folding import Folding, contracted, without_squares
from robosym.algebra.polynomial import Poly, Polynomials, power_of, quotient, times

NAMES = sympy.symbols("x0:4")


def drawn(rng: random.Random) -> Poly:
    terms = rng.randrange(1, 6)
    return Poly(
        {
            tuple((atom, rng.randrange(1, 4)) for atom in range(4) if rng.random() < 0.5): Fraction(
                rng.randrange(-3, 4)
            )
            for _ in range(terms)
        }
    )


def symbolic(poly: Poly) -> sympy.Poly:
    terms = (c * math.prod(NAMES[a] ** e for a, e in m) for m, c in poly.terms.items())
    return sympy.Poly(sum(terms, sympy.Integer(0)), *NAMES)


@pytest.mark.parametrize("seed", range(30))
def test_ring(seed: int) -> None:
    rng = random.Random(seed)
    a, b = drawn(rng), drawn(rng)
    x, y = symbolic(a), symbolic(b)
    assert symbolic(a + b) == x + y
    assert symbolic(a - b) == x - y
    assert symbolic(a * b) == x * y
    assert symbolic(3 - a * 2) == 3 - 2 * x
    assert not a - a and hash(a + b) == hash(b + a) and a + b == b + a
    assert all((a * b).terms.values())
    assert symbolic(a).total_degree() == max(0, a.total_degree(range(4)))


@pytest.mark.parametrize("seed", range(30))
def test_parts(seed: int) -> None:
    rng = random.Random(seed)
    a = drawn(rng) * drawn(rng)
    if not a:
        return
    common = a.content()
    rest = a.divided(common)
    assert len(rest) == len(a) and rest.content() == ()
    assert rest * Poly({common: 1}) == a
    parts = a.parted(lambda atom: atom < 2)
    assert all(atom < 2 for inside in parts for atom, _ in inside)
    assert sum((Poly({inside: 1}) * outside for inside, outside in parts.items()), Poly()) == a


def test_monomials() -> None:
    a, b = ((1, 2), (3, 1)), ((0, 1), (1, 1))
    assert times(a, b) == ((0, 1), (1, 3), (3, 1))
    assert quotient(times(a, b), b) == a
    assert quotient(a, b) is None
    assert [power_of(atom, a) for atom in range(4)] == [0, 2, 0, 1]


def test_squares_are_replaced() -> None:
    """s^4 becomes 1 - 2 c^2 + c^4; a sine without its cosine keeps its powers."""
    poly = Poly({((0, 4),): Fraction(1), ((2, 2),): Fraction(1)})
    found = poly.rewritten(lambda monomial: without_squares(monomial, {0: 1}.get))
    assert found.terms == {(): 1, ((1, 2),): -2, ((1, 4),): 1, ((2, 2),): 1}


TEXTS = (
    "x*sin(a)^2 + x*cos(a)^2 - y", "sin(a)*cos(b) + cos(a)*sin(b)", "cos(a + b)*cos(b) + sin(a + b)*sin(b)",
    "x*cos(a)*cos(b) - x*sin(a)*sin(b) + 2*y", "x - x*cos(a)^2", "sin(a)^4 + 2*sin(a)^2*cos(a)^2 + cos(a)^4",
    "x*sin(a) + y*cos(b)",
)  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_folding_keeps_values_and_never_lengthens(text: str) -> None:
    graph = Graph()
    expression = parse(text, graph)
    polynomials = Polynomials(graph)
    folding = Folding(polynomials)
    poly = polynomials.of(expression)
    values = {"a": 0.7, "b": -1.9, "x": 1.3, "y": 0.4}
    for shorter in (folding.folded(poly), folding.merged(poly), contracted(polynomials, poly)):
        assert len(shorter) <= len(poly)
        assert evaluate([polynomials.expression(shorter)], values)[0] == pytest.approx(
            evaluate([expression], values)[0]
        )


@pytest.mark.parametrize(
    ("text", "operations"), [("x*cos(a)*cos(b) - x*sin(a)*sin(b)", 2), ("x - x*cos(a)^2", 2), ("x*sin(a + b)", 2)]
)
def test_contraction(text: str, operations: int) -> None:
    """The first two texts become x cos(a + b) and x sin(a)^2; the third cannot be shortened."""
    graph = Graph()
    polynomials = Polynomials(graph)
    short = polynomials.expression(contracted(polynomials, polynomials.of(parse(text, graph))))
    assert count([short]).total == operations


def test_detects_zero_by_pythagorean_identity() -> None:
    graph = Graph()
    polynomials = Polynomials(graph)
    assert not Folding(polynomials).folded(polynomials.of(parse("sin(a)^2 + cos(a)^2 - 1", graph)))
