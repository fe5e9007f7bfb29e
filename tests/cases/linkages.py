"""Linkages and parallel robots in addition to `parallel_robots`.

Planar ones with several loops, over-constrained ones with singular rows, symmetric positions, and redundant motors.
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi, sin, sqrt

import numpy as np

from cases.parallel_robots import THIRDS, Array, Builder, X, Y, Z, _delta_leg, _parallelogram, turned, unit
from robosym.mechanism import Robot

Posed = tuple[Robot, dict[str, float]]
Point = tuple[float, float]


class Planar(Builder):
    """Joints in the plane z = 0: revolute joints by position, prismatic joints by position and direction."""

    def turning(self, ant: int, at: Point, motor: bool = False) -> int:
        return self.joint(ant, "R", Z, [*at, 0], motor=motor)

    def sliding(self, ant: int, at: Point, along: Point, motor: bool = False) -> int:
        return self.joint(ant, "P", [*along, 0], [*at, 0], motor=motor)

    def pin(self, near: int, far: int, at: Point) -> None:
        self.cut(near, far, "R", Z, np.array([*at, 0.0]))

    def slot(self, near: int, far: int, at: Point, along: Point) -> None:
        self.cut(near, far, "P", np.array([*along, 0.0]), np.array([*at, 0.0]))

    def robot(self, gravity: str = "[0, -9.81, 0]") -> Posed:
        return super().robot(gravity)


def excavator() -> Posed:
    """Swing, boom, stick and bucket with cylinders, the last one through a four-bar."""
    make, y = Builder("excavator"), -Y

    def at(x: float, z: float) -> Array:
        return np.array([x, 0.0, z])

    def cylinder(ant: int, far: int, foot: Array, head: Array) -> None:
        barrel = make.joint(ant, "R", y, foot)
        make.cut(make.joint(barrel, "P", head - foot, head, motor=True), far, "R", y, head)

    swing = make.joint(0, "R", Z, [0, 0, 0], motor=True)
    boom = make.joint(swing, "R", y, at(0.2, 0.5))
    cylinder(swing, boom, at(0.6, 0.2), at(1.8, 2.0))
    stick = make.joint(boom, "R", y, at(3.5, 2.6))
    cylinder(boom, stick, at(1.9, 2.7), at(3.3, 3.3))
    bucket = make.joint(stick, "R", y, at(4.4, 0.9))
    rocker = make.joint(stick, "R", y, at(4.1, 1.35))
    make.cut(make.joint(rocker, "R", y, at(4.6, 1.5)), bucket, "R", y, at(4.8, 1.05))
    cylinder(stick, rocker, at(3.7, 2.8), at(4.6, 1.5))
    return make.robot()


def scissor() -> Posed:
    """Two stages of crossed bars on a driven slider, with the plate on a passive slider."""
    make, wide = Planar("scissor"), 0.9
    high = sqrt(1 - wide * wide)
    first = make.turning(0, (0, 0))
    second = make.turning(make.sliding(0, (wide, 0), (1, 0), motor=True), (wide, 0))
    third, fourth = make.turning(first, (wide, high)), make.turning(second, (0, high))
    plate, block = make.turning(fourth, (wide, 2 * high)), make.turning(third, (0, 2 * high))
    make.pin(second, first, (wide / 2, high / 2))
    make.pin(fourth, third, (wide / 2, 1.5 * high))
    make.slot(block, plate, (0, 2 * high), (1, 0))
    return make.robot()


def peaucellier() -> Posed:
    """Three loops that close only simultaneously; one point moves on a straight line."""
    make = Planar("peaucellier")
    pivot, arm, side = np.array([0.5, 0.0]), 1.3, 0.6
    inner = pivot + 0.5 * np.array([cos(0.5), sin(0.5)])
    reach = float(np.linalg.norm(inner))
    u = inner / reach
    along = (arm * arm - side * side + reach * reach) / (2 * reach)
    across = sqrt(arm * arm - along * along) * np.array([-u[1], u[0]])
    upper, lower, outer = along * u + across, along * u - across, (2 * along - reach) * u
    crank = make.turning(0, (0.5, 0), motor=True)
    one, other = make.turning(0, (0, 0)), make.turning(0, (0, 0))
    make.pin(make.turning(crank, (inner[0], inner[1])), one, (upper[0], upper[1]))
    make.pin(make.turning(crank, (inner[0], inner[1])), other, (lower[0], lower[1]))
    make.pin(make.turning(one, (upper[0], upper[1])), make.turning(other, (lower[0], lower[1])), (outer[0], outer[1]))
    return make.robot()


def whitworth() -> Posed:
    """Crank whose block slides along a rocker, cut at the rotating prismatic joint."""
    make = Planar("whitworth")
    crank, rocker = make.turning(0, (0, 0), motor=True), make.turning(0, (0.1, -0.5))
    make.slot(make.turning(crank, (0.15, 0.25)), rocker, (0.15, 0.25), (0.05, 0.75))
    return make.robot()


def sarrus() -> Posed:
    """Three R-R-R legs whose planes intersect in the line of motion; most closures are in other modes."""
    make, plate = Builder("sarrus"), 0
    for k in range(3):
        R = turned(2 * pi * k / 3 + 0.1)
        axis, out = R @ Y, R @ X
        knee, top = 0.65 * out + 0.3 * Z, 0.3 * out + 0.6 * Z
        shank = make.joint(make.joint(0, "R", axis, 0.3 * out, motor=k == 0), "R", axis, knee)
        if plate:
            make.cut(shank, plate, "R", axis, top)
        else:
            plate = make.joint(shank, "R", axis, top)
    return make.robot()


def delta_four() -> Posed:
    """Delta with four legs: one motor more than degrees of freedom."""
    make, platform = Builder("delta_four"), 0
    for k in range(4):
        R = turned(pi / 2 * k + 0.2)
        shoulder, elbow, wrist = _delta_leg(R, np.array([0.04, 0.03, -0.72]))
        y = R @ Y
        across = np.cross(y, wrist - elbow)
        rod = make.universal(make.joint(0, "R", y, shoulder, motor=True), (y, across), elbow)
        end = make.joint(rod, "R", across, wrist, virtual=True)
        if platform:
            make.cut(end, platform, "R", y, wrist)
        else:
            platform = make.joint(end, "R", y, wrist)
    return make.robot()


def tricept() -> Posed:
    """A passive U-P leg guides the head, which three U-P-S legs move."""
    make, head = Builder("tricept"), np.array([0.1, 0.15, -1.0])
    z = unit(head)
    platform = make.joint(make.universal(0, (X, np.cross(X, z)), np.zeros(3)), "P", z, head)
    for R in THIRDS:
        foot, top = R @ [0.5, 0, 0.05], head + R @ [0.2, 0.02, 0]
        y, leg = R @ Y, top - foot
        lower = make.universal(0, (y, np.cross(y, leg)), foot)
        make.spherical_cut(make.joint(lower, "P", leg, top, motor=True), platform, top)
    return make.robot()


def orthoglide_at_home() -> Posed:
    """Orthoglide in its isotropic position, where many coefficients vanish."""
    make, platform = Builder("orthoglide_home"), 0
    for k in range(3):
        x, y = np.eye(3)[k], np.eye(3)[(k + 1) % 3]
        wrist, foot = 0.1 * x, -0.8 * x
        fork = make.joint(make.joint(0, "P", x, foot, motor=True), "R", y, foot)
        end = _parallelogram(make, fork, np.cross(y, x), foot, 0.05 * y, wrist - foot)
        if platform:
            make.cut(end, platform, "R", y, wrist)
        else:
            platform = make.joint(end, "R", y, wrist)
    return make.robot()


def upu_at_home() -> Posed:
    """A 3-UPU on its axis of symmetry."""
    make, platform = Builder("upu_home"), 0
    for R in THIRDS:
        foot, wrist, y = R @ [0.4, 0, 0], R @ [0.2, 0, 0] + 0.8 * Z, R @ Y
        across = np.cross(y, wrist - foot)
        leg = make.joint(make.universal(0, (y, across), foot), "P", wrist - foot, wrist, motor=True)
        end = make.joint(leg, "R", across, wrist, virtual=True)
        if platform:
            make.cut(end, platform, "R", y, wrist)
        else:
            platform = make.joint(end, "R", y, wrist)
    return make.robot()


LINKAGES: dict[str, Callable[[], Posed]] = {
    "excavator": excavator, "scissor": scissor, "peaucellier": peaucellier, "whitworth": whitworth, "sarrus": sarrus,
    "tricept": tricept, "orthoglide_home": orthoglide_at_home, "upu_home": upu_at_home,
}  # fmt: skip
