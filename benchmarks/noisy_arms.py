"""Solve arms with a special geometry plus noise, and compare the solutions with those of the general method.

The entries of real files carry rounding errors: axes are parallel or meet only to 1e-7 or 1e-5.
"""

from __future__ import annotations

import time
import warnings

import numpy as np
from table import Row, print_table

import robosym as rs

_P = np.pi / 2
#: alpha, d and r of each frame
ARMS = {
    "parallel axes": [(0, 0, 0.16), (_P, 0, 0), (0, -0.42, 0), (0, -0.39, 0.13), (_P, 0, 0.1), (-_P, 0, 0.09)],
    "parallel axes, offset": [(0, 0, 0.2), (_P, 0, 0.05), (0, 0.4, 0), (0, 0.35, -0.08), (_P, 0, 0.1), (-_P, 0, 0.07)],
    "wrist, shoulder offset": [
        (0, 0, 0.6),
        (-_P, 0, 0.15),
        (0, 0.43, 0),
        (-_P, 0.02, 0.43),
        (_P, 0, 0),
        (-_P, 0, 0.05),
    ],
    "wrist, base offset": [(0, 0, 0.4), (-_P, 0.18, 0), (0, 0.6, 0), (-_P, 0.12, 0.62), (_P, 0, 0), (-_P, 0, 0.08)],
}
NOISE = (1e-7, 2e-6, 8e-6)
POSES = 150
_FAR = 1e-6  #: rad; nearer solutions of the general method are duplicates at a singularity


def noisy(rows: list[tuple[float, float, float]], noise: float, rng: np.random.Generator) -> rs.Robot:
    """Return an arm with uniform noise on its angles and lengths."""
    entries = np.array(rows) + rng.uniform(-noise, noise, (len(rows), 3))
    frames = "".join(
        f"  - {{alpha: {a!r}, d: {d!r}, theta: t{j}, r: {r!r}}}\n" for j, (a, d, r) in enumerate(entries.tolist(), 1)
    )
    return rs.loads(f"name: arm\nframes:\n{frames}gravity: [0, 0, -9.81]\n", format="yaml")


def lost(found: np.ndarray, expected: np.ndarray, errors: np.ndarray) -> int:
    """Return the number of converged expected solutions without a counterpart."""
    sure = np.asarray(expected)[errors < 1e-9]
    gaps = np.abs(np.angle(np.exp(1j * (sure[:, None] - np.asarray(found)[None])))).max(axis=2)
    return int((gaps.min(axis=1, initial=np.inf) > _FAR).sum())


def main() -> None:
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(18)
    rows = []
    for name, arm in ARMS.items():
        missing, times = 0, []
        for noise in NOISE:
            robot = noisy(arm, noise, rng)
            quick, general = rs.inverse_geometry(robot), rs.inverse_geometry(robot, geometry_tolerance=0)
            assert (quick.method, general.method) == ("paul", "general")
            poses = rs.direct_geometry(robot, 0, 6).compile()(q=rng.uniform(-np.pi, np.pi, (POSES, 6)))
            for pose in poses:
                best = np.inf
                for _ in range(3):
                    start = time.process_time()  # processor time: other processes have less effect
                    found = quick.solve(pose)
                    best = min(best, time.process_time() - start)
                times.append(best)
                expected = general.solve(pose)
                missing += lost(found, expected, expected.errors)
        rows.append(Row(f"{name}: solutions of the general method that are missing", missing, 0))
        rows.append(Row(f"{name}: one pose, median, us", 1e6 * float(np.median(times)), 40))
        rows.append(Row(f"{name}: slowest of {len(times)}, ms", 1e3 * max(times), 1))
    print_table("Arms that are near to a special geometry", rows)


if __name__ == "__main__":
    main()
