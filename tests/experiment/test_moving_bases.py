"""Identification of robots on moving bases: torques with the measured motion of the base, and the wrench on it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from cases.floating import humanoid, quadruped, tree
from oracles.pinocchio import Oracle
from robosym.algebra import evaluate
from robosym.mechanism.needs import with_given_motion

Array = np.ndarray
ROBOTS = {"quadruped": quadruped, "humanoid": humanoid}


def measured(robot: rs.Robot, samples: int, seed: int) -> dict[str, Array]:
    """Return a motion with all efforts from Pinocchio: moment and force on the base, then torques."""
    rng, n = np.random.default_rng(seed), len(robot.tree_joints)
    turned = rng.normal(size=(samples, 4))
    found = {name: rng.uniform(-2, 2, (samples, n)) for name in ("q", "qd", "qdd")}
    found |= {"base_velocity": rng.uniform(-2, 2, (samples, 6)), "base_acceleration": rng.uniform(-5, 5, (samples, 6))}
    found["base_orientation"] = turned / np.linalg.norm(turned, axis=1, keepdims=True)
    oracle = Oracle(robot, {})
    efforts = []
    for k in range(samples):
        efforts.append(pinocchio_efforts(oracle, *(value[k] for value in found.values())))
    return found | {"efforts": np.array(efforts)}


def pinocchio_efforts(
    oracle: Oracle, q: Array, qd: Array, qdd: Array, velocity: Array, acceleration: Array, orientation: Array
) -> Array:
    """Return moment and force on the base in frame 0, then torques, with the base in a given orientation."""
    place, rates, changes = oracle.q(q), oracle.v(qd), oracle.v(qdd)
    w, x, y, z = orientation
    place[3:7] = [x, y, z, w]
    rates[:6] = [*velocity[3:], *velocity[:3]]
    changes[:6] = [*(acceleration[3:] - np.cross(velocity[:3], velocity[3:])), *acceleration[:3]]
    found = pin.rnea(oracle.model, oracle.model.createData(), place, rates, changes)
    return np.array([*found[3:6], *found[:3], *oracle.back(found)])


def motion_of(data: dict[str, Array], columns: slice, **options: Any) -> rs.Motion:
    base = {group: data[group] for group in data if group.startswith("base")}
    t = np.arange(len(data["q"])) * 0.01
    return rs.Motion(t, data["q"], data["qd"], data["qdd"], data["efforts"][:, columns], base=base, **options)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("rows", ["torques", "wrench and torques", "wrench"])
def test_identifies_a_floating_robot(name: str, rows: str) -> None:
    plain = ROBOTS[name]()
    robot = plain.with_inputs("orientation")
    columns = slice(6, None) if rows == "torques" else slice(None)
    friction = rs.Friction(offset=False)
    data, other = measured(plain, 150, 1), measured(plain, 20, 2)
    if rows == "wrench":  # the force plate alone: no joint counts as moving
        moves = np.ones(data["efforts"].shape, dtype=bool)
        moves[:, 6:] = False
        found = rs.identify(robot, motion_of(data, columns, moves=moves), method="ols", friction=friction)
    else:
        found = rs.identify(robot, motion_of(data, columns), friction=friction)
    again = motion_of(other, columns)
    predicted = found.predict(again)[:, :6] if rows == "wrench" else found.predict(again)
    expected = again.tau[:, : predicted.shape[1]]
    assert np.abs(predicted - expected).max() < 1e-8 * np.abs(expected).max()
    if rows == "wrench and torques":
        checked = pinocchio_rows(in_world(found.robot, plain), other)
        assert np.abs(checked - other["efforts"]).max() < 1e-8 * np.abs(checked).max()


def in_world(robot: rs.Robot, plain: rs.Robot) -> rs.Robot:
    """Return the robot with gravity along the axes of the world, as Pinocchio takes it."""
    numbers = evaluate(plain.gravity, {})
    x, y, z = map(robot.graph.number, numbers)
    return replace(robot, gravity=(x, y, z))


def pinocchio_rows(robot: rs.Robot, data: dict[str, Array]) -> Array:
    oracle = Oracle(robot, {})
    groups = ("q", "qd", "qdd", "base_velocity", "base_acceleration", "base_orientation")
    return np.array([pinocchio_efforts(oracle, *(data[g][k] for g in groups)) for k in range(len(data["q"]))])


def test_identifies_along_a_simulated_log() -> None:
    """Joints of a quadruped in free flight swing; gyroscope, accelerometer and orientation of the trunk are known."""
    robot = quadruped()
    size, speed = 0.6 / np.arange(1, 13), 3.0 + 0.7 * np.arange(12)

    def swing(t: Any) -> tuple[Array, Array, Array]:
        x = speed * np.asarray(t)[..., None]
        return size * np.sin(x), size * speed * np.cos(x), -size * speed**2 * np.sin(x)

    run = rs.simulate(robot, motion=swing, until=3, step=2e-3, every=5, base_velocity=[0.4, -0.7, 0.9, 0.3, 0.2, -0.5])
    q, qd, qdd = swing(run.t)
    model = rs.direct_dynamics(robot.with_inputs("orientation"))
    base = {"base_velocity": run.state("base_velocity"), "base_orientation": run.state("base_pose")[:, 3:]}
    given = {"q": q, "qd": qd, "tau": run.tau, **base}
    moved = model.compile()(**{group: np.ascontiguousarray(given[group]) for group in model.inputs})
    np.testing.assert_allclose(moved.qdd, qdd, atol=1e-7)
    base["base_acceleration"] = moved.base_acceleration
    found = rs.identify(robot.with_inputs("orientation"), rs.Motion(run.t, q, qd, qdd, run.tau, base=base))
    data = measured(robot, 20, 3)
    predicted = found.predict(motion_of(data, slice(6, None)))
    assert found.fits[0].all < 1e-9
    assert np.abs(predicted - data["efforts"][:, 6:]).max() < 1e-6 * np.abs(data["efforts"]).max()


def test_mobile_base_and_rejected_motions() -> None:
    robot = with_given_motion(quadruped()).with_inputs("orientation")
    data = measured(quadruped(), 60, 4)
    found = rs.identify(robot, motion_of(data, slice(6, None)))
    assert found.fits[0].all < 1e-9
    with pytest.raises(rs.InputError, match="expected 12 torque"):
        rs.identify(robot, motion_of(data, slice(None)))
    with pytest.raises(rs.InputError, match="expected its measured motion with 6 columns in base"):
        rs.identify(quadruped(), replace(motion_of(data, slice(6, None)), base={}, segments=()))
    with pytest.raises(rs.InputError, match="expected least squares on the dynamic model"):
        rs.identify(quadruped(), motion_of(data, slice(6, None)), model="power")
    with pytest.raises(rs.InputError, match="Recursive supports a fixed base"):
        rs.Recursive(tree("floating"))
