"""Execution of menu commands for the page, with results as plain data.

These functions run in the process of `worker.py`. Each receives the complete request: a process that has not cached the
result computes it again, from the pickled model if there is one.
"""

from __future__ import annotations

import gc
import pickle
import re
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import robosym as rs
from robosym.app.menus import CODE, Outcome
from robosym.app.menus.option_values import robot_with
from robosym.app.session.requests import Delivery, Equivalent, Request, command_line, equivalent
from robosym.app.session.shown import CommandResult, Counts, ShownCode, ShownGroup
from robosym.app.session.state_files import safe_name
from robosym.errors import InputError, closest
from robosym.export.folders import default_output
from robosym.export.share.live_models import models_of_picture
from robosym.languages import LANGUAGES, default_name, extensions, texts
from robosym.languages.header import made_by
from robosym.languages.sections import sections
from robosym.model import Model, flat, shape
from robosym.optimizer.optimize import COMPILED
from robosym.parameters import BaseParameters
from robosym.simulation.played_motion import PlayedMotion, played_simulation
from robosym.solve import LoopGeometry
from robosym.solve.stages import steps_of_loops

__all__ = ["base_count", "code", "evaluated", "generate", "level_counts", "live", "simulated", "warm"]

Progress = Callable[[str], None]
_KEPT = 12  #: number of results that a process caches
_MOST_FILES = 100_000_000  #: maximum total size of the files of a command, in bytes


def warm(progress: Progress) -> bool:
    """Import the modules that almost every command needs."""
    generate(Request("inverse_dynamics", "planar2r"), "c", progress=progress)
    _AT_HAND.clear()
    gc.collect()
    gc.freeze()  # imported objects stay alive: no collection needs to look at them
    return True


# ---------------------------------------------------------------------- results at hand

_AT_HAND: OrderedDict[str, tuple[Outcome, dict[str, bytes]]] = OrderedDict()


def _outcome(request: Request, kept: bytes | None, progress: Progress) -> tuple[Outcome, dict[str, bytes]]:
    """Return the result of a request and the files that it wrote."""
    key = request.key
    if key in _AT_HAND:
        _AT_HAND.move_to_end(key)
        return _AT_HAND[key]
    if kept is not None:
        found: tuple[Outcome, dict[str, bytes]] = Outcome(pickle.loads(kept)), {}  # made by this program, kept by it
    else:
        found = _run(request, progress)
    _AT_HAND[key] = found
    while len(_AT_HAND) > _KEPT:
        _AT_HAND.popitem(last=False)
    return found


def _run(request: Request, progress: Progress) -> tuple[Outcome, dict[str, bytes]]:
    """Run a command in a temporary folder and return the files that it writes as bytes."""
    values, row = request.run_values(), request.row
    written = [option.name for option in row.options if option.written]
    written += [argument.name for argument in row.arguments if argument.name == "output"]
    if row.gives == "files" and not values.get("output"):  # the default folder is in that of the server
        values["output"] = default_output(row.name, robot_with(values).value, values)
    with tempfile.TemporaryDirectory(prefix="robosym-") as folder, made_by(command_line(request)):
        for name in written:
            given = values.get(name)
            if not given:
                continue
            words = given if isinstance(given, list) else [given]
            inside = [Path(folder) / safe_name(str(word)) for word in words]
            values[name] = list(map(str, inside)) if isinstance(given, list) else inside[0]
        outcome = row.run(values, progress)
        files = {
            str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(Path(folder).rglob("*"))
            if path.is_file() and path.stat().st_size <= _MOST_FILES
        }
    return outcome, files


# ------------------------------------------------------------------------- results of commands


def generate(request: Request, language: str = "c", progress: Progress = lambda text: None) -> CommandResult:
    """Execute a command; for a model, also return its equations and the code that writes it in a language."""
    begun = perf_counter()
    outcome, files = _outcome(request, None, progress)
    seconds = perf_counter() - begun
    result = outcome.result
    gives = "numbers" if request.values.get("at") else request.row.gives
    if isinstance(result, Model) and gives in ("model", "solution"):
        return _model(request, result, language, seconds, files)
    common: dict[str, Any] = {
        "title": request.row.word.replace("-", " ").capitalize(), "about": request.row.sentence, "seconds": seconds,
        "files": files, "same": equivalent(request, Delivery(_folder(request))),
    }  # fmt: skip
    if gives == "numbers":
        rows = [[float(value) for value in row] for row in result.rows]
        return CommandResult(
            "numbers", names=list(result.names), rows=rows, remarks=list(result.remarks), text=result.text(), **common
        )
    if gives == "drawing":
        drawing = Delivery(f"{result.scene.name}.svg")
        svg = result.svg()
        common |= {"same": equivalent(request, drawing), "files": {drawing.file: svg.encode(), **files}}
        return CommandResult("drawing", picture=svg, **common)
    if gives in ("file", "files"):
        return CommandResult("files", text="\n".join(files), **common)
    if hasattr(result, "explain"):
        languages = [name for name, known in LANGUAGES.items() if known.solution and hasattr(result, "code")]
        steps = steps_of_loops(result.stages) if isinstance(result, LoopGeometry) else []
        return CommandResult("solution", text=_ended(result.explain()), languages=languages, steps=steps, **common)
    if gives in ("robot", "description"):
        return CommandResult("text", text=result.dumps("yaml"), **common)
    if gives == "robots":
        return CommandResult("text", text="\n".join(result) + "\n", **common)
    if isinstance(result, BaseParameters):
        cells, remarks = result.cells()
        common |= {"heads": ["Parameter", "Link", "Grouped from"], "cells": cells, "remarks": remarks}
        common["about"] = f"{len(cells)} of {len(result.standard_names)}"
    return CommandResult("text", text=_ended(str(result)), **common)


