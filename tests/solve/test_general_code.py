"""Test emitted code of the general method against `solve` and the joint positions of the pose."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

import robosym as rs
from cases.forward import build
from robosym.solve import inverse_geometry
from robosym.solve.general import Prepared, choose, six_joints

gcc = shutil.which("gcc") or shutil.which("cc")
STRICT = ["-O1", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]


def arm(types="RRRRRR", seed=0, name="arm"):
    rng = np.random.default_rng(seed)
    rows = []
    for j, kind in enumerate(types, 1):
        row = {"alpha": rng.uniform(-3, 3), "d": rng.uniform(0.1, 1)}
        row |= {"theta": f"t{j}", "r": rng.uniform(0.1, 1)} if kind == "R" else {
            "sigma": 1, "theta": rng.uniform(-3, 3), "r": f"r{j}"}  # fmt: skip
        rows.append(row)
    return build(name, rows)


def random_joints(chain, rng, count):
    return rng.uniform(-1, 1, (count, len(chain.joints))) * np.where(chain.prismatic, 1, np.pi)


def sorted_rows(q):
    return np.array(sorted(map(tuple, np.round(np.asarray(q), 5) + 0.0)))


def library(model, folder, name):
    source = folder / f"{name}.c"
    model.write(source)
    target = folder / f"{name}.so"
    subprocess.run([gcc, "-std=c99", *STRICT, "-shared", "-fPIC", "-o", target, source, "-lm"], check=True)
    return ctypes.CDLL(str(target))


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


@pytest.mark.skipif(gcc is None, reason="no C compiler")
@pytest.mark.parametrize("types", ["RPRRRP", "RRRRR"])
def test_c(types, tmp_path):
    model = inverse_geometry(arm(types), "general")
    code = library(model, tmp_path, "arm_ragn")
    chain, n = model.solver.numeric({}), len(types)
    rng = np.random.default_rng(1)
    joints = random_joints(chain, rng, 15)
    joints[0] = np.where(chain.prismatic, joints[0], np.pi)
    for q in joints:
        T = chain.forward(q[None])[0]
        found, count = np.zeros((16, n)), ctypes.c_int()
        assert code.arm_igm(pointer(T), pointer(found), ctypes.byref(count)) == 0
        wanted = model.solve(T)
        assert count.value == len(wanted)
        assert np.abs(chain.forward(found[: count.value]) - T).max() < 1e-6
        nearest, limits = np.zeros(n), np.stack([q - 0.1, q + 0.1], axis=1)
        assert code.arm_igm_nearest(pointer(T), pointer(q + 0.01), pointer(limits), pointer(nearest)) == 0
        assert np.abs(nearest - q).max() < 1e-4
        if not any(model.solve(T, limits=limits + 1)):
            status = code.arm_igm_nearest(pointer(T), pointer(q), pointer(limits + 1), pointer(nearest))
            assert status == 4
    far = T.copy()
    far[:3, 3] = 100
    if "P" not in types:
        assert code.arm_igm(pointer(far), pointer(found), ctypes.byref(count)) == 1 and count.value == 0
    assert code.arm_igm(pointer(2 * T), pointer(found), ctypes.byref(count)) == 3


@pytest.mark.skipif(gcc is None, reason="no C compiler")
def test_parameters_and_singular_poses_in_c(tmp_path):
    """Check symbolic lengths, a geometry that is degenerate for every hidden joint, and a stretched wrist."""
    robot = rs.load("rx90")
    model, paul = inverse_geometry(robot, "general"), inverse_geometry(robot)
    code = library(model, tmp_path, "rx90_ragn")
    values = {"D3": 0.45, "RL4": 0.4}
    numbers = np.array([values[name] for name in model.parameters])
    chain = model.solver.numeric(values)
    rng = np.random.default_rng(2)
    for q in random_joints(chain, rng, 12):
        T = chain.forward(q[None])[0]
        found, count = np.zeros((16, 6)), ctypes.c_int()
        status = code.rx90_igm(pointer(T), pointer(numbers), pointer(found), ctypes.byref(count))
        wanted = paul.solve(T, values)
        assert status == 0 and count.value == len(wanted)
        off = np.abs(np.sin((found[None, : count.value] - np.asarray(wanted)[:, None]) / 2)).max(axis=2)
        assert off.min(axis=1).max() < 1e-6
    T = chain.forward(np.array([[0.1, 0.2, 0.3, 0.4, 0.0, 0.5]]))[0]
    assert code.rx90_igm(pointer(T), pointer(numbers), pointer(found), ctypes.byref(count)) == 2
    masks = np.zeros(16, np.intc)
    code.rx90_ragn(pointer(T), pointer(numbers), pointer(found), pointer(masks))
    assert {0, 0b101000} == set(masks[: count.value].tolist())
    wanted = [q for q, free in zip(paul.solve(T, values), paul.solve(T, values).free, strict=True) if not free]
    for q in wanted:  # regular solutions are not lost among singular ones
        assert np.abs(np.sin((found[: count.value] - q) / 2)).max(axis=1).min() < 1e-6


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
def test_cpp(tmp_path):
    model = inverse_geometry(arm(), "general")
    model.write(tmp_path / "arm_ragn.hpp")
    chain = model.solver.numeric({})
    T = chain.forward(np.array([[0.3, -0.4, 0.5, 0.6, -0.7, 0.8]]))[0]
    entries = ", ".join(map(repr, T.ravel().tolist()))
    main = f"""#include "arm_ragn.hpp"
