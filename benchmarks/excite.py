"""Measure an exciting trajectory of the UR10e: its condition number and the search time, compilation included."""

from __future__ import annotations

import resource
import time

import numpy as np
from table import Row, print_table

import robosym as rs

LIMITS = {
    "position": np.pi,
    "velocity": np.radians([120, 120, 180, 180, 180, 180]),
    "acceleration": 10,
    "torque": [330, 330, 150, 56, 56, 56],
    "floor": 0.1,
}


def processor_time() -> float:
    """Return the processor time of this process and of the child processes it waited for, in s."""
    of = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in of)


def main() -> None:
    robot = rs.load("ur10e")
    rows = []
    plain = {name: LIMITS[name] for name in ("position", "velocity", "acceleration")}
    for words, limits in (("joint limits", plain), ("with torque limits and a floor", LIMITS)):
        start, used = time.perf_counter(), processor_time()
        motion = rs.exciting_trajectory(robot, limits, period=20, harmonics=7)
        took, used = time.perf_counter() - start, processor_time() - used
        t = motion.times(50)[:-1]
        model = rs.dynamic_identification(robot, base_parameters=True)
        W = model.compile()(**motion.at(t)._asdict()).reshape(-1, len(model.columns))
        rows += [
            Row(f"{words}: condition of W, {len(motion.columns)} parameters with friction", motion.condition, 64),
            Row(f"{words}: condition of W, {len(model.columns)} inertial columns", float(np.linalg.cond(W)), 64),
            Row(f"{words}: time with compilation, s", took, 10),
            Row(f"{words}: processor time, s", used, 10),
        ]
    print_table("Exciting motion of the UR10e, 20 s, 7 harmonics", rows)


if __name__ == "__main__":
    main()
