"""The same model by every path: floats on the graph, Python source, C through gcc, machine code."""

from __future__ import annotations

import ctypes
import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robosym.algebra import evaluate
from robosym.languages.program import function_name
from robosym.model import Model, flat, shape

Array = NDArray[np.float64]
Values = Mapping[str, float]
HAS_GCC = shutil.which("gcc") is not None


def random_values(model: Model, rng: random.Random) -> dict[str, float]:
    """A number for each input symbol; a mass is positive."""
    symbols = (name for names in model.inputs.values() for name in names)
    return {n: rng.uniform(0.3, 1.6) * (1 if re.fullmatch(r"M\d+", n) else rng.choice((-1, 1))) for n in symbols}


def arrays(model: Model, values: Values) -> dict[str, Array]:
    return {group: np.array([values[name] for name in names]) for group, names in model.inputs.items()}


def on_graph(model: Model, values: Values) -> Array:
    return np.array(evaluate(model.roots, values))


def same_outputs(model: Model, other: Model, tolerance: float = 1e-12, seed: int = 8, states: int = 4) -> None:
    """Two models give the same numbers for random ones, to rounding."""
    draw = random.Random(seed)
    for _ in range(states):
        values = {n: draw.uniform(0.2, 1.0) * draw.choice((-1, 1)) for names in model.inputs.values() for n in names}
        right, found = on_graph(model, values), on_graph(other, values)
        assert np.abs(found - right).max(initial=0.0) <= tolerance * np.abs(right).max(initial=0.0)


def on_groups(model: Model, **given: object) -> Array:
    """The outputs in a row for arrays by group and parameters by name, on the graph: quicker than machine code once."""
    values: dict[str, float] = {}
    for group, names in model.inputs.items():
        entry = given[group]
        found = [entry[name] for name in names] if isinstance(entry, Mapping) else np.ravel(np.asarray(entry))
        values |= dict(zip(names, map(float, found), strict=True))
    return on_graph(model, values)


def by_python(model: Model, values: Values) -> Array:
    namespace: dict[str, object] = {}
    exec(compile(model.code("python"), "<emitted>", "exec"), namespace)
    result = namespace[function_name(model)](**arrays(model, values))  # type: ignore[operator]
    parts = result if isinstance(result, tuple) else (result,)
    return np.concatenate([np.ravel(part) for part in parts])


def by_c(model: Model, values: Values) -> Array:
    """Compiled with warnings as errors."""
    with tempfile.TemporaryDirectory() as directory:
        source, library = Path(directory) / "model.c", Path(directory) / "model.so"
        model.write(source)
        flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fPIC", "-shared"]
        subprocess.run(["gcc", *flags, str(source), "-o", str(library), "-lm"], check=True)
        function = ctypes.CDLL(str(library))[function_name(model)]
        outputs = [np.full(shape(layout), np.nan) for layout in model.outputs.values()]
        everything = [*arrays(model, values).values(), *outputs]
        function(*(a.ctypes.data_as(ctypes.c_void_p) for a in everything))
        return np.concatenate([out.ravel() for out in outputs])


def by_machine_code(model: Model, values: Values) -> Array:
    result = model.compile()(**arrays(model, values))
    parts = (result,) if len(model.outputs) == 1 else tuple(result)
    return np.concatenate([np.ravel(part) for part in parts])


def names(model: Model) -> list[str]:
    return [name for layout in model.outputs.values() for name in flat(layout)]
