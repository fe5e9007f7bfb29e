"""Identifiable geometric parameters: published counts, ranks by NumPy, and groupings that hold in every position."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import robosym as rs
from robosym.algebra import evaluate


def general_arm(kinds: str) -> rs.Robot:
    """Return an arm of revolute (R) and prismatic (P) joints in general arrangement."""
    rng = np.random.default_rng(len(kinds))
    frames: list[dict[str, Any]] = []
    for j, kind in enumerate(kinds, 1):
        alpha, d, other = rng.uniform(0.4, 1.2), rng.uniform(0.1, 0.5), rng.uniform(0.1, 0.5)
        own = {"theta": f"t{j}", "r": other} if kind == "R" else {"sigma": 1, "theta": other, "r": f"r{j}"}
        frames.append({"alpha": alpha, "d": d, **own})
    return rs.robot("general", frames=frames)


@pytest.mark.parametrize("kinds", ["RRRRRR", "RRPRRR", "PPP", "RRRRRRR", "R", "RPRPR"])
def test_number_of_parameters_of_an_arm(kinds: str) -> None:
    """Everett's count; gear ratios add one per joint: 36 for six revolute joints, base and tool included (Khalil)."""
    arm = general_arm(kinds)
    count = 4 * kinds.count("R") + 2 * kinds.count("P") + 6
    assert len(rs.geometric_parameters(arm)) == count
    assert len(rs.geometric_parameters(arm, ratios=True)) == count + len(kinds)


def test_six_joint_arm_has_36_parameters_with_gear_ratios() -> None:
    assert len(rs.geometric_parameters(general_arm("RRRRRR"), ratios=True)) == 36


@pytest.mark.parametrize("name", ["gough33"])
def test_stewart_platform_has_42_parameters(name: str) -> None:
    assert len(rs.geometric_parameters(name)) == 42


CASES: list[tuple[str, dict[str, Any]]] = [
    ("rx90", {}), ("ur5e", {}), ("ur5e", {"measurement": "position"}), ("ur5e", {"measurement": "distance"}),
    ("ur5e", {"measurement": "plane"}), ("ur5e", {"measurement": "point"}), ("ur5e", {"measurement": "camera"}),
    ("stanford", {}), ("scara", {"ratios": True}), ("puma560", {"known": ("base", "tool")}), ("planar3rrr", {}),
    ("ur5e", {"components": ("x", "y", "rz"), "tool": [0.1, 0, 0.05]}), ("fivebar", {"measurement": "position"}),
    ("planar3rrr", {"measurement": "joints", "sensors": ["t2", "t5"]}), ("ur5e", {"compliance": True}),
    ("iiwa14", {"measurement": "clamp"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "options"), CASES)
def test_groupings_explain_every_column(name: str, options: dict[str, Any]) -> None:
    """At other positions and lengths: each column is the sum of kept columns that the grouping says, and no more."""
    robot = rs.load(name)
    values = {symbol: 0.3 + 0.1 * k for k, symbol in enumerate(("D3", "RL4")) if symbol in robot.parameters}
    found = rs.geometric_parameters(robot, values=values, **options)
    setting = found.setting
    posture = setting.kinematics.at(np.zeros(len(setting.parameters)), *setting.random_postures(70, number=5))
    rows = setting.rows(posture)
    table = rows.reshape(-1, rows.shape[2])
    names = [p.name for p in setting.parameters]
    kept = table[:, [names.index(n) for n in found.names]]
    assert np.linalg.matrix_rank(kept / np.linalg.norm(kept, axis=0), 1e-9) == len(found)
    shares = np.zeros((len(found), len(names)))
    for row, group in enumerate(found.grouping.values()):
        for part, share in group.items():
            shares[row, names.index(part)] = evaluate([share], values)[0]
    possible = [n for n, name in enumerate(names) if name not in found.impossible]
    np.testing.assert_allclose((kept @ shares)[:, possible], table[:, possible], atol=2e-7 * np.abs(table).max())


def test_symbolic_coefficients_are_expressions_of_the_lengths() -> None:
    found = rs.geometric_parameters("rx90")
    assert str(found.grouping["theta2"]["e3"]) == "1/D3"
    assert set(found.grouping["r2"]) == {"r2", "r3", "b3", "b4"}


def test_target_on_the_last_axis_hides_its_rotation() -> None:
    found = rs.geometric_parameters("ur5e", "position")
    assert {"tool_rx", "tool_ry", "tool_rz"} <= {*found.without_effect}
    assert len(found) == 25
    assert len(rs.geometric_parameters("ur5e", "position", tool=[0.1, 0, 0])) == 27


def test_scale_is_not_identified_without_a_measured_length() -> None:
    """Contact with a plane fixes no length: one parameter less than heights above the plane."""
    placed: dict[str, Any] = {"tool": [0.1, 0, 0], "base": [0.1, 0.2, 0.1, 0.4, 0.5, 0.6]}
    contact = rs.geometric_parameters("ur5e", "plane", **placed)
    heights = rs.geometric_parameters("ur5e", components=["z"], **placed)
    assert len(contact) == len(heights) - 1


def test_planar_loops_admit_planar_errors_only() -> None:
    found = rs.geometric_parameters("fivebar")
    assert {"alpha1", "r1", "alpha2"} <= {*found.impossible}
    assert not {"theta1", "d2"} & {*found.impossible}


@pytest.mark.parametrize(
    ("robot", "options", "message"),
    [
        ("ur5e", {"measurement": "height"}, "measurement: expected one of pose, position"),
        ("ur5e", {"components": ["q"]}, "components: expected some of x, y, z, rx, ry, rz, found q"),
        ("ur5e", {"components": ["x"], "measurement": "position"}, "components: expected measurement 'pose'"),
        ("ur5e", {"known": ["theta9x"]}, "known: expected names of geometric parameters"),
        ("ur5e", {"sensors": [2]}, "sensors: joint shoulder_lift_joint is measured already|sensors: joint t2"),
        ("planar3rrr", {"measurement": "joints"}, "expected passive joints that are measured"),
        ("gough", {}, "have no values"),
        ("fivebar", {"compliance": True}, "compliance: expected a robot without loops"),
    ],
)
def test_rejects_invalid_arguments(robot: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(rs.InputError, match=message):
        rs.geometric_parameters(robot, **options)


def test_tables_in_three_formats(tmp_path: Any) -> None:
    found = rs.geometric_parameters("planar2r")
    assert found.table().splitlines()[0].startswith("planar2r: 14 identifiable geometric parameters")
    assert found.table("latex").startswith("\\begin{tabular}") and "\\Delta \\theta_{2}" in found.table("latex")
    lines = found.write(tmp_path / "table.csv").read_text().splitlines()
    assert lines[0] == "name,frame,unit,meaning,grouping" and len(lines) == 15
    with pytest.raises(rs.Error, match=r"expected a \.csv, \.tex or \.txt"):
        found.write(tmp_path / "table.doc")
