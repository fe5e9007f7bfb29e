"""The algebraic passes: operations saved and unchanged values."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest

from robosym.algebra import Expr, Graph, Level, evaluate, parse
from robosym.algebra.count import count
from robosym.optimizer.kernels import KernelSearch, collect_squares, extract_common
from robosym.optimizer.sums_of_products import SumsOfProducts, _sorts, shared, without

ONLINE = ("x", "y", "z", "u", "v")


def expressions(texts: list[str]) -> list[Expr]:
    graph = Graph()
    for name in ONLINE:
        graph.symbol(name, online=True)
    return [parse(text, graph) for text in texts]


def rewritten(roots: list[Expr], *passes: Callable[[SumsOfProducts], None]) -> list[Expr]:
    polynomials = SumsOfProducts(roots)
    for step in passes:
        step(polynomials)
    graph = Graph()
    for name in ONLINE:
        graph.symbol(name, online=True)
    return polynomials.build(graph)[0]


def same_values(a: list[Expr], b: list[Expr]) -> None:
    draw = random.Random(4)
    for _ in range(5):
        values = {n: draw.uniform(0.5, 2.0) for n in (*ONLINE, "a", "b", "c", "d", "e")}
        assert evaluate(b, values) == pytest.approx(evaluate(a, values), rel=1e-13)


@pytest.mark.parametrize(
    ("texts", "before", "after"),
    [
        (["x*y + x*z"], 3, 2),  # factoring
        (["a*x + b*x + c*x"], 5, 3),  # an online factor: a + b + c is offline
        (["x + y + z", "u + x + y"], 4, 3),  # a pair of terms, in any order
        (["x - y + z", "u - x + y"], 4, 3),  # a pair up to its sign
        (["x*y*z", "x*u*y"], 4, 3),  # a pair of factors
        (["x*u + x*v", "y*u + y*v"], 6, 3),  # one kernel, two cofactors
        (["a*x*u + a*y*u - b*v", "b*v*z"], 8, 6),
        (["x*y + z", "x*y*u"], 3, 3),  # shared already
        (["exp(x + y + z)", "cos(u)*(z + x)"], 4, 3),  # arguments of functions take part
        (["x/(y + u + z)", "v*(z + y)"], 5, 4),
    ],
)
def test_common_parts_and_factors(texts: list[str], before: int, after: int) -> None:
    roots = expressions(texts)
    assert count(roots).total == before
    found = rewritten(roots, extract_common)
    assert count(found).total == after
    same_values(roots, found)


def test_offline_factors_are_combined_offline() -> None:
    roots = expressions(["x*a*y*b", "x*(a*z)*b"])
    found = rewritten(roots, extract_common)
    online = count(found).online
    assert online is not None and online.total == 3  # a*b*x, then y and z
    same_values(roots, found)


@pytest.mark.parametrize(
    ("texts", "before", "after"),
    [
        (["x*x + 2*x*y + y*y"], 6, 2),
        (["a*a - 2*a*b + b*b + x"], 7, 3),
        (["x*x - y*y", "(x + y)*z"], 5, 4),  # x + y is there
        (["x*x - y*y"], 3, 3),  # nothing to gain
        (["x*x - y*y + z", "(x - y)*u", "(x + y)*v"], 8, 6),
    ],
)
def test_squares(texts: list[str], before: int, after: int) -> None:
    roots = expressions(texts)
    assert count(roots).total == before
    found = rewritten(roots, collect_squares, extract_common)
    assert count(found).total == after
    same_values(roots, found)


def test_random_polynomials_never_grow() -> None:
    draw = random.Random(7)
    names = [*ONLINE, "a", "b", "c", "d", "e"]
    for _ in range(40):
        texts = []
        for _ in range(draw.randint(1, 5)):
            terms = ["*".join(draw.choices(names, k=draw.randint(1, 4))) for _ in range(draw.randint(1, 7))]
            texts.append(" + ".join(terms).replace("+ ", draw.choice(("+ ", "- ")), 1))
        roots = expressions(texts)
        found = rewritten(roots, collect_squares, extract_common)
        assert count(found).total <= count(roots).total
        same_values(roots, found)


def test_common_factors_of_products() -> None:
    draw = random.Random(3)
    for _ in range(200):
        a, b = (tuple(sorted(draw.choices(range(5), k=draw.randint(0, 6)))) for _ in range(2))
        common = shared(a, b)
        assert common == tuple(sorted((Counter(a) & Counter(b)).elements()))
        assert without(a, common) == tuple(sorted((Counter(a) - Counter(b)).elements()))


def test_operands_in_any_order() -> None:
    """At most one number and one offline operand besides online ones."""
    number, offline, online = Level.NUMBER, Level.OFFLINE, Level.ONLINE
    assert all(
        _sorts(levels) for levels in ([online], [number, online, online], [offline, number, online], [offline] * 3)
    )
    assert not any(_sorts(levels) for levels in ([offline, online, offline], [number, offline, number]))


@pytest.mark.parametrize(
    ("texts", "saved"), [(["x*z*y", "x*u*y", "x*v*y"], 2), (["a*z*b", "a*u*b"], 1), (["x*z + y*z", "x*u + y*u"], 3)]
)
def test_gain_equals_operations_saved(texts: list[str], saved: int) -> None:
    roots = expressions(texts)
    search = KernelSearch(SumsOfProducts(roots), 1.0)
    assert max(search.gain(key) for key in search.places) == saved
    assert count(rewritten(roots, extract_common)).total == count(roots).total - saved
