"""Derivations for readers; their formulas are compared with Pinocchio in `tests/kinds`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from long_cases import quick_and_long
from robosym.algebra import evaluate, to_sympy


def test_describes_singular_positions() -> None:
    notes = [step.note for step in rs.derivation(rs.load("rx90"), "jacobian").steps[-3:]]
    assert "lies in the plane of the parallel axes 2 and 3: the arm is stretched or folded" in notes[0]
    assert notes[1] == "For example at t5 = 0: the axes of joints 4 and 6 are aligned."
    assert notes[2].endswith("lies on the axis of joint 1.")


def test_reports_regular_matrix() -> None:
    steps = rs.derivation(rs.load("planar2r"), "jacobian").steps
    assert "O3 lies in the plane of the parallel axes 1 and 2" in steps[-1].note
    assert steps[2].note == "The matrix is never singular: the determinant is zero at no position."


def test_lagrange_of_the_planar_arm_is_that_of_the_book() -> None:
    text = str(rs.derivation(rs.load("planar2r"), "lagrange"))
    for line in ("A11 = C2 + 5/3", "c2_11 = S2/2", "Q2 = 4.905*C12", "C12 = cos(t1 + t2)", "W32 = QP1 + QP2"):
        assert line in text
    with pytest.raises(rs.InputError, match="at most 4 joints, found 6"):
        rs.derivation(rs.load("rx90"), "lagrange")


@pytest.mark.parametrize(
    "name", quick_and_long(["rx90", "stanford", "ur5e", "puma560", "lwr"], long=["ur5e", "puma560", "lwr"])
)
def test_singular_pictures_show_singular_positions(name: str) -> None:
    """The rank of a numerical Jacobian drops at each described position."""
    robot = rs.load(name)
    for step in rs.derivation(robot, "determinant").steps[1:]:
        posture = step.posture
        assert posture is not None
        values = {**dict.fromkeys(robot.parameters, 1.0), **posture.values}
        q = [posture.position[joint] for joint in robot.joint_names]
        J = rs.jacobian(robot.with_values(values), robot.NL).compile()(q=q)
        assert np.linalg.svd(J, compute_uv=False)[5] < 1e-7, (name, step.heading)
        assert "<svg" in posture.drawing().svg()


def test_base_parameters_name_each_rule() -> None:
    steps = rs.derivation("sr400", "base_parameters").steps
    assert [step.heading for step in steps[:2]] == ["Link 8", "Link 7"] and "YY8R" not in str(steps[0].formulas)
    assert any(formula.text == "ZZ7R = ZZ7 + IA7 + D8^2*M8" for formula in steps[1].formulas) or "IA7" in steps[1].note
    relations = next(step for step in steps if step.heading == "Relations of the loops")
    removed = {f.text.partition(" = ")[0].removeprefix("e_") for f in relations.formulas}
    assert removed < set(rs.base_parameters("sr400").eliminated) and "parallelogram" in relations.note
    named = {f.text.partition(" = ")[0] for f in steps[-1].formulas}
    assert named == {name for name in rs.base_parameters("sr400").names if name.endswith("R")}


def test_link_groupings_lead_to_the_result() -> None:
    """The last value of each parameter in the steps is the one of the result."""
    for name in ("rx90", "scara", "stanford"):
        steps = rs.derivation(name, "base_parameters").steps
        last: dict[str, str] = {}
        for step in steps[:-1]:
            last |= {f.name: f.value for f in step.formulas}
        base = rs.base_parameters(name)
        for parameter, value in base.grouping.items():
            if parameter in last:
                difference = to_sympy([last[parameter]])[0] - to_sympy([value])[0]
                assert difference.expand() == 0, (name, parameter)


def test_loops_and_inverse_models_have_steps() -> None:
    steps = rs.derivation("sr400", "loops").steps
    assert "t3 = Pi/2 - t2 + t7" in steps[1].formulas[0].text
    arm = rs.derivation("rx90", "inverse_geometry")
    assert "t1 = atan2(Py, Px), and atan2(Py, Px) + Pi" in str(arm) and r"\operatorname{atan2}" in arm.latex()


def test_geometry_equals_numbers() -> None:
    robot = rs.load("ur5e")
    matrix = rs.derivation(robot, "geometry").steps[-1].formulas[0]
    q = [0.3, -0.8, 1.1, 0.4, -0.5, 0.9]
    values = evaluate([entry for row in matrix.rows for entry in row], dict(zip(robot.joint_names, q, strict=True)))
    assert np.allclose(np.reshape(values, (4, 4)), rs.direct_geometry(robot, 0, 6).compile()(q=q))


@pytest.mark.parametrize("name", ["arm.txt", "arm.tex", "arm.html"])
def test_files(tmp_path: Path, name: str) -> None:
    found = rs.derivation(rs.load("planar2r"))
    found.write(tmp_path / name)
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert text.count("<details") in (0, len(found.steps)) and "VP" in text
    assert text.count(r"\begin{align*}") in (0, len(found.steps))
    with pytest.raises(rs.InputError, match=r"expected an extension of \.txt, \.tex, \.html"):
        found.write(tmp_path / "arm.pdf")
    assert not (tmp_path / "arm.pdf").exists()
