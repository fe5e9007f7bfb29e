"""Parallel robots with fewer than six degrees of freedom, inertia symbolic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

import robosym as rs
from cases.leg_kinds import place_of
from robosym.mechanism import Robot
from robosym.spatial.numeric import frame_matrices, rigid, rigid_inverse

_FIELDS = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M")
_SIX = ("gamma", "b", "alpha", "d", "theta", "r")
_H = np.pi / 2
Entries = Mapping[str, float | str]


def parallel(
    name: str, platform: np.ndarray, legs: Sequence[Sequence[Entries]], loaded: Sequence[int], gravity: str = "0, 0, G3"
) -> Robot:
    """Legs in numbers: "q" of a frame is the value of its joint at the reference position, "v" its kind, t or r.

    The platform is at `platform` there, which determines the place of each leg on it.
    """
    lines, position, number = [f"name: {name}", "platform: symbolic", "legs:"], {}, 0
    for frames in legs:
        T, start = np.eye(4), number
        lines.append("  - frames:")
        for entries in frames:
            number += 1
            if "width" in entries:
                number += 1
                T = T @ _parallelogram(entries, number, lines, position)
                continue
            own = {n: float(entries[n]) for n in _SIX if n in entries}
            if "v" not in entries:
                lines.append("      - {sigma: 2, " + ", ".join(f"{n}: {v!r}" for n, v in own.items()) + "}")
                T = T @ frame_matrices(*(np.asarray(own.get(n, 0.0)) for n in _SIX))
                continue
            variable, key = f"{entries['v']}{number}", "r" if entries["v"] == "r" else "theta"
            position[variable] = float(entries["q"])
            numbers = own | {key: own.get(key, 0.0) + position[variable]}
            T = T @ frame_matrices(
                *(np.asarray(numbers.get(n, 0.0)) for n in ("gamma", "b", "alpha", "d", "theta", "r"))
            )
            text = {n: repr(v) for n, v in own.items()} | {
                key: f"{variable} + {own[key]!r}" if key in own else variable
            }
            text |= {"sigma": "1"} if key == "r" else {}
            text |= {} if entries.get("motor") else {"mu": "0"}
            lines.append("      - {" + ", ".join(f"{n}: {v}" for n, v in text.items()) + "}")
        start = number - len(frames) - sum("width" in entries for entries in frames)
        lines.append("    links:")
        lines += [f"      {k}: {{" + ", ".join(f"{n}: {n}{start + k}" for n in _FIELDS) + "}" for k in loaded]
        place = place_of(rigid_inverse(platform) @ T)
        lines.append("    place: {" + ", ".join(f"{n}: {v!r}" for n, v in place.items()) + "}")
    lines.append("position: {" + ", ".join(f"{n}: {v!r}" for n, v in position.items()) + "}")
    robot = rs.loads("\n".join([*lines, f"gravity: [{gravity}]"]), "yaml")
    assert isinstance(robot, Robot)
    return robot


def _parallelogram(entries: Entries, number: int, lines: list[str], position: dict[str, float]) -> np.ndarray:
    """Add a parallelogram whose rods have inertia to the description; return the place of its link."""
    own = {n: float(entries[n]) for n in ("gamma", "b", "alpha", "d", "r") if n in entries}
    length, width = float(entries["length"]), float(entries["width"])
    names = [f"t{number - 1}", *(f"t{number - 1}_{k}" for k in (2, 3, 4))]
    q = position[names[0]] = float(entries["q"])
    rods = ", ".join(f"{n}: {n}{number}A" for n in _FIELDS), ", ".join(f"{n}: {n}{number}B" for n in _FIELDS)
    text = {n: repr(v) for n, v in own.items()} | {"length": repr(length), "width": repr(width), "mu": "0"}
    text |= {"variables": f"[{', '.join(names)}]", "rods": f"[{{{rods[0]}}}, {{{rods[1]}}}]"}
    lines.append("      - {type: parallelogram, " + ", ".join(f"{n}: {v}" for n, v in text.items()) + "}")
    base = frame_matrices(*(np.asarray(own.get(n, 0.0)) for n in _SIX))
    link = np.eye(4)
    link[:2, 3] = length * np.cos(q), length * np.sin(q)
    return np.asarray(base @ link)


def _around(count: int = 3) -> list[float]:
    return [2 * np.pi * i / count for i in range(count)]


_TILTED = rigid(np.array([0.4, 0.3, 0.2]), np.array([0.05, 0.03, 0.6]))  # so that a place needs no special angle


def upu() -> Robot:
    """Tsai's 3-UPU: outer axes of the universal joints tangent to a circle, the platform translates."""
    legs = [
        [
            {"gamma": g, "alpha": -_H, "d": 0.5, "v": "t", "q": 1.2}, {"alpha": _H, "v": "t", "q": _H + 0.25},
            {"alpha": _H, "v": "r", "q": 0.8, "motor": 1}, {"alpha": -_H, "v": "t", "q": -_H - 0.25},
            {"alpha": -_H, "v": "t", "q": 0.4},
        ]
        for g in _around()
    ]  # fmt: skip
    return parallel("upu", _TILTED, legs, (1, 2, 3))


def tripteron() -> Robot:
    """Three legs P-RRR whose revolute axes are parallel to their slide: Cartesian motion (Kong, Gosselin)."""
    starts = ((0.0, 0.0), (0.0, _H), (_H, _H))  # gamma, alpha: slides along z, -y and x
    legs = [
        [
            {"gamma": gamma, "alpha": alpha, "v": "r", "q": 0.4, "motor": 1}, {"d": 0.1, "v": "t", "q": 0.7},
            {"d": 0.4, "v": "t", "q": 0.9}, {"d": 0.45, "v": "t", "q": -0.3},
        ]
        for gamma, alpha in starts
    ]  # fmt: skip
    return parallel("tripteron", _TILTED, legs, (1, 2, 3))


