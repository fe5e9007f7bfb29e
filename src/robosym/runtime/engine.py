"""LLVM on this machine: what the processor offers, the functions of libm, and IR text to machine code."""

from __future__ import annotations

import ctypes
import ctypes.util
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from robosym.algebra import FUNCTIONS

__all__ = ["LIBM", "Host", "build", "host", "provide"]

llvm: Any = import_module("llvmlite.binding")  # it has no types

#: Functions that are called lane by lane, under the name `robosym_<function>` so that LLVM takes no liberties with
#: them, and how many arguments they take.
LIBM = {name: function.arity for name, function in FUNCTIONS.items() if function.libm}


@dataclass(frozen=True)
class Host:
    """A processor, as LLVM knows it, and the length of its vectors."""

    triple: str
    cpu: str
    features: str
    vector_bytes: int

    @property
    def is_x86(self) -> bool:
        return self.triple.split("-")[0] in ("x86_64", "i386", "i686")

    @property
    def is_arm(self) -> bool:
        return self.triple.split("-")[0] in ("aarch64", "arm64")


@cache
def host() -> Host:
    """This machine, looked at once."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for name in (*LIBM, "malloc", "free"):
        provide(f"robosym_{name}", _address(name))
    try:
        features = llvm.get_host_cpu_features()
    except RuntimeError:  # not known on every processor; then the features that its name implies
        features = llvm.FeatureMap()
    vector_bytes = 64 if features.get("avx512f") else 32 if features.get("avx2") else 16
    return Host(llvm.get_process_triple(), llvm.get_host_cpu_name(), features.flatten(), vector_bytes)


def provide(name: str, address: int) -> None:
    """Let generated code call what lies at `address`."""
    llvm.add_symbol(name, address)


def _libraries() -> Iterator[ctypes.CDLL]:
    """Where the functions of C may be: the process itself, then the libraries of the platform."""
    if sys.platform == "win32":
        yield from (ctypes.CDLL("ucrtbase"), ctypes.CDLL("msvcrt"))
    else:
        yield ctypes.CDLL(None)
        yield ctypes.CDLL(ctypes.util.find_library("m"))


def _address(name: str) -> int:
    for library in _libraries():
        function = getattr(library, name, None)
        if function is not None:
            address = ctypes.cast(function, ctypes.c_void_p).value
            assert address is not None
            return address
    raise RuntimeError(f"the C library of this platform has no function {name}")


def build(text: str, machine: Host) -> Any:
    """An execution engine that holds the machine code of a module, and lets go of it when it is collected."""
    module = llvm.parse_assembly(text)
    module.triple = machine.triple
    # The code is straight-line and free of common sub-expressions already: the passes over IR find nothing to do.
    target = llvm.Target.from_triple(machine.triple).create_target_machine(
        cpu=machine.cpu, features=machine.features, opt=2, jit=True
    )
    module.data_layout = str(target.target_data)
    engine = llvm.create_mcjit_compiler(module, target)
    engine.finalize_object()
    return engine
