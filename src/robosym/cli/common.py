"""What the commands share: their arguments, and how a model is delivered."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import robosym as rs
from robosym.description import Robot
from robosym.files import write_text
from robosym.languages import LANGUAGES
from robosym.model import Model

__all__ = [
    "BaseOption", "LanguageOption", "LevelOption", "OutputOption", "RobotArgument", "SelectOption", "TreeOption",
    "deliver", "progress", "show_text", "tree_command",
]  # fmt: skip

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
    typer.Option("-s", "--select", help="Keep only these variables: a name or a prefix; may be repeated."),
]
LevelOption = Annotated[
    str | None,
    typer.Option("--optimize", metavar="LEVEL", help="Fewer operations: 0, 1, 2, 3 or max (which may take seconds)."),
]
TreeOption = Annotated[bool, typer.Option("--tree", help="A closed robot: the model of its equivalent tree.")]
BaseOption = Annotated[
    bool, typer.Option("--base-parameters", help="Compute with the base set of inertial parameters.")
]
DerivativeOption = Annotated[
    list[str] | None, typer.Option(help="Derivatives by these inputs instead: q, qd, ...; may be repeated.")
]


@contextmanager
def progress(text: str) -> Iterator[Callable[[str], None]]:
    """A moving sign on a terminal while something takes its time, and a way to say how far it is; nothing in a pipe."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _: None
        return
    with console.status(text) as status:
        yield lambda stage: status.update(f"{text}: {stage}")


def _level(level: str) -> int | str:
    return int(level) if level.isdigit() else level


def deliver(
    generate: Callable[[Robot], Model],
    robot: str,
    output: Path | None,
    language: str | None,
    select: list[str] | None,
    level: str | None = None,
) -> None:
    """Load, generate, select, optimise, and print or write."""
    description = rs.load(robot)
    with progress(f"generating the model of {description.name}") as tell:
        model = generate(description)
        model = model.select(*select) if select else model
        model = rs.optimize(model, _level(level), progress=tell) if level is not None else model
        if output is None:
            sys.stdout.write(model.code(language or "listing"))
            return
        written = model.write(output, language)
    typer.echo(f"{model.title} of {model.name}: {model.operations}", err=True)
    typer.echo(f"wrote {', '.join(map(str, written))}", err=True)


def tree_command(generate: Callable[..., Model], text: str) -> Callable[..., None]:
    """A command for a model that takes `structure` and `base_parameters`."""

    def command(
        robot: RobotArgument,
        output: OutputOption = None,
        language: LanguageOption = None,
        select: SelectOption = None,
        tree: TreeOption = False,
        base_parameters: BaseOption = False,
        derivative: DerivativeOption = None,
        optimize: LevelOption = None,
    ) -> None:
        def model(r: Robot) -> Model:
            made = generate(r, structure="tree" if tree else None, base_parameters=base_parameters)
            return made.derivative(*derivative) if derivative else made

        deliver(model, robot, output, language, select, optimize)

    command.__doc__ = text
    return command


def show_text(text: str, output: Path | None) -> None:
    """Print a text, or write it, whole or not at all."""
    if output is None:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        return
    write_text(output, text if text.endswith("\n") else text + "\n")
    typer.echo(f"wrote {output}", err=True)
