"""Closed robots in addition to the library: planar, spatial and mixed loops, cuts of every kind of joint."""

from __future__ import annotations

from math import atan2, hypot, sin

from robosym.formats import loads
from robosym.mechanism import Robot


def build(name: str, frames: list[str], loops: list[tuple[int, int]]) -> Robot:
    rows = "\n".join(f"  - {{{frame}}}" for frame in frames)
    pairs = ", ".join(f"[{cut}, {fixed}]" for cut, fixed in loops)
    return loads(f"name: {name}\nframes:\n{rows}\nloops: [{pairs}]\ngravity: [0, 0, 0]\n", format="yaml")


def five_bar() -> Robot:
    return build(
        "fivebar",
        [
            "ant: 0, theta: t1", "ant: 1, mu: 0, d: L1, theta: t2",
            "ant: 0, d: L0, theta: t3", "ant: 3, mu: 0, d: L2, theta: t4",
            "ant: 2, mu: 0, d: L3, theta: t5", "ant: 4, sigma: 2, d: L4",
        ],
        [(5, 6)],
    )  # fmt: skip


def slider_crank() -> Robot:
    """Slider-crank cut at the prismatic joint, whose axis is in the plane of the mechanism."""
    return build(
        "crank",
        [
            "ant: 0, theta: t1", "ant: 1, mu: 0, d: L1, theta: t2", "ant: 2, mu: 0, d: L2, theta: t3",
            "ant: 3, mu: 0, sigma: 1, alpha: Pi/2, theta: 0, r: r4",
            "ant: 0, sigma: 2, gamma: g5, alpha: Pi/2, d: H",
        ],
        [(4, 5)],
    )  # fmt: skip


def four_bar() -> Robot:
    """Numeric parallelogram, cut between coupler and rocker."""
    return build(
        "fourbar",
        [
            "ant: 0, theta: t1", "ant: 1, mu: 0, d: 0.5, theta: t2", "ant: 0, mu: 0, d: 0.9, theta: t3",
            "ant: 2, mu: 0, d: 0.9, theta: t4", "ant: 3, sigma: 2, d: 0.5",
        ],
        [(4, 5)],
    )  # fmt: skip


def palletizer() -> Robot:
    """A crank moves the forearm through a parallelogram; two more in series keep the wrist level."""
    return build(
        "palletizer",
        [
            "ant: 0, theta: t1", "ant: 1, alpha: -Pi/2, d: 0.2, theta: t2", "ant: 2, mu: 0, d: 0.8, theta: t3",
            "ant: 1, alpha: -Pi/2, d: 0.2, theta: t4", "ant: 4, mu: 0, d: 0.3, theta: t5",
            "ant: 1, mu: 0, alpha: -Pi/2, d: 0.05, theta: t6, r: 0.1", "ant: 2, mu: 0, d: 0.8, theta: t7",
            "ant: 3, mu: 0, d: 0.9, theta: t8", "ant: 7, mu: 0, d: 0.2, theta: t9", "ant: 8, alpha: Pi/2, theta: t10",
            "ant: 5, mu: 0, d: 0.8, theta: t11", "ant: 6, mu: 0, d: 0.8, theta: t12, r: -0.1",
            "ant: 9, mu: 0, d: 0.9, theta: t13",
            "ant: 3, sigma: 2, d: -0.3", "ant: 7, sigma: 2, gamma: 1.9, d: 0.15", "ant: 8, sigma: 2, d: 0.2",
        ],
        [(11, 14), (12, 15), (13, 16)],
    )  # fmt: skip


def watt() -> Robot:
    """Two four-bars in series with a common link."""
    return build(
        "watt",
        [
            "ant: 0, theta: t1", "ant: 1, mu: 0, d: 0.4, theta: t2", "ant: 0, mu: 0, d: 1.0, theta: t3",
            "ant: 3, mu: 0, gamma: 0.5, d: 0.5, theta: t4", "ant: 0, mu: 0, gamma: 0.1, d: 1.9, theta: t5",
            "ant: 2, mu: 0, d: 0.9, theta: t6", "ant: 4, mu: 0, d: 0.8, theta: t7",
            "ant: 3, sigma: 2, d: 0.7", "ant: 5, sigma: 2, d: 0.6",
        ],
        [(6, 8), (7, 9)],
    )  # fmt: skip


