"""A new language added as the docstring of `robosym.languages` describes: code, files, options, reading back."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cases import models, toolchains
from robosym.algebra import Style, evaluate
from robosym.errors import InputError
from robosym.languages import LANGUAGES, Language, read_model, register
from robosym.languages.header import describe
from robosym.languages.program import Program, double, function_name, wrapped
from robosym.languages.reading.dialect import Dialect, Span
from robosym.model import Model

STYLE = Style(
    number=double,
    pi="Math.PI",
    functions={
        name: f"Math.{name}" for name in "sin cos tan asin acos atan atan2 sqrt exp log tanh abs sign pow".split()
    },
)


def javascript(model: Model, *, strict: bool = False) -> str:
    """Print a function that returns its outputs as a flat list."""
    program = Program(model, LANGUAGES["javascript"])
    lines = LANGUAGES["javascript"].commented(describe(model))
    lines += [f"function {function_name(model)}({', '.join(array.name for array in program.read)}) {{"]
    lines += ['  "use strict";'] if strict else []
    lines += [f"  const {name} = {array.name}[{place}];" for array, place, name in program.inputs()]
    lines += [wrapped(f"  const {s.name} = ", s.text, ";", 110, "    ") for s in program.statements]
    results = [wrapped("    ", text, ",", 110, "      ") for _, _, text in program.results()]
    return "\n".join([*lines, "  return [", *results, "  ];", "}", ""])


def statements(lines: list[Span]) -> list[Span]:
    text = Span.of_lines(lines).replaced(re.compile(r"function.*\{|\b(const|return)\b|\}\s*$"), lambda _: "")
    listed = text.replaced(re.compile(r",(?=\s*\]\s*;)"), lambda _: "")
    return listed.split(";")


@pytest.fixture(autouse=True)
def known() -> Iterator[Language]:
    yield register(
        Language(
            name="javascript",
            code=javascript,
            extensions={".js": {}, ".mjs": {"strict": True}},
            comment=("", "// ", ""),
            style=STYLE,
            reserved=frozenset("const function in let lambda double return Math var new this null".split()),
            reading=(
                Dialect(
                    name="javascript",
                    cut=statements,
                    extensions=(".js", ".mjs"),
                    line_marks=("//",),
                    first=0,
                    ignored='"use strict"',
                    value=lambda value: value.replaced(re.compile(r"\bMath\."), lambda _: ""),
                ),
            ),
        )
    )
    del LANGUAGES["javascript"]


def test_code_and_options() -> None:
    model = models.awkward()
    text = model.code("javascript")
    assert text.startswith("// awkward-1: every function\n")
    assert "const in_ = parameters[4];" in text  # `in` is a reserved word
    assert "const parameters_ = parameters[16];" in text  # `parameters` is an array
    assert "Math.atan2(E, I)" in text and "use strict" not in text
    assert '"use strict"' in model.code("javascript", strict=True)
    with pytest.raises(
        InputError, match=r"strickt: unknown option of javascript .did you mean 'strict'.*it accepts strict="
    ):
        model.code("javascript", strickt=True)
    with pytest.raises(InputError, match=r"unknown language 'javascrpt' .did you mean 'javascript'"):
        model.code("javascrpt")


def test_files(tmp_path: Path) -> None:
    model = models.rx90()
    assert model.write(tmp_path, "javascript")[0].name == "rx90_dyn.js"
    assert model.write(tmp_path, "javascript", strict=True)[0].name == "rx90_dyn.mjs"
    assert '"use strict"' in (tmp_path / "rx90_dyn.mjs").read_text()
    [path] = model.write(tmp_path / "other.js")
    assert path.read_text() == model.code("javascript")
    with pytest.raises(InputError, match=r"unknown extension: expected one of .*\.js, \.mjs"):
        model.write(tmp_path / "other.wat")


@pytest.mark.parametrize("file", ["rx90_dyn.js", "rx90_dyn.mjs"])
def test_files_can_be_read_back(file: str, tmp_path: Path) -> None:
    model = models.rx90()
    again = read_model(model.write(tmp_path / file)[0])
    assert dict(again.inputs) == dict(model.inputs) and dict(again.outputs) == dict(model.outputs)
    draw = random.Random(4)
    values = {n: draw.uniform(0.2, 1.5) for names in model.inputs.values() for n in names}
    assert evaluate(again.roots, values) == pytest.approx(evaluate(model.roots, values), rel=1e-12)


def test_rejects_extension_of_another_language() -> None:
    with pytest.raises(InputError, match=r"extension \.c of language 'caml' is already used by 'c'"):
        register(Language(name="caml", code=javascript, extensions={".ml": {}, ".c": {}}))
    assert "caml" not in LANGUAGES


def test_solutions_are_printed_as_straight_line_code() -> None:
    from robosym import inverse_geometry, load

    text = inverse_geometry(load("scara")).code("javascript")
    assert "all branches" in text and "scara_pau" in text


@pytest.mark.parametrize("model", [models.rx90, models.awkward, models.read_and_written], ids=lambda m: m.__name__)
def test_node_computes_the_model(model: Callable[[], Model], tmp_path: Path) -> None:
    command = toolchains.tool("node", "nodejs")
    m = model()
    states = models.states(m)
    [path] = m.write(tmp_path / "model.js")
    calls = [f"{function_name(m)}({', '.join(map(str, map(list, state.values())))})" for state in states]
    path.write_text(path.read_text() + f"console.log(JSON.stringify([{', '.join(calls)}]));\n")
    found = json.loads(toolchains.run(command, path, cwd=tmp_path))
    for row, state in zip(found, states, strict=True):
        values = {n: v for g, names in m.inputs.items() for n, v in zip(names, state[g], strict=True)}
        assert row == pytest.approx(evaluate(m.roots, values), rel=1e-13)
