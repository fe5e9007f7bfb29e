"""What a command gave, on the terminal or in a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import robosym as rs
from robosym.errors import InputError
from robosym.files import write_text
from robosym.menus import CODE, Outcome

if TYPE_CHECKING:
    from rich.console import Console

    from robosym.description import Robot
    from robosym.model import Model

__all__ = ["DELIVERIES", "progress", "show_robot"]

Values = Mapping[str, Any]
_GEOMETRY = ("gamma", "b", "alpha", "d", "theta", "r")


@contextmanager
def progress(text: str) -> Iterator[Callable[[str], None]]:
    """A moving sign on a terminal while something takes its time, and a way to say how far it is; nothing in a pipe."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status(text) as status:
        yield lambda stage: status.update(f"{text}: {stage}")


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
    _show_code(outcome.result, values)


def _show_code(model: Model, values: Values) -> None:
    from robosym.languages.provenance import made_by

    output, language = values["output"], values["language"]
    options = {option.name: values[option.name] for option in CODE if values.get(option.name)}
    with made_by(values["line"]):
        if output is None:
            sys.stdout.write(model.code(language or "listing", **options))
            return
        written = model.write(output, language, **options)
    _tell(f"{model.title} of {model.name}: {model.operations}")
    _tell(f"wrote {', '.join(map(str, written))}")


def _show_solution(outcome: Outcome, values: Values) -> None:
    """As code where a language is given or the file's extension is that of one, else in words."""
    from robosym.languages.provenance import made_by
    from robosym.languages.solution_code import solution_extensions

    solution, output, language = outcome.result, values["output"], values["language"]
    suffix = output.suffix if output else ".txt"
    is_model = isinstance(solution, rs.Model)  # a determinant: it is written in every language
    if language is None and (_is_text(output, values) if output and not is_model else suffix == ".txt"):
        _show(solution.explain(), _named(output, solution, values))
    elif language is None and not is_model and suffix not in solution_extensions():
        known = ", ".join((".txt", *(f".{e}" for e in values["extensions"].values()), *solution_extensions()))
        raise InputError(f"cannot tell what to write to {output}: known extensions are {known}")
    elif is_model:
        _show_code(solution, values)
    else:
        with made_by(values["line"]):
            if output is None:
                _show(solution.code(language), None)
            else:
                _tell(f"wrote {', '.join(map(str, solution.write(output, language)))}")


def _show_text(outcome: Outcome, values: Values) -> None:
    output = values["output"]
    if output is not None and not _is_text(output, values):
        known = ", ".join((".txt", *(f".{extension}" for extension in values["extensions"].values())))
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


def show_robot(robot: Any) -> None:
    """The parameters of a robot as tables; of each module of a hybrid one."""
    from rich.console import Console

    console = Console(highlight=False)
    console.print(f"[bold]{robot.name}[/bold]  {robot.title}")
    if isinstance(robot, rs.Robot):
        _show_tree(console, robot)
    elif isinstance(robot, rs.Parallel):
        _show_platform(console, robot)
    else:
        console.print(f"hybrid structure, {len(robot.modules)} modules")
        for k, module in enumerate(robot.modules, 1):
            console.print(f"\n[bold]module {k}: {module.robot.name}[/bold]")
            _table(console, "Place of its base on the end of the module before", _GEOMETRY, [module.place])
            (_show_platform if isinstance(module.robot, rs.Parallel) else _show_tree)(console, module.robot)
    console.print(f"\ngravity: {', '.join(map(str, (getattr(robot, 'tree', robot)).gravity))}")
    if robot.source:
        console.print(f"\n[dim]{robot.source.strip()}[/dim]")


def _show_platform(console: Console, robot: Any) -> None:
    from robosym.description import INERTIA

    console.print(f"parallel structure, {len(robot.legs)} legs, motors {', '.join(robot.motor_names)}")
    _show_tree(console, robot.tree, "legs, one after the other")
    _table(console, "Inertia of the platform at its origin", INERTIA, [robot.platform])
    _table(console, "Places of the legs' last frames on the platform", _GEOMETRY, robot.places)


def _show_tree(console: Console, robot: Robot, what: str = "") -> None:
    from robosym.description import DRIVE, GEOMETRY, INERTIA

    kind, base = what or f"{robot.structure} structure", robot.base.kind
    console.print(f"{kind}, {robot.NL} links, {robot.NJ} joints, {robot.NF} frames, {base} base")
    _table(console, "Geometry", ("ant", "sigma", "mu", *GEOMETRY), robot.frames)
    _table(console, "Inertia at the frame's origin", INERTIA, robot.links)
    _table(console, "Rotor inertia and friction", DRIVE, robot.links)
    if any(joint.eta for joint in robot.joints):
        _table(console, "Elasticity", ("eta", "k"), robot.joints)
    if robot.loops:
        console.print("\nloops: " + ", ".join(f"frame {k} on frame {fixed}" for k, fixed in robot.loops))


def _table(console: Console, title: str, names: Sequence[str], parts: Sequence[object]) -> None:
    from rich.table import Table

    table = Table("j", *names, box=None, pad_edge=False)
    for j, part in enumerate(parts, 1):
        table.add_row(str(j), *(str(getattr(part, name)) for name in names))
    console.print(f"\n[bold]{title}[/bold]")
    console.print(table)


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
}
