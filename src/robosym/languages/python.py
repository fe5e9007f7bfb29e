"""Python with NumPy: arrays with any leading shape are broadcast against each other."""

from __future__ import annotations

from collections.abc import Sequence

from robosym.algebra import FUNCTIONS, Style
from robosym.errors import InputError
from robosym.languages.header import describe
from robosym.languages.language import Language, register
from robosym.languages.program import Array, Part, Program, double, function_name, wrapped
from robosym.languages.reserved import PYTHON_WORDS
from robosym.languages.solution_python import solution_python
from robosym.model import Model
from robosym.safe_text import is_dotted_name

__all__ = ["PYTHON"]

STYLE = Style(
    number=double,
    pi="np.pi",
    functions={name: f"np.{f.numpy}" for name, f in FUNCTIONS.items()},
)
RESERVED = PYTHON_WORDS | {"np", "batch", "constants", "floating"}
#: integers are converted to floats (they would overflow, and divide as integers); other types are kept
FLOATING = """def floating(values):
    values = np.asarray(values)
    return values.astype(float) if values.dtype.kind in "biu" else values""".splitlines()


def _code(model: Model, *, library: str = "numpy", init: bool = False, name: str = "", prefix: str = "") -> str:
    """Return a module with one function; `library` is NumPy or a compatible module: "jax.numpy", "cupy".

    With `init`, a second function computes the list `constants` once, which the first one takes.
    """
    if not is_dotted_name(library):
        raise InputError(f"library: expected the name of a module such as numpy or jax.numpy, found {library!r}")
    program = Program(model, PYTHON, constants=init)
    name = function_name(model, name, prefix, PYTHON)
    lines = PYTHON.commented(describe(model, PYTHON))
    lines += ["", f"import {library} as np", "", "", *FLOATING, "", ""]
    read = list(program.read)
    [part] = program.online() if init else program.whole()
    if init:
        [offline] = program.offline()
        lines += [f"def {name}_init({', '.join(array.name for array in program.read_once)}):"]
        lines += _body(offline, program.read_once)
        names = program.constants.entries
        rows = [", ".join(names[i : i + 10]) for i in range(0, len(names), 10)]
        lines += ["    return [", *(f"        {row}," for row in rows), "    ]", "", ""]
        read = [*program.read_online, program.constants]
    lines += [f"def {name}({', '.join(array.name for array in read)}):"]
    lines += _body(part, read)
    shapes = [f"{array.name}.shape[:-1]" for array in read if array.name != "constants"]
    shapes += ["*(np.shape(value) for value in constants)"] if init else []
    lines += [f"    batch = np.broadcast_shapes({', '.join(shapes)})"]
    for array in program.written:
        lines += [f"    {array.name} = np.stack(np.broadcast_arrays("]
        texts = [text for target, _, text in part.outputs if target == array]
        lines += [wrapped("        ", text, ",", 110, "            ") for text in texts]
        lines += ["        np.empty(batch)"]
        size = "" if len(array.shape) == 1 else f".reshape(*batch, {', '.join(map(str, array.shape))})"
        lines += [f"    )[:-1], axis=-1){size}"]
    lines += [f"    return {', '.join(array.name for array in program.written)}"]
    return "\n".join(lines) + "\n"


def _body(part: Part, read: Sequence[Array]) -> list[str]:
    lines = [f"    {array.name} = floating({array.name})" for array in read if array.name != "constants"]
    for array, place, name in part.inputs:
        lines += [f"    {name} = {array.name}[{'' if array.name == 'constants' else '..., '}{place}]"]
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
