"""Poses as people type them: every form gives one matrix, and what is no pose is rejected."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from robosym.app.cli.main import main
from robosym.formats.pose_texts import poses_from

POSE = "0.4,0.1,0.3,1.5707963267948966,1.0471975511965976,0.2"


@pytest.mark.parametrize(
    "typed", ["0.4,0.1,0.3,90deg,60deg,0.2", "0.4, 0.1 ,0.3;Pi/2 Pi/3 0.2", "rpy:0.4,0.1,0.3,90deg,Pi/3,0.2"]
)
def test_angles_have_units(typed: str) -> None:
    np.testing.assert_allclose(poses_from([typed]), poses_from([POSE]), atol=1e-15)


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("nan,0.1,0.3,0,0,0", "expected finite numbers, found nan"),
        ("0.1,0.2,inf", "expected finite numbers, found 0.1, 0.2, inf"),
        ("0.1,,0.2,0.3,0,0,0", "expected numbers"),
        ("10deg,0.1,0.3,0,0,0", "expected numbers"),
        ("0.1,0.2,0.3,1,0,0,0deg", "expected numbers"),
        ("0.1,0.2,0.3,t1,0,0", "expected numbers"),
    ],
)
def test_rejects_invalid_poses(typed: str, message: str) -> None:
    with pytest.raises(rs.InputError, match=message):
        poses_from([typed])


def test_rejects_an_empty_cell_of_a_file(tmp_path: Path) -> None:
    """Seven numbers, one of them empty, are not the six of another form."""
    (tmp_path / "poses.csv").write_text("x,y,z,qw,qx,qy,qz\n0.1,0.2,0.3,1,0,0,0,,\n0.1,0.2,0.3,,0,0,0\n")
    with pytest.raises(rs.FormatError, match=r"poses.csv:3: expected numbers"):
        poses_from([str(tmp_path / "poses.csv")])


def test_errors_of_other_options_do_not_blame_the_pose(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "ur5e", "--pose", "0.3,0.1,0.2", "--fixed", "elbow=0"]) == 1
    assert "robosym: --fixed: expected a joint of ur5e" in capsys.readouterr().err
    assert main(["solve", "ur5e", "--pose", "0.3,0.1,0.2"]) == 1
    assert "x,y,z is a position without an orientation" in capsys.readouterr().err