def agile_eye() -> Robot:
    """Spherical 3-RRR with right angles between the axes of a leg (Gosselin), all through the origin."""
    legs = [
        [
            {"gamma": g, "alpha": a, "v": "t", "q": 0.3, "motor": 1}, {"alpha": _H, "v": "t", "q": 0.8},
            {"alpha": _H, "v": "t", "q": 0.4},
        ]
        for g, a in ((0.2, 0.3), (0.1, _H + 0.1), (_H, _H))
    ]  # fmt: skip
    return parallel("agile_eye", rigid(np.array([0.4, 0.3, 0.2]), np.zeros(3)), legs, (1, 2))


def rps() -> Robot:
    """3-RPS: two rotations and a translation that change into each other (Hunt)."""
    legs = [
        [
            {"gamma": g, "alpha": -_H, "d": 0.5, "v": "t", "q": 0.2 + 0.1 * i},
            {"alpha": _H, "v": "r", "q": 0.9, "motor": 1}, {"v": "t", "q": 0.3},
            {"alpha": _H, "v": "t", "q": 1.1}, {"alpha": -_H, "v": "t", "q": 0.2},
        ]
        for i, g in enumerate(_around())
    ]  # fmt: skip
    return parallel("rps", _TILTED, legs, (1, 2))


def rpr() -> Robot:
    """Planar 3-RPR."""
    legs = [
        [
            {"gamma": g, "d": 0.5, "v": "t", "q": 0.4 + 0.2 * i}, {"alpha": _H, "v": "r", "q": 0.5, "motor": 1},
            {"alpha": -_H, "v": "t", "q": 0.4},
        ]
        for i, g in enumerate(_around())
    ]  # fmt: skip
    return parallel("rpr", rigid(np.array([0, 0, 0.3]), np.array([0.05, 0.1, 0])), legs, (1, 2), "0, G2, 0")


def puu() -> Robot:
    """Slides along three axes with one rod each in place of the Orthoglide's parallelograms (Wenger, Chablat)."""
    starts = ((0.0, 0.0), (0.0, _H), (_H, _H))
    legs = [
        [
            {"gamma": gamma, "alpha": alpha, "v": "r", "q": 0.2, "motor": 1}, {"alpha": _H, "v": "t", "q": 1.2},
            {"alpha": _H, "v": "t", "q": 0.2}, {"d": 0.6, "v": "t", "q": -0.2}, {"alpha": -_H, "v": "t", "q": -1.0},
        ]
        for gamma, alpha in starts
    ]  # fmt: skip
    return parallel("puu", _TILTED, legs, (1, 3))


def scara4() -> Robot:
    """Four legs R-U-U with vertical outer axes: three translations and a turn about z (as H4, Par4)."""
    legs = [
        [
            {"gamma": g, "d": 0.4, "v": "t", "q": 0.8 + 0.1 * i, "motor": 1}, {"d": 0.35, "v": "t", "q": 0.9},
            {"alpha": _H, "v": "t", "q": 0.5 - 0.1 * i}, {"d": 0.6, "v": "t", "q": 0.1 * i - 0.5},
            {"alpha": -_H, "v": "t", "q": 0.3},
        ]
        for i, g in enumerate(_around(4))
    ]  # fmt: skip
    return parallel("scara4", _TILTED, legs, (1, 3))


_FRAME: Entries = {"sigma": 2, "alpha": _H, "theta": _H}


def delta_pa() -> Robot:
    """Delta with its parallelograms (Clavel): R-R-Pa-R."""
    legs = [
        [
            {"gamma": g, "alpha": -_H, "d": 0.2, "v": "t", "q": 0.3, "motor": 1}, {"d": 0.3, "v": "t", "q": 0.9},
            _FRAME, {"d": -0.05, "length": 0.7, "width": 0.1, "q": -_H + 0.1},
            {"gamma": _H, "alpha": _H, "r": 0.05, "v": "t", "q": 0.4},
        ]
        for g in _around()
    ]  # fmt: skip
    return parallel("delta_pa", _TILTED, legs, (1, 2, 4))


def orthoglide_pa() -> Robot:
    """Orthoglide with its parallelograms (Wenger, Chablat): P-R-Pa-R."""
    starts = ((0.0, 0.0), (0.0, _H), (_H, _H))
    legs = [
        [
            {"gamma": gamma, "alpha": alpha, "v": "r", "q": 0.2, "motor": 1}, {"alpha": _H, "v": "t", "q": 1.2},
            _FRAME, {"d": -0.05, "length": 0.6, "width": 0.1, "q": -_H + 0.1},
            {"gamma": _H, "alpha": _H, "r": 0.05, "v": "t", "q": -1.0},
        ]
        for gamma, alpha in starts
    ]  # fmt: skip
    return parallel("orthoglide_pa", _TILTED, legs, (1, 2, 4))


ROBOTS: dict[str, Callable[[], Robot]] = {
    "upu": upu, "tripteron": tripteron, "agile_eye": agile_eye, "rps": rps, "rpr": rpr, "puu": puu, "scara4": scara4,
    "delta_pa": delta_pa, "orthoglide_pa": orthoglide_pa,
}  # fmt: skip
