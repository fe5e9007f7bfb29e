"""Vendor logs: units in names, milliseconds, empty cells, decimal commas; each gives the same arrays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from cases.arm_logs import FV, log_file, robot_file
from robosym.app.cli.main import main

T = np.arange(0, 2, 0.004)
Q = np.stack([np.sin(T), 0.5 * np.cos(2 * T)], axis=1)
TAU = np.stack([np.cos(3 * T), np.sin(T)], axis=1)


def written(path: Path, head: str, *columns: np.ndarray, mark: str = ",", point: str = ".") -> Path:
    rows = [mark.join(f"{x:.12g}".replace(".", point) for x in row) for row in np.column_stack(columns)]
    path.write_text("\n".join([head, *rows]) + "\n")
    return path


def check(log: rs.Log) -> None:
    np.testing.assert_allclose(log.t, T, atol=1e-9)
    np.testing.assert_allclose(log.q, Q, atol=1e-9)
    np.testing.assert_allclose(log.effort, TAU, atol=1e-9)


@pytest.mark.parametrize(
    ("head", "columns"),
    [
        (
            "Zeit [ms],A1 [deg],A2 [deg],M1 [mNm],M2 [mNm]",
            "t=Zeit [ms],q1=A1 [deg],q2=A2 [deg],tau1=M1 [mNm],tau2=M2 [mNm]",
        ),
        ("Zeit,A1,A2,M1,M2", "t[ms]=Zeit,q1[deg]=A1,q2[deg]=A2,tau1[mNm]=M1,tau2 [mNm]=M2"),
        ("Zeit [ms],A1 [deg],A2 [deg],M1 [mNm],M2 [mNm]", "t=Zeit,q1=A1,q2=A2,tau1=M1,tau2=M2"),
        ("t,q1,q2,tau1,tau2\nms,deg,deg,mNm,mNm", ""),
        ("Zeit,A1,A2,M1,M2\n[ms],[deg],[deg],[mNm],[mNm]", "t=Zeit,q1=A1,q2=A2,tau1=M1,tau2=M2"),
        ("time_ms,q1_deg,q2_deg,tau1_mNm,tau2_mNm", ""),
        ("time (ms),q_deg_1,q_deg_2,torque_mNm_1,torque_mNm_2", ""),
        ("Zeit_ms,A1_deg,A2_deg,M1_mNm,M2_mNm", "t=Zeit_ms,q1=A1_deg,q2=A2_deg,tau1=M1_mNm,tau2=M2_mNm"),
    ],
)
def test_units_are_kept(head: str, columns: str, tmp_path: Path) -> None:
    path = written(tmp_path / "log.csv", head, 1e3 * T, np.rad2deg(Q), 1e3 * TAU)
    log = rs.Log(path, columns=dict(entry.split("=") for entry in columns.split(",")) if columns else None)
    check(log)
    assert {"t converted from ms", "q converted from deg"} <= set(log.remarks)


def test_detects_milliseconds_without_unit(tmp_path: Path) -> None:
    path = written(tmp_path / "log.csv", "time,q1,q2,tau1,tau2", 1e3 * T, Q, TAU)
    with pytest.raises(rs.InputError, match="steps of 4, which look like milliseconds"):
        rs.Log(path)
    check(rs.Log(path, columns={"t[ms]": "time"}))


@pytest.mark.parametrize("mark", [";", "\t"])
def test_decimal_commas_are_read(mark: str, tmp_path: Path) -> None:
    path = written(tmp_path / "log.csv", mark.join(["t", "q1", "q2", "tau1", "tau2"]), T, Q, TAU, mark=mark, point=",")
    log = rs.Log(path)
    check(log)
    assert "decimal commas are read as decimal points" in log.remarks
    path = written(tmp_path / "bad.csv", "t,q1,q2,tau1,tau2", T + 0.5, Q, TAU, point=",")
    with pytest.raises(rs.FormatError, match="decimal commas need semicolons or tabs between the columns"):
        rs.Log(path)


def test_samples_with_empty_cells_are_left_out(tmp_path: Path) -> None:
    path = written(tmp_path / "log.csv", "t;q1;q2;tau1;tau2;note", T, Q, TAU, T, mark=";")
    lines = path.read_text().splitlines()
    for number in (5, 6, 100):
        cells = lines[number].split(";")
        cells[2 if number < 100 else 4] = ""
        lines[number] = ";".join(cells)
    lines[50] = ";".join([*lines[50].split(";")[:5], ""])  # this column is not used
    path.write_text(
        "\n".join(f"{line};" for line in lines[:1]) + "\n" + "\n".join(f"{line};" for line in lines[1:]) + "\n"
    )
    log = rs.Log(path)
    keep = np.delete(np.arange(len(T)), [4, 5, 99])
    np.testing.assert_allclose(log.t, T[keep], atol=1e-9)
    np.testing.assert_allclose(log.q, Q[keep], atol=1e-9)
    assert any("3 of 500 samples left out for an empty cell, the first is sample 4" in one for one in log.remarks)


def test_options_of_identify_read_a_payload_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A payload of known mass on the last link, in the columns of a vendor."""
    robot = rs.load(robot_file(tmp_path))
    loaded = robot.with_links([{}, {"M": 2.0 + 1.5, "MX": 0.8 + 0.3, "ZZ": 0.4 + 0.06}, {}])
    lines = []
    for name, one in (("free", robot), ("loaded", loaded)):
        log_file(one, tmp_path / "plain.csv")
        table = np.loadtxt(tmp_path / "plain.csv", delimiter=",", skiprows=1)
        path = tmp_path / f"{name}.csv"
        written(path, "ms;a;b;m1;m2", 1e3 * table[:, 0], np.rad2deg(table[:, 1:3]), table[:, 3:], mark=";", point=",")
        lines.append(str(path))
    columns = ["t[ms]=ms", "q1[deg]=a", "q2[deg]=b", "tau1=m1", "tau2=m2"]
    words = [word for column in columns for word in ("--columns", column)]
    assert main(["identify-payload", str(tmp_path / "arm.yaml"), *lines, *words, "-o", str(tmp_path / "load.csv")]) == 0
    rows = dict(line.split(",")[:2] for line in (tmp_path / "load.csv").read_text().splitlines()[1:])
    assert float(rows["M2"]) == pytest.approx(1.5, rel=1e-2) and float(rows["MX2"]) == pytest.approx(0.3, rel=1e-2)
    assert main(["identify", str(tmp_path / "arm.yaml"), lines[0], *words]) == 0
    printed = capsys.readouterr().out
    row = next(line.split() for line in printed.splitlines() if line.startswith("FV1"))
    assert float(row[1]) == pytest.approx(FV[0], rel=0.02)


