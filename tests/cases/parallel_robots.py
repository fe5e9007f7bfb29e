"""Parallel and over-constrained robots from their known geometry: one axis per joint in a reference position.

A robot is given by the axes of its joints in frame 0 in one closed position. The parameters of the frames follow from
them (two lines have a common normal), so that the position closes the loops to rounding whatever the robot is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import acos, atan2, cos, pi, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from robosym.formats import loads
from robosym.mechanism import Robot

Array = NDArray[np.float64]
X, Y, Z = np.eye(3)


def turned(angle: float) -> Array:
    """Rotation about z."""
    return np.array([[cos(angle), -sin(angle), 0], [sin(angle), cos(angle), 0], [0, 0, 1]])


def unit(v: Sequence[float] | Array) -> Array:
    return np.asarray(v, float) / np.linalg.norm(v)


def frame_of(axis: Sequence[float] | Array, point: Sequence[float] | Array, along: Array | None = None) -> Array:
    """Return a frame on an axis, with x as close to `along` as possible."""
    z = unit(axis)
    helper = along if along is not None else (X if abs(z[0]) < 0.9 else Y)
    x = unit(helper - (helper @ z) * z)
    T = np.eye(4)
    T[:3, 0], T[:3, 1], T[:3, 2], T[:3, 3] = x, np.cross(z, x), z, point
    return T


def parameters(T: Array) -> dict[str, float]:
    """Return gamma, b, alpha, d, theta, r of a transformation."""
    z, P = T[:3, 2], T[:3, 3]
    across = float(np.hypot(z[0], z[1]))
    if across < 1e-12:  # parallel axes
        gamma = atan2(P[1], P[0]) if np.hypot(P[0], P[1]) > 1e-12 else 0.0
        alpha, d, b = (0.0 if z[2] > 0 else pi), float(np.hypot(P[0], P[1])), 0.0
        r = P[2] * z[2]
    else:
        gamma, alpha = atan2(z[0], -z[1]), atan2(across, z[2])
        x = np.array([cos(gamma), sin(gamma), 0])
        d = float(P @ x)
        b, _, r = np.linalg.solve(np.column_stack([Z, x, z]), P)
    x = np.array([cos(gamma), sin(gamma), 0])
    theta = atan2(np.cross(x, T[:3, 0]) @ z, x @ T[:3, 0])
    return {"gamma": gamma, "b": float(b), "alpha": alpha, "d": d, "theta": theta, "r": float(r)}


#: massless links by robot: crosses of universal joints, intermediate links of spherical joints
VIRTUAL: dict[str, frozenset[int]] = {}


@dataclass
class Builder:
    """Builder of a robot; each added joint returns the number of its link."""

    name: str
    frames: list[str] = field(default_factory=list)
    poses: list[Array] = field(default_factory=lambda: [np.eye(4)])
    cuts: list[tuple[int, int, str, Array]] = field(default_factory=list)
    position: dict[str, float] = field(default_factory=dict)
    virtual: set[int] = field(default_factory=set)  #: massless links

    def _row(self, ant: int, kind: str, pose: Array, mu: int, number: int) -> str:
        p = parameters(np.linalg.inv(self.poses[ant]) @ pose)
        text = {key: f"{value:.17g}" for key, value in p.items()}
        if kind == "R":
            text["theta"], self.position[f"t{number}"] = f"t{number}", p["theta"]
        elif kind == "P":
            text["r"], self.position[f"r{number}"] = f"r{number}", p["r"]
        sigma = {"R": 0, "P": 1, "fixed": 2}[kind]
        return f"ant: {ant}, sigma: {sigma}, mu: {mu}, " + ", ".join(f"{k}: {v}" for k, v in text.items())

    def joint(
        self, ant: int, kind: str, axis: Sequence[float] | Array, point: Sequence[float] | Array, motor: bool = False,
        virtual: bool = False, along: Array | None = None,
    ) -> int:  # fmt: skip
        pose = frame_of(axis, point, along)
        number = len(self.poses)
        self.frames.append(self._row(ant, kind, pose, int(motor), number))
        self.poses.append(pose)
        if virtual:
            self.virtual.add(number)
        return number

    def universal(self, ant: int, axes: Sequence[Array], point: Array, virtual: bool = True) -> int:
        return self.joint(self.joint(ant, "R", axes[0], point, virtual=virtual), "R", axes[1], point)

    def spherical(self, ant: int, point: Array, virtual_last: bool = False) -> int:
        a = self.joint(ant, "R", X, point, virtual=True)
        b = self.joint(a, "R", Y, point, virtual=True)
        return self.joint(b, "R", Z, point, virtual=virtual_last)

    def cut(self, near: int, far: int, kind: str, axis: Array, point: Array) -> None:
        self.cuts.append((near, far, kind, frame_of(axis, point)))

    def spherical_cut(self, near: int, far: int, point: Array) -> None:
        """Add two virtual links on the near side, then the cut joint."""
        a = self.joint(near, "R", X, point, virtual=True)
        b = self.joint(a, "R", Y, point, virtual=True)
        self.cut(b, far, "R", Z, point)

    def robot(self, gravity: str = "[0, 0, -9.81]") -> tuple[Robot, dict[str, float]]:
        """Return the robot and its reference position."""
        tree = len(self.frames)
        VIRTUAL[self.name] = frozenset(self.virtual)
        rows = list(self.frames)
        for place, (near, _, kind, pose) in enumerate(self.cuts, 1):
            rows.append(self._row(near, kind, pose, 0, tree + place))
        for _, far, _, pose in self.cuts:
            rows.append(self._row(far, "fixed", pose, 0, 0))
        text = "\n".join(f"  - {{{row}}}" for row in rows)
        count = len(self.cuts)
        pairs = ", ".join(f"[{tree + k}, {tree + count + k}]" for k in range(1, count + 1))
        source = f"name: {self.name}\nframes:\n{text}\nloops: [{pairs}]\ngravity: {gravity}\n"
        return loads(source, format="yaml"), dict(self.position)


THIRDS = tuple(turned(2 * pi * k / 3) for k in range(3))


def _delta_leg(R: Array, center: Array, base: float = 0.3, platform: float = 0.1, arm: float = 0.35) -> list[Array]:
    """Shoulder, elbow and wrist of a leg; the rod's length follows from a nominal one."""
    shoulder, wrist = R @ [base, 0, 0], center + R @ [platform, 0, 0]
    rod = 0.8
    # elbow in the plane of the arm: |elbow - shoulder| = arm and |wrist - elbow| = rod
    x, z = R @ X, Z
    to = wrist - shoulder
    u, v, w = to @ x, to @ z, to @ (R @ Y)
    reach = rod * rod - w * w
    distance = float(np.hypot(u, v))
    a = (arm * arm - reach + distance**2) / (2 * distance)
    angle = atan2(v, u) + acos(a / arm)
    return [shoulder, shoulder + arm * (cos(angle) * x + sin(angle) * z), wrist]


