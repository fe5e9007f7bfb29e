"""Whole-body inverse dynamics of a humanoid of 32 joints on two plane feet, in batches of states on one core.

Two forms are measured beside the model without contacts, in turns, so that a busy machine slows all of them: wrenches
of the ground on both feet as inputs, and as outputs (the smallest ones for the given motion). Pinocchio's `rnea` with
these wrenches confirms the torques.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from table import Row, note, print_table

import robosym as rs

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from oracles.pinocchio import Oracle

STATES, REPETITIONS, TORQUES = 2000, 31, 32
SOLE = (0.0, 0.0, -0.1)  #: contact point of a foot, in the frame of its link
Array = np.ndarray
Frame = dict[str, Any]


def humanoid() -> tuple[rs.Robot, tuple[int, int]]:
    """Return a humanoid with the structure and the size of Talos, and its feet: torso 2, legs 6, arms 8, head 2.

    Every frame has offsets along both axes, so that the model is not simpler than that of a real robot.
    """
    frames: list[Frame] = []

    def chain(start: int, *parts: Frame) -> int:
        before = start
        for part in parts:
            frames.append({"ant": before, "theta": f"t{len(frames) + 1}", "d": 0.01, "r": 0.02, **part})
            before = len(frames)
        return before

    turn, back = {"alpha": "Pi/2"}, {"alpha": "-Pi/2"}
    torso = chain(0, {"b": 0.1}, {**turn, "r": 0.05})
    chain(torso, {**back, "d": 0.02, "r": 0.32}, turn)
    feet = []
    for side in ("Pi/2", "-Pi/2"):
        hip = {"gamma": side, "d": 0.085, "b": -0.27}
        thigh, shin = {**back, "d": 0.02}, {"d": 0.38}
        feet.append(chain(0, hip, turn, thigh, shin, {"d": 0.325}, turn))
    for side in ("Pi/2", "-Pi/2"):
        shoulder = {"gamma": side, "d": 0.16, "b": 0.23}
        upper, fore = {**back, "r": 0.26}, {**turn, "d": 0.02}
        chain(torso, shoulder, turn, upper, fore, {**back, "r": 0.26}, turn, back, {**turn, "d": 0.05})
    rng = np.random.default_rng(0)
    links = []
    for _ in frames:
        mass, center = rng.uniform(0.5, 4), rng.uniform(-0.08, 0.08, 3)
        sides = rng.uniform(0.05, 0.2, 3)
        own = mass / 12 * (np.diag(sides**2) * -1 + np.eye(3) * (sides**2).sum())
        tensor = own + mass * (center @ center * np.eye(3) - np.outer(center, center))
        names = ("XX", "XY", "XZ", "YY", "YZ", "ZZ")
        values = dict(zip(names, tensor[np.triu_indices(3)].tolist(), strict=True))
        links.append({"M": mass, **dict(zip(("MX", "MY", "MZ"), (mass * center).tolist(), strict=True)), **values})
    base = {"type": "floating", "link": {"M": 16.0, "XX": 0.2, "YY": 0.15, "ZZ": 0.2, "MZ": 0.8}}
    robot = rs.robot("humanoid", frames=frames, links=links, gravity=[0, 0, -9.81], base=base)
    return robot, (feet[0], feet[1])


def in_turns(functions: list[Callable[[], Any]]) -> list[list[float]]:
    """Return the times of each function in ns per state, called in turns."""
    times: list[list[float]] = [[] for _ in functions]
    for repetition in range(REPETITIONS + 3):
        for own, function in zip(times, functions, strict=True):
            start = time.perf_counter()
            function()
            if repetition >= 3:
                own.append((time.perf_counter() - start) / STATES * 1e9)
    return times


def confirmed(robot: rs.Robot, feet: tuple[int, int], given: dict[str, Array], tau: Array, wrench: Array) -> float:
    """Return the largest difference from Pinocchio's torques, and its wrench on the base, over the largest torque."""
    oracle, worst, largest = Oracle(robot, {}), 0.0, 0.0
    for k in range(0, STATES, STATES // 20):
        v, a = oracle.v(given["qd"][k]), oracle.v(given["qdd"][k])
        w, linear = np.split(given["base_velocity"][k], 2)
        v[:6] = [*linear, *w]
        wp, vp = np.split(given["base_acceleration"][k], 2)
        a[:6] = [*(vp - np.cross(w, linear)), *wp]
        forces = [pin.Force.Zero() for _ in range(oracle.model.njoints)]
        for foot, own in zip(feet, np.split(wrench[k], 2), strict=True):
            frame = oracle.model.frames[oracle.frames[foot]]
            sole = frame.placement * pin.SE3(np.eye(3), np.array(SOLE))
            forces[frame.parentJoint] = forces[frame.parentJoint] + sole.act(pin.Force(own[:3], own[3:]))
        found = pin.rnea(oracle.model, oracle.model.createData(), oracle.q(given["q"][k]), v, a, forces)
        expected = oracle.back(found)
        largest = max(largest, float(np.abs(expected).max()))
        worst = max(worst, float(np.abs(tau[k] - expected).max()), float(np.abs(found[:6]).max()))
    return worst / largest


def main() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    robot, feet = humanoid()
    rng = np.random.default_rng(1)
    given = {name: rng.uniform(-1, 1, (STATES, TORQUES)) for name in ("q", "qd", "qdd")}
    given |= {name: rng.uniform(-1, 1, (STATES, 6)) for name in ("base_velocity", "base_acceleration")}
    soles = [{"frame": foot, "type": "plane", "at": list(SOLE)} for foot in feet]
    pushed = robot
    for foot in feet:  # wrench of the link on the ground, at the origin of its frame
        pushed = pushed.edit({f"link{foot}.{name}": f"{name}{foot}" for name in ("FX", "FY", "FZ", "CX", "CY", "CZ")})
    plain = rs.optimize(rs.inverse_dynamics(robot, structure="tree"), 1)
    known = rs.optimize(rs.inverse_dynamics(pushed, structure="tree"), 1)
    least = rs.optimize(rs.inverse_dynamics(robot.with_contacts(*soles)), 1)
    free, with_known, with_least = plain.compile(), known.compile(), least.compile()
    found = with_least(**given)
    moved = []
    for own in np.split(found.contact, 2, axis=1):  # from the sole to the origin, and from the ground to the link
        moved.append(-np.hstack([own[:, :3], own[:, 3:] + np.cross(np.array(SOLE), own[:, :3])]))
    wrench = np.ascontiguousarray(np.hstack(moved))
    torques = with_known(**given, wrench=wrench)
    largest = np.abs(torques).max()
    calls = [lambda: free(**given), lambda: with_known(**given, wrench=wrench), lambda: with_least(**given)]
    alone, inputs, outputs = in_turns(calls)
    slower = [statistics.median(b / a for a, b in zip(alone, own, strict=True)) for own in (inputs, outputs)]
    note("nanoseconds per state without contacts", statistics.median(alone), "alone")
    print_table(
        f"Inverse dynamics of a humanoid of {TORQUES} joints on two feet, batches of {STATES}, one core",
        [
            Row("nanoseconds per state, wrenches of the ground as inputs", statistics.median(inputs), 600,
                key="wrenches as inputs"),
            Row("nanoseconds per state, wrenches of the ground as outputs", statistics.median(outputs), 600,
                key="wrenches as outputs"),
            Row("time with wrenches as inputs over that without contacts", slower[0], 1.3, key="ratio of inputs"),
            Row("time with wrenches as outputs over that without contacts", slower[1], 1.6, key="ratio of outputs"),
            Row("largest difference from Pinocchio over the largest torque", confirmed(
                robot, feet, given, found.tau, found.contact), 1e-12, key="difference from Pinocchio"),
            Row("largest difference of both forms over the largest torque",
                float(np.abs(torques - found.tau).max() / largest), 1e-12, key="difference of both forms"),
        ],
    )  # fmt: skip
    print(f"operations: {plain.operations.online.total}, {known.operations.online.total}, "
          f"{least.operations.online.total}")  # fmt: skip


if __name__ == "__main__":
    main()
