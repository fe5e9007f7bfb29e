"""MATLAB and GNU Octave: a function with one column per state."""

from __future__ import annotations

import re

from robosym.algebra import Style
from robosym.languages.header import describe
from robosym.languages.language import Language, register
from robosym.languages.program import Program, double, function_name, wrapped
from robosym.languages.reading.dialect import Dialect, Span
from robosym.languages.reserved import MATLAB_KEYWORDS, MATLAB_WORDS
from robosym.model import Model

__all__ = ["MATLAB"]

STYLE = Style(number=double, pi="pi", functions={"pow": "power"}, times=".*", over="./")
RESERVED = MATLAB_WORDS | {"states"}


def _spell(name: str) -> str:
    return f"x{name}" if name.startswith("_") else name


def _field(name: str, spelled: str) -> str:
    """Return the name of a field in the parameter structure: the symbol's own name if it is valid."""
    usable = name == _spell(name) and len(name) <= 63 and name not in MATLAB_KEYWORDS
    return name if usable else spelled


def _code(model: Model, *, name: str = "", prefix: str = "") -> str:
    """Return a function file, whose arguments have one row per entry and one column per state.

    Parameters may also be a structure with one field per name.
    """
    program = Program(model, MATLAB)
    name = function_name(model, name, prefix, MATLAB)
    outputs, inputs = (", ".join(array.name for array in arrays) for arrays in (program.written, program.read))
    lines = [f"function [{outputs}] = {name}({inputs})", *MATLAB.commented(describe(model, MATLAB))]
    lines += ["% One column per state. Parameters may be a vector or a structure with these names as fields.", ""]
    for array in program.read:
        if array.once:
            fields = [f"{array.name}.{_field(n, program.symbols[n])}" for n in model.inputs[array.group]]
            rows = [f"        {'; '.join(fields[i : i + 6])}" for i in range(0, len(fields), 6)]
            lines += [
                f"    if isstruct({array.name})",
                f"        {array.name} = [ ...",
                *(f"{row}; ..." for row in rows),
            ]
            lines += ["        ];", "    end"]
        # integer arithmetic saturates
        lines += [f"    if isinteger({array.name})", f"        {array.name} = double({array.name});", "    end"]
        lines += [f"    if isvector({array.name}) && numel({array.name}) == {array.size}"]
        lines += [f"        {array.name} = {array.name}(:);", "    end"]
    lines += [f"    {n} = {array.name}({place + 1}, :);" for array, place, n in program.inputs()]
    lines += [wrapped(f"    {s.name} = ", s.text, ";", 110, "        ", " ...") for s in program.statements]
    # one state unless an argument has more columns; in a matrix output, states are the third index
    columns = ", ".join(f"size({array.name}, 2)" for array in program.read)
    lines += [f"    states = max([{columns or 1}]);"]
    for array in program.written:
        lines += [f"    {array.name} = zeros({', '.join(map(str, array.shape))}, states);"]
    for array, place, text in program.results():
        index = ", ".join(map(str, array.indices(place)))
        lines += [wrapped(f"    {array.name}({index}, :) = ", text, ";", 110, "        ", " ...")]
    return "\n".join([*lines, "end", ""])


def _statements(lines: list[Span]) -> list[Span]:
    kept: list[Span] = []
    skipped = False
    for line in lines:
        bare = line.stripped()
        if re.match(r"if is(struct|vector|integer)\(", bare.text):  # argument conversion in generated files
            skipped = True
        if skipped:
            skipped = bare.text != "end"
            continue
        kept.append(bare[: len(bare.text) - 3] if bare.text.endswith("...") else Span.of_lines([line]))
    return Span.joined(kept).split(";\n")


MATLAB = register(
    Language(
        name="matlab",
        code=_code,
        element="({})",
        first=1,
        extensions={".m": {}},
        comment=("", "% ", ""),
        style=STYLE,
        reserved=RESERVED,
        spell=_spell,
        longest=63,
        reading=(
            Dialect(
                name="matlab",
                cut=_statements,
                extensions=(".m",),
                seen=r"(?m)^\s*%",
                line_marks=("%",),
                ignored=r"(function|global|end\b|clear|clc|persistent|return)",
                elements=True,
                renames=True,
                functions={"power": "pow"},
                value=lambda value: value.replaced(re.compile(r"\.(?=[*/^])"), lambda _: ""),
            ),
        ),
    )
)
