"""Test elimination (tables 2.1 and 2.2): the resultant of two equations vanishes at their common solution."""

from __future__ import annotations

import numpy as np
import pytest

from robosym.algebra import Graph, evaluate
from robosym.algebra.samples import Samples
from robosym.chains.equation_types import eliminate, two_equations, univariate
from robosym.chains.matrix_equations import Equation
from robosym.chains.unknowns import Polynomial
from robosym.model.solution.roots import KERNELS
from robosym.model.solution.steps import Variable

X, Y = 0.7, 0.4
ANGLE, LENGTH = Variable((("t1", 1),)), Variable((("r1", 1),), prismatic=True)
OTHER_ANGLE, OTHER_LENGTH = Variable((("t2", 1),)), Variable((("r2", 1),), prismatic=True)


def samples_at_solution():
    graph = Graph()
    return Samples(graph, {name: np.array([X if name[1] == "1" else Y]) for name in ("t1", "r1", "t2", "r2")})


def atoms(samples, variable):
    return [Polynomial.atom(samples, variable, kind) for kind in ("r" if variable.prismatic else "cs")]


def vanishing(samples, parts, rng, origin):
    """Return the equation of a random combination of polynomials that vanishes at the solution."""
    total = Polynomial(samples)
    for part in parts:
        total = total + part * samples.graph.number(float(rng.uniform(-1, 1)))
    return Equation(origin, total - samples.graph.number(at_the_solution(total)))


def at_the_solution(polynomial):
    total = 0.0
    for monomial, coefficient in polynomial.terms.items():
        value = evaluate([coefficient], {})[0]
        for (variable, kind), power in monomial:
            place = X if variable.terms[0][0][1] == "1" else Y
            value *= {"c": np.cos(place), "s": np.sin(place), "r": place}[kind] ** power
        total += value
    return total


@pytest.mark.parametrize("x, y", [(x, y) for x in (ANGLE, LENGTH) for y in (OTHER_ANGLE, OTHER_LENGTH)])
def test_eliminates_one_of_two_unknowns(x, y):
    samples, rng = samples_at_solution(), np.random.default_rng(2)
    parts = [*atoms(samples, x), *atoms(samples, y)]
    first, second = (vanishing(samples, parts, rng, name) for name in ("U1", "U2"))
    equation, _ = eliminate(first, second, x, y)
    assert equation.origin == "U1 with U2" and equation.polynomial.variables() == (x,)
    assert at_the_solution(equation.polynomial) == pytest.approx(0, abs=1e-12)
    single = univariate(equation)
    coefficients = [np.array([evaluate([c], {})[0]]) for c in single.coefficients]
    values, real, _ = KERNELS[single.form](coefficients, np.ones(1))
    assert np.abs(values[real] - X).min() < 1e-7


@pytest.mark.parametrize("x", [ANGLE, LENGTH])
def test_eliminates_angle_by_adding_squares(x):
    """Add the squares of k C + .. = 0 and k S + .. = 0, also with the angle shifted."""
    samples, rng = samples_at_solution(), np.random.default_rng(4)
    (c, s), number = atoms(samples, OTHER_ANGLE), samples.graph.number
    for one, two in ((c, s), (c * number(3) + s * number(4), s * number(3) - c * number(4))):
        rest = [Polynomial(samples), Polynomial(samples)]
        for k in range(2):
            for atom in atoms(samples, x):
                rest[k] = rest[k] + atom * number(float(rng.uniform(-1, 1)))
        totals = [angle * number(2) + others for angle, others in zip((one, two), rest, strict=True)]
        first, second = (Equation("U", total - number(at_the_solution(total))) for total in totals)
        equation, _ = eliminate(first, second, x, OTHER_ANGLE)
        assert equation.polynomial.variables() == (x,)
        assert at_the_solution(equation.polynomial) == pytest.approx(0, abs=1e-12)
        assert max(abs(evaluate([e], {})[0]) for e in equation.polynomial.terms.values()) > 0.1


def test_types_of_one_unknown():
    samples, rng = samples_at_solution(), np.random.default_rng(3)
    c, s = atoms(samples, ANGLE)
    (r,) = atoms(samples, LENGTH)
    for parts, form, guide in (
        ([c, s], "sine", "type 2"),
        ([c], "sine", "type 9"),
        ([s], "sine", "type 10"),
        ([c * c, c * s, s], "sine2", "type 6 of Pieper"),
        ([r], "linear", "type 1"),
        ([r, r * r], "quadratic", "type 2 of Pieper"),
        ([r, r * r * r], "quartic", "type 5 of Pieper"),
    ):
        single = univariate(vanishing(samples, parts, rng, "U"))
        assert (single.form, single.type) == (form, guide)
    assert univariate(vanishing(samples, [c * c * c], rng, "U")) is None
    assert univariate(vanishing(samples, [c, r], rng, "U")) is None


def test_pair_of_equations_has_one_root():
    samples, rng = samples_at_solution(), np.random.default_rng(5)
    first, second = (univariate(vanishing(samples, atoms(samples, ANGLE), rng, name)) for name in ("U1", "U2"))
    both = two_equations(first, second)
    coefficients = [np.array([evaluate([c], {})[0]]) for c in both.coefficients]
    values, real, _ = KERNELS[both.form](coefficients, np.ones(1))
    assert values[real] == pytest.approx([X])
