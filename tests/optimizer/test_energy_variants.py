"""Energy models from functions of the antecedents: fewer operations, the same row."""

from __future__ import annotations

import random
from functools import partial

import pytest

import robosym as rs
from evaluation import same_outputs
from random_robots import random_robot
from robosym.dynamics.identification.columns import IdentificationModel, choose_columns
from robosym.dynamics.identification.energy_identification import energy_row
from robosym.optimizer.recursions.of_identification import ON_AXIS, TURNED, EnergyChoice, energy_functions_by


@pytest.mark.parametrize(("name", "standard", "base"), [("rx90", 162, 148), ("puma560", 201, 168), ("panda", 265, 192)])
def test_operation_counts(name: str, standard: int, base: int) -> None:
    for model, bar in zip(
        (rs.energy_identification(rs.load(name), base_parameters=reduced) for reduced in (False, True)),
        (standard, base),
        strict=True,
    ):
        best = rs.optimize(model, 2)
        assert best.operations.total <= bar <= model.operations.total
        assert isinstance(best, IdentificationModel) and best.columns == model.columns
        same_outputs(model, best)


@pytest.mark.parametrize("seed", range(6))
def test_all_choices_agree(seed: int) -> None:
    """Gamma and b, prismatic joints, branches: functions by the book and from the antecedent."""
    robot = random_robot(random.Random(seed), links=5)
    model = rs.energy_identification(robot, friction=True)
    columns = choose_columns(robot, False, None, False, False)
    for ways in ((), (ON_AXIS,), (TURNED,), (ON_AXIS, TURNED)):
        carried = frozenset((j, way) for j in range(1, robot.NL + 1) for way in ways)
        for sums in (False, True):
            functions = partial(energy_functions_by, EnergyChoice(carried, sums))
            same_outputs(model, energy_row(robot, columns, None, True, functions))


@pytest.mark.parametrize("name", ["sr400", "scara", "stanford"])
def test_closed_robots_and_prismatic_joints(name: str) -> None:
    model = rs.energy_identification(rs.load(name))
    best = rs.optimize(model, 2)
    assert best.operations.total < model.operations.total
    same_outputs(model, best)
