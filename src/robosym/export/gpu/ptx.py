"""PTX for NVIDIA processors, written by LLVM: no CUDA compiler is needed."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from robosym.export.processors.compilers import Processor, compiled
from robosym.export.processors.state_kernels import state_kernels
from robosym.model import Model, flat
from robosym.model.groups import is_online

__all__ = ["ARCHITECTURE", "assembler", "ptx", "resources"]

ARCHITECTURE = "sm_75"  #: the oldest that CUDA 13 supports; later processors run it, too
_ORDINAL = """
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()"""


def ptx(models: Mapping[str, Model], precision: str) -> str:
    """Return the assembly of kernels with the arguments and the layout of the CUDA sources."""
    single = precision == "single"
    text = state_kernels({f"{name}_state": model for name, model in models.items()}, single, fused=True, double=True)
    for name in models:
        text = re.sub(
            rf"define void @{name}_state\((.*)\) {{", rf"define internal void @{name}_state(\1) alwaysinline {{", text
        )
    text = text.replace(" @turn(double %x) noinline", " @turn(double %x) alwaysinline")
    text = text.replace(" @turn(float %x) noinline", " @turn(float %x) alwaysinline")
    kernels = [_kernel(name, model, "float" if single else "double") for name, model in models.items()]
    module = "\n".join([text, _ORDINAL, *kernels])
    return str(compiled(module, Processor("nvptx64-nvidia-cuda", ARCHITECTURE, "+ptx63"), assembly=True))


def _kernel(name: str, model: Model, kind: str) -> str:
    """Return the kernel that loads a state, calls the function of the model and stores its results."""
    given = {f"in.{group}": (len(names), is_online(group)) for group, names in model.inputs.items()}
    found = {f"out.{group}": (len([*flat(layout)]), True) for group, layout in model.outputs.items()}
    arguments = ", ".join(["i32 %states", *(f"ptr addrspace(1) noalias %{group}" for group in (*given, *found))])
    lines = [f"define ptx_kernel void @{name}({arguments}) {{", "entry:"]
    lines += [f"  %own.{group} = alloca [{size} x {kind}], align 8" for group, (size, _) in (given | found).items()]
    lines += [
        "  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()",
        "  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()",
        "  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()",
        "  %thread64 = zext i32 %thread to i64", "  %block64 = zext i32 %block to i64",
        "  %threads64 = zext i32 %threads to i64", "  %before = mul i64 %block64, %threads64",
        "  %i = add i64 %before, %thread64", "  %count = sext i32 %states to i64",
        "  %inside = icmp slt i64 %i, %count",
        "  br i1 %inside, label %run, label %leave", "run:",
    ]  # fmt: skip
    for group, (size, online) in given.items():
        for k in range(size):
            lines += [*_place(group, k, kind, online),
                      f"  %{group}.{k} = load {kind}, ptr addrspace(1) %at.{group}.{k}, align {_BYTES[kind]}",
                      f"  %in.own.{group}.{k} = getelementptr {kind}, ptr %own.{group}, i64 {k}",
                      f"  store {kind} %{group}.{k}, ptr %in.own.{group}.{k}"]  # fmt: skip
    passed = ", ".join(f"ptr %own.{group}" for group in (*given, *found))
    lines.append(f"  call void @{name}_state({passed})")
    for group, (size, _) in found.items():
        for k in range(size):
            lines += [f"  %out.own.{group}.{k} = getelementptr {kind}, ptr %own.{group}, i64 {k}",
                      f"  %{group}.{k} = load {kind}, ptr %out.own.{group}.{k}", *_place(group, k, kind, True),
                      f"  store {kind} %{group}.{k}, ptr addrspace(1) %at.{group}.{k}, align {_BYTES[kind]}",
                      ]  # fmt: skip
    return "\n".join([*lines, "  br label %leave", "leave:", "  ret void", "}"])


_BYTES = {"float": 4, "double": 8}


def _place(group: str, k: int, kind: str, online: bool) -> list[str]:
    """Return the address of an entry, which is contiguous over the states unless all states share it."""
    at = f"  %at.{group}.{k} = getelementptr {kind}, ptr addrspace(1) %{group}, i64"
    if not online:
        return [f"{at} {k}"]
    return [f"  %row.{group}.{k} = mul i64 %count, {k}", f"  %place.{group}.{k} = add i64 %row.{group}.{k}, %i",
            f"{at} %place.{group}.{k}"]  # fmt: skip


def assembler() -> str | None:
    """Return the path of NVIDIA's assembler: on the PATH, or in the package nvidia-cuda-nvcc of PyPI."""
    found = shutil.which("ptxas")
    spec = None if found else find_spec("nvidia")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        found = found or next((str(path) for path in sorted(Path(folder).glob("**/bin/ptxas"))), None)
    return found


def resources(text: str) -> dict[str, tuple[int, int]]:
    """Return registers per thread and bytes of spilled registers of each kernel; empty without the assembler."""
    program = assembler()
    if program is None:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.ptx").write_text(text, encoding="utf-8")
        done = subprocess.run([program, "-v", f"-arch={ARCHITECTURE}", "a.ptx", "-o", "a.cubin"], cwd=folder,
                              capture_output=True, text=True, check=False, timeout=600)  # fmt: skip
    report = done.stdout + done.stderr
    found = {}
    for name, rest in re.findall(r"Function properties for (\w+)\n((?:.*\n){2})", report):
        spilled = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", rest)
        used = re.search(r"Used (\d+) registers", rest)
        if spilled and used:
            found[name] = int(used[1]), int(spilled[1]) + int(spilled[2])
    return found
