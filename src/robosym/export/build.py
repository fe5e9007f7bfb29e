"""`build`: the functions of a robot for a processor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from robosym.coordinates.accepts import ALL, accepts
from robosym.errors import InputError, closest
from robosym.export.folders import default_output, export_name, write_folder
from robosym.export.gpu.kernel_folder import LANGUAGES, gpu_files, precisions
from robosym.export.processors.objects import COMPUTERS, FIXED, object_files
from robosym.export.processors.python_package import python_files
from robosym.export.processors.wasm import wasm_files
from robosym.export.programs.acados_folder import acados_files
from robosym.export.programs.matlab_folder import matlab_files
from robosym.export.programs.modelica_folder import modelica_files
from robosym.export.robot_functions import MOTION, USUAL, FunctionRequest, Part, built_functions, model_of, solved
from robosym.languages.program import function_name
from robosym.mechanism import Robot
from robosym.model import Model
from robosym.runtime.fixed_point import FixedPoint
from robosym.solve.inverse_geometry import InverseGeometry

__all__ = ["TARGETS", "build", "build_model"]

Target = Literal[
    "wasm", "cortex-m0plus", "cortex-m4f", "cortex-m7", "aarch64-linux", "riscv32", "riscv64-linux", "x86_64-linux",
    "x86_64-windows", "x86_64-macos", "aarch64-macos", "opencl", "cuda", "ptx", "wgsl", "python", "matlab",
    "modelica", "acados",
]  # fmt: skip
Files = Mapping[str, str | bytes]


@dataclass(frozen=True)
class ExportTarget:
    """A target: its files by the name and the functions, what it builds by default, and the precisions of numbers.

    With several precisions, the files also depend on the one that is chosen.
    """

    files: Callable[..., Files]
    usual: Sequence[str] = USUAL
    needed: Sequence[str] = ()
    precisions: tuple[str, ...] = ("double",)


TARGETS = {
    "wasm": ExportTarget(wasm_files),
    **{
        target: ExportTarget(partial(object_files, target), precisions=("double", "single", FIXED))
        for target in COMPUTERS
    },
    **{language: ExportTarget(partial(gpu_files, language), precisions=precisions(language)) for language in LANGUAGES},
    "python": ExportTarget(python_files),
    "matlab": ExportTarget(matlab_files),
    "modelica": ExportTarget(modelica_files, (*USUAL, MOTION)),
    "acados": ExportTarget(acados_files, (MOTION, "direct_geometry"), (MOTION,)),
}


@accepts("floating", motors=ALL, platform=ALL, modules=ALL)
def build(
    robot: Robot, target: Target = "wasm", folder: str | Path | None = None, functions: Any = "", *, name: str = "",
    precision: Literal["auto", "double", "single", "fixed"] = "auto", frame: int | str | None = None, tool: Any = None,
    friction: bool | str = "smooth", ranges: Mapping[str, Any] | None = None, word: int = 32,
) -> list[Path]:  # fmt: skip
    """Write the functions of a robot as a program for another processor; return the paths.

    `wasm` is a folder for npm: a WebAssembly module without imports, a JavaScript wrapper with types for Node and
    browsers, and a description of its memory. `opencl`, `cuda`, `ptx` and `wgsl` are kernels for graphics processors,
    one thread per state, with an example that runs them. `python` is a package for pip that needs NumPy and a C
    compiler, and not robosym. `matlab` is a folder with MEX functions for MATLAB and Octave, S-functions for Simulink,
    and a script that compiles them. `modelica` is a package with functions and blocks, also of the motion of the robot.
    `acados` is a folder with the motion of the robot in CasADi and an optimal control problem. The other targets are
    object files for microcontrollers and computers, with the headers of generated C. Nothing else is needed to write
    the files.

    Parameters
    ----------
    robot : Robot
        Robot. Numbers in its description are constants, symbols are inputs.
    target : str
        Processor: WebAssembly, Arm Cortex-M, 64-bit Arm, RISC-V or x86 with its operating system; a language for
        graphics processors; a Python package; or a program.
    folder : str or Path, optional
        Folder to write. Default: the name with the target, rx90_wasm.
    functions : str, list of str, or mapping of str to Model, optional
        Names of functions: inverse_dynamics, direct_dynamics, gravity_torques, direct_geometry, frames (poses of all
        frames), jacobian, inverse_geometry, inertia_matrix, motion (derivatives of the states). Default: all but the
        last two that the robot supports. In Python also models by name.
    name : str
        Name of the files. Default: the name of the robot.
    precision : {"auto", "double", "single", "fixed"}
        Precision of numbers: `auto` is single on processors without instructions for double precision, and in WGSL.
        In object files, `fixed` is fixed-point arithmetic in integers of 32 bits, without overflow for inputs in their
        ranges; the header states formats and error bounds.
    frame : int or str, optional
        Frame whose pose and Jacobian are computed. Default: the end of the arm.
    tool : array_like, optional
        Pose of a tool frame in that frame: x, y, z, roll, pitch, yaw, or a 4x4 matrix.
    friction : {"smooth", "yes", "no"}
        Friction in inverse dynamics: `smooth` (tanh instead of the sign of a velocity), `yes` (as described) or `no`.
    ranges : mapping, optional
        Value or (low, high) by input or group, for `fixed`. Defaults as for `Model.bounds`.
    word : int
        Bits of a number, from 8 to 32, for `fixed`.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    InputError
        If an option is invalid, or the robot does not support a function that is named.

    Examples
    --------
    >>> import robosym as rs
    >>> files = rs.build(rs.load("planar2r"), "wasm", functions="direct_geometry inverse_dynamics")
    >>> [file.name for file in files]
    ['planar2r.wasm', 'planar2r.mjs', 'planar2r.d.ts', 'package.json', 'README.md']
    """
    own = export_name(robot, name)
    writer = _writer(target)
    request = FunctionRequest(robot, frame, tool, friction, checked=precision != FIXED)  # integers have no NaN
    given = built_functions(request, functions, writer.usual, writer.needed)
    return _written(own, given, target, folder, precision, ranges, word)


def build_model(
    model: Model | InverseGeometry, target: str, folder: str | Path | None = None, *, name: str = "",
    precision: str = "auto", ranges: Mapping[str, Any] | None = None, word: int = 32,
) -> list[Path]:  # fmt: skip
    """Write a single model; its function has the name of the files."""
    if isinstance(model, InverseGeometry):
        own = export_name(f"{model.robot.name}_igm", name)
        return _written(own, {own: solved(model)}, target, folder, precision, ranges, word)
    own = function_name(model, name)
    prepared = model if precision == FIXED else model.checked()._filled()
    return _written(own, {own: prepared}, target, folder, precision, ranges, word)


def _written(
    name: str, functions: Mapping[str, Part], target: str, folder: str | Path | None, precision: str,
    ranges: Mapping[str, Any] | None, word: int,
) -> list[Path]:  # fmt: skip
    writer = _writer(target)
    if folder is not None and not isinstance(folder, (str, Path)):
        raise InputError(f"folder: expected a path, found {folder!r}")
    where = Path(folder or default_output("build", name, {"target": target}))
    if precision not in ("auto", *writer.precisions):
        known = f"{', '.join(('auto', *writer.precisions)[:-1])} or {writer.precisions[-1]}"
        found = (
            "" if precision in ("double", "single", FIXED) else f", found {precision!r}"
        )  # a choice of other targets
        raise InputError(f"precision: expected {known} for {target}{found}")
    if precision == FIXED:
        functions = {own: _in_fixed_point(model_of(part), ranges, word) for own, part in functions.items()}
    chosen = () if writer.precisions == ("double",) else (precision,)
    return write_folder(where, writer.files(name, functions, *chosen))


def _in_fixed_point(model: Model, ranges: Mapping[str, Any] | None, word: int) -> FixedPoint:
    """Return the formats of a model, with those of the ranges that it reads."""
    if isinstance(ranges, Mapping):
        read = {*model.inputs, *(name for names in model.inputs.values() for name in names)}
        ranges = {key: span for key, span in ranges.items() if key in read}
    return model.fixed_point(word, ranges)


def _writer(target: str) -> ExportTarget:
    if target not in TARGETS:
        raise InputError(f"target: expected {', '.join(TARGETS)}, found {target!r}{closest(target, TARGETS)}")
    return TARGETS[target]
