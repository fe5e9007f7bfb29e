"""Test composed models: they give the values of their parts and compute shared terms once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

import robosym as rs


def values(model: rs.Model) -> dict[str, Any]:
    random = default_rng(3)
    known = {name: random.uniform(0.5, 1.5) for names in model.inputs.values() for name in sorted(names)}
    return {group: np.array([known[name] for name in names]) for group, names in model.inputs.items()}


def test_models_of_one_robot_share_terms() -> None:
    robot = rs.load("rx90")
    inertia, bias = rs.inertia_matrix(robot), rs.bias_torques(robot)
    both = rs.compose(inertia, bias)
    assert both.robot is robot and set(both.outputs) == {"A", "H"}
    assert both.operations.total < inertia.operations.total + bias.operations.total
    given = values(both)
    named = dict(zip(sum(both.inputs.values(), ()), np.concatenate(list(given.values())), strict=True))
    result = both.compile()(**given)
    for part, found in ((inertia, result.A), (bias, result.H)):
        alone = part.compile()(**{g: np.array([named[n] for n in names]) for g, names in part.inputs.items()})
        np.testing.assert_allclose(found, alone, rtol=1e-12)


def test_direct_then_inverse_dynamics_is_the_identity() -> None:
    robot = rs.load("planar2r")
    there_and_back = rs.compose(rs.direct_dynamics(robot), rs.inverse_dynamics(robot))
    assert set(there_and_back.outputs) == {"qdd", "tau"} and "qdd" not in there_and_back.inputs
    assert there_and_back.outputs["tau"] == ("GAM1_2", "GAM2_2")  # GAM1 is an input
    given = values(there_and_back)
    np.testing.assert_allclose(there_and_back.compile()(**given).tau, given["tau"], rtol=1e-9)
    assert "GAM1_2" in there_and_back.code("c")


def test_wires_connect_output_to_input_groups() -> None:
    robot = rs.load("planar2r")
    direct = rs.direct_dynamics(robot)
    apart = rs.compose(direct, rs.inverse_dynamics(robot), wires={})
    assert "qdd" in apart.inputs
    held = rs.compose(rs.bias_torques(robot), direct, wires={"H": "tau"}).select("qdd")
    assert np.abs(held.compile()(**values(held))).max() < 1e-12  # A qdd = H - H
    with pytest.raises(rs.InputError, match="unknown output group 'Q'"):
        rs.compose(rs.bias_torques(robot), direct, wires={"Q": "tau"})


def test_merges_equal_outputs_and_renames_different_ones() -> None:
    planar, other = rs.load("planar2r"), rs.load("rx90")
    assert set(rs.compose(rs.bias_torques(planar), rs.bias_torques(planar)).outputs) == {"H"}
    two = rs.compose(rs.gravity_torques(planar), rs.gravity_torques(other))
    assert set(two.outputs) == {"Q", "Q_2"} and two.robot is None


@pytest.mark.parametrize("models", [(), ("rx90",)])
def test_rejects_arguments_that_are_not_models(models: tuple[Any, ...]) -> None:
    with pytest.raises(rs.InputError, match="compose: expected models"):
        rs.compose(*models)


def test_rejects_wires_between_groups_of_different_size() -> None:
    with pytest.raises(rs.InputError, match=r"H: expected 6 outputs, as tau of .* has, found 2"):
        rs.compose(rs.bias_torques(rs.load("planar2r")), rs.direct_dynamics(rs.load("rx90")), wires={"H": "tau"})
