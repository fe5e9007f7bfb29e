"""Menu Kinematic: Jacobians, velocities, accelerations, loops."""

from __future__ import annotations

from typing import Annotated

import typer

import robosym as rs
from robosym.cli.common import (
    LanguageOption,
    LevelOption,
    OutputOption,
    RobotArgument,
    SelectOption,
    deliver,
    progress,
    show_text,
)

__all__ = [
    "accelerations", "determinant", "inverse_jacobian", "jacobian", "jdot_qdot", "loop_kinematics",
    "operational_jacobian", "velocities",
]  # fmt: skip

LinkArgument = Annotated[int, typer.Argument(metavar="LINK", help="The link whose velocity it gives.")]
ProjectionOption = Annotated[int | None, typer.Option(help="Frame i of iJr,j; default: the simplest.")]
IntermediateOption = Annotated[int | None, typer.Option(help="Frame j of iJr,j; default: the simplest.")]


def jacobian(
    robot: RobotArgument,
    link: LinkArgument,
    projection: ProjectionOption = None,
    intermediate: IntermediateOption = None,
    output: OutputOption = None,
    language: LanguageOption = None,
    select: SelectOption = None,
    optimize: LevelOption = None,
) -> None:
    """The Jacobian matrix of a link."""
    deliver(lambda r: rs.jacobian(r, link, projection, intermediate), robot, output, language, select, optimize)


def determinant(
    robot: RobotArgument,
    link: LinkArgument,
    output: OutputOption = None,
    language: Annotated[str | None, typer.Option("-l", "--language", help="As code; default: the factors.")] = None,
) -> None:
    """The determinant of a Jacobian, factorised: the zeros of its factors are the singular configurations."""
    if language is not None or (output is not None and output.suffix != ".txt"):
        deliver(lambda r: rs.jacobian(r, link).determinant(), robot, output, language, None)
        return
    description = rs.load(robot)
    with progress(f"factorising the determinant for {description.name}"):
        matrix = rs.jacobian(description, link)
        factors = matrix.determinant().factors
        singular = matrix.singularities()
    lines = ["factors:", *(f"  ({factor})" + (f"^{power}" if power > 1 else "") for factor, power in factors)]
    show_text("\n".join([*lines, "singular where one of these is zero:", *(f"  {f}" for f in singular)]), output)


def inverse_jacobian(
    robot: RobotArgument, link: LinkArgument, output: OutputOption = None, language: LanguageOption = None
) -> None:
    """The inverse of a square Jacobian."""
    deliver(lambda r: rs.jacobian(r, link).inverse(), robot, output, language, None)


def operational_jacobian(
    robot: RobotArgument,
    link: LinkArgument,
    orientation: Annotated[str, typer.Option(help="rpy, euler, quaternion or cosines.")] = "rpy",
    output: OutputOption = None,
    language: LanguageOption = None,
    select: SelectOption = None,
) -> None:
    """Operational coordinates and their Jacobian."""
    deliver(lambda r: rs.operational_jacobian(r, link, orientation), robot, output, language, select)


def velocities(
    robot: RobotArgument, output: OutputOption = None, language: LanguageOption = None, select: SelectOption = None
) -> None:
    """Velocities of all links."""
    deliver(rs.velocities, robot, output, language, select)


def accelerations(
    robot: RobotArgument, output: OutputOption = None, language: LanguageOption = None, select: SelectOption = None
) -> None:
    """Accelerations of all links."""
    deliver(rs.accelerations, robot, output, language, select)


def jdot_qdot(
    robot: RobotArgument,
    link: LinkArgument,
    output: OutputOption = None,
    language: LanguageOption = None,
    optimize: LevelOption = None,
) -> None:
    """The product of the Jacobian's derivative and the joint velocities."""
    deliver(lambda r: rs.jdot_qdot(r, link), robot, output, language, None, optimize)


def loop_kinematics(
    robot: RobotArgument,
    solution: Annotated[bool, typer.Option("--solution", help="Solved for the passive joints: W.")] = False,
    output: OutputOption = None,
    language: LanguageOption = None,
    select: SelectOption = None,
) -> None:
    """Constraint equations of the loops of a closed robot."""
    deliver(
        lambda r: rs.loop_kinematics(r).solution() if solution else rs.loop_kinematics(r),
        robot, output, language, select,
    )  # fmt: skip
