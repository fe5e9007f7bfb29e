"""Python source over NumPy: arrays of any leading shape, broadcast against each other."""

from __future__ import annotations

import keyword

from robosym.algebra import FUNCTIONS, Style
from robosym.languages.header import describe
from robosym.languages.language import Language, register
from robosym.languages.program import Part, Program, double, function_name, wrapped
from robosym.languages.solution_python import solution_python
from robosym.model import Model, flat, shape

__all__ = ["PYTHON"]

STYLE = Style(
    number=double,
    pi="np.pi",
    functions={name: f"np.{f.numpy}" for name, f in FUNCTIONS.items()},
)
RESERVED = frozenset(keyword.kwlist) | {"np", "batch", "constants", "print", "match", "case", "type", "_"}


def _code(model: Model, *, library: str = "numpy", init: bool = False) -> str:
    """A module with one function; `library` is NumPy or another of its interface: "jax.numpy", "cupy".

    With `init` a second function computes, once, the list `constants` that the first one takes.
    """
    program = Program(model, PYTHON, constants=init)
    spelled = {**program.groups, "constants": "constants"}
    name = function_name(model)
    lines = PYTHON.commented(line.replace("\\", "") for line in describe(model))
    lines += ["", f"import {library} as np", "", ""]
    read = list(model.inputs)
    parts = program.whole()
    if init:
        [offline] = program.offline()
        lines += [f"def {name}_init({', '.join(spelled[g] for g in program.offline_groups)}):"]
        lines += _body(offline, program.offline_groups, spelled)
        rows = [", ".join(program.constants[i : i + 10]) for i in range(0, len(program.constants), 10)]
        lines += ["    return [", *(f"        {row}," for row in rows), "    ]", "", ""]
        read = [*program.online_groups, "constants"]
        parts = program.online()
    lines += [f"def {name}({', '.join(spelled[g] for g in read)}):"]
    lines += _body(parts[0], read, spelled)
    shapes = [f"{spelled[group]}.shape[:-1]" for group in read if group != "constants"]
    shapes += ["*(np.shape(value) for value in constants)"] if init else []
    lines += [f"    batch = np.broadcast_shapes({', '.join(shapes)})"]
    texts = {n: text for n, _, text in program.outputs}
    results = []
    for group, layout in model.outputs.items():
        lines += [f"    {spelled[group]} = np.stack(np.broadcast_arrays("]
        lines += [wrapped("        ", texts[n], ",", 110, "            ") for n in flat(layout)]
        lines += ["        np.empty(batch)"]
        size = "" if len(shape(layout)) == 1 else f".reshape(*batch, {', '.join(map(str, shape(layout)))})"
        lines += [f"    )[:-1], axis=-1){size}"]
        results.append(spelled[group])
    lines += [f"    return {', '.join(results)}"]
    return "\n".join(lines) + "\n"


def _body(part: Part, read: list[str], spelled: dict[str, str]) -> list[str]:
    lines = [f"    {spelled[group]} = np.asarray({spelled[group]})" for group in read if group != "constants"]
    for group, place, name in part.inputs:
        index = f"{place}" if group == "constants" else f"..., {place}"
        lines += [f"    {name} = {spelled[group]}[{index}]"]
    # a line may only be broken inside brackets
    return lines + [
        f"    {s.name} = {s.text}" if len(s.text) < 100 else wrapped(f"    {s.name} = (", s.text, ")", 110, "        ")
        for s in part.statements
    ]


PYTHON = register(
    Language(
        name="python",
        code=_code,
        extensions={".py": {}},
        comment=('"""', "", '"""'),
        style=STYLE,
        reserved=RESERVED,
        solution=solution_python,
    )
)
