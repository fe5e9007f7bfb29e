"""A command of the menus carried out for a page: what it gave, as plain data of the kinds that a page shows.

These functions run in the process of `worker.py`. Every one is told the request itself: a process that does not have
the result at hand makes it again, from the pickled model where there is one.
"""

from __future__ import annotations

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
from robosym.app.session.equations import sections
from robosym.app.session.equivalents import Delivery, command_line, python
from robosym.app.session.requests import Request
from robosym.app.session.shown import Counts, Shown, ShownCode, ShownGroup
from robosym.errors import InputError, closest
from robosym.languages import LANGUAGES, default_name, extensions, texts
from robosym.languages.header import made_by
from robosym.model import Model, flat, shape
from robosym.optimizer.optimize import COMPILED
from robosym.parameters import BaseParameters
from robosym.parameters.linear_forms import row_text

__all__ = ["base_count", "code", "evaluated", "generate", "level_counts", "swept", "warm"]

Tell = Callable[[str], None]
_KEPT = 12  #: results that a process has at hand
_MOST_FILES = 100_000_000  #: bytes that a command may hand over as files


def warm(tell: Tell) -> bool:
    """Load what almost every command needs."""
    generate(Request("inverse_dynamics", "planar2r"), "c", tell=tell)
    _AT_HAND.clear()
    return True


# ---------------------------------------------------------------------- results at hand

_AT_HAND: OrderedDict[str, tuple[Outcome, dict[str, bytes]]] = OrderedDict()


def _outcome(request: Request, kept: bytes | None, tell: Tell) -> tuple[Outcome, dict[str, bytes]]:
    """The result of a request, with the files that it wrote."""
    key = request.key
    if key in _AT_HAND:
        _AT_HAND.move_to_end(key)
        return _AT_HAND[key]
    if kept is not None:
        found: tuple[Outcome, dict[str, bytes]] = Outcome(pickle.loads(kept)), {}  # made by this program, kept by it
    else:
        found = _run(request, tell)
    _AT_HAND[key] = found
    while len(_AT_HAND) > _KEPT:
        _AT_HAND.popitem(last=False)
    return found


def _run(request: Request, tell: Tell) -> tuple[Outcome, dict[str, bytes]]:
    """Files that a command writes go to a folder of their own and come back as bytes."""
    values, row = request.run_values(), request.row
    written = [option.name for option in row.options if option.written]
    written += [argument.name for argument in row.arguments if argument.name == "output"]
    with tempfile.TemporaryDirectory(prefix="robosym-") as folder, made_by(command_line(request)):
        for name in written:
            given = values.get(name)
            if not given:
                continue
            inside = [_inside(folder, str(word)) for word in (given if isinstance(given, list) else [given])]
            values[name] = list(map(str, inside)) if isinstance(given, list) else inside[0]
        outcome = row.run(values, tell)
        files = {
            str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(Path(folder).rglob("*"))
            if path.is_file() and path.stat().st_size <= _MOST_FILES
        }
    return outcome, files


def _inside(folder: str, name: str) -> Path:
    """A file of this name in the folder, wherever the name points to."""
    plain = re.sub(r"[^\w.+ -]", "_", Path(name.replace("\\", "/")).name).lstrip(".") or "file"
    return Path(folder) / plain[:120]


# ------------------------------------------------------------------------- what is shown


