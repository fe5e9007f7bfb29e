"""Compare inverse kinematics with other programs: all solutions of one pose, called from Python, in turns with robosym.

EAIK, ssik and roboticstoolbox receive the same arm as a URDF file and the same poses. EAIK and ssik return every
solution, without limits and without turns by 2 pi; roboticstoolbox searches one solution from random starts.
A solution counts if forward kinematics reaches the pose within 1e-6. Programs that are not installed are left out:
`pip install eaik ssik roboticstoolbox-python`.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from table import Row, note, print_table, spread_of

import robosym as rs
from robosym.algebra import symbols
from robosym.mechanism.elements import expressions

Array = np.ndarray
Solver = Callable[[Array], Array]  #: from a pose (4 x 4) to solutions, one per row

POSES = 100
ROUNDS = 15
_REACHED = 1e-6
ARMS: dict[str, dict[str, float]] = {"ur5e": {}, "rx90": {"D3": 0.45, "RL4": 0.45}, "puma560": {}}


def with_eaik(file: Path, forward: Callable[[Array], Array]) -> Solver:
    """Return EAIK's solver; its last frame differs from that of the file by a constant rotation."""
    arm = import_module("eaik.IK_URDF").UrdfRobot(str(file))
    rest = np.zeros(6)
    change = np.linalg.inv(forward(rest)) @ arm.fwdKin(rest)

    def solve(pose: Array) -> Array:
        found = arm.IK(pose @ change)
        return found.Q

    return solve


def with_ssik(file: Path, _: Callable[[Array], Array]) -> Solver:
    arm = import_module("ssik").Manipulator.from_urdf(str(file), base="base", ee="link6")
    options = {"respect_limits": False, "enumerate_windings": False}
    return lambda pose: np.array([one.q for one in arm.solve(pose, **options)]).reshape(-1, 6)


def with_roboticstoolbox(file: Path, _: Callable[[Array], Array]) -> Solver:
    arm = import_module("roboticstoolbox").ERobot.URDF(str(file))
    return lambda pose: np.array([arm.ik_LM(pose, tol=1e-12, joint_limits=False)[0]])


PEERS: dict[str, Callable[[Path, Callable[[Array], Array]], Solver]] = {
    "EAIK": with_eaik,
    "ssik": with_ssik,
    "roboticstoolbox, one solution": with_roboticstoolbox,
}


def available(file: Path, forward: Callable[[Array], Array]) -> Iterator[tuple[str, Solver]]:
    for name, make in PEERS.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield name, make(file, forward)
        except ImportError as error:
            print(f"left out: {name} ({error})")


def count(solver: Solver, forward: Callable[[Array], Array], poses: Array) -> int:
    """Return the number of different solutions that reach their pose."""
    total = 0
    for pose in poses:
        found = np.asarray(solver(pose))
        reached = found[np.abs(forward(found) - pose).max(axis=(1, 2)) < _REACHED] if len(found) else found
        turned = np.hstack([np.cos(reached), np.sin(reached)]).round(5) + 0.0
        total += len(np.unique(turned, axis=0))
    return total


def seconds(solver: Solver, poses: Array) -> float:
    start = time.process_time()  # processor time: other processes have less effect
    for pose in poses:
        solver(pose)
    return time.process_time() - start


def compare(name: str, values: dict[str, float], folder: Path) -> list[Row]:
    robot = rs.load(name)
    inertias = symbols(entry for link in robot.links for _, entry in expressions(link))  # of no effect here
    robot = robot.with_values({**dict.fromkeys(inertias, 0.1), **values})
    file = folder / f"{name}.urdf"
    robot.write(file)
    forward: Any = rs.direct_geometry(robot, 0, 6).compile()
    q = np.random.default_rng(3).uniform(-np.pi, np.pi, (POSES, 6))
    poses, model = forward(q), rs.inverse_geometry(robot, frame=6)
    ours: Solver = model.solve
    found, rows = count(ours, forward, poses), []
    note(f"{name}: solutions of {POSES} poses, robosym", found)
    for peer, theirs in available(file, forward):
        number = count(theirs, forward, poses)
        pairs = [(seconds(theirs, poses), seconds(ours, poses)) for _ in range(ROUNDS)]
        them, us = (statistics.median(side) / POSES * 1e6 for side in zip(*pairs, strict=True))
        ratios = [a / b for a, b in pairs]
        short = peer.split(",")[0]
        what = f"{name}: {peer}, over robosym ({them:.1f} us over {us:.1f} us; solutions {number} and {found})"
        ratio = statistics.median(ratios)
        rows.append(Row(what, ratio, 1, at_least=True, spread=spread_of(ratios), key=f"{name} {short}"))
        note(f"{name}: solutions of {POSES} poses, {short}", number)
    return rows


def main() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as temporary:
        rows = [row for name, values in ARMS.items() for row in compare(name, values, Path(temporary))]
    print_table("inverse kinematics of one pose from Python, all solutions: time over that of robosym", rows)


if __name__ == "__main__":
    main()
