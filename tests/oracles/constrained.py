"""Numeric closed robots: Pinocchio's tree, cut joints as constraints between its frames, Lagrange multipliers.

The loop equations of robosym are not used: each cut joint gives five rows, dependent or not, and least squares solves
the system for all accelerations and multipliers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from oracles.pinocchio import Oracle, rotation, shift
from robosym.algebra import evaluate
from robosym.mechanism import REVOLUTE, Robot

Array = NDArray[np.float64]
_NAMES = ("gamma", "b", "alpha", "d", "theta", "r")


class Constrained:
    """A closed robot at given values of its symbols, cut joints included."""

    def __init__(self, robot: Robot, values: Mapping[str, float]) -> None:
        self.robot, self.values = robot, values
        self.oracle = Oracle(robot, values)
        self.pairs = []
        for cut, fixed in robot.loops:
            self.pairs.append((cut, self._frame(cut), self._frame(fixed)))
        self.oracle.data = self.oracle.model.createData()

    def _frame(self, k: int) -> int:
        """Return frame k as a Pinocchio frame, fixed to the previous link."""
        frame, model = self.robot.frame(k), self.oracle.model
        gamma, b, alpha, d, theta, r = evaluate([getattr(frame, n) for n in _NAMES], self.values)
        step = rotation("z", gamma) * shift("z", b) * rotation("x", alpha) * shift("x", d)
        step = step * rotation("z", theta) * shift("z", r)
        if frame.ant == 0:
            joint, place = (1 if self.oracle.moving_base else 0), pin.SE3.Identity()
        else:
            before = model.frames[self.oracle.frames[frame.ant]]
            joint, place = before.parentJoint, before.placement
        return int(model.addFrame(pin.Frame(f"cut{k}", joint, place * step, pin.FrameType.OP_FRAME)))

    def rows(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return J and the drift of J a + drift = 0, over Pinocchio's velocities."""
        model, data = self.oracle.model, self.oracle.data
        pin.forwardKinematics(model, data, q, v, 0 * v)
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        rows, drift = [], []
        for cut, near, far in self.pairs:
            Jn, Jf = (np.array(pin.getFrameJacobian(model, data, f, world)) for f in (near, far))
            vn, vf = (np.array(pin.getFrameVelocity(model, data, f, world).vector) for f in (near, far))
            an, af = (np.array(pin.getFrameClassicalAcceleration(model, data, f, world).vector) for f in (near, far))
            R = data.oMf[near].rotation
            revolute = self.robot.frame(cut).sigma == REVOLUTE
            spin = vn[3:]
            if not revolute:  # the point of the near link at the far one
                arm = data.oMf[far].translation - data.oMf[near].translation
                Jn[:3] += np.cross(Jn[3:].T, arm).T
                vn[:3] += np.cross(spin, arm)
                an[:3] += np.cross(an[3:], arm) + np.cross(spin, np.cross(spin, arm))
            for axis in range(3):
                x = R[:, axis]
                if revolute or axis < 2:
                    rows.append(x @ (Jf - Jn)[:3])
                    slide = 0 if revolute else 2 * (R[:, 2] @ (vf - vn)[:3]) * (x @ np.cross(spin, R[:, 2]))
                    drift.append(x @ (af - an)[:3] - slide)
                if not revolute or axis < 2:
                    rows.append(x @ (Jf - Jn)[3:])
                    drift.append(x @ (af - an)[3:] + np.cross(spin, x) @ (vf - vn)[3:])
        for name, coupling in self.robot.couplings.items():
            places = {self.robot.variable(j): self._place(j) for j in self.robot.tree_joints}
            row = np.zeros(model.nv)
            row[places[name]] = 1
            row[[places[other] for other in coupling.ratios]] -= list(coupling.ratios.values())
            rows.append(row)
            drift.append(0.0)
        return np.array(rows), np.array(drift)

    def consistent(self, q: Array, active: Mapping[int, float]) -> Array:
        """Return the velocities of the tree's joints for given active ones; the base is fixed."""
        oracle, joints = self.oracle, self.robot.tree_joints
        J, _ = self.rows(oracle.q(q), np.zeros(oracle.model.nv))
        J = J[:, [self._place(j) for j in joints]]
        given = np.array([[float(j == k) for k in joints] for j in active])
        matrix = np.vstack([J, given])
        right = np.concatenate([np.zeros(len(J)), list(active.values())])
        found, *_ = np.linalg.lstsq(matrix, right, rcond=None)
        assert np.abs(matrix @ found - right).max() < 1e-8
        return found

    def following(self, q: Array, qd: Array, active: Mapping[int, float]) -> Array:
        """Return the accelerations of the tree's joints for given active ones."""
        oracle, joints = self.oracle, self.robot.tree_joints
        J, drift = self.rows(oracle.q(q), oracle.v(qd))
        J = J[:, [self._place(j) for j in joints]]
        matrix = np.vstack([J, [[float(j == k) for k in joints] for j in active]])
        right = np.concatenate([-drift, list(active.values())])
        found, *_ = np.linalg.lstsq(matrix, right, rcond=None)
        assert np.abs(matrix @ found - right).max() < 1e-8 * max(1, np.abs(right).max())
        return found

    def efforts(self, q: Array, qd: Array, qdd: Array, active: Sequence[int]) -> tuple[Array, float]:
        """Return the active efforts for a motion that keeps the loops closed, and the power of all links."""
        oracle, joints = self.oracle, self.robot.tree_joints
        needed = oracle.torques(q, qd, qdd, self.values)
        J, _ = self.rows(oracle.q(q), oracle.v(qd))
        J = J[:, [self._place(j) for j in joints]]
        given = np.array([[float(j == k) for k in active] for j in joints])
        matrix = np.hstack([given, J.T])
        found, *_ = np.linalg.lstsq(matrix, needed, rcond=1e-12)
        assert np.abs(matrix @ found - needed).max() < 1e-9 * max(1, np.abs(needed).max())
        return found[: len(active)], float(qd @ needed)

    def _place(self, j: int) -> int:
        oracle = self.oracle
        return int(oracle._joints()[oracle.order.index(j)].idx_v)

    def accelerations(self, q: Array, qd: Array, efforts: Array) -> Array:
        """Return the accelerations of all joints for given efforts, with friction and rotors."""
        oracle, joints = self.oracle, self.robot.tree_joints
        order = [self._place(j) for j in joints]
        v = oracle.v(qd)
        J, drift = self.rows(oracle.q(q), v)
        A = pin.crba(oracle.model, pin_data(oracle), oracle.q(q))
        A = (np.triu(A) + np.triu(A, 1).T)[np.ix_(order, order)]
        rotors = evaluate([self.robot.link(j).IA for j in joints], self.values)
        A = A + np.diag(rotors)
        bias = oracle.torques(q, qd, np.zeros(len(joints)), self.values)
        J = J[:, order]
        matrix = np.block([[A, J.T], [J, np.zeros((len(J), len(J)))]])
        right = np.concatenate([efforts - bias, -drift])
        found = np.zeros(len(right))
        for _ in range(2):  # the second step removes the rounding of the dependent rows
            found += np.linalg.lstsq(matrix, right - matrix @ found, rcond=1e-12)[0]
        assert np.abs(matrix @ found - right).max() < 1e-7 * max(1, np.abs(right).max())
        return found[: len(joints)]


def pin_data(oracle: Oracle) -> pin.Data:
    return oracle.model.createData()