def generate(request: Request, language: str = "c", tell: Tell = lambda text: None) -> Shown:
    """Carry out a command; of a model its equations, and the lines that would write it in a language."""
    begun = perf_counter()
    outcome, files = _outcome(request, None, tell)
    seconds = perf_counter() - begun
    result = outcome.result
    gives = "numbers" if request.values.get("at") else request.row.gives
    if isinstance(result, Model) and gives in ("model", "solution"):
        return _model(request, result, language, seconds, files)
    common: dict[str, Any] = {
        "title": request.row.word.replace("-", " ").capitalize(), "about": request.row.sentence, "seconds": seconds,
        "files": files, "line": command_line(request, Delivery(_folder(request))), "python": python(request),
        "program": python(request, imports=True),
    }  # fmt: skip
    if gives == "numbers":
        rows = [[float(value) for value in row] for row in result.rows]
        return Shown(
            "numbers", names=list(result.names), rows=rows, remarks=list(result.remarks), text=result.text(), **common
        )
    if gives == "drawing":
        drawing = Delivery(f"{result.scene.name}.svg")
        with tempfile.TemporaryDirectory(prefix="robosym-") as folder:
            path = Path(folder) / "picture.svg"
            result.write(path)
            svg = path.read_text(encoding="utf-8")
        common |= {"line": command_line(request, drawing), "python": python(request, drawing)}
        common["files"] = {drawing.file: svg.encode(), **files}
        return Shown("drawing", picture=svg, **common)
    if gives in ("file", "files"):
        return Shown("files", text="\n".join(files), **common)
    if hasattr(result, "explain"):
        languages = [name for name, known in LANGUAGES.items() if known.solution and hasattr(result, "code")]
        return Shown("solution", text=_ended(result.explain()), languages=languages, **common)
    if gives in ("robot", "description"):
        return Shown("text", text=result.dumps("yaml"), **common)
    if gives == "robots":
        return Shown("text", text="\n".join(result) + "\n", **common)
    if isinstance(result, BaseParameters):
        common |= _grouping(result)
    return Shown("text", text=_ended(str(result)), **common)


def _grouping(found: BaseParameters) -> dict[str, Any]:
    """Base parameters as a table: name, link, what is grouped in it; below it what has no effect."""
    cells = [[name, str(found.places[name][0]), row_text(row)] for name, row in found.coefficients.items()]
    grouped = [name for name in found.eliminated if name not in found.without_effect]
    remarks = [f"Grouped with others: {', '.join(grouped) or 'none'}"]
    remarks += [f"Without effect: {', '.join(found.without_effect) or 'none'}"]
    remarks += [found.remark] if found.remark else []
    count = f"{len(cells)} of {len(found.standard_names)}"
    return {"heads": ["Parameter", "Link", "Grouped from"], "cells": cells, "remarks": remarks, "about": count}


def _folder(request: Request) -> str:
    """Where a command that gives nothing but files puts them."""
    return str(request.values.get("output") or "") if request.row.gives == "files" else ""


