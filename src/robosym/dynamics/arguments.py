"""What the dynamic models have in common: checks of their arguments, and the base set of inertial parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from robosym.errors import InputError, Pass
from robosym.mechanism import BASE_ACCELERATION, Robot, with_given_motion
from robosym.mechanism.friction import with_friction
from robosym.model import Workspace
from robosym.spatial import Vec3

__all__ = [
    "BASE_ACCELERATION", "BASE_WRENCH", "define_base_acceleration", "define_base_wrench", "prepared", "prepared_tree",
    "reduced",
]  # fmt: skip


def prepared(
    robot: Robot, structure: str | None = None, base_parameters: bool = False,
    reference: Mapping[str, float] | None = None, friction: bool | str = True,
) -> Robot:  # fmt: skip
    """The robot of a model: with its base parameters where these are wanted; `structure` is None or "tree".

    The motion of the base of an equivalent tree is given, also where the base floats.
    `reference` takes the place of the robot's position. `friction` is as described, none (False) or "smooth".
    """
    if friction is not True:
        robot = replace(with_friction(robot, friction), origin=robot.origin)
    if reference is not None:
        robot = replace(robot, position=dict(reference))
    if not isinstance(base_parameters, bool):
        raise InputError(f"base_parameters: expected True or False, found {base_parameters!r}")
    if structure not in (None, "tree"):
        raise InputError(f"structure: expected None or 'tree', found {structure!r}")
    if base_parameters:
        robot = reduced(robot, structure)
    return with_given_motion(robot) if structure == "tree" else robot


def reduced(robot: Robot, structure: str | None = None) -> Robot:
    """The robot with its base parameters only."""
    from robosym.parameters import base_parameters  # loops and NumPy come with it; most models need none

    return base_parameters(robot, structure=structure).robot


def prepared_tree(robot: Robot, structure: str | None, base_parameters: bool, what: str) -> Robot:
    """The same for models that exist of trees only; a closed robot must be asked about its equivalent tree."""
    if robot.constrained and structure is None:
        why = "closed loops" if robot.loops else "coupled joints"
        hint = ("pass ", Pass("structure", "tree"), f" for {what} of its equivalent tree")
        raise InputError(f"{robot.name} has {why}", hint=hint)
    return prepared(robot, structure, base_parameters)


#: Moment, then force on a base that moves, in frame 0: as Newton-Euler names them.
BASE_WRENCH = ("N10", "N20", "N30", "E10", "E20", "E30")


def define_base_wrench(work: Workspace, force: Vec3, moment: Vec3) -> tuple[str, ...]:
    for name, value in zip(BASE_WRENCH, (*moment, *force), strict=True):
        work.define(name, value)
    return BASE_WRENCH


def define_base_acceleration(work: Workspace, linear: Vec3, angular: Vec3) -> None:
    for name, value in zip(BASE_ACCELERATION, (*angular, *linear), strict=True):
        work.define(name, value)
