"""Menu Dynamic: inverse and direct models, inertia matrix, Lagrange."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import robosym as rs
from robosym.cli.common import (
    BaseOption,
    LanguageOption,
    LevelOption,
    OutputOption,
    RobotArgument,
    SelectOption,
    TreeOption,
    deliver,
    show_text,
    tree_command,
)

__all__ = [
    "bias_torques", "compare_formulations", "coriolis_matrix", "direct_dynamics", "gravity_torques",
    "inertia_matrix", "inverse_dynamics",
    "lagrange", "modified_newton_euler",
]  # fmt: skip


inverse_dynamics = tree_command(rs.inverse_dynamics, "Motor torques from positions, velocities and accelerations.")
inertia_matrix = tree_command(rs.inertia_matrix, "The inertia matrix A.")
bias_torques = tree_command(rs.bias_torques, "Centrifugal, Coriolis and gravity torques H.")
gravity_torques = tree_command(rs.gravity_torques, "Gravity torques Q.")
coriolis_matrix = tree_command(rs.coriolis_matrix, "A matrix C with C(q, qd) qd the centrifugal and Coriolis torques.")


def direct_dynamics(
    robot: RobotArgument,
    route: Annotated[str, typer.Option(help="recursive (no inertia matrix) or cholesky.")] = "recursive",
    output: OutputOption = None,
    language: LanguageOption = None,
    select: SelectOption = None,
    tree: TreeOption = False,
    base_parameters: BaseOption = False,
    optimize: LevelOption = None,
) -> None:
    """Joint accelerations from torques."""
    options: dict[str, Any] = {
        "route": route, "structure": "tree" if tree else None, "base_parameters": base_parameters,
    }  # fmt: skip
    deliver(lambda r: rs.direct_dynamics(r, **options), robot, output, language, select, optimize)


def lagrange(
    robot: RobotArgument,
    form: Annotated[str, typer.Option(help="customized or expanded.")] = "customized",
    output: OutputOption = None,
    language: LanguageOption = None,
    select: SelectOption = None,
    base_parameters: BaseOption = False,
    optimize: LevelOption = None,
) -> None:
    """The matrices A, B, C and Q of Lagrange's model."""
    deliver(
        lambda r: rs.lagrange(r, form=form, base_parameters=base_parameters), robot, output, language, select, optimize
    )


def compare_formulations(robot: RobotArgument, output: OutputOption = None) -> None:
    """Operations of the formulations of the literature: Uicker-Kahn, Hollerbach, Silver, Luh, ours."""
    show_text(str(rs.formulations.compare(rs.load(robot))), output)


def modified_newton_euler(
    robot: RobotArgument, output: OutputOption = None, language: LanguageOption = None, select: SelectOption = None
) -> None:
    """Inertia matrix and bias torques in one sweep."""
    deliver(rs.modified_newton_euler, robot, output, language, select)
