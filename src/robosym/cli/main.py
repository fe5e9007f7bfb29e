"""The command line: the public functions by the guide's menus, `robosym inverse-dynamics rx90 -o rx90_dyn.c`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import robosym as rs
from robosym.cli import dynamic_menu as dynamic
from robosym.cli import geometric_menu as geometric
from robosym.cli import identification_menu as identification
from robosym.cli import kinematic_menu as kinematic
from robosym.cli import optimizer_menu as optimizer
from robosym.cli import robot_menu as robot
from robosym.errors import Error

__all__ = ["app", "main"]

app = typer.Typer(
    name="robosym",
    help="Symbolic models of robots: describe one, generate its models, write them as code.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
)

MENUS = {
    "Robot": {"list": robot.list_robots, "show": robot.show, "convert": robot.convert},
    "Geometric": {name.replace("_", "-"): getattr(geometric, name) for name in geometric.__all__},
    "Kinematic": {name.replace("_", "-"): getattr(kinematic, name) for name in kinematic.__all__},
    "Dynamic": {name.replace("_", "-"): getattr(dynamic, name) for name in dynamic.__all__},
    "Identification": {name.replace("_", "-"): getattr(identification, name) for name in identification.__all__},
    "Optimizer": {"optimize": optimizer.optimize},
}
for menu, commands in MENUS.items():
    for name, command in commands.items():
        # numbers such as -1 (the world) are arguments, not options
        settings = {"ignore_unknown_options": True} if menu == "Geometric" else {}
        app.command(name, rich_help_panel=menu, context_settings=settings)(command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"robosym {rs.__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Symbolic models of robots: describe one, generate its models, write them as code."""


def main() -> None:
    """Run the command line; an error of the user's is one line on standard error and exit code 1."""
    try:
        app()
    except Error as error:
        typer.echo(f"robosym: {error}", err=True)
        raise SystemExit(1) from None
    except BrokenPipeError:  # `robosym show rx90 | head`
        sys.stderr.close()
        raise SystemExit(0) from None


if __name__ == "__main__":
    main()
