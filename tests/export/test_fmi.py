"""Functional mock-up units pass the checks of FMPy, and move in FMPy as `simulate` does."""

from __future__ import annotations

import random
import shutil
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robosym as rs
from cases.closed_robots import slider_crank
from cases.dynamic import body_values, draw
from cases.parallel import gough, values_of
from cases.toolchains import run as run_tool
from cases.toolchains import tool
from robosym.app.cli.main import main
from robosym.mechanism import INERTIA

fmpy = pytest.importorskip("fmpy")
from fmpy.fmi2 import FMU2Model  # noqa: E402
from fmpy.fmi3 import FMU3Model  # noqa: E402
from fmpy.validation import validate_fmu  # noqa: E402

VERSIONS = ("2.0", "3.0")
KINDS = ("CoSimulation", "ModelExchange")
#: methods of `simulate` that integrate as accurately as each kind of unit
METHODS: dict[str, dict[str, Any]] = {
    "CoSimulation": {}, "ModelExchange": {"method": "dop853", "tolerance": 1e-11}
}  # fmt: skip


@cache
def damped_arm() -> rs.Robot:
    """Return an arm that is not in the library, with viscous and dry friction."""
    robot = rs.load("planar2r")
    return robot.with_links([{"FV": 0.4, "FS": 0.2}] * robot.NL).edit({"name": "damped"})


def states(path: Path, names: list[str], kind: str, until: float, interval: float = 0.01, **given: Any) -> Any:
    given = {"relative_tolerance": 1e-10, "record_events": False} | given
    found = fmpy.simulate_fmu(
        str(path), fmi_type=kind, stop_time=until, output_interval=interval, output=names, **given
    )
    return np.stack([found[name] for name in names], axis=-1)


def entries(group: str, count: int) -> list[str]:
    return [f"{group}[{k}]" for k in range(1, count + 1)]


def signal(names: list[str], values: Any) -> Any:
    """Return a constant input for FMPy."""
    kinds = np.dtype([("time", float), *((name, float) for name in names)])
    return np.array([(t, *values) for t in (0.0, 1000.0)], dtype=kinds)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_arm_moves_as_simulated(version: str, kind: str, tmp_path: Path) -> None:
    robot, q, tau = damped_arm(), [0.5, 0.3], [3.0, 1.0]
    [path] = rs.fmu(robot, tmp_path / "arm.fmu", version, q=q)
    assert validate_fmu(str(path)) == []
    names = [*entries("q", 2), *entries("qd", 2)]
    found = states(path, names, kind, 1.0, input=signal(entries("tau", 2), tau))
    run = rs.simulate(robot, q, torque=tau, until=1.0, friction="smooth", **METHODS[kind])
    np.testing.assert_allclose(found, np.hstack([run.q, run.qd])[::10], atol=1e-6)


@pytest.mark.parametrize("version", VERSIONS)
def test_closed_robot_is_projected(version: str, tmp_path: Path) -> None:
    robot = slider_crank()
    rng = random.Random(3)
    links = [{n: body_values(rng, j)[f"{n}{j}"] for n in INERTIA} for j in range(1, robot.NL + 1)]
    robot = robot.with_links(links).edit({"gravity": [0, -9.81, 0]})
    robot = robot.with_values({"L1": 0.3, "L2": 0.8, "H": 0.1, "g5": 0.0})
    run = rs.simulate(robot, [0.4], [1.0], until=1)
    [path] = rs.fmu(robot, tmp_path / "crank.fmu", version, q=[0.4], qd=[1.0])
    assert validate_fmu(str(path)) == []
    joints = entries("q", run.q.shape[1])
    for kind, tolerance, gap in (("CoSimulation", 1e-9, 1e-11), ("ModelExchange", 2e-6, 1e-6)):
        found = states(path, [*joints, "gap[1]"], kind, 1.0)
        np.testing.assert_allclose(found[:, :-1], run.q[::10], atol=tolerance)
        assert found[:, -1].max() < gap
    with pytest.raises(Exception, match="ExitInitializationMode"):  # no position of the loops is near
        states(path, joints, "CoSimulation", 0.1, start_values={joints[1]: 9.0})


@pytest.mark.long
def test_floating_base(tmp_path: Path) -> None:
    robot = draw(3, links=3, floating=True, drives=False, wrenches=False, fixed_frames=False).robot
    n = len(robot.tree_joints)
    given: dict[str, Any] = {"base": [0.1, 0.2, 0.3, 2.0, 0, 0, 0], "base_velocity": [0.3, 0.2, 0.5, 0.1, 0.2, 0.3]}
    run = rs.simulate(robot, np.zeros(n), 0.5 * np.ones(n), until=0.5, **given)
    [path] = rs.fmu(robot, tmp_path / "free.fmu", qd=0.5 * np.ones(n), **given)
    assert validate_fmu(str(path)) == []
    right = np.hstack([run.state("base_pose"), run.q])[::10]
    for kind in KINDS:
        found = states(path, [*entries("base_pose", 7), *entries("q", n)], kind, 0.5)
        np.testing.assert_allclose(found, right, atol=1e-6)


