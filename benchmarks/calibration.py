"""Measure the calibration of six-joint arms: time with 60 poses and all parameters, and how errors are recovered."""

from __future__ import annotations

import time

import numpy as np
from table import Row, print_table

import robosym as rs
from robosym.parameters.geometric.geometric_parameters import identifiable
from robosym.parameters.geometric.setting import setting_of
from robosym.spatial.numeric import rigid

NOISE = 5e-5
RUNS = 7


def main() -> None:
    rows = []
    for name in ("ur5e", "puma560"):
        options = {"ratios": True, "compliance": name == "ur5e", "base": [0, 0, 0]}
        robot = rs.load(name)
        setting = setting_of(robot, "pose", **options)
        found = identifiable(setting)
        rng = np.random.default_rng(0)
        x = rng.normal(size=len(found)) * [1e-5 if p.kind == "compliance" else 1e-3 for p in found.parameters]
        q, passive = setting.random_postures(60, number=3)
        poses = setting.with_parameters(found.parameters).kinematics.at(x, q, passive).end
        for T in poses:
            T[:3, :3] = rigid(rng.normal(size=3) * NOISE, np.zeros(3))[:3, :3] @ T[:3, :3]
            T[:3, 3] += rng.normal(size=3) * NOISE
        times = []
        for _ in range(RUNS):
            start = time.perf_counter()
            made = rs.calibrate(robot, {"q": q, "pose": poses}, **options)
            times.append(time.perf_counter() - start)
        parts = np.abs(made.values - x) / made.deviations
        rows += [
            Row(f"{name}: calibration of {len(made.names)} parameters from 60 poses, s", float(np.median(times)), 0.5,
                key=f"{name}: time"),
            Row(f"{name}: largest error in standard deviations", float(parts.max()), 4.0, key=f"{name}: error"),
            Row(f"{name}: residual of position in parts of the noise", made.fit.rms()["m"] / NOISE, 1.1,
                key=f"{name}: residual"),
        ]  # fmt: skip
    print_table("Calibration of six-joint arms", rows)


if __name__ == "__main__":
    main()
