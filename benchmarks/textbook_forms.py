"""Count printed formulas for which SymPy's `simplify` finds an equal form with fewer operations.

The formulas are those of inverse geometric models, loop equations, determinants, base parameters and expanded Lagrange
models of the library. `--count N` sets the size of the sample. Formulas that take SymPy over 10 s
are left out.
"""

from __future__ import annotations

import signal
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import sympy
from table import Row, note, print_table

import robosym as rs
from robosym.algebra import Expr, to_sympy
from robosym.algebra.generic import random_numbers
from robosym.model.solution.steps import Step

COUNT, PATIENCE = 500, 10


def formulas(name: str) -> Iterator[Expr]:
    """Return the formulas that are printed for a robot."""
    robot = rs.load(name)
    for function in (rs.inverse_geometry, rs.loop_geometry):
        try:
            steps = getattr(function(robot), "steps", ())
        except rs.Error:
            continue
        for step in (step for step in steps if isinstance(step, Step)):
            yield from step.readable
            yield from step.solved[1] if step.solved else ()
    with suppress(rs.Error):
        determinant = rs.jacobian(robot, robot.NL).determinant()
        yield from (determinant.definitions[name] for name, _ in determinant.powers)
    if robot.modules:
        return
    yield from rs.base_parameters(robot).grouping.values()
    if len(robot.joint_names) < 5:
        yield from rs.lagrange(robot, form="expanded").roots


def timed_out(*_: Any) -> None:
    raise TimeoutError


def main() -> None:
    count = int(sys.argv[sys.argv.index("--count") + 1]) if "--count" in sys.argv else COUNT
    warnings.simplefilter("ignore")
    start = time.process_time()
    found = [f for name in rs.library() for f in formulas(name) if f.args and f.level]
    seconds = time.process_time() - start
    sample = random_numbers("samples of studies").sample(found, min(count, len(found)))
    signal.signal(signal.SIGALRM, timed_out)
    shorter, compared = 0, 0
    for formula in sample:
        printed = to_sympy([formula])[0]
        signal.alarm(PATIENCE)
        try:
            better = sympy.simplify(printed)
        except TimeoutError:
            continue
        finally:
            signal.alarm(0)
        compared += 1
        if sympy.count_ops(better) < sympy.count_ops(printed):
            shorter += 1
            if "--show" in sys.argv:
                print(sympy.count_ops(printed), sympy.count_ops(better), printed, "=>", better, sep="  ")
    note("formulas printed for the library", len(found))
    note("formulas compared", compared)
    note("time to derive and simplify all formulas (s)", seconds)
    print_table("Formulas for readers", [Row("SymPy finds a shorter form (%)", 100 * shorter / max(compared, 1), 5)])


if __name__ == "__main__":
    main()
