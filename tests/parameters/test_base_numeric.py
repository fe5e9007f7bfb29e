"""Numeric and exact method: they agree with the symbolic rules on trees, and complete them on special loops."""

from __future__ import annotations

import random

import pytest

import robosym as rs
from cases.identification import special_tree, yaml
from random_robots import random_robot
from robosym.errors import InputError
from robosym.parameters import base_parameters
from robosym.parameters.by_numbers import check_by_numbers


@pytest.mark.parametrize("seed", range(200, 230))
def test_trees(seed: int) -> None:
    robot = special_tree(seed)
    symbolic, numeric = base_parameters(robot), base_parameters(robot, "numeric")
    assert numeric.missed == () and numeric.names == symbolic.names
    assert f"exact rank {len(symbolic.names)} (proved)" in numeric.remark


@pytest.mark.parametrize("seed", range(8))
def test_trees_with_numbers(seed: int) -> None:
    """Decimal lengths, angles of 45 and 120 degrees, and arbitrary angles."""
    robot = random_robot(random.Random(seed), links=4, symbolic=False)
    assert "(proved)" in base_parameters(robot, "numeric").remark


@pytest.mark.parametrize("name", ["rx90", "stanford", "iiwa14", "tx90", "gantry3p3r"])
def test_library(name: str) -> None:
    robot = rs.load(name)
    assert base_parameters(robot, "numeric").names == base_parameters(robot).names


def test_rejects_incomplete_grouping() -> None:
    """Without any one of its parameters, the rank does not agree for any geometry."""
    found = base_parameters(rs.load("planar2r"))
    for name in found.names:
        grouping = {key: value for key, value in found.grouping.items() if key != name}
        places = {key: place for key, place in found.places.items() if key != name}
        with pytest.raises(InputError, match=r"numeric rank of the base parameters .* is unclear"):
            check_by_numbers(found.given, found.standard, grouping, places)


@pytest.mark.parametrize("seed", range(4))
def test_moving_base(seed: int) -> None:
    robot = random_robot(random.Random(seed), links=2, floating=True)
    numeric = base_parameters(robot, "numeric")
    assert numeric.names == base_parameters(robot).names and numeric.missed == ()
    assert "exact" not in numeric.remark


def test_report() -> None:
    robot = yaml("name: two\nframes: [{theta: t1}, {d: L, theta: t2}]\nlinks: symbolic\ngravity: [0, 0, g]\n")
    text = str(base_parameters(robot, "numeric"))
    assert "tolerance" in text and "largest dropped" in text and "(numeric)" in text
