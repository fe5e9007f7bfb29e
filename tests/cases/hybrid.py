"""Numeric hybrid robots and their positions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import robosym as rs
from cases.parallel import gough, positions
from cases.reduced_mobility import ROBOTS
from robosym.mechanism import Robot


def two_goughs() -> Robot:
    return Robot.in_series("two_goughs", [gough(), gough()], [{}, {"gamma": 0.3, "d": 0.1, "alpha": 0.2, "r": 0.2}])


def wrist(gravity: str = "G3") -> rs.Robot:
    return rs.robot(
        "wrist",
        frames=[
            {"theta": "w1", "r": 0.1}, {"theta": "w2", "alpha": "Pi/2"}, {"theta": "w3", "alpha": "-Pi/2", "d": 0.05},
        ],
        links="symbolic", gravity=[0, 0, gravity],
    )  # fmt: skip


def gantry() -> rs.Robot:
    return rs.robot(
        "gantry",
        frames=[
            {"sigma": 1, "alpha": "-Pi/2", "r": "x1"}, {"sigma": 1, "alpha": "Pi/2", "theta": "Pi/2", "r": "x2"},
        ],
        links="symbolic",
        gravity=[0, 0, "G3"],
    )  # fmt: skip


def turning_delta() -> Robot:
    """Delta on two revolute joints, with a wrist on its platform."""
    pan = rs.robot(
        "pan", frames=[{"theta": "p1", "alpha": 0.4}, {"theta": "p2", "alpha": "Pi/2", "d": 0.3}], links="symbolic",
        gravity=[0, 0, "G3"],
    )  # fmt: skip
    return Robot.in_series("turning_delta", [pan.with_values({}), delta("d"), wrist()], [{}, {"r": 1.0, "alpha": 3.0}])


def delta(_: str = "") -> Robot:
    return rs.load("delta")  # type: ignore[return-value]


def delta_on_gantry() -> Robot:
    return Robot.in_series("delta_on_gantry", [gantry(), delta()], [{}, {"r": 0.4}])


def planar_with_arm() -> Robot:
    """Planar 3-RRR that carries a wrist."""
    return Robot.in_series("planar_with_arm", [rs.load("planar3rrr"), wrist("G2")], gravity=[0, "G2", "G3"])


def delta_on_gough() -> Robot:
    return Robot.in_series("delta_on_gough", [gough(), delta()], [{}, {"alpha": 0.3, "r": 0.4}])


def gough_on_arm() -> Robot:
    """Arm that carries a Gough-Stewart robot with motor inertia and friction."""
    return Robot.in_series("gough_on_arm", [wrist(), rs.load("gough63")], [{}, {"r": 0.2, "gamma": 0.4}])


def hexa_on_slide() -> Robot:
    """Hexa robot on a base with a revolute and a prismatic joint."""
    slide = rs.robot(
        "slide", frames=[{"theta": "s1"}, {"sigma": 1, "alpha": "Pi/2", "r": "s2"}], links="symbolic",
        gravity=[0, 0, "G3"],
    )  # fmt: skip
    return Robot.in_series("hexa_on_slide", [slide, rs.load("hexa")], [{}, {"alpha": 0.7}])


def arm_on_gough() -> Robot:
    return Robot.in_series("arm_on_gough", [gough(), wrist()], [{}, {"d": 0.3}])


def arm_on(name: str) -> Robot:
    """An arm on a platform with three degrees of freedom."""
    return Robot.in_series(f"arm_on_{name}", [ROBOTS[name](), wrist()], [{}, {"alpha": 0.3, "r": 0.2}])


HYBRIDS = {
    "two_goughs": two_goughs, "turning_delta": turning_delta, "delta_on_gantry": delta_on_gantry,
    "planar_with_arm": planar_with_arm, "delta_on_gough": delta_on_gough, "gough_on_arm": gough_on_arm,
    "hexa_on_slide": hexa_on_slide, "arm_on_gough": arm_on_gough, "arm_on_agile_eye": lambda: arm_on("agile_eye"),
    "arm_on_rps": lambda: arm_on("rps"),
}  # fmt: skip


def hybrid_positions(robot: Robot, seed: int = 5) -> Iterator[dict[str, float]]:
    """Return joint positions in which the legs meet their platforms."""
    rng = np.random.default_rng(seed)
    many = []
    for part in robot.module_robots():
        if part.modules:
            many.append(list(positions(part)))
        else:
            names = [part.variable(j) for j in part.tree_joints]
            many.append([{name: float(rng.normal()) for name in names} for _ in range(4)])
    for k in range(4):
        joined: dict[str, float] = {}
        for i, own in enumerate(many):
            joined |= own[(k + i) % len(own)]
        yield joined
