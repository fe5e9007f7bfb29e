"""Test text, HTML and LaTeX representations of models, and outputs as SymPy matrices."""

from __future__ import annotations

import pytest
import sympy

import robosym as rs


def test_repr_is_one_line_and_str_is_a_table() -> None:
    model = rs.inverse_dynamics(rs.load("rx90"))
    assert repr(model).startswith("<Model rx90: Inverse dynamic model: Newton-Euler method; q[6], qd[6], qdd[6], ")
    assert repr(model).endswith("-> tau[6]; 606 operations>")
    assert len(repr(model)) < 200
    text = str(model)
    assert "out  tau[6]" in text and "joint positions" in text and "M6" in text and "..." in text
    assert repr(rs.jacobian(rs.load("rx90"), 6)).startswith("<Jacobian rx90")


def test_notebook_representation() -> None:
    T = rs.transform(rs.load("planar2r"), 0, 2)
    assert "\\begin{matrix}" in T._repr_html_() and "<table>" in T._repr_html_()
    assert T._repr_latex_() is not None
    long = rs.inverse_dynamics(rs.load("panda"))
    assert long._repr_latex_() is None and "$$" not in long._repr_html_()
    titled = rs.load("planar2r").edit(title="<b>x</b>")
    assert "<b>x" not in titled._repr_html_() and "<b>x" not in rs.inertia_matrix(titled)._repr_html_()


def test_sympy_matrix() -> None:
    model = rs.inertia_matrix(rs.load("planar2r"))
    A = model.matrix("A")
    assert A.shape == (2, 2) and sympy.simplify(A - A.T) == sympy.zeros(2, 2)
    assert A[0, 1] == model.expression("A12")
    assert rs.gravity_torques(rs.load("planar2r")).matrix("Q").shape == (2, 1)
    with pytest.raises(rs.InputError, match="no output group 'B'"):
        model.matrix("B")


def test_representation_of_solutions() -> None:
    solution = rs.inverse_geometry(rs.load("scara"))
    assert repr(solution) == "<InverseGeometry scara: paul method, snaP -> t1, t2, r3, t4>"
    assert str(solution) == solution.explain() and "align" in solution._repr_latex_()
    loops = rs.loop_geometry(rs.load("sr400"))
    assert repr(loops).startswith("<LoopGeometry sr400: ") and str(loops) == loops.explain()
    robot = rs.load("scara")
    assert float(robot.frame(1).r) == 0.387
    with pytest.raises(rs.ExpressionError, match="expected a constant expression, found the symbols of t1"):
        float(robot.frame(1).theta)


def test_select_star_keeps_all_outputs() -> None:
    model = rs.inverse_dynamics(rs.load("planar2r"))
    assert dict(model.select("*").outputs) == dict(model.outputs)


def test_latex_and_html_of_robots_and_equations():
    rx90 = rs.load("rx90")
    assert r"\frac{\pi}{2}" in rx90._repr_latex_() and rx90._repr_latex_().count(r"\\") == 6
    assert r"\end{array}" in rs.load("gough")._repr_latex_()
    assert "ZZ_{1R} &= ZZ_{1}" in rs.base_parameters(rx90)._repr_latex_()
    solution = rs.inverse_geometry(rx90)
    assert "atan2(Py, Px)" in solution._repr_html_() and "<table>" in solution._repr_html_()
    assert "eigenvalues" in rs.inverse_geometry(rx90, "general")._repr_html_()
    assert "<pre>" in rs.loop_geometry(rs.load("sr400"))._repr_html_()
    equations = rs.general_equations(rx90, stop="AB")
    assert repr(equations) == "<GeneralEquations rx90: A 14x9, B 14x8; hidden: t1>"
    assert "<table>" in equations._repr_html_() and len(str(equations)) < 2000


def test_breaks_long_lines_between_arguments():
    lines = rs.inverse_geometry(rs.load("rx90")).explain().splitlines()
    assert max(map(len, lines)) < 150
    lines = rs.inverse_geometry(rs.load("ur5e")).explain().splitlines()
    place = next(i for i, line in enumerate(lines) if line.startswith("    t2 = atan2((0.1625"))
    assert lines[place + 2].startswith("        + (C1*(0.0996*ax - Px") and max(map(len, lines)) < 150
