"""The functions of a bundle and its files, written whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from robosym.algebra import symbols
from robosym.algebra.generic import random_arrays
from robosym.algebra.samples import Array
from robosym.control.drafting import compensation
from robosym.coordinates.accepts import accepts
from robosym.coordinates.closed_samples import closed_positions
from robosym.coordinates.closing import Closing
from robosym.coordinates.following import closing_step
from robosym.coordinates.reference import numeric_reference
from robosym.dynamics import gravity_torques, inverse_dynamics
from robosym.errors import InputError
from robosym.export.self_test import self_test
from robosym.export.wrappers import closed_source, cmake, cpp_header, motor_places, s_function, umbrella
from robosym.files import write_texts
from robosym.kinematics import direct_geometry, jacobian
from robosym.kinematics.platform_jacobian import platform_jacobian
from robosym.languages import code
from robosym.languages.reserved import C_WORDS
from robosym.mechanism import DRIVE, GEOMETRY, INERTIA, Robot
from robosym.mechanism.added_frame import aimed
from robosym.mechanism.end_frame import chosen_frame
from robosym.mechanism.friction import friction_choice
from robosym.model import Model, is_online
from robosym.optimizer.optimize import fastest
from robosym.safe_text import identifier
from robosym.solve import inverse_geometry
from robosym.solve.inverse_geometry import InverseGeometry
from robosym.solve.leg_joints import leg_joints
from robosym.solve.platform_assembly import allowed_motions

__all__ = ["bundle"]


#: names that cannot be a namespace of C++ or a target of CMake
_TAKEN = C_WORDS | frozenset(
    """all ALL_BUILD help install INSTALL preinstall clean edit_cache rebuild_cache test RUN_TESTS package PACKAGE
    package_source ZERO_CHECK c m dl""".split()
)
SCALARS = {"double": "double", "single": "float"}  #: the type of a number, by precision


@accepts("floating", platform="folder prefix precision friction")
def bundle(
    robot: Robot,
    folder: str | Path | None = None,
    prefix: str = "",
    precision: str = "double",
    frame: int | str | None = None,
    tool: Any = None,
    friction: bool | str = "smooth",
) -> list[Path]:
    """Write C functions with their headers, a self-test, a CMake file, an S-function and a C++ header; the paths.

    Inverse dynamics, gravity torques, direct geometry of `frame` (the end of the arm), or of a
    `tool` on it (4x4, or x y z roll pitch yaw), its Jacobian in frame 0 and, where a pose
    determines the joints, inverse geometry; of a closed robot also the functions that close its loops. Of a parallel
    robot, which needs a reference position: inverse dynamics from the motion of the platform, the motors from its pose,
    J_p^-1 and J_p. The geometry and the links must be numbers; symbols of gravity, of the orientation of the base and
    of a payload stay inputs of the functions (`robot.with_inputs`), and so
    does gravity on a moving base. The folder is by default `<prefix>_c`, `prefix` begins
    every name (default: the robot's name); `precision` is "double" or "single"; `friction` in
    inverse dynamics is "smooth" (tanh in the place of the sign of velocities, which chatters where they are measured),
    "yes" (as described) or "no", and the header says which. In double precision the models have the
    form that runs fastest; in single precision there is no S-function, and inverse geometry of arms is in double.
    """
    if robot.base.kind != "fixed" and not set(symbols(robot.gravity)):
        robot = robot.with_inputs("gravity")  # it turns with the base: a number would hold for one orientation alone
    robot, frame = aimed(robot, frame, tool)
    if precision not in SCALARS:
        raise InputError(f"precision: expected {' or '.join(SCALARS)}, found {precision!r}")
    prefix = identifier(prefix or robot.name)
    prefix = f"robot_{prefix}" if prefix in _TAKEN else prefix
    models = _functions_of(robot, frame, friction)
    _need_numbers(robot, models.values())
    if precision == "double":  # in single precision every digit counts
        models = {name: fastest(model) for name, model in models.items()}
    models = _with_one_list(models)
    solution = _pose_solution(robot, frame, models)
    texts = _texts(robot, prefix, precision, models, solution)
    folder = Path(folder or f"{prefix}_c")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror or error}") from None
    write_texts({folder / name: text for name, text in texts.items()})
    return [folder / name for name in texts]


# ------------------------------------------------------------- the functions of a robot


def _need_numbers(robot: Robot, models: Iterable[Model]) -> None:
    """Raise an error where values are missing: symbols of the geometry, and standard symbols of links such as M3.

    Inverse geometry and the self-test need the numbers of the geometry. Symbols of gravity and others in the inertial
    parameters, a payload's for example, stay inputs of the functions.
    """
    names = [n for model in models for group, found in model.inputs.items() if not is_online(group) for n in found]
    missing = _missing(robot, {*names})
    if not missing:
        return
    few = " ".join(list(dict.fromkeys([*names, *missing]))[:8])
    raise InputError(
        f"{robot.name} has symbols in place of numbers ({few} ..): give them values, robot.with_values({{..}}) or "
        f"--set NAME=NUMBER; gravity and a payload may stay inputs, robot.with_inputs(..) or --inputs. Missing: "
        f"{' '.join(missing[:8])}{' ..' if len(missing) > 8 else ''}"
    )


def _missing(robot: Robot, used: Collection[str]) -> list[str]:
    """Symbols of the geometry, and those used of links that stand for an entry of their own: XX3, MP of a platform."""
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
    """The models, all of which take the same parameters in the same order where they take any."""
    known = dict.fromkeys(name for model in models.values() for name in model.known)
    used = {name for model in models.values() for name in model.inputs.get("parameters", ())}
    names = tuple(name for name in known if name in used)
    return {
        name: replace(model.plain(), whole=True, known=names) if "parameters" in model.inputs else model
        for name, model in models.items()
    }


def _functions_of(robot: Robot, frame: int | str | None, friction: bool | str) -> dict[str, Model]:
    """Models by the name of their function."""
    return {"platform": _of_platform}.get(robot.coordinates, _of_joints)(robot, frame, friction)


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
                raise  # a function that does not treat a moving base is left out
    return found


def _torques(robot: Robot, friction: bool | str) -> Model:
    """Inverse dynamics, whose file says what it makes of friction."""
    treated = compensation(robot, friction, desired=False)
    return treated.said(inverse_dynamics(robot, friction=friction_choice(friction)))


def _of_platform(robot: Robot, frame: int | str | None, friction: bool | str) -> dict[str, Model]:
    """From pose, twist and acceleration of the platform."""
    reference = numeric_reference(robot)
    if reference is None:
        raise InputError(f"{robot.name}: give its reference position (position:) and numbers for its geometry")
    J = platform_jacobian(robot)
    found: dict[str, Model] = {
        "inverse_dynamics": _torques(robot, friction),
        "inverse_geometry": leg_joints(robot, passive=False),
        "inverse_jacobian": J,
    }
    if len(robot.motors) == reference.freedom:
        found["jacobian"] = J.inverse()
    return {name: model.checked() for name, model in found.items()}  # a motion that the legs do not allow gives NaN


def _in_poses(models: Mapping[str, Model]) -> bool:
    """Whether the functions take the motion of a platform, and not of joints."""
    return "pose" in models["inverse_dynamics"].inputs


def _pose_solution(robot: Robot, frame: int | str | None, models: Mapping[str, Model]) -> InverseGeometry | None:
    """The inverse geometry of a serial robot, where a pose determines its joints."""
    if robot.loops or _in_poses(models):
        return None
    try:
        found: InverseGeometry = inverse_geometry(robot, frame=frame)
        return found
    except InputError:  # fewer than six joints, or more: no pose determines them
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
        texts[f"{prefix}_sfun.c"] = s_function(robot, prefix, "inverse_dynamics", models["inverse_dynamics"])
    texts[f"{prefix}.hpp"] = cpp_header(robot, prefix, models)
    return texts


def _positions(robot: Robot, models: Mapping[str, Model]) -> dict[str, Array]:
    """Closed positions of the joints of the tree, or motions of the platform; none where any position will do."""
    if _in_poses(models):
        reference = numeric_reference(robot)
        assert reference is not None
        samples = [reference.samples[0], *reference.around(4)]
        poses = np.resize([[*sample.pose_values.values()] for sample in samples], (5, 12))
        random = random_arrays("self-tests of bundles").uniform(-0.9, 0.9, (2, 5, 6))
        return dict(
            zip(("pose", "twist", "acceleration"), (poses, *allowed_motions(robot, poses, *random)), strict=True)
        )
    if not robot.loops:
        return {}
    found = closed_positions(Closing(robot), {}, random_arrays("self-tests of bundles", 2), 5)
    return {"q": np.array([[values[robot.variable(j)] for j in robot.tree_joints] for values in found])}
