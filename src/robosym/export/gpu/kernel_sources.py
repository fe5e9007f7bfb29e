"""Source text of kernels: a model for many states, one thread per state.

Arrays are stored entry by entry: entry k of all states is contiguous, so that neighboring threads read neighboring
numbers. A long model is divided into stages, kernels that run one after the other and pass values in
an array of the same layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from robosym.algebra import FUNCTIONS
from robosym.errors import InputError
from robosym.export.gpu.dialects import KERNEL_LANGUAGES, KernelLanguage, language_of, sines
from robosym.languages.functions import Function, Functions
from robosym.languages.header import describe
from robosym.languages.program import Array, wrapped
from robosym.model import Model

__all__ = ["STAGE", "KernelSource", "kernel_source"]

STAGE = 1500  #: statements of a stage: compilers take longer than linear time, and long stages spill registers
GROUP = 64  #: threads of a workgroup in WGSL, where it is part of the source


@dataclass(frozen=True)
class KernelSource:
    """The text of the kernels of a function, and what a caller needs to know."""

    text: str
    name: str
    stages: tuple[str, ...]  #: names of the kernels in order
    inputs: tuple[tuple[str, int, bool], ...]  #: name, entries, and whether all states share it
    outputs: tuple[tuple[str, tuple[int, ...]], ...]  #: name and shape
    shared: int  #: values per state that stages pass on


def kernel_source(model: Model, language: str, name: str, precision: str, stage: int = STAGE) -> KernelSource:
    """Return the kernels of a model in a language."""
    dialect = KERNEL_LANGUAGES[language]
    unknown = sorted({node.op for node in model.nodes if node.op in FUNCTIONS} - dialect.functions)
    if unknown:
        raise InputError(
            f"{language}: expected a model with {', '.join(sorted(dialect.functions))} only, found "
            f"{', '.join(unknown)}, whose accuracy {language.upper()} does not specify"
        )
    return _Kernels(model, dialect, name, precision, stage).source()


class _Kernels(Functions):
    """The kernels of a model."""

    def __init__(self, model: Model, dialect: KernelLanguage, name: str, precision: str, stage: int) -> None:
        self.dialect, self.precision, self.stage = dialect, precision, stage
        self.scalar = dialect.scalars[precision]
        super().__init__(model, language_of(dialect, precision, name), init=False, name=name)

    def source(self) -> KernelSource:
        program = self.program
        parts = program.whole(self.stage)
        function = Function(self.name, program.read, program.written, parts)
        used = {node.op for node in self.model.nodes}
        lines = [f"// {line}".rstrip() for line in describe(self.model)]
        lines += ["//", f"// Entry k of state i is at k * count + i in each array, of {self.precision} precision."]
        if self.dialect.name == "opencl" and self.precision == "double":
            lines += ["", "#pragma OPENCL EXTENSION cl_khr_fp64 : enable"]
        lines += ["", *sines(self.dialect, self.precision, self.name, used.__contains__)]
        cut = len(parts) > 1
        names = [f"{self.name}_{k}" for k in range(1, len(parts) + 1)] if cut else [self.name]
        lines += self._bindings(function) if self.dialect.name == "wgsl" else []
        for own, part in zip(names, parts, strict=True):
            lines += self.define(function, own, self.body(function, part), cut)
        return KernelSource(
            "\n".join(lines), self.name, tuple(names),
            tuple((array.name, array.size, array.once) for array in program.read),
            tuple((array.name, array.shape) for array in program.written), function.shared if cut else 0,
        )  # fmt: skip

    # ------------------------------------------------------------------ syntax

    def entry(self, array: Array, place: int) -> str:
        if array.once:
            return f"{self._own(array.name)}[{place}]"
        return f"{self._own(array.name)}[{self._index(place)}]"

    def shared(self, place: int) -> str:
        return f"{self._own('shared')}[{self._index(place)}]"

    def _index(self, place: int) -> str:
        unit = "u" if self.dialect.name == "wgsl" else ""
        count = f"{self.name}_size.count" if self.dialect.name == "wgsl" else "count"
        return f"{place}{unit} * {count} + i" if place else "i"

    def _own(self, array: str) -> str:
        """Return the name of an array: variables of a module in WGSL begin with the name of the function."""
        return f"{self.name}_{array}" if self.dialect.name == "wgsl" else array

    def declare(self, name: str, text: str) -> str:
        return wrapped(f"    {self.dialect.declared.format(self.scalar, name)} = ", text, ";", 110, "        ")

    def assign(self, target: str, text: str) -> str:
        return wrapped(f"    {target} = ", text, ";", 110, "        ")

    def space(self, function: Function) -> str:
        return ""

    def call(self, function: Function, name: str) -> str:
        return ""

    def define(self, function: Function, name: str, lines: list[str], is_part: bool = False) -> list[str]:
        if self.dialect.name == "wgsl":
            head = [f"@compute @workgroup_size({GROUP})",
                    f"fn {name}(@builtin(global_invocation_id) place: vec3<u32>)", "{", "    let i: u32 = place.x;",
                    f"    if (i >= {self.name}_size.count) {{ return; }}"]  # fmt: skip
            return [*head, *lines, "}", ""]
        arrays = [(f"const {self.scalar}", array.name) for array in function.read]
        arrays += [(self.scalar, array.name) for array in function.written]
        arrays += [(self.scalar, "shared")] if is_part else []
        if self.dialect.name == "opencl":
            arguments = [f"__global {kind} *restrict {array}" for kind, array in arrays]
            start, index, whole = "__kernel void", "get_global_id(0)", "size_t"
        else:
            arguments = [f"{kind} *__restrict__ {array}" for kind, array in arrays]
            start, index = 'extern "C" __global__ void', "blockIdx.x * (size_t)blockDim.x + threadIdx.x"
            whole = "size_t"
        signature = f"{start} {name}(const int states, {', '.join(arguments)})"
        signature = signature if len(signature) <= 100 else signature.replace(", ", ",\n    ")
        guard = ["    if (i >= count) return;"]
        if self.dialect.name == "opencl":  # a test in each thread makes compilers for CPUs mask every load and store
            guard = [
                "#ifndef EXACT_SIZE  // defined by callers that start one thread per state and no more",
                *guard,
                "#endif",
            ]
        begin = [f"    const {whole} count = ({whole})states, i = {index};", *guard]
        return [signature, "{", *begin, *lines, "}", ""]

    def _bindings(self, function: Function) -> list[str]:
        lines = [f"struct {self.name}_Size {{ count: u32 }}", ""]
        lines += [f"@group(0) @binding(0) var<uniform> {self.name}_size: {self.name}_Size;"]
        arrays: Sequence[tuple[str, str]] = [
            *((array.name, "read") for array in function.read),
            *((array.name, "read_write") for array in function.written),
            *((("shared", "read_write"),) if function.is_cut else ()),
        ]  # fmt: skip
        lines += [
            f"@group(0) @binding({k}) var<storage, {access}> {self._own(name)}: array<{self.scalar}>;"
            for k, (name, access) in enumerate(arrays, 1)
        ]
        return [*lines, ""]
