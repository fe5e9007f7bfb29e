"""Test inputs, outputs, selection and operation counts of models."""

from __future__ import annotations

import pickle

import pytest
import sympy

import robosym as rs
from robosym.errors import InputError

PLANAR = """
name: planar
frames:
  - {theta: t1}
  - {d: L1, theta: t2}
links:
  1: {ZZ: ZZ1}
  2: {ZZ: ZZ2, MX: MX2, M: M2}
gravity: [0, G2, 0]
"""


@pytest.fixture(scope="module")
def planar() -> rs.Model:
    return rs.inverse_dynamics(rs.loads(PLANAR, format="yaml"))


def test_inputs_and_outputs(planar: rs.Model) -> None:
    assert dict(planar.inputs) == {
        "q": ("t1", "t2"),
        "qd": ("QP1", "QP2"),
        "qdd": ("QDP1", "QDP2"),
        "gravity": ("G2",),
        "parameters": ("L1", "ZZ1", "ZZ2", "MX2", "M2"),
    }
    assert dict(planar.outputs) == {"tau": ("GAM1", "GAM2")}


def test_expression_agrees_with_textbook_formula(planar: rs.Model) -> None:
    """Compare with A and H of the planar arm, written by hand as in the book."""
    names = "t1 t2 QP1 QP2 QDP1 QDP2 G2 L1 ZZ1 ZZ2 MX2 M2"
    t1, t2, w1, w2, a1, a2, g, L, zz1, zz2, mx, m = sympy.symbols(names, real=True)
    a12 = zz2 + L * mx * sympy.cos(t2)
    h = L * mx * sympy.sin(t2)
    gravity2 = -mx * g * sympy.cos(t1 + t2)
    gam2 = a12 * a1 + zz2 * a2 + h * w1**2 + gravity2
    a11 = zz1 + zz2 + m * L**2 + 2 * L * mx * sympy.cos(t2)
    gam1 = a11 * a1 + a12 * a2 - h * (2 * w1 * w2 + w2**2) - m * L * g * sympy.cos(t1) + gravity2
    assert sympy.simplify(planar.expression("GAM2") - gam2) == 0
    assert sympy.simplify(planar.expression("GAM1") - gam1) == 0


def test_select_drops_unused_inputs(planar: rs.Model) -> None:
    chosen = planar.select("GAM2")
    assert dict(chosen.outputs) == {"tau": ("GAM2",)}
    assert chosen.operations.total < planar.operations.total
    assert "ZZ1" not in chosen.inputs["parameters"]
    assert chosen.inputs["q"] == ("t1", "t2")  # all joint positions remain inputs


def test_select_by_prefix_and_group() -> None:
    model = rs.inverse_dynamics(rs.load("rx90"))
    assert dict(model.select("GAM").outputs) == dict(model.outputs) == dict(model.select("tau").outputs)
    reactions = model.select("GAM", "E1", "N33")
    assert dict(reactions.outputs) == {
        "tau": model.outputs["tau"],
        "E1": tuple(f"E1{j}" for j in (6, 5, 4, 3, 2, 1)),
        "N33": ("N33",),
    }


def test_select_rejects_unknown_names(planar: rs.Model) -> None:
    with pytest.raises(InputError, match="GAM7"):
        planar.select("GAM7")
    with pytest.raises(InputError):
        planar.select("")
    with pytest.raises(rs.InputError, match="expected at least one name of a variable"):
        planar.select()
    with pytest.raises(rs.InputError, match="unknown language None"):
        planar.code(None)  # type: ignore[arg-type]


def test_select_restores_parameters_of_intermediate_variables() -> None:
    """The reaction E31 along a vertical axis depends on the mass of link 1; no torque does."""
    robot = rs.loads(PLANAR.replace("ZZ: ZZ1", "ZZ: ZZ1, M: M1").replace("[0, G2, 0]", "[0, 0, -10]"), format="yaml")
    model = rs.inverse_dynamics(robot)
    assert "M1" not in model.inputs["parameters"]
    weight = model.select("E31")
    assert weight.inputs["parameters"] == ("M1", "M2")
    still = {group: [0.0, 0.0] for group in ("q", "qd", "qdd")}
    assert weight.compile()(**still, parameters={"M1": 2.0, "M2": 3.0}) == pytest.approx([50.0])
    assert weight.select("GAM1").inputs["parameters"] == model.select("GAM1").inputs["parameters"]


def test_counts_operations() -> None:
    """The expected counts are those of the pendulum below, counted by hand."""
    robot = rs.loads(
        "name: pendulum\nframes: [{theta: t1}]\nlinks: {1: {ZZ: J + 2*K, MX: MX1, FV: F}}\ngravity: [0, G, 0]",
        format="yaml",
    )
    operations = rs.inverse_dynamics(robot).operations
    # GAM1 = (J + 2*K)*QDP1 - MX1*G*cos(t1) + F*QP1
    assert (operations.additions, operations.multiplications, operations.functions) == (3, 5, 1)
    assert operations.total == 8
    assert operations.online is not None
    assert (operations.online.additions, operations.online.multiplications) == (2, 4)


def test_velocities_may_be_shared_symbols_or_numbers() -> None:
    robot = rs.loads(PLANAR + "motion: {QP: [w, w], QDP: [0, 2*a]}", format="yaml")
    model = rs.inverse_dynamics(robot)
    assert model.inputs["qd"] == ("w",)
    assert model.inputs["qdd"] == ("a",)


def test_rejects_robot_symbols_named_like_outputs() -> None:
    with pytest.raises(InputError, match="GAM1"):
        rs.inverse_dynamics(rs.loads(PLANAR.replace("ZZ1}", "GAM1}"), format="yaml"))


def test_structure_of_a_closed_robot() -> None:
    with pytest.raises(InputError, match="structure"):
        rs.inverse_dynamics(rs.load("sr400"), structure="serial")
    assert rs.inverse_dynamics(rs.load("sr400"), structure="tree").outputs["tau"][-1] == "GAM8"


def test_models_can_be_pickled(planar: rs.Model) -> None:
    again = pickle.loads(pickle.dumps(planar))
    assert again.code("listing") == planar.code("listing")
