"""Derivations for readers; their formulas are compared with Pinocchio in `tests/kinds`."""

from __future__ import annotations

from pathlib import Path

import pytest

import robosym as rs


def test_describes_singular_positions() -> None:
    notes = [step.note for step in rs.derivation(rs.load("rx90"), "jacobian").steps[-3:]]
    assert "lies in the plane of the parallel axes 2 and 3: the arm is stretched or folded" in notes[0]
    assert notes[1] == "For example at t5 = 0: the axes of joints 4 and 6 are aligned."
    assert notes[2].endswith("lies on the axis of joint 1.")


def test_reports_regular_matrix() -> None:
    steps = rs.derivation(rs.load("planar2r"), "jacobian").steps
    assert steps[-1].note == "The matrix is singular at no position."


def test_lagrange_of_the_planar_arm_is_that_of_the_book() -> None:
    text = str(rs.derivation(rs.load("planar2r"), "lagrange"))
    for line in ("A11 = cos(t2) + 5/3", "c2_11 = sin(t2)/2", "Q2 = 4.905*cos(t1 + t2)", "W32 = QP1 + QP2"):
        assert line in text
    with pytest.raises(rs.InputError, match="at most 4 joints, found 6"):
        rs.derivation(rs.load("rx90"), "lagrange")


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
