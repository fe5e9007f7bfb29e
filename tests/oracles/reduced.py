"""State of a robot of links in the coordinates of its models, with values from Pinocchio.

Trees, closed and coupled robots, with springs and on moving bases: Pinocchio's tree, with cut joints and couplings as
constraints, projected by least squares. For a moving base, angular components precede linear ones, in frame 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from oracles.constrained import Constrained
from robosym.algebra import evaluate
from robosym.mechanism import Robot

Array = NDArray[np.float64]
_MOTION = ("W0", "WP0", "V0", "VP0")


class Reduced:
    """Rates `y` and accelerations `yd` of the active joints, `qd` and `qdd` of all joints of the tree."""

    def __init__(self, robot: Robot, q: Array, rng: np.random.Generator, spread: Array | None = None) -> None:
        """Initialize; `spread` contains the joint rates per unit of coordinates other than the active joints."""
        self.robot, self.q = robot, np.asarray(q, float)
        joints = robot.tree_joints
        self.floating, self.moving = robot.base.kind == "floating", robot.base.kind != "fixed"
        self.first = 6 if self.moving else 0
        self.active = [k for k, j in enumerate(joints) if robot.frame(j).mu or not robot.constrained]
        self.passive = [k for k in range(len(joints)) if k not in self.active]
        w, wp, v, vp = rng.uniform(-1, 1, (4, 3)) if self.moving else np.zeros((4, 3))
        self.values = self._values(dict(zip(_MOTION, (w, wp, v, vp), strict=True)))
        self.constrained = Constrained(robot, self.values)
        oracle = self.oracle = self.constrained.oracle
        self.model, self.pin_q = oracle.model, oracle.q(self.q)
        self.order = [self.constrained._place(j) for j in joints]
        self.G = self._spread() if spread is None else spread
        self.y, self.yd = rng.uniform(-1, 1, (2, self.G.shape[1]))
        self.qd = self.G @ self.y
        self.pin_v = oracle.v(self.qd)
        if self.moving:
            self.pin_v[:6] = [*v, *w]
        self.drift = self._drift()
        self.qdd = self.G @ self.yd + self.drift
        self.still = np.array([*-np.cross(w, v), 0, 0, 0])  # a base without acceleration of origin and rotation
        self.base_a = np.array([*(vp - np.cross(w, v)), *wp])
        self.base_velocity, self.base_acceleration = np.array([*w, *v]), np.array([*wp, *vp])

    def _values(self, motion: Mapping[str, Array]) -> dict[str, float]:
        """Return values of joints and of the motion of a mobile base; cut joints are irrelevant."""
        robot = self.robot
        values = dict(zip([robot.variable(j) for j in robot.tree_joints], map(float, self.q), strict=True))
        for name, vector in motion.items():
            for entry, x in zip(getattr(robot.base, name), vector, strict=True):
                values |= {str(entry.name): float(x)} if entry.name else {}
        return dict.fromkeys((*robot.parameters, *filter(None, robot.variables)), 0.0) | values

    def _spread(self) -> Array:
        G = np.zeros((len(self.q), len(self.active)))
        G[self.active] = np.eye(len(self.active))
        if self.passive:
            J = self.constrained.rows(self.pin_q, np.zeros(self.model.nv))[0][:, self.order]
            G[self.passive] = np.linalg.lstsq(J[:, self.passive], -J[:, self.active], rcond=None)[0]
        return G

    def _drift(self) -> Array:
        drift = np.zeros(len(self.q))
        if self.passive:
            J, rows = self.constrained.rows(self.pin_q, self.pin_v)
            drift[self.passive] = np.linalg.lstsq(J[:, self.order][:, self.passive], -rows, rcond=None)[0]
        return drift

    @property
    def velocity(self) -> Array:
        """Return the velocity of the base (angular, linear; 0 if fixed) and of the coordinates."""
        return np.array([*self.base_velocity, *self.y])

    @property
    def turning(self) -> Array:
        """Return the matrix that rotates components along the axes of the base and keeps those of the coordinates."""
        found = np.zeros((self.first + len(self.y),) * 2)
        for k in range(0, self.first, 3):
            found[k : k + 3, k : k + 3] = pin.skew(self.base_velocity[:3])
        return found

    def entries(self, name: str) -> Array:
        """A field of the links of all joints: IA, FV, FS."""
        return np.array(evaluate([getattr(self.robot.link(j), name) for j in self.robot.tree_joints], self.values))

    @property
    def friction(self) -> Array:
        return self.entries("FV") * self.qd + self.entries("FS") * np.sign(self.qd)

    @property
    def springs(self) -> Array:
        """Return the torques of the springs of elastic joints, 0 for the others."""
        stiff = [(float(joint.eta), joint.k) for joint in (self.robot.joint(j) for j in self.robot.tree_joints)]
        return (
            np.array([-eta * k for (eta, _), k in zip(stiff, evaluate([k for _, k in stiff], {}), strict=True)])
            * self.q
        )

    def efforts(self, qdd: Array, base_a: Array, friction: bool = True) -> tuple[Array, Array]:
        """Return moment and force on the base, and efforts along the coordinates, with rotors."""
        a = self.oracle.v(qdd)
        if self.moving:
            a[:6] = base_a
        found = pin.rnea(self.model, self.model.createData(), self.pin_q, self.pin_v, a)
        own = found[self.order] + self.entries("IA") * qdd + self.friction * friction
        return np.array([*found[3:6], *found[:3]]) if self.moving else np.zeros(0), self.G.T @ own

    def bias(self, friction: bool = True) -> tuple[Array, Array]:
        return self.efforts(self.drift, self.still if self.floating else self.base_a, friction)

    @property
    def tau(self) -> Array:
        """Return the efforts along the coordinates for the given motion, base included."""
        return self.efforts(self.qdd, self.base_a)[1]

    @property
    def inertia(self) -> Array:
        """Return the inertia matrix of a moving base and of the coordinates."""
        M = np.array(pin.crba(self.model, self.model.createData(), self.pin_q))
        order = [*([3, 4, 5, 0, 1, 2] if self.moving else []), *self.order]
        M, first = (np.triu(M) + np.triu(M, 1).T)[np.ix_(order, order)], self.first
        M[first:, first:] += np.diag(self.entries("IA"))
        P = np.zeros((first + len(self.q), first + len(self.y)))
        P[:first, :first], P[first:, first:] = np.eye(first), self.G
        return np.array(P.T @ M @ P)

    @property
    def gravity(self) -> tuple[Array, Array]:
        """Return moment and force that hold the base, and efforts along the coordinates."""
        g = pin.computeGeneralizedGravity(self.model, self.model.createData(), self.pin_q)
        return np.array([*g[3:6], *g[:3]]) if self.moving else np.zeros(0), self.G.T @ g[self.order]

    @property
    def yields(self) -> Array:
        """Return the acceleration of a floating base in free flight."""
        M = self.inertia
        return np.linalg.solve(M[:6, :6], -(self.bias()[0] + M[:6, 6:] @ self.yd))

    @property
    def free_tau(self) -> Array:
        """Return the torques for the given joint accelerations with a free floating base."""
        if not self.floating:
            return self.tau
        M = self.inertia
        return np.array(M[6:, :6] @ self.yields + M[6:, 6:] @ self.yd + self.bias()[1])

    def energies(self) -> tuple[float, float]:
        """Return kinetic energy, with rotors, and potential energy."""
        data = self.model.createData()
        rotors = float(self.entries("IA") @ self.qd**2) / 2
        kinetic = pin.computeKineticEnergy(self.model, data, self.pin_q, self.pin_v)
        return kinetic + rotors, pin.computePotentialEnergy(self.model, data, self.pin_q)

    def frames(self, base_a: Array, qdd: Array, reference: Any = pin.LOCAL) -> tuple[Array, Array]:
        """Velocities and accelerations of the links (linear, angular)."""
        a, data = self.oracle.v(qdd), self.model.createData()
        if self.moving:
            a[:6] = base_a
        pin.forwardKinematics(self.model, data, self.pin_q, self.pin_v, a)
        frames = [self.oracle.frames[j] for j in range(1, self.robot.NL + 1)]
        V = [pin.getFrameVelocity(self.model, data, f, reference).vector for f in frames]
        A = [pin.getFrameClassicalAcceleration(self.model, data, f, reference).vector for f in frames]
        return np.array(V), np.array(A)

    def relative_frames(self) -> tuple[Array, Array]:
        """Velocities and accelerations of the links (linear, angular) relative to the base, along its axes."""
        held, rest = copy(self), np.zeros(6)
        if self.moving:
            held.pin_v = np.array([*rest, *self.pin_v[6:]])
        return held.frames(rest, self.qdd, pin.LOCAL_WORLD_ALIGNED)

    def pose(self, j: int) -> Array:
        """Return the pose of link j in frame 0."""
        data = self.model.createData()
        pin.framesForwardKinematics(self.model, data, self.pin_q)
        return np.array(data.oMf[self.oracle.frames[j]].homogeneous)

    def later(self, time: float) -> Reduced:
        """Return the state after a short time, to second order, with its rates; the base stays in place."""
        other = Reduced.__new__(Reduced)
        other.__dict__.update(self.__dict__)
        other.q = self.q + self.qd * time + self.qdd * time**2 / 2
        other.pin_q = self.oracle.q(other.q)
        other.y = self.y + self.yd * time
        other.qd = self.qd + self.qdd * time
        other.pin_v = self.oracle.v(other.qd)
        if self.moving:
            other.pin_v[:6] = self.pin_v[:6] + self.base_a * time
            other.base_velocity = np.array([*other.pin_v[3:6], *other.pin_v[:3]])
        if not (len(self.G[0]) != len(self.active) or not self.passive):
            other.G, other.drift = other._spread(), other._drift()
        return other
