"""Test closed forms in every language, run by real compilers and interpreters, against `solve`."""

from __future__ import annotations

import shutil
from functools import cache

import numpy as np
import pytest

import robosym as rs
from cases import toolchains
from cases.closed_robots import palletizer
from cases.forward import build
from chains.test_paul import VALUES
from robosym.chains.numeric_chain import parameter_values
from robosym.model.solution.unrolled import printed_branches
from robosym.solve import inverse_geometry
from robosym.solve.loop_geometry import loop_geometry
from solve.test_inverse_code import compiled, run_python, same

RUNNERS = {
    "fortran": toolchains.fortran, "matlab": toolchains.octave, "rust": toolchains.rust, "julia": toolchains.julia,
    "maple": toolchains.giac, "mathematica": toolchains.mathics,
}  # fmt: skip
SR400 = {"D2": 0.1, "D3": 0.8, "D4": 0.2, "RL4": 0.9, "D8": 0.3}


def poses(model, values, count, seed=0):
    chain = model.solver.numeric(parameter_values(model.parameters, values, model.fixed))
    q = np.random.default_rng(seed).uniform(-3, 3, (count, len(chain.joints)))
    return chain.forward(np.where(chain.prismatic, 0.3 * q, q))


def chosen(model, outputs, count):
    """Return the rows of a straight-line model that are solutions."""
    branches = len(model.outputs["errors"])
    numbers = np.array(outputs, dtype=float)
    table = numbers[:, : branches * count].reshape(-1, branches, count)
    errors, margins = numbers[:, branches * count : -1].reshape(-1, 2, branches).transpose(1, 0, 2)
    assert not numbers[:, -1].any()  # the status
    return [rows[(e < 1e-8) & (m > 1)] for rows, e, m in zip(table, errors, margins, strict=True)]


CASES = [
    ("rx90", "fortran"), ("rx90", "matlab"), ("rx90", "rust"), ("rx90", "julia"), ("rx90", "maple"),
    ("stanford", "fortran"), ("planar2r", "mathematica"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "language"), CASES)
def test_branches(name, language, tmp_path):
    model = inverse_geometry(rs.load(name), given="P" if name == "planar2r" else "snaP")
    values = VALUES.get(name)
    symbolic = language in ("maple", "mathematica")  # 0/0 is NaN there, which poses out of reach may give
    T = poses(model, values, 1 if symbolic else 6)
    if not symbolic:
        T[-1, :3, 3] = 5.0  # out of reach
    branches = model.branches()
    assert model.code(language) == branches.code(language)
    given = {"parameters": [values[p] for p in model.parameters]} if model.parameters else {}
    states = [{"T": pose.ravel().tolist(), **given} for pose in T]
    lengths = [joint.prismatic for joint in model.problem.chain.joints]
    found = chosen(branches, RUNNERS[language](branches, states, tmp_path), len(model.joints))
    for rows, expected in zip(found, model.solve(T, parameters=values), strict=True):
        assert same(rows, expected, lengths)


@pytest.mark.parametrize("name", ["ur5e", "scara"])
def test_header_of_cpp(name, tmp_path):
    model = inverse_geometry(rs.load(name))
    T = poses(model, None, 6)
    model.write(tmp_path / "arm.hpp")
    (tmp_path / "other.cpp").write_text('#include "arm.hpp"\n')  # included in two files of one program
    rows = ", ".join("{" + ", ".join(repr(float(x)) for x in pose.ravel()) + "}" for pose in T)
    (tmp_path / "main.cpp").write_text(
        f"""#include "arm.hpp"
#include <stdio.h>
static const double T[6][16] = {{{rows}}};
int main() {{
    for (int k = 0; k < 6; ++k) {{
        const auto found = {name}_pau_solution::solve(T[k]);
        printf("%d %d", found.status, found.count);
        for (int i = 0; i < found.count; ++i)
            for (double x : found.q[i]) printf(" %.17g", x);
        printf("\\n");
    }}
}}
"""
    )
    strict = [*toolchains.STRICT, "-Wconversion"]
    command = [toolchains.tool("g++"), "-std=c++17", *strict, "main.cpp", "other.cpp", "-o", "main"]
    toolchains.run(*command, cwd=tmp_path)
    lengths = [joint.prismatic for joint in model.problem.chain.joints]
    lines = toolchains.run(tmp_path / "main", cwd=tmp_path).splitlines()
    for line, expected in zip(lines, model.solve(T), strict=True):
        status, count, *numbers = line.split()
        assert int(status) == 0 and int(count) == len(expected)
        assert same(np.array(numbers, dtype=float).reshape(-1, len(lengths)), expected, lengths)


def test_listing_and_latex(tmp_path):
    model = inverse_geometry(rs.load("rx90"))
    assert "1. t1: type 2" in model.code("listing") and "\\begin{align*}" in model.code("latex")
    for extension in (".f90", ".f", ".m", ".jl", ".rs", ".tex", ".txt", ".hpp", ".py", ".c"):
        paths = model.write(tmp_path / f"arm{extension}")
        assert paths[0].read_text().strip()
    with pytest.raises(rs.Error, match="unknown extension"):
        model.write(tmp_path / "arm.xyz")


