"""Energies against Pinocchio, and the power balance by finite differences along motions of the direct model."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from cases.dynamic import Case, draw
from oracles.energy import EnergyOracle
from robosym.algebra import evaluate
from robosym.dynamics import direct_dynamics, energy

_STEP = 1e-5


@pytest.mark.parametrize("seed", range(4))
def test_tree_energy_agrees_with_pinocchio(seed: int) -> None:
    case = draw(seed, symbolic=True)
    found = case.number(energy(case.robot))["energy"]
    terms = EnergyOracle(case.robot, case.values)(case.vector("q"), case.vector("QP"))
    entries = [getattr(case.robot.link(j), field) for j, field in terms]
    expected = float(np.dot(evaluate(entries, case.values), list(terms.values())))
    assert found.sum() == pytest.approx(expected, rel=1e-10)
    at_rest = Case(case.robot, case.values | {f"QP{j}": 0.0 for j in case.robot.tree_joints})
    assert at_rest.number(energy(case.robot))["energy"] == pytest.approx([0, found[1], found[2]])


@pytest.mark.parametrize("seed", range(4))
def test_power_balance(seed: int) -> None:
    """d(EK + EG + ES)/dt = PM - PF - PW along a motion of the direct model."""
    case = draw(seed + 10, links=5, symbolic=True, elastic=True)
    model, direct = energy(case.robot), direct_dynamics(case.robot)
    qdd = case.number(direct)["qdd"]
    joints = case.robot.tree_joints
    rates = case.vector("QP")

    def total(step: float) -> float:
        moved = dict(case.values)
        for j, rate, change in zip(joints, rates, qdd, strict=True):
            name = case.robot.variable(j)
            moved[name] += step * rate + step**2 / 2 * change
            moved[f"QP{j}"] += step * change
        return float(Case(case.robot, moved).number(model)["energy"].sum())

    given, taken, passed_on = case.number(model)["power"]
    slope = (total(_STEP) - total(-_STEP)) / (2 * _STEP)
    assert slope == pytest.approx(given - taken - passed_on, rel=1e-6, abs=1e-6)


def test_accepts_library_names() -> None:
    model = rs.energy("sr400")
    assert set(model.outputs) == {"energy", "power"} and len(model.inputs["qd"]) == 6
    assert "EK" in model.code("c")
