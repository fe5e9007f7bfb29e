"""Torque regressor of a robot's tree from Pinocchio, over robosym's standard parameters."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from oracles.pinocchio import Oracle
from robosym.algebra import evaluate
from robosym.mechanism import INERTIA, Robot
from robosym.parameters import BaseParameters

Array = NDArray[np.float64]
_ORDER = ("M", "MX", "MY", "MZ", "XX", "XY", "YY", "XZ", "YZ", "ZZ")  # Pinocchio's order


def _placed(placement: pin.SE3) -> Array:
    """Return the map of parameters on a fixed frame to parameters on its joint, by differences."""
    start = np.array([1.0, 0, 0, 0, 1, 0, 1, 0, 0, 1])

    def moved(parameters: Array) -> Array:
        return np.array(placement.act(pin.Inertia.FromDynamicParameters(parameters)).toDynamicParameters())

    return np.column_stack([moved(start + step) - moved(start) for step in np.eye(10)])


class Regressor:
    """Rows of torques, columns (link, field): ten parameters and the rotor inertia of each link, base first.

    A moving base adds six rows first, and its columns are those of link 0.
    """

    def __init__(self, robot: Robot, values: Mapping[str, float]) -> None:
        self.robot = robot
        body = {"M": 1, "XX": 1, "YY": 1, "ZZ": 1, "MX": 0, "MY": 0, "MZ": 0, "XY": 0, "XZ": 0, "YZ": 0}
        self.oracle = oracle = Oracle(robot.with_links([body] * robot.NL), values)  # any inertia gives the same result
        self.columns = [(0, name) for name in INERTIA] if oracle.moving_base else []
        self._place: dict[int, tuple[int, Array]] = {0: (1, np.eye(10))} if oracle.moving_base else {}
        for j in range(1, robot.NL + 1):
            self.columns += [(j, name) for name in (*INERTIA, "IA")]
            placed = oracle.model.frames[oracle.frames[j]]
            self._place[j] = placed.parentJoint, _placed(placed.placement)

    def __call__(self, q: Array, qd: Array, qdd: Array, base: tuple[Array, Array] | None = None) -> Array:
        """Return the rows; `base` is velocity and acceleration of a moving base."""
        oracle, robot = self.oracle, self.robot
        q_, v_, a_ = oracle.q(q), oracle.v(qd), oracle.v(qdd)
        if base is not None:
            v_[:6], a_[:6] = base
        full = pin.computeJointTorqueRegressor(oracle.model, oracle.data, q_, v_, a_).reshape(len(v_), -1)
        order = [_ORDER.index(name) for name in INERTIA]
        first = 6 if oracle.moving_base else 0
        blocks = []
        for j, (joint, carry) in self._place.items():
            block = full[:, 10 * joint - 10 : 10 * joint] @ carry if joint else np.zeros((len(v_), 10))
            along = np.array([oracle.back(column) for column in block.T]).T
            rows = np.vstack([block[:first], along])[:, order]
            if j:
                rotor = np.zeros((len(rows), 1))
                if j in robot.tree_joints:
                    at = robot.tree_joints.index(j)
                    rotor[first + at] = qdd[at]
                rows = np.hstack([rows, rotor])
            blocks.append(rows)
        return np.hstack(blocks)

    def stacked(self, samples: int, rng: np.random.Generator) -> Array:
        """Return stacked rows of random motions."""
        n = len(self.robot.tree_joints)
        bases = (rng.uniform(-1, 1, (2, 6)) if self.oracle.moving_base else None for _ in range(samples))
        return np.vstack([self(*rng.uniform(-2, 2, (3, n)), base) for base in bases])


def rank(matrix: Array) -> int:
    """Return the numeric rank of a matrix with scaled columns."""
    norms = np.linalg.norm(matrix, axis=0)
    scaled = matrix[:, norms > 1e-9] / norms[norms > 1e-9]
    if scaled.size == 0:
        return 0
    singular = np.linalg.svd(scaled, compute_uv=False)
    return int(np.sum(singular > 1e-9 * singular[0]))


def base_difference(
    robot: Robot,
    found: BaseParameters,
    values: Mapping[str, float],
    rng: np.random.Generator,
    joints_only: bool = False,
) -> tuple[int, float]:
    """Return the rank of the regressor, and the error of the torques of base parameters."""
    regressor = Regressor(robot, values)
    rows = len(robot.tree_joints) + 6 * regressor.oracle.moving_base
    W = regressor.stacked(14 * (robot.NL + 1) // rows + 6, rng)
    if joints_only:
        W = W[np.arange(len(W)) % rows >= 6]
    present = {(p.link, p.field): p.name for p in found.standard.inertial}
    full = {**values, **{p.name: evaluate([p.entry], values)[0] for p in found.standard.inertial}}
    K = np.array([full[present[place]] if place in present else 0.0 for place in regressor.columns])
    base = np.array(list(found.values({n: values[n] for n in robot.parameters}).values()))
    kept = [regressor.columns.index(place) for place in found.places.values()]
    apart = np.abs(W @ K - W[:, kept] @ base).max() / max(
        float(np.abs(W @ K).max()), float(np.abs(W * K).max()), 1e-300
    )
    return rank(W[:, [n for n, place in enumerate(regressor.columns) if place in present]]), float(apart)
