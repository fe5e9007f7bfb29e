"""Limits of a motion in all accepted forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robosym as rs
from robosym.simulation.motion_limits import motion_limits

INF = np.inf


def arm(joints: int, **limits: Any) -> rs.Robot:
    """Return an arm of revolute joints with a prismatic last one; `limits` are per frame."""
    frames: list[dict[str, Any]] = [{"d": 0.5, "theta": f"t{j}"} for j in range(1, joints)]
    frames.append({"sigma": 1, "r": f"r{joints}"})
    lower, upper = limits.pop("lower", [None] * joints), limits.pop("upper", [None] * joints)
    for frame, low, high in zip(frames, lower, upper, strict=True):
        if low is not None or high is not None:
            frame["limits"] = {"position": ["-inf" if low is None else low, "inf" if high is None else high]}
    for name, values in limits.items():
        for frame, value in zip(frames, values, strict=True):
            if value is not None:
                frame.setdefault("limits", {})[name] = value
    return rs.robot("arm", frames=frames)


def found(count: int, group: str, value: Any) -> list[list[float]]:
    robot = arm(count)
    limits = {"position": 1, "velocity": 1, group: value}
    return [
        side.tolist() for side in motion_limits(robot, limits, robot.tree_joints).of({"position": "q"}.get(group, "qd"))
    ]


@pytest.mark.parametrize(
    ("count", "value", "lower", "upper"),
    [
        (3, 2, [-2, -2, -2], [2, 2, 2]),
        (3, [1, 2, 3], [-1, -2, -3], [1, 2, 3]),
        (3, [-1, 2], [-1, -1, -1], [2, 2, 2]),
        (3, [[-1, 2], [-3, 4], [-5, 6]], [-1, -3, -5], [2, 4, 6]),
        (3, [[-1, -3, -5], [2, 4, 6]], [-1, -3, -5], [2, 4, 6]),
        (2, [1, 2], [-1, -2], [1, 2]),
        (2, [-1, 2], [-1, -1], [2, 2]),
        (2, [[-1, 2], [-3, 4]], [-1, -3], [2, 4]),
        (2, [[-1, -3], [2, 4]], [-1, -3], [2, 4]),
    ],
)
def test_forms_of_a_limit(count: int, value: Any, lower: list[float], upper: list[float]) -> None:
    assert found(count, "position", value) == found(count, "velocity", value) == [lower, upper]


@pytest.mark.parametrize("value", [[1, 1], [[1, 2], [3, 3], [0, 1]], 0, [-1, -1, -1]])
def test_rejects_lower_above_upper(value: Any) -> None:
    with pytest.raises(rs.InputError, match="position: expected lower < upper"):
        found(3, "position", value)


@pytest.mark.parametrize("value", [[0, 1], [-1, 0], [1, 2], [-2, -1]])
def test_only_positions_may_exclude_zero(value: Any) -> None:
    assert found(3, "position", value) == [[value[0]] * 3, [value[1]] * 3]
    with pytest.raises(rs.InputError, match="velocity: expected a range that contains 0"):
        found(3, "velocity", value)


def test_defaults_to_description() -> None:
    robot = arm(3, lower=[None, -1, -0.5], upper=[None, 2, 0.5], velocity=[3, 4, 5], effort=[None, 7, None])
    limits = motion_limits(robot, None, robot.tree_joints)
    np.testing.assert_array_equal(limits.of("q"), [[-np.pi, -1, -0.5], [np.pi, 2, 0.5]])
    np.testing.assert_array_equal(limits.of("qd"), [[-3, -4, -5], [3, 4, 5]])
    np.testing.assert_array_equal(limits.of("tau"), [[-INF, -7, -INF], [INF, 7, INF]])
    assert limits.limits("tau") and not limits.limits("qdd") and not limits.limits("box")
    assert motion_limits(robot, {"torque": 9}, robot.tree_joints).of("tau")[1].tolist() == [9, 9, 9]


@pytest.mark.parametrize(
    ("lower", "upper", "joint"),
    [([None, -1, None], [None, 1, None], 3), ([None, -1, 0], [None, None, 1], 2), ([-1, None, 0], [1, 1, 1], 2)],
)
def test_rejects_joint_without_range(lower: list[Any], upper: list[Any], joint: int) -> None:
    """A prismatic joint, and a revolute joint with a limit on one side only."""
    robot = arm(3, lower=lower, upper=upper, velocity=[1, 1, 1])
    with pytest.raises(rs.InputError, match=f"joint {joint}: expected a position range"):
        motion_limits(robot, None, robot.tree_joints)


@pytest.mark.parametrize(
    ("given", "lower", "upper"),
    [
        ({"box": [[-1, 2], [-3, 4], [-5, 6]]}, [-1, -3, -5], [2, 4, 6]),
        ({"box": [[-1, -3, -5], [2, 4, 6]]}, [-1, -3, -5], [2, 4, 6]),
        ({"box": [[-1, 2], [-3, 4], [-5, 6]], "floor": 0.5}, [-1, -3, 0.5], [2, 4, 6]),
        ({"box": [[-1, 2], [-3, 4], [-5, 6]], "floor": -9}, [-1, -3, -5], [2, 4, 6]),
        ({"floor": 0.5}, [-INF, -INF, 0.5], [INF, INF, INF]),
    ],
)
def test_boxes_and_floors(given: dict[str, Any], lower: list[float], upper: list[float], tmp_path: Path) -> None:
    """Read them from a mapping and from a file."""
    robot = arm(2)
    limits = {"position": 1, "velocity": 1, **given}
    (tmp_path / "limits.yaml").write_text("\n".join(f"{name}: {value}" for name, value in limits.items()))
    for way in (limits, tmp_path / "limits.yaml"):
        kept = motion_limits(robot, way, robot.tree_joints)
        np.testing.assert_array_equal(kept.of("box"), [lower, upper])
        assert kept.limits("box")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"box": [[-1, 2], [4, 4], [-5, 6]]}, "box: expected"), ({"box": [1, 2]}, "box: expected"),
        ({"box": [[-1, 1]] * 3, "floor": 1}, "below the top of the box, 1, found 1"),
        ({"floor": [1, 2]}, "floor: expected"),
    ],
)  # fmt: skip
def test_rejects_boxes_and_floors(given: dict[str, Any], message: str) -> None:
    robot = arm(2)
    with pytest.raises(rs.InputError, match=message):
        motion_limits(robot, {"position": 1, "velocity": 1, **given}, robot.tree_joints)
