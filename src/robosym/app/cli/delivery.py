"""What a command gave, on the terminal or in a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import robosym as rs
from robosym.app.menus import CODE, Outcome
from robosym.errors import InputError
from robosym.files import write_text

if TYPE_CHECKING:
    from robosym.model import Model

__all__ = ["DELIVERIES", "progress", "show_robot"]

Values = Mapping[str, Any]
_DIGITS = 5  #: of numbers on a terminal
_TABLES = (".csv", ".npz")  #: files of tables
_LEAST = 120  #: columns of a table on a terminal
_UNFOLDED = 100_000  #: columns of a table in a pipe


@contextmanager
def progress(text: str) -> Iterator[Callable[[str], None]]:
    """A bar on a terminal while something takes its time, and a way to say how far it is; nothing in a pipe.

    The bar moves to and fro until a stage tells its `share`, as those of `optimize` do.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    words = TextColumn("{task.description}", markup=False)
    columns = (SpinnerColumn(), words, BarColumn(20), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text, total=None)

        def tell(stage: str) -> None:
            share = getattr(stage, "share", None)
            bar.update(
                task, description=f"{text}: {stage}", total=None if share is None else 1.0, completed=share or 0.0
            )

        yield tell


def _tell(text: str) -> None:
    print(text, file=sys.stderr)


def _show_numbers(outcome: Outcome, values: Values) -> None:
    output = values["output"]
    suffix = output.suffix.lower() if output else ""
    if suffix not in ("", ".txt", ".csv", ".json"):
        raise InputError(f"{output}: numbers are written to a .csv, .json or .txt file")
    _show(outcome.result.text(suffix.removeprefix(".").replace("txt", "")), output)


def _show_model(outcome: Outcome, values: Values) -> None:
    if outcome.before is not None:
        _tell(f"before: {outcome.before.operations}\nafter:  {outcome.result.operations}")
    if isinstance(outcome.result, rs.Model):
        _show_code(outcome.result, values)
    elif hasattr(outcome.result, "explain"):  # the direct geometry of a parallel robot is solved, not written out
        _show(outcome.result.explain(), values["output"])
    else:
        _show(str(outcome.result), values["output"])


def _show_code(model: Model, values: Values) -> None:
    from robosym.languages.header import made_by

    output, language = values["output"], values["language"]
    options = {option.name: values[option.name] for option in CODE if values.get(option.name)}
    if "optimize" in values:
        model = _fastest(model, output, language)
    with made_by(values["line"]):
        if output is None:
            sys.stdout.write(model.code(language or "listing", **options))
            return
        written = model.write(output, language, **options)
    _tell(f"{model.title} of {model.name}: {model.operations}")
    _tell(f"wrote {', '.join(map(str, written))}")


def _fastest(model: Model, output: Path | None, language: str | None) -> Model:
    """What goes into a file for a compiler of C or C++ is the form that runs fastest, unless another was asked for."""
    from robosym.languages.language import LANGUAGES
    from robosym.optimizer.optimize import COMPILED, fastest

    known = [extension for name in COMPILED for extension in LANGUAGES[name].extensions]
    compiled = language in COMPILED or (language is None and output is not None and output.suffix.lower() in known)
    if output is None or not compiled or model.optimized:
        return model
    return fastest(model)


def _show_solution(outcome: Outcome, values: Values) -> None:
    """As code where a language is given or the file's extension is that of one, else in words."""
    from robosym.languages import extensions
    from robosym.languages.header import made_by

    solution, output, language = outcome.result, values["output"], values["language"]
    suffix = output.suffix if output else ".txt"
    is_model = isinstance(solution, rs.Model)  # a determinant: it is written in every language
    if is_model and not hasattr(solution, "explain"):  # the inverse geometry of a parallel robot
        _show_code(solution, values)
    elif language is None and (_is_text(output, values) if output and not is_model else suffix == ".txt"):
        _show(solution.explain(), _named(output, solution, values))
    elif language is None and not is_model and suffix not in extensions():
        known = ", ".join((".txt", *(f".{e}" for e in values["extensions"].values()), *extensions()))
        raise InputError(f"cannot tell what to write to {output}: known extensions are {known}")
    elif is_model:
        _show_code(solution, values)
    else:
        with made_by(values["line"]):
            if output is None:
                _show(solution.code(language, name=values.get("name") or ""), None)
            else:
                written = solution.write(output, language, name=values.get("name") or "")
                _tell(f"wrote {', '.join(map(str, written))}")


