"""The command line: the public functions by the guide's menus, `robosym inverse-dynamics rx90 -o rx90_dyn.c`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

import robosym as rs
from robosym.emit import LANGUAGES
from robosym.errors import Error
from robosym.model import Model
from robosym.robot import DRIVE, GEOMETRY, INERTIA, Robot

__all__ = ["app", "main"]

app = typer.Typer(
    name="robosym",
    help="Symbolic models of robots: describe one, generate its models, write them as code.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
)
ROBOT, DYNAMIC, OTHER = "Robot", "Dynamic", "Other"

RobotArgument = Annotated[
    str, typer.Argument(metavar="ROBOT", help="A name of the library (see `robosym list`) or a .par or .yaml file.")
]
OutputOption = Annotated[
    Path | None,
    typer.Option("-o", "--output", help="Write to this file; its extension chooses the language. Default: print."),
]
LanguageOption = Annotated[
    str | None, typer.Option("-l", "--language", help=f"One of: {', '.join(LANGUAGES)}. Default: listing.")
]
SelectOption = Annotated[
    list[str] | None,
    typer.Option("-s", "--select", help="Keep only these variables: a name or a prefix, may be repeated."),
]
TreeOption = Annotated[bool, typer.Option("--tree", help="A closed robot: the model of its equivalent tree.")]


@contextmanager
def progress(text: str) -> Iterator[None]:
    """A moving sign on a terminal while something takes its time; nothing in a pipe."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(text):
        yield


def deliver(
    generate: Callable[[Robot], Model], robot: str, output: Path | None, language: str | None, select: list[str] | None
) -> None:
    """Load, generate, select, and print or write."""
    description = rs.load(robot)
    with progress(f"generating the model of {description.name}"):
        model = generate(description)
        model = model.select(*select) if select else model
        if output is None:
            sys.stdout.write(model.code(language or "listing"))
            return
        written = model.write(output, language)
    typer.echo(f"{model.title} of {model.name}: {model.operations}", err=True)
    typer.echo(f"wrote {', '.join(map(str, written))}", err=True)


@app.command("list", rich_help_panel=ROBOT)
def list_robots() -> None:
    """The robots of the library."""
    table = Table("name", "robot", "joints", "structure", box=None, pad_edge=False)
    for name in rs.library():
        robot = rs.load(name)
        table.add_row(name, robot.title, str(len(robot.tree_joints)), robot.structure)
    Console().print(table)


def _rows(title: str, columns: list[str], rows: list[list[Any]]) -> Table:
    table = Table(*columns, title=title, title_justify="left", box=None, pad_edge=False)
    for row in rows:
        table.add_row(*map(str, row))
    return table


@app.command(rich_help_panel=ROBOT)
def show(robot: RobotArgument) -> None:
    """The parameters of a robot."""
    r = rs.load(robot)
    console = Console()
    console.print(f"[bold]{r.name}[/bold]  {r.title}", highlight=False)
    console.print(f"{r.structure} structure, {r.NL} links, {r.NJ} joints, {r.NF} frames, {r.base.kind} base\n")
    geometry = ["ant", "sigma", "mu", *GEOMETRY]
    console.print(
        _rows(
            "Geometry", ["j", *geometry], [[j, *(getattr(f, n) for n in geometry)] for j, f in enumerate(r.frames, 1)]
        )
    )
    for title, names in (("Inertia at the frame's origin", list(INERTIA)), ("Rotor inertia and friction", list(DRIVE))):
        rows = [[j, *(getattr(link, n) for n in names)] for j, link in enumerate(r.links, 1)]
        console.print()
        console.print(_rows(title, ["j", *names], rows))
    console.print(f"\ngravity: {', '.join(map(str, r.gravity))}")
    if r.loops:
        console.print("loops: " + ", ".join(f"frame {k} on frame {fixed}" for k, fixed in r.loops))
    if r.source:
        console.print(f"\n[dim]{r.source.strip()}[/dim]", highlight=False)


@app.command(rich_help_panel=ROBOT)
def convert(robot: RobotArgument, output: Annotated[Path, typer.Argument(help="A .par or .yaml file.")]) -> None:
    """Write a robot's description in another format."""
    rs.load(robot).write(output)
    typer.echo(f"wrote {output}", err=True)


@app.command("inverse-dynamics", rich_help_panel=DYNAMIC)
def inverse_dynamics(
    robot: RobotArgument,
    output: OutputOption = None,
    language: LanguageOption = None,
    select: SelectOption = None,
    tree: TreeOption = False,
) -> None:
    """Motor torques from positions, velocities and accelerations (Newton-Euler)."""
    structure = "tree" if tree else None
    deliver(lambda r: rs.inverse_dynamics(r, structure=structure), robot, output, language, select)


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