def _ended(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


def _model(request: Request, model: Model, language: str, seconds: float, files: dict[str, bytes]) -> Shown:
    line, to = _delivery(request, model, language if language in LANGUAGES else "listing")
    inputs = [ShownGroup(g, list(names), [len(names)], model.meaning(g)) for g, names in model.inputs.items()]
    outputs = [
        ShownGroup(g, list(flat(layout)), list(shape(layout)), model.meaning(g, output=True))
        for g, layout in model.outputs.items()
    ]
    kept = None
    with suppress(Exception):  # what cannot be pickled is made again
        kept = pickle.dumps(model, protocol=pickle.HIGHEST_PROTOCOL)
    title, _, about = model.title.partition(":")
    about = f"{about.strip()}, customized for {model.name}".removeprefix(", ")
    return Shown(
        "model", title.strip(), about, seconds, Counts.of(model), inputs, outputs, sections(model),
        languages=list(LANGUAGES), files=files, line=line, python=python(request, to),
        program=python(request, to, True), kept=kept, text=model.explain() if hasattr(model, "explain") else "",
    )  # fmt: skip


# --------------------------------------------------------------------------- as code


def code(request: Request, kept: bytes | None, language: str, tell: Tell = lambda text: None) -> ShownCode:
    """The result in another language, the text of the file that the command line would write."""
    result = _outcome(request, kept, tell)[0].result
    return _source(request, result, language)


def _source(request: Request, result: Any, language: str) -> ShownCode:
    if language not in LANGUAGES:
        raise InputError(f"no language {language!r}{closest(language, LANGUAGES)}")
    line, to = _delivery(request, result, language)
    options = dict(to.options or {})
    with made_by(line):
        if isinstance(result, Model):
            found = {path.name: text for path, text in texts(result, to.file, to.language or None, **options).items()}
        else:
            found = {to.file: result.code(language, **options)}
    text = found.pop(to.file)
    return ShownCode(language, to.file, text, found, line, python(request, to), python(request, to, True))


def _delivery(request: Request, result: Any, language: str) -> tuple[str, Delivery]:
    """The command line that writes a result in a language, and where it goes."""
    if not isinstance(result, Model):
        by_language = {name: extension for extension, name in extensions().items()}
        stem = re.sub(r"\W", "_", str(getattr(result, "name", "") or getattr(result, "robot", result).name))
        named = {"name": request.values["name"]} if request.values.get("name") else {}
        to = Delivery(f"{stem}_igm{by_language.get(language, '.txt')}", "", named)
        return command_line(request, to), to
    given = {option.name: request.values.get(option.name) for option in CODE}
    options = {name: value for name, value in given.items() if value and name in LANGUAGES[language].options}
    name = default_name(result, language, **options)
    to = Delivery(name, "" if _says(result, name, language) else language, options)
    as_shown = language in COMPILED and not result.optimized  # the line by itself would write the fastest form
    return command_line(request.with_values(optimize="0") if as_shown else request, to), to


def _says(model: Model, name: str, language: str) -> bool:
    """Whether the name of a file says its language."""
    suffix = Path(name).suffix
    if suffix in (f".{model.kind}", f".{model.kind}o"):
        return language == "listing"
    return suffix in LANGUAGES[language].extensions


def level_counts(request: Request, kept: bytes | None, level: str, tell: Tell = lambda text: None) -> Counts:
    """Operations of the model at a level of the optimizer."""
    plain = request.with_values(optimize=None, goal=None, budget=None)
    model = _outcome(plain, kept if plain.key == request.key else None, tell)[0].result
    if not isinstance(model, Model):
        raise InputError("only a model has operations")
    return Counts.of(rs.optimize(model, int(level) if level.isdigit() else level, progress=tell) if level else model)


def base_count(request: Request, tell: Tell = lambda text: None) -> str:
    """How many of the standard inertial parameters are base parameters: "40 of 66"."""
    found = rs.base_parameters(request.load())
    return f"{len(found.names)} of {len(found.standard_names)}"


# ------------------------------------------------------------------------------ numbers


def evaluated(
    request: Request, kept: bytes | None, values: Mapping[str, float], tell: Tell = lambda text: None
) -> dict[str, float]:
    """Every output at values of the inputs; what is not given is zero."""
    return {name: column[0] for name, column in _table(request, kept, values, "", [], tell).items()}


def swept(
    request: Request, kept: bytes | None, values: Mapping[str, float], over: str, points: Sequence[float],
    tell: Tell = lambda text: None,
) -> dict[str, list[float]]:  # fmt: skip
    """Every output over values of one input."""
    return _table(request, kept, values, over, points, tell)


def _table(
    request: Request, kept: bytes | None, values: Mapping[str, float], over: str, points: Sequence[float], tell: Tell
) -> dict[str, list[float]]:
    model = _outcome(request, kept, tell)[0].result
    if not isinstance(model, Model):
        raise InputError("only a model has values")
    known = {name for names in model.inputs.values() for name in names}
    for name in (*values, *([over] if over else [])):
        if name not in known:
            raise InputError(f"the model has no input {name!r}{closest(name, known)}")
    count = len(points) if over else 1
    numbers = {name: np.full(count, float(values.get(name, 0.0))) for name in known}
    if over:
        numbers[over] = np.asarray(points, float)
    given = {group: np.stack([numbers[name] for name in names], axis=-1) for group, names in model.inputs.items()}
    with np.errstate(all="ignore"):
        found = model.compile()(**given)
    parts = list(found) if isinstance(found, tuple) else [found]
    rows = np.hstack([np.broadcast_to(np.reshape(part, (-1, _size(layout))), (count, _size(layout)))
                      for part, layout in zip(parts, model.outputs.values(), strict=True)])  # fmt: skip
    return {name: [float(x) for x in rows[:, at]] for at, name in enumerate(model.output_names)}


def _size(layout: Any) -> int:
    return sum(1 for _ in flat(layout))
