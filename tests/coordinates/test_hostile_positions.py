"""Test error messages for unusable descriptions and reference positions of parallel robots."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from robosym.spatial.numeric import rigid

DELTA = (Path(rs.__file__).parent / "library" / "delta.yaml").read_text()
ARM, ROD = 0.524, 1.244
INWARDS = (0.567 / 6 - 0.076 / 3) * 3**0.5  # radial distance from the joints of the platform to the motors


def delta(old: str = "", new: str = "", angles: Sequence[float] | None = None) -> str:
    """Return the library's Delta with a change and equal angles of all legs at the reference."""
    assert old in DELTA
    text = DELTA.replace(old, new) if old else DELTA
    if angles is None:
        return text
    names = [f"t{5 * leg + k}: {q!r}" for leg in range(3) for k, q in enumerate(angles, 1)]
    return re.sub(r"position: \{[^}]*\}", f"position: {{{', '.join(names)}}}", text, flags=re.S)


def hexagon(base: Sequence[float], platform: Sequence[float], turn: float) -> rs.Robot:
    """Return a robot of six UPS legs between circles, with the platform rotated about the vertical."""
    lines = ["name: hexagon", "platform: symbolic", "gravity: [0, 0, G3]", "legs:"]
    for i, (b, p) in enumerate(zip(base, platform, strict=True)):
        t = [f"theta: t{6 * i + k}" for k in range(1, 7)]
        frames = f"{{mu: 0, gamma: {b!r}, d: 1, {t[0]}}}, {{mu: 0, alpha: Pi/2, {t[1]}}}, "
        frames += f"{{sigma: 1, alpha: Pi/2, r: r{6 * i + 3}}}, {{mu: 0, {t[3]}}}, {{mu: 0, alpha: Pi/2, {t[4]}}}, "
        lines.append(f"  - frames: [{frames}{{mu: 0, alpha: -Pi/2, {t[5]}}}]")
        lines += ["    links: {3: {M: 1}}", f"    place: {{gamma: {p!r}, d: 0.5}}"]
    robot = rs.loads("\n".join(lines), "yaml")
    q = rs.inverse_geometry(robot).solve(rigid(np.array([0, 0, turn]), np.array([0, 0, 0.8])), passive=True)
    at = ", ".join(f"{robot.variable(j)}: {float(x)!r}" for j, x in zip(robot.tree_joints, q, strict=True))
    found = rs.loads("\n".join([*lines, f"position: {{{at}}}"]), "yaml")
    assert isinstance(found, rs.Robot)
    return found


THIRD = 2 * np.pi / 3
PAIRS = [k * THIRD + side for k in range(3) for side in (-0.2, 0.2)]
BETWEEN = [k * THIRD + side for k in range(3) for side in (-THIRD / 2 + 0.2, THIRD / 2 - 0.2)]


def test_rejects_platforms_that_move_with_locked_motors() -> None:
    with pytest.raises(rs.InputError, match=r"while all motors are at rest: .* singular \(type 2\), give another"):
        rs.jacobian(hexagon(PAIRS, BETWEEN, np.pi / 2))
    regular = [k * np.pi / 3 for k in range(6)]
    with pytest.raises(rs.InputError, match="6 degrees of freedom, and 1 of them while all 6 motors are at rest"):
        rs.jacobian(hexagon(regular, regular, 0.3))


STRETCHED = float(np.arccos(-INWARDS / (ARM + ROD)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (delta(angles=[STRETCHED, 0, 0, 0, -STRETCHED]), "the reference position is singular, give another"),
        (delta("0.076*sqrt(3)/3", "9"), "the legs do not meet the platform near this position"),
        (delta("position:", "freedom: 5\nposition:"), "freedom: 5 is given, 3 found at the reference position"),
        (delta("- {alpha: -Pi/2, d: 0.567", "- {mu: 0, alpha: -Pi/2, d: 0.567"), "expected at least 3 motors"),
        (delta("position:", "picture:"), "leg 1 has 5 joints for 6 conditions"),
    ],
)
def test_rejects_unusable_reference_positions(text: str, message: str) -> None:
    with pytest.raises(rs.InputError, match=re.escape(message)):
        rs.inverse_dynamics(rs.loads(text, "yaml"))


def test_rejects_pose_out_of_reach() -> None:
    geometry = rs.inverse_geometry(rs.load("delta"))
    with pytest.raises(rs.InputError, match="a leg does not reach this pose"):
        geometry.solve(rigid(np.zeros(3), np.array([0, 0, -2.5])))
