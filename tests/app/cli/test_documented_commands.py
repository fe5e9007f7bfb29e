"""Commands that the documentation promises, typed for a robot of the user: they run, and their files hold numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from robosym.app.cli.main import main

#: a Delta robot in numbers: the library's, whose inertial parameters are symbols, with values of one's own
VALUES = {"G3": -9.81}


@pytest.fixture
def delta(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> rs.Robot:
    monkeypatch.chdir(tmp_path)
    robot = rs.load("delta")
    numbers = {name: 0.1 for name in robot.parameters if not name.startswith(("QP", "QDP", "GAM"))} | VALUES
    own = robot.with_values({**numbers, **{name: 1.0 for name in numbers if name[0] == "M" and name[1:].isdigit()}})
    own.write("delta.yaml")
    return own


def _read(path: str) -> tuple[list[str], np.ndarray]:
    head, *rows = Path(path).read_text().splitlines()
    return head.split(","), np.array([row.split(",") for row in rows], dtype=float)


def test_simulates_platform_from_its_reference_position(delta: rs.Robot) -> None:
    """It falls with the weight at the start: its acceleration is that of the direct model at the reference pose."""
    assert main(["simulate", "delta.yaml", "--until", "0.01", "-o", "run.csv"]) == 0
    run = rs.simulate(delta, until=0.01)
    head, rows = _read("run.csv")
    assert head[0] == "t" and rows[-1, 0] == pytest.approx(0.01)
    np.testing.assert_allclose(rows[:, 1:13], run.q, rtol=1e-12, atol=1e-15)
    reference = [delta.position[name] for name in delta.motor_names]
    np.testing.assert_allclose(rs.inverse_geometry(delta).solve(rows[0, 1:13]), reference, atol=1e-3)
    assert rows[-1, 12] < rows[0, 12]  # it falls


def test_several_transforms_and_accelerations_of_all_links(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["transform", "scara", "0", "4", "--also", "1,3", "--no-tables"]) == 0
    printed = capsys.readouterr().out
    assert "T0T414 =" in printed and "T1T314 =" in printed
    assert main(["jdot-qdot", "scara"]) == 0
    printed = capsys.readouterr().out
    assert all(f"VPJ1{j} =" in printed for j in (2, 3, 4))


def test_writes_tables_as_csv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cases.arm_logs import log_file, robot_file

    monkeypatch.chdir(tmp_path)
    robot = rs.load(robot_file(tmp_path))
    log_file(robot, tmp_path / "log.csv")
    assert main(["identify", "arm.yaml", "log.csv", "-o", "found.csv"]) == 0
    found = rs.identify(robot, [rs.prepare(rs.Log("log.csv"))])
    head, *rows = (line.split(",") for line in Path("found.csv").read_text().splitlines())
    assert head == ["parameter", "value", "deviation", "percent", "unit", "grouping"]
    assert {row[0]: float(row[1]) for row in rows} == dict(found.items())
    assert main(["study", "manipulability", "t1=0:1:3,t2=0.1:1:2", "arm.yaml", "-o", "study.csv"]) == 0
    head, rows = _read("study.csv")
    assert head == ["t1", "t2", "values"] and len(rows) == 6
    J = rs.jacobian(robot).plain().compile()(q=rows[:, :2])
    right = [np.prod([s for s in np.linalg.svd(one, compute_uv=False) if s > 1e-9]) for one in J.reshape(-1, 6, 2)]
    np.testing.assert_allclose(rows[:, 2], right, rtol=1e-9)
    assert main(["simulate", "arm.yaml", "--q", "0.1,0.2", "--until", "0.01", "-o", "run.csv"]) == 0
    head, rows = _read("run.csv")
    assert head[:3] == ["t", "q1", "q2"]
    np.testing.assert_array_equal(rows[-1, 1:3], rs.simulate(robot, [0.1, 0.2], until=0.01).q[-1])


def test_rejects_other_table_formats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "planar2r", "--until", "0.01", "-o", str(tmp_path / "run.pdf")]) == 1
    assert "expected an extension of .txt, .csv" in capsys.readouterr().err and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("line", "file", "words"),
    [
        ("base-parameters scara", "scara.Nreg", "(numeric)"),
        ("base-parameters scara", "scara.regp", "(symbolic)"),
        ("inverse-geometry puma560", "puma560.pie", "pieper method"),
        ("inverse-geometry puma560", "puma560.pau", "paul method"),
        ("lagrange planar2r", "planar2r.Elag", "expanded form"),
        ("jacobian rx90 6", "rx90.Mjac", "rx90Jac[q_, parameters_] := Module["),
        ("loop-kinematics sr400", "sr400.Mckel", ":= Module["),
    ],
)
def test_extensions_of_the_guide_select_the_method(line: str, file: str, words: str, tmp_path: Path) -> None:
    assert main([*line.split(), "-o", str(tmp_path / file)]) == 0
    assert words in (tmp_path / file).read_text()


@pytest.mark.parametrize(
    "line",
    [
        "base-parameters scara --method symbolic -o a.Nreg",
        "lagrange scara --form expanded -o a.lag",
        "inverse-geometry scara --method paul -o a.ragn",
    ],
)
def test_rejects_extension_of_another_method(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == 1
    assert "is for --" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "same"),
    [
        ("inverse-geometry scara --fixed t4=30deg", "inverse-geometry scara --fixed t4=Pi/6"),
        ("gravity-torques planar2r --at q=90deg,0", "gravity-torques planar2r --at q=1.5707963267948966,0"),
        ("solve planar2r --pose 1,0,0 --near=-60deg,90deg", "solve planar2r --pose 1,0,0 --near=-1.0471975,1.5707963"),
    ],
)
def test_angles_have_a_unit(line: str, same: str, capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for one in (line, same):
        assert main(one.split()) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]


def test_help_shows_negative_form_of_options(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["identify", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "--no-degrees" in shown