def _folder(request: Request) -> str:
    """Return the output folder of a command that only writes files."""
    return str(request.values.get("output") or "") if request.row.gives == "files" else ""


def _ended(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


def _model(request: Request, model: Model, language: str, seconds: float, files: dict[str, bytes]) -> CommandResult:
    same, _ = _delivery(request, model, language if language in LANGUAGES else "listing")
    inputs = [ShownGroup(g, list(names), [len(names)], model.meaning(g)) for g, names in model.inputs.items()]
    outputs = [
        ShownGroup(g, list(flat(layout)), list(shape(layout)), model.meaning(g, output=True))
        for g, layout in model.outputs.items()
    ]
    kept = None
    with suppress(Exception):  # results that cannot be pickled are computed again
        kept = pickle.dumps(model, protocol=pickle.HIGHEST_PROTOCOL)
    title, _, about = model.title.partition(":")
    about = f"{about.strip()}, customized for {model.name}".removeprefix(", ")
    return CommandResult(
        "model", title.strip(), same, about, seconds, Counts.of(model), inputs, outputs, sections(model),
        languages=list(LANGUAGES), files=files, kept=kept,
        text=model.explain() if hasattr(model, "explain") else "",
    )  # fmt: skip


# --------------------------------------------------------------------------- as code


def code(request: Request, kept: bytes | None, language: str, progress: Progress = lambda text: None) -> ShownCode:
    """Return the result in another language, as the command line would write it to a file."""
    result = _outcome(request, kept, progress)[0].result
    return _source(request, result, language)


def _source(request: Request, result: Any, language: str) -> ShownCode:
    if language not in LANGUAGES:
        raise InputError(f"unknown language {language!r}{closest(language, LANGUAGES)}")
    same, to = _delivery(request, result, language)
    options = dict(to.options)
    with made_by(same.line):
        if isinstance(result, Model):
            found = {path.name: text for path, text in texts(result, to.file, to.language or None, **options).items()}
        else:
            found = {to.file: result.code(language, **options)}
    text = found.pop(to.file)
    return ShownCode(language, to.file, text, same, found)


def _delivery(request: Request, result: Any, language: str) -> tuple[Equivalent, Delivery]:
    """Return the commands that write a result in a language, and its destination."""
    if not isinstance(result, Model):
        by_language = {name: extension for extension, name in extensions().items()}
        stem = re.sub(r"\W", "_", str(getattr(result, "name", "") or getattr(result, "robot", result).name))
        named = {"name": request.values["name"]} if request.values.get("name") else {}
        to = Delivery(f"{stem}_igm{by_language.get(language, '.txt')}", "", named)
        return equivalent(request, to), to
    given = {option.name: request.values.get(option.name) for option in CODE}
    options = {name: value for name, value in given.items() if value and name in LANGUAGES[language].options}
    name = default_name(result, language, **options)
    to = Delivery(name, "" if _implies(result, name, language) else language, options)
    as_shown = language in COMPILED and not result.optimized  # without this, the line would write the fastest form
    return equivalent(request, to, request.with_values(optimize="0") if as_shown else None), to


def _implies(model: Model, name: str, language: str) -> bool:
    """Whether the extension of a file implies its language."""
    suffix = Path(name).suffix
    if suffix in (f".{model.kind}", f".{model.kind}o"):
        return language == "listing"
    return suffix in LANGUAGES[language].extensions


def level_counts(request: Request, kept: bytes | None, level: str, progress: Progress = lambda text: None) -> Counts:
    """Return the operations of the model at an optimizer level."""
    plain = request.with_values(optimize=None, goal=None, budget=None)
    model = _outcome(plain, kept if plain.key == request.key else None, progress)[0].result
    if not isinstance(model, Model):
        raise InputError("only a model has operations")
    return Counts.of(
        rs.optimize(model, int(level) if level.isdigit() else level, progress=progress) if level else model
    )


def base_count(request: Request, progress: Progress = lambda text: None) -> str:
    """Return the number of base parameters among the standard inertial parameters, for example "40 of 66"."""
    found = rs.base_parameters(request.load())
    return f"{len(found.names)} of {len(found.standard_names)}"


# ------------------------------------------------------------------------------ numbers


def simulated(request: Request, numbers: Mapping[str, float], progress: Progress = lambda text: None) -> PlayedMotion:
    """Run the command `simulate`, with `numbers` as values of symbols in the frames that have none."""
    robot = request.load()
    given = {word.partition("=")[0].strip() for word in request.values.get("set") or ()}
    known = {name: value for name, value in numbers.items() if name in robot.parameters and name not in given}
    values = request.run_values() | {"robot": robot.with_values(known) if known else robot}
    progress("the motion")
    run = request.row.run(values, progress).result
    progress("the pictures")
    return played_simulation(run, numbers)


def evaluated(
    request: Request, kept: bytes | None, values: Mapping[str, float], over: str = "", points: Sequence[float] = (),
    progress: Progress = lambda text: None,
) -> dict[str, list[float]]:  # fmt: skip
    """Evaluate all outputs at given inputs, or over a range of one input; missing inputs are zero."""
    model = _outcome(request, kept, progress)[0].result
    if not isinstance(model, Model):
        raise InputError("only a model has values")
    known = {name for names in model.inputs.values() for name in names}
    with np.errstate(all="ignore"):
        found = model.evaluate(dict.fromkeys(known, 0.0), values, {over: points} if over else {})
    return {name: found.rows[:, at].tolist() for at, name in enumerate(found.names)}


def live(request: Request, *posture: Any, progress: Progress = lambda text: None) -> dict[str, Any]:
    """Return the models of a robot at a posture, and those that the user watches, as data and script for a browser."""
    return models_of_picture(request.load(), *posture)