def stephenson() -> Robot:
    """Six-bar with the motor on the dyad: its two loops close only simultaneously."""
    return build(
        "stephenson",
        [
            "ant: 0, mu: 0, theta: t1", "ant: 1, mu: 0, d: 0.5, theta: t2", "ant: 0, mu: 0, d: 1.0, theta: t3",
            "ant: 0, gamma: 0.2, d: 1.8, theta: t4", "ant: 4, mu: 0, d: 0.45, theta: t5",
            "ant: 2, mu: 0, d: 0.9, theta: t6", "ant: 5, mu: 0, d: 0.8, theta: t7",
            "ant: 3, sigma: 2, d: 0.7", "ant: 2, sigma: 2, gamma: 0.6, d: 0.6",
        ],
        [(6, 8), (7, 9)],
    )  # fmt: skip


def three_rrr() -> Robot:
    """Planar triangle on three legs: its two loops close only simultaneously, in up to six modes."""
    frames = []
    for number, (x, y) in enumerate([(0.0, 0.0), (1.0, 0.0), (0.5, 0.9)]):
        first = 2 * number + 1
        frames += [f"ant: 0, gamma: {atan2(y, x):.16g}, d: {hypot(x, y):.16g}, theta: t{first}",
                   f"ant: {first}, mu: 0, d: 0.5, theta: t{first + 1}"]  # fmt: skip
    frames += [f"ant: {leg}, mu: 0, d: 0.5, theta: t{j}" for leg, j in ((2, 7), (4, 8), (6, 9))]
    return build("rrr3", [*frames, "ant: 7, sigma: 2, d: 0.3", "ant: 7, sigma: 2, gamma: Pi/3, d: 0.3"],
                 [(8, 10), (9, 11)])  # fmt: skip


def rssr() -> Robot:
    """Two cranks about skew axes, with a coupler between a universal joint and a cut spherical joint."""
    return build(
        "rssr",
        [
            "ant: 0, theta: t1",
            "ant: 1, mu: 0, alpha: Pi/2, d: A, theta: t2",
            "ant: 2, mu: 0, alpha: Pi/2, theta: t3",
            "ant: 3, mu: 0, alpha: Pi/2, d: C, theta: t4",
            "ant: 0, mu: 0, gamma: 0.4, b: 0.3, alpha: Pi/2 + 0.2, d: H, theta: t5, r: 0.2",
            "ant: 5, mu: 0, alpha: Pi/2, d: B, theta: t6",
            "ant: 4, mu: 0, alpha: Pi/2, theta: t7",
            "ant: 6, sigma: 2, alpha: Pi/2",
        ],
        [(7, 8)],
    )  # fmt: skip


def bennett() -> Robot:
    """Four spatial revolute joints, movable because a/sin(alpha) = b/sin(beta): three redundant rows."""
    alpha, beta, a = 0.7, 1.2, 0.5
    b = a * sin(beta) / sin(alpha)
    return build(
        "bennett",
        [
            "ant: 0, theta: t1", f"ant: 1, mu: 0, alpha: {alpha}, d: {a}, theta: t2",
            f"ant: 0, mu: 0, alpha: {-beta}, d: {-b:.16g}, theta: t3",
            f"ant: 2, mu: 0, alpha: {beta}, d: {b:.16g}, theta: t4", f"ant: 3, sigma: 2, alpha: {-alpha}, d: {-a}",
        ],
        [(4, 5)],
    )  # fmt: skip


def spherical_four_bar() -> Robot:
    """Four axes through one point, which is not the origin of a frame."""
    return build(
        "sphere",
        [
            "ant: 0, theta: t1, r: 0.3", "ant: 1, mu: 0, b: -0.3, alpha: 0.6, theta: t2, r: 0.4",
            "ant: 0, mu: 0, gamma: 0.2, alpha: 0.9, theta: t3, r: 0.5",
            "ant: 2, mu: 0, b: -0.4, alpha: 1.1, theta: t4, r: 0.2",
            "ant: 3, sigma: 2, b: -0.5, alpha: 0.8, r: 0.2",
        ],
        [(4, 5)],
    )  # fmt: skip


