"""Inertias given at the center of mass keep this form in files, values and edits, until they are outdated."""

from __future__ import annotations

import re

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs

FRAMES = [{"theta": "q1", "r": 0.5}, {"alpha": "Pi/2", "d": 0.3, "theta": "q2"}]
TOLD = {"M": 2, "com": [0.1, -0.2, 0.3], "inertia": [0.11, 0.001, -0.002, 0.12, 0.003, 0.13]}
SYMBOLS = {"M": "m", "com": ["x", 0, "2*z"], "inertia": ["I", 0, 0, "I", 0, "K"]}
LINE = "{M: 2, com: [0.1, -0.2, 0.3], inertia: [0.11, 0.001, -0.002, 0.12, 0.003, 0.13]}"


def arm(**links: object) -> rs.Robot:
    return rs.robot("arm", frames=FRAMES, links={int(k[1:]): v for k, v in links.items()}, gravity=[0, 0, -9.81])


def test_writes_central_inertia_as_given() -> None:
    robot = arm(l1=TOLD, l2=SYMBOLS)
    text = robot.dumps("yaml")
    assert f"1: {LINE}" in text
    assert "2: {M: m, com: [x, 0, 2*z], inertia: [I, 0, 0, I, 0, K]}" in text
    assert rs.loads(text) == robot and rs.loads(text).dumps("yaml") == text
    assert rs.loads(robot.dumps("par")) == robot  # .par contains the parameters at the origin only


def test_values_and_edits_keep_central_form() -> None:
    values = {"m": 0.3, "x": 0.1, "z": 0.07, "I": 0.02, "K": 0.03}
    robot = arm(l1=TOLD, l2=SYMBOLS).with_values(values)
    line = "{M: 0.3, com: [0.1, 0, 0.14], inertia: [0.02, 0, 0, 0.02, 0, 0.03]}"
    assert f"2: {line}" in robot.dumps("yaml")
    assert rs.loads(robot.dumps("yaml")) == robot
    heavier = robot.edit({"link1.M": 4})  # with the same center of mass and inertia about it
    assert f"1: {LINE.replace('M: 2', 'M: 4')}" in heavier.dumps("yaml")
    assert heavier.link(1).MX.number == 0.4
    moved = robot.edit({"link1.com": [0, 0, 0.5]})
    assert "com: [0, 0, 0.5], inertia: [0.11, 0.001, -0.002, 0.12, 0.003, 0.13]" in moved.dumps("yaml")
    assert moved.link(1).XX.number == pytest.approx(0.11 + 2 * 0.25)


def test_does_not_write_outdated_central_inertia() -> None:
    robot = arm(l1=TOLD)
    for changed in (robot.edit({"link1.XX": 9}), robot.with_payload(1, 1), robot.symbolic()):
        text = changed.dumps("yaml")
        assert "com" not in text and rs.loads(text) == changed
    with pytest.raises(rs.RobotError, match="expected both com and inertia"):
        robot.edit({"link1.XX": 9}).edit({"link1.com": [0, 0, 1]})
    with pytest.raises(rs.RobotError, match="expected one"):
        robot.edit({"link1.com": [0, 0, 1], "link1.XX": 3})


def test_standard_convention_keeps_central_form() -> None:
    table = [{"a": 0.4, "alpha": "Pi/2", "d": 0.5, "theta": "q1"}, {"a": 0.3, "theta": "q2"}]
    robot = rs.robot("arm", convention="standard", frames=table, links=[TOLD, TOLD], gravity=[0, 0, -9.81])
    assert "com: [0.5, -0.3, -0.2], inertia: [0.11, 0.002, 0.001, 0.13, -0.003, 0.12]" in robot.dumps("yaml")
    assert rs.loads(robot.dumps("yaml")) == robot


@pytest.mark.parametrize("form", ["urdf", "mjcf", "sdf", "yaml"])
def test_files_keep_given_digits(form: str) -> None:
    robot = arm(l1=TOLD, l2={"M": 1.3, "com": [0.07, 0, 0], "inertia": [0.01, 0, 0, 0.02, 0, 0.025]})
    text = robot.dumps(form)
    digits = {float(word) for word in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", text)}
    assert {0.1, -0.2, 0.3, 0.11, 0.001, -0.002, 0.12, 0.003, 0.13, 0.07, 0.01, 0.025} <= digits
    assert not any(len(word) > 16 for word in re.findall(r"0\.\d+", re.sub(r'rpy="[^"]*"|<pose.*?</pose>', "", text)))
    again = rs.loads(text)
    assert again.dumps("yaml").split("links:")[1].split("gravity")[0].count("com:") == 2


def test_urdf_bodies_agree_with_pinocchio() -> None:
    text = arm(l1=TOLD).dumps("urdf")
    body = pin.buildModelFromXML(text).inertias[1]
    np.testing.assert_allclose(body.lever, [0.1, -0.2, 0.3], atol=1e-15)
    np.testing.assert_allclose(body.inertia[np.triu_indices(3)], TOLD["inertia"], atol=1e-15)
