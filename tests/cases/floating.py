"""Trees, closed and coupled robots on mobile and floating bases, and a quadruped."""

from __future__ import annotations

from typing import Any

import numpy as np

import robosym as rs


def body(j: int) -> dict[str, float]:
    return {
        "XX": 0.3 + 0.01 * j, "XY": 0.01, "XZ": -0.02, "YY": 0.25, "YZ": 0.015, "ZZ": 0.2 + 0.02 * j, "MX": 0.1 * j,
        "MY": -0.05, "MZ": 0.08, "M": 2.0 + j,
    }  # fmt: skip


def base(kind: str) -> dict[str, Any]:
    motion = {name: [f"{name}{axis}" for axis in "xyz"] for name in ("W0", "WP0", "V0", "VP0")}
    return {"type": kind, "link": body(9), **(motion if kind == "mobile" else {})}


def links(count: int) -> list[dict[str, float]]:
    return [{**body(j), "IA": 0.05 * j, "FV": 0.2, "FS": 0.1} for j in range(1, count + 1)]


def tree(kind: str, **more: Any) -> rs.Robot:
    frames = [
        {"theta": "t1", "r": 0.3}, {"alpha": "Pi/2", "d": 0.2, "theta": "t2"},
        {"alpha": 0.3, "d": 0.4, "theta": "t3", "r": 0.1, "mu": 0 if more else 1},
        {"ant": 2, "sigma": 1, "alpha": "Pi/2", "d": 0.1, "theta": 0.2, "r": "r4"},
    ]  # fmt: skip
    return rs.robot("arm", frames=frames, links=links(4), gravity=[1.5, -3, -9], base=base(kind), **more)


def coupled(kind: str) -> rs.Robot:
    return tree(kind, couplings={"t3": "2*t2 + 0.1"})


def closed(kind: str) -> rs.Robot:
    """Return a four-bar linkage with a wrist on a rotating post."""
    frames = [
        {"theta": "t1", "r": 0.3}, {"alpha": "Pi/2", "theta": "t2"}, {"mu": 0, "theta": "t3", "d": 0.2},
        {"ant": 1, "mu": 0, "alpha": "Pi/2", "d": 0.45, "theta": "t4"},
        {"ant": 3, "d": 0.3, "alpha": "Pi/2", "theta": "t5"}, {"ant": 3, "mu": 0, "d": 0.5, "theta": "t6"},
        {"ant": 4, "sigma": 2, "d": 0.4},
    ]  # fmt: skip
    position = {"t1": 0.2, "t2": 1.3, "t3": -0.8826, "t4": 1.4188, "t5": 0.1, "t6": 1.0014}
    more = {"loops": [[6, 7]], "position": position}
    return rs.robot("post", frames=frames, links=links(5), gravity=[1.5, -3, -9], base=base(kind), **more)


def quadruped() -> rs.Robot:
    """Return a trunk with four legs of three joints."""
    frames: list[dict[str, Any]] = []
    for x, y in ((0.2, 0.1), (0.2, -0.1), (-0.2, 0.1), (-0.2, -0.1)):
        n = len(frames)
        hip = {"ant": 0, "gamma": float(np.arctan2(y, x)), "d": float(np.hypot(x, y)), "alpha": "Pi/2"}
        thigh, shank = {"ant": n + 1, "alpha": "Pi/2", "d": 0.05}, {"ant": n + 2, "d": 0.2}
        frames += [part | {"theta": f"t{n + k}"} for k, part in enumerate((hip, thigh, shank), 1)]
    leg = {"XX": 0.02, "YY": 0.03, "ZZ": 0.025, "MX": 0.05, "MY": 0.01, "MZ": -0.02, "M": 1.2}
    trunk = {**leg, "XX": 0.3, "YY": 0.4, "ZZ": 0.5, "M": 9.0}
    base = {"type": "floating", "link": trunk}
    return rs.robot("quadruped", frames=frames, links=[leg] * 12, gravity=[0.3, -1, -9.7], base=base)


def humanoid() -> rs.Robot:
    """Return a trunk with two legs of six joints and two arms of three joints."""
    frames: list[dict[str, Any]] = []
    for y in (0.1, -0.1):
        n, side = len(frames), {"ant": 0, "gamma": "Pi/2" if y > 0 else "-Pi/2", "d": abs(y)}
        frames += [
            {**side, "b": -0.05, "theta": f"t{n + 1}"},
            {"ant": n + 1, "alpha": "Pi/2", "theta": f"t{n + 2}"},
            {"ant": n + 2, "alpha": "-Pi/2", "theta": f"t{n + 3}"}, {"ant": n + 3, "d": 0.35, "theta": f"t{n + 4}"},
            {"ant": n + 4, "d": 0.33, "theta": f"t{n + 5}"},
            {"ant": n + 5, "alpha": "Pi/2", "theta": f"t{n + 6}"},
        ]  # fmt: skip
    for y in (0.2, -0.2):
        n, side = len(frames), {"ant": 0, "gamma": "Pi/2" if y > 0 else "-Pi/2", "d": abs(y)}
        frames += [
            {**side, "b": 0.4, "alpha": "Pi/2", "theta": f"t{n + 1}"},
            {"ant": n + 1, "alpha": "Pi/2", "theta": f"t{n + 2}"}, {"ant": n + 2, "d": 0.3, "theta": f"t{n + 3}"},
        ]  # fmt: skip
    limb = {"XX": 0.05, "XY": 0.004, "YY": 0.06, "YZ": -0.003, "ZZ": 0.055, "MX": 0.2, "MY": 0.03, "MZ": -0.1, "M": 2.5}
    trunk = {**limb, "XX": 1.1, "YY": 1.0, "ZZ": 0.4, "MZ": 4.0, "M": 25.0}
    base = {"type": "floating", "link": trunk}
    return rs.robot("humanoid", frames=frames, links=[limb] * 18, gravity=[0, 0, -9.81], base=base)
