"""Functional mock-up units (FMI 2.0 and 3.0) of robots in motion, controllers and models."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

from robosym.control.drives import Actuator
from robosym.coordinates.accepts import ALL, accepts
from robosym.errors import InputError, Pass
from robosym.export.archives import archive, c_compiler, library_suffix, processor, shared_library
from robosym.export.fmi.sources import MAIN, unit_sources
from robosym.export.fmi.unit_description import build_description, model_description
from robosym.export.folders import default_output
from robosym.export.state_models import Setup, Unit, model_unit, robot_unit
from robosym.files import write_bytes
from robosym.mechanism import Robot
from robosym.model import Model

__all__ = ["fmu", "write_model_fmu"]

Version = Literal["3.0", "2.0"]
_VERSIONS = ("3.0", "2.0")
_SYSTEMS = {"win32": ("win", "windows"), "darwin": ("darwin", "darwin")}  #: names in FMI 2.0 and in FMI 3.0


def _with_loops(robot: Robot, **given: Any) -> list[Path]:
    """Write the unit of modules in series in joint coordinates."""
    written: list[Path] = fmu(robot.to_closed(), **given)
    return written


@accepts("floating", motors=ALL, platform=ALL, modules=ALL, variants={"modules": _with_loops})
def fmu(
    robot: Robot, path: str | Path | None = None, version: Version = "3.0", q: Any = None, qd: Any = None,
    controller: Model | None = None, parameters: Mapping[str, Any] | None = None,
    *, friction: Literal["smooth", "sign", "stick"] = "smooth", smooth: float = 0.01, stops: object = None,
    actuators: Mapping[Any, Actuator] | bool | None = None, step: float = 1e-3, base: Any = None,
    base_velocity: Any = None, binary: bool = True,
) -> list[Path]:  # fmt: skip
    """Write the motion of a robot as a functional mock-up unit (FMU) for simulators.

    The unit supports Model Exchange, in which the simulator integrates the states, and Co-Simulation, in which the unit
    integrates them itself with the Runge-Kutta method of order 4. Inputs are the motor torques `tau[1]`, ... or the
    desired motion of a controller; outputs are the states: positions `q[1]`, ... and velocities `qd[1]`, ..., or pose
    and twist of a platform or base. Loops, quaternions and rotation matrices are projected after each internal step of
    Co-Simulation, and stabilized in Model Exchange. Directional derivatives are exact. Equal arguments give equal
    files, byte for byte, with the same compiler.

    Parameters
    ----------
    robot : Robot
        Tree, closed or parallel robot, on a fixed or floating base.
    path : str or Path, optional
        File to write. Default: the name of the robot with .fmu.
    version : {"3.0", "2.0"}
        Version of the standard.
    q : array_like, shape (joints,), optional
        Initial joint positions in rad or m. Default: zero, or the reference position.
    qd : array_like, shape (joints,), optional
        Initial joint velocities. Default: zero.
    controller : Model, optional
        Control law inside the unit, a model with the output "tau". Its inputs X_desired are inputs of the unit.
    parameters : mapping of str to float, optional
        Start value of each symbol of the robot and the controller. The symbols are parameters of the unit.
    friction : {"smooth", "sign", "stick"}
        Coulomb friction: `smooth` changes sign continuously within a speed, `sign` is discontinuous with events,
        `stick` holds joints at rest (Co-Simulation only).
    smooth : float
        Speed in rad/s or m/s within which smooth friction changes its sign.
    stops : mapping of joint to (lower, upper), or True, optional
        Positions of mechanical stops by joint; True uses the joint limits of the description.
    actuators : mapping of joint to Actuator, or True, optional
        Limits of torque and speed by joint, as `Actuator`; True uses those of the description.
    step : float
        Longest internal step of Co-Simulation in s.
    base : array_like, shape (7,), optional
        Initial pose of a floating base: position in m and quaternion w x y z.
    base_velocity : array_like, shape (6,), optional
        Initial velocity of a floating base in its own frame: angular, then linear.
    binary : bool
        Compile the unit for this platform. Otherwise it contains only the C sources.

    Returns
    -------
    list of Path
        The file.

    Raises
    ------
    InputError
        If an argument is invalid, the start value of a symbol is missing, or there is no C compiler.

    Examples
    --------
    >>> import robosym as rs
    >>> files = rs.fmu(rs.load("planar2r"), "arm.fmu", q=[0.5, 0.0], binary=False)
    >>> files[0].name
    'arm.fmu'
    """
    setup = Setup(q, qd, controller, parameters, friction, smooth, stops, actuators, step, base, base_velocity)
    _check(version, binary)
    return _written(robot_unit(robot, setup), Path(path or default_output("fmu", robot, {})), version, binary)


def write_model_fmu(
    model: Model, path: str | Path, *, version: Version = "3.0", parameters: Mapping[str, Any] | None = None,
    binary: bool = True,
) -> list[Path]:  # fmt: skip
    """Write any model as a functional mock-up unit: algebraic, or with the internal states of a controller."""
    _check(version, binary)
    return _written(model_unit(model, parameters), Path(path), version, binary)


def _check(version: str, binary: bool) -> None:
    if version not in _VERSIONS:
        raise InputError(f"version: expected {' or '.join(_VERSIONS)}, found {version!r}")
    if binary and c_compiler() is None:
        raise InputError(
            "binary: expected a C compiler (cc, gcc or clang) to compile the unit, found none",
            hint=("install one, or write the sources only with ", Pass("binary", False)),
        )


def _written(unit: Unit, path: Path, version: str, binary: bool) -> list[Path]:
    write_bytes(path, archive(_files(unit, version, binary)))
    return [path]


def _files(unit: Unit, version: str, binary: bool) -> dict[str, str | bytes]:
    """Return the files of the archive; the token is a hash of their content."""
    blank = [*unit_sources(unit, version, "").values(), model_description(unit, version, "")]
    token = f"{{{UUID(bytes=sha256(chr(0).join(blank).encode()).digest()[:16])}}}"
    sources = unit_sources(unit, version, token)
    found: dict[str, str | bytes] = {"modelDescription.xml": model_description(unit, version, token)}
    if binary:
        name = f"{unit.identifier}{library_suffix()}"
        found[f"binaries/{_platform(version)}/{name}"] = shared_library(sources, MAIN)
    found |= {f"sources/{name}": text for name, text in sources.items()}
    if version != "2.0":
        found["sources/buildDescription.xml"] = build_description(unit)
    return found


def _platform(version: str) -> str:
    """Return the name of this platform in the version of the standard: linux64, x86_64-linux."""
    old, new = _SYSTEMS.get(sys.platform, ("linux", "linux"))
    bits = "64" if sys.maxsize > 2**32 else "32"
    return f"{old}{bits}" if version == "2.0" else f"{processor()}-{new}"
