"""Which functions a robot's bundle has."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from robosym.algebra import symbols
from robosym.control.drafting import compensation
from robosym.coordinates.following import closing_step
from robosym.coordinates.reference import numeric_reference
from robosym.dynamics import gravity_torques, inverse_dynamics
from robosym.errors import InputError
from robosym.kinematics import direct_geometry, jacobian
from robosym.kinematics.platform_jacobian import platform_jacobian
from robosym.mechanism import DRIVE, GEOMETRY, INERTIA, Robot
from robosym.mechanism.end_frame import chosen_frame
from robosym.mechanism.friction import friction_choice
from robosym.model import Model, is_online
from robosym.solve import inverse_geometry
from robosym.solve.inverse_geometry import InverseGeometry
from robosym.solve.leg_joints import leg_joints

__all__ = [
    "functions_of",
    "motor_places",
    "need_numbers",
    "pose_solution",
    "with_one_list",
]


def need_numbers(robot: Robot, models: Iterable[Model]) -> None:
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
    if robot.modules:
        links["P"] = robot.platform
    if robot.base.link is not None:
        links["0"] = robot.base.link
    for label, link in links.items():
        own = {name: getattr(link, name) for name in (*INERTIA, *DRIVE)}
        stands = (f"{name}{label}" for name, value in own.items() if f"{name}{label}" in symbols([value]))
        found |= dict.fromkeys(name for name in stands if name in used)
    return [name for name in found if name not in robot.variables]


def with_one_list(models: Mapping[str, Model]) -> dict[str, Model]:
    """The models, all of which take the same parameters in the same order where they take any."""
    known = dict.fromkeys(name for model in models.values() for name in model.known)
    used = {name for model in models.values() for name in model.inputs.get("parameters", ())}
    names = tuple(name for name in known if name in used)
    return {
        name: replace(model.plain(), whole=True, known=names) if "parameters" in model.inputs else model
        for name, model in models.items()
    }


def motor_places(robot: Robot) -> list[int]:
    """Of the motors among the joints of the tree."""
    return [place for place, j in enumerate(robot.tree_joints) if robot.frame(j).mu]


def functions_of(robot: Robot, frame: int | str | None, friction: bool | str = True) -> dict[str, Model]:
    """Models by the name of their function."""
    if robot.modules:
        return _of_platform(robot, friction)
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


def _of_platform(robot: Robot, friction: bool | str) -> dict[str, Model]:
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


def pose_solution(robot: Robot, frame: int | str | None) -> InverseGeometry | None:
    """The inverse geometry of a serial robot, where a pose determines its joints."""
    if robot.modules or robot.loops:
        return None
    try:
        found: InverseGeometry = inverse_geometry(robot, frame=frame)
        return found
    except InputError:  # fewer than six joints, or more: no pose determines them
        return None
