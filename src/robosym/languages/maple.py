"""Maple: a procedure over lists, with exact numbers where the robot description is exact."""

from __future__ import annotations

import re

from robosym.algebra import Style
from robosym.languages.header import describe
from robosym.languages.language import Language, register
from robosym.languages.mathematica import nested
from robosym.languages.program import Program, function_name, wrapped
from robosym.languages.reading.dialect import Dialect, Span
from robosym.languages.reserved import MAPLE_WORDS
from robosym.model import Model

__all__ = ["MAPLE"]


STYLE = Style(
    functions={
        "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan", "log": "ln", "sign": "signum",
        "pow": "(({0})^({1}))",
    }
)  # fmt: skip


def _spell(name: str) -> str:
    return name if name[0] != "_" else f"x{name}"  # names with a leading underscore are reserved for the system


def _code(model: Model, *, name: str = "", prefix: str = "") -> str:
    """Return a procedure `f(q, qd, ...)` that gives a list, nested for a matrix or for several output groups."""
    program = Program(model, MAPLE)
    lines = [*MAPLE.commented(describe(model, MAPLE)), ""]
    name = _spell(function_name(model, name, prefix, MAPLE))
    lines += [f"{name} := proc({', '.join(array.name for array in program.read)})"]
    local = [n for _, _, n in program.inputs()] + [s.name for s in program.statements]
    rows = [", ".join(local[i : i + 12]) for i in range(0, len(local), 12)]
    if rows:
        lines += ["  local " + ",\n    ".join(rows) + ";"]
    lines += [f"  {n} := {array.name}[{place + 1}];" for array, place, n in program.inputs()]
    lines += [wrapped(f"  {s.name} := ", s.text, ";", 110, "    ") for s in program.statements]
    texts = {n: text for n, _, text in program.outputs}
    groups = ["\n".join(nested(layout, texts, "[", "]")) for layout in model.outputs.values()]
    results = groups[0] if len(groups) == 1 else "  [\n" + ",\n".join(groups) + "\n  ]"
    return "\n".join([*lines, results, "end proc:", ""])


def _statements(lines: list[Span]) -> list[Span]:
    body = Span.of_lines(lines).stripped()
    head = re.match(r"\w+\s*:=\s*proc\([^)]*\)", body.text)
    if head:
        body = body[head.end() :]
    body = body.replaced(re.compile(r":="), lambda _: "\0=")  # a colon ends a statement, but not in :=
    ends = re.compile(r"\s*end( proc)?\s*$")
    pieces = [piece.replaced(ends, lambda _: "") for piece in body.split(";:")]
    return [piece.replaced(re.compile("\0="), lambda _: ":=") for piece in pieces]


def _two_arguments(value: Span) -> Span:
    """Rename arctan with two arguments to atan2."""

    def named(found: re.Match[str]) -> str:
        depth = 0
        for character in value.text[found.end() :]:
            depth += (character in "([") - (character in ")]")
            if depth == 1 and character == ",":
                return "atan2"
            if depth == 0:
                break
        return "arctan"

    return value.replaced(re.compile(r"\barctan\b"), named)


MAPLE = register(
    Language(
        name="maple",
        code=_code,
        first=1,
        extensions={".mp": {}, ".mpl": {}},
        comment=("", "# ", ""),
        style=STYLE,
        exact=True,
        reserved=MAPLE_WORDS,
        spell=_spell,
        reading=(
            Dialect(
                name="maple",
                cut=_statements,
                extensions=(".mp", ".mpl"),
                seen=":=",
                line_marks=("#",),
                assign=":=",
                ignored=r"local\b|end\b|restart",
                functions={"arcsin": "asin", "arccos": "acos", "arctan": "atan", "ln": "log", "signum": "sign"},
                value=_two_arguments,
            ),
        ),
    )
)
