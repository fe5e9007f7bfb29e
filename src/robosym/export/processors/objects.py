"""Object files of models for microcontrollers and other computers, with the headers of generated C."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from robosym.errors import InputError
from robosym.export.folders import function_names
from robosym.export.processors.compilers import Processor, compiled
from robosym.export.processors.fixed_kernels import fixed_kernels
from robosym.export.processors.state_kernels import state_kernels
from robosym.export.robot_functions import Part, model_of
from robosym.languages import code
from robosym.languages.header import provenance
from robosym.model import Model
from robosym.runtime.fixed_point import FixedPoint

__all__ = ["COMPUTERS", "Computer", "object_code", "object_files"]


@dataclass(frozen=True)
class Computer:
    """A processor with its operating system or none, and its floating-point unit."""

    processor: Processor
    about: str
    double: bool = True  #: whether it has instructions for double precision
    fused: bool = True  #: whether it has fused multiply-add
    suffix: str = ".o"


_HARD = "thumbv7em-unknown-none-eabihf"  #: Arm microcontrollers that pass numbers in registers for them
#: by target
COMPUTERS = {
    "cortex-m0plus": Computer(Processor("thumbv6m-unknown-none-eabi", "cortex-m0plus"), "Arm Cortex-M0+, soft float",
                              double=False, fused=False),
    "cortex-m4f": Computer(Processor(_HARD, "cortex-m4", "+vfp4d16sp"), "Arm Cortex-M4F, hard float", double=False),
    "cortex-m7": Computer(Processor(_HARD, "cortex-m7", "+fp-armv8d16"),
                          "Arm Cortex-M7 with double precision, hard float"),
    "aarch64-linux": Computer(Processor("aarch64-unknown-linux-gnu"), "64-bit Arm, ELF"),
    "riscv32": Computer(Processor("riscv32-unknown-unknown-elf", "generic-rv32", "+m,+a,+f,+c", "ilp32f"),
                        "32-bit RISC-V with F, ELF", double=False),
    "riscv64-linux": Computer(Processor("riscv64-unknown-linux-gnu", "generic-rv64", "+m,+a,+f,+d,+c", "lp64d"),
                              "64-bit RISC-V with F and D, ELF"),
    "x86_64-linux": Computer(Processor("x86_64-unknown-linux-gnu", "x86-64"), "64-bit x86, ELF", fused=False),
    "x86_64-windows": Computer(Processor("x86_64-pc-windows-msvc", "x86-64"), "64-bit x86, Windows", fused=False,
                               suffix=".obj"),
    "x86_64-macos": Computer(Processor("x86_64-apple-macosx11.0.0", "x86-64"), "64-bit x86, macOS", fused=False),
    "aarch64-macos": Computer(Processor("arm64-apple-macosx11.0.0", "apple-m1"), "Apple silicon, macOS"),
}  # fmt: skip
PRECISIONS = ("auto", "double", "single")
FIXED = "fixed"  #: precision of models in fixed-point arithmetic


def object_code(
    parts: Mapping[str, Model | FixedPoint], target: str, precision: str = "auto", assembly: bool = False
) -> bytes:
    """Return the object file of functions by name, or its assembly text."""
    computer = COMPUTERS[target]
    fixed = {own: part for own, part in parts.items() if isinstance(part, FixedPoint)}
    models = {own: part for own, part in parts.items() if isinstance(part, Model)}
    if fixed:
        text = fixed_kernels(fixed)
    else:
        text = state_kernels(models, _precision(computer, precision) == "single", computer.fused, computer.double)
    if computer.processor.abi:
        flag = f'!{{i32 1, !"target-abi", !"{computer.processor.abi}"}}'
        text += f"\n!llvm.module.flags = !{{!1}}\n!1 = {flag}\n"
    found = compiled(text, computer.processor, assembly)
    content: bytes = found.encode() if assembly else found
    return content


def _precision(computer: Computer, precision: str) -> str:
    if precision not in PRECISIONS:
        raise InputError(f"precision: expected {', '.join(PRECISIONS)}, found {precision!r}")
    return precision if precision != "auto" else "double" if computer.double else "single"


def object_files(
    target: str, name: str, functions: Mapping[str, Part], precision: str = "auto"
) -> dict[str, str | bytes]:
    """Return the files of a folder: the object file, a header per function, and one that includes all."""
    computer = COMPUTERS[target]
    names = function_names(name, functions)
    fixed = precision == FIXED
    models = {names[own]: part if isinstance(part, FixedPoint) else model_of(part) for own, part in functions.items()}
    options = {"precision": FIXED if fixed else _precision(computer, precision)}
    headers = {f"{own}.h": code(_noted(model), "h", name=own, **options) for own, model in models.items()}
    if f"{name}.h" not in headers:
        headers[f"{name}.h"] = "".join(f'#include "{file}"\n' for file in headers)
    content = object_code(models, target, precision)
    text = object_code(models, target, precision, assembly=True).decode()
    return {
        f"{name}{computer.suffix}": content, **headers,
        "README.md": _guide(name, computer, list(models), options["precision"], len(content), text),
    }  # fmt: skip


def _noted(part: Model | FixedPoint) -> Model:
    """Return the model of a header; in fixed-point arithmetic it lists the formats."""
    if isinstance(part, Model):
        return part
    lines = ["Numbers are integers, the value times 2^(fraction bits). Inputs out of their ranges may overflow.", ""]
    return part.model.with_notes(*lines, *str(part).splitlines()[2:])


def instructions(assembly: str, function: str) -> int:
    """Return the number of instructions of a function in ELF assembly, without those of functions that it calls."""
    _, _, body = assembly.partition(f"\n{function}:")
    body, _, _ = body.partition("\n.Lfunc_end")
    return len(re.findall(r"^\s+[a-z]", body, re.M))


def _guide(name: str, computer: Computer, names: list[str], precision: str, size: int, assembly: str) -> str:
    soft = (
        " Operations that the processor lacks are calls of the run-time library of the compiler (libgcc, compiler-rt)."
    )
    numbers = "fixed-point arithmetic" if precision == FIXED else f"{precision} precision"
    lines = [
        f"# {name}", "", *provenance(None), "",
        f"`{name}{computer.suffix}` ({size:,} bytes): {computer.about}, {numbers}. Include `{name}.h` and",
        "link the file. It allocates nothing, has no state, does not recurse and needs no C library."
        + ("" if computer.double else soft), "",
    ]  # fmt: skip
    if ".Lfunc_end" in assembly:
        lines += ["| function | instructions, without those of sine and cosine |", "| --- | --- |"]
        lines += [f"| `{own}` | {instructions(assembly, own)} |" for own in names] + [""]
    return "\n".join(lines)
