"""Measure batched calls of the inverse dynamic model of the RX90: `out=`, two threads, column order, a single call."""

from __future__ import annotations

import statistics
import time
import timeit
from collections.abc import Callable
from typing import Any

import numpy as np
from pinocchio_cpp import offline_groups, rx90_with_numbers
from table import Row, print_table, spread_of

import robosym as rs

STATES, ROUNDS = 1_000_000, 9


def interleaved(ways: dict[str, Callable[[], Any]], clock: Callable[[], float]) -> dict[str, list[float]]:
    """Return the times of each function, measured in turns."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, call in ways.items():
            start = clock()
            call()
            times[name].append(clock() - start)
    return times


def row(what: str, values: list[float], bar: float, at_least: bool = False) -> Row:
    """Return a row with the median."""
    return Row(what, statistics.median(values), bar, at_least, spread_of(values))


def main() -> None:
    robot, values = rx90_with_numbers()
    model = rs.inverse_dynamics(robot)
    offline = offline_groups(model, values)
    f = model.compile().with_values(**offline)
    rng = np.random.default_rng(1)
    rows = [rng.uniform(-3, 3, (STATES, 6)) for _ in range(3)]
    columns = [np.asfortranarray(array) for array in rows]
    out = np.zeros((STATES, 6))
    on_processor = interleaved(
        {"rows": lambda: f(*rows, out=out), "columns": lambda: f(*columns, out=out)}, time.process_time
    )
    on_clock = interleaved(
        {"one": lambda: f(*rows, out=out), "two": lambda: f(*rows, out=out, threads=2)}, time.perf_counter
    )
    whole = model.compile()
    q, qd, qdd = (array[0].copy() for array in rows)
    by_name = {name: values[name] for name in model.inputs["parameters"]}
    gravity, parameters = offline["gravity"], offline["parameters"]
    calls: dict[str, Callable[[], Any]] = {
        "arrays": lambda: whole(q=q, qd=qd, qdd=qdd, gravity=gravity, parameters=parameters),
        "dictionary": lambda: whole(q=q, qd=qd, qdd=qdd, gravity=gravity, parameters=by_name),
    }
    single = {
        name: [t / 2000 * 1e6 for t in timeit.repeat(call, number=2000, repeat=25)] for name, call in calls.items()
    }

    def ratios(times: dict[str, list[float]], one: str, other: str) -> list[float]:
        return [a / b for a, b in zip(times[one], times[other], strict=True)]

    print_table(
        "Calls of the inverse dynamic model of the RX90",
        [
            row(
                "1,000,000 states with out=, processor time per state, ns",
                [t / STATES * 1e9 for t in on_processor["rows"]],
                30,
            ),
            row("by columns over by rows, time", ratios(on_processor, "columns", "rows"), 1.15),
            row("one thread over two, time", ratios(on_clock, "one", "two"), 1.8, at_least=True),
            row("one call, arrays, microseconds", single["arrays"], 0.6),
            row(f"one call, a dictionary of {len(by_name)} parameters, microseconds", single["dictionary"], 1),
        ],
    )


if __name__ == "__main__":
    main()
