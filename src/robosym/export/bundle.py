"""Functions and files of a bundle, written atomically."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from robosym.algebra import symbols
from robosym.algebra.generic import random_arrays
from robosym.algebra.samples import Array
from robosym.control.drafting import compensation
from robosym.coordinates.accepts import accepts
from robosym.coordinates.closed_samples import closed_positions
from robosym.coordinates.closing import Closing
from robosym.coordinates.following import closing_step
from robosym.coordinates.platform_motion import POSE
from robosym.coordinates.pose_inputs import PoseInputs
from robosym.coordinates.reference import numeric_reference
from robosym.dynamics import gravity_torques, inverse_dynamics
from robosym.errors import InputError, missing_values
from robosym.export.folders import default_output, export_name, write_folder
from robosym.export.programs.matlab_folder import s_function
from robosym.export.self_test import self_test
from robosym.export.wrappers import closed_source, cmake, cpp_header, motor_places, umbrella
from robosym.kinematics import direct_geometry, jacobian
from robosym.kinematics.platform_jacobian import platform_jacobian
from robosym.languages import code
from robosym.mechanism import DRIVE, GEOMETRY, INERTIA, Robot
from robosym.mechanism.added_frame import tool_frame
from robosym.mechanism.end_frame import chosen_frame
from robosym.mechanism.friction import friction_choice
from robosym.model import Model, is_online
from robosym.optimizer.optimize import fastest
from robosym.solve import inverse_geometry
from robosym.solve.inverse_geometry import InverseGeometry
from robosym.solve.leg_joints import leg_joints
from robosym.solve.platform_assembly import allowed_motions

__all__ = ["bundle", "need_numbers"]


SCALARS = {"double": "double", "single": "float"}  #: C type by precision


@accepts("floating", platform="folder prefix precision friction coordinates")
def bundle(
    robot: Robot,
    folder: str | Path | None = None,
    prefix: str = "",
    precision: Literal["double", "single"] = "double",
    frame: int | str | None = None,
    tool: Any = None,
    friction: bool | str = "smooth",
    coordinates: Sequence[str] = (),
) -> list[Path]:
    """Write C functions with headers, a self-test, a CMake file, an S-function and a C++ header; return the paths.

    The functions are inverse dynamics, gravity torques, direct geometry, its Jacobian in frame 0 and, where a pose
    determines the joints, inverse geometry; for a closed robot also the functions that close its loops. For a
    parallel robot, which needs a reference position, they are the inverse dynamics from the motion of the platform,
    the motor positions from its pose, J_p^-1 and J_p. The geometry and the links must be numbers; symbols of gravity,
    of the orientation of the base and of a payload remain inputs of the functions (`robot.with_inputs`), and so does
    the orientation of a moving base. In double precision, the models are optimized for speed.

    Parameters
    ----------
    robot
        Robot whose geometry and links are numbers.
    folder
        Folder to write. Default: the prefix with _c.
    prefix
        Prefix of every name. Default: the name of the robot.
    precision
        Precision of numbers: `double` or `single`. In single precision there is no S-function, and the inverse
        geometric model of an arm stays in double.
    frame
        Frame whose pose and Jacobian are computed. Default: the end of the arm.
    tool
        Pose of a tool frame in that frame: x, y, z, roll, pitch, yaw, or a 4x4 matrix.
    friction
        Friction in inverse dynamics: `smooth` (tanh instead of the sign of a velocity), `yes` (as described) or `no`.
        The header states the choice.
    coordinates
        Coordinates of a platform that are the inputs in place of its pose, such as x and y of a five-bar robot; their
        rates and second derivatives then replace twist and acceleration (see `Model.in_coordinates`).

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    InputError
        If values of symbols are missing, or an option is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> files = rs.bundle(rs.load("planar2r"))
    >>> [file.name for file in files][:3]
    ['planar2r_inverse_dynamics.c', 'planar2r_inverse_dynamics.h', 'planar2r_gravity.c']
    """
    if robot.base.kind != "fixed" and not set(symbols(robot.gravity)):
        robot = robot.with_inputs("orientation")  # measured, by which gravity of the world is rotated into frame 0
    robot, frame = tool_frame(robot, frame, tool)
    if precision not in SCALARS:
        raise InputError(f"precision: expected {' or '.join(SCALARS)}, found {precision!r}")
    if folder is not None and not isinstance(folder, (str, Path)):
        raise InputError(f"folder: expected a path, found {folder!r}")
    folder, prefix = Path(folder or default_output("bundle", robot, {"prefix": prefix})), export_name(robot, prefix)
    models = _functions_of(robot, frame, friction, coordinates)
    need_numbers(robot, models.values())
    if precision == "double":  # in single precision another form would change the rounding errors
        models = {name: fastest(model) for name, model in models.items()}
    models = _with_one_list(models)
    solution = _pose_solution(robot, frame, models)
    texts = _texts(robot, prefix, precision, models, solution)
    return write_folder(folder, texts)


# ------------------------------------------------------------- the functions of a robot


def need_numbers(robot: Robot, models: Iterable[Model]) -> None:
    """Raise an error if numbers are missing: symbols of the geometry, and standard symbols of links such as M3.

    The inverse geometric model and the self-test need the geometry in numbers. Symbols of gravity, and others in the
    inertial parameters such as those of a payload, stay inputs of the functions.
    """
    names = [n for model in models for group, found in model.inputs.items() if not is_online(group) for n in found]
    missing = _missing(robot, {*names})
    if not missing:
        return
    raise missing_values(missing, f"{robot.name}: ")


def _missing(robot: Robot, used: Collection[str]) -> list[str]:
    """Return symbols of the geometry, and used standard symbols of links: XX3, or MP of a platform."""
    found = dict.fromkeys(symbols(getattr(frame, name) for frame in robot.frames for name in GEOMETRY))
    links = {str(j): link for j, link in enumerate(robot.links, 1)}
    for module in robot.modules:
        links["P"] = robot.link(module.end)
    if robot.base.link is not None:
        links["0"] = robot.base.link
    for label, link in links.items():
        own = {name: getattr(link, name) for name in (*INERTIA, *DRIVE)}
        stands = (f"{name}{label}" for name, value in own.items() if f"{name}{label}" in symbols([value]))
        found |= dict.fromkeys(name for name in stands if name in used)
    return [name for name in found if name not in robot.variables]


def _with_one_list(models: Mapping[str, Model]) -> dict[str, Model]:
    """Return the models with one common list of parameters, if they have any."""
    known = dict.fromkeys(name for model in models.values() for name in model.known)
    used = {name for model in models.values() for name in model.inputs.get("parameters", ())}
    names = tuple(name for name in known if name in used)
    return {
        name: replace(model.plain(), whole=True, known=names) if "parameters" in model.inputs else model
        for name, model in models.items()
    }


def _functions_of(
    robot: Robot, frame: int | str | None, friction: bool | str, coordinates: Sequence[str]
) -> dict[str, Model]:
    """Return the models by function name."""
    return (
        _of_platform(robot, friction, coordinates)
        if robot.coordinates == "platform"
        else _of_joints(robot, frame, friction)
    )


def _of_joints(robot: Robot, frame: int | str | None, friction: bool | str) -> dict[str, Model]:
    last = chosen_frame(robot, frame)
    makers: dict[str, Callable[[], Model]] = {
        "inverse_dynamics": lambda: _torques(robot, friction),
        "gravity": lambda: gravity_torques(robot),
        "direct_geometry": lambda: direct_geometry(robot, 0, last),
        "jacobian": lambda: jacobian(robot, last, 0),
    }
    if robot.loops:
        makers["closing_step"] = lambda: closing_step(robot, robot.motor_names)
    found: dict[str, Model] = {}
    for name, make in makers.items():
        try:
            found[name] = make()
        except InputError:
            if robot.base.kind == "fixed" or name == "inverse_dynamics":
                raise  # functions that do not support a moving base are omitted
    return found


def _torques(robot: Robot, friction: bool | str) -> Model:
    """Return inverse dynamics; its file documents the treatment of friction."""
    treated = compensation(robot, friction, desired=False)
    return treated.with_note(inverse_dynamics(robot, friction=friction_choice(friction)))


def _of_platform(robot: Robot, friction: bool | str, coordinates: Sequence[str]) -> dict[str, Model]:
    """Return functions of pose, twist and acceleration of the platform, or of coordinates of its pose."""
    reference = numeric_reference(robot)
    if reference is None:
        raise InputError(f"{robot.name} has no reference position: set `position` and numbers for its geometry")
    J = platform_jacobian(robot)
    found: dict[str, Model] = {
        "inverse_dynamics": _torques(robot, friction),
        "inverse_geometry": leg_joints(robot, passive=False),
        "inverse_jacobian": J,
    }
    if len(robot.motors) == reference.freedom:
        found["jacobian"] = J.inverse()
    if coordinates:
        found = {name: model.in_coordinates(*coordinates) for name, model in found.items()}
    return {name: model.checked() for name, model in found.items()}  # NaN for motions that the legs do not allow


def _in_poses(models: Mapping[str, Model]) -> bool:
    """Return whether the functions take the motion of a platform instead of that of joints."""
    return "pose" in models["inverse_dynamics"].inputs


def _pose_solution(robot: Robot, frame: int | str | None, models: Mapping[str, Model]) -> InverseGeometry | None:
    """Return the inverse geometric model of a serial robot, if a pose determines its joints."""
    if robot.loops or _in_poses(models):
        return None
    try:
        found = inverse_geometry(robot, frame=frame)
        return found if isinstance(found, InverseGeometry) else None
    except InputError:  # the arm does not have six joints, and a pose does not determine them
        return None


# -------------------------------------------------------------------------- the files


def _texts(
    robot: Robot, prefix: str, precision: str, models: dict[str, Model], solution: InverseGeometry | None
) -> dict[str, str]:
    scalar = SCALARS[precision]
    texts: dict[str, str] = {}
    for name, model in models.items():
        options = {"precision": precision, "name": f"{prefix}_{name}"}
        texts[f"{prefix}_{name}.c"] = code(model, "c", header=f"{prefix}_{name}.h", **options)
        texts[f"{prefix}_{name}.h"] = code(model, "h", **options)
    if solution is not None:
        recipe = solution.recipe(prefix)
        texts[f"{prefix}_igm.c"] = recipe.code("c", header=f"{prefix}_igm.h")
        texts[f"{prefix}_igm.h"] = recipe.code("h")
    if robot.loops:
        texts[f"{prefix}_closed.c"] = closed_source(robot, prefix, models["inverse_dynamics"], scalar)
    sources = [name for name in texts if name.endswith(".c")]
    texts[f"{prefix}.h"] = umbrella(
        robot, prefix, [name for name in texts if name.endswith(".h")], scalar, models, solution
    )
    motors = motor_places(robot) if robot.loops else []
    texts[f"{prefix}_test.c"] = self_test(prefix, scalar, models, solution, _positions(robot, models), motors)
    texts["CMakeLists.txt"] = cmake(robot, prefix, sources, precision)
    if precision == "double":
        dynamics = models["inverse_dynamics"]
        texts[f"{prefix}_sfun.c"] = s_function(dynamics, f"{prefix}_inverse_dynamics", f"{prefix}_sfun")
    texts[f"{prefix}.hpp"] = cpp_header(robot, prefix, models)
    return texts


def _positions(robot: Robot, models: Mapping[str, Model]) -> dict[str, Array]:
    """Return closed positions of the tree joints, or motions of the platform; none if any position is valid."""
    if _in_poses(models):
        reference = numeric_reference(robot)
        assert reference is not None
        samples = [reference.samples[0], *reference.around(4)]
        names = models["inverse_dynamics"].inputs["pose"]
        if names != POSE:
            inputs = PoseInputs(robot, names)
            states = np.resize([[inputs.values(sample)[name] for name in names] for sample in samples], (5, len(names)))
            rates = random_arrays("self-tests of bundles").uniform(-0.9, 0.9, (2, 5, len(names)))
            return dict(zip(("pose", "twist", "acceleration"), (states, *rates), strict=True))
        poses = np.resize([[*sample.pose_values.values()] for sample in samples], (5, 12))
        random = random_arrays("self-tests of bundles").uniform(-0.9, 0.9, (2, 5, 6))
        return dict(
            zip(("pose", "twist", "acceleration"), (poses, *allowed_motions(robot, poses, *random)), strict=True)
        )
    if not robot.loops:
        return {}
    found = closed_positions(Closing(robot), {}, random_arrays("self-tests of bundles", 2), 5)
    return {"q": np.array([[values[robot.variable(j)] for j in robot.tree_joints] for values in found])}
