"""Recursions with phases and with a length of the robot as unit agree with the book."""

from __future__ import annotations

import random

import pytest

import robosym as rs
from evaluation import same_outputs
from long_cases import quick_and_long
from random_robots import random_robot
from robosym.errors import InputError
from robosym.optimizer.recursions.lengths import in_unit, lengths, points
from robosym.optimizer.recursions.of_trees import (
    bias_by_second_moments,
    direct_by_second_moments,
    inverse_by_second_moments,
)
from robosym.optimizer.recursions.treatments import ACROSS, LUMPED, MIXED, PAST, TURNED, Treatments


@pytest.mark.parametrize("seed", range(12))
def test_random_robots(seed: int) -> None:
    draw = random.Random(seed)
    if seed % 3:
        robot = random_robot(draw, links=draw.randint(2, 5))
    else:
        robot = rs.load(("rx90", "ur5e", "puma560", "lwr")[seed // 3])
    ways = {j: draw.choice((ACROSS, TURNED, LUMPED, MIXED)) for j in range(1, robot.NL + 1)}
    units = [None, *lengths(robot)]
    for generate, book in ((inverse_by_second_moments, rs.inverse_dynamics), (bias_by_second_moments, rs.bias_torques)):
        model = book(robot, structure="tree")
        for unit in (None, draw.choice(units)):
            some = frozenset(j for j in range(1, robot.NL + 1) if draw.random() < 0.5)
            choice = Treatments(
                ways, sums_outward=draw.random() < 0.5, phases=draw.random() < 0.7, points=some, unit=unit
            )
            same_outputs(model, generate(robot, choice), seed=seed)


def test_unit_must_be_a_length_of_the_robot() -> None:
    robot = rs.load("rx90")
    assert lengths(robot) == [(3, "d"), (4, "r")]
    with pytest.raises(InputError, match="rx90: d of frame 2 cannot be the unit of length"):
        in_unit(robot, (2, "d"))
    assert lengths(rs.load("stanford")) == []  # its sliding joint has a force
    assert in_unit(robot, (3, "d")).frame(3).d.is_zero is False


@pytest.mark.parametrize("name", ["rx90", "ur5e", "lwr", "panda", "puma560", "scara"])
def test_masses_at_origins_replace_first_moments(name: str) -> None:
    """All of them, also with shifted origins."""
    robot = rs.load(name)
    found = points(robot)
    model = rs.inverse_dynamics(robot)
    last = robot.NL
    for ways in ({}, {2: ACROSS, 3: PAST}, {2: TURNED, last: MIXED}, {last: LUMPED}):
        for slid in (frozenset[int](), frozenset({3, 4})):
            same_outputs(
                model, inverse_by_second_moments(robot, Treatments(ways, slid, points=frozenset(found))), seed=last
            )
    same_outputs(
        rs.direct_dynamics(robot), direct_by_second_moments(robot, Treatments(points=frozenset(found))), seed=2
    )


def test_allowed_places_of_masses() -> None:
    """An origin must be on an axis of the previous link; in loops at a known distance."""
    assert {j: str(length) for j, length in points(rs.load("rx90")).items()} == {3: "D3", 4: "RL4"}
    assert points(rs.load("stanford")).keys() == {2}  # the others slide, or follow a sliding joint
    assert all(length.op == "number" for length in points(rs.load("sr400"), symbols=False).values())


def test_title_names_divisors() -> None:
    """Only symbolic lengths are named; a number is known not to be 0."""
    symbolic, numeric = rs.load("rx90"), rs.load("ur5e")
    for generate in (inverse_by_second_moments, bias_by_second_moments):
        assert generate(symbolic, Treatments(unit=(3, "d"))).title.endswith(
            "lengths relative to D3, which must not be 0"
        )
        assert "must not" not in generate(symbolic, Treatments()).title
        point = frozenset({4})
        assert generate(symbolic, Treatments(points=point)).title.endswith(
            "a mass at the distance RL4, which must not be 0"
        )
        assert generate(symbolic, Treatments(points=point, unit=(4, "r"))).title.count("must not") == 1
        assert "must not" not in generate(numeric, Treatments(unit=lengths(numeric)[0])).title


@pytest.mark.parametrize("name", quick_and_long(["planar2r", "scara"], long="scara"))
def test_online_operations_count_with_base_parameters(name: str) -> None:
    """Base parameters are combined offline: phases and units pay for operations, but not for speed."""
    model = rs.inverse_dynamics(rs.load(name), base_parameters=True)
    few, fast = (rs.optimize(model, "max", goal=goal) for goal in ("operations", "speed"))
    assert few.operations.online is not None and fast.operations.online is not None
    assert few.operations.online.total <= fast.operations.online.total
    assert fast.operations.functions <= model.operations.functions
    same_outputs(model, few, seed=3)
    same_outputs(model, fast, seed=4)
