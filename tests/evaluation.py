"""Evaluation of a model in every way: floats on the graph, Python source, C with gcc, machine code."""

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
from numpy.typing import ArrayLike, NDArray

from robosym.algebra import evaluate
from robosym.languages.program import function_name
from robosym.model import Model, flat, shape

Array = NDArray[np.float64]
Values = Mapping[str, float]
HAS_GCC = shutil.which("gcc") is not None


def random_values(model: Model, rng: random.Random) -> dict[str, float]:
    """Return a value for each input symbol; masses are positive."""
    symbols = (name for names in model.inputs.values() for name in names)
    return {n: rng.uniform(0.3, 1.6) * (1 if re.fullmatch(r"M\d+", n) else rng.choice((-1, 1))) for n in symbols}


def arrays(model: Model, values: Values) -> dict[str, Array]:
    return {group: np.array([values[name] for name in names]) for group, names in model.inputs.items()}


def on_graph(model: Model, values: Values) -> Array:
    return np.array(evaluate(model.roots, values))


def agree(found: ArrayLike, expected: ArrayLike, tolerance: float = 1e-11) -> None:
    """Check two arrays; the tolerance is relative to the largest expected value, or to 1 where all are smaller."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape, (found.shape, expected.shape)
    bound = tolerance * max(1.0, float(np.abs(expected).max(initial=0)))
    away = float(np.abs(found - expected).max(initial=0))
    assert away <= bound, f"differ by {away:.3g}, at most {bound:.3g} is rounding:\n{found}\n{expected}"


def same_outputs(model: Model, other: Model, tolerance: float = 1e-12, seed: int = 8, states: int = 4) -> None:
    """Check that two models give the same outputs for random inputs, to rounding."""
    draw = random.Random(seed)
    inputs = dict.fromkeys(n for m in (model, other) for names in m.inputs.values() for n in names)
    for _ in range(states):
        values = {n: draw.uniform(0.2, 1.0) * draw.choice((-1, 1)) for n in inputs}
        right, found = on_graph(model, values), on_graph(other, values)
        assert np.abs(found - right).max(initial=0.0) <= tolerance * np.abs(right).max(initial=0.0)


def on_groups(model: Model, **given: object) -> Array:
    """Return the flattened outputs for arrays by group and parameters by name, evaluated on the graph."""
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
    """Evaluate through C, compiled with warnings as errors."""
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
