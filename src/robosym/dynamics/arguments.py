"""Argument checks that the dynamic models share, and the choice of base inertial parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from robosym.dynamics.composite import BASE_RATES, Coordinate
from robosym.errors import InputError, Pass
from robosym.mechanism import BASE_ACCELERATION, Robot, with_given_motion
from robosym.mechanism.edit import with_reference
from robosym.mechanism.friction import with_friction
from robosym.model import Workspace
from robosym.spatial import Vec3

__all__ = [
    "BASE_ACCELERATION", "BASE_WRENCH", "define_base_acceleration", "define_base_wrench", "prepared", "prepared_tree",
    "reduced", "rows_and_columns",
]  # fmt: skip


def prepared(
    robot: Robot, structure: Literal["tree"] | None = None, base_parameters: bool = False,
    reference: Mapping[str, float] | None = None, friction: bool | str = True,
) -> Robot:  # fmt: skip
    """Return the robot of a model, with base parameters and friction as requested; `structure` is None or "tree".

    In an equivalent tree, the motion of the base is given, also for a floating base. `reference` replaces the
    position of the robot. `friction` is True (as described), False (none) or "smooth".
    """
    if friction is not True:
        robot = replace(with_friction(robot, friction), origin=robot.origin)
    if reference is not None:
        robot = with_reference(robot, reference)
    if not isinstance(base_parameters, bool):
        raise InputError(f"base_parameters: expected True or False, found {base_parameters!r}")
    if structure not in (None, "tree"):
        raise InputError(f"structure: expected None or 'tree', found {structure!r}")
    if base_parameters:
        robot = reduced(robot, structure)
    return with_given_motion(robot) if structure == "tree" else robot


def reduced(robot: Robot, structure: Literal["tree"] | None = None) -> Robot:
    """Return the robot with its base parameters only."""
    from robosym.parameters import base_parameters  # imports loop solvers and NumPy, which most models do not need

    return base_parameters(robot, structure=structure).robot


def prepared_tree(robot: Robot, structure: Literal["tree"] | None, base_parameters: bool, what: str) -> Robot:
    """Return the robot of a model of trees; raise `InputError` for a closed robot unless `structure` is "tree"."""
    if robot.constrained and structure is None:
        why = "closed loops" if robot.loops else "coupled joints"
        hint = ("pass ", Pass("structure", "tree"), f" for {what} of its equivalent tree")
        raise InputError(f"{robot.name} has {why}", hint=hint)
    return prepared(robot, structure, base_parameters)


def rows_and_columns(robot: Robot) -> tuple[tuple[Coordinate, ...], tuple[Coordinate, ...]]:
    """Return the rows (efforts) and columns (velocities) of a tree.

    A floating base adds rows and columns before those of the joints. A mobile base adds columns only, because its
    motion is given.
    """
    floats, moves, joints = robot.base.kind == "floating", robot.base.kind != "fixed", robot.tree_joints
    return (*BASE_RATES * floats, *joints), (*BASE_RATES * moves, *joints)


#: moment, then force on a moving base, in frame 0, as Newton-Euler names them
BASE_WRENCH = ("N10", "N20", "N30", "E10", "E20", "E30")


def define_base_wrench(work: Workspace, force: Vec3, moment: Vec3) -> tuple[str, ...]:
    """Define the outputs of the wrench on the base, and return their names."""
    for name, value in zip(BASE_WRENCH, (*moment, *force), strict=True):
        work.define(name, value)
    return BASE_WRENCH


def define_base_acceleration(work: Workspace, linear: Vec3, angular: Vec3) -> None:
    """Define the outputs of the acceleration of the base, and return their names."""
    for name, value in zip(BASE_ACCELERATION, (*angular, *linear), strict=True):
        work.define(name, value)
