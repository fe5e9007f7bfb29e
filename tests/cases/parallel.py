"""Numeric parallel robots, their positions, and legs of many kinds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import robosym as rs
from oracles.parallel import State
from robosym.coordinates.platform_motion import ACCELERATION, POSE, TWIST
from robosym.coordinates.reference import numeric_reference
from robosym.mechanism import Robot

GOUGH = {
    "D2": 0.55, "g3": 0.55, "B3": 0.02, "D3": 0.92, "g4": 1.05, "B4": -0.03, "D4": 1.02, "g5": 1.55, "B5": 0.015,
    "D5": 0.86, "g6": 1.95, "D6": 0.6, "pd2": 0.18, "pg3": 0.7, "pb3": 0.01, "pd3": 0.41, "pg4": 1.1, "pb4": -0.02,
    "pd4": 0.5, "pg5": 1.6, "pb5": 0.02, "pd5": 0.42, "pg6": 2.2, "pd6": 0.28,
}  # fmt: skip


def gough() -> Robot:
    return rs.load("gough").with_values(GOUGH)


def values_of(robot: Robot, rng: np.random.Generator) -> dict[str, float]:
    """Return random inertial parameters, gravity and wrenches, with masses for a well-conditioned model."""
    found = {}
    for name in robot.parameters:
        found[name] = float(rng.uniform(0.1, 0.4))
        if name.startswith("M") and not name.startswith(("MX", "MY", "MZ")):
            found[name] = float(rng.uniform(3, 6))
        elif name.startswith(("XX", "YY", "ZZ")):
            found[name] = float(rng.uniform(0.8, 1.2))
        elif name.startswith("G"):
            found[name] = -9.81
    return found


def motion_values(robot: Robot, s: State) -> dict[str, float]:
    """Return the symbols of a motion and of the motor efforts."""
    names = (*POSE, *TWIST, *ACCELERATION, *(f"GAM{j}" for j in robot.motors))
    return dict(zip(names, map(float, (*s.pose, *s.twist, *s.acceleration, *s.tau)), strict=True))


def positions(robot: Robot) -> Iterator[dict[str, float]]:
    """Return joint positions in which the legs meet the platform."""
    reference = numeric_reference(robot)
    if reference is not None:
        yield from (sample.joints for sample in reference.samples)
        return
    rng = np.random.default_rng(4)
    model = rs.inverse_geometry(robot)
    names = [robot.variable(j) for j in robot.tree_joints]
    for _ in range(4):
        turn = rng.normal(size=3) * 0.25
        from robosym.spatial.numeric import rigid

        T = rigid(turn, np.array([0.15, 0.25, 0.75]) + rng.normal(size=3) * 0.05)
        yield dict(zip(names, map(float, model.solve(T, passive=True)), strict=True))
