"""Time to build the functional mock-up unit of a 6-joint arm, and its motion over 10 s against `simulate`.

FMPy simulates the unit. The arm follows a constant goal under computed torque, so that integration errors do not grow.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import fmpy
import numpy as np
from table import Row, print_table

import robosym as rs

START = [0.3, -1.2, 0.8, 0.1, 0.5, -0.4]
GOAL = [-0.5, -0.6, 1.4, 0.7, -0.3, 0.9]
UNTIL = 10.0


def difference(path: Path, kind: str, run: rs.Simulation) -> float:
    """Return the largest difference of the joint positions in rad."""
    names = [f"q[{k}]" for k in range(1, 7)]
    wanted = {f"q_desired[{k}]": value for k, value in enumerate(GOAL, 1)}
    found = fmpy.simulate_fmu(
        str(path), fmi_type=kind, stop_time=UNTIL, output_interval=0.01, output=names, start_values=wanted,
        relative_tolerance=1e-9,
    )  # fmt: skip
    return float(np.abs(np.stack([found[name] for name in names], axis=-1) - run.q[::10]).max())


def main() -> None:
    robot = rs.load("ur5e")
    law = rs.computed_torque(robot, kp=25.0, kd=8.0)
    run = rs.simulate(robot, START, controller=law, reference={"q_desired": GOAL}, until=UNTIL, friction="smooth")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for version in ("3.0", "2.0"):
            plain, path = Path(folder) / "arm.fmu", Path(folder) / "controlled.fmu"
            begin = time.perf_counter()
            rs.fmu(robot, plain, version, q=START)
            rows.append(Row(f"FMI {version}: build of the unit of a 6-joint arm, s", time.perf_counter() - begin, 5))
            rs.fmu(robot, path, version, q=START, controller=law)
            for kind in ("CoSimulation", "ModelExchange"):
                rows.append(Row(f"FMI {version}: {kind}, {UNTIL:g} s, largest difference, rad",
                                difference(path, kind, run), 1e-6))  # fmt: skip
    print_table("Functional mock-up units", rows)


if __name__ == "__main__":
    main()
