"""Test linear relations of parallelograms against the book and positions closed by other methods."""

from __future__ import annotations

import numpy as np

import robosym as rs
from robosym.algebra import Graph, evaluate, parse


def test_parallelogram_of_the_guide() -> None:
    geometry = rs.loop_geometry(rs.load("sr400"))
    assert geometry.linear == {"t3": "Pi/2 - t2 + t7", "t8": "t2 - t7", "t9": "Pi - t2 + t7"}
    assert "As a parallelogram: t3 = Pi/2 - t2 + t7, t8 = t2 - t7, t9 = Pi - t2 + t7." in geometry.explain()


def test_relations_hold_in_the_first_mode() -> None:
    """The first of all assembly modes is the parallelogram."""
    robot = rs.load("sr400")
    geometry = rs.loop_geometry(robot)
    lengths = {"D2": 0.2, "D3": 0.8, "D4": 0.15, "RL4": 0.9, "D8": 0.35}
    q = [0.3, -1.2, 0.4, 0.5, 0.6, -2.8]
    first = geometry.solve(q, parameters={n: v for n, v in lengths.items() if n in geometry.parameters})[0]
    known = dict(zip(geometry.known, q, strict=True))
    for name in ("t3", "t8"):
        (value,) = evaluate([parse(geometry.linear[name], Graph())], known)
        turn = first[geometry.joints.index(name)] - value
        assert abs(np.remainder(turn + np.pi, 2 * np.pi) - np.pi) < 1e-9


def test_other_loops_have_no_relations() -> None:
    assert rs.loop_geometry(rs.load("akr3000")).linear == {}
