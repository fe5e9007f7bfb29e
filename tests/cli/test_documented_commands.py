"""Commands that the documentation promises, typed for a robot of the user: they run, and their files hold numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from robosym.cli.main import main

#: a Delta robot in numbers: the library's, whose inertial parameters are symbols, with values of one's own
VALUES = {"G3": -9.81}


@pytest.fixture
def delta(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> rs.Parallel:
    monkeypatch.chdir(tmp_path)
    robot = rs.load("delta")
    numbers = {name: 0.1 for name in robot.parameters if not name.startswith(("QP", "QDP", "GAM"))} | VALUES
    own = robot.with_values({**numbers, **{name: 1.0 for name in numbers if name[0] == "M" and name[1:].isdigit()}})
    own.write("delta.yaml")
    return own


def _read(path: str) -> tuple[list[str], np.ndarray]:
    head, *rows = Path(path).read_text().splitlines()
    return head.split(","), np.array([row.split(",") for row in rows], dtype=float)


def test_a_platform_is_simulated_from_its_reference_position(delta: rs.Parallel) -> None:
    """It falls with the weight at the start: its acceleration is that of the direct model at the reference pose."""
    assert main(["simulate", "delta.yaml", "--until", "0.01", "-o", "run.csv"]) == 0
    run = rs.simulate(delta, until=0.01)
    head, rows = _read("run.csv")
    assert head[0] == "t" and rows[-1, 0] == pytest.approx(0.01)
    np.testing.assert_allclose(rows[:, 1:13], run.q, rtol=1e-12, atol=1e-15)
    reference = [delta.tree.position[name] for name in delta.motor_names]
    np.testing.assert_allclose(rs.inverse_geometry(delta).solve(rows[0, 1:13]), reference, atol=1e-3)
    assert rows[-1, 12] < rows[0, 12]  # it falls