def test_quartics_need_c_or_python():
    quartic = [{"theta": "t1", "r": 0.1}, {"alpha": 1.0, "d": 0.3, "theta": "t2", "r": 0.2},
               {"alpha": 0.7, "d": 0.5, "theta": "t3", "r": 0.3}, {"alpha": 1.2, "d": 0.2, "theta": "t4", "r": 0.4},
               {"alpha": 1.57, "theta": "t5"}, {"alpha": -1.57, "theta": "t6"}]  # fmt: skip
    model = inverse_geometry(build("quartic", quartic))
    assert model.method == "pieper" and "int quartic_pie" in model.code("c")
    with pytest.raises(rs.Error, match="quartics: print them in C"):
        model.code("fortran")


@pytest.mark.skipif(not (shutil.which("gcc") or shutil.which("cc")), reason="no C compiler")
def test_closed_robot_returns_all_joints(tmp_path):
    """Like `solve`, the code returns the reference mode: the SR400 with its parallelogram uncrossed."""
    model = inverse_geometry(rs.load("sr400"))
    T = poses(model, SR400, 4)
    values = [SR400[p] for p in model.recipe().inputs["parameters"]]
    in_c = compiled(model.code("c"), tmp_path, 2, len(model.joints))
    in_python = run_python(model.code("python"))
    branches = model.branches()
    states = [{"T": pose.ravel().tolist(), "parameters": values} for pose in T]
    straight = chosen(branches, toolchains.python(branches, states, tmp_path), len(model.joints))
    for pose, expected, rows in zip(T, model.solve(T, parameters=SR400), straight, strict=True):
        found, _ = in_c(pose, values)
        for solutions in (found, in_python(pose.tolist(), values), rows):
            assert same(solutions, expected, [False] * 8)


@cache
def solution_of(name):
    return inverse_geometry(rs.load(name))


@pytest.mark.parametrize("language", ["c", "h", "cpp", "python", "fortran", "matlab", "julia", "rust"])
def test_header_lists_the_modes(language):
    """The SR400 has the reference mode only; loops that are no parallelograms have all modes."""
    texts = {name: solution_of(name).code(language) for name in ("sr400", "akr3000", "rx90")}
    words = {name: " ".join("".join(c if c.isalnum() else " " for c in text).split()) for name, text in texts.items()}
    assert "the assembly mode of the reference alone" in words["sr400"] and "EVERY" not in words["sr400"]
    assert "Rows of EVERY assembly mode of the loops are given" in words["akr3000"]
    assert "at its motors t1 r5 r6 t8 t9 t10 has the same joints 0 is the reference" in words["akr3000"]
    assert "assembly" not in words["rx90"]
    assert "Rows of EVERY assembly mode" in " ".join(loop_geometry(rs.load("sr400")).code(language).split())


@pytest.mark.parametrize("frame", [8, 10])
def test_code_of_a_palletizer_returns_the_reference_mode(frame):
    """Two of the three parallelograms keep the wrist level; poses that they do not allow have no solution."""
    robot = palletizer()
    model, loops = inverse_geometry(robot, frame=frame), loop_geometry(robot)
    q = dict(zip(loops.joints, map(float, np.asarray(loops.solve([0.3, 0.4, 1.1, 0.2]))[0]), strict=True))
    T = model.solver.numeric({}).forward(np.array([[q[name] for name in model.problem.chain.names]]))[0]
    found, every = run_python(model.code("python"))(T.tolist()), model.solve(T, modes="all")
    assert len(found) == 2 and same(found, model.solve(T), [False] * len(model.joints))
    assert sorted(every.modes) == [0, 0, 1, 3]
    for row in found:  # links that stay parallel, written by hand
        value = dict(zip(model.joints, row, strict=True))
        for sums in ("t2 -t4 -t5", "t2 -t6"):
            angle = sum(-value[name[1:]] if name[0] == "-" else value[name] for name in sums.split())
            assert abs(np.exp(1j * angle) - 1) < 1e-9
    if frame == 8:
        T[:3, :3] = T[:3, :3] @ [[0.8, -0.6, 0], [0.6, 0.8, 0], [0, 0, 1]]
        assert not run_python(model.code("python"))(T.tolist()) and not len(model.solve(T))


def test_header_of_a_crossed_reference_lists_all_modes():
    model = inverse_geometry(rs.load("sr400").with_values(SR400))
    every = model.solve(model.solver.numeric({}).forward(np.full((1, 6), 0.4))[0], modes="all")
    for mode, words in ((0, "no parallelogram is crossed"), (1, "EVERY assembly mode")):
        row = np.asarray(every)[every.modes.index(mode)]
        position = dict(zip(model.joints, map(float, row), strict=True))
        assert words in inverse_geometry(model.robot.edit({"position": position})).recipe().modes


def test_loops(tmp_path):
    model = loop_geometry(rs.load("sr400"))
    branches = printed_branches(model.recipe())
    assert model.code("julia") == branches.code("julia")
    q = np.random.default_rng(2).uniform(-0.6, 0.6, (4, len(model.known)))
    values = {p: SR400[p] for p in model.parameters}
    states = [{"q": row.tolist(), "parameters": list(values.values())} for row in q]
    solved = model.recipe().outputs
    found = chosen(branches, toolchains.python(branches, states, tmp_path), len(solved))
    columns = [model.joints.index(name) for name in solved]
    for row, rows in zip(q, found, strict=True):
        assert same(rows, np.asarray(model.solve(row, parameters=values))[:, columns], [False] * len(solved))