CENTRE = np.array([0.05, -0.04, -0.75])


def delta_ruu() -> tuple[Robot, dict[str, float]]:
    """Delta, one rod per leg between universal joints whose first and last axes are parallel to the motor's."""
    make = Builder("delta_ruu")
    platform = 0
    for R in THIRDS:
        shoulder, elbow, wrist = _delta_leg(R, CENTRE)
        y = R @ Y
        across = np.cross(y, wrist - elbow)
        arm = make.joint(0, "R", y, shoulder, motor=True)
        rod = make.universal(arm, (y, across), elbow)
        at_wrist = make.joint(rod, "R", across, wrist, virtual=True)
        if not platform:
            platform = make.joint(at_wrist, "R", y, wrist)
        else:
            make.cut(at_wrist, platform, "R", y, wrist)
    return make.robot()


def delta_rods() -> tuple[Robot, dict[str, float]]:
    """Delta, two rods per leg, each between a universal and a spherical joint."""
    make = Builder("delta_rods")
    platform = 0
    for R in THIRDS:
        shoulder, elbow, wrist = _delta_leg(R, CENTRE)
        y = R @ Y
        across = np.cross(y, wrist - elbow)
        arm = make.joint(0, "R", y, shoulder, motor=True)
        for side in (-0.06 * y, 0.06 * y):
            rod = make.universal(arm, (y, across), elbow + side)
            if not platform:
                platform = make.spherical(rod, wrist + side)
            else:
                make.spherical_cut(rod, platform, wrist + side)
    return make.robot()


