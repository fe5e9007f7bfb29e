"""Legs described by points: the motors put the points where distances and axes require them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import robosym as rs
from robosym.formats.yaml_legs import LEG_TYPES

ANGLES = np.array([-0.35, 0.4, 1.8, 2.3, 3.9, 4.4])
TOP = np.array([-0.8, 0.8, 1.3, 2.9, 3.4, 5.0])
#: by type: radii of base and platform, lengths, direction of the first axis, height of the platform
MACHINES: dict[str, tuple[float, float, list[float], str, float]] = {
    "UPS": (0.6, 0.3, [], "", 0.7), "SPS": (0.6, 0.3, [], "", 0.7), "RUS": (0.3, 0.15, [0.3, 0.8], "tangent", 0.75),
    "RSS": (0.3, 0.15, [0.3, 0.8], "tangent", 0.75), "RUU": (0.2, 0.05, [0.3, 0.8], "tangent", 0.75),
    "PUU": (0.5, 0.05, [0.9], "up", 0.9), "PUS": (0.5, 0.2, [0.9], "up", 0.9), "PSS": (0.5, 0.2, [0.9], "up", 0.9),
    "PRS": (0.5, 0.2, [0.9], "up", 0.9), "RRS": (0.4, 0.2, [0.4, 0.6], "tangent", 0.7),
    "RPS": (0.4, 0.2, [], "tangent", 0.7), "RRR": (0.5, 0.1, [0.3, 0.35], "up", 0.0),
    "RPR": (0.5, 0.1, [], "up", 0.0), "PRR": (0.5, 0.1, [0.5], "tangent", 0.0),
}  # fmt: skip
SIX = ("UPS", "SPS", "RUS", "RSS", "PUS", "PSS")


def machine(kind: str) -> tuple[str, Any, Any, Any]:
    """Return the description of a robot, its points on base and platform, and the first axes."""
    r, p, lengths, direction, height = MACHINES[kind]
    count = 6 if kind in SIX else 3
    a = ANGLES if count == 6 else np.array([0.2, 2.2, 4.5])
    b = TOP if count == 6 else a + (0.5 if kind in ("RPR", "RRR", "PRR") else 0.0)
    base, top = (s * np.stack([np.cos(x), np.sin(x), 0 * x], axis=1) for s, x in ((r, a), (p, b)))
    axes = {
        "tangent": np.stack([-np.sin(a), np.cos(a), 0 * a], 1),
        "up": np.tile([0, 0, 1.0], (count, 1)),
        "": 0 * base,
    }
    legs = ""
    for k in range(count):
        legs += f"  - {{type: {kind}, base: {base[k].tolist()}, platform: {top[k].tolist()}"
        legs += f", axis: {axes[direction][k].tolist()}" if direction else ""
        legs += f", lengths: {lengths}}}\n" if lengths else "}\n"
    text = f"name: m\nplatform: {{M: 1, inertia: [0.1, 0, 0, 0.1, 0, 0.1]}}\nlegs:\n{legs}"
    return f"{text}position: {{pose: [0, 0, {height}]}}\ngravity: [0, 0, -9.81]\n", base, top, axes[direction]


@pytest.mark.parametrize("kind", LEG_TYPES)
def test_motors_satisfy_the_geometry_of_the_points(kind: str) -> None:
    text, base, top, axes = machine(kind)
    robot = rs.loads(text, format="yaml")
    assert robot.motor_names == tuple(f"q{k + 1}" for k in range(len(base)))
    assert robot.reference.freedom == (6 if kind in SIX else 3)
    given = {"x": 0.03, "z": MACHINES[kind][4] + 0.02} if kind not in ("RRR", "RPR", "PRR") else {"x": 0.03, "y": -0.02}
    if kind in SIX:
        given |= {"roll": 0.1, "pitch": -0.05, "yaw": 0.08}
    if kind in ("PRS", "RRS", "RPS"):
        given = {"z": given["z"], "roll": 0.05}
    pose = rs.platform_pose(robot, **given)
    q = rs.inverse_geometry(robot).solve(pose)
    ends = pose[9:] + top @ pose[:9].reshape(3, 3).T
    lengths = MACHINES[kind][2]
    if kind[1] == "P":
        assert np.allclose(np.abs(q), np.linalg.norm(ends - base, axis=1), atol=1e-9)
        return
    if kind[0] == "P":
        elbows = base + q[:, None] * axes
    else:  # the crank points outward at zero
        out = base - axes * np.sum(base * axes, axis=1)[:, None]
        out /= np.linalg.norm(out, axis=1)[:, None]
        elbows = base + lengths[0] * (np.cos(q)[:, None] * out + np.sin(q)[:, None] * np.cross(axes, out))
    assert np.allclose(np.linalg.norm(ends - elbows, axis=1), lengths[-1], atol=1e-9)


def test_delta_by_points_has_the_workspace_of_its_chains() -> None:
    text, *_ = machine("RUU")
    robot = rs.loads(text, format="yaml")
    again = rs.loads(robot.dumps("yaml"), format="yaml")
    grid = {"x": np.linspace(-0.6, 0.6, 7), "y": np.linspace(-0.6, 0.6, 5), "z": np.linspace(0.3, 1.1, 5)}
    one, two = (rs.workspace(each, **grid) for each in (robot, again))
    assert (one.reached == two.reached).all() and 0 < one.reached.sum() < one.reached.size
    assert len(robot.draw().svg()) > 5000


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("RUU", "RUX", "type: expected"), ("lengths: [0.3, 0.8]", "lengths: [0.3]", "2"),
        ("lengths: [0.3, 0.8]", "lengths: [0.3, -1]", "positive"), (", lengths: [0.3, 0.8]", "", "missing key lengths"),
        ("platform: [0", "plate: [0", "plate"), ("lengths:", "zero: [0, 0], lengths:", "zero"),
        ("RUU", "UPS", "not allowed"),
    ],
)  # fmt: skip
def test_errors_name_leg_and_key(old: str, new: str, message: str) -> None:
    text, *_ = machine("RUU")
    with pytest.raises(rs.Error, match=message):
        rs.loads(text.replace(old, new), format="yaml")
