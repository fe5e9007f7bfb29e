"""Simulations and loads of motors from words: the same as from Python's arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robosym as rs
from robosym.app.menus import COMMANDS

ROBOT = rs.load("planar2r")


def simulate(robot: rs.Robot, **words: Any) -> Any:
    """As a line or a page gives the values."""
    return COMMANDS["simulate"].run({"robot": robot, **words}).result


def motor_loads(robot: rs.Robot, trajectory: Path, drives: str, write: Path) -> Any:
    values = {"robot": robot, "trajectory": trajectory, "drives": drives, "write": write}
    return COMMANDS["motor_loads"].run(values).result


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ({}, {}),
        ({"q": "10 deg, 0.2", "qd": "1,-Pi/2"}, {"q": [np.radians(10), 0.2], "qd": [1, -np.pi / 2]}),
        ({"torque": "1,2"}, {"torque": [1, 2]}),
        ({"step": "0.002", "every": 5}, {"step": 0.002, "every": 5}),
        ({"method": "dop853", "tolerance": "1e-9"}, {"method": "dop853", "tolerance": 1e-9}),
        ({"friction": "smooth", "smooth": "0.5"}, {"friction": "smooth", "smooth": 0.5}),
        ({"stops": ["1=-0.01,0.1", "t2=-1,1"]}, {"stops": {1: (-0.01, 0.1), "t2": (-1, 1)}}),
        ({"motor": ["1:torque=1,ratio=2"]}, {"actuators": {1: rs.Actuator(torque=1, ratio=2)}}),
        (
            {"controller": "pd-gravity:kp=100/80, kd=20", "reference": "0.3,0.4", "disturbance": "1,2"},
            {"controller": rs.pd_gravity(ROBOT, kp=[100, 80], kd=20), "reference": {"q_desired": [0.3, 0.4]},
             "disturbance": [1, 2]},
        ),
        (
            {"controller": "pd_gravity:kp=9,kd=2", "reference": "0.3,0.4", "period": "0.01"},
            {"controller": rs.pd_gravity(ROBOT, kp=9, kd=2), "reference": {"q_desired": [0.3, 0.4]}, "period": 0.01},
        ),
    ],
)  # fmt: skip
def test_options_equal_python_arguments(words: dict[str, Any], given: dict[str, Any]) -> None:
    robot = ROBOT.with_links([{"FS": 0.5}] * ROBOT.NL)
    typed = simulate(robot, **{"q": "0.1,0.2", "torque": "4,3" if "controller" not in words else None,
                               "until": "0.1", **words})  # fmt: skip
    python: dict[str, Any] = {"q": [0.1, 0.2], "until": 0.1, **given}
    if "controller" not in words:
        python = {"torque": [4, 3], **python}
    right = rs.simulate(robot, **python)
    np.testing.assert_array_equal(typed.t, right.t)
    np.testing.assert_allclose(typed.q, right.q, atol=1e-12)
    np.testing.assert_allclose(typed.tau, right.tau, atol=1e-9)


def test_interpolates_reference_from_a_file(tmp_path: Path) -> None:
    t = np.linspace(0, 1, 11)
    q, qd, qdd = np.column_stack([t**2, -t]), np.column_stack([2 * t, -1 + 0 * t]), np.column_stack([2 + 0 * t, 0 * t])
    head = "t,q1,q2,qd1,qd2,qdd1,qdd2"
    path = tmp_path / "path.csv"
    np.savetxt(path, np.column_stack([t, q, qd, qdd]), delimiter=",", header=head, comments="")
    run = simulate(ROBOT, q="0,0", qd="0,-1", controller="computed_torque:kp=400,kd=40", reference=str(path), until="1")
    np.testing.assert_allclose(run.q[::100], q, atol=5e-3)


def test_writes_files_to_the_given_paths(tmp_path: Path) -> None:
    names = {"write": "run.csv", "plot": "run.svg", "animate": "run.html"}
    for option, name in names.items():
        simulate(ROBOT, q="0,0", until="0.01", **{option: tmp_path / name})
        assert [path.name for path in tmp_path.iterdir()] == [name]
        if option == "write":
            loads = motor_loads(ROBOT, tmp_path / name, "10,20", write=tmp_path / "loads.csv")
            right = rs.motor_loads(ROBOT, tmp_path / name, [10, 20])
            np.testing.assert_array_equal(loads.torque, right.torque)
            assert (tmp_path / "loads.csv").read_text().startswith("t,tau1")
            (tmp_path / "loads.csv").unlink()
        (tmp_path / name).unlink()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"q": "1,x"}, "q: expected a number, found 'x'"), ({"until": "soon"}, "until: expected a number"),
        ({"controller": "pid"}, "controller: expected one of .*found 'pid'"),
        ({"controller": "pd_gravity:kp"}, "expected LAW:kp=100,kd=20, found 'kp'"),
        ({"controller": "pd_gravity:kp="}, "expected LAW:kp=100,kd=20, found 'kp='"),
        ({"controller": "pd_gravity:ki=1"}, "pd_gravity has no gain 'ki'"),
        ({"stops": ["1"]}, "stops: expected limits, or JOINT=LOWER,UPPER"),
        ({"stops": ["1=1,2,3"]}, "stops: expected limits, or JOINT=LOWER,UPPER"),
        ({"stops": ["limits"]}, "expected position limits"), ({"actuators": True}, "expected effort limits"),
    ],
)  # fmt: skip
def test_rejects_invalid_motions(words: dict[str, Any], message: str) -> None:
    with pytest.raises(rs.InputError, match=message):
        simulate(ROBOT, **{"q": "0,0", "until": "0.01", **words})
