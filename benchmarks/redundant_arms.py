"""Measure arms with seven joints: solutions at a redundancy parameter, whole self-motions, and the first call.

python benchmarks/redundant_arms.py                    # arms of the library
python benchmarks/redundant_arms.py arm.urdf other.urdf  # and arms of files: by default their end frames
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
from table import Row, print_table

import robosym as rs

ARMS = ("panda", "iiwa14", "lwr")
SIX = ("rx90", "ur5e")
POSES = 60
STARTS = 600
_FAR = 0.05  #: rad; from dense points of a curve, a farther position lies on another one
_DENSE = 1500

#: construct a model and solve its first pose, in a process of its own
FIRST = """
import sys, time, warnings
import numpy as np
import robosym as rs
warnings.simplefilter("ignore")
robot = rs.load(sys.argv[1])
robot = robot.with_values({"D3": 0.45, "RL4": 0.45}) if sys.argv[1] == "rx90" else robot
start = time.process_time()
model = rs.inverse_geometry(robot)
made = time.process_time()
T = np.eye(4)
T[:3, 3] = 0.3, 0.2, 0.4
more = {"redundancy": 0.3} if hasattr(model, "redundancy") else {}
before = time.process_time()
model.solve(T, **more)
print(made - start, time.process_time() - before)
"""


def poses_of(model: object, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    chain = model._numeric(None)
    q = rng.uniform(-2.5, 2.5, (POSES, len(chain.joints)))
    return chain.forward(q), model.redundancy_of(q)


def missed(motion: object) -> int:
    """Return the number of positions of the pose, found by Newton's method, that lie on none of the curves."""
    points = motion.tracer.from_starts(motion.pose, STARTS) / motion.tracer.units
    left = np.ones(len(points), bool)
    for curve in motion:
        dense = curve._near(np.linspace(0, curve.length, _DENSE))
        apart = points[:, None] - dense[None]
        apart -= 2 * np.pi * np.round(apart / (2 * np.pi))
        left &= np.sqrt((apart**2).sum(axis=2).min(axis=1)) > _FAR
    return int(left.sum())


def redundant(name: str) -> list[Row]:
    rng = np.random.default_rng(29)
    model = rs.inverse_geometry(rs.load(name))
    T, psi = poses_of(model, rng)
    one, many, lost = [], [], 0
    for number, (pose, value) in enumerate(zip(T, psi.tolist(), strict=True)):
        best = np.inf
        for _ in range(5):
            start = time.process_time()
            model.solve(pose, redundancy=value)
            best = min(best, time.process_time() - start)
        one.append(best)
        start = time.process_time()
        motion = model.self_motion(pose, limits="robot")
        assert motion.intervals is not None
        many.append(time.process_time() - start)
        lost += missed(motion) if number < 3 else 0
    label = os.path.basename(name)
    return [
        Row(f"{label}, {model.redundancy}, {model.method}: one, us", 1e6 * np.median(one), 10, key=f"{label} one"),
        Row("    self-motion with intervals, ms", 1e3 * np.median(many), 1, key=f"{label} curves"),
        Row("    slowest, ms", 1e3 * max(many), 1),
        Row(f"    positions from {STARTS} starts on no curve, 3 poses", lost, 0),
    ]  # fmt: skip


def first_calls() -> list[Row]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in (*SIX, *ARMS):
            for what in ("new", "cached on disk"):
                run = subprocess.run(
                    [sys.executable, "-c", FIRST, name],
                    env={**os.environ, "ROBOSYM_CACHE": folder},
                    capture_output=True,
                    text=True,
                    check=True,
                )
                made, solved = map(float, run.stdout.split())
                label = f"{name}, {what}: first call after construction ({made:.2f} s), ms"
                rows.append(Row(label, 1e3 * solved, 1, key=f"{name} first {what}"))
    return rows


def main() -> None:
    warnings.simplefilter("ignore")
    print_table("Arms with seven joints", [row for name in (*ARMS, *sys.argv[1:]) for row in redundant(name)])
    print_table("First calls", first_calls())


if __name__ == "__main__":
    main()
