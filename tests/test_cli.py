"""The command line as a newcomer types it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "robosym.cli", *arguments], capture_output=True, text=True, cwd=cwd, timeout=120
    )


def test_help_lists_the_menus() -> None:
    result = run("--help")
    assert result.returncode == 0
    assert "inverse-dynamics" in result.stdout and "Dynamic" in result.stdout


def test_list_and_show() -> None:
    listed = run("list")
    assert listed.returncode == 0 and "rx90" in listed.stdout and "ur5e" in listed.stdout
    shown = run("show", "rx90")
    assert shown.returncode == 0 and "RL4" in shown.stdout and "-Pi/2" in shown.stdout


def test_inverse_dynamics_to_a_file(tmp_path: Path) -> None:
    result = run("inverse-dynamics", "rx90", "-o", "rx90_dyn.c", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "void rx90_dyn(" in (tmp_path / "rx90_dyn.c").read_text()
    assert (tmp_path / "rx90_dyn.h").exists()
    assert "wrote rx90_dyn.c, rx90_dyn.h" in result.stderr


def test_inverse_dynamics_to_the_terminal() -> None:
    result = run("inverse-dynamics", "rx90", "--select", "GAM1")
    assert result.returncode == 0
    assert "GAM1 = " in result.stdout and "GAM2 = " not in result.stdout


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("show", "rx9"), "rx90"),
        (("show", "nowhere.par"), "nowhere.par"),
        (("inverse-dynamics", "rx90", "-l", "cobol"), "cobol"),
        (("inverse-dynamics", "rx90", "-o", "model.xyz"), "model.xyz"),
        (("inverse-dynamics", "rx90", "-s", "GAMMA"), "GAMMA"),
        (("inverse-dynamics", "rx90", "-o", "no/such/folder/a.c"), "no/such/folder"),
    ],
)
def test_errors_are_one_line_and_exit_code_1(arguments: tuple[str, ...], word: str, tmp_path: Path) -> None:
    result = run(*arguments, cwd=tmp_path)
    assert result.returncode == 1
    assert result.stderr.startswith("robosym: ") and word in result.stderr
    assert "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_wrong_usage_is_exit_code_2() -> None:
    assert run("inverse-dynamic").returncode == 2


def test_convert_round_trip(tmp_path: Path) -> None:
    assert run("convert", "sr400", "a.par", cwd=tmp_path).returncode == 0
    assert run("convert", "a.par", "b.yaml", cwd=tmp_path).returncode == 0
    assert (
        run("show", "b.yaml", cwd=tmp_path).stdout.splitlines()[4:14] == run("show", "sr400").stdout.splitlines()[4:14]
    )
