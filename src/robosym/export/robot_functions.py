"""Functions of a robot that are built together, by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from robosym.control.drafting import compensation
from robosym.dynamics import direct_dynamics, gravity_torques, inertia_matrix, inverse_dynamics
from robosym.errors import InputError, closest
from robosym.export.state_models import Setup, Unit, robot_unit
from robosym.kinematics import direct_geometry, jacobian, transform
from robosym.mechanism import Robot
from robosym.mechanism.friction import friction_choice
from robosym.model import Model
from robosym.optimizer.optimize import fastest
from robosym.runtime.fixed_point import FixedPoint
from robosym.solve import inverse_geometry
from robosym.solve.inverse_geometry import InverseGeometry

__all__ = ["FUNCTIONS", "MOTION", "FunctionRequest", "Part", "Solved", "built_functions", "model_of", "solved"]

MOTION = "motion"  #: function of the derivatives of the states


@dataclass(frozen=True)
class Solved:
    """All branches of an inverse geometric model; the caller selects the solutions."""

    model: Model
    angles: tuple[bool, ...]  #: whether each joint is an angle


Part = Model | Solved | Unit | FixedPoint  #: a function as it is exported


def model_of(part: Part) -> Model:
    """Return the model of a function."""
    return part if isinstance(part, Model) else part.model


@dataclass(frozen=True)
class FunctionRequest:
    """A robot and the options of its functions."""

    robot: Robot
    frame: int | str | None = None
    tool: Any = None
    friction: bool | str = "smooth"
    checked: bool = True  #: give NaN for inputs that the legs of a platform do not allow


def _torques(given: FunctionRequest) -> Model:
    treated = compensation(given.robot, given.friction, desired=False)
    return treated.with_note(inverse_dynamics(given.robot, friction=friction_choice(given.friction)))


def _frames(given: FunctionRequest) -> Model:
    count = len(given.robot.frames)
    return transform(given.robot, *((0, j) for j in range(1, count + 1)))


def _solution(given: FunctionRequest) -> Model | Solved:
    found = inverse_geometry(given.robot, frame=given.frame, tool=given.tool)
    return solved(found) if isinstance(found, InverseGeometry) else found


def solved(found: InverseGeometry) -> Solved:
    """Return the branches of an inverse geometric model."""
    model = found.branches()
    lengths = {j for j, frame in zip(found.robot.variables, found.robot.frames, strict=True) if frame.joint_type.slides}
    rows = model.outputs["solutions"]
    names = [str(name).rpartition("_")[0] for name in rows[0]]
    return Solved(model, tuple(name not in lengths for name in names))


def _pose(given: FunctionRequest) -> Model:
    found = direct_geometry(given.robot, 0, given.frame, tool=given.tool)
    if not isinstance(found, Model):
        raise InputError("direct_geometry: the pose of a platform is computed numerically")
    return found


def _motion(given: FunctionRequest) -> Unit:
    """Return the derivatives of the states under motor torques; hybrid robots are in joint coordinates."""
    chosen = friction_choice(given.friction)
    robot = given.robot.to_closed() if len(given.robot.modules) > 1 else given.robot
    if chosen is False:
        raise InputError("friction: expected 'smooth' or 'yes' for the motion of a robot, found 'no'")
    return robot_unit(robot, Setup(friction="sign" if chosen is True else "smooth"))


#: functions by name; those before the inertia matrix are built by default
FUNCTIONS: dict[str, Callable[[FunctionRequest], Part]] = {
    "inverse_dynamics": _torques,
    "direct_dynamics": lambda given: direct_dynamics(given.robot),
    "gravity_torques": lambda given: gravity_torques(given.robot),
    "direct_geometry": _pose,
    "frames": _frames,
    "jacobian": lambda given: jacobian(given.robot, given.frame, 0, tool=given.tool),
    "inverse_geometry": _solution,
    "inertia_matrix": lambda given: inertia_matrix(given.robot),
    MOTION: _motion,
}
USUAL = tuple(FUNCTIONS)[:-2]


def built_functions(
    given: FunctionRequest, names: Any, usual: Sequence[str] = USUAL, needed: Sequence[str] = ()
) -> dict[str, Part]:
    """Return the functions of these names, by default those of the usual ones that the robot supports.

    An error is raised if it does not support one that is `needed`.
    """
    if isinstance(names, Mapping):
        for name in names:
            if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
                raise InputError(f"functions: expected identifiers, found {name!r}")
        return {name: _own(name, thing, given.checked) for name, thing in names.items()}
    wanted = names.replace(",", " ").split() if isinstance(names, str) else [*names]
    for name in wanted:
        if name not in FUNCTIONS:
            known = ", ".join(FUNCTIONS)
            raise InputError(f"functions: expected names among {known}, found {name!r}{closest(name, FUNCTIONS)}")
    found: dict[str, Part] = {}
    for name in wanted or usual:
        try:
            made = FUNCTIONS[name](given)
        except InputError:
            if wanted or name in needed:
                raise
            continue  # the robot does not support it
        found[name] = _prepared(made, given.checked)
    if not found:
        raise InputError(f"{given.robot.name}: none of the functions {', '.join(usual)} supports this robot")
    return found


def _prepared(made: Part, checked: bool) -> Part:
    """Return a model that gives NaN for inputs that the robot cannot reach, in a form that runs fast."""
    if not isinstance(made, Model):
        return made
    return fastest((made.checked() if checked else made)._filled())


def _own(name: str, thing: object, checked: bool) -> Model | Solved:
    if isinstance(thing, InverseGeometry):
        return solved(thing)
    if not isinstance(thing, Model):
        raise InputError(f"functions: {name}: expected a Model or an inverse geometric model, found {thing!r}")
    return (thing.checked() if checked else thing)._filled()
