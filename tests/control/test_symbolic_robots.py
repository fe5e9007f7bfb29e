"""Control laws of robots with symbolic lengths and masses, against Pinocchio and the numeric robot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from oracles.pinocchio import Oracle

KP, KD = 90.0, 15.0


def _values(robot: rs.Robot) -> dict[str, float]:
    """Return lengths, inertias and gravity without friction, physically consistent enough for Pinocchio."""
    rng = np.random.default_rng(4)
    names = [name for name in robot.parameters if not name.startswith(("QP", "QDP", "GAM"))]
    found = {name: float(rng.uniform(0.1, 0.6)) for name in names}
    return found | {name: 0.0 for name in found if name[:2] in ("FV", "FS", "IA")} | {"G3": 9.81}


def _oracle(robot: rs.Robot, values: dict[str, float], x: dict[str, np.ndarray]) -> Any:
    """Return A J^-1 (W - Jdot qd) + H of the last frame with Jacobian, drift and torques of Pinocchio."""
    oracle = Oracle(robot, values)
    q, qd, link = oracle.q(x["q"]), oracle.v(x["qd"]), oracle.frames[robot.NL]
    pin.forwardKinematics(oracle.model, oracle.data, q, qd, np.zeros(oracle.model.nv))
    pin.updateFramePlacements(oracle.model, oracle.data)
    axes = pin.LOCAL_WORLD_ALIGNED
    J = pin.computeFrameJacobian(oracle.model, oracle.data, q, link, axes)
    pin.forwardKinematics(oracle.model, oracle.data, q, qd, np.zeros(oracle.model.nv))
    drift = pin.getFrameClassicalAcceleration(oracle.model, oracle.data, link, axes).vector
    at = oracle.data.oMf[link]
    wanted = x["T"].reshape(4, 4)
    turn = sum(np.cross(at.rotation[:, k], wanted[:3, k]) for k in range(3)) / 2
    error = np.concatenate([wanted[:3, 3] - at.translation, turn])
    W = x["acceleration_desired"] + KD * (x["twist_desired"] - J @ qd) + KP * error
    return oracle.efforts(x["q"], x["qd"], oracle.back(np.linalg.solve(J, W - drift)), values)[0]


def _inputs(law: rs.Model, values: dict[str, float], seed: int) -> dict[str, np.ndarray]:
    """Return all input groups: symbols of the robot from `values`, the others random."""
    rng = np.random.default_rng(seed)
    return {
        group: np.array([values.get(name, rng.uniform(0.5, 1)) for name in names])
        for group, names in law.inputs.items()
    }


@pytest.mark.parametrize("name", ["rx90", "stanford"])
def test_operational_control_matches_pinocchio(name: str) -> None:
    robot = rs.load(name)
    law = rs.operational_control(robot, kp=KP, kd=KD)
    values = _values(robot)
    x = _inputs(law, values, 1)
    np.testing.assert_allclose(law.compile()(**x), _oracle(robot, values, x), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(
    ("law", "names"),
    [
        (rs.impedance_control, {"stiffness": "K", "damping": "KD"}),  # the RX90 has a length D3
        (rs.adaptive_control, {"rate": "L", "kd": "KD", "learning": "KG"}),  # and a gravity G3
    ],
)
def test_gain_names_differ_from_robot_symbols(law: Any, names: dict[str, str]) -> None:
    robot = rs.load("rx90")
    symbolic, values = law(robot), _values(robot)
    x = _inputs(symbolic, values, 2)
    given = dict(zip(symbolic.inputs["parameters"], x["parameters"], strict=True))
    gains = {
        option: [value for name, value in given.items() if name.rstrip("0123456789") == prefix and name not in values]
        for option, prefix in names.items()
    }
    numeric = law(robot.with_values({name: values[name] for name in ("D3", "RL4", "G3")}), **gains)
    rest = {g: [given[n] for n in names] if g == "parameters" else x[g] for g, names in numeric.inputs.items()}
    found, right = symbolic.compile()(**x), numeric.compile()(**rest)
    for one, other in zip(found if isinstance(found, tuple) else [found],
                          right if isinstance(right, tuple) else [right], strict=True):  # fmt: skip
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
