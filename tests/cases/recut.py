"""One mechanism with loops cut at any of its joints: axes of its joints and masses of its bodies in frame 0.

Variables are 0 in the reference position and have the same name and direction for all cuts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import pi

import numpy as np

from cases.parallel_robots import Array, frame_of, parameters
from robosym.formats import loads
from robosym.mechanism import Robot


@dataclass(frozen=True)
class Hinge:
    """A joint from body a to body b: "R", "P" or "H", along an axis through a point."""

    a: int
    b: int
    kind: str
    axis: Array
    point: Array
    motor: bool = False
    acts: Mapping[str, object] = field(default_factory=dict)  #: eta, k, rest, FV, FS, IA, friction
    pitch: float = 0.3


@dataclass(frozen=True)
class Solid:
    """Mass, center of mass and inertia about it; force and moment on the environment at the origin of frame 0."""

    mass: float = 0.0
    center: Sequence[float] = (0.0, 0.0, 0.0)
    tensor: Sequence[float] = (0.0, 0.0, 0.0)
    wrench: Sequence[float] = ()


def recut(name: str, hinges: Sequence[Hinge], solids: Mapping[int, Solid], cuts: Iterable[int]) -> Robot:
    """Return the mechanism with these joints cut; frame j of the tree represents the joint `order[j - 1]`."""
    cuts = list(cuts)
    order: list[tuple[int, int, int]] = []  # joint, body before it, body after it
    reached, frame_of_body = {0}, {0: 0}
    while len(order) < len(hinges) - len(cuts):
        for n, hinge in enumerate(hinges):
            for near, far in ((hinge.a, hinge.b), (hinge.b, hinge.a)):
                if n not in cuts and near in reached and far not in reached:
                    order.append((n, near, far))
                    reached.add(far)
                    frame_of_body[far] = len(order)
    poses = [np.eye(4)]
    rows, links, wrenches = [], [], []
    for number, (n, near, far) in enumerate(order, 1):
        hinge = hinges[n]
        pose = frame_of(hinge.axis if near == hinge.a else -hinge.axis, hinge.point)
        rows.append(_row(n, hinge, poses[frame_of_body[near]], pose, frame_of_body[near]))
        poses.append(pose)
        fields = _body(solids.get(far, Solid()), pose) | {k: str(v) for k, v in hinge.acts.items()}
        links.append(f"  {number}: {{{', '.join(f'{k}: {v}' for k, v in fields.items())}}}")
        if solids.get(far, Solid()).wrench:
            wrenches.append(f"  {number}: {_wrench(solids[far].wrench, pose)}")
    ends = []
    for place, n in enumerate(cuts, len(order) + 1):
        hinge = hinges[n]
        pose = frame_of(hinge.axis, hinge.point)
        near, far = frame_of_body[hinge.a], frame_of_body[hinge.b]
        rows.append(_row(n, hinge, poses[near], pose, near))
        p = parameters(np.linalg.inv(poses[far]) @ pose)
        ends.append(f"ant: {far}, sigma: 2, mu: 0, " + ", ".join(f"{k}: {v:.17g}" for k, v in p.items()))
        if hinge.acts:
            links.append(f"  {place}: {{{', '.join(f'{k}: {v}' for k, v in hinge.acts.items())}}}")
    pairs = [[len(order) + k, len(order) + len(cuts) + k] for k in range(1, len(cuts) + 1)]
    text = [f"name: {name}", "frames:", *(f"  - {{{row}}}" for row in (*rows, *ends)), f"loops: {pairs}"]
    text += ["links:", *links, *(["wrench:", *wrenches] if wrenches else []), "gravity: [1.5, -3, -9]"]
    text.append(f"position: {{{', '.join(f'x{n}: 0' for n in range(len(hinges)))}}}")
    return loads("\n".join(text) + "\n", format="yaml")


def _row(n: int, hinge: Hinge, before: Array, pose: Array, ant: int) -> str:
    p = parameters(np.linalg.inv(before) @ pose)
    text = {key: f"{value:.17g}" for key, value in p.items()}
    held = "r" if hinge.kind == "P" else "theta"
    if hinge.kind == "H":  # its frame translates with the total theta
        text["r"] = f"{p['r'] - hinge.pitch / (2 * pi) * p['theta']:.17g}"
        text["pitch"] = str(hinge.pitch)
    text[held] = f"x{n} + {p[held]:.17g}".replace("+ -", "- ")
    sigma = {"R": 0, "P": 1, "H": 3}[hinge.kind]
    return f"ant: {ant}, sigma: {sigma}, mu: {int(hinge.motor)}, " + ", ".join(f"{k}: {v}" for k, v in text.items())


def _body(solid: Solid, pose: Array) -> dict[str, str]:
    """Return the inertia of a body at the origin of a frame, in its axes."""
    if not solid.mass:
        return {}
    R, at = pose[:3, :3], pose[:3, :3].T @ (np.asarray(solid.center) - pose[:3, 3])
    J = R.T @ np.diag(solid.tensor) @ R + solid.mass * (at @ at * np.eye(3) - np.outer(at, at))
    values = {"XX": J[0, 0], "XY": J[0, 1], "XZ": J[0, 2], "YY": J[1, 1], "YZ": J[1, 2], "ZZ": J[2, 2]}
    values |= dict(zip(("MX", "MY", "MZ"), solid.mass * at, strict=True)) | {"M": solid.mass}
    return {name: f"{value:.17g}" for name, value in values.items()}


def _wrench(wrench: Sequence[float], pose: Array) -> list[float]:
    """Transform a wrench at the origin of frame 0 to a frame."""
    force, moment = np.asarray(wrench[:3], float), np.asarray(wrench[3:], float)
    R, P = pose[:3, :3], pose[:3, 3]
    return [*(R.T @ force).tolist(), *(R.T @ (moment - np.cross(P, force))).tolist()]
