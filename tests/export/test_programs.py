"""Folders for MATLAB and Octave, Modelica and acados, read or run by these programs and compared with Pinocchio."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from cases.toolchains import ModelicaFunction, run, tool
from export.test_bundle import GLUE, SIMSTRUC
from export.test_ros2 import urdf
from robosym.app.cli.main import main

RNG = np.random.default_rng(5)


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the description of an arm that is in no library, without friction."""
    path = tmp_path_factory.mktemp("arm") / "arm.urdf"
    path.write_text(urdf().replace('friction="0.2"', ""))
    return path


class Peer:
    """Pinocchio's model, with one position per joint as in the description."""

    def __init__(self, path: Path, floating: bool = False) -> None:
        root = [pin.JointModelFreeFlyer()] if floating else []
        self.model = pin.buildModelFromUrdf(str(path), *root)
        self.data = self.model.createData()
        self.damping = np.zeros(6)
        self.damping[[0, 5]] = 0.5, 0.1

    def place(self, q: Any) -> Any:
        return np.array([*q[:5], np.cos(q[5]), np.sin(q[5])])  # the last joint is continuous

    def torques(self, q: Any, qd: Any, qdd: Any) -> Any:
        return pin.rnea(self.model, self.data, self.place(q), qd, qdd) + self.damping * qd

    def accelerations(self, q: Any, qd: Any, tau: Any) -> Any:
        return pin.aba(self.model, self.data, self.place(q), qd, tau - self.damping * qd)


# ------------------------------------------------------------------------------------------- MATLAB


