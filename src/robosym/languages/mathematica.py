"""Mathematica: a function over lists, with exact numbers where the robot description is exact."""

from __future__ import annotations

import re
from fractions import Fraction

from robosym.algebra import FUNCTIONS, Style
from robosym.languages.header import describe
from robosym.languages.language import Language, register
from robosym.languages.program import Program, double, function_name, wrapped
from robosym.languages.reading.dialect import Dialect, Span
from robosym.languages.reserved import MATHEMATICA_WORDS
from robosym.model import Layout, Model

__all__ = ["MATHEMATICA", "nested", "spell"]


def _number(value: Fraction | float) -> str:
    if isinstance(value, Fraction):
        return str(value)
    return double(value).replace("e", "*^")


STYLE = Style(
    number=_number,
    # ArcTan[x, y] is the angle of the point (x, y)
    functions={**{name: f.mathematica for name, f in FUNCTIONS.items()}, "atan2": "ArcTan[{1}, {0}]"},
    call="{}[{}]",
)


def spell(name: str) -> str:
    """Return `base_velocity` as baseVelocity: an underscore denotes a pattern."""
    head, *rest = [piece for piece in name.split("_") if piece] or ["x"]
    return head + "".join(piece[0].upper() + piece[1:] for piece in rest)


def nested(layout: Layout, texts: dict[str, str], opening: str, closing: str) -> list[str]:
    """Return the outputs of a group as a list or a list of rows, one entry per line."""
    lines: list[str] = []
    for number, entry in enumerate(layout):
        last = "" if number == len(layout) - 1 else ","
        if isinstance(entry, str):
            lines.append(wrapped("    ", texts[entry], last, 110, "      "))
        else:
            ends = [","] * (len(entry) - 1) + [""]
            inner = [wrapped("     ", texts[n], end, 110, "       ") for n, end in zip(entry, ends, strict=True)]
            lines += [f"    {opening}", *inner, f"    {closing}{last}"]
    return [f"   {opening}", *lines, f"   {closing}"]


def _code(model: Model, *, name: str = "", prefix: str = "") -> str:
    """Return a function `f[q, qd, ...]` that gives a list, nested for a matrix or for several output groups."""
    program = Program(model, MATHEMATICA)
    name = spell(function_name(model, name, prefix, MATHEMATICA))
    lines = [*MATHEMATICA.commented(describe(model, MATHEMATICA)), ""]
    lines += [f"{name}[{', '.join(f'{array.name}_' for array in program.read)}] := Module["]
    local = [n for _, _, n in program.inputs()] + [s.name for s in program.statements]
    rows = [", ".join(local[i : i + 12]) for i in range(0, len(local), 12)]
    lines += ["  {", ",\n".join(f"   {row}" for row in rows), "  },"]
    lines += [f"  {n} = {array.name}[[{place + 1}]];" for array, place, n in program.inputs()]
    # a line that ends in an operator continues on the next
    lines += [_carried(wrapped(f"  {s.name} = ", s.text, ";", 110, "    ")) for s in program.statements]
    texts = {n: text for n, _, text in program.outputs}
    groups = [_carried("\n".join(nested(layout, texts, "{", "}"))) for layout in model.outputs.values()]
    results = groups[0] if len(groups) == 1 else "  {\n" + ",\n".join(groups) + "\n  }"
    return "\n".join([*lines, results, "]", ""])


def _carried(text: str) -> str:
    """Move signs from the start of a continuation line to the end of the line before."""
    lines = text.split("\n")
    for number in range(1, len(lines)):
        bare = lines[number].lstrip()
        if bare[:2] in ("+ ", "- "):
            lines[number - 1] += f" {bare[0]}"
            lines[number] = lines[number][: len(lines[number]) - len(bare)] + bare[2:]
    return "\n".join(lines)


def _statements(lines: list[Span]) -> list[Span]:
    """Split the body of a Module, or the whole file; a line that ends in an operator or inside a bracket continues."""
    body = Span.of_lines(lines).stripped()
    head = re.match(r"[\w$]+\[[^\]]*\]\s*:=\s*Module\[\s*\{[^}]*\}\s*,", body.text)
    if head and body.text.endswith("]"):
        return body[head.end() : len(body.text) - 1].split(";")
    found: list[list[Span]] = []
    for piece in body.split(";\n"):
        if found and re.search(r"[-+*/=^,]$", found[-1][-1].text):
            found[-1].append(piece)
        else:
            found.append([piece])
    return [Span.joined(parts) for parts in found]


MATHEMATICA = register(
    Language(
        name="mathematica",
        code=_code,
        element="[[{}]]",
        first=1,
        extensions={".mh": {}, ".wl": {}},
        comment=("(*", "   ", "*)"),
        style=STYLE,
        exact=True,
        reserved=MATHEMATICA_WORDS,
        spell=spell,
        mark="$",
        reading=(
            Dialect(
                name="mathematica",
                cut=_statements,
                extensions=(".mh", ".wl", ".nb"),
                blocks=(("(*", "*)"),),
                value=lambda value: value.replaced(re.compile(r"\*\^"), lambda _: "e"),
            ),
        ),
    )
)
