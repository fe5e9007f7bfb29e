"""Test block forms, linear systems and factors of expressions against NumPy and SymPy on random data."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
import sympy

from robosym.algebra import Expr, Graph, evaluate, parse, to_sympy
from robosym.algebra.factoring import factors
from robosym.algebra.folding import Folding
from robosym.algebra.linear.regular import block_triangular, matching, minor, sizes_at, solve
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.algebra.polynomial import Polynomials
from robosym.errors import InputError


@pytest.mark.parametrize("seed", range(30))
def test_blocks_are_triangular_and_cover_the_matrix(seed: int) -> None:
    rng = random.Random(seed)
    n = rng.randrange(1, 9)
    table = [[rng.random() < rng.choice((0.2, 0.5)) for _ in range(n)] for _ in range(n)]
    rank = int(np.linalg.matrix_rank(np.array([[rng.uniform(1, 2) * e for e in row] for row in table])))
    assert (matching(table) is None) == (rank < n)
    blocks = block_triangular(table)
    if blocks is None:
        return
    assert sorted(r for rows, _ in blocks for r in rows) == sorted(c for _, cs in blocks for c in cs) == list(range(n))
    known: set[int] = set()
    for rows, columns in blocks:
        known |= set(columns)
        assert all(c in known for r in rows for c in range(n) if table[r][c])


@pytest.mark.parametrize("seed", range(20))
def test_solves_random_systems(seed: int) -> None:
    rng = random.Random(seed)
    graph, n = Graph(), rng.randrange(1, 7)

    def entry() -> Expr:
        return parse(rng.choice(("0", "0", "1", "-1", "a", "b*c", "sin(a)", "cos(b) - c", "a + b")), graph)

    A = [[entry() for _ in range(n)] for _ in range(n)]
    B = [[entry() for _ in range(2)] for _ in range(n)]
    values = {name: rng.uniform(0.3, 2) for name in "abc"}

    def value(matrix: list[list[Expr]]) -> np.ndarray:
        return np.array([evaluate(row, values) for row in matrix])

    if abs(np.linalg.det(value(A))) < 1e-9:
        with pytest.raises(InputError, match="singular in every position"):
            solve(A, B, sizes_at(values))
        return
    np.testing.assert_allclose(value(A) @ value(solve(A, B, sizes_at(values))), value(B), atol=1e-8)
    assert evaluate([minor(A, range(n), range(n))], values)[0] == pytest.approx(np.linalg.det(value(A)))


@pytest.mark.parametrize("reciprocals", [True, False])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_symmetric_systems(size: int, reciprocals: bool) -> None:
    """Check floats and expressions; entries below the diagonal are not read."""
    rng = np.random.default_rng(size)
    root, right = rng.normal(size=(size, size)), rng.normal(size=size)
    A = root @ root.T + np.eye(size)
    upper = np.triu(A) + np.tril(np.full((size, size), np.nan), -1)
    expected = np.linalg.solve(A, right)
    np.testing.assert_allclose(solve_symmetric(upper.tolist(), right.tolist(), reciprocals), expected, atol=1e-12)
    graph = Graph()
    table = [[graph.symbol(f"a{min(r, c)}{max(r, c)}") for c in range(size)] for r in range(size)]
    values = {f"a{r}{c}": A[r, c] for r in range(size) for c in range(r, size)}
    found = solve_symmetric(table, [graph.number(float(b)) for b in right], reciprocals)
    np.testing.assert_allclose(evaluate([graph.zero + x for x in found], values), expected, atol=1e-12)


def test_rejects_symmetric_system_without_pivot() -> None:
    graph = Graph()
    with pytest.raises(InputError, match="unknown 2 of the system moves no inertia"):
        solve_symmetric([[graph.one, graph.zero], [graph.zero, graph.zero]], [graph.one, graph.one])


def test_minors_of_numbers() -> None:
    A = np.random.default_rng(2).normal(size=(5, 5))
    A[2, 1:4] = 0
    rows, columns = [0, 2, 3, 4], [1, 2, 3, 4]
    assert minor(A.tolist(), rows, columns) == pytest.approx(np.linalg.det(A[np.ix_(rows, columns)]))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("sin(a)^2 + cos(a)^2", 0), ("b*sin(a)^2*c + b*cos(a)^2*c", 2), ("sin(a)*cos(b) + cos(a)*sin(b)", 1),
        ("cos(a + b)*cos(b) + sin(a + b)*sin(b)", 1), ("x^2 - y^2", 2), ("x^2*cos(a) + x*y*cos(a)", 3),
        ("0.25*x + 0.5*y", 1), ("(x + sin(a))*(x - cos(b))", 2), ("x*sin(a)^2 + x", 2), ("-3", 0),
    ],
)  # fmt: skip
def test_factors(text: str, count: int) -> None:
    graph = Graph()
    expression = parse(text, graph)
    polynomials = Polynomials(graph)
    number, found = factors(Folding(polynomials), polynomials.of(expression))
    assert len(found) == count
    product = sympy.Rational(number.numerator, number.denominator)
    for piece, power in found.items():
        product *= to_sympy([polynomials.expression(piece)])[0] ** power
    assert sympy.simplify(sympy.expand_trig(product - sympy.nsimplify(to_sympy([expression])[0]))) == 0


def test_zero_has_no_factors() -> None:
    graph = Graph()
    polynomials = Polynomials(graph)
    x = graph.symbol("x")
    assert factors(Folding(polynomials), polynomials.of(x - x)) == (Fraction(0), {})
