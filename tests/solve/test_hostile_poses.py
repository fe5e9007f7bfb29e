"""Test emitted inverse geometric models at poses that are not finite or far too large: a status, never a crash."""

from __future__ import annotations

import math
import re
import subprocess

import numpy as np
import pytest

import robosym as rs
from cases import toolchains
from cases.toolchains import tool
from chains.test_paul import VALUES
from chains.test_pieper import STRUCTURES, structure
from long_cases import quick_and_long
from robosym.model.solution.unrolled import is_straight
from robosym.solve import inverse_geometry
from robosym.solve.loop_geometry import loop_geometry
from solve.test_general_code import arm

BAD = (math.inf, -math.inf, math.nan, 1e308, -1e308, 1e200, 1e155, 1e80, 1e31)
HUGE = (1e30, -1e30, 1e25, 1e16, 1e8)


def poses():
    """Return poses with invalid entries, and whether the entries alone must cause rejection."""
    rng = np.random.default_rng(0)
    for value in (*BAD, *HUGE):
        for places in ([3], [7], [11], [0], [5], [10], [3, 7, 11], list(range(12)), [2, 3], [6, 11]):
            T = np.eye(4).ravel()
            T[places] = value
            yield T.reshape(4, 4), value in BAD or math.isnan(value)
        T = rng.normal(size=(4, 4)) * (0 if not math.isfinite(value) else 1) + np.eye(4)
        T[:3, 3] = value
        yield T, value in BAD or math.isnan(value)


MODELS = {
    "stanford": lambda: inverse_geometry(rs.load("stanford")),
    "rx90": lambda: inverse_geometry(rs.load("rx90")),
    "planar2r": lambda: inverse_geometry(rs.load("planar2r"), given="P"),
    "quartic": lambda: inverse_geometry(structure(*STRUCTURES[24], np.random.default_rng(1)), "pieper"),
    "general": lambda: inverse_geometry(arm("RRRRRR"), "general"),
}


def module(source):
    space: dict[str, object] = {}
    exec(compile(source, "emitted", "exec"), space)
    return space


def given(model, name):
    known = {**VALUES.get(name, {}), **dict.fromkeys(model.parameters, 0.4)}
    return [[known[p] for p in model.parameters]] if model.parameters else []


@pytest.mark.parametrize("name", MODELS)
def test_python(name):
    model = MODELS[name]()
    space = module(model.code("python"))
    function, values = next(f for key, f in space.items() if key.startswith("all_")), given(model, name)
    for T, rejected in poses():
        status, found = space["igm"](T.tolist(), *values)
        if rejected and (name != "planar2r" or not np.isfinite(T[:2, 3]).all()):
            assert status == 5 and not found and not function(T.tolist(), *values)
        if not rejected and name != "planar2r":
            assert status in (1, 3) and not found
        assert np.isfinite(np.array(found, dtype=float)).all()
    T = model.solver.numeric(dict(zip(model.parameters, *(values or [[]]), strict=True))).forward(
        np.full((1, len(model.joints)), 0.3)
    )[0]
    reached, _ = space["igm"](T.tolist(), *values)
    assert reached in (0, 2)
    assert space["igm_nearest"](T.tolist(), *values, [math.nan] * len(model.joints)) == (5, None)
    assert space["igm_nearest"](T.tolist(), *values, [math.inf] * len(model.joints)) == (5, None)


HARNESS = """
#include "solution.c"
#include <stdio.h>
int main(void)
{
    double T[16], q[MOST][JOINTS], one[JOINTS], now[JOINTS];
    for (int j = 0; j < JOINTS; ++j) now[j] = 0.1;
    const double parameters[16] = {0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4};
    (void)parameters;
    for (;;) {
        for (int i = 0; i < 16; ++i) if (scanf("%lf", &T[i]) != 1) return 0;
        int count;
        const int all = FUNCTION(T GIVEN, q, NULL);
        const int status = STATUS(T GIVEN, q, &count), near = NEAREST(T GIVEN, now, NULL, one);
        printf("%d %d %d %d\\n", all, status, near, count);
    }
}
"""


