"""Test equal angles that are written differently."""

from __future__ import annotations

from robosym.algebra import Graph, parse
from robosym.algebra.count import count


def test_multiples_of_a_sum_share_functions() -> None:
    graph = Graph()
    one, other = (parse(text, graph) for text in ("cos(2*(a + b) + c)", "cos(c + 2*b + 2*a)"))
    assert one is other and count([one]).total == 3
    assert parse("sin(2*a - 2*b)", graph) is parse("-sin(2*(b - a))", graph)
    assert parse("cos(a/2 + 1/2)", graph) is parse("cos(1/2 + a/2)", graph)
