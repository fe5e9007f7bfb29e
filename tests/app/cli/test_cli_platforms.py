"""Robots with platforms on the command line: the same words, without links, and numbers of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from robosym.app.cli.main import main

Capture = pytest.CaptureFixture[str]


def typed(capsys: Capture, line: str) -> str:
    assert main(line.split()) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    "line",
    [
        "jacobian planar3rrr", "inverse-jacobian planar3rrr", "inverse-dynamics planar3rrr --modes 0,0,0",
        "direct-dynamics planar3rrr", "inertia-matrix planar3rrr --space joint", "bias-torques planar3rrr",
        "inverse-geometry planar3rrr", "direct-geometry planar3rrr", "base-parameters gough",
        "dynamic-identification fivebar", "jacobian tricept_wrist", "show tricept_wrist", "show delta",
    ],
)  # fmt: skip
def test_every_model(capsys: Capture, line: str) -> None:
    assert len(typed(capsys, line)) > 100


def test_poses_and_motors(capsys: Capture) -> None:
    text = typed(capsys, "poses delta --motors 0.3,0.35,0.4")
    rows = [[float(word) for word in row.split(",")] for row in text.splitlines() if not row.startswith("#")]
    wanted = rs.direct_geometry(rs.load("delta")).solve([0.3, 0.35, 0.4])
    assert np.abs(np.array(rows) - np.asarray(wanted)).max() < 1e-9 and "complete" in text
    near = typed(capsys, "poses delta --motors 0.31,0.35,0.4 --near 0.05,0.03,-1.26")
    assert abs(float(near.split(",")[-1]) - rows[0][-1]) < 0.01
    place = ",".join(map(repr, rows[0][9:]))
    back = typed(capsys, f"motors delta --pose {place}")
    assert [round(float(line.split("=")[1]), 8) for line in back.splitlines()] == [0.3, 0.35, 0.4]
    assert len(typed(capsys, f"motors delta --passive --pose {place}").splitlines()) == 15


def test_grids_of_poses(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "path.csv"
    path.write_text("# x y z\n0 0 -1\n0, 0, -2\n")
    assert "out of reach at 0.7639" in typed(capsys, f"singularities delta {path}")
    assert "10 of 10 poses" in typed(capsys, "workspace delta --x -0.4:0.4:5 --z -1.2,-1.0")
    table = typed(capsys, "workspace delta --x 0,3 --z -1.0 --table").splitlines()
    assert table[0] == "x,z,reached,dexterity" and table[2].endswith(",0,nan")
    assert typed(capsys, "cable-tensions cable8 --pose 0,0,1 --lower 5 --upper 300").startswith("l1 = 29.95")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("jacobian delta 3", "expected no LINK"),
        ("inverse-dynamics delta --tree", "--tree is not for a robot with a platform"),
        ("inertia-matrix rx90 --space joint", "--space is not for this robot"),
        ("poses rx90 --motors 1", "rx90: expected a robot with a platform"),
        ("poses delta", "poses: expected --motors, motor positions in order"),
        ("poses delta --motors 1,2", "expected 3 numbers, found 2"),
        ("motors delta --pose 1,2", "expected 12, 3 or 6 numbers per pose, found 2"),
        ("motors delta --pose 0,0,-9", "out of reach"),
        ("motors delta --pose 0,0,-1,0.3,0,0", "the legs allow no pose with"),
        ("workspace delta --x 1:2", "expected FROM:TO:COUNT"),
        ("workspace delta", "expected values for at least one of x, y, z"),
        ("cable-tensions cable8 --pose 0,0,9", "tensions within the bounds cannot hold"),
        ("direct-geometry delta --select T", "the result for this robot has no select"),
        ("lagrange delta", "does not take a robot with a platform"),
    ],
)
def test_error_messages(capsys: Capture, line: str, message: str) -> None:
    assert main(line.split()) != 0
    assert message in capsys.readouterr().err


def test_branches_are_whole_numbers(capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        main("inverse-dynamics delta --modes 0,x,0".split())
    assert "--modes: expected a whole number, found 'x'" in capsys.readouterr().err
