"""Bundles compile without warnings, and their self-test passes and detects wrong numbers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import robosym as rs
from cases.toolchains import run, tool
from long_cases import quick_and_long
from robosym.app.cli.main import main

STRICT = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror"]
#: declarations of Simulink that an S-function needs to compile
SIMSTRUC = """
typedef struct { int unused; } SimStruct;
typedef int int_T;
#define INHERITED_SAMPLE_TIME (-1.0)
int ssSetNumInputPorts(SimStruct *, int); int ssSetNumOutputPorts(SimStruct *, int);
void ssSetNumSFcnParams(SimStruct *, int); void ssSetInputPortWidth(SimStruct *, int, int);
void ssSetInputPortDirectFeedThrough(SimStruct *, int, int);
void ssSetInputPortRequiredContiguous(SimStruct *, int, int); void ssSetOutputPortWidth(SimStruct *, int, int);
void ssSetNumSampleTimes(SimStruct *, int); void ssSetSampleTime(SimStruct *, int, double);
void ssSetOffsetTime(SimStruct *, int, double); const void *ssGetInputPortSignal(SimStruct *, int);
void *ssGetOutputPortSignal(SimStruct *, int);
"""
GLUE = """
void use(SimStruct *S);
void use(SimStruct *S)
{
    mdlInitializeSizes(S); mdlInitializeSampleTimes(S); mdlOutputs(S, 0); mdlTerminate(S);
}
"""


def with_numbers(name: str) -> rs.Robot:
    robot = rs.load(name)
    model = rs.inverse_dynamics(robot)
    names = [*model.inputs.get("parameters", ()), *model.inputs.get("gravity", ())]
    return robot.with_values({p: -9.81 if p == "G3" else 0.3 + 0.07 * (k % 7) for k, p in enumerate(names)})


def _sources(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.c") if not path.name.endswith("_sfun.c"))


@pytest.mark.parametrize(
    ("name", "precision"),
    quick_and_long(
        [("scara", "single"), ("rx90", "double"), ("sr400", "double"), ("sr400", "single")],
        long=[("rx90", "double"), ("sr400", "single"), ("sr400", "double")],
    ),
)
def test_self_test_passes_and_detects_wrong_numbers(name: str, precision: str, tmp_path: Path) -> None:
    rs.bundle(with_numbers(name), tmp_path, prefix="arm", precision=precision)
    flags = ["-std=c99", *STRICT, "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    run(tool("gcc"), *flags, *_sources(tmp_path), "-o", "t", "-lm", cwd=tmp_path)
    assert run(tmp_path / "t", cwd=tmp_path).endswith("self-test: passed\n")
    run(tool("g++"), "-std=c++11", *STRICT, "-fsyntax-only", *_sources(tmp_path), cwd=tmp_path)
    (tmp_path / "user.cpp").write_text(
        '#include "arm.hpp"\n#include <cstdio>\nint main() {\n'
        "    std::array<double, SIZE> q{}; std::array<double, 16> T{};\n"
        '    arm::direct_geometry<double>(q, T); std::printf("%g", T[15]);\n}\n'.replace(
            "SIZE", str(len(rs.load(name).tree_joints))
        )
    )
    run(tool("g++"), "-std=c++11", *STRICT, "user.cpp", "-o", "u", cwd=tmp_path)
    assert run(tmp_path / "u", cwd=tmp_path) == "1"
    source = tmp_path / "arm_gravity.c"
    source.write_text(re.sub(r"(    Q\[1\] = )", r"\g<1>1 + ", source.read_text(), count=1))
    run(tool("gcc"), "-std=c99", *_sources(tmp_path), "-o", "t", "-lm", cwd=tmp_path)
    with pytest.raises(AssertionError, match="FAILED"):
        run(tmp_path / "t", cwd=tmp_path)


@pytest.mark.parametrize(
    ("name", "precision"), quick_and_long([("delta", "double"), ("orthoglide", "single")], long=[("delta", "double")])
)
def test_parallel_robot(name: str, precision: str, tmp_path: Path) -> None:
    """Forces, motors and Jacobians from the pose pass under sanitizers; wrong numbers are detected."""
    rs.bundle(with_numbers(name), tmp_path, prefix="arm", precision=precision)
    flags = ["-std=c99", *STRICT, "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    run(tool("gcc"), *flags, *_sources(tmp_path), "-o", "t", "-lm", cwd=tmp_path)
    printed = run(tmp_path / "t", cwd=tmp_path)
    assert printed.endswith("self-test: passed\n")
    assert {"inverse_dynamics, tau", "inverse_geometry, q", "inverse_jacobian, Ji", "jacobian, J"} <= {
        line.split(" passed")[0].strip() for line in printed.splitlines()
    }
    source = tmp_path / "arm_inverse_geometry.c"
    source.write_text(re.sub(r"(    q\[1\] = )", r"\g<1>1 + ", source.read_text(), count=1))
    run(tool("gcc"), "-std=c99", *_sources(tmp_path), "-o", "t", "-lm", cwd=tmp_path)
    with pytest.raises(AssertionError, match="FAILED"):
        run(tmp_path / "t", cwd=tmp_path)


def test_cmake_and_s_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["bundle", "ur5e", "-o", "arm_c", "--prefix", "arm"]) == 0
    folder = tmp_path / "arm_c"
    assert "robosym bundle ur5e -o arm_c --prefix arm" in (folder / "arm.h").read_text()
    (folder / "simstruc.h").write_text(SIMSTRUC)
    (folder / "cg_sfun.h").write_text(GLUE)
    run(tool("gcc"), "-std=c99", "-Wall", "-Wextra", "-Werror", "-c", "arm_sfun.c", cwd=folder)
    cmake = tool("cmake")
    run(cmake, "-S", ".", "-B", "build", cwd=folder)
    run(cmake, "--build", "build", cwd=folder)
    assert "self-test: passed" in run(folder / "build" / "arm_test", cwd=folder)


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(rs.InputError, match=r"rx90: expected values for D3, RL4"):
        rs.bundle(rs.load("rx90"), tmp_path)
    with pytest.raises(rs.InputError, match="gough has no reference position"):
        rs.bundle(rs.load("gough"), tmp_path)
    with pytest.raises(rs.InputError, match=r"delta: expected values for"):
        rs.bundle(rs.load("delta"), tmp_path)
    with pytest.raises(rs.InputError, match=r"of a robot with a platform takes .*found frame=3"):
        rs.bundle(with_numbers("delta"), tmp_path, frame=3)
    with pytest.raises(rs.InputError, match="does not take a robot with several modules"):
        rs.bundle(rs.load("tricept_wrist"), tmp_path)
    with pytest.raises(rs.InputError, match="precision"):
        rs.bundle(rs.load("scara"), tmp_path, precision="half")
    assert not list(tmp_path.iterdir())
    (tmp_path / "taken").write_text("")
    with pytest.raises(rs.InputError, match="taken"):
        rs.bundle(rs.load("scara"), tmp_path / "taken")