def universal_cut() -> Robot:
    """Six revolute joints closed by a universal joint with one cut axis."""
    return build(
        "cardan",
        [
            "ant: 0, theta: t1", "ant: 1, alpha: Pi/2, d: 0.3, theta: t2",
            "ant: 2, mu: 0, alpha: -1.1, d: 0.6, theta: t3, r: 0.1",
            "ant: 3, mu: 0, alpha: 0.7, d: 0.5, theta: t4",
            "ant: 0, mu: 0, gamma: 0.5, alpha: 0.8, d: 0.7, theta: t5, r: 0.2",
            "ant: 5, mu: 0, alpha: 1.2, d: 0.4, theta: t6",
            "ant: 4, mu: 0, alpha: 0.9, d: 0.3, theta: t7",
            "ant: 7, mu: 0, alpha: Pi/2, theta: t8",
            "ant: 6, sigma: 2, alpha: 0.4, d: 0.5",
        ],
        [(8, 9)],
    )  # fmt: skip


def cylindrical_cut() -> Robot:
    """R-R-R-R chain closed by a cylindrical joint: a sliding virtual link before the cut revolute joint."""
    return build(
        "cylinder",
        [
            "ant: 0, theta: t1", "ant: 1, mu: 0, alpha: Pi/2, d: 0.3, theta: t2",
            "ant: 2, mu: 0, alpha: -1.1, d: 0.6, theta: t3, r: 0.1",
            "ant: 0, mu: 0, gamma: 0.5, alpha: 0.8, d: 0.7, theta: t4, r: 0.2",
            "ant: 4, mu: 0, alpha: 1.2, d: 0.4, theta: t5",
            "ant: 3, mu: 0, sigma: 1, alpha: 0.9, d: 0.3, theta: 0, r: r6",
            "ant: 6, mu: 0, theta: t7",
            "ant: 5, sigma: 2, alpha: 0.4, d: 0.5",
        ],
        [(7, 8)],
    )  # fmt: skip


def gough_stewart() -> Robot:
    """Six UPS legs; leg 1 carries the platform by three revolute joints, the others are cut at spherical joints."""
    frames: list[str] = []
    base = [(0.0, 0.0), (0.9, 0.1), (1.4, 0.8), (1.1, 1.5), (0.2, 1.6), (-0.3, 0.9)]
    for x, y in base:
        first = (
            f"ant: 0, mu: 0, gamma: {atan2(y, x):.4f}, alpha: -Pi/2, d: {hypot(x, y):.4f}, theta: t{len(frames) + 1}"
        )
        if (x, y) == (0.0, 0.0):
            first = "ant: 0, mu: 0, alpha: -Pi/2, theta: t1"
        j = len(frames) + 1
        frames += [first, f"ant: {j}, mu: 0, alpha: Pi/2, theta: t{j + 1}",
                   f"ant: {j + 1}, sigma: 1, alpha: Pi/2, theta: 0, r: r{j + 2}"]  # fmt: skip
    frames += [
        "ant: 3, mu: 0, theta: t19",
        "ant: 19, mu: 0, alpha: Pi/2, theta: t20",
        "ant: 20, mu: 0, alpha: -Pi/2, theta: t21",
    ]
    place = [(0.5, 0.1), (0.7, 0.6), (0.4, 0.9), (0.0, 0.8), (-0.2, 0.4)]
    for leg, (x, y) in enumerate(place, 1):  # virtual links on the leg and on the platform
        turn, length = f"{atan2(y, x):.4f}", f"{hypot(x, y):.4f}"
        j = len(frames) + 1
        frames += [f"ant: {3 * leg + 3}, mu: 0, theta: t{j}",
                   f"ant: 21, mu: 0, gamma: {turn}, alpha: 0.3, d: {length}, theta: t{j + 1}"]  # fmt: skip
    tree = len(frames)
    for leg in range(5):
        frames.append(f"ant: {22 + 2 * leg}, mu: 0, alpha: Pi/2, theta: t{tree + 1 + leg}")
    frames += [f"ant: {23 + 2 * leg}, sigma: 2, alpha: Pi/2" for leg in range(5)]
    return build("gough", frames, [(tree + 1 + leg, tree + 6 + leg) for leg in range(5)])
