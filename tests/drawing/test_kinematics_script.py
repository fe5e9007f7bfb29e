"""The kinematics of pages, run by Node: poses, loops, frames that follow a goal, dexterity."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files
from typing import Any

import numpy as np
import pytest

import robosym as rs
from robosym.coordinates.numeric_robot import NumericRobot
from robosym.drawing.mechanism_data import mechanism_data
from robosym.drawing.posture import Posture
from robosym.solve.reaching import lead_frame, lead_joints

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
ROBOTS = (
    "rx90",
    "scara",
    "panda",
    "sr400",
    "fivebar",
    "delta",
    "gough_stewart",
    "tricept_wrist",
    "akr3000",
    "agile_eye",
)
COUPLED = """
name: coupled
gravity: [0, 0, -9.81]
frames:
  - {theta: t1}
  - {theta: t2, d: 0.4}
  - {theta: t3, d: 0.3, alpha: 0.5}
couplings: {t3: -0.7*t2}
"""


def in_node(numeric: NumericRobot, joints: dict[str, float], expressions: dict[str, str]) -> dict[str, Any]:
    """Evaluate expressions with the mechanism M and its position q."""
    script = files("robosym.drawing").joinpath("kinematics.js").read_text(encoding="utf-8")
    fields = ", ".join(f"{json.dumps(name)}: {text}" for name, text in expressions.items())
    code = (
        f"{script}\nconst M = new robosymKinematics.Mechanism({json.dumps(mechanism_data(numeric))});"
        f"const q = M.position({json.dumps(joints)}); console.log(JSON.stringify({{ {fields} }}));"
    )
    done = subprocess.run(["node"], input=code, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def poses_of(rows: list[list[float]]) -> np.ndarray:
    return np.array(rows).reshape(-1, 3, 4)


@pytest.mark.parametrize("name", ROBOTS)
def test_agrees_with_the_numeric_robot(name: str) -> None:
    posture = Posture(rs.load(name))
    numeric, here, frame = posture.numeric, posture.joints, posture.frame
    first = numeric.movable[-1]
    led = {
        numeric.robot.variable(first): here[numeric.robot.variable(first)]
        + (0.01 * numeric.reach if numeric.slides(first) else 0.1)
    }
    goal = numeric.poses(here)[frame].copy()
    goal[:3, 3] += 0.01 * numeric.reach * np.array([1.0, 0.5, -0.7])
    found = in_node(numeric, here, {
        "poses": "M.poses(q)",
        "placed": f"M.place(q, {json.dumps(led)})",
        "led": f"M.poses(M.lead(q, {frame}, {json.dumps(goal[:3].ravel().tolist())}, {{ seconds: 9 }}).q)",
        "jacobian": f"M.jacobian(q, {frame})",
        "manipulability": f"M.manipulability(M.jacobian(q, {frame}))",
    })  # fmt: skip
    assert np.abs(poses_of(found["poses"]) - numeric.poses(here)[:, :3]).max() < 1e-12
    joints = [entry["name"] for entry in mechanism_data(numeric)["joints"]]
    placed = dict(zip(joints, found["placed"]["q"], strict=True))
    assert numeric.gap(placed) < 1e-9
    expected, arrived = lead_joints(numeric, here, led) if numeric.robot.loops else ({**here, **led}, True)
    assert found["placed"]["arrived"] == arrived
    assert max(abs(placed[name] - expected[name]) for name in joints) < 1e-8
    freedom = numeric.rates(here).shape[1]
    turning = 0.0 if freedom <= 3 else 0.35 if freedom < 6 else 1.0
    best = numeric.poses(lead_frame(numeric, here, frame, goal, turning=turning))[frame]
    led_to = poses_of(found["led"])[frame]
    assert np.linalg.norm(led_to[:, 3] - goal[:3, 3]) < np.linalg.norm(best[:3, 3] - goal[:3, 3]) + 1e-6 * numeric.reach
    assert np.abs(np.array(found["jacobian"])[:, : len(numeric.motors)]).max() > 0
    assert found["manipulability"] == pytest.approx(numeric.manipulability(here, frame), rel=1e-6, abs=1e-9)


def test_coupled_joints_follow() -> None:
    numeric = NumericRobot(rs.loads(COUPLED, format="yaml"))
    here = numeric.at({"t1": 0.1, "t2": 0.4})
    found = in_node(
        numeric, dict(here), {"placed": "M.place(q, {t2: 1.0}).q", "motors": "M.motors.map((k) => M.names[k])"}
    )
    assert found["motors"] == ["t1", "t2"]
    assert found["placed"] == pytest.approx([0.1, 1.0, -0.7])


def test_motion_stops_where_loops_cannot_close() -> None:
    posture = Posture(rs.load("fivebar"))
    numeric, here = posture.numeric, posture.joints
    name = numeric.motors[0]
    found = in_node(numeric, here, {"placed": f"M.place(q, {json.dumps({name: here[name] + 3})})"})
    assert not found["placed"]["arrived"]
    joints = [entry["name"] for entry in mechanism_data(numeric)["joints"]]
    assert numeric.gap(dict(zip(joints, found["placed"]["q"], strict=True))) < 1e-9