def test_mex_functions_in_octave(arm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool("mkoctfile")
    octave = tool("octave-cli")
    monkeypatch.chdir(tmp_path)
    names = "inverse_dynamics,direct_geometry,jacobian"
    assert main(["build", str(arm), "--target", "matlab", "--functions", names, "--name", "arm", "-o", "m"]) == 0
    q, qd, qdd = RNG.uniform(-1, 1, (3, 6, 3))
    rows = ["; ".join(" ".join(map(repr, map(float, row))) for row in array) for array in (q, qd, qdd)]
    script = f"""build_arm;
        tau = arm_inverse_dynamics([{rows[0]}], [{rows[1]}], [{rows[2]}]);
        held = arm_inverse_dynamics([{rows[0]}], zeros(1, 6), zeros(6, 1));
        T = arm_direct_geometry([{rows[0]}]);
        printf('%.17g ', tau, held, T);
        calls = {{'arm_inverse_dynamics(1)', 'arm_direct_geometry(ones(5, 2))', 'arm_jacobian(single(ones(6)))'}};
        for k = 1:3
            try; eval(calls{{k}}); catch e; printf('\\n%s', e.message); end
        end"""
    (tmp_path / "m" / "check.m").write_text(script)
    first, *errors = run(octave, "--no-gui", "--no-init-file", "check.m", cwd=tmp_path / "m").splitlines()
    numbers = np.array([float(word) for word in first.split()])
    peer, robot = Peer(arm), rs.load(str(arm))
    rest = np.zeros(6)
    wanted = [peer.torques(q[:, k], qd[:, k], qdd[:, k]) for k in range(3)]
    wanted += [peer.torques(q[:, k], rest, rest) for k in range(3)]
    np.testing.assert_allclose(numbers[:36], np.ravel(wanted), atol=1e-9)
    T = rs.direct_geometry(robot, 0).compile()(q.T)
    np.testing.assert_allclose(numbers[36:].reshape(3, 4, 4), np.swapaxes(T, 1, 2), atol=1e-12)
    assert errors[0].endswith("expected 3 arguments, found 1")
    assert errors[1].endswith("q: expected 6 rows, one column per state, found 5 x 2")
    assert errors[2].endswith("q: expected a real matrix of doubles")


def test_s_functions_compile(arm: Path, tmp_path: Path) -> None:
    rs.build(rs.load(str(arm)), "matlab", tmp_path, "jacobian frames", name="arm")
    (tmp_path / "simstruc.h").write_text(SIMSTRUC)
    (tmp_path / "cg_sfun.h").write_text(GLUE)
    for own in ("arm_jacobian", "arm_frames"):
        flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-c"]
        run(tool("gcc"), *flags, f"{own}_sfun.c", cwd=tmp_path)
        run(tool("gcc"), *flags, f"{own}.c", cwd=tmp_path)


# ------------------------------------------------------------------------------------------ Modelica


def modelica(path: Path) -> Any:
    parser = pytest.importorskip("pymoca.parser", reason="pymoca is not installed")
    return parser.parse(path.read_text()).classes[path.stem]


def test_modelica_package_of_an_arm(arm: Path, tmp_path: Path) -> None:
    [path] = rs.build(rs.load(str(arm)), "modelica", tmp_path, "inverse_dynamics direct_geometry motion", name="arm")
    package, peer = modelica(path), Peer(arm)
    q, qd, given = RNG.uniform(-1, 1, (3, 6))
    [tau] = ModelicaFunction(package, "inverse_dynamics")(q, qd, given)
    np.testing.assert_allclose(tau, peer.torques(q, qd, given), atol=1e-9)
    [rate] = ModelicaFunction(package, "motion")(q, qd, given)
    np.testing.assert_allclose(rate, [*qd, *peer.accelerations(q, qd, given)], atol=1e-8)
    motion = package.classes["Motion"]
    kinds = {name: symbol.type.name for name, symbol in motion.symbols.items()}
    assert kinds == {"q": "RealOutput", "qd": "RealOutput", "tau": "RealInput", "rate": "Real"}
    pairs = [(str(e.left.operands[0]), str(e.right)) for e in motion.equations[1:]]
    assert len(pairs) == 12 and all(left.startswith(("q[", "qd[", "q", "qd")) for left, _ in pairs)


PLATFORM = """
name: three legs
platform: {M: 0.5, inertia: [0.001, 0, 0, 0.001, 0, 0.001]}
legs:
  - {type: RUU, base: [0.16, 0, 0], platform: [0.05, 0, 0], axis: [0, 1, 0], lengths: [0.3, 0.8]}
  - {type: RUU, base: [-0.08, 0.1386, 0], platform: [-0.025, 0.0433, 0], axis: [-0.866, -0.5, 0], lengths: [0.3, 0.8]}
  - {type: RUU, base: [-0.08, -0.1386, 0], platform: [-0.025, -0.0433, 0], axis: [0.866, -0.5, 0], lengths: [0.3, 0.8]}
position: {pose: [0, 0, -0.75], q1: 0.3, q2: 0.3, q3: 0.3}
gravity: [0, 0, -9.81]
"""


def test_modelica_package_of_a_platform(tmp_path: Path) -> None:
    """A free fall: without torques and at rest, the cranks and rods have no mass and hold nothing."""
    [path] = rs.build(rs.loads(PLATFORM, format="yaml"), "modelica", tmp_path, "motion", name="legs")
    package = modelica(path)
    pose = np.array([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -0.75])
    [rate] = ModelicaFunction(package, "motion")(pose, np.zeros(6), np.zeros(3))
    np.testing.assert_allclose(rate[:12], 0, atol=1e-9)
    np.testing.assert_allclose(rate[12:], [0, 0, -9.81, 0, 0, 0], atol=1e-6)


# -------------------------------------------------------------------------------------------- acados


class Options:
    """A substitute of the classes of acados_template: it stores attributes."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = Options()
        setattr(self, name, made)
        return made


@pytest.fixture
def acados(monkeypatch: pytest.MonkeyPatch) -> None:
    found = ModuleType("acados_template")
    found.__dict__.update(AcadosModel=Options, AcadosOcp=Options, AcadosOcpSolver=Options)
    monkeypatch.setitem(sys.modules, "acados_template", found)


@pytest.mark.usefixtures("acados")
@pytest.mark.parametrize("floating", [False, True])
def test_acados_model_and_problem(arm: Path, floating: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    casadi = pytest.importorskip("casadi")
    robot = rs.load(str(arm), floating=floating)
    rs.build(robot, "acados", tmp_path, name="arm")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "arm_model", raising=False)
    problem = runpy.run_path(str(tmp_path / "ocp.py"))["problem"]()
    model, size = problem.model, 25 if floating else 12
    assert model.x.shape[0] == size and problem.constraints.x0.shape == (size,)
    assert problem.cost.W.shape == (size + 6, size + 6) and problem.cost.yref.shape == (size + 6,)
    np.testing.assert_array_equal(problem.constraints.ubu, [60.0] * 6)
    first = 7 if floating else 0
    positions = {first + k: (3.0, 2.5, 2.8, 6.2, 6.2)[k] for k in range(5)}
    bounds = dict(zip(problem.constraints.idxbx.tolist(), problem.constraints.ubx.tolist(), strict=True))
    assert {k: bounds[k] for k in positions} == positions and set(bounds.values()) - set(positions.values()) == {2.0}
    call = casadi.Function("f", [model.x, model.u], [model.f_expl_expr])
    q, qd, tau = RNG.uniform(-1, 1, (3, 6))
    if floating:
        x = np.concatenate([[0.1, 0.2, 0.3, 1, 0, 0, 0], q, np.zeros(6), qd])
        peer = Peer(arm, floating=True)
        start = np.array([0.1, 0.2, 0.3, 0, 0, 0, 1, *peer.place(q)])
        wanted = pin.aba(
            peer.model,
            peer.data,
            start,
            np.array([*np.zeros(6), *qd]),
            np.array([*np.zeros(6), *tau - peer.damping * qd]),
        )
        found = np.array(call(x, tau)).ravel()
        np.testing.assert_allclose(found[-6:], wanted[6:], atol=1e-8)
        return
    np.testing.assert_allclose(
        np.ravel(call(np.r_[q, qd], tau)), [*qd, *Peer(arm).accelerations(q, qd, tau)], atol=1e-8
    )


def test_acados_needs_numbers_and_motion(tmp_path: Path) -> None:
    with pytest.raises(rs.InputError, match="expected values for G3"):
        rs.build(rs.load("rx90"), "acados", tmp_path)
    with pytest.raises(rs.InputError, match="acados: expected the motion of a robot"):
        rs.gravity_torques("planar2r").build("acados", tmp_path)
    assert not list(tmp_path.iterdir())


# --------------------------------------------------------------------------------------------- names


def test_names_of_functions_begin_with_that_of_the_export(tmp_path: Path) -> None:
    """A robot whose name begins that of a function has no symbol in common with another one."""
    robot = rs.load("planar2r")
    for target, sign in (("x86_64-linux", "h"), ("opencl", "cl"), ("matlab", "h")):
        folder = tmp_path / target
        rs.build(robot, target, folder, "inverse_dynamics", name="i")  # type: ignore[arg-type]
        text = "".join(path.read_text() for path in folder.glob(f"*.{sign}"))
        assert "i_inverse_dynamics(" in text and " inverse_dynamics(" not in text


def test_default_folder_has_a_name_for_every_robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    robot = rs.load("planar2r").edit({"name": "my arm 2"})
    assert rs.bundle(robot)[0].parent.name == "my_arm_2_c"
    assert rs.build(robot, "x86_64-linux", functions="gravity_torques")[0].parent.name == "my_arm_2_x86_64-linux"
    assert rs.fmu(robot, binary=False)[0].name == "my_arm_2.fmu"
    assert rs.ros2(robot, plugins="controller")[0].parent.name == "my_arm_2_models"
    done = subprocess.run([sys.executable, "-m", "robosym", "bundle", "scara"], capture_output=True, text=True)
    assert done.returncode == 0 and (tmp_path / "scara_c" / "scara.h").exists()
