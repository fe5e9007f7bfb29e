"""Folders with kernels for graphics processors: sources, an example that runs them, and a guide."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pprint import pformat

from robosym.errors import InputError, RobotWarning
from robosym.export.folders import function_names, template
from robosym.export.gpu.dialects import KERNEL_LANGUAGES
from robosym.export.gpu.kernel_sources import KernelSource, kernel_source
from robosym.export.gpu.ptx import ARCHITECTURE, ptx, resources
from robosym.export.robot_functions import Part, model_of
from robosym.languages.header import provenance
from robosym.model import Model

__all__ = ["LANGUAGES", "gpu_files", "precisions"]

LANGUAGES = ("opencl", "cuda", "ptx", "wgsl")
_PROGRAMS = {"opencl": "PyOpenCL", "cuda": "CuPy", "ptx": "CuPy", "wgsl": "wgpu"}
_ABOUT = {
    "opencl": "OpenCL C 1.2", "cuda": "CUDA C++",
    "ptx": f"PTX for {ARCHITECTURE} and later, written without a compiler",
    "wgsl": "WGSL for WebGPU, Vulkan, Metal and Direct3D",
}  # fmt: skip
_SUFFIXES = {"opencl": "cl", "cuda": "cu", "ptx": "ptx"}


def precisions(language: str) -> tuple[str, ...]:
    """Return the precisions of kernels in a language, the usual one first."""
    return KERNEL_LANGUAGES["cuda" if language == "ptx" else language].precisions


def gpu_files(
    language: str, name: str, functions: Mapping[str, Part], precision: str = "auto"
) -> dict[str, str | bytes]:
    """Return the files by name."""
    if precision == "auto":
        precision = precisions(language)[0]
    names = function_names(name, functions)
    models = {names[own]: model_of(part) for own, part in functions.items()}
    sources = _sources(language, models, precision)
    models = {own: models[own] for own in sources}
    texts: dict[str, str | bytes] = {}
    if language == "wgsl":
        texts |= {f"{own}.wgsl": source.text for own, source in sources.items()}
    elif language == "ptx":
        texts[f"{name}.ptx"] = ptx(models, precision)
    else:
        texts[f"{name}.{_SUFFIXES[language]}"] = "\n".join(source.text for source in sources.values())
    launched = {
        own: (source.stages, source.inputs, source.outputs, source.shared) if language != "ptx"
        else ((own,), source.inputs, source.outputs, 0)
        for own, source in sources.items()
    }  # fmt: skip
    scalar = "float64" if precision == "double" else "float32"
    texts["launch.py"] = template(
        "robosym.export.gpu", f"launch/{'cuda' if language == 'ptx' else language}.txt",
        {"ROBOT_SCALAR": scalar, "ROBOT_TABLE": pformat(launched, width=110), "ROBOT_FILE": next(iter(texts))},
    )  # fmt: skip
    texts["README.md"] = _guide(language, name, sources, models, precision)
    return texts


def _sources(language: str, models: Mapping[str, Model], precision: str) -> dict[str, KernelSource]:
    """Return the kernels of the functions that the language can express accurately; a warning names the others."""
    found, problems = {}, {}
    for own, model in models.items():
        try:
            found[own] = kernel_source(model, "cuda" if language == "ptx" else language, own, precision)
        except InputError as error:
            problems[own] = error
    if not found:
        raise next(iter(problems.values()))
    if problems:
        warnings.warn(
            f"left out: {'; '.join(f'{own}: {e}' for own, e in problems.items())}", RobotWarning, stacklevel=5
        )
    return found


def _guide(
    language: str, name: str, sources: Mapping[str, KernelSource], models: Mapping[str, Model], precision: str
) -> str:
    lines = [
        f"# {name}", "", *provenance(None), "",
        f"Kernels in {_ABOUT[language]}, in {precision} precision: one thread per state. `launch.py` runs them with",
        f"{_PROGRAMS[language]}.", "",
        "Entry k of state i is at k * count + i in each array, so that neighboring threads read neighboring numbers;",
        "arrays marked * have one row for all states. Arguments: the number of states, then the arrays.", "",
        "| kernels, in order | arrays |", "| --- | --- |",
    ]  # fmt: skip
    for own, source in sources.items():
        columns = [f"{group}[{size}]{'*' if once else ''}" for group, size, once in source.inputs]
        columns += [f"{group}[{' x '.join(map(str, shape))}]" for group, shape in source.outputs]
        columns += [f"shared[{source.shared}]"] if source.shared and language != "ptx" else []
        stages = (own,) if language == "ptx" else source.stages
        lines.append(f"| {', '.join(f'`{stage}`' for stage in stages)} | {', '.join(columns)} |")
    report = resources(ptx(models, precision)) if language in ("cuda", "ptx") else {}
    if report:
        lines += ["", f"Registers by NVIDIA's assembler for {ARCHITECTURE}, from the PTX of robosym:", "",
                  "| kernel | registers per thread | bytes spilled |", "| --- | --- | --- |"]  # fmt: skip
        lines += [f"| `{own}` | {used} | {spilled} |" for own, (used, spilled) in sorted(report.items())]
    return "\n".join([*lines, ""])