@pytest.mark.long
def test_platform(tmp_path: Path) -> None:
    robot = gough()
    numbers = values_of(robot, np.random.default_rng(2))
    robot = robot.with_values({name: value for name, value in numbers.items() if not name.startswith("GAM")})
    pose, tau = np.eye(4), np.full(6, 12.0)
    pose[:3, 3] = [0.1, 0.2, 1.2]
    run = rs.simulate(robot, pose, torque=tau, until=0.1)
    [path] = rs.fmu(robot, tmp_path / "gough.fmu", "2.0", q=pose)
    for kind in KINDS:
        found = states(path, entries("pose", 12), kind, 0.1, input=signal(entries("tau", 6), tau))
        np.testing.assert_allclose(found, run.q[::10], atol=1e-6)


def test_controller_and_parameters(tmp_path: Path) -> None:
    """Gains and a mass are parameters of the unit; other values give the motion of another robot."""
    robot = damped_arm().edit({"link2.M": "M2"})
    law = rs.pd_gravity(robot, kp="KP", kd=20)
    start = {"M2": 1.5, "KP": 90.0}
    [path] = rs.fmu(robot, tmp_path / "loop.fmu", q=[0.1, 0.2], controller=law, parameters=start)
    assert validate_fmu(str(path)) == []
    described = {v.name: v for v in fmpy.read_model_description(str(path)).modelVariables}
    assert float(described["M2"].start) == 1.5 and described["M2"].causality == "parameter"
    assert described["q[1]"].unit == "rad"
    goal = signal([*entries("q_desired", 2), *entries("qd_desired", 2)], [1.0, -0.5, 0, 0])
    for changed in (start, {"M2": 2.5, "KP": 40.0}):
        found = states(path, entries("q", 2), "CoSimulation", 1.0, input=goal, start_values=changed)
        run = rs.simulate(
            robot, [0.1, 0.2], controller=law, reference={"q_desired": [1.0, -0.5]}, parameters=changed, until=1.0,
            friction="smooth",
        )  # fmt: skip
        np.testing.assert_allclose(found, run.q[::10], atol=1e-9)


def test_events_at_stops(tmp_path: Path) -> None:
    robot = damped_arm()
    given: dict[str, Any] = {"stops": {1: (-0.5, 0.6)}}
    [path] = rs.fmu(robot, tmp_path / "stops.fmu", q=[0.0, 0.0], **given)
    assert validate_fmu(str(path)) == []
    assert "<EventIndicator" in described(path)
    for kind in KINDS:
        run = rs.simulate(robot, [0.0, 0.0], until=1.0, friction="smooth", **given, **METHODS[kind])
        assert run.q[:, 0].min() < -0.5
        found = states(path, entries("q", 2), kind, 1.0)
        np.testing.assert_allclose(found, run.q[::10], atol=1e-5)


def described(path: Path) -> str:
    return zipfile.ZipFile(path).read("modelDescription.xml").decode()


def test_friction_that_sticks_is_for_co_simulation(tmp_path: Path) -> None:
    robot = damped_arm().edit({"gravity": [0, 0, -9.81]})
    [path] = rs.fmu(robot, tmp_path / "stick.fmu", qd=[0.5, -0.2], friction="stick")
    assert "<ModelExchange" not in described(path) and validate_fmu(str(path)) == []
    run = rs.simulate(robot, [0, 0], [0.5, -0.2], until=1.0, friction="stick")
    found = states(path, [*entries("q", 2), *entries("qd", 2)], "CoSimulation", 1.0)
    np.testing.assert_allclose(found, np.hstack([run.q, run.qd])[::10], atol=1e-9)
    assert found[-1, 3] == 0 != found[-1, 2]


