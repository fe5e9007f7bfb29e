"""Object files in fixed-point arithmetic: run here and by qemu, their errors are below the bounds of the formats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from cases.toolchains import run, tool
from export.test_objects import BOARD, MAIN, RUN, START
from export.test_programs import PLATFORM
from export.test_ros2 import urdf
from export.test_wasm import of_functions
from robosym.algebra import FUNCTIONS
from robosym.algebra.samples import Array
from robosym.model import Model, flat
from robosym.runtime.fixed_point import FixedPoint


def integers(formats: FixedPoint, states: Array) -> Array:
    """Return the inputs in their formats; those that the model does not read are zero."""
    read = {str(node.value) for node in formats.fractions if node.op == "symbol"}
    names = [name for group in formats.model.inputs.values() for name in group]
    scales = [2.0 ** formats.fraction(name) if name in read else 0.0 for name in names]
    found: Array = np.rint(states * scales).astype(np.int64)
    return found


def run_on(target: str, formats: FixedPoint, given: Array, folder: Path) -> Array:
    """Return the integers that the function computes on a processor."""
    model = formats.model
    compiler, flags, how = RUN[target]
    ends = np.cumsum([0, *map(len, model.inputs.values())])
    rows = ["{" + ", ".join(map(str, row)) + "}" for row in given]
    arguments = ", ".join(f"given[i] + {start}" for start in ends[:-1])
    out = len(model.output_names)
    places = np.cumsum([0, *(len([*flat(layout)]) for layout in model.outputs.values())])
    arguments = ", ".join([arguments, *(f"out + {place}" for place in places[:-1])])
    text = MAIN.format(width=ends[-1], rows=", ".join(rows), out=out, call=f"arm({arguments});")
    (folder / "main.c").write_text(text)
    command = [tool(compiler), "-O1", "-Wall", "-Wextra", "-Werror", "-DNUMBER=int32_t", *flags, "main.c", "arm.o"]
    if "arm-none" in compiler:
        (folder / "board.ld").write_text(BOARD)
        (folder / "start.c").write_text(START)
        command += ["start.c", "-T", "board.ld", "-nostartfiles", "--specs=rdimon.specs"]
        emulator = [tool("qemu-system-arm"), "-M", how[0], "-cpu", how[1], "-nographic", "-monitor", "none", "-serial",
                    "none", "-semihosting-config", "enable=on,target=native", "-kernel", "main"]  # fmt: skip
    else:
        emulator = [*map(tool, how), "./main"]
    run(*command, "-o", "main", cwd=folder)
    return np.array([[float(x) for x in line.split()] for line in run(*emulator, cwd=folder).splitlines() if line])


def check(model: Model, folder: Path, target: str = "x86_64-linux", word: int = 32, **ranges: object) -> FixedPoint:
    """Compare with machine code in double precision at states whose inputs are numbers of their formats."""
    formats = model.fixed_point(word, ranges)
    model.build(target, folder, name="arm", precision="fixed", ranges=ranges, word=word)
    names = [name for group in model.inputs.values() for name in group]
    spans = np.array([formats.ranges[name] for name in names])
    states = np.random.default_rng(3).uniform(*(0.999 * spans.T), (20, len(names)))
    given = integers(formats, states)
    read = {str(node.value) for node in formats.fractions if node.op == "symbol"}
    exact = given * np.array([2.0 ** -formats.fraction(name) if name in read else 0.0 for name in names])
    ends = np.cumsum([0, *map(len, model.inputs.values())])
    parts = {g: exact[:, a:b] for g, a, b in zip(model.inputs, ends, ends[1:], strict=False)}
    right = np.reshape(model.compile()(**parts), (len(states), -1))
    outputs = model.output_names
    found = run_on(target, formats, given, folder) * [2.0 ** -formats.fraction(name) for name in outputs]
    bounds = np.array([formats.errors[name] for name in outputs])
    assert (np.abs(found - right) <= bounds).all(), np.max(np.abs(found - right) / bounds)
    header = (folder / "arm.h").read_text()
    assert "int32_t" in header and f"{outputs[0]} " in header and "error at most" in header
    return formats


@pytest.mark.parametrize(("target", "word"), [("x86_64-linux", 32), ("x86_64-linux", 16), ("cortex-m0plus", 32)])
def test_inverse_dynamics_of_an_arm(target: str, word: int, tmp_path: Path) -> None:
    robot = rs.loads(urdf(), format="urdf")
    formats = check(rs.inverse_dynamics(robot, friction="smooth"), tmp_path, target, word, qd=(-2, 2), qdd=(-5, 5))
    assert max(formats.errors.values()) < (1e-3 if word == 32 else 100)
    if word == 32 and target != "cortex-m0plus":  # integers, and calls of the compiler's library only
        assert not run(tool("nm"), "-u", "arm.o", cwd=tmp_path).strip()


def test_inverse_geometry_of_a_platform(tmp_path: Path) -> None:
    """Roots and arctangents; the pose is in a small box."""
    model = rs.inverse_geometry(rs.loads(PLATFORM, format="yaml"))
    assert isinstance(model, Model)
    turn = {f"R{i}{j}": float(i == j) for i in (1, 2, 3) for j in (1, 2, 3)}
    names = dict(zip(model.inputs["pose"], [*turn.values(), 0, 0, -0.75], strict=True))
    box = {name: value if k < 9 else (value - 0.02, value + 0.02) for k, (name, value) in enumerate(names.items())}
    formats = model.fixed_point(32, {"pose": box})
    model.build("x86_64-linux", tmp_path, name="arm", precision="fixed", ranges={"pose": box})
    moved = np.random.default_rng(3).uniform(-0.019, 0.019, (10, 12)) * ([0] * 9 + [1] * 3)
    poses = np.array([*names.values()]) + moved
    found = run_on("x86_64-linux", formats, integers(formats, poses), tmp_path)
    found *= [2.0 ** -formats.fraction(name) for name in model.output_names]
    right = np.hstack([np.reshape(part, (10, -1)) for part in model.compile()(poses)])
    np.testing.assert_allclose(found, right, atol=1e-6)


@pytest.mark.parametrize("span", [(-3.2, 3.2), (-0.01, 0.01), (-100.0, 100.0), (-3e4, 3e4), (0.0, 7.0)])
def test_sine_and_cosine_are_adjacent_numbers(span: tuple[float, float], tmp_path: Path) -> None:
    robot = rs.loads("name: one\nframes:\n  - {theta: t1}\ngravity: [0, 0, 0]\n", format="yaml")
    model = rs.direct_geometry(robot, 0, 1)
    assert isinstance(model, Model)
    formats = model.fixed_point(32, {"q": span})
    model.build("x86_64-linux", tmp_path, name="arm", precision="fixed", ranges={"q": span})
    states = np.array([*np.random.default_rng(3).uniform(*span, 500), 0.999 * span[0], 0.999 * span[1], 0])[:, None]
    given = integers(formats, states)
    found = run_on("x86_64-linux", formats, given, tmp_path)
    angles = given[:, 0] * 2.0 ** -formats.fraction("t1")
    for column, right in ((0, np.cos(angles)), (4, np.sin(angles))):
        scale = 2.0 ** formats.fraction(model.output_names[column])
        assert np.abs(found[:, column] - right * scale).max() <= 1


def test_every_function(tmp_path: Path) -> None:
    """Functions of two inputs between 0.2 and 0.9, where all of them are real."""
    model = of_functions()
    [names] = model.inputs.values()
    check(model, tmp_path, **dict.fromkeys(names, (0.2, 0.9)))
    assert len(model.output_names) >= len(FUNCTIONS)


def test_errors(tmp_path: Path) -> None:
    model = rs.gravity_torques("planar2r")
    with pytest.raises(rs.InputError, match="precision: expected auto or double for wasm"):
        model.build("wasm", tmp_path, precision="fixed")
    with pytest.raises(rs.InputError, match="word: expected an integer from 8 to 32, found 64"):
        model.build("cortex-m4f", tmp_path, precision="fixed", word=64)
    with pytest.raises(rs.InputError, match="has no bound: pass narrower ranges"):
        rs.direct_dynamics(rs.load("ur5e")).build("cortex-m4f", tmp_path, precision="fixed")
    assert not list(tmp_path.iterdir())
