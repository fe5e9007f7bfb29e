"""Identification as a page does it: what a log holds, and a fit that finds again what made the log."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from cases.arm_logs import FS, FV, log_file, robot_file
from robosym.app.cli.main import main
from robosym.app.session.logs import fit, look
from robosym.app.session.requests import Request
from robosym.experiment.log import chosen_columns, families_chosen


def test_reads_and_fits_a_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    path = robot_file(tmp_path)
    robot = rs.load(path)
    log_file(robot, tmp_path / "run.csv", ("clock", "axis", "moment"))
    log = look(str(tmp_path / "run.csv"))
    assert (log.samples, log.columns) == (3000, 5)
    assert [one.label for one in log.families] == ["clock", "axis1 \u2026 axis2", "moment1 \u2026 moment2"]
    assert log.guessed("q") == ""
    words = chosen_columns(log, {"t": "clock", "q": "axis1 \u2026 axis2", "tau": "moment1 \u2026 moment2"})
    assert words == ["t=clock", "q1=axis1", "q2=axis2", "tau1=moment1", "tau2=moment2"]
    assert families_chosen(log, words, ("t", "q", "qd", "tau"))["tau"] == "moment1 \u2026 moment2"
    request = Request("identify", "arm.yaml", {"log": str(tmp_path / "run.csv"), "columns": words, "cut": 8})
    found = fit(request)
    values = {one.name: one for one in found.parameters}
    for j in range(2):
        assert values[f"FV{j + 1}"].value == pytest.approx(FV[j], abs=0.05)
        assert values[f"FS{j + 1}"].value == pytest.approx(FS[j], abs=0.05)
    for joint in found.joints:
        points = np.array(joint["measured"])[:, 1] - np.array(joint["predicted"])[:, 1]
        assert len(joint["measured"]) <= 1000 and joint["relative"] < 0.05
        assert float(np.sqrt(np.mean(points**2))) < 5 * joint["rms"]
        assert sum(count for _, count in joint["bars"]) > 100
    assert sum(one.weak for one in found.parameters) == sum(one.error > 30 for one in found.parameters)
    assert rs.loads(found.robot, format="yaml").name == robot.name and "<html" in found.report
    # the line that is shown does the same
    assert main(shlex.split(found.same.line)[1:]) == 0
    assert capsys.readouterr().out == found.text + "\n"
    exec(compile(found.same.program, "copied", "exec"), {})
    assert capsys.readouterr().out == found.text + "\n"


def test_accepts_arrays_and_constant_steps(tmp_path: Path) -> None:
    path = robot_file(tmp_path)
    log_file(rs.load(path), tmp_path / "run.csv")
    table = np.genfromtxt(tmp_path / "run.csv", delimiter=",", skip_header=1)
    np.savez(tmp_path / "run.npz", motor_position=table[:, 1:3], motor_torque=table[:, 3:], sample_time=4e-3)
    log = look(str(tmp_path / "run.npz"))
    assert log.guessed("q") == "motor_position (2)" and log.remarks == ["sample_time: 0.004"]
    found = fit(Request("identify", str(path), {"log": str(tmp_path / "run.npz"), "step": 0.004}))
    assert (
        found.samples > 500
        and "--step 0.004" in found.same.line
        and str(tmp_path) not in found.same.line.partition("run")[2]
    )


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", "", "empty"), ("a.csv", "1,2\n3,4\n", "numbers in the first line"), ("a.exe", "x", "expected a .csv"),
        ("a.npz", "no archive", "archive"), ("a.csv", "t,q1,tau1\n1,x,3\n", "sample 0: expected a number"),
    ],
)  # fmt: skip
def test_rejects_damaged_logs(tmp_path: Path, name: str, content: str, words: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(rs.Error, match=words):
        look(str(tmp_path / name))
        fit(Request("identify", "planar2r", {"log": str(tmp_path / name)}))
