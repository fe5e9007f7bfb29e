"""The numeric and the exact method: they agree with the symbolic rules on trees, and go further on special loops."""

from __future__ import annotations

import random

import pytest

import robosym as rs
from cases.identification import special_tree, yaml
from random_robots import random_robot
from robosym.errors import InputError
from robosym.parameters import base_parameters


@pytest.mark.parametrize("seed", range(200, 230))
def test_trees(seed: int) -> None:
    robot = special_tree(seed)
    symbolic, numeric = base_parameters(robot), base_parameters(robot, "numeric")
    assert numeric.missed == () and numeric.names == symbolic.names
    assert f"exact rank {len(symbolic.names)} (proved)" in numeric.remark


@pytest.mark.parametrize("seed", range(8))
def test_trees_with_numbers(seed: int) -> None:
    """Decimal lengths, angles of 45 and 120 degrees, any other number of radians."""
    robot = random_robot(random.Random(seed), links=4, symbolic=False)
    assert "(proved)" in base_parameters(robot, "numeric").remark


@pytest.mark.parametrize("name", ["rx90", "stanford", "iiwa14", "tx90", "gantry3p3r"])
def test_library(name: str) -> None:
    robot = rs.load(name)
    assert base_parameters(robot, "numeric").names == base_parameters(robot).names


def test_moving_base_is_refused() -> None:
    robot = random_robot(random.Random(1), links=2, floating=True)
    with pytest.raises(InputError, match="floating base"):
        base_parameters(robot, "numeric")


def test_report() -> None:
    robot = yaml("name: two\nframes: [{theta: t1}, {d: L, theta: t2}]\nlinks: symbolic\ngravity: [0, 0, g]\n")
    text = str(base_parameters(robot, "numeric"))
    assert "tolerance" in text and "largest dropped" in text and "(numeric)" in text
