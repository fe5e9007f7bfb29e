"""Parallel robots with random legs of given kinds; the platform is placed such that the legs meet it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import robosym as rs
from robosym.mechanism import Robot
from robosym.spatial.numeric import frame_matrices, rigid, rigid_inverse

Array = NDArray[np.float64]

_H = np.pi / 2
_BALL: list[dict[str, float | str]] = [{"v": "t"}, {"alpha": _H, "v": "t"}, {"alpha": -_H, "v": "t"}]
#: the frames of a leg: "v" says which parameter varies, "motor" whether it is driven, numbers are the rest
KINDS: dict[str, list[dict[str, float | str]]] = {
    "UPS": [{"v": "t"}, {"alpha": _H, "v": "t"}, {"alpha": _H, "v": "r", "motor": 1}, *_BALL],
    "RUS": [{"v": "t", "motor": 1}, {"d": 0.4, "v": "t"}, {"alpha": _H, "v": "t"}, {"d": 0.9, **_BALL[0]}, *_BALL[1:]],
    "RUS turned": [
        {"v": "t", "motor": 1}, {"gamma": 0.3, "b": 0.1, "alpha": np.pi, "d": -0.4, "r": 0.05, "v": "t"},
        {"gamma": 0.2, "alpha": -_H, "v": "t"}, {"alpha": _H, "d": 0.5, "r": 0.6, **_BALL[0]}, *_BALL[1:],
    ],
    "RUS across": [
        {"v": "t", "motor": 1}, {"alpha": 1.1, "d": 0.4, "v": "t"}, {"alpha": _H, "v": "t"},
        {"d": 0.9, **_BALL[0]}, *_BALL[1:],
    ],
    "PUS": [
        {"v": "r", "motor": 1}, {"alpha": _H, "v": "t"}, {"alpha": _H, "v": "t"}, {"d": 0.8, **_BALL[0]}, *_BALL[1:],
    ],
    "PUS skew": [
        {"theta": 0.3, "v": "r", "motor": 1}, {"gamma": 0.4, "alpha": 0.7, "d": 0.1, "r": 0.2, "v": "t"},
        {"alpha": -_H, "v": "t"}, {"alpha": -_H, "r": -0.8, **_BALL[0]}, *_BALL[1:],
    ],
    "SPS": [*_BALL[:1], {"alpha": _H, "v": "t"}, {"alpha": _H, "v": "t"}, {"v": "r", "motor": 1}, *_BALL],
    "RSS": [
        {"v": "t", "motor": 1}, {"d": 0.4, "v": "t"}, {"alpha": _H, "v": "t"}, {"alpha": _H, "v": "t"},
        {"d": 0.9, **_BALL[0]}, *_BALL[1:],
    ],
    "RRRS": [{"v": "t", "motor": 1}, {"alpha": _H, "v": "t"}, {"d": 0.6, "v": "t"}, {"d": 0.7, **_BALL[0]}, *_BALL[1:]],
    "CUS": [
        {"v": "t", "motor": 1}, {"v": "r", "motor": 1}, {"alpha": _H, "v": "t"}, {"d": 0.7, **_BALL[0]}, *_BALL[1:],
    ],
    "URR": [
        {"v": "t", "motor": 1}, {"alpha": _H, "v": "t"}, {"d": 0.6, "v": "t"}, {"d": 0.7, "v": "t"},
        {"alpha": _H, "v": "t"}, {"alpha": _H, "v": "t"},
    ],
}  # fmt: skip


#: symmetry axis of links between two ball joints
RODS = {"SPS": {3: "Z", 4: "Z"}, "RSS": {4: "X"}}


def _rod_fields(axis: str, number: int) -> str:
    """Return a link that is symmetrical about an axis."""
    across = [a for a in "XYZ" if a != axis]
    return ", ".join((*(f"{a}{a}: I{number}" for a in across), f"M{axis}: M{axis}{number}", f"M: M{number}"))


def place_of(T: Array) -> dict[str, float]:
    """Return the six parameters of a frame with pose T."""
    alpha = float(np.arccos(np.clip(T[2, 2], -1, 1)))
    if np.sin(alpha) < 1e-9:  # parallel z axes
        gamma = float(np.arctan2(T[1, 3], T[0, 3]))
        R = rigid(np.array([0, 0, -gamma]), np.zeros(3)) @ T
        up = float(np.cos(alpha))
        theta = float(np.arctan2(up * R[1, 0], R[0, 0]))
        return {
            "gamma": gamma,
            "b": float(T[2, 3]),
            "alpha": alpha,
            "d": float(np.hypot(T[0, 3], T[1, 3])),
            "theta": theta,
        }
    gamma, theta = float(np.arctan2(T[0, 2], -T[1, 2])), float(np.arctan2(T[2, 0], T[2, 1]))
    x, a = np.array([np.cos(gamma), np.sin(gamma), 0]), T[:3, 2]
    d, b, r = np.linalg.solve(np.column_stack([x, [0, 0, 1], a]), T[:3, 3])
    found = {"gamma": gamma, "b": float(b), "alpha": alpha, "d": float(d), "theta": theta, "r": float(r)}
    back = frame_matrices(*(np.asarray(v) for v in found.values()))
    assert np.abs(back - T).max() < 1e-9
    return found


def entry_is_ball(kind: str, k: int) -> bool:
    """Whether link k is between the axes of the first ball joint of a leg with two."""
    return min(RODS[kind]) - 2 <= k < min(RODS[kind])


def _loaded(leg: Sequence[dict[str, float | str]]) -> list[int]:
    """Return the links of a leg with inertia: all except those of the spherical joint."""
    return list(range(1, len(leg) - 2))


def random_parallel(kinds: Sequence[str], seed: int, drives: bool = False) -> Robot:
    """Return legs on a circle below a platform, with symbolic inertia and, with `drives`, drives."""
    rng = np.random.default_rng(seed)
    platform = rigid(rng.normal(size=3) * 0.3, np.array([0.1, -0.1, 0.7]) + rng.normal(size=3) * 0.05)
    lines, position, number = ["name: random_legs", "platform: symbolic", "legs:"], {}, 0
    for i, kind in enumerate(kinds):
        T, frames = np.eye(4), []
        for k, entries in enumerate(KINDS[kind]):
            number += 1
            own = {n: float(v) for n, v in entries.items() if n not in ("v", "motor")}
            if k == 0:
                own |= {"gamma": i * 2 * np.pi / len(kinds) + rng.normal() * 0.2, "b": rng.normal() * 0.05}
                own |= {"alpha": -_H + rng.normal() * 0.3, "d": 0.6 + rng.normal() * 0.1}
            variable = f"{entries['v']}{number}"
            value = float(rng.uniform(0.5, 1.0) if entries["v"] == "r" else rng.uniform(-1.2, 1.2))
            if kind == "UPS" and k == 1:
                value = float(rng.uniform(0.4, 2.7))
            position[variable] = value
            key = "r" if entries["v"] == "r" else "theta"
            numbers = own | {key: own.get(key, 0.0) + value}
            T = T @ frame_matrices(
                *(np.asarray(numbers.get(n, 0.0)) for n in ("gamma", "b", "alpha", "d", "theta", "r"))
            )
            text = {n: _text(v) for n, v in own.items()}
            text[key] = f"{variable} + {own[key]!r}" if key in own else variable
            text |= {"sigma": "1"} if key == "r" else {}
            text |= {} if "motor" in entries else {"mu": "0"}
            frames.append("{" + ", ".join(f"{n}: {v}" for n, v in text.items()) + "}")
        lines += ["  - frames:", *(f"      - {frame}" for frame in frames), "    links:"]
        first = number - len(frames)
        names = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M", *(("IA", "FV") if drives else ()))
        rods = RODS.get(kind, {})
        for k in range(1, min(rods)) if rods else _loaded(KINDS[kind]):
            if kind not in RODS or not entry_is_ball(kind, k):
                lines.append(f"      {k}: {{" + ", ".join(f"{n}: {n}{first + k}" for n in names) + "}")
        lines += [f"      {k}: {{{_rod_fields(axis, first + k)}}}" for k, axis in rods.items()]
        place = place_of(rigid_inverse(platform) @ T)
        lines.append("    place: {" + ", ".join(f"{n}: {_text(v)}" for n, v in place.items()) + "}")
    lines.append("position: {" + ", ".join(f"{n}: {v!r}" for n, v in position.items()) + "}")
    lines.append("gravity: [0, 0, G3]")
    robot = rs.loads("\n".join(lines), "yaml")
    assert isinstance(robot, Robot)
    return robot


def _text(value: float) -> str:
    for name, known in (("Pi", np.pi), ("Pi/2", _H), ("-Pi/2", -_H)):
        if value == known:
            return name
    return repr(float(value))
