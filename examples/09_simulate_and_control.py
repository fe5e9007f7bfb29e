"""Simulate a fall and a controller, observe a disturbance, and choose motors for a task."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import robosym as rs

robot = rs.load("ur10e")

# Without torques the energy is constant.
fall = rs.simulate(robot, [0, -1.2, 1, 0, 0.5, 0], until=2)
print(fall, f"energy {fall.energy[0]:.3f} J, variation {np.ptp(fall.energy):.1e} J")

# A control law is a Model: it can be simulated in closed loop and printed as C.
arm = robot.with_links([{"IA": 0.5}] * robot.NL)  # rotor inertias on the joint side of the gears
speed = np.arange(1, 7) * 0.5


def path(t: Any) -> tuple[Any, Any, Any]:
    t = np.asarray(t, dtype=float)[..., None]
    return 0.5 * np.sin(speed * t), 0.5 * speed * np.cos(speed * t), -0.5 * speed**2 * np.sin(speed * t)


law = rs.compose(rs.computed_torque(arm, kp=100, kd=20), rs.momentum_observer(arm, gain=50))
q, qd, _ = path(0.0)
start = rs.inertia_matrix(arm).compile()(q=q) @ qd
run = rs.simulate(
    arm, q + 0.1, qd, until=3, controller=law, reference=path, memory={"momentum": start},
    disturbance=lambda t: [0, 20.0 * (t > 2), 0, 0, 0, 0],
)  # fmt: skip
error = np.abs(run.q - path(run.t)[0]).max(axis=1)
print(f"tracking error: {error[0]:.3f} rad at the start, {error[1500]:.1e} rad after 1.5 s")
print(
    "disturbance observed at joint 2 before and after the push:",
    np.round(run.output("residual")[[1500, -1], 1], 1),
    "N m",
)
print(len(law.select("tau").code("c").splitlines()), "lines of C")

# Compute the loads of the motors, and which motors of a catalog are sufficient.
motors = [
    {"name": "small", "torque": 0.6, "speed": 400, "peak": 1.8, "inertia": 2e-5, "mass": 0.8},
    {"name": "large", "torque": 2.4, "speed": 300, "peak": 7.2, "inertia": 2e-4, "mass": 3.0},
]
print(rs.motor_loads(robot, path, [120, 120, 100, 80, 80, 80], motors, duration=12.0))

with tempfile.TemporaryDirectory() as folder:
    page = run.animate(Path(folder) / "run.html")
    print(f"{page.name}: {page.stat().st_size // 1000} kB, an animation for the browser")
