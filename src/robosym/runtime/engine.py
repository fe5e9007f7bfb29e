"""LLVM on this machine: what the processor offers, the functions of libm, and IR text to machine code."""

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

llvm: Any = import_module("llvmlite.binding")  # it has no types


def _fork_between_calls() -> None:
    """A fork waits until no thread is inside LLVM: in the child its lock would stay with a thread that is not there."""
    lock = getattr(llvm.ffi.lib, "_lock", None)
    if lock is not None and hasattr(os, "register_at_fork"):

        def leave() -> None:
            lock.__exit__(None, None, None)

        os.register_at_fork(before=lock.__enter__, after_in_parent=leave, after_in_child=leave)


_fork_between_calls()

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
    def fused(self) -> bool:
        """Whether it multiplies and adds in one."""
        return self.is_arm or "+fma" in self.features.split(",")

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


class Code:
    """The machine code of a module in this process; what it points to lives as long as it."""

    def __init__(self, key: str, code: bytes, machine: Host, pointers: Mapping[str, Sequence[object]]) -> None:
        """`pointers` are the module's tables of addresses: name, and the objects whose addresses belong there."""
        self.key, self.code = key, code
        self._kept = pointers
        empty = llvm.parse_assembly("")
        empty.triple = machine.triple
        self._engine = llvm.create_mcjit_compiler(empty, _target(machine))
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        for name, objects in pointers.items():
            table = (ctypes.c_void_p * len(objects)).from_address(self._engine.get_global_value_address(name))
            table[:] = [id(thing) for thing in objects]

    def get_function_address(self, name: str) -> int:
        address: int = self._engine.get_function_address(name)
        return address


#: Characters of a module from which on LLVM takes less trouble: machine code of 400 links in two thirds of the time,
#: and as fast.
_LARGE = 1_000_000
#: Level of LLVM's code generator for straight-line code. Level 0 makes slower code in a third of the time, which suits
#: tests that call a model a few times.
effort = 2


def _target(machine: Host, trouble: int = 2) -> Any:
    return llvm.Target.from_triple(machine.triple).create_target_machine(
        cpu=machine.cpu, features=machine.features, opt=trouble, jit=True
    )


_loaded: WeakValueDictionary[str, Code] = WeakValueDictionary()


def build(
    text: str, machine: Host, pointers: Mapping[str, Sequence[object]] | None = None, cached: bool = True,
    loops: bool = False,
) -> Code:  # fmt: skip
    """The machine code of a module, made anew only where it is not known yet; see `code_cache`.

    The text holds no address of this process: objects of Python are reached through tables that are filled in here.
    `loops`: the text is no straight line of operations, and LLVM's passes are worth their time.
    """
    pointers = pointers or {}
    versions = (llvm.llvm_version_info, import_module("llvmlite").__version__, sys.version_info[:2], sys.byteorder)
    # code is shared by all that have the same text and names
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
    module.triple = machine.triple
    target = _target(machine, 2 if loops else min(effort, 1) if len(text) > _LARGE else effort)
    module.data_layout = str(target.target_data)
    for function in module.functions:  # tables for unwinding are not needed: nothing in it throws
        function.add_function_attribute("nounwind")
    # Straight-line code is free of common sub-expressions already: the passes over IR find nothing to do.
    if loops:
        options = llvm.create_pipeline_tuning_options(speed_level=2)
        # 90 us a pose of the general method after 1 s of compiling; all that LLVM can do gives 76 us after 2.5 s
        options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = False
        options.inlining_threshold = 10
        passes = llvm.create_pass_builder(target, options)
        passes.getModulePassManager().run(module, passes)
    code: bytes = target.emit_object(module)
    # LLVM 20 writes the tables all the same. Once registered, newer runtimes of C do not forget them in full when the
    # code is let go of: the next backtrace, as NumPy takes them, ends the process. Under another name they are not.
    return code.replace(b".eh_frame\0", b".no_frame\0")
