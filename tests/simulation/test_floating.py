"""Floating bases in simulation: momentum and energy over 10 s, given joint motions, estimated base velocities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import robosym as rs
from cases.floating import closed, quadruped, tree
from long_cases import each_once
from robosym.algebra import evaluate

Array = np.ndarray
TWIST = [0.4, -0.7, 0.9, 0.3, 0.2, -0.5]


def without_friction(robot: rs.Robot) -> rs.Robot:
    return robot.edit({f"link{j}.{name}": 0 for j in range(1, len(robot.links) + 1) for name in ("FV", "FS")})


def momentum(run: Any) -> Array:
    """Return the momentum in the world, the linear part without that of the weight."""
    robot = run.robot
    model = rs.centroidal_momentum(robot.with_inputs("orientation"), axes="world")
    given = {"q": run.q, "qd": run.qd, "base_velocity": run.state("base_velocity")}
    given["base_orientation"] = run.state("base_pose")[:, 3:]
    found = model.compile()(**{group: np.ascontiguousarray(given[group]) for group in model.inputs}).momentum
    return np.asarray(found - weight(robot) * run.t[:, None])


def weight(robot: rs.Robot) -> Array:
    """Return moment about the center of mass and force of gravity."""
    mass = sum(evaluate([link.M for link in robot.all_links], {}))
    return np.array([0, 0, 0, *(mass * g for g in evaluate(robot.gravity, {}))])


def swing(n: int, center: Array | float = 0.0) -> Any:
    size, speed = 0.5 / np.arange(1, n + 1), 1.0 + 0.3 * np.arange(n)

    def motion(t: Any) -> tuple[Array, Array, Array]:
        x = speed * np.asarray(t)[..., None]
        return center + size * np.sin(x), size * speed * np.cos(x), -size * speed**2 * np.sin(x)

    return motion


@pytest.mark.parametrize("robot", [tree("floating"), quadruped()], ids=lambda robot: robot.name)
def test_free_flight_keeps_momentum_and_energy(robot: rs.Robot) -> None:
    robot, n = without_friction(robot), len(robot.tree_joints)
    run = rs.simulate(robot, np.linspace(0.1, 0.4, n), np.linspace(-1, 1, n), until=10, step=2e-3, every=50,
                      method="rk5", base_velocity=TWIST)  # fmt: skip
    h = momentum(run)
    assert np.abs(h - h[0]).max() < 1e-9 * np.abs(h).max()
    assert np.abs(run.energy - run.energy[0]).max() < 1e-9 * run.kinetic.max()


def test_orientation_as_an_input_is_that_of_the_state() -> None:
    robot, start = quadruped(), {"until": 0.5, "base_velocity": TWIST}
    plain = rs.simulate(robot, np.linspace(0.1, 0.4, 12), **start)
    turned = rs.simulate(robot.with_inputs("orientation"), np.linspace(0.1, 0.4, 12), **start)
    np.testing.assert_allclose(turned.states, plain.states, atol=1e-12)
    np.testing.assert_allclose(turned.energy, plain.energy, atol=1e-9)
    moved = rs.simulate(robot.with_inputs("orientation"), motion=swing(12), **start)
    np.testing.assert_allclose(moved.tau, rs.simulate(robot, motion=swing(12), **start).tau, atol=1e-9)


def test_given_joint_motion_moves_the_base() -> None:
    """The momentum is constant, and the resulting torques reproduce the motion."""
    robot = without_friction(tree("floating"))
    run = rs.simulate(robot, motion=swing(4), until=10, step=1e-3, base_velocity=TWIST)
    h = momentum(run)
    assert np.abs(h - h[0]).max() < 1e-9 * np.abs(h).max()
    q, qd, _ = swing(4)(run.t)
    np.testing.assert_array_equal(run.q, q)
    again = rs.simulate(robot, q[0], qd[0], run.tau[:2001], until=2, step=1e-3, base_velocity=TWIST)
    np.testing.assert_allclose(again.states, run.states[:2001], atol=1e-5)


def test_given_motion_of_a_closed_robot() -> None:
    robot, motors = without_friction(closed("floating")), np.array([0.2, 1.3, 0.1])
    run = rs.simulate(robot, motion=swing(3, motors), until=0.5, step=5e-3, base_velocity=TWIST)
    h = momentum(run)
    assert run.drift.max() < 1e-9 and np.abs(h - h[0]).max() < 1e-7 * np.abs(h).max()


def test_base_velocity_from_measured_joints() -> None:
    """The estimate needs the momentum at the start and the orientation only."""
    robot = quadruped()
    run = rs.simulate(robot, motion=swing(12), until=1, step=1e-3, base_velocity=TWIST)
    given = momentum(run)[0] + weight(robot) * run.t[:, None]
    model = rs.base_velocity(robot.with_inputs("orientation"), axes="world")
    orientation = np.ascontiguousarray(run.state("base_pose")[:, 3:])
    found = model.compile()(q=run.q, qd=run.qd, centroidal_momentum=given, base_orientation=orientation)
    np.testing.assert_allclose(found, run.state("base_velocity"), atol=1e-9)


def test_rejects_other_arguments_with_given_motion() -> None:
    robot = tree("floating")
    with pytest.raises(rs.InputError, match="torque: expected none, because the motion of the joints is given"):
        rs.simulate(robot, motion=swing(4), torque=[1, 2, 3, 4])
    with pytest.raises(rs.InputError, match="motion: expected a robot with a floating base, found a fixed base"):
        rs.simulate(robot.edit({"base.type": "fixed"}), motion=swing(4))
    with pytest.raises(rs.InputError, match="expected one initial state"):
        rs.simulate(robot, motion=swing(4), base_velocity=[TWIST, TWIST])
    with pytest.raises(rs.InputError, match=r"motion: q at t = 0"):
        rs.simulate(robot, motion=swing(3), until=0.1)


@pytest.mark.parametrize(
    ("law", "period", "oriented"),
    each_once((rs.computed_torque, rs.predictive_control, rs.feedforward), (None, 2e-3), (False, True)),
)
def test_control_laws_follow_on_a_floating_base(law: Any, period: float | None, oriented: bool) -> None:
    """Computed torque decouples the joints from the base; the other laws have the model at the desired motion."""
    robot = without_friction(tree("floating"))
    made = law(robot.with_inputs("orientation") if oriented else robot, kp=100, kd=20)
    q, qd, _ = swing(4)(0.0)
    start = {"q": q, "qd": qd + 0.05, "base_velocity": TWIST}
    run = rs.simulate(robot, **start, controller=made, reference=swing(4), until=2, step=2e-3, period=period)
    error = np.abs(run.q - swing(4)(run.t)[0])
    assert error.max() > 1e-3 and error[-1].max() < (1e-6 if law is rs.computed_torque and not period else 2e-3)


def test_computed_torque_on_a_closed_floating_robot() -> None:
    robot, motors = without_friction(closed("floating")), np.array([0.2, 1.3, 0.1])
    q, qd, _ = swing(3, motors)(0.0)
    made = rs.computed_torque(robot, kp=100, kd=20)
    run = rs.simulate(robot, q, qd + 0.05, controller=made, reference=swing(3, motors), until=1.5, step=2e-3)
    error = np.abs(run.q[:, [0, 1, 4]] - swing(3, motors)(run.t)[0])
    assert error.max() > 1e-3 and error[-1].max() < 1e-5
