"""`robosym new`, `--set` on every command, files that are read are kept, and robots by their names."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

import robosym as rs
from robosym.app.cli.main import main
from robosym.app.menus import COMMANDS
from robosym.languages.header import made_by

Capture = pytest.CaptureFixture[str]


def test_new_and_set(tmp_path: Path, capsys: Capture) -> None:
    assert main(["new", "arm", "3"]) == 0
    assert rs.loads(capsys.readouterr().out) == rs.Robot.new(3, name="arm")
    file = tmp_path / "loop.yaml"
    assert main(["new", "loop", "2", "--joints", "3", "-o", str(file)]) == 0
    assert rs.load(file).structure == "closed"
    assert main(["show", str(file), "--set", "frame1.d=L", "--set", "gravity=[0,0,-9.81]"]) == 0
    assert "gravity: 0, 0, -9.81" in capsys.readouterr().out


def test_set_changes_the_model(tmp_path: Path) -> None:
    for words, change in (
        (["--set", "D3=0.45"], rs.load("rx90").with_values({"D3": 0.45})),
        (
            ["--set", "link6.FX=F", "--set", "D3=2*L"],
            rs.load("rx90").with_values({"D3": "2*L"}).edit({"link6.FX": "F"}),
        ),
    ):
        file = tmp_path / "rx90.txt"
        assert main(["inverse-dynamics", "rx90", *words, "-o", str(file)]) == 0
        with made_by(shlex.join(["robosym", "inverse-dynamics", "rx90", *words, "-o", str(file)])):
            assert file.read_text() == rs.inverse_dynamics(change).code("listing")


def test_every_robot_command_has_set() -> None:
    for command in COMMANDS.values():
        if command.name == "app":  # the page opens the file and edits it there
            assert all(option.name not in ("set", "floating") for option in command.options)
        elif any(argument.name == "robot" for argument in command.arguments):
            assert any(option.name == "set" for option in command.options), command.name


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--set D33=1", "rx90 has no parameter D33 (did you mean 'D3'?)"),
        ("--set D3", "--set: expected NAME=VALUE, such as D3=0.45 or link6.FX=F, found 'D3'"),
        ("--set link9.M=1", "link9.M: rx90 has the links 1 to 6, found 9"),
    ],
)
def test_rejects_invalid_settings(words: str, message: str, capsys: Capture) -> None:
    assert main(["velocities", "rx90", *words.split()]) == 1
    assert message in capsys.readouterr().err


def test_does_not_overwrite_files_that_it_reads(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "arm.yaml"
    rs.load("planar2r").write(file)
    before = file.read_text()
    for line in (["convert", str(file), str(file)], ["velocities", str(file), "-o", f"{tmp_path}/./arm.yaml"]):
        assert main(line) == 1
        assert "is read: expected another file to write to" in capsys.readouterr().err
    assert file.read_text() == before


def test_warning_is_one_line(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "arm.yaml"
    file.write_text("name: arm\nframes:\n  - {alpha: 90, theta: t1}\ngravity: [0, 0, -9.81]\n")
    assert main(["show", str(file)]) == 0
    assert f"robosym: warning: {file}:3:13: frame 1: alpha: 90 is larger than 2 Pi" in capsys.readouterr().err


def test_unknown_robot_name(tmp_path: Path) -> None:
    rs.load("rx90").write(tmp_path / "mine.yaml")
    assert rs.inverse_dynamics("rx90").code() == rs.inverse_dynamics(rs.load("rx90")).code()
    assert rs.jacobian(tmp_path / "mine.yaml", 6).code() == rs.jacobian(rs.load(tmp_path / "mine.yaml"), 6).code()
    with pytest.raises(rs.InputError, match="unknown robot 'rx91'"):
        rs.velocities("rx91")


def test_reports_a_misspelled_parameter() -> None:
    f = rs.direct_geometry("rx90", 0, 6).compile()
    with pytest.raises(rs.InputError, match=r"parameters: unknown name 'RL_4' \(did you mean 'RL4'\?\)"):
        f(q=[0.0] * 6, parameters={"D3": 1, "RL_4": 1})
