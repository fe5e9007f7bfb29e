"""Menu Identification: base parameters and identification models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import robosym as rs
from robosym.cli.common import (
    OutputOption,
    RobotArgument,
    TreeOption,
    progress,
    show_text,
    tree_command,
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


dynamic_identification = tree_command(rs.dynamic_identification, "The regressor D: torques are D K.")
energy_identification = tree_command(rs.energy_identification, "The energy functions h.")
power_identification = tree_command(rs.power_identification, "The derivatives of the energy functions.")
filtered_identification = tree_command(rs.filtered_identification, "The parts D1 and D2 of the filtered regressor.")
