"""The command line offers what Python does: every public function, every argument."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from robosym import _HOMES
from robosym.app.cli.main import main
from robosym.app.menus import COMMANDS

Capture = pytest.CaptureFixture[str]
#: functions that have no command, and why
PYTHON_ONLY = {
    "compose": "its arguments are models",
    "loads": "its argument is a text; files are read by every command",
    "robot": "its arguments are Python's lists; files and `new` take their place",
    "time_limit": "--time-limit of every command that may take long",
    "prepare": "a step of `identify`, which has its options",
    "optimize": "an option of every command, and the command that reads a model",
    "dexterity": "a column of `workspace --table`",
    "pose_solver": "`solve` and `motors` use it",
    "platform_pose": "what `motors --pose` prints before the motors",
}
#: arguments that have no option, and why
PYTHON_ARGUMENTS = {
    ("identify", "motions"): "logs",
    ("identify", "reference"): "a function of time or a prepared motion",
    ("identify", "controller"): "a function or a model",
    ("identify_payload", "found"): "a log without the load",
    ("identify_payload", "method"): "weighted least squares",
    ("draw", "values"): "--set gives values to symbols",
    ("share", "values"): "--set gives values to symbols",
    ("inverse_kinematics", "parameters"): "--set gives values to symbols",
    ("exciting_trajectory", "deviations"): "weights of an identification in Python",
    ("exciting_trajectory", "progress"): "the terminal shows it",
    ("lagrange", "progress"): "the terminal shows it",
    ("study", "robots"): "the robot",
    ("study", "vectorized"): "the ready functions are",
    ("study", "paired"): "a grid is a text",
    ("study", "chunk"): "found by itself",
    ("study", "progress"): "the terminal shows it",
    ("load", "name_or_path"): "the argument of every command",
    ("read_model", "path"): "the argument of `optimize`",
    ("read_model", "inputs"): "the head of the file tells them",
    ("read_model", "outputs"): "--select chooses them",
    ("achievable_accelerations", "limits"): "--motor",
    ("transform", "frames"): "the two frames",
    ("simulate", "inputs"): "wrenches are zero, or entries of the description: --set link6.FX=5",
    ("simulate", "parameters"): "--set gives values to symbols",
    ("simulate", "memory"): "the internal states of a law start at zero",
    ("simulate", "events"): "functions",
    ("linearize", "at"): "--at evaluates the model at a state",
    ("motor_loads", "duration"): "the file has its times",
    ("motor_loads", "parameters"): "--set gives values to symbols",
    ("time_optimal_motion", "parameters"): "--set gives values to symbols",
    ("joint_trajectory", "parameters"): "--set gives values to symbols",
    ("cartesian_trajectory", "via"): "points by segment",
    ("cable_tensions", "modes"): "a cable has one way only",
    ("singularities", "parameters"): "--set gives values to symbols",
    ("workspace", "pose"): "the axes that are not given stay at 0",
    ("workspace", "parameters"): "--set gives values to symbols",
    ("workspace", "wrenches"): "an option of its own reads them",
    **{(name, "pose"): "the axes that are not given stay at 0" for name in ("singularity_free", "workspace_volume")},
    **{(name, "parameters"): "--set gives values to symbols" for name in ("singularity_free", "workspace_volume")},
}


def _functions() -> list[str]:
    names = [name for group in _HOMES.values() for name in group.split()]
    return sorted(n for n in names if inspect.isfunction(getattr(rs, n)))


@pytest.mark.parametrize("name", _functions())
def test_every_function_and_argument_has_a_command(name: str) -> None:
    rows = [c for c in COMMANDS.values() if name in (c.name, (c.function or c.name).rpartition(":")[2])]
    if name in PYTHON_ONLY:
        return
    assert rows, f"{name} has no command: give it a row in app/menus/table.py"
    offered = {argument.name for row in rows for argument in row.arguments}
    offered |= {option.target or option.name for row in rows for option in row.options}
    for parameter in inspect.signature(getattr(rs, name)).parameters.values():
        if parameter.kind is not parameter.VAR_KEYWORD and (name, parameter.name) not in PYTHON_ARGUMENTS:
            assert parameter.name in offered, f"{name} has no option for {parameter.name}"


def _typed(capsys: Capture, line: str) -> str:
    assert main(line.split()) == 0
    return capsys.readouterr().out


def test_numbers_of_a_model(tmp_path: Path, capsys: Capture) -> None:
    robot = rs.load("scara")
    q = np.array([[0.1, 0.5, 0.05, -0.3], [0.4, -0.5, 0.02, 0.3]])
    right = rs.jacobian(robot, 4, rows=(1, 2, 6)).compile()(q=q).reshape(2, -1)
    file = tmp_path / "states.csv"
    file.write_text("t1,t2,r3,t4\n" + "\n".join(",".join(map(repr, row)) for row in q.tolist()) + "\n")
    target = tmp_path / "J.csv"
    assert main(["jacobian", "scara", "4", "--rows", "1,2,6", "--at", str(file), "-o", str(target)]) == 0
    head, *rows = target.read_text().splitlines()
    assert head.split(",")[0] == "J11"
    assert np.array_equal(np.array([row.split(",") for row in rows], dtype=float), right)
    text = _typed(capsys, "inverse-dynamics scara --at q=0,0,0,0 --at qd=0,0,0,0 --at qdd=0,0,1,0")
    assert "GAM3" in text and len(text.splitlines()) == 2


def test_rounding_errors(capsys: Capture) -> None:
    typed = _typed(capsys, "precision scara --model inertia-matrix --range q=-Pi/2:1 --range r3=0.05 --samples 12")
    found = rs.inertia_matrix(rs.load("scara")).precision({"q": (-np.pi / 2, 1), "r3": 0.05}, samples=12)
    assert typed == f"{found}\n"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("velocities scara --at q=1,2", "--at: q: expected 4 numbers (t1 t2 r3 t4), found 2"),
        ("velocities scara --at q=0,0,0,0", "--at: missing values of QP1 QP2 QP3 QP4 (of qd)"),
        ("velocities scara --at q=a", "--at: q: expected numbers, found 'a'"),
        ("velocities scara --at t9=1", "--at: the model has no input 't9'"),
        ("velocities scara --at nonsense", "--at: expected q=0.1,0.2,.. or D3=0.45 or a .csv file"),
        ("velocities scara --at none.csv", "none.csv"),
        ("solve scara", "solve: expected --pose"),
        ("solve scara --pose 1,2", "--pose: expected one of the forms of a pose, found 2 numbers"),
        ("solve scara --pose 1,a,2", "--pose: expected numbers"),
        ("jacobian scara nosuch", "LINK: scara has no frame 'nosuch'"),
        ("jacobian scara --projection 99", "--projection: scara has the frames 0 to 4, found 99"),
        ("inverse-dynamics scara --derivative zz", "--derivative: the model has no input group 'zz'"),
        ("inverse-dynamics scara --select ZZZ", "--select: the model has no variable 'ZZZ'"),
        ("inverse-dynamics scara --set gravity=3", "--set: gravity: expected a list of 3 entries, found 3"),
        ("inverse-dynamics scara --add-frame tcp=nosuch:0,0,1", "--add-frame: scara has no frame 'nosuch'"),
        ("inverse-dynamics scara --name f", "--name: unknown option of listing: it accepts --no-tables"),
        ("simulate scara --method rk45 --tolerance -1", "--tolerance: expected a positive number, found -1"),
        ("simulate planar2r --torque 1,2,3", "--torque: expected a function of time"),
        ("adaptive-control scara --rate 1,2", "--rate: expected 1 or 4 gains, found 2"),
        ("solve scara --pose 0,0,0,1,1,1,1", "expected a quaternion of length 1"),
        ("solve scara --pose none.json", "none.json"),
        ("base-parameters scara -o a.cpp", "this command writes a text"),
        ("inverse-geometry scara -o a.cpp", "cannot determine the format of a.cpp"),
        ("achievable-accelerations scara --motor 9:torque=1", "--motor: expected"),
        ("precision scara --range q", "--range: expected NAME=LOW:HIGH"),
        ("precision scara --range q=1:0", "expected low <= high"),
        ("precision scara --model nonsense", "--model: expected one of inverse_dynamics"),
        ("achievable-accelerations scara --motor 1:tork=1", "did you mean 'torque'"),
    ],
)  # fmt: skip
def test_errors_name_options_of_the_command_line(line: str, words: str, capsys: Capture) -> None:
    assert main(line.split()) == 1
    assert words in capsys.readouterr().err


def test_poses_are_solved_in_every_form(tmp_path: Path, capsys: Capture) -> None:
    robot = rs.load("ur5e")
    q = np.array([0.3, -1.1, 0.9, -0.4, 0.8, 0.2])
    T = rs.direct_geometry(robot, 0, robot.NF).compile()(q=q).reshape(4, 4)
    X = {kind: rs.operational_jacobian(robot, robot.NF, kind).compile()(q=q)[0] for kind in ("rpy", "euler")}
    quaternion = rs.operational_jacobian(robot, robot.NF, "quaternion").compile()(q=q)[0]
    forms = {
        "matrix": ",".join(map(repr, T.ravel().tolist())),
        "rpy": ",".join(map(repr, [*X["rpy"][:3].tolist(), *X["rpy"][:2:-1].tolist()])),  # about x, y, z
        "euler": "euler:" + ",".join(map(repr, X["euler"].tolist())),
        "quaternion": ",".join(map(repr, quaternion.tolist())),
        "n a": ",".join(map(repr, [*T[:3, 3].tolist(), *T[:3, 1].tolist(), *T[:3, 2].tolist()])),
    }
    for form, text in forms.items():
        target = tmp_path / "q.csv"
        near = ",".join(map(repr, q.tolist()))
        assert main(["solve", "ur5e", f"--pose={text}", f"--near={near}", "-o", str(target)]) == 0
        first = np.array(target.read_text().splitlines()[1].split(","), dtype=float)
        assert np.allclose(first[1:], q, atol=1e-6), form
    file = tmp_path / "poses.json"
    file.write_text(json.dumps([T.tolist(), T.tolist()]))
    table = tmp_path / "poses.csv"
    table.write_text("x,y,z,roll,pitch,yaw\n" + forms["rpy"] + "\n")
    assert main(["solve", "ur5e", "--pose", str(file), "--pose", str(table), "-o", str(tmp_path / "a.json")]) == 0
    found = json.loads((tmp_path / "a.json").read_text())
    assert set(found["pose"]) == {1.0, 2.0, 3.0}


def test_file_names_follow_the_guide(tmp_path: Path) -> None:
    for line in ("base-parameters scara", "base-parameters scara --method numeric", "inverse-geometry scara"):
        assert main([*line.split(), "-o", str(tmp_path)]) == 0
    assert main(["loop-geometry", "sr400", "-o", str(tmp_path)]) == 0
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"scara.regp", "scara.Nreg", "scara.pau", "sr400.cgel"}


def test_position_leaves_the_orientation_open(tmp_path: Path, capsys: Capture) -> None:
    """Solutions of positions against forward substitution; where the orientation is needed it is asked for."""
    robot = rs.load("planar2r")
    forward = rs.direct_geometry(robot, 0, robot.NF).compile()
    assert main(["solve", "planar2r", "--pose", "1.2,0.5,0", "-o", str(tmp_path / "q.csv")]) == 0
    rows = np.array([line.split(",") for line in (tmp_path / "q.csv").read_text().splitlines()[1:]], dtype=float)
    assert len(rows) == 2
    np.testing.assert_allclose(forward(q=rows[:, 1:])[:, :3, 3], [[1.2, 0.5, 0]] * 2, atol=1e-9)
    for line, words in [
        ("solve ur5e --pose 0.3,0.2,0.4", "--pose: x,y,z is a position without an orientation"),
        ("solve planar2r --pose 1.2,0.5,0 --given snaP", "pose 1 is a position, but snaP of the pose is given"),
        ("solve ur5e --pose 0.3,0.2,0.4,0,1.57,0 --pose 0.3,0.2,0.4", "pose 2 is a position"),
    ]:
        assert main(line.split()) == 1
        assert words in capsys.readouterr().err
    assert main("solve fivebar --pose 0.059,0.12,0".split()) == 0
    typed = [float(word) for word in capsys.readouterr().out.splitlines()[1].split()[1:]]
    assert main("motors fivebar --pose 0.059,0.12,0".split()) == 0
    shown = [float(line.split("=")[1]) for line in capsys.readouterr().out.splitlines() if line.startswith("t")]
    np.testing.assert_allclose(typed, shown, atol=1e-5)
