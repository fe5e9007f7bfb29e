"""Measure direct geometry and kinematics: operation counts, determinants and generation time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from table import Row, print_table

from robosym.control import joint_rates
from robosym.formats import load, loads
from robosym.kinematics import (
    accelerations,
    direct_geometry,
    jacobian,
    jdot_qdot,
    loop_kinematics,
    operational_jacobian,
    transform,
    velocities,
)
from robosym.mechanism import Robot


def symbolic_lwr() -> Robot:
    """Return the KUKA LWR with symbolic lengths."""
    alphas = ("0", "Pi/2", "-Pi/2", "-Pi/2", "Pi/2", "Pi/2", "-Pi/2")
    frames = "".join(
        f"  - {{alpha: {alpha}, theta: t{j}, r: {f'r{j}' if j % 2 else 0}}}\n" for j, alpha in enumerate(alphas, 1)
    )
    return loads(f"name: lwr\nframes:\n{frames}gravity: [0, 0, G3]\n", format="yaml")


def best(function: Callable[[], Any], times: int = 7) -> float:
    """Return the time of the fastest of several runs, in ms."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        function()
        taken.append(time.perf_counter() - start)
    return 1e3 * min(taken)


def counts(what: str, model: Any, additions: int, multiplications: int) -> list[Row]:
    found = model.operations
    return [
        Row(f"{what}: additions", found.additions, additions),
        Row(f"{what}: multiplications", found.multiplications, multiplications),
    ]


def main() -> None:
    rx90, lwr = load("rx90"), symbolic_lwr()
    rows = [
        *counts("RX90 direct_geometry(0, 6)", direct_geometry(rx90, 0, 6), 25, 56),
        *counts("LWR direct_geometry(0, 7), r1 r3 r5 r7", direct_geometry(lwr, 0, 7), 35, 71),
        *counts("LWR jdot_qdot(7), r1 r3 r5 r7", jdot_qdot(lwr, 7), 56, 93),
    ]
    print_table("Operations", rows)

    first = best(lambda: jacobian(rx90, 6, projection=0).determinant(), 1)
    rows = [Row("rx90, first call", first, 1000)]
    for name in ("rx90", "puma560", "sr400", "stanford", "ur5e", "iiwa14"):
        robot = load(name)
        taken = best(
            lambda robot=robot: jacobian(robot, robot.NL if robot.NL == 7 else 6, projection=0).determinant(), 3
        )
        rows.append(Row(name, taken, 1000))
    print_table("Determinant of the Jacobian in frame 0, factorized [ms]", rows)

    models = {
        "transform(0, 7)": lambda: transform(lwr, 0, 7),
        "direct_geometry(0, 7)": lambda: direct_geometry(lwr, 0, 7),
        "jacobian(7), frames chosen": lambda: jacobian(lwr, 7),
        "jacobian(7, projection=0)": lambda: jacobian(lwr, 7, projection=0),
        "jacobian(7, projection=3, intermediate=4)": lambda: jacobian(lwr, 7, 3, 4),
        "inverse of the first six columns": lambda: jacobian(lwr, 7, 3, 4, joints=range(1, 7)).inverse(),
        "velocities": lambda: velocities(lwr),
        "accelerations": lambda: accelerations(lwr),
        "jdot_qdot(7)": lambda: jdot_qdot(lwr, 7),
        "operational_jacobian(7, rpy)": lambda: operational_jacobian(lwr, 7, "rpy"),
        "joint_rates(7)": lambda: joint_rates(lwr, 7),
    }
    print_table("Generation for a 7R arm, the LWR [ms]", [Row(name, best(f), 50) for name, f in models.items()])

    for name in ("sr400", "akr3000"):  # no bar: for information
        robot = load(name)
        loops = loop_kinematics(robot)
        taken = best(lambda robot=robot: loop_kinematics(robot), 3), best(loops.solution, 3)
        print(f"{name}: loop_kinematics {taken[0]:.1f} ms, solution {taken[1]:.1f} ms, {loops.solution().operations}")


if __name__ == "__main__":
    main()
