"""Test names of intermediate variables and the definitions that models keep."""

from __future__ import annotations

import pickle

import pytest

import robosym as rs
from robosym.kinematics import Jacobian
from robosym.model import Model, Workspace
from robosym.model.naming import entry_name
from robosym.spatial import Mat3, Vec3


def test_index_names_are_unambiguous() -> None:
    assert entry_name("A", 1, 2) == "A12"
    assert entry_name("A", 1, 12) == "A1_12"
    assert entry_name("B", 1, 1, 12) == "B1_1_12"
    names = {entry_name("A", i, j) for i in range(1, 40) for j in range(1, 40)}
    assert len(names) == 39 * 39


def test_matrix_and_vector() -> None:
    with Workspace(rs.load("planar2r"), ("q", "parameters")) as work:
        layout = work.matrix("A", [[1, 2], [3, work.graph.symbol("t1")]], columns=(4, 15))
        names = work.vector("Q", {2: 5, 7: 6})
    assert layout == (("A14", "A1_15"), ("A24", "A2_15"))
    assert names == ("Q2", "Q7")
    assert str(work.definitions["A2_15"]) == "t1"
    assert str(work.definitions["Q7"]) == "6"


def test_component_names_are_created_on_demand() -> None:
    """Names keep their order, the last value of a name is used, and later definitions do not change a model."""
    with Workspace(rs.load("planar2r"), ("q", "parameters")) as work:
        t1 = work.graph.symbol("t1")
        work.define("first", t1)
        assert [str(x) for x in work.note("V", 12, Vec3(0, t1, 2))] == ["0", "t1", "2"]
        work.note("M", 3, Mat3.of(*range(1, 10)))
        model = work.model("tst", "Names", {"f": ("first",)})
        work.define("V112", t1 + 1)
    names = [f"V{i}12" for i in (1, 2, 3)] + [f"M{i}{j}3" for i in (1, 2, 3) for j in (1, 2, 3)]
    assert list(model.definitions) == ["first", *names]
    assert str(model.definitions["M233"]) == "6" and model.definitions["V112"].is_zero
    assert "V413" not in model.definitions and len(model.definitions) == 13
    assert str(work.definitions["V112"]) == "1 + t1" and list(work.definitions) == list(model.definitions)
    again = pickle.loads(pickle.dumps(model))
    assert {n: str(v) for n, v in again.definitions.items()} == {n: str(v) for n, v in model.definitions.items()}


def test_selection_is_a_plain_model() -> None:
    """Part of a Jacobian has no determinant."""
    J = rs.jacobian(rs.load("rx90"), 6)
    assert isinstance(J, Jacobian)
    part = J.select("J11")
    assert type(part) is Model
    assert part.output_names == ("J11",)
    assert not hasattr(part, "determinant")
    assert type(rs.dynamic_identification(rs.load("scara")).select("DG1")) is Model


def test_rejects_input_named_like_an_existing_symbol() -> None:
    with pytest.raises(rs.InputError, match="t1 is an input of this model"):
        Workspace(rs.load("planar2r"), ("q", "parameters")).input("T", ["t1"])
