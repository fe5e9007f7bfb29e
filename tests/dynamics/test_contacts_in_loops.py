"""Feet of robots with loops and couplings, against Pinocchio's tree with the rows of loops and feet by NumPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from cases.floating import closed, coupled
from oracles.reduced import Reduced

Array = np.ndarray
AT = np.array([0.1, 0.05, -0.02])


class OnFeet:
    """A random state, the rows of a foot by Pinocchio, and the accelerations and forces that they cause."""

    def __init__(self, make: Callable[[str], rs.Robot], foot: int, kind: str, seed: int) -> None:
        self.foot, self.kind, rng = foot, kind, np.random.default_rng(seed)
        tree = make("floating")
        self.robot = tree.with_contacts({"frame": foot, "type": kind, "at": AT.tolist()})
        joints = tree.tree_joints
        q = np.array([tree.position.get(tree.variable(j), 0.3 * k) for k, j in enumerate(joints)])
        if tree.loops:
            geometry = rs.loop_geometry(tree)
            names = [tree.variable(j) for j in joints]
            q = np.array(geometry.solve([q[names.index(name)] + 0.1 for name in geometry.known])[0])
        else:
            q[2] = 2 * q[1] + 0.1
        self.t = t = Reduced(tree, q, rng)
        self.J = np.array([self.moved(row, np.zeros(t.model.nv))[0] for row in self.units()]).T
        a = t.oracle.v(t.drift)
        a[:6] = t.still
        self.drift = self.moved(t.pin_v, a)[1]
        self.tau = rng.uniform(-3, 3, len(t.y))
        M, (held, bias) = t.inertia, t.bias()
        right = np.array([*-held, *(self.tau - bias)])
        K = np.block([[M, -self.J.T], [self.J, np.zeros((len(self.J),) * 2)]])
        found = np.linalg.lstsq(K, np.array([*right, *-self.drift]), rcond=1e-12)[0]
        self.a, self.forces = np.split(found, [len(M)])

    def units(self) -> list[Array]:
        """Return Pinocchio's velocities for unit rates: base (angular, linear), then active joints."""
        t, found = self.t, []
        for k in range(6):
            found.append(np.eye(t.model.nv)[[3, 4, 5, 0, 1, 2][k]])
        return [*found, *(t.oracle.v(column) for column in t.G.T)]

    def moved(self, v: Array, a: Array) -> tuple[Array, Array]:
        """Return velocity and acceleration of the foot, in its frame."""
        oracle, data = self.t.oracle, self.t.model.createData()
        pin.forwardKinematics(oracle.model, data, self.t.pin_q, v, a)
        pin.updateFramePlacements(oracle.model, data)
        frame = oracle.frames[self.foot]
        twist = pin.getFrameVelocity(oracle.model, data, frame, pin.LOCAL)
        change = pin.getFrameClassicalAcceleration(oracle.model, data, frame, pin.LOCAL)
        w, wp = twist.angular, change.angular
        rows = 6 if self.kind == "plane" else 3
        velocity = np.array([*(twist.linear + np.cross(w, AT)), *w])
        shifted = change.linear + np.cross(wp, AT) + np.cross(w, np.cross(w, AT))
        return velocity[:rows], np.array([*shifted, *wp])[:rows]

    def of(self, model: rs.Model, **more: Array) -> rs.Model:
        t = self.t
        given = {"q": t.q, "qd": t.y, "tau": self.tau, "base_velocity": t.base_velocity, **more}
        return model.compile()(**{group: given[group] for group in model.inputs})  # type: ignore[return-value]


@pytest.mark.parametrize("kind", ["point", "plane"])
@pytest.mark.parametrize(("make", "foot"), [(closed, 5), (closed, 3), (coupled, 3)])
def test_motion_and_forces_of_a_foot_on_a_loop(make: Callable[[str], rs.Robot], foot: int, kind: str) -> None:
    s = OnFeet(make, foot, kind, 3)
    kinematics = rs.contact_kinematics(s.robot)
    found = s.of(kinematics)
    np.testing.assert_allclose(found.J, s.J, atol=1e-10)
    np.testing.assert_allclose(found.drift, s.drift, atol=1e-9 * max(1, np.abs(s.drift).max()))
    assert kinematics.mobility == s.J.shape[1] - np.linalg.matrix_rank(s.J)
    direct = s.of(rs.direct_dynamics(s.robot))
    scale = np.abs(s.a).max()
    np.testing.assert_allclose(direct.qdd, s.a[6:], atol=1e-9 * scale)
    np.testing.assert_allclose(direct.base_acceleration, s.a[:6], atol=1e-9 * scale)
    np.testing.assert_allclose(s.J.T @ direct.contact, s.J.T @ s.forces, atol=1e-8 * max(scale, np.abs(s.forces).max()))
    if kind == "plane":
        inverse = s.of(rs.inverse_dynamics(s.robot), qdd=s.a[6:], base_acceleration=s.a[:6])
        held, bias = s.t.bias()
        left = s.t.inertia @ s.a + [*held, *bias] - s.J.T @ inverse.contact - [*np.zeros(6), *inverse.tau]
        np.testing.assert_allclose(left, 0, atol=1e-9 * np.abs(s.t.inertia @ s.a).max())


def test_foot_on_a_loop_stays_in_place() -> None:
    robot = closed("floating").with_contacts({"frame": 5, "type": "plane", "at": AT.tolist()})
    robot = robot.edit({f"link{j}.{name}": 0 for j in range(1, 6) for name in ("FV", "FS")})
    run = rs.simulate(robot, torque=[1.0, -2, 0.5], until=0.3, step=1e-3)
    model = rs.contact_kinematics(robot).compile()
    slip = model(q=run.q, qd=run.qd, base_velocity=run.state("base_velocity")).slip
    assert np.abs(run.qd).max() > 0.1 and np.abs(slip).max() < 1e-9
    assert np.abs(run.balance).max() < 1e-9 * run.kinetic.max()


def test_base_parameters_of_loops_in_contact_raise() -> None:
    robot = closed("floating").with_contacts({"frame": 5, "type": "point"})
    with pytest.raises(rs.InputError, match="expected a tree in contact with the ground, found loops"):
        rs.base_parameters(robot)
