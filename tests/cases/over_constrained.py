"""Single spatial loops: over-constrained ones with special proportions, and general ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import cos, pi, sin

import numpy as np

from cases.parallel_robots import VIRTUAL, Array, Builder, Y, Z, turned, unit
from robosym.mechanism import INERTIA, Robot

Row = tuple[float, float, float]  #: a, alpha, d of a standard table
_GRAVITY = "[0.7, -1.1, -9.7]"  #: not along an axis


def _step(row: Row, theta: float) -> Array:
    a, alpha, d = row
    c, s, ca, sa = cos(theta), sin(theta), cos(alpha), sin(alpha)
    return np.array([[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]])


def _closed(rows: Sequence[Row], theta: Sequence[float]) -> Array:
    """Return angles near the given ones at which the chain closes; the first is unchanged."""

    def gap(angles: Array) -> Array:
        T = np.eye(4)
        for row, angle in zip(rows, angles, strict=True):
            T = T @ _step(row, angle)
        return np.array((T - np.eye(4))[:3].ravel())

    angles = np.array(theta, dtype=float)
    for _ in range(60):
        J = np.column_stack([(gap(angles + e) - gap(angles - e)) / 2e-6 for e in 1e-6 * np.eye(len(angles))[1:]])
        angles[1:] -= np.linalg.lstsq(J, gap(angles), rcond=1e-7)[0]
    assert np.abs(gap(angles)).max() < 1e-13
    return angles


def _loop(name: str, axes: Sequence[tuple[Array, Array]]) -> tuple[Robot, dict[str, float]]:
    """Revolute joints, the first driven, the one in the middle cut."""
    make, middle = Builder(name), len(axes) // 2
    near = far = 0
    for number, (axis, point) in enumerate(axes[:middle]):
        near = make.joint(near, "R", axis, point, motor=not number)
    for axis, point in reversed(axes[middle + 1 :]):
        far = make.joint(far, "R", axis, point)
    make.cut(near, far, "R", *axes[middle])
    return make.robot(_GRAVITY)


def _of_table(name: str, rows: Sequence[Row], near: Sequence[float]) -> tuple[Robot, dict[str, float]]:
    T, axes = np.eye(4), []
    for row, theta in zip(rows, _closed(rows, near), strict=True):
        axes.append((T[:3, 2].copy(), T[:3, 3].copy()))
        T = T @ _step(row, theta)
    return _loop(name, axes)


def bricard() -> tuple[Robot, dict[str, float]]:
    """Line-symmetric Bricard linkage of general proportions."""
    rows = [(0.4, 0.9, 0.1), (0.55, 1.3, -0.15), (0.3, 0.7, 0.2)] * 2
    return _of_table("bricard", rows, [0.6, 3.4657, 5.7044, -5.6832, 3.4657, -0.5788])


def bricard_of_a_plane() -> tuple[Robot, dict[str, float]]:
    """Plane-symmetric Bricard linkage: the second half of the table mirrors the first."""
    (a, b, c), (alpha, beta, gamma), (d, e) = (0.3, 0.5, 0.35), (pi / 2, 1.1, 0.8), (0.12, -0.2)
    rows = [(a, alpha, 0.0), (b, beta, d), (c, gamma, e), (c, -gamma, 0.0), (b, -beta, -e), (a, -alpha, -d)]
    return _of_table("bricard_of_a_plane", rows, [2.059, 2.3898, 0.8471, 2.7316, 0.8471, 2.3898])


def bricard_of_a_trihedron() -> tuple[Robot, dict[str, float]]:
    """Trihedral Bricard linkage: adjacent axes are perpendicular, sums of alternate squared lengths are equal."""
    lengths = [0.4, 0.5, 0.45, 0.35, 0.3]
    last = (lengths[0] ** 2 + lengths[2] ** 2 + lengths[4] ** 2 - lengths[1] ** 2 - lengths[3] ** 2) ** 0.5
    rows = [(a, pi / 2 * (-1) ** k, 0.0) for k, a in enumerate([*lengths, last])]
    return _of_table("bricard_of_a_trihedron", rows, [-1.0698, 2.1353, -1.4023, 2.0603, -0.9966, 1.4439])


def bennett() -> tuple[Robot, dict[str, float]]:
    rows = [(0.5, 0.9, 0.0), (0.5 * sin(1.4) / sin(0.9), 1.4, 0.0)] * 2
    return _of_table("bennett", rows, [1.5731, 2.6111, -1.5731, -2.6111])


def goldberg() -> tuple[Robot, dict[str, float]]:
    """Two Bennett linkages whose common link is removed."""
    b, c = 0.4 * sin(0.9) / sin(0.5), 0.4 * sin(0.7) / sin(0.5)
    rows = [(0.4 + c, 1.2, 0.0), (b, 0.9, 0.0), (0.4, 0.5, 0.0), (c, 0.7, 0.0), (b, 0.9, 0.0)]
    return _of_table("goldberg", rows, [1.1, 3.089, -6.4534, -1.0474, -2.9714])


def seven_bars() -> tuple[Robot, dict[str, float]]:
    rng, axes = np.random.default_rng(3), []
    for k in range(7):
        point = 0.6 * turned(2 * pi * k / 7)[:, 0] + rng.normal(size=3) * 0.12
        axes.append((unit(rng.normal(size=3)), point))
    return _loop("seven", axes)


def rrsrr() -> tuple[Robot, dict[str, float]]:
    make, ball = Builder("rrsrr"), np.array([0.5, 0.1, 0.45])
    crank = make.joint(0, "R", Z, [0, 0, 0], motor=True)
    near = make.joint(crank, "R", unit([0.2, 1, 0.1]), [0.1, 0, 0.25])
    rocker = make.joint(0, "R", unit([0.1, 0.9, 0.4]), [0.9, 0.1, 0])
    far = make.joint(rocker, "R", unit([1, 0.1, 0.3]), [0.85, 0.15, 0.3])
    make.spherical_cut(near, far, ball)
    return make.robot(_GRAVITY)


def clemens() -> tuple[Robot, dict[str, float]]:
    """Constant-velocity joint between intersecting shafts: R-R-S-R-R, symmetric about a plane."""
    make, mirror = Builder("clemens"), np.array([-1.0, 1, 1])
    shaft = unit([cos(0.35), 0, sin(0.35)])
    fork = unit(np.array([0.1, 1, 0.3]) - np.dot([0.1, 1, 0.3], shaft) * shaft)
    start = -0.5 * shaft
    hinge = start + 0.15 * np.cross(fork, shaft)
    near = make.joint(make.joint(0, "R", shaft, start, motor=True), "R", fork, hinge)
    far = make.joint(make.joint(0, "R", mirror * shaft, mirror * start), "R", -mirror * fork, mirror * hinge)
    make.spherical_cut(near, far, 0.5 * Z + 0.1 * Y)
    return make.robot(_GRAVITY)


def with_inertias(robot: Robot, position: dict[str, float]) -> Robot:
    """The standard symbols on every link but the virtual ones, and the reference position."""
    virtual = VIRTUAL.get(robot.name, frozenset())
    links = [{n: 0 if j in virtual else f"{n}{j}" for n in INERTIA} for j in range(1, robot.NL + 1)]
    return replace(robot.with_links(links), position=position)
