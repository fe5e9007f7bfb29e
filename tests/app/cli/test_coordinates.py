"""Coordinates of platforms on the command line: poses by name, and models of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from robosym.app.cli.main import main


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 0, capsys.readouterr().err
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("robot", "numbers", "names"),
    [("fivebar", "0.059,0.12", "x=0.059,y=0.12"), ("planar3rrr", "0.01,0.02,0.1", "yaw=0.1,x=0.01,y=0.02"),
     ("tricept", "0.1,0.05,1.2", "x=0.1,y=0.05,z=1.2"),
     ("agile_eye", "0.1,10deg,Pi/9", "roll=0.1,pitch=10deg,yaw=Pi/9")],
)  # fmt: skip
def test_motors_at_coordinates(capsys: pytest.CaptureFixture[str], robot: str, numbers: str, names: str) -> None:
    by_name = printed(capsys, "motors", robot, "--pose", names)
    assert printed(capsys, "motors", robot, "--pose", numbers) == by_name
    machine = rs.load(robot)
    units = {"10deg": np.radians(10), "Pi/9": np.pi / 9}
    pairs = (word.split("=") for word in names.split(","))
    wanted = rs.inverse_geometry(machine).solve({name: units.get(v) or float(v) for name, v in pairs})
    found = [float(line.split(" = ")[1]) for line in by_name.splitlines() if " = " in line]
    assert found == pytest.approx(wanted.tolist(), abs=1e-9)


def test_generated_code_takes_coordinates(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    printed(capsys, "inverse-geometry", "fivebar", "--coordinates", "x,y", "-o", str(tmp_path / "igm.py"))
    scope: dict[str, object] = {}
    exec((tmp_path / "igm.py").read_text(), scope)
    function = next(value for name, value in scope.items() if name.startswith("fivebar"))
    q = function(np.array([0.059, 0.12]))[0]  # type: ignore[operator]
    assert q == pytest.approx(rs.inverse_geometry("fivebar").solve({"x": 0.059, "y": 0.12}).tolist())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("motors fivebar --pose x=0.1,why=2", "--pose: expected some of x, y, z, roll, pitch, yaw, found 'why'"),
        ("motors fivebar --pose 1,2,3,4", "--pose: expected 2 (x, y), 12, 3 or 6 numbers per pose, found 4"),
        ("inverse-dynamics fivebar --coordinates x", "--coordinates: the platform of fivebar has 2 degrees of freedom"),
        ("inverse-dynamics rx90 --coordinates x,y", "--coordinates: expected a model of a parallel robot"),
    ],
)
def test_wrong_coordinates_are_named(capsys: pytest.CaptureFixture[str], words: str, message: str) -> None:
    assert main(words.split()) == 1
    assert message in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("quantity", ["dexterity", "stiffness", "isotropy", "type1"])
def test_plots_a_quantity_of_the_workspace(capsys: pytest.CaptureFixture[str], tmp_path: Path, quantity: str) -> None:
    grid = ("--x=-0.1:0.1:3", "--z=0.6:0.8:3")
    printed(capsys, "workspace", "gough33", *grid, "--plot", str(tmp_path / "typed.svg"), "--quantity", quantity)
    reach = rs.workspace(rs.load("gough33"), x=np.linspace(-0.1, 0.1, 3), z=np.linspace(0.6, 0.8, 3))
    reach.plot(tmp_path / "python.svg", quantity)
    assert (tmp_path / "typed.svg").read_text() == (tmp_path / "python.svg").read_text()


def test_quantity_needs_a_plot(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["workspace", "gough33", "--x=0,0.1", "--quantity", "stiffness"]) == 1
    assert "--quantity: expected --plot as well" in " ".join(capsys.readouterr().err.split())
