"""Measure models of parallel robots in platform coordinates: operations and times."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from emitted_c import compiler, timed
from numpy.typing import NDArray
from pinocchio_platform import Motions, platform_race
from poses import all_poses, near
from table import Row, print_table

import robosym as rs

GEOMETRY = {
    "D2": 0.55, "g3": 0.55, "B3": 0.02, "D3": 0.92, "g4": 1.05, "B4": -0.03, "D4": 1.02, "g5": 1.55, "B5": 0.015,
    "D5": 0.86, "g6": 1.95, "D6": 0.6, "pd2": 0.18, "pg3": 0.7, "pb3": 0.01, "pd3": 0.41, "pg4": 1.1, "pb4": -0.02,
    "pd4": 0.5, "pg5": 1.6, "pb5": 0.02, "pd5": 0.42, "pg6": 2.2, "pd6": 0.28,
}  # fmt: skip
STATES = 2000
TOLERANCE = 1e-9

Array = NDArray[np.float64]


def best(call: Callable[[], object], times: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the time of the fastest of several runs, in s."""
    found = []
    for _ in range(times):
        start = clock()
        call()
        found.append(clock() - start)
    return min(found)


def main() -> None:
    gough = rs.load("gough")
    base = rs.base_parameters(gough)
    robot, few = base.robot, base.essential()
    inverse, direct = rs.inverse_dynamics(robot), rs.direct_dynamics(robot)
    generate = best(lambda: rs.inverse_dynamics(robot), 5, time.process_time)
    compiling = best(lambda: inverse.compile(cached=False), 3, time.process_time)
    rng = np.random.default_rng(7)
    values = {n: float(rng.uniform(0.05, 0.2)) for n in base.standard_names}
    values |= {n: 1 + v for n, v in values.items() if n.startswith(("XX", "YY", "ZZ"))}
    values |= {n: 3 + v for n, v in values.items() if n.startswith("M") and n[1] not in "XYZ"} | GEOMETRY
    reduced = base.values(values) | GEOMETRY
    motions = Motions(STATES)
    parameters = np.array([reduced[name] for name in inverse.inputs["parameters"]])
    forces = inverse.compile()

    def batch() -> Array:
        moving = {"pose": motions.pose, "twist": motions.twist, "acceleration": motions.acceleration}
        return np.asarray(forces(**moving, parameters=parameters, gravity=[-9.81]))

    race = platform_race(gough.with_values(GEOMETRY), values | {"G3": -9.81}, motions, batch)
    batch()
    geometry = rs.inverse_geometry(gough, passive=False)
    one, lengths = motions.pose[0], {name: GEOMETRY[name] for name in geometry.inputs["parameters"]}
    motors, array = geometry.compile(), np.array(list(lengths.values()))
    geometry.solve(one, lengths)

    def call() -> object:
        return motors(pose=one, parameters=array)

    print_table(
        "Gough-Stewart robot from the pose of its platform",
        [
            Row("base parameters", len(base.names), 88),
            Row("inverse model, operations, as generated", inverse.operations.total, 1735),
            Row("inverse model, operations, optimized (level 3)", rs.optimize(inverse, 3).operations.total, 1735),
            Row("direct model, operations, as generated", direct.operations.total, 2611),
            Row("direct model, operations, optimized (level 3)", rs.optimize(direct, 3).operations.total, 2611),
            Row("essential parameters (GS table III)", len(few.names), 52),
            Row("inverse model of these, operations", rs.inverse_dynamics(few.robot).operations.total, 1555),
            Row("direct model of these, operations", rs.direct_dynamics(few.robot).operations.total, 2387),
            Row("generate the inverse model, processor time, s", generate, 0.05),
            Row("compile it, without cache, processor time, s", compiling, 0.3),
            Row("inverse model, batch, ns per state", best(batch, 20) / STATES * 1e9, 140),
            Row(f"Pinocchio's C++ over robosym, time ({race.times})", race.ratio, 30, at_least=True),
            Row("largest difference from it, over the largest force", race.difference, TOLERANCE),
            Row("inverse geometry of one pose, solve, us", best(lambda: geometry.solve(one, lengths), 300) * 1e6, 20),
            Row("inverse geometry of one pose, compiled, us", best(call, 300) * 1e6, 1),
            *emitted(geometry, lengths, motions.pose, np.asarray(motors(pose=motions.pose, parameters=array))),
        ],
    )
    rods()
    print_table("Direct geometry of the Gough-Stewart robot", [*all_poses(), *near()])


def emitted(geometry: rs.Model, lengths: dict[str, float], poses: Array, found: Array) -> list[Row]:
    """Measure inverse geometry in emitted C and compare the lengths."""
    if compiler() is None:
        print("the time of emitted code is skipped: found no C compiler")
        return []
    values = ", ".join(map(repr, lengths.values()))
    held = f"const double p[] = {{{values}}}; double q[6];"
    call = "gough_igm(input[i], p, q); total += q[0] + q[1] + q[2] + q[3] + q[4] + q[5];"
    microseconds, total = timed(geometry.code("c"), poses, held, call)
    return [
        Row("inverse geometry of one pose, emitted C, us", microseconds, 1),
        Row("largest difference of its mean length", abs(total - found.sum(axis=1).mean()), TOLERANCE),
    ]


def rods() -> None:
    """Count the operations of robots with rods, with and without the motor positions."""
    rows = []
    for name, robot, bar in (("Delta, one rod per leg", rs.load("delta"), 760), ("Hexa", rs.load("hexa"), 2110)):
        model = rs.inverse_dynamics(robot)
        geometry = rs.inverse_geometry(robot, passive=False).operations.total
        rows.append(Row(f"{name}: inverse model, operations", model.operations.total, bar + geometry))
        rows.append(Row(f"{name}: of these beyond the motor positions", model.operations.total - geometry, bar))
        best_of = rs.optimize(model, 3).operations.total
        rows.append(Row(f"{name}: inverse model, optimized (level 3)", best_of, bar + geometry))
    print_table("Robots with rods, from the pose of the platform", rows)


if __name__ == "__main__":
    main()
