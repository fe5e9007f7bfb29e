"""Written-out models have no intermediate variables except sines and cosines; matrices in LaTeX."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from robosym.algebra import evaluate
from robosym.app.cli.main import main


def assigned(text: str) -> list[str]:
    return re.findall(r"^(\w+) = ", text, re.MULTILINE)


@pytest.mark.parametrize("name", ["rx90", "sr400", "panda"])
def test_transform_has_no_intermediate_variable(name: str, tmp_path: Path) -> None:
    model = rs.transform(rs.load(name), 0, 6)
    text = model.code("listing", no_tables=True)
    names = assigned(text)
    assert set(names) - set(model.output_names) <= {n for n in names if re.fullmatch(r"[CS]\w+", n)}
    (tmp_path / "m.txt").write_text(text)
    again = rs.read_model(tmp_path / "m.txt")
    values = {n: 0.3 + 0.1 * k for k, n in enumerate([*model.inputs["q"], *model.inputs.get("parameters", ())])}
    for row in model.outputs["T"]:
        for entry in row:
            one, other = (evaluate([m.definitions[entry]], values)[0] for m in (model, again))
            assert abs(one - other) < 1e-12


def test_expanded_lagrange_has_no_intermediate_variables() -> None:
    model = rs.lagrange(rs.load("scara"), form="expanded")
    names = assigned(model.code("listing", no_tables=True))
    assert all(re.fullmatch(r"[CScs]\w*", name) for name in set(names) - set(model.output_names))
    assert not re.search(r"\bX\d+\b", model.code("latex"))


def test_long_chain_stays_short() -> None:
    assert len(rs.transform(rs.Robot.new(40), 0, 40).code("listing")) < 2_000_000


def test_optimized_models_have_intermediate_variables() -> None:
    model = rs.optimize(rs.transform(rs.load("rx90"), 0, 6), 1)
    assert len(assigned(model.code("c"))) >= 0 and model.compile()(q=np.zeros(6), parameters=[1, 1]).shape == (4, 4)


def test_latex_has_matrices_and_greek_letters() -> None:
    text = rs.transform(rs.load("rx90"), 0, 3).code("latex")
    assert r"T = \begin{bmatrix}" in text and r"\cos(\theta_{2} + \theta_{3})" in text
    assert r"S_{23} & C_{23} & 0 & D_{3}\,S_{2} \\" in text
    torques = rs.inverse_dynamics(rs.load("planar2r")).code("latex")
    assert r"\Gamma_{1} &=" in torques and r"\ddot q_{1}" in torques


def test_listing_without_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["transform", "rx90", "0", "6", "--no-tables"]) == 0
    text = capsys.readouterr().out
    assert "Geometric parameters" not in text and "T0T611 = " in text
    assert main(["transform", "rx90", "0", "6", "--no-tables", "-l", "c"]) == 1
    assert "--no-tables: unknown option of" in capsys.readouterr().err
