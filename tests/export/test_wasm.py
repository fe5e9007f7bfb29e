"""WebAssembly builds: run by wasmtime and Node, and compared with machine code, Pinocchio and the math library."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from cases.wasm import WasmModule, in_node, units_apart
from long_cases import quick_and_long
from random_robots import random_robot
from robosym.algebra import FUNCTIONS, Graph
from robosym.export.processors import elementary
from robosym.export.processors.wasm import wasm_module
from robosym.model import Model
from robosym.runtime.engine import host
from robosym.runtime.kernel import Kernel
from robosym.runtime.plan import Plan

ARM = """
<robot name="other"><link name="a"/>
<link name="b"><inertial><origin xyz="0.1 0.02 0.3"/><mass value="3"/>
<inertia ixx="0.2" iyy="0.3" izz="0.1" ixy="0.01" ixz="0.02" iyz="0.03"/></inertial></link>
<link name="c"><inertial><origin xyz="0.2 0 0.1"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="d"><inertial><origin xyz="0 0.1 0"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.2" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 0.4" rpy="0.3 0.2 0.1"/>
<axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="50" velocity="3"/></joint>
<joint name="k" type="prismatic"><parent link="b"/><child link="c"/><origin xyz="0.4 0 0" rpy="0 0.5 0"/>
<axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="50" velocity="3"/></joint>
<joint name="l" type="revolute"><parent link="b"/><child link="d"/><origin xyz="0.4 0.1 0" rpy="0.7 0.5 0"/>
<axis xyz="1 0 0"/><limit lower="-2" upper="2" effort="50" velocity="3"/></joint></robot>"""


def of_functions() -> Model:
    """A model of every function of the algebra, of a and b."""
    graph = Graph()
    a, b = (graph.symbol(name, online=True) for name in "ab")
    outputs = {name: graph.function(name, *[a, b][: row.arity]) for name, row in FUNCTIONS.items()}
    return Model("all", "functions", "Functions", {"q": ("a", "b")}, {"y": tuple(outputs)}, outputs, graph)


def test_functions_are_those_of_the_math_library(tmp_path: Path) -> None:
    model = of_functions()
    (tmp_path / "f.wasm").write_bytes(wasm_module({"f": model}))
    module = WasmModule(tmp_path / "f.wasm")
    assert not module.imports
    rng = np.random.default_rng(1)
    usual = [
        rng.uniform(-1, 1, 40),
        rng.uniform(-30, 30, 40),
        10 ** rng.uniform(-8, 5, 40),
        2 ** rng.uniform(20, 1000, 40),
    ]
    states = np.column_stack([np.concatenate(usual), rng.uniform(-3, 3, 160)])
    found = module("f", model, {"q": states}, len(states))["y"]
    mpmath.mp.prec = 1200
    for k, name in enumerate(model.outputs["y"]):
        exact = {"abs": abs, "sign": mpmath.sign, "pow": mpmath.power}.get(name) or getattr(mpmath, name)
        for row, (x, y) in zip(found[:, k], states, strict=True):
            arguments = [mpmath.mpf(float(v)) for v in (x, y)][: FUNCTIONS[name].arity]
            try:
                right = exact(*arguments)
            except (ValueError, ZeroDivisionError):
                continue
            if isinstance(right, mpmath.mpc):
                assert math.isnan(row), (name, x, y)
            elif abs(right) > 1.7e308:
                assert math.isinf(row), (name, x, y)
            else:
                assert abs(float(mpmath.mpf(row) - right)) <= 2 * math.ulp(float(right)), (name, x, y)


def test_functions_of_special_values(tmp_path: Path) -> None:
    model = of_functions()
    (tmp_path / "f.wasm").write_bytes(wasm_module({"f": model}))
    ends = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 5e-324, 1e308, 2.0, -3.0, 0.5]
    states = np.array([(x, y) for x in ends for y in ends])
    found = WasmModule(tmp_path / "f.wasm")("f", model, {"q": states}, len(states))["y"]
    known = {name: getattr(np, row.numpy) for name, row in FUNCTIONS.items()} | {"pow": np.vectorize(_power)}
    with np.errstate(all="ignore"):
        for k, name in enumerate(model.outputs["y"]):
            right = known[name](*states.T[: FUNCTIONS[name].arity])
            np.testing.assert_allclose(found[:, k], right, rtol=4e-16, atol=1e-300, err_msg=name)


def _power(x: float, y: float) -> float:
    """Return the power of C: Python raises errors in place of infinite and undefined values."""
    try:
        return math.pow(x, y)
    except OverflowError:
        return math.copysign(math.inf, x if y % 2 == 1 else 1.0)
    except ValueError:
        return math.nan if x else math.copysign(math.inf, x if y % 2 == 1 else 1.0)


def test_large_angles_are_reduced_exactly() -> None:
    """The double closest to a multiple of pi/2, and a multiple of it beside which nothing remains of a double."""
    mpmath.mp.prec, digits, rest = 1500, np.array(elementary.two_over_pi()), np.zeros(2)
    for x in (5.319372648326541e255, 2.0**17 + 1, 1.7e308, 1e22, float(12345678 * mpmath.pi)):
        n = elementary.robosym_reduced(x, digits, rest)
        whole = mpmath.nint(mpmath.mpf(x) * 2 / mpmath.pi)
        right = mpmath.mpf(x) - whole * mpmath.pi / 2
        assert n % 4 == int(whole) % 4
        assert abs((mpmath.mpf(rest[0]) + mpmath.mpf(rest[1]) - right) / right) < 1e-28


@pytest.mark.parametrize(
    "name", quick_and_long(["rx90", "sr400", "gough", "ur5e", "tx90", "delta"], long="gough ur5e tx90 delta")
)
def test_equals_machine_code_without_fused_operations(name: str, tmp_path: Path) -> None:
    """To the bit; fused multiply-add of other processors changes the last places."""
    robot = rs.load(name)
    model = rs.inverse_dynamics(robot).checked()
    (tmp_path / "f.wasm").write_bytes(wasm_module({"f": model}))
    plan, rng = Plan(model), np.random.default_rng(2)
    given = {g.name: rng.uniform(-1, 1, (7 if g.online else 1, g.size)) for g in plan.inputs}
    if "pose" in given:
        start = np.array([float(v) for v in robot.position.values()]) if robot.position else None
        given["pose"] = np.resize(np.eye(3, 4).T.ravel() if start is None or len(start) != 12 else start, (7, 12))
    found = WasmModule(tmp_path / "f.wasm")("f", model, given, 7)["tau"]
    machine = replace(host(), cpu="x86-64", features="", vector_bytes=16) if host().is_x86 else host()
    kernel = Kernel(plan, False, machine, cached=False)
    plain = kernel.full.batch(*(row if len(row) > 1 else row[0] for row in given.values()))
    if host().is_x86:
        np.testing.assert_array_equal(found, plain)
    assert units_apart(found, model.compile()(**{g: v if len(v) > 1 else v[0] for g, v in given.items()})) <= 8


def test_wrapper_in_node_agrees_with_pinocchio(tmp_path: Path) -> None:
    (tmp_path / "other.urdf").write_text(ARM)
    robot = rs.load(tmp_path / "other.urdf")
    files = rs.build(
        robot,
        "wasm",
        tmp_path / "js",
        "inverse_dynamics direct_dynamics direct_geometry frames jacobian",
        name="arm",
        frame="d",
    )
    assert {path.name for path in files} == {"arm.wasm", "arm.mjs", "arm.d.ts", "package.json", "README.md"}
    assert json.loads((tmp_path / "js" / "package.json").read_text())["main"] == "./arm.mjs"
    truth = pin.buildModelFromXML(ARM)
    order = [truth.joints[truth.getJointId(name)].idx_q for name in robot.joint_names]
    rng, data = np.random.default_rng(3), truth.createData()
    q, qd, qdd = rng.uniform(-1, 1, (3, 5, 3))
    script = """
      const torques = robot.inverse_dynamics(given.q.flat(), given.qd.flat(), given.qdd.flat());
      const one = robot.inverse_dynamics(given.q[1], given.qd[1], given.qdd[1]);
      const same = new Float64Array(3);
      robot.inverse_dynamics(given.q[1], given.qd[1], given.qdd[1], same);
      const back = robot.direct_dynamics(given.q.flat(), given.qd.flat(), torques);
      const held = robot.inverse_dynamics(given.q[0], given.qd.flat(), given.qdd.flat());
      const wrong = [];
      for (const call of [() => robot.frames([1, 2]), () => robot.frames(), () => robot.jacobian([]),
                          () => robot.inverse_dynamics(given.q.flat(), given.qd.slice(0, 2).flat(), given.qdd[0])]) {
        try { call(); } catch (error) { wrong.push(error.message); }
      }
      const pose = robot.direct_geometry(given.q[2]);
      const many = robot.frames(new Float64Array(3 * 30000)).T0T1.length;
      const result = { torques, one, same, back, held, wrong, pose, many, J: robot.jacobian(given.q[3]) };"""
    found = in_node(tmp_path / "js", "arm", script, {"q": q.tolist(), "qd": qd.tolist(), "qdd": qdd.tolist()})

    def placed(values: Any) -> Any:
        full = np.zeros(truth.nv)
        full[order] = values
        return full

    right = [pin.rnea(truth, data, *map(placed, row))[order] for row in zip(q, qd, qdd, strict=True)]
    np.testing.assert_allclose(np.reshape(found["torques"], (5, 3)), right, rtol=1e-12, atol=1e-12)
    assert found["one"] == found["same"] == found["torques"][3:6]
    np.testing.assert_allclose(np.reshape(found["back"], (5, 3)), qdd, atol=1e-10)
    fixed = pin.rnea(truth, data, placed(q[0]), placed(qd[4]), placed(qdd[4]))[order]
    np.testing.assert_allclose(found["held"][-3:], fixed, rtol=1e-12)
    assert len(found["wrong"]) == 4 and "expected 5 states, found 2" in found["wrong"][3]
    assert found["many"] == 16 * 30000
    pin.framesForwardKinematics(truth, data, placed(q[2]))
    link = truth.getFrameId("d")
    np.testing.assert_allclose(np.reshape(found["pose"], (4, 4)), data.oMf[link].homogeneous, atol=1e-12)
    J = pin.computeFrameJacobian(truth, data, placed(q[3]), link, pin.LOCAL_WORLD_ALIGNED)[:, order]
    np.testing.assert_allclose(np.reshape(found["J"], (6, 2)), J[:, [0, 2]], atol=1e-12)  # joint 2 moves link c only


@pytest.mark.parametrize("name", quick_and_long(["rx90", "scara", "ur5e", "puma560"], long="scara ur5e puma560"))
def test_solutions_of_a_pose_are_those_of_solve(name: str, tmp_path: Path) -> None:
    robot = rs.load(name)
    if robot.parameters:
        robot = robot.with_values(dict.fromkeys(robot.parameters, 0.4))
    solution = rs.inverse_geometry(robot)
    rs.build(robot, "wasm", tmp_path, "inverse_geometry direct_geometry", name="arm")
    pose, rng = rs.direct_geometry(robot).compile(), np.random.default_rng(4)
    q = rng.uniform(-2, 2, (6, len(solution.joints)))
    script = """
      const result = given.map(([q, T]) => {
        const found = robot.inverse_geometry(T, q);
        return { rows: [...found], complete: found.complete, valid: found.valid };
      });
      const broken = robot.inverse_geometry(given[0][1].map((x) => 1.1 * x));
      result.push({ rows: [...broken], valid: broken.valid });"""
    found = in_node(tmp_path, "arm", script, [[row.tolist(), pose(q=row).ravel().tolist()] for row in q])
    for row, answer in zip(q, found[:-1], strict=True):
        right = solution.solve(pose(q=row), near=row)
        assert answer["complete"] and answer["valid"] and len(answer["rows"]) == len(right)
        np.testing.assert_allclose(np.sin(answer["rows"]), np.sin(np.asarray(right)), atol=1e-7)
        np.testing.assert_allclose(np.cos(answer["rows"][0]), np.cos(row), atol=1e-7)
    assert found[-1] == {"rows": [], "valid": False}


def test_long_model_has_several_functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values pass between the functions of a tree through memory."""
    robot = random_robot(random.Random(5), links=9, fixed_frames=False, wrenches=False)
    model = rs.inverse_dynamics(robot)
    monkeypatch.setattr("robosym.runtime.plan.BLOCK", 150)
    assert len(Plan(model).online_blocks) > 1
    (tmp_path / "f.wasm").write_bytes(wasm_module({"f": model, "twice": model}))
    module, q = WasmModule(tmp_path / "f.wasm"), np.random.default_rng(5).uniform(-1, 1, (3, 3, 9))
    given = dict(zip(("q", "qd", "qdd"), q, strict=True))
    found = module("f", model, given, 3)["tau"]
    np.testing.assert_allclose(found, model.compile()(**given), rtol=1e-12, atol=1e-12 * np.abs(found).max())
    np.testing.assert_array_equal(module("twice", model, given, 3)["tau"], found)


def test_builds_are_reproducible_and_reject_invalid_options(tmp_path: Path) -> None:
    robot = rs.load("planar2r")
    one, two = (rs.build(robot, "wasm", tmp_path / name, "gravity_torques") for name in "ab")
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]
    assert len(rs.gravity_torques(robot).build("wasm", tmp_path / "c", name="g")) == 5
    for wrong, words in (
        (lambda: rs.build(robot, "wasn", tmp_path), "did you mean 'wasm'"),  # type: ignore[arg-type]
        (lambda: rs.build(robot, "wasm", tmp_path, "gravity"), "expected names among"),
        (lambda: rs.build(robot, "wasm", tmp_path, {"f": 3}), "expected a Model"),
        (lambda: rs.build(robot, "wasm", tmp_path, {"f g": rs.gravity_torques(robot)}), "identifier"),
        (lambda: rs.build(robot, "wasm", tmp_path / "a" / "README.md"), "expected a folder"),
        (lambda: rs.build(rs.load("delta"), "wasm", tmp_path, "gravity_torques"), "platform"),
        (lambda: rs.gravity_torques(robot).build("wasm", tmp_path, name="a b"), "identifier"),
    ):  # fmt: skip
        with pytest.raises(rs.InputError, match=words):
            wrong()
