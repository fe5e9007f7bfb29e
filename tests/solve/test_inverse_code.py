"""Test emitted solutions, run by real compilers and interpreters, against `solve`."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess

import numpy as np
import pytest

import robosym as rs
from cases.forward import build, gap, poses
from chains.test_paul import VALUES
from chains.test_pieper import STRUCTURES, structure
from long_cases import quick_and_long
from robosym.solve import inverse_geometry
from robosym.solve.loop_geometry import loop_geometry
from solve.test_loop_geometry import FIVE_BAR

compiler = shutil.which("gcc") or shutil.which("cc")


def compiled(source, tmp_path, arguments, joints):
    """Return the C function as a callable of arrays that returns (solutions, masks)."""
    path = tmp_path / "solution.c"
    path.write_text(source)
    library = tmp_path / f"{abs(hash(source))}.so"
    flags = ["-O2", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, "-o", str(library), str(path), "-lm"], check=True)
    name = re.search(r"^int (\w+)\(", source, re.M).group(1)
    most = int(re.search(r"_MOST (\d+)", source).group(1))
    function = getattr(ctypes.CDLL(str(library)), name)
    out, masks = np.zeros((most, joints)), np.zeros(most, np.int32)

    def call(*values):
        arrays = [np.ascontiguousarray(value, dtype=float) for value in values]
        assert len(arrays) == arguments
        count = function(*(a.ctypes.data_as(ctypes.c_void_p) for a in (*arrays, out, masks)))
        assert count <= most
        return out[:count].copy(), masks[:count].copy()

    return call


def run_python(source):
    space: dict[str, object] = {}
    exec(compile(source, "emitted", "exec"), space)
    return space[re.findall(r"^def (\w+)\(", source, re.M)[-1]]


def same(found, expected, lengths):
    return len(found) == len(expected) and all(gap(found, row, lengths) < 1e-6 for row in np.asarray(expected))


@pytest.mark.skipif(compiler is None, reason="no C compiler")
@pytest.mark.parametrize(
    "name", quick_and_long(["rx90", "puma560", "ur5e", "stanford", "tx90", "scara"], long="puma560 tx90")
)
def test_arms(name, tmp_path):
    robot = rs.load(name)
    model = inverse_geometry(robot)
    values = [[VALUES[name][p] for p in model.parameters]] if model.parameters else []
    in_c = compiled(model.code("c"), tmp_path, 1 + len(values), len(model.joints))
    in_python = run_python(model.code("python"))
    rng = np.random.default_rng(0)
    lengths = [joint.prismatic for joint in model.problem.chain.joints]
    q = np.where(lengths, 0.4, rng.uniform(-np.pi, np.pi, (40, len(lengths))))
    q[20:] = np.where(lengths, 0.4, np.round(q[20:] / (np.pi / 2)) * np.pi / 2)  # includes singular poses
    T = poses(robot, model.joints, q, VALUES.get(name, {}), robot.NF)
    solved = model.solve(T, parameters=VALUES.get(name))
    for number, (pose, expected) in enumerate(zip(T, solved, strict=True)):
        found, masks = in_c(pose, *values)
        other = in_python(pose.tolist(), *values)
        assert np.isfinite(found).all() and len(found) and len(other)
        reached = poses(robot, model.joints, found, VALUES.get(name, {}), robot.NF)
        assert np.abs(reached - pose).max() < (1e-9 if number < 20 else 1e-7)
        if number < 20:
            assert same(found, expected, lengths) and same(other, expected, lengths) and not masks.any()


def test_free_joints_are_reported_in_c(tmp_path):
    robot = rs.load("puma560")
    model = inverse_geometry(robot)
    q = np.array([[0.3, -0.5, 0.7, 0.4, 0.0, 0.2]])
    _, masks = compiled(model.code("c"), tmp_path, 1, 6)(poses(robot, model.joints, q, {}, 6)[0])
    assert (masks & 0b001000).any()  # t4


@pytest.mark.parametrize("number", quick_and_long([0, 18, 27], long=[27]))
def test_quartics(number, tmp_path):
    rng = np.random.default_rng(number)
    robot = structure(*STRUCTURES[number], rng)
    model = inverse_geometry(robot)
    in_c = compiled(model.code("c"), tmp_path, 1, 6)
    in_python = run_python(model.code("python"))
    lengths = [joint.prismatic for joint in model.problem.chain.joints]
    q = np.where(lengths, rng.uniform(-1, 1, (15, 6)), rng.uniform(-3, 3, (15, 6)))
    T = poses(robot, model.joints, q, {}, 6)
    for pose, expected in zip(T, model.solve(T), strict=True):
        assert same(in_c(pose)[0], expected, lengths) and same(in_python(pose.tolist()), expected, lengths)


def test_loops(tmp_path):
    model = loop_geometry(build("five", FIVE_BAR, loops=1))
    in_c = compiled(model.code("c"), tmp_path, 1, 2)
    in_python = run_python(model.code("python"))
    columns = [model.joints.index(name) for name in ("t2", "t4")]
    for q in np.random.default_rng(2).uniform(-2, 2, (10, 2)):
        expected = np.asarray(model.solve(q))[:, columns]
        assert same(in_c(q)[0], expected, [False] * 2) and same(in_python(list(q)), expected, [False] * 2)
