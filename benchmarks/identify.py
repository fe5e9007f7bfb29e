"""Identification of a Stäubli TX40 from a logged motion, beside values identified earlier."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from table import Row, print_table

import robosym as rs
from robosym.estimate.consistency import pseudo_inertia

#: beside the repository
_PLACES = [folder / "shared" / "data" / "tx40" / "tx40.npz" for folder in Path(__file__).parents[2:]]
DATA = next((path for path in _PLACES if path.exists()), _PLACES[0])
ARM = """
name: tx40
frames:
  - {theta: q1}
  - {alpha: -Pi/2, theta: q2 - Pi/2}
  - {d: 0.225, theta: q3 + Pi/2, r: 0.035}
  - {alpha: Pi/2, theta: q4, r: 0.225}
  - {alpha: -Pi/2, theta: q5}
  - {alpha: Pi/2, theta: q6 + Pi}
links: symbolic
gravity: [0, 0, -9.81]
"""
KNOWN = {
    "FV1": 8.05, "FV2": 5.53, "FV3": 1.97, "FV4": 1.11, "FV5": 1.86, "FV6": 0.65,
    "FS1": 7.14, "FS2": 8.26, "FS3": 6.34, "FS4": 2.48, "FS5": 3.03, "FS6": 0.282,
    "IA3": 0.0988, "IA4": 0.0313, "IA5": 0.0468, "IA6": 0.0105,
    "OFF1": 0.392, "OFF2": 1.37, "OFF3": 0.326, "OFF4": -0.102, "OFF5": -0.0288, "OFF6": 0.127,
    "IAM6": 0.00964, "FVM6": 0.616, "FSM6": 1.95,
}  # fmt: skip


def tx40(cut: float = 10, rate: float = 100, rest: float = 0.02) -> tuple[rs.Estimate, rs.Motion]:
    """From the file to the estimate."""
    data = np.load(DATA)
    ratio = np.diag([32.0, 32, 45, -48, 45, 32])
    ratio[5, 4] = 32  # motor 6 also turns with joint 5
    log = rs.Log(q=data["motor_position"], tau=data["motor_torque"], step=float(data["sample_time"]))
    motion = rs.prepare(log, cut=cut, rate=rate, rest=rest, drive=rs.Drive(ratio=ratio))
    return rs.identify(rs.loads(ARM, format="yaml"), motion, method="wls"), motion


def off(found: rs.Estimate) -> dict[str, float]:
    """How many deviations each value is from the known one."""
    at = {name: n for n, name in enumerate(found.names)}
    return {name: float(abs(found.values[at[name]] - v) / found.deviations[at[name]]) for name, v in KNOWN.items()}


def main() -> None:
    if not DATA.exists():
        print(f"the log of the TX40 is not there: {DATA.name}")
        return
    assert rs.identify and rs.loads  # imported before the clock runs
    start = time.perf_counter()
    found, motion = tx40()
    took = time.perf_counter() - start
    found.consistent()  # imports what it needs
    start = time.perf_counter()
    bodies = found.consistent()
    took_bodies = time.perf_counter() - start
    assert bodies.standard is not None
    least = min(
        np.linalg.eigvalsh(pseudo_inertia({name: v for (j, name), v in bodies.standard.items() if j == link}))[0]
        for link in range(1, 7)
    )
    print_table(
        "TX40, links that can exist",
        [
            Row("loss of fit, points", 100 * (bodies.error(motion).moving - found.error(motion).moving), 0.1),
            Row("least eigenvalue of the pseudo-inertias", least, 1e-9, at_least=True),
            Row("time, s", took_bodies, 0.3),
        ],
    )
    print_table(
        "TX40, from the log to the estimate",
        [
            Row(
                "known values within 3 deviations", sum(value <= 3 for value in off(found).values()), 25, at_least=True
            ),
            Row("farthest of them, deviations", max(off(found).values()), 3),
            Row("FS1, at least", found["FS1"], 6.9, at_least=True),
            Row("FS1, at most", found["FS1"], 7.3),
            Row("error over moving samples, %", 100 * found.error(motion).moving, 5.0),
            Row("time, s", took, 1.0),
        ],
    )


if __name__ == "__main__":
    main()
