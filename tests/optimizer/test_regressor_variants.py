"""Regressors from columns of motion: fewer operations, the same matrix and kind of model."""

from __future__ import annotations

import random

import pytest

import robosym as rs
from evaluation import same_outputs
from random_robots import random_robot
from robosym.dynamics.identification.columns import IdentificationModel
from robosym.model import Model


def same_regressor(a: IdentificationModel, b: Model) -> None:
    same_outputs(a, b)
    assert isinstance(b, IdentificationModel) and b.columns == a.columns and b.pattern == a.pattern


@pytest.mark.parametrize(("name", "bar"), [("rx90", 625), ("ur5e", 551)])
def test_operation_counts(name: str, bar: int) -> None:
    model = rs.dynamic_identification(rs.load(name), base_parameters=True)
    best = rs.optimize(model, 2)
    assert best.operations.total <= bar < model.operations.total
    same_regressor(model, best)


@pytest.mark.parametrize("seed", range(4))
def test_random_trees(seed: int) -> None:
    model = rs.dynamic_identification(random_robot(random.Random(seed), links=3)).sparse()
    for goal in ("operations", "speed"):
        same_regressor(model, rs.optimize(model, 2, goal=goal))