@pytest.mark.parametrize(("words", "wrong"), [(["--degrees"], False), (["--degrees", "yes"], False),
                                              (["--no-degrees"], True), (["--degrees", "no"], True)])  # fmt: skip
def test_converts_degrees(words: list[str], wrong: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Friction from a log in degrees is found; read as radians it is not."""
    robot = rs.load(robot_file(tmp_path))
    log_file(robot, tmp_path / "plain.csv")
    table = np.loadtxt(tmp_path / "plain.csv", delimiter=",", skiprows=1)
    written(tmp_path / "log.csv", "t,q1,q2,tau1,tau2", table[:, 0], np.rad2deg(table[:, 1:3]), table[:, 3:])
    assert main(["identify", str(tmp_path / "arm.yaml"), str(tmp_path / "log.csv"), *words]) == 0
    row = next(line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("FV1"))
    assert (float(row[1]) == pytest.approx(FV[0], rel=0.02)) is not wrong


STAMPS = {
    "iso": "2024-03-31T01:59:59.{ms:03d}000000Z",
    "zone": "2024-03-31 01:59:59,{ms:03d}+02:00",
    "clock": "10:15:07.{ms:03d}",
}
PREAMBLES = {
    "none": "",
    "words": "Trace of controller R4\nDate;2024-03-31;Serial;17\n\n",
    "commas": "Robot, arm, 7, kg, load\nSample time, 0.004\n",
    "as wide as the table": "recorded by hand in March\n",
    "comments": "# vendor log\n# t q1 q2 are not the names\n% made by hand\n",
}


def table(path: Path, above: str, head: str, mark: str, stamp: str | None = None, units: str = "") -> Path:
    """Write a log with text above its names, a comment between samples, and optional time stamps."""
    rows = []
    for at, row in enumerate(np.column_stack([T, Q, TAU])):
        values = [f"{x:.12g}" for x in row]
        if stamp is not None:
            whole, ms = divmod(round(1000 * row[0]) + 100, 1000)
            second = stamp.format(ms=ms)
            values[0] = second.replace("59:59", f"59:{57 + whole}").replace("15:07", f"15:{7 + whole:02d}")
        rows += (["# trigger"] if at == 30 else []) + [mark.join(values)]
    path.write_text(f"{above}{head.replace(',', mark)}\n{units.replace(',', mark)}" + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize("mark", [",", ";", "\t", " "])
@pytest.mark.parametrize("above", PREAMBLES.values(), ids=PREAMBLES)
@pytest.mark.parametrize("units", ["", "s,rad,rad,Nm,Nm\n"], ids=["names", "units"])
def test_text_above_the_names_is_skipped(above: str, mark: str, units: str, tmp_path: Path) -> None:
    log = rs.Log(table(tmp_path / "log.csv", above, "t,q1,q2,tau1,tau2", mark, units=units))
    check(log)
    lines = len([line for line in above.split("\n") if line])
    skipped = "1 line above the names of the columns is skipped" if lines == 1 else f"{lines} lines above"
    assert any(skipped in remark for remark in log.remarks) == (lines > 0)
    assert "1 line of comments is skipped" in log.remarks


def test_custom_names_below_text(tmp_path: Path) -> None:
    """Only `columns` knows the names, which follow a line with as many words."""
    names = {"t": "Zeit", "q1": "A1", "q2": "A2", "tau1": "M1", "tau2": "M2"}
    for mark in (" ", ","):
        path = table(
            tmp_path / "log.csv", mark.join(["log", "of", "the", "second", "arm"]) + "\n", "Zeit,A1,A2,M1,M2", mark
        )
        check(rs.Log(path, columns=names))


def test_commented_names(tmp_path: Path) -> None:
    check(rs.Log(table(tmp_path / "log.txt", "# made by hand\n", "# t,q1,q2,tau1,tau2", " ")))


def test_log_without_names_is_rejected(tmp_path: Path) -> None:
    path = table(tmp_path / "log.csv", "recorded by me\n", "more words", ",")
    with pytest.raises(rs.FormatError, match=r"log.csv:1: expected a line with the names of the columns"):
        rs.Log(path)


def test_line_of_an_error_counts_all_lines(tmp_path: Path) -> None:
    path = table(tmp_path / "log.csv", "Trace\n\n", "t,q1,q2,tau1,tau2", ",")
    lines = path.read_text().split("\n")
    lines[9] = "1,2"
    path.write_text("\n".join(lines))
    with pytest.raises(rs.FormatError, match=r"log.csv:10: expected 5 columns, found 2"):
        rs.Log(path)


@pytest.mark.parametrize("stamp", STAMPS.values(), ids=STAMPS)
@pytest.mark.parametrize("head", ["timestamp", "time [UTC]", "Zeit"])
def test_time_stamps_are_read(stamp: str, head: str, tmp_path: Path) -> None:
    path = table(tmp_path / "log.csv", "Trace\n", f"{head},q1,q2,tau1,tau2", ";", stamp)
    log = rs.Log(path, columns={"t": "Zeit"} if head == "Zeit" else None)
    check(log)
    assert any("t converted from time stamps to seconds after" in remark for remark in log.remarks)


def test_time_stamps_as_arrays() -> None:
    start = np.datetime64("2024-03-31T01:59:59.5", "ns")
    check(rs.Log(t=start + (1e9 * T).round().astype("timedelta64[ns]"), q=Q, tau=TAU))


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("2024-03-31T01:59:58Z", "one kind, found dates with a time zone and dates without a time zone"),
        ("2024-02-31T01:59:58", "sample 4: expected a date and a time of day"),
        ("31.03.2024 01:59:58", "sample 4: expected an ISO 8601 time stamp like the others"),
        ("2024-03-31T00:00:00", "sample 4: expected increasing times"),
    ],
)
def test_bad_time_stamps_are_rejected(cell: str, message: str, tmp_path: Path) -> None:
    path = table(tmp_path / "log.csv", "", "t,q1,q2,tau1,tau2", ",", "2024-03-31T01:59:59.{ms:03d}")
    lines = path.read_text().split("\n")
    lines[5] = ",".join([cell, *lines[5].split(",")[1:]])
    path.write_text("\n".join(lines))
    with pytest.raises(rs.InputError, match=message):
        rs.Log(path)


def test_units_of_named_joints_are_converted(tmp_path: Path) -> None:
    head = "time [ms],position.arm [deg],position.hand [deg],effort.arm [mNm],effort.hand [mNm]"
    check(rs.Log(written(tmp_path / "log.csv", head, 1e3 * T, np.rad2deg(Q), 1e3 * TAU)))


@pytest.mark.parametrize("unit", ["0.1 deg", "1e-3 rad", "deg2"])
def test_units_with_digits_are_rejected(unit: str, tmp_path: Path) -> None:
    path = written(tmp_path / "log.csv", f"t,q1 [{unit}],q2 [{unit}],tau1,tau2", T, Q, TAU)
    with pytest.raises(rs.InputError, match="expected a unit of rad"):
        rs.Log(path)


@pytest.mark.parametrize(
    "head",
    ["q[0],q[1],tau (0),tau (1)", "q(j1),q(J2),tau[joint 1],tau[Joint 2]", "q_J1,q_J2,tau Axis 1 [Nm],tau Axis 2 [Nm]"],
)
def test_numbers_of_joints_in_brackets(head: str, tmp_path: Path) -> None:
    check(rs.Log(written(tmp_path / "log.csv", f"t,{head}", T, Q, TAU)))


def test_sorts_joints_in_robot_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Columns are in alphabetical order, as ROS writes them; the order of the robot differs."""
    robot = rs.load(robot_file(tmp_path))
    first, second = robot.joint_names
    log_file(robot, tmp_path / "plain.csv")
    values = np.loadtxt(tmp_path / "plain.csv", delimiter=",", skiprows=1)
    head = f"t,position.{second},position.{first},effort.{second},effort.{first}"
    path = written(tmp_path / "log.csv", head, values[:, [0, 2, 1, 4, 3]])
    found = rs.identify(robot, path)
    right = rs.identify(robot, rs.Log(t=values[:, 0], q=values[:, 1:3], tau=values[:, 3:]))
    np.testing.assert_allclose(found.values, right.values, rtol=1e-9)
    assert any("joints in the order of the robot" in remark for remark in found.remarks)
    with pytest.raises(rs.InputError, match="in_order"):
        rs.identify(robot, rs.prepare(rs.Log(path)))
    assert main(["identify", str(tmp_path / "arm.yaml"), str(path)]) == 0
    row = next(line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("FV1"))
    assert float(row[1]) == pytest.approx(FV[0], rel=0.02)
    path = written(tmp_path / "log.csv", head.replace(second, "wrist"), values[:, [0, 2, 1, 4, 3]])
    with pytest.raises(
        rs.InputError, match=f"expected columns of the joints {first}, {second}, found unknown joints wrist"
    ):
        rs.identify(robot, path)