#include <stdio.h>
int main() {{
    const double T[16] = {{{entries}}};
    const arm_ragn_solution::Solutions found = arm_ragn_solution::solve(T);
    printf("%d %d", found.status, found.count);
    return 0;
}}
"""
    (tmp_path / "main.cpp").write_text(main)
    program = str(tmp_path / "main")
    subprocess.run(["g++", *STRICT, "-o", program, str(tmp_path / "main.cpp")], check=True)
    out = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["0", str(len(model.solve(T)))]


def run(code):
    names = {}
    exec(compile(code, "emitted", "exec"), names)
    return names


def test_python():
    for types in ("RRRRRR", "RRPRR"):
        model = inverse_geometry(arm(types, 3), "general")
        names = run(model.code("python"))
        chain = model.solver.numeric({})
        for q in random_joints(chain, np.random.default_rng(4), 2):
            T = chain.forward(q[None])[0]
            status, found = names["igm"](T.tolist())
            assert status == 0
            assert np.abs(sorted_rows(found) - sorted_rows(model.solve(T))).max() < 1e-4
            assert len(names["arm_ragn"](T)) == len(found)
            status, nearest = names["igm_nearest"](T, q + 0.01)
            assert status == 0 and np.abs(np.array(nearest) - q).max() < 1e-6


def test_python_of_closed_forms_returns_status_and_nearest():
    """Check the statuses of C: unreachable, singular, no rotation, outside the limits."""
    model = inverse_geometry(rs.load("rx90"))
    names = run(model.code("python"))
    values = [{"D3": 0.45, "RL4": 0.4}[name] for name in model.parameters]
    chain = model.solver.numeric(dict(zip(model.parameters, values, strict=True)))
    q = np.array([0.3, -0.4, 0.5, 0.6, -0.7, 0.8])
    T = chain.forward(q[None])[0]
    status, found = names["igm"](T, values)
    assert status == 0 and len(found) == 8
    status, nearest = names["igm_nearest"](T, values, q + 2 * np.pi)
    assert status == 0 and np.abs(np.array(nearest) - q - 2 * np.pi).max() < 1e-9
    limits = np.stack([q - 0.01, q + 0.01], axis=1)
    assert names["igm_nearest"](T, values, q, limits)[0] == 0
    assert names["igm_nearest"](T, values, q, limits + 0.1) == (4, None)
    far = T.copy()
    far[0, 3] = 10
    assert names["igm"](far, values) == (1, [])
    assert names["igm_nearest"](far, values, q) == (1, None)
    assert names["igm"](-T, values) == (3, [])
    T = chain.forward(np.array([[0.3, -0.4, 0.5, 0.6, 0.0, 0.8]]))[0]
    assert names["igm"](T, values)[0] == 2
    assert {mask for _, mask in names["all_rx90_pau"](T, values)} == {0, 8}


def test_rejects_languages_without_code():
    with pytest.raises(rs.Error, match="for the general method, which has no closed form, found 'julia'"):
        inverse_geometry(arm(), "general").code("julia")
    with pytest.raises(rs.Error, match="no straight-line form"):
        inverse_geometry(arm(), "general").branches()


def test_listing_and_latex_of_the_general_method():
    model = inverse_geometry(arm(), "general")
    assert "eigenvalues of the 24x24" in model.code("listing")
    assert r"\begin{align*}" in model.code("latex")


@pytest.mark.skipif(gcc is None, reason="no C compiler")
def test_seven_joints_with_one_as_parameter(tmp_path):
    model = inverse_geometry(arm("RRRRRRR", seed=3))
    assert model.method == "general"
    code, place = library(model, tmp_path, "arm_ragn"), model.joints.index(model.redundancy)
    q = np.random.default_rng(2).uniform(-np.pi, np.pi, (10, 7))
    q[:4, place] = np.arange(4) * np.pi / 2  # the geometry may be special there
    for row, T in zip(q, model._numeric(None).forward(q), strict=True):
        wanted = np.delete(np.asarray(model.solve(T, redundancy=row[place])), place, axis=1)
        found, count = np.zeros((16, 6)), ctypes.c_int()
        assert code.arm_igm(pointer(T), pointer(row[place : place + 1]), pointer(found), ctypes.byref(count)) == 0
        assert np.abs(sorted_rows(found[: count.value]) - sorted_rows(wanted)).max() < 1e-5


def arm_with_offsets():
    """Three parallel axes and offsets at the wrist: the shape of many arms without a closed form."""
    rows = [
        (0, 0, 0),
        (np.pi / 2, 0, 0),
        (0, 0.54, 0),
        (np.pi / 2, 0.1, 0.54),
        (np.pi / 2, 0, 0.15),
        (-np.pi / 2, 0, 0),
    ]
    return build("offsets", [{"alpha": a, "d": d, "theta": f"t{j}", "r": r} for j, (a, d, r) in enumerate(rows, 1)])


def test_plans_with_shared_hidden_joint_come_later():
    """For the first choices, solutions come in pairs at the same hidden joint."""
    chain = inverse_geometry(arm_with_offsets(), "general").solver.numeric({})
    six = six_joints(chain, np.zeros(6))
    plans = choose(six)
    shared = [[Prepared(six, 6, range(4), [plan]).trial(q)[1] for q in np.eye(6) + 0.3] for plan in plans]
    assert plans[0].sure and not any(shared[0]) and any(map(any, shared))


def test_right_angles_keep_every_regular_solution():
    """The equations of the first plan degenerate there; Newton's method from random positions finds the solutions."""
    model = inverse_geometry(arm_with_offsets())
    chain, rng, tried = model.solver.numeric({}), np.random.default_rng(5), 0
    for q in np.round(rng.uniform(-2, 2, (24, 6))) * np.pi / 2:
        T = chain.forward(q[None])[0]
        reached, errors = chain.polish(rng.uniform(-np.pi, np.pi, (60, 6)), np.broadcast_to(T, (60, 4, 4)))
        found = reached[(errors < 1e-12)]
        found = found[~chain.nearly_singular(found)]
        solutions = np.asarray(model.solve(T))
        apart = np.abs(np.angle(np.exp(1j * (found[:, None] - solutions[None])))).max(axis=2)
        assert (apart.min(axis=1, initial=np.inf) < 1e-6).all()
        tried += len(found)
    assert tried > 200