@pytest.mark.parametrize(
    ("name", "compiler"),
    quick_and_long(
        [
            ("stanford", "gcc"),
            ("stanford", "clang"),
            ("stanford", "gcc -ffast-math"),
            ("quartic", "gcc"),
            ("general", "gcc"),
        ],
        long=[("general", "gcc")],
    ),
)
def test_c_under_sanitizers(name, compiler, tmp_path):
    model = MODELS[name]()
    source = model.code("c")
    (tmp_path / "solution.c").write_text(source)
    function, status, nearest = re.findall(r"^int (\w+)\(.*\);$", source, re.M)
    (tmp_path / "main.c").write_text(HARNESS)
    macros = {"FUNCTION": function, "STATUS": status, "NEAREST": nearest, "JOINTS": len(model.joints),
              "MOST": f"{function.upper()}_MOST", "GIVEN": ", parameters" if model.parameters else ""}  # fmt: skip
    sanitized = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    compiler, *assumptions = compiler.split()
    flags = ["-std=c99", *(sanitized if compiler == "gcc" and not assumptions else ["-O2"]), *assumptions]
    command = [
        tool(compiler),
        *flags,
        *(f"-D{key}={value}" for key, value in macros.items()),
        "main.c",
        "-lm",
        "-o",
        "t",
    ]
    subprocess.run(command, cwd=tmp_path, check=True)
    cases = list(poses())
    text = "\n".join(" ".join(f"{x!r}" for x in T.ravel().tolist()) for T, _ in cases)
    done = subprocess.run([tmp_path / "t"], input=text, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr[-2000:]
    rows = [list(map(int, line.split())) for line in done.stdout.splitlines()]
    assert len(rows) == len(cases)
    for (T, rejected), (count, code, near, found) in zip(cases, rows, strict=True):
        assert (count, found) == (0, 0), T
        assert code == near and (code == 5 if rejected else code in (1, 3)), (T, code)


CPP = """
#include "s.hpp"
#include <cstdio>
int main() {
    const double T[16] = {1, 0, 0, INFINITY, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, p[1] = {0.4};
    auto s = stanford_pau_solution::solve(T, p);
    printf("%d %d", s.status, s.count);
}
"""


def test_cpp(tmp_path):
    """Check that `Solutions` has the same status."""
    model = MODELS["stanford"]()
    (tmp_path / "s.hpp").write_text(model.code("cpp"))
    (tmp_path / "m.cpp").write_text(CPP)
    toolchains.run(tool("g++"), "-std=c++17", "m.cpp", "-o", "t", cwd=tmp_path)
    assert toolchains.run(tmp_path / "t", cwd=tmp_path) == "5 0"


def test_loops():
    """Check passive joints for motor positions that are not finite."""
    model = loop_geometry(rs.load("sr400"))
    space = module(model.code("python"))
    joints = len(re.search(r"q_known: known joints: (.*)", model.code("python"))[1].split())
    values = [[0.4] * len(model.parameters)] if model.parameters else []
    for value in BAD:
        assert space["passive"]([value] * joints, *values) == (5, [])


@pytest.mark.parametrize("language", ["fortran", "matlab", "rust", "python"])
def test_straight_lines(language, tmp_path):
    """In languages that print all branches, the status marks invalid poses and no branch counts as a solution."""
    runner = {"fortran": toolchains.fortran, "matlab": toolchains.octave, "rust": toolchains.rust}.get(
        language, toolchains.python
    )
    model = inverse_geometry(rs.load("rx90"))
    assert is_straight(model.recipe())
    branches = model.branches()
    count = len(branches.outputs["errors"])
    literal = language in ("matlab", "python")  # can express numbers that are not finite; others overflow
    chosen = [T for T, _ in poses() if np.isfinite(T).all() or literal][::3]
    states = [{"T": T.ravel().tolist(), "parameters": [0.4] * len(model.parameters)} for T in chosen]
    with np.errstate(all="ignore"):
        found = np.array(runner(branches, states, tmp_path))
    errors = found[:, -1 - 2 * count : -1 - count]
    assert not (errors <= 1e-7).any()
    for T, status in zip(chosen, found[:, -1], strict=True):
        assert np.isfinite(T).all() or status != 0  # a NaN is not
