"""The command line as a newcomer types it."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from robosym.app.cli.delivery import progress
from robosym.app.cli.main import main
from robosym.app.menus import COMMANDS


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "robosym.app.cli.main", *arguments], capture_output=True, text=True, cwd=cwd, timeout=120
    )


Capture = pytest.CaptureFixture[str]


def typed(capsys: Capture, *words: str) -> str:
    """Run a line in this process and return what it prints; it must succeed."""
    try:
        code = main(words)
    except SystemExit as end:  # after the help of a command
        code = end.code
    printed = capsys.readouterr()
    assert code == 0, printed.err
    return printed.out + printed.err


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
    assert "Form: estimated to run fastest" in (tmp_path / "rx90_dyn.c").read_text()
    run("inverse-dynamics", "rx90", "--optimize", "0", "-o", "plain.c", cwd=tmp_path)
    assert "Form:" not in (tmp_path / "plain.c").read_text()
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


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "Usage"),
        ("inverse-dynamic rx90", "did you mean 'inverse-dynamics'?"),
        ("transform rx90 0", "J"),
        ("general-equations rx90 --first x", "expected a whole number, found 'x'"),
        ("velocities rx90 --selec V1", "did you mean '--select'?"),
        ("velocities rx90 3", "unexpected argument '3'"),
        ("inverse-dynamics rx90 -o", "expected one argument"),
    ],
)
def test_wrong_usage_is_exit_code_2(line: str, message: str, capsys: Capture) -> None:
    try:
        code = main(line.split())
    except SystemExit as end:
        code = end.code
    printed = capsys.readouterr()
    assert code == 2 and message in printed.out + printed.err
    assert len(printed.err.splitlines()) <= 1


LINES = [
    ("explain e206", "Two joints have the same variable"),
    ("list", "ur5e"),
    ("precision planar2r --range q=-1:1 --range QP1=2 --samples 9 --tolerance 0.001", "meets the tolerance of 0.001"),
    ("precision rx90 --model velocities --range RL4=0.45 --range D3=0.45 --samples 3", "W  "),
    ("bounds planar2r --range q=-0.1:0.1 --boxes 4", "Guaranteed bounds of outputs"),
    ("fixed-point planar2r --model gravity_torques --word 16", "none overflows"),
    ("gravity-torques planar2r --bounds q=-0.1:0.1 -l c", "q -0.1 to 0.1"),
    ("resources planar2r --model gravity_torques", "executed instructions"),
    ("show rx90", "-Pi/2"),
    ("show sr400", "loops: frame "),
    ("show lumped2axis", "Elasticity"),
    ("transform rx90 0 6", "T0T614 ="),
    ("direct-geometry rx90 -1 6", "Tm1T614 ="),
    ("inverse-geometry rx90", "t1: type"),
    ("inverse-geometry rx90 -l c", "#include"),
    ("paul-matrices rx90", "="),
    ("general-equations ur5e --stop AB", "="),
    ("loop-geometry sr400", "t3"),
    ("loop-geometry sr400 -l python", "def "),
    ("jacobian rx90 6", "J11 ="),
    ("jacobian rx90 6 --projection 0 --derivative q", "dJ11_dt1 ="),
    ("jacobian rx90 6 --projection 3 --intermediate 4", "J11 ="),
    ("determinant rx90 6", "sin(t5)"),
    ("determinant rx90 6 -l c", "DET"),
    ("inverse-jacobian rx90 6", "Ji11 ="),
    ("operational-jacobian rx90 6 --orientation quaternion", "Jx11 ="),
    ("velocities rx90", "V16 ="),
    ("accelerations rx90", "VP16 ="),
    ("inverse-kinematics rx90 6 --rows 1,2,3", "QP3 ="),
    ("achievable-accelerations planar2r --motor 1:torque=20,ratio=50", "UM2 ="),
    ("solve ur5e --pose 0.3,0.2,0.4,0,1.57,0", "t6"),
    ("jdot-qdot rx90 6", "VPJ16 ="),
    ("loop-kinematics sr400", "Wa11 ="),
    ("loop-kinematics sr400 --solution", "W12 ="),
    ("inverse-dynamics rx90 --base-parameters --optimize 1", "GAM6 ="),
    ("inverse-dynamics sr400", "GAM7 ="),
    ("inverse-dynamics planar2r --derivative q --derivative qd", "dGAM1_dt2 ="),
    ("inverse-dynamics planar2r --gradient q", "ds_dt2 ="),
    ("inertia-matrix rx90 -l python", "np."),
    ("bias-torques rx90", "H6 ="),
    ("energy rx90", "EG ="),
    ("centroidal-momentum rx90", "CG3 ="),
    ("contact-kinematics differential_drive", "SC14 ="),
    ("direct-dynamics mecanum", "RA4 ="),
    ("linearize planar2r", "A31 ="),
    ("state-derivative planar2r", "XP3 ="),
    ("gravity-torques rx90", "Q2 ="),
    ("coriolis-matrix rx90", "C12 ="),
    ("direct-dynamics rx90 --route cholesky", "QDP6 ="),
    ("lagrange planar2r --form expanded", "A11 ="),
    ("modified-newton-euler rx90", "A11 ="),
    ("cable-tensions cable8 --pose 0,0,1 --lower 5", "l8 ="),
    ("motors planar3rrr --pose 0.01,0,0", "t7 ="),
    ("poses planar3rrr --motors 2.1,2.1,2.1", "complete"),
    ("workspace planar3rrr --x 0,0.01", "reachable"),
    ("singularity-free gough33 --z 0.69,0.7", "no singular pose"),
    ("workspace-volume delta --x 0,0.1 --y 0,0.1 --z=-1,-0.9", "0.001 m"),
    ("compare-formulations planar2r", "Luh"),
    ("derivation planar2r --subject lagrange", "Q2 = 4.905*C12"),
    ("computed-torque planar2r --kp 100,80 --kd 20", "GAM2 ="),
    ("predictive-control planar2r", "GAM2 ="),
    ("feedforward planar2r -l c", "KP2"),
    ("pd-gravity planar2r --kp 10 --kd 1", "TAU2 ="),
    ("operational-control ur5e --kp 100 --kd 20 --damping 0.01", "GAM6 ="),
    ("impedance-control ur5e --stiffness 1000 --damping 100 --link 6", "TAU6 ="),
    ("adaptive-control planar2r --rate 2 --kd 1 --learning 3 --friction no", "TAU1 ="),
    ("momentum-observer planar2r --gain 50", "RES1 ="),
    ("trajectory-generator planar2r --law double_s", "DURATION ="),
    ("force-ellipsoid planar2r --limits 10,5 --rows 1,2", "EF12 ="),
    ("simulate planar2r --q 0.1,0.2 --until 0.1 --stops 1=-1,1 --motor 1:torque=5,speed=3", "energy, J"),
    ("simulate planar2r --controller computed_torque:kp=100/80,kd=20 --reference 0.5,-0.5 --until 1", "energy, J"),
    ("base-parameters rx90", "40 base parameters"),
    ("calibration-postures planar2r --count 12 --pool 40 --no-free", "12 postures for 14 parameters"),
    ("calibration-parameters rx90 --measurement position", "21 identifiable geometric parameters"),
    ("base-parameters planar2r --method numeric", "base parameters"),
    ("dynamic-identification rx90 --base-parameters", "DG6MY6 ="),
    ("energy-identification rx90", "HIA6 ="),
    ("power-identification rx90", "ZZ6"),
    ("filtered-identification planar2r", "ZZ2"),
    ("manipulability rx90", "w ="),
    ("study manipulability 500 ur10e", "mean"),
    ("study workspace t1=-3:3:5,t2=0:1:4 planar2r", "t1[5] x t2[4]"),
    (
        "study singularity t2=-1:1:9 rx90 --task position --fix t1=0 --fix t3=1 --fix t4=0 --fix t5=1 "
        "--fix t6=0 --fix D3=0.4 --fix RL4=0.5",
        "share",
    ),
]


@pytest.mark.parametrize(("line", "word"), LINES)
def test_every_command_runs(line: str, word: str, capsys: Capture) -> None:
    assert word in typed(capsys, *line.split())


def test_every_command_has_a_test_and_help(capsys: Capture) -> None:
    apart = {
        "app", "base-velocity", "book", "build", "bundle", "calibrate", "cartesian-trajectory", "convert", "draw",
        "excite", "fmu", "identify", "identify-drives", "identify-payload", "joint-trajectory", "motor-loads", "new",
        "optimize", "ros2", "share", "singularities", "time-optimal-motion", "verify",
    }  # fmt: skip
    tried = {line.split()[0] for line, _ in LINES} | apart
    assert tried == {command.word for command in COMMANDS.values()}
    for command in COMMANDS.values():
        shown = typed(capsys, command.word, "--help")
        assert "Usage" in shown and command.sentence[:30] in shown
        for option in command.options:
            assert f" {option.word} " in shown and f" {option.short} " in shown


def test_motor_loads_of_a_motion(tmp_path: Path, capsys: Capture) -> None:
    files = [str(tmp_path / name) for name in ("run.csv", "run.svg", "run.html")]
    words = ["simulate", "planar2r", "--q", "0.1,0.2", "--until", "0.2"]
    words += ["--write", files[0], "--plot", files[1], "--animate", files[2]]
    assert "final" in typed(capsys, *words)
    assert all(Path(name).stat().st_size > 1000 for name in files)
    (tmp_path / "motors.csv").write_text("name,torque,speed\nA,1,300\n")
    printed = typed(
        capsys, "motor-loads", "planar2r", files[0], "--drives", "100", "--motors", str(tmp_path / "motors.csv")
    )
    assert "rms torque" in printed and "chosen" in printed
    line = ["simulate", "planar2r", "--until", "0.1", "--controller", "pd-gravity:kp=10,kd=1", "--reference", files[0]]
    assert "GAM1" in typed(capsys, *line)
    with pytest.raises(SystemExit):
        main(["simulate", "planar2r", "--q", "a,b"])
    assert "--q: expected a number, found 'a'" in capsys.readouterr().err
    for option, value, word in (
        ("--controller", "nonsense", "--controller: expected one of"), ("--stops", "1", "--stops: expected limits"),
        ("--controller", "pd_gravity:kq=1", "has no gain 'kq'"),
    ):  # fmt: skip
        assert main(["simulate", "planar2r", option, value]) == 1
        assert word in capsys.readouterr().err


def test_plots_and_tables_of_studies_and_platforms(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "path.txt"
    path.write_text("0,0,0\n0.01,0.02,0\n")
    box = ["--x", "0,0.01", "--y", "0,0.01"]
    for line in (
        ["workspace", "planar3rrr", *box, "--write", "grid.csv", "--plot", "grid.svg"],
        ["singularities", "planar3rrr", str(path), "--plot", "measures.svg"],
        ["study", "manipulability", "t2=-1:1:5", "planar2r", "--fix", "t1=0", "--plot", "study.svg"],
    ):
        typed(capsys, *(str(tmp_path / word) if word.endswith((".svg", ".csv")) else word for word in line))
    assert (tmp_path / "grid.csv").read_text().startswith("x,y,reached,dexterity")
    assert all("</svg>" in (tmp_path / f"{name}.svg").read_text() for name in ("grid", "measures", "study"))


def test_fastest_motion_along_a_path(tmp_path: Path, capsys: Capture) -> None:
    path, table, plots = (tmp_path / name for name in ("path.csv", "motion.csv", "motion.html"))
    path.write_text("t,q1,q2\n0,0,0\n1,1,0.5\n2,1.5,-1\n")
    (tmp_path / "limits.yaml").write_text("velocity: 2\ntorque: [20, 5]\n")
    line = ["time-optimal-motion", "planar2r", str(path), "--limits", str(tmp_path / "limits.yaml"), "--points", "50"]
    assert "51 points" in typed(
        capsys, *line, "--write", str(table), "--plot", str(plots)
    )  # one where the limit changes
    assert table.read_text().startswith("t,q1,q2,qd1") and "Torques" in plots.read_text()


def test_trajectories_of_joints_and_of_a_frame(tmp_path: Path, capsys: Capture) -> None:
    points, poses, limits, table = (tmp_path / n for n in ("points.csv", "poses.csv", "limits.yaml", "motion.csv"))
    points.write_text("t,q1,q2\n0,0,0\n1,1,0.5\n2,1.5,-1\n")
    limits.write_text("velocity: 2\nacceleration: [8, 6]\njerk: 50\n")
    line = ["joint-trajectory", "planar2r", str(points), "--law", "double_s", "--limits", str(limits)]
    right = rs.joint_trajectory("planar2r", points, "double_s", {"velocity": 2, "acceleration": [8, 6], "jerk": 50})
    assert typed(capsys, *line, "--write", str(table)) == f"{right}\n"
    rows = np.loadtxt(table, delimiter=",", skiprows=1)
    np.testing.assert_allclose(rows[-1, :3], [right.period, 1.5, -1])
    poses.write_text("0.4,0,0.3,0,0,0\n0.4,0.2,0.3,0,0,1.57\n")
    line = ["cartesian-trajectory", str(poses), "--limits", "velocity=0.5", "--limits", "angular_velocity=1"]
    assert "1.57" in typed(capsys, *line, "--law", "cubic") and "line" in typed(capsys, *line)


def test_extension_selects_explanation_or_code_of_a_solution(tmp_path: Path, capsys: Capture) -> None:
    words = {"inverse-geometry rx90": "type", "determinant rx90 6": "singular where", "loop-geometry sr400": "t3"}
    for line, word in words.items():
        for name, expected in (("result.txt", word), ("result.c", "#include")):
            assert f"wrote {tmp_path / name}" in typed(capsys, *line.split(), "-o", str(tmp_path / name))
            assert expected in (tmp_path / name).read_text()


def test_calibrates_an_arm(capsys: Capture, tmp_path: Path) -> None:
    """From postures that a file lists to a corrected description."""
    chosen, measured, made = (str(tmp_path / name) for name in ("chosen.csv", "measured.csv", "made.yaml"))
    typed(capsys, "calibration-postures", "scara", "--count", "20", "--pool", "60", "--write", chosen)
    q = np.loadtxt(chosen, delimiter=",", skiprows=1)
    real = rs.load("scara").edit({"frame2.d": 0.502})
    P = rs.direct_geometry(real).compile()(q=q)[:, :3, 3]
    names = ",".join(rs.load("scara").joint_names)
    np.savetxt(measured, np.hstack([q, 1e3 * P]), delimiter=",", header=f"{names},x [mm],y [mm],z [mm]", comments="")
    text = typed(
        capsys, "calibrate", "scara", measured, "--measurement", "position", "--known", "base", "--known", "tool",
        "--write", made,
    )  # fmt: skip
    assert "root mean square residual" in text
    found = rs.direct_geometry(rs.load(made)).compile()(q=q)[:, :3, 3]
    np.testing.assert_allclose(found, P, atol=1e-9)


def test_writes_robot_with_base_parameters(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "base.yaml"
    assert "base parameters" in typed(capsys, "base-parameters", "planar2r", "--write", str(path))
    assert rs.load(path) == rs.base_parameters(rs.load("planar2r")).robot


def test_optimize_a_listing(tmp_path: Path, capsys: Capture) -> None:
    listing = tmp_path / "arm.dyn"
    rs.inverse_dynamics(rs.load("planar2r")).write(listing)
    printed = typed(capsys, "optimize", str(listing), "-s", "GAM2", "-l", "c")
    assert "void" in printed and "before: " in printed


def test_optimizes_and_writes_the_model_of_a_file(tmp_path: Path, capsys: Capture) -> None:
    robot, code = tmp_path / "arm.par", tmp_path / "arm.c"
    assert typed(capsys, "convert", "planar2r", str(robot)) == f"wrote {robot}\n"
    printed = typed(capsys, "inverse-dynamics", str(robot), "--optimize", "1", "-o", str(code))
    assert "before: " in printed and "after:  " in printed and f"wrote {code}, {code.with_suffix('.h')}" in printed


def test_progress_is_shown_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    with progress("thinking") as report:
        report("half")
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress("thinking") as report:
        report("half")
    assert "thinking: half" in capsys.readouterr().err


def test_error_in_this_process(capsys: Capture) -> None:
    assert main(["show", "rx9"]) == 1
    assert capsys.readouterr().err.startswith("robosym: unknown robot 'rx9'")


def test_prints_version(capsys: Capture) -> None:
    assert typed(capsys, "--version") == f"robosym {rs.__version__}\n"


def test_convert_round_trip(tmp_path: Path) -> None:
    assert run("convert", "sr400", "a.par", cwd=tmp_path).returncode == 0
    assert run("convert", "a.par", "b.yaml", cwd=tmp_path).returncode == 0
    assert (
        run("show", "b.yaml", cwd=tmp_path).stdout.splitlines()[4:14] == run("show", "sr400").stdout.splitlines()[4:14]
    )


def test_excite(tmp_path: Path, capsys: Capture) -> None:
    arm = {"frames": [{"theta": "t1"}, {"d": 0.5, "theta": "t2"}], "gravity": [0, -9.81, 0]}
    rs.robot("arm", **arm, links="symbolic").write(tmp_path / "arm.yaml")
    (tmp_path / "limits.yaml").write_text("velocity: [2, 3]\nacceleration: 10\n")
    table, page = tmp_path / "motion.csv", tmp_path / "motion.html"
    line = ["excite", str(tmp_path / "arm.yaml"), "--limits", str(tmp_path / "limits.yaml"), "--harmonics", "3"]
    printed = typed(capsys, *line, "--period", "5", "--starts", "1", "--write", str(table), "--plot", str(page))
    assert "condition" in printed and table.read_text().startswith("t,q1,q2,qd1") and "<svg" in page.read_text()
    (tmp_path / "limits.yaml").write_text("velocity: [2, 3\n")
    assert main(line) == 1 and "invalid YAML" in capsys.readouterr().err


def test_ctrl_c_is_one_line_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(rs, "velocities", interrupted)
    assert main(["velocities", "planar2r", "-o", str(tmp_path / "vel.c")]) == 130
    assert capsys.readouterr().err == "robosym: interrupted\n" and not list(tmp_path.iterdir())


def test_bar_on_a_terminal_shows_the_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    model = rs.inverse_dynamics(rs.load("planar2r"))
    with progress("optimize planar2r") as report:
        rs.optimize(model, 1, progress=report)
        report("[last stage]")
    assert "optimize planar2r: [last stage]" in terminal.getvalue()
