"""Functions of several robots in one program, also with equal names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from cases.toolchains import run, tool
from oracles.pinocchio import Oracle

STRICT = ["-Wall", "-Wextra", "-Wshadow", "-pedantic", "-Werror"]
Q = (0.3, -0.7, 0.9, 0.2, -0.4, 0.5)


def robots() -> dict[str, rs.Robot]:
    """Bundles of an arm without and with a payload, which have equal names, and of a robot with dry friction."""
    arm = rs.load("ur5e")
    rough = {f"link{j}.FS": 0.5 for j in (1, 2)}
    return {
        "left": arm,
        "right": arm.with_payload(6, 5.0, (0.0, 0.05, 0.1)),
        "Left": rs.load("scara").edit(rough),  # differs from another prefix in case only
    }


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundles")
    for prefix, robot in robots().items():
        name = f"{prefix}_folder" if prefix == "Left" else prefix  # file systems may ignore case
        rs.bundle(robot, folder / name, prefix=prefix)
    return folder


def _expected() -> list[float]:
    found = []
    for robot in robots().values():
        n = len(robot.tree_joints)
        oracle = Oracle(robot, {})
        rest = np.zeros(n)
        found += [*oracle.torques(np.array(Q[:n]), rest, rest, {})]
    return found


def _folders(folder: Path) -> list[str]:
    return [f"-I{folder / name}" for name in ("left", "right", "Left_folder")]


def _sources(folder: Path) -> list[Path]:
    return [p for p in sorted(folder.glob("*/*.c")) if not re.search(r"_(test|sfun)\.c$", p.name)]


def _check(printed: str) -> None:
    expected = _expected()
    assert len(set(np.round(expected, 6))) > 6
    np.testing.assert_allclose([float(word) for word in printed.split()], expected, atol=1e-12)


C_USER = """#include "left.h"
#include "right.h"
#include "Left.h"
#include "left.h"
#include <stdio.h>
int main(void)
{
    const double q[6] = {0.3, -0.7, 0.9, 0.2, -0.4, 0.5};
    double Q[6];
    left_gravity(q, Q); for (int i = 0; i < 6; ++i) printf("%.17g ", Q[i]);
    right_gravity(q, Q); for (int i = 0; i < 6; ++i) printf("%.17g ", Q[i]);
    Left_gravity(q, Q); for (int i = 0; i < 4; ++i) printf("%.17g ", Q[i]);
    return 0;
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_c_functions_of_three_robots(bundles: Path, tmp_path: Path, level: str) -> None:
    # prefixes that differ in case only share macros: without the headers of inverse geometry they agree
    user = C_USER.replace('"Left.h"', '"Left_gravity.h"')
    (tmp_path / "user.c").write_text(user)
    chosen = [p for p in _sources(bundles) if level == "-O0" or "gravity" in p.name]
    run(tool("gcc"), "-std=c99", *STRICT, level, *_folders(bundles), "user.c", *chosen, "-lm", "-o", "u", cwd=tmp_path)
    _check(run(tmp_path / "u", cwd=tmp_path))


def test_prefixes_that_differ_in_case_are_an_error(bundles: Path, tmp_path: Path) -> None:
    (tmp_path / "user.c").write_text(C_USER)
    with pytest.raises(AssertionError, match=r"LEFT_JOINTS is 4 here .* change the prefix"):
        run(tool("gcc"), "-std=c99", "-fsyntax-only", *_folders(bundles), "user.c", cwd=tmp_path)


def test_all_sources_as_one_translation_unit(bundles: Path, tmp_path: Path) -> None:
    """A unity build; every external function has its prefix."""
    lines = [f'#include "{path}"\n' for path in _sources(bundles) if path.parent.name != "Left_folder"]
    lines += [f'#include "{bundles}/Left_folder/Left_inverse_dynamics.c"\n']
    (tmp_path / "all.c").write_text("".join(lines))
    run(tool("gcc"), "-std=c99", *STRICT, "-O0", *_folders(bundles), "-c", "all.c", cwd=tmp_path)
    seen = [line.split()[-1] for line in run(tool("nm"), "-g", "--defined-only", "all.o", cwd=tmp_path).splitlines()]
    assert len(seen) > 12
    assert all(re.match("_?(left|right|Left)_", name) for name in seen), seen


@pytest.mark.parametrize(
    ("order", "level"),
    [(("left", "right", "Left"), "-O0"), (("left", "right", "Left"), "-O2"), (("Left", "right", "left"), "-O2")],
)
def test_cpp_headers_of_three_robots(bundles: Path, tmp_path: Path, order: tuple[str, ...], level: str) -> None:
    """In any order, twice, and in two sources."""
    headers = "".join(f'#include "{name}.hpp"\n' for name in (*order, *order))
    calls = "".join(
        f"    {{ std::array<double, {n}> q{{{{{', '.join(map(str, Q[:n]))}}}}}, Q; {name}::gravity<double>(q, Q);\n"
        f'      for (double x : Q) std::printf("%.17g ", x); }}\n'
        for name, n in (("left", 6), ("right", 6), ("Left", 4))
    )
    (tmp_path / "user.cpp").write_text(f"{headers}#include <cstdio>\nvoid tell();\nvoid tell() {{\n{calls}}}\n")
    (tmp_path / "main.cpp").write_text(
        '#include "right.hpp"\nvoid tell();\nint main() {\n    std::array<double, 6> q{}, Q;\n'
        "    right::gravity<double>(q, Q);\n    tell();\n}\n"
    )
    run(tool("g++"), "-std=c++11", *STRICT, level, *_folders(bundles), "user.cpp", "main.cpp", "-o", "u", cwd=tmp_path)
    _check(run(tmp_path / "u", cwd=tmp_path))


# ------------------------------------------------------------------ robots of one name, models one by one


def _two() -> Mapping[str, rs.Model]:
    """Return gravity torques of an arm without and with a payload, with equal names."""
    arm = rs.load("scara")
    return {"a": rs.gravity_torques(arm), "b": rs.gravity_torques(arm.with_payload(4, 5.0))}


def test_cpp_headers_with_equal_names_stay_distinct(tmp_path: Path) -> None:
    """In two sources they are distinct; in one source a call is ambiguous."""
    expected = []
    for name, model in _two().items():
        (tmp_path / name).mkdir()
        model.write(tmp_path / name / "model.hpp")
        assert model.robot is not None
        expected.append(Oracle(model.robot, {}).torques(np.array(Q[:4]), np.zeros(4), np.zeros(4), {})[2])
    call = f"    const double q[4] = {{{', '.join(map(str, Q[:4]))}}}; double Q[4]; scara_grav<double>(q, Q);\n"
    for name in ("a", "b"):
        text = f'#include "{name}/model.hpp"\ndouble {name}();\ndouble {name}() {{\n{call}    return Q[2];\n}}\n'
        (tmp_path / f"{name}.cpp").write_text(text)
    (tmp_path / "main.cpp").write_text(
        '#include <cstdio>\ndouble a();\ndouble b();\nint main() { std::printf("%.17g %.17g", a(), b()); }\n'
    )
    for level in ("-O0", "-O2"):
        run(tool("g++"), "-std=c++11", level, "a.cpp", "b.cpp", "main.cpp", "-o", "u", cwd=tmp_path)
        np.testing.assert_allclose([float(x) for x in run(tmp_path / "u", cwd=tmp_path).split()], expected, atol=1e-12)
    (tmp_path / "both.cpp").write_text(f'#include "a/model.hpp"\n#include "b/model.hpp"\nvoid f() {{\n{call}}}\n')
    with pytest.raises(AssertionError, match="ambiguous"):
        run(tool("g++"), "-std=c++11", "-fsyntax-only", "both.cpp", cwd=tmp_path)


@pytest.mark.parametrize(
    "language", ["c", "cpp", "fortran", "matlab", "mathematica", "maple", "python", "julia", "rust"]
)
def test_function_name_option(language: str) -> None:
    model = _two()["a"]
    text = model.code(language, name="torque", prefix="arm_")
    assert "arm_torque" in text or "armTorque" in text
    assert not re.search(r"scara_grav\b|SCARA_GRAV|scaraGrav", text)
    with pytest.raises(rs.InputError, match="name: expected an identifier"):
        model.code(language, name="two words")
    with pytest.raises(rs.InputError, match="prefix: expected an identifier"):
        model.code(language, prefix="2")
    solved = rs.inverse_geometry(rs.load("rx90")).code(language, name="arm_poses")
    assert "arm_poses" in solved or "armPoses" in solved
    assert not re.search(r"rx90_pau\b|RX90_PAU", solved)


def test_fortran_in_fixed_form_links_two_models_with_dry_friction(tmp_path: Path) -> None:
    """The sign function is visible to the linker."""
    robot = rs.load("scara").edit({"link1.FS": 0.5})
    model = rs.inverse_dynamics(robot)
    for name in ("one", "two"):
        model.write(tmp_path / f"{name}.f", name=name)
    calls = "".join(f"      call {name}(q, qd, qdd, tau)\n      print *, tau(1)\n" for name in ("one", "two"))
    (tmp_path / "main.f").write_text(
        "      program main\n      double precision q(4), qd(4), qdd(4), tau(4)\n"
        "      data q /4*0.1d0/, qd /4*0.2d0/, qdd /4*0.0d0/\n" + calls + "      end\n"
    )
    run(tool("gfortran"), "one.f", "two.f", "main.f", "-o", "u", cwd=tmp_path)
    expected = Oracle(robot, {}).torques(np.full(4, 0.1), np.full(4, 0.2), np.zeros(4), {})[0]
    np.testing.assert_allclose([float(x) for x in run(tmp_path / "u", cwd=tmp_path).split()], expected, rtol=1e-12)


@pytest.mark.parametrize("prefix", ["std", "test", "2arm"])
def test_reserved_prefixes_are_changed(prefix: str, tmp_path: Path) -> None:
    paths = rs.bundle(rs.load("scara"), tmp_path, prefix=prefix)
    header = next(path for path in paths if path.suffix == ".hpp")
    (tmp_path / "user.cpp").write_text(f'#include "{header.stem}.h"\n#include "{header.name}"\n#include <cmath>\n')
    run(tool("g++"), "-std=c++11", *STRICT, "-fsyntax-only", "user.cpp", cwd=tmp_path)