def _show_text(outcome: Outcome, values: Values) -> None:
    """As a text or, in a .csv or .npz file, as the table that the result itself writes."""
    output, result = values["output"], outcome.result
    if output is not None and output.suffix.lower() in _TABLES and hasattr(result, "write"):
        result.write(output)
        _tell(f"wrote {output}")
        return
    if output is not None and not _is_text(output, values):
        tables = [".csv"] if hasattr(result, "write") else []
        known = ", ".join((".txt", *(f".{extension}" for extension in values["extensions"].values()), *tables))
        raise InputError(f"{output}: this command writes a text: expected an extension of {known}")
    _show(str(outcome.result), _named(output, outcome.result, values))


def _is_text(output: Path, values: Values) -> bool:
    """Whether a file is for a text: .txt, one of the guide's extensions, none, or a directory, which names it."""
    return output.suffix in ("", ".txt", *(f".{extension}" for extension in values["extensions"].values()))


def _named(output: Path | None, result: Any, values: Values) -> Path | None:
    """The file; in a directory the one with the guide's name, rx90.pau."""
    if output is None or not output.is_dir():
        return output
    robot = getattr(result, "robot", None) or getattr(result, "given", None)
    extension = values["extensions"].get(getattr(result, "method", ""), "txt")
    return output / f"{getattr(robot, 'name', 'robot')}.{extension}"


def _show(text: str, output: Path | None) -> None:
    """Print a text, or write it, whole or not at all."""
    text = text if text.endswith("\n") else text + "\n"
    if output is None:
        sys.stdout.write(text)
    else:
        write_text(output, text)
        _tell(f"wrote {output}")


def _show_description(outcome: Outcome, values: Values) -> None:
    if values["output"] is None:
        sys.stdout.write(outcome.result.dumps("yaml"))
    else:
        outcome.result.write(values["output"])
        _tell(f"wrote {values['output']}")


def _show_drawing(outcome: Outcome, values: Values) -> None:
    output = values["output"] or Path(f"{outcome.result.scene.name}.svg")
    outcome.result.write(output)
    _tell(f"wrote {output}")


def _show_file(outcome: Outcome, values: Values) -> None:
    _tell(f"wrote {values['output']}")


def _show_robots(outcome: Outcome, values: Values) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("name", "robot", "joints", "structure", box=None, pad_edge=False)
    for name in outcome.result:
        robot = rs.load(name)
        table.add_row(name, robot.title, str(len(robot.joint_names)), robot.structure)
    Console().print(table)


def show_robot(robot: rs.Robot) -> None:
    """The parameters of a robot as tables: on a terminal with five digits, in a pipe with all and never folded."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from robosym.mechanism.sheets import sheets

    console = Console(highlight=False)
    width = max(console.width, _LEAST) if console.is_terminal else _UNFOLDED  # a number is never cut off
    console = Console(highlight=False, width=width)
    console.print(f"[bold]{escape(robot.name)}[/bold]  {escape(robot.title)}")
    gap = ""  # before a sentence that follows a table
    for sheet in sheets(robot, _DIGITS if console.is_terminal else None):
        if not sheet.rows:
            console.print(f"{gap}{escape(sheet.title)}")
            gap = ""
            continue
        gap = "\n"
        table = Table(*sheet.head, box=None, pad_edge=False)
        for row in sheet.rows:
            table.add_row(*map(escape, row))
        console.print(f"\n[bold]{escape(sheet.title)}[/bold]")
        console.print(table)
    if robot.source:
        console.print(f"\n[dim]{escape(robot.source.strip())}[/dim]")


#: by what a command gives
DELIVERIES: dict[str, Callable[[Outcome, Values], None]] = {
    "model": _show_model,
    "solution": _show_solution,
    "text": _show_text,
    "numbers": _show_numbers,
    "robot": lambda outcome, _: show_robot(outcome.result),
    "description": _show_description,
    "robots": _show_robots,
    "drawing": _show_drawing,
    "file": _show_file,
    "nothing": lambda outcome, _: None,
    "files": lambda outcome, _: _tell("wrote " + ", ".join(map(str, outcome.result))),
}
