"""Two-link arm with known parameters, and a log of its motion."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import robosym as rs

__all__ = ["FS", "FV", "log_file", "robot_file"]

FV, FS = (3.0, 2.0), (1.0, 0.5)


def robot_file(folder: Path) -> Path:
    """Write a file of two links with known parameters."""
    numbers = {"ZZ": 0.4, "MX": 0.8, "MY": 0.1, "M": 2.0}
    bare = rs.load("planar2r")
    friction = [{"FV": FV[j], "FS": FS[j]} if j < 2 else {} for j in range(bare.NL)]
    robot = bare.with_links({**numbers, **one} if one else {} for one in friction)
    path = folder / "arm.yaml"
    robot.write(path)
    return path


def log_file(robot: rs.Robot, path: Path, names: tuple[str, str, str] = ("t", "q", "tau")) -> None:
    """Write a log of sums of sines and their torques, with noise."""
    t = np.arange(0, 12, 4e-3)
    q, qd, qdd = np.zeros((3, len(t), 2))
    for j, speeds in enumerate(((0.7, 1.9), (1.1, 2.7))):
        for w, a in zip(speeds, (0.8, 0.4), strict=True):
            q[:, j] += a * np.sin(w * t)
            qd[:, j] += a * w * np.cos(w * t)
            qdd[:, j] -= a * w * w * np.sin(w * t)
    model = rs.inverse_dynamics(robot)
    given = {"q": q, "qd": qd, "qdd": qdd, "gravity": [9.81]}
    tau = model.compile()(**{name: value for name, value in given.items() if name in model.inputs})
    tau = tau + np.random.default_rng(1).normal(size=tau.shape) * 0.02
    head = [names[0], *(f"{names[1]}{j}" for j in (1, 2)), *(f"{names[2]}{j}" for j in (1, 2))]
    np.savetxt(path, np.column_stack([t, q, tau]), delimiter=",", header=",".join(head), comments="", fmt="%.8g")
