"""Measure the fastest motion of a 6-joint arm along a path beside `toppra`, and a linear model in machine code.

`toppra` receives the same spline, places and limits, and the torques of the compiled inverse dynamic model.
Both are called alternately in one run, and their processor time is measured, which other programs on the machine affect
little. `pip install toppra` adds its rows.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from table import Row, note, print_table, spread_of

import robosym as rs

Array = NDArray[np.float64]
VELOCITY, ACCELERATION, TORQUE = 3.1, 30.0, np.array([80.0, 75, 40, 14, 14, 14])
POINTS, RUNS = 200, 60


def of_toppra(robot: rs.Robot, points: Array) -> Callable[[], Any]:
    """Return a function that computes the profile with limits at both ends of each interval."""
    logging.getLogger("toppra").setLevel(logging.ERROR)
    toppra, constraint = import_module("toppra"), import_module("toppra.constraint")
    algorithm = import_module("toppra.algorithm")
    knots = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    inverse = rs.inverse_dynamics(robot).compile()

    def both(limit: Array) -> Array:
        return np.stack([-limit, limit], axis=1)

    def profile() -> Any:
        path = toppra.SplineInterpolator(knots, points, bc_type="natural")
        limits = [
            constraint.JointVelocityConstraint(both(np.full(6, VELOCITY))),
            constraint.JointAccelerationConstraint(both(np.full(6, ACCELERATION))),
            constraint.JointTorqueConstraint(lambda q, v, a: inverse(q=q, qd=v, qdd=a), both(TORQUE), np.zeros(6)),
        ]
        for limit in limits:
            limit.set_discretization_type(1)
        grid = np.linspace(0, knots[-1], POINTS)
        found = algorithm.TOPPRA(limits, path, gridpoints=grid, parametrizer="ParametrizeConstAccel")
        return found.compute_trajectory(0, 0)

    return profile


def times(calls: dict[str, Callable[[], Any]]) -> dict[str, list[float]]:
    """Call all alternately and return the processor times in ms."""
    found: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(RUNS):
        for name, call in calls.items():
            start = time.process_time()
            call()
            found[name].append(1e3 * (time.process_time() - start))
    return found


def exceeded(motion: Any, inverse: Any, period: float) -> float:
    """Return the largest part of a torque limit that is used at many times."""
    t = np.linspace(0, period, 20_000)
    tau = inverse(q=motion(t, 0), qd=motion(t, 1), qdd=motion(t, 2))
    return float((np.abs(tau) / TORQUE).max())


def main() -> None:
    robot = rs.load("ur5e")
    points = np.random.default_rng(0).uniform(-1.5, 1.5, (5, 6))
    limits = {"velocity": VELOCITY, "acceleration": ACCELERATION, "torque": TORQUE}
    inverse = rs.inverse_dynamics(robot).compile()

    def ours() -> Any:
        return rs.time_optimal_motion(robot, points, limits, points=POINTS)

    calls: dict[str, Callable[[], Any]] = {"robosym": ours}
    if find_spec("toppra") is not None:
        calls["toppra"] = of_toppra(robot, points)
    for call in calls.values():
        call()
    took = times(calls)
    motion = ours()
    used = np.concatenate(list(motion.utilization.values()), axis=1).max(axis=1)
    beyond = exceeded(lambda t, order: motion.at(t)[order], inverse, motion.period)
    own = float(np.median(took["robosym"]))
    rows = [
        Row("time-optimal motion, 200 points, ms", own, 5, spread=spread_of(took["robosym"])),
        Row("largest part of a torque limit used at 20,000 times", beyond, 1.00001),
        Row("least part of a limit that is reached in an interval", float(used.min()), 0.95, at_least=True),
    ]
    if "toppra" in calls:
        peer = calls["toppra"]()
        ratios = np.array(took["robosym"]) / np.array(took["toppra"])
        rows += [
            Row("time relative to toppra", float(np.median(ratios)), 1, spread=spread_of(list(ratios))),
            Row("duration of the motion relative to that of toppra", motion.period / peer.duration, 1.005),
        ]
        note("toppra, 200 points, ms", float(np.median(took["toppra"])))
        note("toppra: largest part of a torque limit used", exceeded(peer, inverse, peer.duration))
    linear = rs.linearize(robot).compile()
    states = np.random.default_rng(1).uniform(-1, 1, (3, 10_000, 6))
    given = dict(zip(("q", "qd", "tau"), states, strict=True))
    linear(**given)
    each = []
    for _ in range(20):
        start = time.perf_counter()
        linear(**given)
        each.append(1e6 * (time.perf_counter() - start) / len(states[0]))
    one = {name: values[0] for name, values in given.items()}
    single = []
    for _ in range(200):
        start = time.perf_counter()
        for _ in range(20):
            linear(**one)
        single.append(1e6 * (time.perf_counter() - start) / 20)
    rows += [
        Row("linear model, A and B of one state in a batch, µs", float(np.median(each)), 5, spread=spread_of(each)),
        Row("linear model, one call for one state, µs", float(np.median(single)), 5, spread=spread_of(single)),
    ]
    print_table("Motions of the UR5e", rows)


if __name__ == "__main__":
    main()
