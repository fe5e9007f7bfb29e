"""Print the result of a command on the terminal or write it to a file."""

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

__all__ = ["DELIVERIES", "progress"]

Values = Mapping[str, Any]
_DIGITS = 5  #: digits of numbers on a terminal
_TABLES = (".csv", ".npz")  #: extensions of table files


@contextmanager
def progress(text: str) -> Iterator[Callable[[str], None]]:
    """Show a progress bar on a terminal and yield a function that reports the current stage; show nothing in a pipe.

    The bar is indeterminate until a stage has an attribute `share`, as those of `optimize` do.
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

        def report(stage: str) -> None:
            share = getattr(stage, "share", None)
            bar.update(
                task, description=f"{text}: {stage}", total=None if share is None else 1.0, completed=share or 0.0
            )

        yield report


def _report(text: str) -> None:
    print(text, file=sys.stderr)


def _show_numbers(outcome: Outcome, values: Values) -> None:
    if values["output"] is None:
        _show(str(outcome.result), None)
    else:
        _write(outcome, values)


def _write(outcome: Outcome, values: Values) -> None:
    outcome.result.write(values["output"])
    _report(f"wrote {values['output']}")


def _show_model(outcome: Outcome, values: Values) -> None:
    if outcome.before is not None:
        _report(f"before: {outcome.before.operations}\nafter:  {outcome.result.operations}")
    if isinstance(outcome.result, rs.Model):
        _show_code(outcome.result, values)
    elif hasattr(outcome.result, "explain"):  # the direct geometric model of a parallel robot is solved numerically
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
    _report(f"{model.title} of {model.name}: {model.operations}")
    _report(f"wrote {', '.join(map(str, written))}")


def _fastest(model: Model, output: Path | None, language: str | None) -> Model:
    """Return the form that runs fastest for a C or C++ file; the model itself if it is optimized or has bounds."""
    from robosym.languages.language import LANGUAGES
    from robosym.optimizer.optimize import COMPILED, fastest

    known = [extension for name in COMPILED for extension in LANGUAGES[name].extensions]
    compiled = language in COMPILED or (language is None and output is not None and output.suffix.lower() in known)
    if output is None or not compiled or model.optimized or model.notes:
        return model
    return fastest(model)


def _show_solution(outcome: Outcome, values: Values) -> None:
    """Write code if a language is given or the extension of the file is that of a language, else an explanation."""
    from robosym.languages import extensions
    from robosym.languages.header import made_by

    solution, output, language = outcome.result, values["output"], values["language"]
    suffix = output.suffix if output else ".txt"
    is_model = isinstance(solution, rs.Model)  # a determinant can be written in every language
    if is_model and not hasattr(solution, "explain"):  # the inverse geometric model of a parallel robot
        _show_code(solution, values)
    elif language is None and (_is_text(output, values) if output and not is_model else suffix == ".txt"):
        _show(solution.explain(), _named(output, solution, values))
    elif language is None and not is_model and suffix not in extensions():
        known = ", ".join((".txt", *(f".{e}" for e in values["extensions"].values()), *extensions()))
        raise InputError(f"cannot determine the format of {output}: known extensions are {known}")
    elif is_model:
        _show_code(solution, values)
    else:
        with made_by(values["line"]):
            if output is None:
                _show(solution.code(language, name=values.get("name") or ""), None)
            else:
                written = solution.write(output, language, name=values.get("name") or "")
                _report(f"wrote {', '.join(map(str, written))}")


def _show_text(outcome: Outcome, values: Values) -> None:
    """Show the result as text; in a file of another format that the result writes by itself."""
    output, result = values["output"], outcome.result
    written = getattr(result, "formats", _TABLES) if hasattr(result, "write") else ()
    if output is not None and output.suffix.lower() in written:
        _write(outcome, values)
        return
    if output is not None and not _is_text(output, values):
        known = ", ".join((".txt", *(f".{extension}" for extension in values["extensions"].values()), *written))
        raise InputError(f"{output}: this command writes a text: expected an extension of {known}")
    _show(str(outcome.result), _named(output, outcome.result, values))


def _is_text(output: Path, values: Values) -> bool:
    """Return whether text is written to `output`: .txt, an extension of the guide, no extension, or a directory."""
    return output.suffix in ("", ".txt", *(f".{extension}" for extension in values["extensions"].values()))


def _named(output: Path | None, result: Any, values: Values) -> Path | None:
    """Return the file; in a directory, the file with the name of the guide, such as rx90.pau."""
    if output is None or not output.is_dir():
        return output
    robot = getattr(result, "robot", None) or getattr(result, "given", None)
    extension = values["extensions"].get(getattr(result, "method", ""), "txt")
    return output / f"{getattr(robot, 'name', 'robot')}.{extension}"


def _show(text: str, output: Path | None) -> None:
    """Print a text, or write it to a file atomically."""
    text = text if text.endswith("\n") else text + "\n"
    if output is None:
        sys.stdout.write(text)
    else:
        write_text(output, text)
        _report(f"wrote {output}")


def _show_description(outcome: Outcome, values: Values) -> None:
    if values["output"] is None:
        sys.stdout.write(outcome.result.dumps("yaml"))
    else:
        _write(outcome, values)


def _show_drawing(outcome: Outcome, values: Values) -> None:
    _write(outcome, {"output": values["output"] or Path(outcome.result.default_name)})


def _show_robots(outcome: Outcome, values: Values) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("name", "robot", "joints", "structure", box=None, pad_edge=False)
    for name in outcome.result:
        robot = rs.load(name)
        table.add_row(name, robot.title, str(len(robot.joint_names)), robot.structure)
    Console().print(table)


def _show_robot(outcome: Outcome, values: Values) -> None:
    """Print the parameters of a robot as tables: five digits on a terminal, all digits in a pipe."""
    from robosym.mechanism.sheets import as_text

    robot: rs.Robot = outcome.result
    source = f"\n\n{robot.source.strip()}" if robot.source else ""
    _show(as_text(robot, _DIGITS if sys.stdout.isatty() else None) + source, None)


#: functions that show a result, by `Command.gives`
DELIVERIES: dict[str, Callable[[Outcome, Values], None]] = {
    "model": _show_model,
    "solution": _show_solution,
    "text": _show_text,
    "numbers": _show_numbers,
    "robot": _show_robot,
    "description": _show_description,
    "robots": _show_robots,
    "drawing": _show_drawing,
    "file": lambda _, values: _report(f"wrote {values['output']}"),
    "nothing": lambda outcome, _: None,
    "files": lambda outcome, _: _report("wrote " + ", ".join(map(str, outcome.result))),
}
