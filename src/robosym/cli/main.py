"""The command line: the public functions by the guide's menus, `robosym inverse-dynamics rx90 -o rx90_dyn.c`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any

import typer

import robosym as rs
from robosym.cli.delivery import DELIVERIES, progress
from robosym.errors import Error
from robosym.menus import COMMANDS, MENUS, Argument, Command, Option

__all__ = ["app", "application", "main"]

#: how a kind of value is typed
TYPES: dict[str, Any] = {
    "robot": str, "file": Path, "text": str, "texts": list[str], "frame": int, "number": int, "flag": bool,
}  # fmt: skip


def application(commands: Iterable[Command] = COMMANDS.values()) -> typer.Typer:
    """The command line of a table of commands, listed by menu."""
    made = typer.Typer(
        name="robosym",
        help="Symbolic models of robots: describe one, generate its models, write them as code.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode="rich",
    )
    made.callback()(_common)
    for command in sorted(commands, key=lambda command: MENUS.index(command.menu)):
        # a number such as -1 (the world) is an argument, not an option
        numbers = any(argument.kind == "frame" for argument in command.arguments)
        settings = {"ignore_unknown_options": numbers}
        made.command(command.word, rich_help_panel=command.menu, context_settings=settings)(_typed(command))
    return made


def _typed(command: Command) -> Callable[..., None]:
    """A function with the signature from which Typer reads arguments and options."""

    def function(**values: Any) -> None:
        subject = ", ".join(str(values[argument.name]) for argument in command.arguments)
        with progress(f"{command.word} {subject}") as tell:
            outcome = command.run(values, tell)
        DELIVERIES[command.gives](outcome, values)

    parameters = [*map(_argument, command.arguments), *map(_option, command.options)]
    function.__doc__ = command.sentence
    function.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    function.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return function


def _argument(argument: Argument) -> Parameter:
    settings = typer.Argument(metavar=argument.name.upper(), help=argument.help)
    return _parameter(argument.name, TYPES[argument.kind], settings)


def _option(option: Option) -> Parameter:
    words = [*filter(None, [option.short]), f"--{option.name.replace('_', '-')}"]
    settings = typer.Option(*words, help=option.help, metavar=option.metavar or None)
    default = False if option.kind == "flag" else option.default
    kind = TYPES[option.kind]
    return _parameter(option.name, kind if default is not None else kind | None, settings, default)


def _parameter(name: str, kind: Any, settings: Any, default: Any = Parameter.empty) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=Annotated[kind, settings], default=default)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"robosym {rs.__version__}")
        raise typer.Exit


def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Symbolic models of robots: describe one, generate its models, write them as code."""


app = application()


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
