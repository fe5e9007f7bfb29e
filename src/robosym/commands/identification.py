"""Menu Identification: base parameters and identification models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

import robosym as rs
from robosym.commands.common import (
    BaseOption,
    LanguageOption,
    LevelOption,
    OutputOption,
    RobotArgument,
    SelectOption,
    TreeOption,
    deliver,
    progress,
    show_text,
)

__all__ = [
    "base_parameters", "dynamic_identification", "energy_identification", "filtered_identification",
    "power_identification",
]  # fmt: skip


def base_parameters(
    robot: RobotArgument,
    method: Annotated[str, typer.Option(help="symbolic or numeric.")] = "symbolic",
    tree: TreeOption = False,
    write: Annotated[
        Path | None, typer.Option("--write", help="Write the robot with its base parameters here.")
    ] = None,
    output: OutputOption = None,
) -> None:
    """The base inertial parameters and how they are grouped."""
    description = rs.load(robot)
    with progress(f"grouping the parameters of {description.name}"):
        result = rs.base_parameters(description, method=method, structure="tree" if tree else None)
        text = str(result)
        if write is not None:
            result.robot.write(write)
    show_text(text, output)


def _identification(generate: Callable[..., rs.Model], text: str) -> Callable[..., None]:
    def command(
        robot: RobotArgument,
        output: OutputOption = None,
        language: LanguageOption = None,
        select: SelectOption = None,
        tree: TreeOption = False,
        base_parameters: BaseOption = False,
        optimize: LevelOption = None,
    ) -> None:
        options: dict[str, Any] = {"structure": "tree" if tree else None, "base_parameters": base_parameters}
        deliver(lambda r: generate(r, **options), robot, output, language, select, optimize)

    command.__doc__ = text
    return command


dynamic_identification = _identification(rs.dynamic_identification, "The regressor D: torques are D K.")
energy_identification = _identification(rs.energy_identification, "The energy functions h.")
power_identification = _identification(rs.power_identification, "The derivatives of the energy functions.")
filtered_identification = _identification(rs.filtered_identification, "The parts D1 and D2 of the filtered regressor.")
