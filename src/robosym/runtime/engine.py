"""LLVM on this machine: processor features, functions of libm, and compilation of IR."""

from __future__ import annotations

import ctypes
import ctypes.util
import hashlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any
from weakref import WeakValueDictionary

from robosym.algebra import FUNCTIONS
from robosym.runtime import code_cache

__all__ = ["LIBM", "Host", "build", "host", "provide"]

llvm: Any = import_module("llvmlite.binding")  # has no type annotations


def _fork_between_calls() -> None:
    """Make a fork wait until no thread is inside LLVM: in the child its lock would never be released."""
    lock = getattr(llvm.ffi.lib, "_lock", None)
    if lock is not None and hasattr(os, "register_at_fork"):

        def leave() -> None:
            lock.__exit__(None, None, None)

        os.register_at_fork(before=lock.__enter__, after_in_parent=leave, after_in_child=leave)


_fork_between_calls()

#: Functions called lane by lane under the name `robosym_<function>`, so that LLVM does not transform them, with their
#: number of arguments.
LIBM = {name: function.arity for name, function in FUNCTIONS.items() if function.libm}


@dataclass(frozen=True)
class Host:
    """A processor as LLVM describes it, and the length of its vectors."""

    triple: str
    cpu: str
    features: str
    vector_bytes: int

    @property
    def is_x86(self) -> bool:
        return self.triple.split("-")[0] in ("x86_64", "i386", "i686")

    @property
    def fused(self) -> bool:
        """Whether it has fused multiply-add instructions."""
        return self.is_arm or "+fma" in self.features.split(",")

    @property
    def is_arm(self) -> bool:
        return self.triple.split("-")[0] in ("aarch64", "arm64")


@cache
def host() -> Host:
    """Return this machine; the result is cached."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for name in (*LIBM, "malloc", "free"):
        provide(f"robosym_{name}", _address(name))
    if sys.platform == "win32":  # code with a frame of more than a page calls it to grow the stack
        provide("__chkstk", _address("__chkstk"))
    try:
        features = llvm.get_host_cpu_features()
    except RuntimeError:  # not available on every processor; then use the features its name implies
        features = llvm.FeatureMap()
    vector_bytes = 64 if features.get("avx512f") else 32 if features.get("avx2") else 16
    return Host(llvm.get_process_triple(), llvm.get_host_cpu_name(), features.flatten(), vector_bytes)


def provide(name: str, address: int) -> None:
    """Make the function at `address` callable from generated code."""
    llvm.add_symbol(name, address)


def _libraries() -> Iterator[ctypes.CDLL]:
    """Yield the libraries that may contain C functions: the process itself, then those of the platform."""
    if sys.platform == "win32":
        yield from map(ctypes.CDLL, ("ucrtbase", "msvcrt", "ntdll"))
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
    raise RuntimeError(f"the C library of this platform does not have the function {name}")


class Code:
    """Machine code loaded into this process; keeps the objects it points to alive."""

    def __init__(self, key: str, code: bytes, machine: Host, pointers: Mapping[str, Sequence[object]]) -> None:
        """Load code; `pointers` maps each address table of the module to the objects whose addresses it contains."""
        self.key, self.code = key, code
        self._kept = pointers
        empty, target = llvm.parse_assembly(""), _target(machine)
        empty.triple = target.triple
        self._engine = llvm.create_mcjit_compiler(empty, target)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        for name, objects in pointers.items():
            table = (ctypes.c_void_p * len(objects)).from_address(self._engine.get_global_value_address(name))
            table[:] = [id(thing) for thing in objects]

    def get_function_address(self, name: str) -> int:
        address: int = self._engine.get_function_address(name)
        return address


#: Length of a module in characters above which LLVM's optimization level is reduced: 400 links compile in two thirds of
#: the time, and the code is as fast.
_LARGE = 1_000_000
#: LLVM code generation level for straight-line code. Level 0 compiles in a third of the time and gives slower code,
#: which suits tests that call a model a few times.
effort = 2


def _target(machine: Host, level: int = 2) -> Any:
    return llvm.Target.from_triple(machine.triple).create_target_machine(
        cpu=machine.cpu, features=machine.features, opt=level, jit=True
    )


_loaded: WeakValueDictionary[str, Code] = WeakValueDictionary()


def build(
    text: str, machine: Host, pointers: Mapping[str, Sequence[object]] | None = None, cached: bool = True,
    loops: bool = False,
) -> Code:  # fmt: skip
    """Return the machine code of a module, from the cache if possible; see `code_cache`.

    The text contains no addresses of this process: Python objects are reached through tables that are filled in here.
    `loops`: the code has loops, so LLVM's optimization passes are worthwhile.
    """
    pointers = pointers or {}
    versions = (llvm.llvm_version_info, import_module("llvmlite").__version__, sys.version_info[:2], sys.byteorder)
    # code is shared by all models with the same text and names
    known = repr(
        (machine, versions, loops, effort, {name: list(map(str, objects)) for name, objects in pointers.items()})
    )
    key = hashlib.sha256(f"{known}\n{text}".encode()).hexdigest()
    if not cached:
        return Code(key, _compiled(text, machine, loops), machine, pointers)
    found = _loaded.get(key)
    if found is None:
        code = code_cache.read(key)
        if code is None:
            code = _compiled(text, machine, loops)
            code_cache.write(key, code)
        found = _loaded[key] = Code(key, code, machine, pointers)
    return found


def _compiled(text: str, machine: Host, loops: bool) -> bytes:
    module = llvm.parse_assembly(text)
    target = _target(machine, 2 if loops else min(effort, 1) if len(text) > _LARGE else effort)
    module.triple = target.triple  # on Windows llvmlite asks for ELF objects, the only ones that its JIT links there
    module.data_layout = str(target.target_data)
    for function in module.functions:  # nothing throws, so unwind tables are not needed
        function.add_function_attribute("nounwind")
    # Straight-line code has no common subexpressions: passes over the IR would find nothing.
    if loops:
        options = llvm.create_pipeline_tuning_options(speed_level=2)
        # general method: 90 µs per pose after 1 s of compilation; all passes give 76 µs after 2.5 s
        options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = False
        options.inlining_threshold = 10
        passes = llvm.create_pass_builder(target, options)
        passes.getModulePassManager().run(module, passes)
    code: bytes = target.emit_object(module)
    # LLVM 20 emits unwind tables nevertheless. If they are registered, newer C runtimes do not remove them completely
    # when the code is released, and the next backtrace (NumPy takes them) crashes. A renamed section is not registered.
    return code.replace(b".eh_frame\0", b".no_frame\0")
