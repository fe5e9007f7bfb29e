"""Header comments of generated files, and the options of C."""

from __future__ import annotations

import ctypes
import hashlib
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from cases.toolchains import run, tool
from robosym.app.cli.main import main
from robosym.languages import LANGUAGES

STRICT = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror"]


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    path = tmp_path / "arm.yaml"
    path.write_text(rs.load("scara").dumps("yaml"), encoding="utf-8")
    return path


@pytest.mark.parametrize("language", LANGUAGES)
def test_header_contents(language: str, arm: Path) -> None:
    text = rs.jacobian(rs.load(arm), 4).code(language)
    checksum = hashlib.sha256(arm.read_bytes()).hexdigest()
    for words in (
        f"robosym {rs.__version__}", "arm.yaml", checksum, "claims no rights on generated files", "rad/s",
        "origin of frame 4", "row by row",
    ):  # fmt: skip
        assert words in text


def test_header_marks_edited_robots(arm: Path) -> None:
    robot = rs.load(arm)
    assert "changed since" not in rs.inverse_dynamics(robot, base_parameters=True).code("c")
    assert "changed since" in rs.inverse_dynamics(robot.edit({"link4.M": 3})).code("c")
    assert robot.edit({"link4.M": 3}) != robot
    assert rs.loads(robot.dumps("yaml")) == robot  # the origin does not count in comparisons


def test_header_has_the_command(arm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(arm.parent)
    assert main(["inverse-dynamics", "arm.yaml", "-o", "dyn.c", "--name", "torque", "--precision", "single"]) == 0
    text = Path("dyn.c").read_text(encoding="utf-8")
    assert "robosym inverse-dynamics arm.yaml -o dyn.c --name torque --precision single" in text
    assert '#include "dyn.h"' in text and "torque(const float q[ROBOSYM_ARRAY(4)]" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_file_name_stays_inside_the_comment(language: str, arm: Path) -> None:
    hostile = arm.with_name('a *) \\ evil(); """ \'x\n.yaml')
    hostile.write_bytes(arm.read_bytes())
    text = rs.transform(rs.load(hostile), 0, 4).code(language)
    [line] = [line for line in text.splitlines() if "Described by" in line]
    assert "evil" in line and not any(mark in line[3:-3] for mark in ("*)", "*/", "\\", '"'))


@pytest.mark.parametrize("compiler", [("gcc", "-std=c99"), ("clang", "-std=c11"), ("g++", "-std=c++11")])
@pytest.mark.parametrize("init", [False, True])
@pytest.mark.parametrize("precision", ["double", "single"])
def test_c_compiles_without_warnings(compiler: tuple[str, str], init: bool, precision: str, tmp_path: Path) -> None:
    program = tool(compiler[0])
    rs.inverse_dynamics(rs.load("rx90")).write(tmp_path / "a.c", init=init, precision=precision, prefix="arm_")
    run(program, *compiler[1:], *STRICT, "-O1", "-c", "a.c", cwd=tmp_path)
    (tmp_path / "user.cpp").write_text('#include "a.h"\nint main() { return arm_rx90_dyn == nullptr; }\n')
    run(
        tool("g++"),
        "-std=c++11",
        "-Wall",
        "-Werror",
        "-Wno-address",
        "-Wno-nonnull-compare",
        "-c",
        "user.cpp",
        cwd=tmp_path,
    )


def test_single_precision_values(tmp_path: Path) -> None:
    model = rs.inverse_dynamics(rs.load("scara"))
    model.write(tmp_path / "a.c", precision="single", name="torque")
    run(tool("gcc", "cc"), "-O2", "-shared", "-fPIC", "-o", "a.so", "a.c", "-lm", cwd=tmp_path)
    library = ctypes.CDLL(str(tmp_path / "a.so"))
    state = {name: np.array([0.3, -0.7, 0.11, 0.9], np.float32) * k for k, name in ((1, "q"), (2, "qd"), (-3, "qdd"))}
    tau = np.zeros(4, np.float32)
    library.torque(*(a.ctypes.data_as(ctypes.c_void_p) for a in (*state.values(), tau)))
    right = model.compile()(**{name: value.astype(float) for name, value in state.items()})
    assert np.allclose(tau, right, rtol=1e-5)


@pytest.mark.parametrize(
    "options", [{"precision": "half"}, {"name": "1a"}, {"name": "while"}, {"prefix": "a b"}, {"name": "f(); int g"}]
)
def test_rejects_invalid_c_names(options: dict[str, str]) -> None:
    with pytest.raises(rs.InputError, match="expected"):
        rs.transform(rs.load("scara"), 0, 4).code("c", **options)
