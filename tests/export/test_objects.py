"""Object files for other processors: linked by their compilers and run by qemu, and compared with this computer."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from cases.toolchains import run, tool
from long_cases import quick_and_long
from robosym.algebra import FUNCTIONS
from robosym.export.processors.objects import COMPUTERS, object_code
from robosym.export.processors.state_kernels import state_kernels
from robosym.model import Model, flat

MAIN = """
#include <stdio.h>
#include "arm.h"
static const NUMBER given[][{width}] = {{{rows}}};
int main(void)
{{
    NUMBER out[{out}];
    for (unsigned i = 0; i < sizeof given / sizeof given[0]; ++i) {{
        {call}
        for (int k = 0; k < {out}; ++k) printf("%.17g ", (double)out[k]);
        printf("\\n");
    }}
    return 0;
}}
"""
BOARD = """
MEMORY {
  FLASH (rx) : ORIGIN = 0x0, LENGTH = 4M
  RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 4M
}
ENTRY(reset)
SECTIONS {
  .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) } > FLASH
  .ARM.exidx : { *(.ARM.exidx*) } > FLASH
  .data : { *(.data*) } > RAM
  .bss : { *(.bss*) *(COMMON) } > RAM
  end = .; _end = .; __end__ = .;
  __StackTop = ORIGIN(RAM) + LENGTH(RAM); __stack = __StackTop;
}
"""
START = """
extern int main(void); extern int fflush(void *); extern void _exit(int); extern void initialise_monitor_handles(void);
extern unsigned __StackTop;
void reset(void);
__attribute__((section(".vectors"), used)) void *const vectors[2] = {&__StackTop, (void *)reset};
void reset(void)
{
#if defined(__ARM_FP)
    *(volatile unsigned *)0xE000ED88 |= 0xFu << 20;
    __asm volatile("dsb; isb");
#endif
    initialise_monitor_handles();
    main();
    fflush(0);
    _exit(0);
}
"""
#: compiler, its options, and the program that runs the result
RUN: dict[str, tuple[str, list[str], list[str]]] = {
    "x86_64-linux": ("gcc", [], []),
    "aarch64-linux": ("aarch64-linux-gnu-gcc", ["-static"], ["qemu-aarch64"]),
    "riscv64-linux": ("riscv64-linux-gnu-gcc", ["-static"], ["qemu-riscv64"]),
    "cortex-m0plus": ("arm-none-eabi-gcc", ["-mcpu=cortex-m0plus", "-mthumb"], ["mps2-an385", "cortex-m3"]),
    "cortex-m4f": ("arm-none-eabi-gcc", ["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"],
                   ["mps2-an386", "cortex-m4"]),
    "cortex-m7": ("arm-none-eabi-gcc", ["-mcpu=cortex-m7", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv5-d16"],
                  ["mps2-an500", "cortex-m7"]),
}  # fmt: skip


def outputs_on(target: str, model: Model, states: np.ndarray, folder: Path, precision: str = "auto") -> np.ndarray:
    """Build the model for a target, link it with its compiler, run it, and return the outputs per state."""
    model.build(target, folder, name="arm", precision=precision)
    compiler, flags, how = RUN[target]
    header = (folder / "arm.h").read_text()
    kind = "float" if "const float" in header else "double"
    ends = np.cumsum([0, *map(len, model.inputs.values())])
    rows = ["{" + ", ".join(float(x).hex() + ("f" if kind == "float" else "") for x in row) + "}" for row in states]
    given = ", ".join(f"given[i] + {start}" for start in ends[:-1])
    out = len(model.output_names)
    places = np.cumsum([0, *(len([*flat(layout)]) for layout in model.outputs.values())])
    results = ", ".join(f"out + {place}" for place in places[:-1])
    text = MAIN.format(width=ends[-1], rows=", ".join(rows), out=out, call=f"arm({given}, {results});")
    (folder / "main.c").write_text(text)
    command = [
        tool(compiler),
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
        f"-DNUMBER={kind}",
        *flags,
        "main.c",
        "arm.o",
        "-o",
        "main",
    ]
    if "arm-none" in compiler:
        (folder / "board.ld").write_text(BOARD)
        (folder / "start.c").write_text(START)
        command += ["start.c", "-T", "board.ld", "-nostartfiles", "--specs=rdimon.specs"]
        emulator = [tool("qemu-system-arm"), "-M", how[0], "-cpu", how[1], "-nographic", "-monitor", "none", "-serial",
                    "none", "-semihosting-config", "enable=on,target=native", "-kernel", "main"]  # fmt: skip
    else:
        emulator = [*map(tool, how), "./main"]
    run(*command, cwd=folder)
    return np.array([[float(x) for x in line.split()] for line in run(*emulator, cwd=folder).splitlines() if line])


@pytest.mark.parametrize("target", quick_and_long([*RUN], long="cortex-m7 riscv64-linux"))
def test_torques_agree_with_this_computer(target: str, tmp_path: Path) -> None:
    """Also with angles of many turns, which single precision reduces in doubles."""
    model = rs.inverse_dynamics(rs.load("ur5e"))
    states = np.random.default_rng(1).uniform(-3, 3, (6, 18)).astype(np.float32).astype(float)
    states[4, :6], states[5, 0] = np.float32([3e3, -2e5, 1e9, -3e20, 5e3, 1e-30]), np.float32(1e30)
    found = outputs_on(target, model, states, tmp_path)
    right = model.compile()(q=states[:, :6], qd=states[:, 6:12], qdd=states[:, 12:])
    size = np.abs(right).max(axis=1)
    assert (np.abs(found - right).max(axis=1) <= (1e-14 if COMPUTERS[target].double else 3e-6) * size).all()


@pytest.mark.parametrize("target", quick_and_long(["x86_64-linux", "cortex-m4f"], long="cortex-m4f"))
@pytest.mark.parametrize("name", quick_and_long(["gough", "sr400"], long="sr400"))
def test_parallel_and_closed_robots(target: str, name: str, tmp_path: Path) -> None:
    robot = rs.load(name)
    model = rs.inverse_geometry(robot) if name == "gough" else rs.inverse_dynamics(robot)
    assert isinstance(model, Model)
    width = sum(map(len, model.inputs.values()))
    states = np.random.default_rng(2).uniform(-0.5, 0.5, (3, width))
    if "pose" in model.inputs:
        states[:, :12] = [*np.eye(3).ravel(), 0.05, 0.02, 1.3]
    states = states.astype(np.float32).astype(float)
    found = outputs_on(target, model, states, tmp_path)
    ends = np.cumsum([0, *map(len, model.inputs.values())])
    given = {g: states[:, a:b] for g, a, b in zip(model.inputs, ends, ends[1:], strict=False)}
    right = model.compile()(**given)
    right = np.hstack([np.reshape(part, (3, -1)) for part in (right if isinstance(right, tuple) else [right])])
    bound = 1e-12 if COMPUTERS[target].double else 1e-4
    np.testing.assert_allclose(found, right, rtol=bound, atol=bound * np.nanmax(np.abs(right)))


def test_every_function_on_this_computer(tmp_path: Path) -> None:
    from export.test_wasm import of_functions

    model = of_functions()
    states = np.array([(x, y) for x in (0.3, -0.7, 12.0, 1e6) for y in (0.4, -2.0)])
    for precision, bound in (("double", 5e-16), ("single", 3e-7)):
        given = states.astype(np.float32).astype(float)
        found = outputs_on("x86_64-linux", model, given, tmp_path / precision, precision)
        for k, name in enumerate(FUNCTIONS):
            with np.errstate(all="ignore"):
                right = getattr(np, FUNCTIONS[name].numpy)(*given.T[: FUNCTIONS[name].arity])
                right = right.astype(np.float32).astype(float) if precision == "single" else right
            np.testing.assert_allclose(found[:, k], right, rtol=bound, atol=bound, err_msg=name)


@pytest.mark.parametrize("target", COMPUTERS)
def test_formats_and_calls(target: str, tmp_path: Path) -> None:
    """The format is that of the system, and nothing but operations that the processor lacks is called."""
    files = rs.build("planar2r", target, tmp_path, "inverse_dynamics inverse_geometry")
    content = files[0].read_bytes()
    starts = {"windows": b"\x64\x86", "x86_64-macos": b"\xcf\xfa\xed\xfe\x07", "aarch64-macos": b"\xcf\xfa\xed\xfe\x0c"}
    machines = {"cortex": 40, "aarch64": 183, "riscv": 243, "x86_64": 62}
    start = next((bytes_ for part, bytes_ in starts.items() if part in target), b"\x7fELF")
    assert content.startswith(start)
    if start == b"\x7fELF":
        assert int.from_bytes(content[18:20], "little") == next(
            n for part, n in machines.items() if target.startswith(part)
        )
        names = run(tool("nm"), "-u", files[0].name, cwd=tmp_path) if target == "x86_64-linux" else ""
        assert not names.strip()
    assert "planar2r_inverse_dynamics(" in (tmp_path / "planar2r_inverse_dynamics.h").read_text()
    assert f"`planar2r{COMPUTERS[target].suffix}`" in (tmp_path / "README.md").read_text()


def test_stack_is_below_the_bound_of_the_header(tmp_path: Path) -> None:
    model = rs.inverse_dynamics(rs.load("rx90"))
    text = object_code({"arm": model}, "cortex-m4f", assembly=True).decode()
    model.build("cortex-m4f", tmp_path, name="arm")
    bound = re.search(r"Stack: at most (\d+) bytes", (tmp_path / "arm.h").read_text())
    body = text.partition("\narm:")[2].partition(".Lfunc_end")[0]
    used = sum(map(int, re.findall(r"sub(?:\.w)?\tsp, (?:sp, )?#(\d+)", body)))
    used += sum(4 * len(row.split(",")) for row in re.findall(r"\tpush\S*\t\{([^}]*)\}", body))
    used += 64 * len(re.findall(r"\tvpush\t", body))
    assert bound is not None and 0 < used <= int(bound[1])


def test_single_precision_of_wasm_is_an_error(tmp_path: Path) -> None:
    model = rs.gravity_torques(rs.load("planar2r"))
    for target, precision in (("wasm", "single"), ("cortex-m7", "half")):
        with pytest.raises(rs.InputError, match="precision"):
            model.build(target, tmp_path, precision=precision)
    assert "@llvm.fma.f64" not in state_kernels({"f": model}, True, True, False)
