"""Other evaluations of a model than the graph: optimized, machine code, generated source, read back."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import robosym as rs
from cases import toolchains
from evaluation import by_machine_code, on_graph
from robosym.algebra import evaluate
from robosym.model import Model
from soak.findings import Array, Finding, compare, magnification

Values = Mapping[str, float]
Way = Callable[[Model, Values], Array]


def _run(language: str) -> Way:
    def way(model: Model, values: Values) -> Array:
        state = {group: [values[name] for name in names] for group, names in model.inputs.items()}
        with tempfile.TemporaryDirectory() as folder:
            return np.array(toolchains.RUNNERS[language](model, [state], Path(folder))[0])

    return way


def _read_back(suffix: str) -> Way:
    def way(model: Model, values: Values) -> Array:
        with tempfile.TemporaryDirectory() as folder:
            paths = model.write(Path(folder) / f"model{suffix}")
            again = rs.read_model(paths[0])
        for group, names in again.inputs.items():  # an unused parameter may be omitted
            assert names == tuple(n for n in model.inputs[group] if n in names), "inputs differ"
        assert again.outputs == model.outputs, "outputs differ"
        return on_graph(again, values)

    return way


#: weight of each way; compilers take 0.1 s or more, slow interpreters 1 s
WAYS: dict[str, tuple[int, Way, tuple[str, ...]]] = {
    "python": (20, _run("python"), ()),
    "python with init": (8, _run("python with init"), ()),
    "machine code": (25, by_machine_code, ()),
    "listing read back": (10, _read_back(".txt"), ()),
    "c read back": (6, _read_back(".c"), ()),
    "fortran read back": (4, _read_back(".f90"), ()),
    "matlab read back": (4, _read_back(".m"), ()),
    "maple read back": (3, _read_back(".mp"), ()),
    "mathematica read back": (3, _read_back(".mh"), ()),
    "c": (8, _run("c"), ("gcc",)),
    "c with init": (5, _run("c with init"), ("gcc",)),
    "c++": (3, _run("c++"), ("g++",)),
    "fortran": (3, _run("fortran"), ("gfortran",)),
    "fortran with init": (2, _run("fortran with init"), ("gfortran",)),
    "fortran 77": (2, _run("fortran 77"), ("gfortran",)),
    "rust": (2, _run("rust"), ("rustc",)),
    "octave": (1, _run("octave"), ("octave",)),
    "julia": (1, _run("julia"), ("julia",)),
    "maple by giac": (1, _run("maple by giac"), ("giac",)),
    "mathematica by mathics": (1, _run("mathematica by mathics"), ("mathics",)),
}
_SMALL = {"maple by giac": 400, "mathematica by mathics": 100}  #: largest number of operations for slow interpreters
_CANCELS = 1e-3  #: fraction of the largest intermediate value
#: levels with the largest number of operations of a model; higher levels are slower
LEVELS: dict[int | str, int] = {0: 3000, 1: 3000, 2: 800, 3: 250, "max": 250}
OPTIMIZED = 0.5  #: fraction of the robots that are optimized before code generation
GOALS = ("operations", "speed")


def installed() -> list[str]:
    return [name for name, (_, _, tools) in WAYS.items() if all(map(_is_here, tools))]


@cache
def _is_here(tool: str) -> bool:
    return find_spec(tool) is not None if tool == "mathics" else shutil.which(tool) is not None


def by_another_way(
    label: str, model: Model, values: Values, rng: random.Random, solved: float = 1.0
) -> Iterator[Finding]:
    """Compare one level of the optimizer and one evaluation; the optimizer must never add operations.

    `solved` is the condition of the equations that the model solves.
    """

    def plain(at: Values) -> Array:
        return on_graph(model, at)

    def condition() -> float:
        return solved * max(1.0, magnification(plain, {n: values[n] for names in model.inputs.values() for n in names}))

    expected = plain(values)
    # a result of pure rounding is compared with the terms that cancel
    inner = _CANCELS * float(np.nanmax(np.abs(evaluate(model.nodes, values)), initial=0))
    if not all(map(len, model.outputs.values())):  # all joints are elastic: the model has no outputs
        return
    levels = [level for level, most in LEVELS.items() if model.operations.total <= most]
    if levels and rng.random() < OPTIMIZED:
        level, goal = rng.choice(levels), rng.choice(GOALS)
        lean, title = rs.optimize(model, level, goal=goal), f"{label}, optimized to {level} for {goal}"
        yield compare(title, on_graph(lean, values), expected, condition, inner)
        if goal == "operations" and lean.operations.total > model.operations.total:
            yield Finding(f"{title}: more operations", np.inf)
        model = lean
    ways = [name for name in installed() if model.operations.total <= _SMALL.get(name, model.operations.total)]
    if not model.operations.total + model.operations.functions:  # giac does not evaluate a procedure without statements
        ways = [name for name in ways if name != "maple by giac"]
    if model.operations.total > 4000:  # compilers are slow
        ways = [name for name in ways if not WAYS[name][2]]
    name = rng.choices(ways, [WAYS[way][0] for way in ways])[0]
    yield compare(f"{label} by {name}", WAYS[name][1](model, values), expected, condition, inner)
