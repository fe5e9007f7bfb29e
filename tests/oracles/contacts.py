"""Robots in contact with the ground: slip velocities by NumPy along Pinocchio's motion, and its constrained dynamics.

Rows of the constraints are slip velocities of unit rates, and their drift is a difference along a motion without
accelerations. Nothing is shared with the symbolic rows: the lowest point of a wheel is found from its pose.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from oracles.pinocchio import Oracle
from robosym.algebra import evaluate
from robosym.mechanism import Robot

Array = np.ndarray


class Grounded:
    """A random state of a robot in contact, with admissible rates, from Pinocchio."""

    def __init__(self, robot: Robot, seed: int = 0, upright: bool = False, q: Array | None = None) -> None:
        self.robot, rng = robot, np.random.default_rng(seed)
        self.oracle = Oracle(robot.with_contacts(), {})
        self.model = self.oracle.model
        self.floating = robot.base.kind == "floating"
        self.q = rng.uniform(-1, 1, len(robot.tree_joints)) if q is None else np.asarray(q)
        self.place = self.oracle.q(self.q)
        if self.floating:
            turn = np.array([0, 0, 0, 1.0]) if upright else rng.normal(size=4)
            self.place[3:7] = turn / np.linalg.norm(turn)
        self.contacts = [
            (c, np.array(evaluate(c.at, {})), *evaluate([c.radius, c.angle], {})) for c in robot.contacts
        ]  # fmt: skip
        self.J = self.rows()
        v = rng.uniform(-1, 1, self.model.nv)
        self.v = v - np.linalg.pinv(self.J) @ (self.J @ v)
        self.drift = self._drift()
        self.tau = rng.uniform(-5, 5, len(robot.motors))

    def slip(self, place: Array, v: Array) -> Array:
        """Return the velocities that the contacts prevent."""
        data = self.model.createData()
        pin.forwardKinematics(self.model, data, place, v)
        pin.updateFramePlacements(self.model, data)
        return np.concatenate([self._slip(data, *one) for one in self.contacts])

    def _slip(self, data: Any, contact: Any, at: Array, radius: float, angle: float) -> Array:
        if contact.frame:
            frame = self.oracle.frames[contact.frame]
            R, moved = data.oMf[frame].rotation, pin.getFrameVelocity(self.model, data, frame, pin.LOCAL_WORLD_ALIGNED)
        else:
            R, moved = data.oMi[1].rotation, pin.getVelocity(self.model, data, 1, pin.LOCAL_WORLD_ALIGNED)
        v, w = moved.linear, moved.angular
        if contact.kind in ("point", "plane"):
            touching = R.T @ (v + np.cross(w, R @ at))
            return touching if contact.kind == "point" else np.concatenate([touching, R.T @ w])
        up, axis = np.array([0, 0, 1.0]), R[:, 2]
        down = up - axis * (up @ axis)
        v = v + np.cross(w, R @ at) - np.cross(w, down / np.linalg.norm(down) * radius)
        ahead = np.cross(axis, up) / np.linalg.norm(np.cross(axis, up))
        across = np.cross(up, ahead)
        if contact.kind == "wheel":
            return np.array([ahead @ v, across @ v, up @ v])
        return np.array([(across * np.cos(angle) - ahead * np.sin(angle)) @ v, up @ v])

    @property
    def still(self) -> Array:
        """Return Pinocchio's acceleration if neither the origin of the base nor any joint accelerates."""
        a = np.zeros(self.model.nv)
        if self.floating:
            a[:3] = -np.cross(self.v[3:6], self.v[:3])
        return a

    def rows(self) -> Array:
        return np.array([self.slip(self.place, unit) for unit in np.eye(self.model.nv)]).T

    def _drift(self, step: float = 1e-4) -> Array:
        """Return the derivative of the slip velocity for `still`, by differences of fourth order."""

        def later(t: float) -> Array:
            v = self.v.copy()
            if self.floating:  # constant in the world, turned into the base
                v[:3] = pin.exp3(self.v[3:6] * t).T @ self.v[:3]
                where = pin.integrate(self.model, self.place, np.concatenate([np.zeros(3), self.v[3:] * t]))
                where[:3] = self.place[:3] + pin.Quaternion(*self.place[[6, 3, 4, 5]]).matrix() @ self.v[:3] * t
                return self.slip(where, v)
            return self.slip(pin.integrate(self.model, self.place, self.v * t), v)

        return (8 * (later(step) - later(-step)) - later(2 * step) + later(-2 * step)) / (12 * step)

    @property
    def kept(self) -> Array:
        """Return which rows do not vanish everywhere, as the models have them."""
        return np.abs(self.J).max(axis=1) > 1e-9

    @property
    def inertia(self) -> Array:
        A = np.array(pin.crba(self.model, self.model.createData(), self.place))
        A = np.triu(A) + np.triu(A, 1).T
        return A + np.diag(self.oracle.v(self.link("IA")))

    @property
    def bias(self) -> Array:
        h = pin.nle(self.model, self.model.createData(), self.place, self.v)
        qd = self.oracle.back(self.v)
        return h + self.oracle.v(self.link("FV") * qd + self.link("FS") * np.sign(qd))

    def link(self, name: str) -> Array:
        return np.array(evaluate([getattr(self.robot.link(j), name) for j in self.robot.tree_joints], {}))

    def motors(self, tau: Array) -> Array:
        """Return generalized forces of the motors."""
        joints = dict.fromkeys(self.robot.tree_joints, 0.0) | dict(zip(self.robot.motors, tau, strict=True))
        return self.oracle.v(np.array([*joints.values()]))

    def accelerations(self) -> tuple[Array, Array]:
        """Return accelerations and forces: of dependent rows, the least ones."""
        J, n = self.J, len(self.v)
        K = np.block([[self.inertia, -J.T], [J, np.zeros((len(J), len(J)))]])
        right = np.concatenate([self.motors(self.tau) - self.bias, J @ self.still - self.drift])
        found = np.linalg.lstsq(K, right, rcond=1e-11)[0]
        return found[:n], found[n:]

    @property
    def inputs(self) -> dict[str, Array]:
        found = {"q": self.q, "qd": self.oracle.back(self.v), "tau": self.tau}
        if self.floating:
            found["base_velocity"] = np.array([*self.v[3:6], *self.v[:3]])
            found["base_orientation"] = self.place[[6, 3, 4, 5]]
        return found

    def base_acceleration(self, a: Array) -> Array:
        """Return angular and linear acceleration of the origin of the base from Pinocchio's spatial acceleration."""
        return np.array([*a[3:6], *(a[:3] + np.cross(self.v[3:6], self.v[:3]))])

    def of(self, model: Any, **more: Any) -> Any:
        given = {**self.inputs, **more}
        return model.compile()(**{group: given[group] for group in model.inputs})