def _parallelogram(make: Builder, ant: int, axis: Array, point: Array, side: Array, rod: Array) -> int:
    """Add two rods of equal length about parallel axes, and return the link opposite to `ant`."""
    first = make.joint(ant, "R", axis, point - side)
    second = make.joint(ant, "R", axis, point + side)
    opposite = make.joint(first, "R", axis, point - side + rod)
    make.cut(opposite, second, "R", axis, point + side + rod)
    return opposite


def delta_parallelograms() -> tuple[Robot, dict[str, float]]:
    """Delta with a parallelogram of revolute joints in each leg: R-R-Pa-R, over-constrained."""
    make = Builder("delta_pa")
    platform = 0
    for R in THIRDS:
        shoulder, elbow, wrist = _delta_leg(R, CENTRE)
        y = R @ Y
        across = np.cross(y, wrist - elbow)
        arm = make.joint(0, "R", y, shoulder, motor=True)
        frame = make.joint(arm, "R", y, elbow)
        end = _parallelogram(make, frame, across, elbow, 0.06 * y, wrist - elbow)
        if not platform:
            platform = make.joint(end, "R", y, wrist)
        else:
            make.cut(end, platform, "R", y, wrist)
    return make.robot()


def orthoglide() -> tuple[Robot, dict[str, float]]:
    """Three orthogonal prismatic joints, each with a parallelogram: P-R-Pa-R."""
    make = Builder("orthoglide")
    center = np.array([0.05, -0.08, 0.06])
    platform = 0
    for k in range(3):
        x, y = np.eye(3)[k], np.eye(3)[(k + 1) % 3]
        wrist = center + 0.1 * x
        z = np.cross(x, y)
        rest = wrist - (wrist @ x) * x
        start = rest - 1.0 * (rest @ y) * y - (rest @ z) * z  # on the axis of the slide
        offset = (wrist @ x) - sqrt(0.9**2 - (wrist @ y) ** 2 - (wrist @ z) ** 2)
        foot = start + offset * x
        slide = make.joint(0, "P", x, foot, motor=True)
        fork = make.joint(slide, "R", y, foot)
        across = np.cross(y, wrist - foot)
        end = _parallelogram(make, fork, across, foot, 0.05 * y, wrist - foot)
        if not platform:
            platform = make.joint(end, "R", y, wrist)
        else:
            make.cut(end, platform, "R", y, wrist)
    return make.robot()


def three_upu() -> tuple[Robot, dict[str, float]]:
    """Tsai's translational 3-UPU: outer axes of each leg parallel, inner axes parallel."""
    make = Builder("three_upu")
    center = np.array([0.06, -0.05, 0.8])
    platform = 0
    for R in THIRDS:
        foot, wrist = R @ [0.4, 0, 0], center + R @ [0.2, 0, 0]
        y = R @ Y
        leg = wrist - foot
        across = np.cross(y, leg)
        lower = make.universal(0, (y, across), foot)
        upper = make.joint(lower, "P", leg, wrist, motor=True)
        end = make.joint(upper, "R", across, wrist, virtual=True)
        if not platform:
            platform = make.joint(end, "R", y, wrist)
        else:
            make.cut(end, platform, "R", y, wrist)
    return make.robot()


