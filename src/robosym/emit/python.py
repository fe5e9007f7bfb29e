"""Python source over NumPy: arrays of any leading shape, broadcast against each other."""

from __future__ import annotations

import keyword

from robosym.algebra import Style
from robosym.emit.header import describe
from robosym.emit.program import Program, double, function_name, wrapped
from robosym.model import Model, flat, shape

__all__ = ["code"]

STYLE = Style(
    number=double,
    pi="np.pi",
    functions={
        **{name: f"np.{name}" for name in ("sin", "cos", "tan", "sqrt", "exp", "log", "abs", "sign")},
        "asin": "np.arcsin", "acos": "np.arccos", "atan": "np.arctan", "atan2": "np.arctan2", "pow": "np.power",
    },
)  # fmt: skip
RESERVED = frozenset(keyword.kwlist) | {"np", "stacked", "print", "match", "case", "type", "_"}


def code(model: Model) -> str:
    """A module with one function."""
    program = Program(model, STYLE, RESERVED)
    loaded: dict[str, list[str]] = {group: [] for group in model.inputs}
    for group, place, name in program.inputs():
        loaded[group].append(f"    {name} = {group}[..., {place}]")
    lines = ['"""', *(line.replace("\\", "") for line in describe(model)), '"""', "", "import numpy as np", "", ""]
    lines += [f"def {function_name(model)}({', '.join(model.inputs)}):"]
    for group, loads in loaded.items():
        lines += [f"    {group} = np.asarray({group})", *loads]
    # a line may only be broken inside brackets
    lines += [
        f"    {s.name} = {s.text}"
        if len(s.text) < 100
        else wrapped(f"    {s.name} = (", s.text, ")", 110, "        ")
        for s in program.statements
    ]
    texts = {name: text for name, _, text in program.outputs}
    lines += ["    batch = np.broadcast_shapes(" + ", ".join(f"{group}.shape[:-1]" for group in model.inputs) + ")"]
    results = []
    for group, layout in model.outputs.items():
        lines += [f"    {group}_ = np.stack(np.broadcast_arrays("]
        lines += [wrapped("        ", texts[name], ",", 110, "            ") for name in flat(layout)]
        lines += ["        np.empty(batch)"]
        size = "" if len(shape(layout)) == 1 else f".reshape(*batch, {', '.join(map(str, shape(layout)))})"
        lines += [f"    )[:-1], axis=-1){size}"]
        results.append(f"{group}_")
    lines += [f"    return {', '.join(results)}"]
    return "\n".join(lines) + "\n"
