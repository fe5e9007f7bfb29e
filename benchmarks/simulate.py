"""Measure simulation: steps per second compared with MuJoCo, energy error, and constraint error of loops.

Times are processor times of this thread, the best of several runs in turns, so other programs do not affect them. They
include checks and results, but not compilation.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
from table import Row, print_table

import robosym as rs

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from cases.closed_robots import four_bar, slider_crank
from cases.dynamic import body_values

STEP, STEPS, BATCH = 1e-3, 5000, 1000


def quickest(calls: dict[str, Callable[[], None]], rounds: int = 20) -> dict[str, float]:
    best = dict.fromkeys(calls, np.inf)
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.thread_time()
            call()
            best[name] = min(best[name], time.thread_time() - start)
    return best


def speed() -> list[Row]:
    robot = rs.load("ur10e")
    rng = np.random.default_rng(1)
    q, many = rng.normal(size=6), rng.normal(size=(BATCH, 6))
    model = mujoco.MjModel.from_xml_string(robot.dumps("mjcf"))
    model.opt.timestep = STEP
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(model)

    def by_mujoco(integrator: int) -> Callable[[], None]:
        def run() -> None:
            model.opt.integrator = integrator
            mujoco.mj_resetData(model, data)
            data.qpos[:] = q
            mujoco.mj_step(model, data, nstep=STEPS)

        return run

    calls: dict[str, Callable[[], None]] = {
        "one": lambda: void(rs.simulate(robot, q, until=STEPS * STEP, step=STEP)),
        "many": lambda: void(rs.simulate(robot, many, until=100 * STEP, step=STEP, every=20)),
        "euler": by_mujoco(mujoco.mjtIntegrator.mjINT_EULER),
        "rk4": by_mujoco(mujoco.mjtIntegrator.mjINT_RK4),
    }
    for call in calls.values():
        call()
    taken = quickest(calls)
    one, many_rate = STEPS / taken["one"], 100 * BATCH / taken["many"]
    euler, rk4 = STEPS / taken["euler"], STEPS / taken["rk4"]
    return [
        Row("RK4 of a 6R arm, one trajectory, steps/s", one, 8e5, at_least=True),
        Row("RK4 of a 6R arm, batch of 1,000, steps/s", many_rate, 3e6, at_least=True),
        Row("one trajectory, times MuJoCo's RK4 in this run", one / rk4, 1, at_least=True),
        Row("one trajectory, times MuJoCo's Euler in this run", one / euler, 1, at_least=True),
        Row("MuJoCo's RK4, steps/s (for comparison)", rk4, 0, at_least=True),
        Row("MuJoCo's Euler, steps/s (for comparison)", euler, 0, at_least=True),
    ]


def lost(run: rs.Simulation) -> float:
    return float(np.abs(run.energy - run.energy[0]).max())


def void(_: object) -> None:
    """Return the function without its result."""


def with_masses(robot: rs.Robot) -> rs.Robot:
    import random

    rng = random.Random(3)
    bodies = [body_values(rng, j) for j in range(1, robot.NL + 1)]
    links = [
        {name[: -len(str(j))]: value for name, value in body.items()} | {"FV": 0, "FS": 0, "IA": 0}
        for j, body in enumerate(bodies, 1)
    ]
    return robot.with_links(links)


def accuracy() -> list[Row]:
    q, qd = np.random.default_rng(1).normal(size=(2, 6))
    fall = rs.simulate("ur10e", q, qd, until=10, step=STEP)
    fast = {method: rs.simulate("ur10e", np.zeros(6), until=10, step=STEP, method=method) for method in ("rk4", "rk5")}
    bars = with_masses(four_bar()).edit({"gravity": [0, -9.81, 0]})
    crank = with_masses(slider_crank()).edit({"gravity": [0, -9.81, 0]})
    crank = crank.with_values({"L1": 0.3, "L2": 0.8, "H": 0.1, "g5": 0.0})
    sr400 = with_masses(rs.load("sr400"))
    lengths = [name for name in sr400.parameters if name[0] in "DR" and name[-1].isdigit()]
    sr400 = sr400.with_values({name: 0.3 + 0.1 * k for k, name in enumerate(lengths)} | {"G3": 9.81})
    swing = rs.simulate(bars, [0.7, -0.7, 0.7, 0.7][: len(bars.tree_joints)], [1.0], until=10, step=STEP)
    turns = rs.simulate(crank, [0.4], [1.0], until=5, step=STEP)
    arm = rs.simulate(sr400, [0.1, 0.4, -0.3, 0.2, 0.3, 0.1], until=2, step=STEP)
    return [
        Row("energy error of a 6R arm falling for 10 s, h = 1 ms, J", float(np.ptp(fall.energy)), 2e-4),
        Row("the same with all joints starting at zero (wrist up to 130 rad/s), rk4, J", lost(fast["rk4"]), 2e-4),
        Row("the same with rk5, J", lost(fast["rk5"]), 2e-4),
        Row("drift of a four-bar over 10 s, m", float(swing.drift.max()), 1e-9),
        Row("drift of a slider-crank over 5 s, m", float(turns.drift.max()), 1e-9),
        Row("drift of SR400 over 2 s, m", float(arm.drift.max()), 1e-12),
        Row("energy error of SR400 over 2 s, J", float(np.ptp(arm.energy)), 2e-4),
    ]


if __name__ == "__main__":
    print_table("Simulation", [*speed(), *accuracy()])
