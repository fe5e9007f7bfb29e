"""`build`: the functions of a robot for a processor."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from robosym.coordinates.accepts import ALL, accepts
from robosym.errors import InputError, closest
from robosym.export.processors.robot_functions import FunctionRequest, Solved, built_functions, solved
from robosym.export.processors.wasm import wasm_files
from robosym.files import write_bytes
from robosym.languages.program import function_name
from robosym.mechanism import Robot
from robosym.model import Model
from robosym.safe_text import identifier
from robosym.solve.inverse_geometry import InverseGeometry

__all__ = ["TARGETS", "build", "build_model"]

Target = Literal["wasm"]
#: files by target, of functions by name
TARGETS = {"wasm": wasm_files}


@accepts("floating", motors=ALL, platform=ALL, modules=ALL)
def build(
    robot: Robot, target: Target = "wasm", folder: str | Path | None = None, functions: Any = "", *, name: str = "",
    frame: int | str | None = None, tool: Any = None, friction: bool | str = "smooth",
) -> list[Path]:  # fmt: skip
    """Write the functions of a robot as a program for another processor; return the paths.

    `wasm` is a folder for npm: a WebAssembly module without imports, a JavaScript wrapper with types for Node and
    browsers, and a description of its memory. No other tool is needed.

    Parameters
    ----------
    robot : Robot
        Robot. Numbers in its description are constants, symbols are inputs.
    target : {"wasm"}
        Processor.
    folder : str or Path, optional
        Folder to write. Default: the name with the target, rx90_wasm.
    functions : str, list of str, or mapping of str to Model, optional
        Names of functions: inverse_dynamics, direct_dynamics, gravity_torques, direct_geometry, frames (poses of all
        frames), jacobian, inverse_geometry, inertia_matrix. Default: all but the last that the robot supports. In
        Python also models by name.
    name : str
        Name of the files. Default: the name of the robot.
    frame : int or str, optional
        Frame whose pose and Jacobian are computed. Default: the end of the arm.
    tool : array_like, optional
        Pose of a tool frame in that frame: x, y, z, roll, pitch, yaw, or a 4x4 matrix.
    friction : {"smooth", "yes", "no"}
        Friction in inverse dynamics: `smooth` (tanh instead of the sign of a velocity), `yes` (as described) or `no`.

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
    own = identifier(name or robot.name)
    given = built_functions(FunctionRequest(robot, frame, tool, friction), functions)
    return _written(own, given, target, folder)


def build_model(
    model: Model | InverseGeometry, target: str, folder: str | Path | None = None, *, name: str = ""
) -> list[Path]:
    """Write a single model; its function has the name of the files."""
    if isinstance(model, InverseGeometry):
        own: str = identifier(name or f"{model.robot.name}_igm")
        return _written(own, {own: solved(model)}, target, folder)
    own = function_name(model, name)
    return _written(own, {own: model.checked()._filled()}, target, folder)


def _written(name: str, functions: Mapping[str, Model | Solved], target: str, folder: str | Path | None) -> list[Path]:
    if target not in TARGETS:
        raise InputError(f"target: expected {', '.join(TARGETS)}, found {target!r}{closest(target, TARGETS)}")
    if folder is not None and not isinstance(folder, (str, Path)):
        raise InputError(f"folder: expected a path, found {folder!r}")
    where = Path(folder or f"{name}_{target}")
    contents = TARGETS[target](name, functions)
    try:
        where.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"folder: expected a folder to write, found {str(where)!r}: {error.strerror}") from None
    for file, content in contents.items():
        write_bytes(where / file, content if isinstance(content, bytes) else content.encode())
    return [where / file for file in contents]
