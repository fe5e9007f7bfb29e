"""Motions that the page plays: ends and rates of trajectories, closed robots that follow, simulations in numbers."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from oracles.pinocchio import Oracle
from robosym.app.session.generation import simulated
from robosym.app.session.requests import Request
from robosym.drawing.posture import Posture
from robosym.errors import InputError
from robosym.simulation.played_motion import motion_through, read_motion


def lines(motion: object, title: str) -> np.ndarray:
    return np.array(next(panel.values for panel in motion.panels if panel.title == title))  # type: ignore[attr-defined]


def test_trajectory_stops_at_its_points() -> None:
    posture = Posture(rs.load("ur5e"))
    first = posture.joints
    posture.move("t1", 0.9)
    posture.move("t3", 1.2)
    second = posture.joints
    motion = motion_through(posture, [first, second, first], 1.5)
    json.dumps(asdict(motion))
    q, qd = lines(motion, "q"), lines(motion, "qd")
    assert np.allclose(q[:, 0], [first[f"t{k}"] for k in range(1, 7)], atol=1e-5)
    assert np.allclose(q[:, len(motion.times) // 2], [second[f"t{k}"] for k in range(1, 7)], atol=1e-5)
    assert np.allclose(qd[:, [0, len(motion.times) // 2, -1]], 0, atol=1e-9)
    slopes = np.gradient(q, np.array(motion.times), axis=1)
    assert np.allclose(slopes[:, 2:-2], qd[:, 2:-2], atol=0.02)
    assert np.allclose(np.array(motion.poses[0]), np.array(motion.poses[-1]), atol=1e-4)


def test_torques_of_trajectory_agree_with_pinocchio() -> None:
    robot = rs.load("puma560")
    posture = Posture(robot)
    start = posture.joints
    posture.move("t2", start["t2"] + 0.5)
    motion = motion_through(posture, [start, posture.joints], 1.0)
    q, qd, qdd, tau = (lines(motion, title)[:, 20] for title in ("q", "qd", "qdd", "tau"))
    assert np.allclose(Oracle(robot, {}).torques(q, qd, qdd, {}), tau, atol=1e-2)


def test_closed_robot_follows_a_trajectory() -> None:
    posture = Posture(rs.load("sr400"))
    first = posture.joints
    posture.move("t2", first["t2"] + 0.2)
    motion = motion_through(posture, [first, posture.joints], 0.5)
    poses = np.array(motion.poses).reshape(len(motion.t), -1, 3, 4)
    for cut, fixed in posture.closed.loops:
        assert np.allclose(poses[:, cut, :, 3], poses[:, fixed, :, 3], atol=1e-4)


def test_simulation_equals_the_command() -> None:
    posture = Posture(rs.load("planar2r"))
    motion = simulated(Request("simulate", "planar2r", {"until": "1", "q": "0.3,0.2"}), {})
    assert len(motion.poses[0]) == len(posture.poses())
    assert np.allclose(lines(motion, "positions")[:, 0], [0.3, 0.2])
    energy = lines(motion, "energy")[0]
    assert np.allclose(energy, energy[0], atol=1e-3 * max(1.0, abs(energy[0])))
    run = rs.simulate(rs.load("planar2r"), q=[0.3, 0.2], until=1.0)
    assert np.allclose(lines(motion, "positions")[:, -1], run.q[-1], atol=1e-4)


def test_reports_symbols_without_numbers() -> None:
    with pytest.raises(InputError, match="expected values for"):
        simulated(Request("simulate", "rx90", {"until": "0.1"}), {"D3": 0.45, "RL4": 0.45})


def test_reads_a_motion_file(tmp_path: Path) -> None:
    posture = Posture(rs.load("planar2r"))
    path = tmp_path / "motion.csv"
    path.write_text("t,q1,q2\n0,0,0\n0.5,0.1,0.2\n1,0.2,0.4\n")
    motion = read_motion(posture, path)
    assert motion.t == [0, 0.5, 1]
    path.write_text("t,q1,q2\n0,0,0\n0,0.1,0.2\n")
    with pytest.raises(InputError, match="increasing times"):
        read_motion(posture, path)
    path.write_text("t,q1\n0,0\n1,0.1\n")
    with pytest.raises(InputError, match="expected 2 columns of q"):
        read_motion(posture, path)


def test_rejects_trajectory_of_one_point() -> None:
    posture = Posture(rs.load("planar2r"))
    with pytest.raises(InputError, match="two points"):
        motion_through(posture, [posture.joints])
    with pytest.raises(InputError, match="expected more than 0"):
        motion_through(posture, [posture.joints, posture.joints], float("nan"))
