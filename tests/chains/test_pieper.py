"""Test the 52 structures of Pieper with random geometry, and degenerate quartics."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import robosym as rs
from cases.forward import build, gap, place, poses
from long_cases import quick_and_long
from robosym.model.solution.roots import polynomial, sine2
from robosym.solve import inverse_geometry

STRUCTURES = [(first, kinds) for first in range(1, 5) for kinds in itertools.product("RP", repeat=3)] + [
    (0, places) for places in itertools.combinations(range(6), 3)
]


def structure(first, kinds, rng):
    """Return six joints: three revolute axes from `first` on intersect, or, with first = 0, three are prismatic."""
    types = ["R"] * 6
    if first:
        for place_, kind in zip([j for j in range(6) if not first - 1 <= j < first + 2], kinds, strict=True):
            types[place_] = kind
    else:
        for place_ in kinds:
            types[place_] = "P"
    rows = []
    for j, kind in enumerate(types, 1):
        row = {"alpha": round(rng.uniform(-2.5, 2.5), 3), "d": round(rng.uniform(0.1, 0.6), 3)}
        if kind == "R":
            row |= {"theta": f"t{j}", "r": round(rng.uniform(0.1, 0.6), 3)}
        else:
            row |= {"sigma": 1, "theta": round(rng.uniform(-3, 3), 3), "r": f"r{j}"}
        rows.append(row)
    if first:
        rows[first] |= {"d": 0, "r": 0}
        rows[first + 1] |= {"d": 0}
    return build("structure", rows)


@pytest.mark.parametrize("number", quick_and_long(range(52), long=[n for n in range(52) if n % 5]))
def test_solves_structure(number):
    rng = np.random.default_rng(number)
    robot = structure(*STRUCTURES[number], rng)
    model = inverse_geometry(robot, "pieper")
    assert model.method == "pieper" and ("meet" in model.reason or "prismatic" in model.reason)
    lengths = [joint.prismatic for joint in model.problem.chain.joints]
    q = np.where(lengths, rng.uniform(-1, 1, (12, 6)), rng.uniform(-np.pi, np.pi, (12, 6)))
    T = poses(robot, model.joints, q, {}, 6)
    for target, solutions, row in zip(T, model.solve(T), q, strict=True):
        assert gap(solutions, row, lengths) < 1e-6
        reached = place(robot, dict(zip(model.joints, solutions[-1], strict=True)), 6)
        assert np.abs(reached - target).max() < 1e-9


def test_solves_arms_of_pauls_method():
    for name in ("puma560", "tx90"):
        robot = rs.load(name)
        q = np.full(6, 0.6)
        T = place(robot, dict(zip(inverse_geometry(robot).joints, q, strict=True)), robot.NF)
        expected, found = inverse_geometry(robot).solve(T), inverse_geometry(robot, "pieper").solve(T)
        assert len(found) == len(expected) >= 4
        assert all(gap(found, row, [False] * 6) < 1e-8 for row in np.asarray(expected))


def test_polynomials_with_vanishing_leading_coefficients():
    scale = np.ones(4)
    p = np.array([[-6.0, 11, -6, 1, 0], [-1, 0, 1, 0, 0], [-2, 1, 0, 0, 0], [0, 0, 0, 0, 0]])
    values, real, free = polynomial(list(p.T), scale)
    found = [sorted(np.round(row[keep], 9)) for row, keep in zip(values, real, strict=True)]
    assert found == [[1, 2, 3], [-1, 1], [2], [0]]
    assert list(free) == [False, False, False, True]


def test_quadratic_equations_in_sine_and_cosine():
    t = np.array([0.4, 2.0, -1.0, 3.1])
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-1, 1, (2, 4))
    c, s = np.cos(t), np.sin(t)
    # (C - cos t) (a + b S) + (S - sin t) (b - a C) = 0 is quadratic and holds at t
    k = [np.zeros(4), b - a, a + a * s, b - b * c, -a * c - b * s]
    values, real, _ = sine2(k, np.ones(4))
    for row, keep, angle in zip(values, real, t, strict=True):
        assert np.abs(np.sin((row[keep] - angle) / 2)).min() < 1e-7
    first = sine2([np.zeros(1), np.zeros(1), np.ones(1), np.zeros(1), -np.cos(np.ones(1))], np.ones(1))
    assert sorted(np.round(np.abs(first[0][first[1]]), 9)) == [1, 1]
