"""Menu Geometric: transformations, direct and inverse geometric models, loops."""

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
    "direct_geometry", "general_equations", "inverse_geometry", "loop_geometry", "paul_matrices", "transform",
]  # fmt: skip

FrameI = Annotated[int, typer.Argument(metavar="I", help="The frame it is seen from; -1 is the world.")]
FrameJ = Annotated[int, typer.Argument(metavar="J", help="The frame it is of.")]


def transform(
    robot: RobotArgument, i: FrameI, j: FrameJ, output: OutputOption = None, language: LanguageOption = None
) -> None:
    """The transformation matrix iTj in expanded form."""
    deliver(lambda r: rs.transform(r, i, j), robot, output, language, None)


def direct_geometry(
    robot: RobotArgument,
    i: FrameI,
    j: FrameJ,
    output: OutputOption = None,
    language: LanguageOption = None,
    select: SelectOption = None,
    optimize: LevelOption = None,
) -> None:
    """The fast geometric model iTj, with intermediate variables."""
    deliver(lambda r: rs.direct_geometry(r, i, j), robot, output, language, select, optimize)


FrameOption = Annotated[int | None, typer.Option(help="The frame to place; default: the last one.")]


def inverse_geometry(
    robot: RobotArgument,
    method: Annotated[str, typer.Option(help="auto, paul, pieper or general.")] = "auto",
    given: Annotated[str, typer.Option(help="The columns of the pose that are given, of s n a P.")] = "snaP",
    frame: FrameOption = None,
    fixed: Annotated[list[str] | None, typer.Option(help="A joint that is known; may be repeated.")] = None,
    output: OutputOption = None,
    language: Annotated[str | None, typer.Option("-l", "--language", help="c or python; default: in words.")] = None,
) -> None:
    """Joint positions from a pose: the solution step by step, or as code."""
    description = rs.load(robot)
    with progress(f"solving the inverse geometry of {description.name}"):
        model = rs.inverse_geometry(description, method=method, given=given, frame=frame, fixed=tuple(fixed or ()))
        wanted = language or {".c": "c", ".py": "python"}.get(output.suffix if output else "")
        text = model.code(wanted) if wanted else model.explain()
    show_text(text, output)


def paul_matrices(
    robot: RobotArgument, frame: FrameOption = None, output: OutputOption = None, language: LanguageOption = None
) -> None:
    """The matrices of Paul's method, both sides, forward and backward."""
    deliver(lambda r: rs.paul_matrices(r, frame), robot, output, language, None)


def general_equations(
    robot: RobotArgument,
    stop: Annotated[str, typer.Option(help="How far: AB, E, Sigma or determinant.")] = "E",
    first: Annotated[int, typer.Option(help="The joint at which the chain is opened, 1 to 6.")] = 1,
    frame: FrameOption = None,
    output: OutputOption = None,
    language: LanguageOption = None,
) -> None:
    """The equations of the general method, as far as they are wanted."""
    deliver(lambda r: rs.general_equations(r, stop, first, frame).model, robot, output, language, None)


def loop_geometry(
    robot: RobotArgument,
    known: Annotated[list[str] | None, typer.Option(help="A joint that is given; default: the active ones.")] = None,
    output: OutputOption = None,
) -> None:
    """Passive joints of a closed robot from its active ones, step by step."""
    description = rs.load(robot)
    with progress(f"solving the loops of {description.name}"):
        text = rs.loop_geometry(description, known or None).explain()
    show_text(text, output)
