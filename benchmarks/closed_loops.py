"""Measure models of closed robots: time of the optimizer and remaining operations at its thorough level.

Parallel robots are also modeled as closed ones: time, operations, and error against numerical least squares.
"""

from __future__ import annotations

import time

import numpy as np
from table import Row, print_table

import robosym as rs
from robosym.coordinates.closing import reached_from
from robosym.optimizer.optimize import simplified

BAR = 3.0  #: seconds
ERROR = 1e-9
#: operations of W by elimination of all rows at once, before the system was split into blocks
LOOPS = {"orthoglide": 2738, "delta": 1776, "tricept": 2020, "hexa": 7130, "agile_eye": 217}
GENERATION = 3.0  #: s on one core, including the search for the mode


def main() -> None:
    rows = []
    for name in ("sr400", "akr3000", "gough_stewart"):
        for make in (rs.inverse_dynamics, rs.direct_dynamics):
            model = make(rs.load(name))
            plain = simplified(model).operations.total
            start = time.perf_counter()
            best = rs.optimize(model, "max")
            what = f"{name} {make.__name__}, optimize max"
            rows.append(Row(f"{what}: s", time.perf_counter() - start, BAR))
            rows.append(Row(f"{what}: operations (one pass: {plain})", best.operations.total, plain - 1))
    rows += [row for name, bar in LOOPS.items() for row in loops_of(name, bar)]
    print_table("Closed robots", rows)


def loops_of(name: str, bar: int) -> list[Row]:
    """Measure W of a parallel robot as a closed one, at sixty positions of its mode."""
    robot = rs.load(name).to_closed()
    start = time.process_time()
    loops = rs.loop_kinematics(robot)
    model = loops.solution()
    took = time.process_time() - start
    constraints = loops.constraints
    positions = reached_from(constraints.closing, constraints.samples[0], 60, np.random.default_rng(1))
    q = np.array([[p[n] for n in model.inputs["q"]] for p in positions])
    W = model.compile()(q=q)
    W = W[0] if isinstance(W, tuple) else W
    passive = [robot.tree_joints.index(j) for j in loops.passive]
    error = 0.0
    for state, table in zip(q, W, strict=True):
        for column, unit in enumerate(np.eye(len(loops.active))):
            right = loops.rates(state, unit)[passive]
            error = max(error, float(np.abs(table[:, column] - right).max() / max(1.0, np.abs(right).max())))
    what = f"{name}, closed"
    return [
        Row(f"{what}: W, operations", model.operations.total, bar), Row(f"{what}: W, generation s", took, GENERATION),
        Row(f"{what}: W, error at 60 positions", error, ERROR),
    ]  # fmt: skip


if __name__ == "__main__":
    main()