@pytest.mark.parametrize("version", VERSIONS)
def test_directional_derivatives(version: str, tmp_path: Path) -> None:
    """Derivatives along a direction, and of a weighted sum in FMI 3.0, equal central differences."""
    [path] = rs.fmu(damped_arm(), tmp_path / "arm.fmu", version, q=[0.5, 0.3], qd=[0.2, -0.7])
    folder = fmpy.extract(str(path), str(tmp_path / "unit"))
    about = fmpy.read_model_description(folder)
    at = {v.name: v.valueReference for v in about.modelVariables}
    knowns = [at[name] for group in ("q", "qd", "tau") for name in entries(group, 2)]
    unknowns = [at[f"der({group}[{k}])"] for group in ("q", "qd") for k in (1, 2)]
    kind = FMU2Model if version == "2.0" else FMU3Model
    unit = kind(guid=about.guid, unzipDirectory=folder, modelIdentifier=about.modelExchange.modelIdentifier)
    unit.instantiate()
    get, put = (unit.getReal, unit.setReal) if version == "2.0" else (unit.getFloat64, unit.setFloat64)
    if version == "2.0":
        unit.setupExperiment()
    unit.enterInitializationMode()
    unit.exitInitializationMode()
    here = np.array(get(knowns))
    J = np.empty((4, 6))
    for k in range(6):
        ends = []
        for side in (1e-6, -1e-6):
            put(knowns, list(here + side * np.eye(6)[k]))
            ends.append(np.array(get(unknowns)))
        J[:, k] = (ends[0] - ends[1]) / 2e-6
    put(knowns, list(here))
    seed = np.random.default_rng(0).normal(size=6)
    found = unit.getDirectionalDerivative(unknowns, knowns, list(seed))
    np.testing.assert_allclose(found, J @ seed, rtol=1e-6, atol=1e-6)
    if version == "3.0":
        weights = np.random.default_rng(1).normal(size=4)
        found = unit.getAdjointDerivative(unknowns, knowns, list(weights), nSensitivity=6)
        np.testing.assert_allclose(found, weights @ J, rtol=1e-6, atol=1e-6)
    unit.terminate()
    unit.freeInstance()
    shutil.rmtree(folder)


@pytest.mark.parametrize("version", VERSIONS)
def test_model_without_states(version: str, tmp_path: Path) -> None:
    model = rs.direct_geometry(damped_arm(), 0, 2)
    [path] = model.write(tmp_path / "pose.fmu", version=version)
    assert validate_fmu(str(path)) == []
    q = [0.4, -1.1]
    names = [f"T[{i},{j}]" for i in range(1, 5) for j in range(1, 5)]
    for kind in KINDS:
        found = states(path, names, kind, 0.1, 0.1, input=signal(entries("q", 2), q))
        np.testing.assert_allclose(found[-1], model.compile()(q=q).ravel(), atol=1e-15)


def test_controller_with_memory_has_states(tmp_path: Path) -> None:
    observer = rs.momentum_observer(damped_arm(), gain=10.0)
    memory = next(group for group in observer.inputs if f"{group}_rate" in observer.outputs)
    [path] = observer.write(tmp_path / "observer.fmu")
    assert validate_fmu(str(path)) == []
    assert f"der({memory}[1])" in described(path)


def test_archives_are_reproducible_and_compile_from_source(tmp_path: Path) -> None:
    first, second = (rs.fmu(damped_arm(), tmp_path / f"{k}.fmu")[0].read_bytes() for k in (1, 2))
    assert first == second
    [bare] = rs.fmu(damped_arm(), tmp_path / "bare.fmu", binary=False)
    with zipfile.ZipFile(bare) as packed:
        assert not [name for name in packed.namelist() if name.startswith("binaries")]
        packed.extractall(tmp_path / "bare")
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "fmu.c"]
    run_tool(tool("gcc"), *strict, cwd=tmp_path / "bare" / "sources")
    rs.fmu(damped_arm(), tmp_path / "second.fmu", "2.0", binary=False)
    zipfile.ZipFile(tmp_path / "second.fmu").extractall(tmp_path / "second")
    run_tool(tool("gcc"), *strict, cwd=tmp_path / "second" / "sources")


def test_command_writes_the_file_of_the_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["fmu", "planar2r", "-o", "arm.fmu", "--q", "0.5,0.3", "--version", "2.0"]) == 0
    assert validate_fmu("arm.fmu") == []
    assert [v.start for v in fmpy.read_model_description("arm.fmu").modelVariables if v.name == "q[1]"] == ["0.5"]


def test_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(rs.InputError, match=r"version: expected 3.0 or 2.0, found '1.0'"):
        rs.fmu(damped_arm(), tmp_path / "a.fmu", "1.0")
    with pytest.raises(rs.InputError, match=r"expected values for .*M2"):
        rs.fmu(damped_arm().edit({"link2.M": "M2"}), tmp_path / "a.fmu")
    with pytest.raises(rs.InputError, match="parameters: expected start values for M2"):
        rs.gravity_torques(damped_arm().edit({"link2.M": "M2"})).write(tmp_path / "a.fmu")
    with pytest.raises(rs.InputError, match="parameters: unknown symbol 'M3'"):
        rs.fmu(damped_arm(), tmp_path / "a.fmu", parameters={"M3": 1})
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(rs.InputError, match="expected a C compiler"):
        rs.fmu(damped_arm(), tmp_path / "a.fmu")
    assert not [*tmp_path.iterdir()]