def tripteron() -> tuple[Robot, dict[str, float]]:
    """Three P-R-R-R legs, all axes of a leg along its slide."""
    make = Builder("tripteron")
    center = np.array([0.3, 0.35, 0.4])
    platform = 0
    for k in range(3):
        x, y, z = np.eye(3)[k], np.eye(3)[(k + 1) % 3], np.eye(3)[(k + 2) % 3]
        wrist = center + 0.05 * y + 0.03 * z
        foot = (wrist @ x) * x
        slide = make.joint(0, "P", x, foot, motor=True)
        middle = foot + 0.5 * (wrist - foot) + 0.2 * np.cross(x, unit(wrist - foot))
        first = make.joint(slide, "R", x, foot)
        second = make.joint(first, "R", x, middle)
        if not platform:
            platform = make.joint(second, "R", x, wrist)
        else:
            make.cut(second, platform, "R", x, wrist)
    return make.robot()


def agile_eye() -> tuple[Robot, dict[str, float]]:
    """Three R-R-R legs, all axes through one point."""
    make = Builder("agile_eye")
    turn = turned(0.2) @ np.array([[1, 0, 0], [0, cos(0.15), -sin(0.15)], [0, sin(0.15), cos(0.15)]])
    platform, O = 0, np.zeros(3)  # noqa: E741
    for k in range(3):
        base = np.eye(3)[k]
        wrist = turn @ -np.eye(3)[(k + 1) % 3]
        elbow = unit(np.cross(base, wrist))
        arm = make.joint(0, "R", base, O, motor=True)
        distal = make.joint(arm, "R", elbow, O)
        if not platform:
            platform = make.joint(distal, "R", wrist, O)
        else:
            make.cut(distal, platform, "R", wrist, O)
    return make.robot()


def palletizer() -> tuple[Robot, dict[str, float]]:
    """Arm on a rotating column with two motors at its foot; two parallelograms keep the hand level."""
    make = Builder("palletizer")
    y = Y
    lower, upper = np.array([0.15, 0, 0.9]), np.array([0.9, 0, -0.25])
    foot = np.array([0.1, 0, 0.5])
    crank, rear = np.array([-0.3, 0, 0.1]), np.array([0.0, 0, 0.2])
    column = make.joint(0, "R", Z, [0, 0, 0], motor=True)
    arm = make.joint(column, "R", y, foot, motor=True)
    drive = make.joint(column, "R", y, foot, motor=True)
    elbow = foot + lower
    forearm = make.joint(arm, "R", y, elbow)
    push = make.joint(drive, "R", y, foot + crank)
    make.cut(push, forearm, "R", y, elbow + crank)  # parallelogram: foot, crank, rod, rear end of the forearm
    level = make.joint(column, "R", y, foot + rear)  # first leveling rod, beside the arm
    triangle = make.joint(arm, "R", y, elbow)
    make.cut(level, triangle, "R", y, elbow + rear)
    hand = make.joint(forearm, "R", y, elbow + upper)
    other = np.array([0.05, 0, 0.2])
    rod = make.joint(triangle, "R", y, elbow + other)
    make.cut(rod, hand, "R", y, elbow + other + upper)
    make.joint(hand, "R", Z, elbow + upper + np.array([0.1, 0, -0.1]), motor=True)
    return make.robot()


def gough() -> tuple[Robot, dict[str, float]]:
    """Six U-P-S legs, with pairs of nearby joints on base and platform."""
    make = Builder("gough")
    center = np.array([0.05, -0.03, 0.9])
    platform = 0
    for k in range(6):
        pair, side = divmod(k, 2)
        foot = turned(2 * pi * pair / 3 + (0.25 if side else -0.25)) @ [0.8, 0, 0]
        head = center + turned(2 * pi * pair / 3 + (0.8 if side else -0.8) + 0.1) @ [0.5, 0, 0]
        leg = head - foot
        lower = make.universal(0, (Y, np.cross(Y, leg)), foot)
        upper = make.joint(lower, "P", leg, head, motor=True)
        if not platform:
            platform = make.spherical(upper, head)
        else:
            make.spherical_cut(upper, platform, head)
    return make.robot()


REFERENCED = {
    "delta_ruu": delta_ruu, "delta_rods": delta_rods, "delta_pa": delta_parallelograms, "orthoglide": orthoglide,
    "three_upu": three_upu, "tripteron": tripteron, "agile_eye": agile_eye, "palletizer": palletizer,
    "gough": gough,
}  # fmt: skip
