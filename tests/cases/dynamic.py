"""Random robots with physically consistent inertias, and numeric evaluation of their models."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from oracles.pinocchio import Oracle
from random_robots import random_robot
from robosym.algebra import evaluate
from robosym.mechanism import INERTIA, Robot
from robosym.model import Model, shape

Array = NDArray[np.float64]


def body_values(rng: random.Random, j: int) -> dict[str, float]:
    """Return the ten parameters of five point masses, under the standard names."""
    values = dict.fromkeys(INERTIA, 0.0)
    for _ in range(5):
        m, x, y, z = rng.uniform(0.1, 2), *(rng.uniform(-0.3, 0.3) for _ in range(3))
        parts = (m * (y * y + z * z), -m * x * y, -m * x * z, m * (x * x + z * z), -m * y * z, m * (x * x + y * y))
        for name, part in zip(INERTIA, (*parts, m * x, m * y, m * z, m), strict=True):
            values[name] += part
    return {f"{name}{j}": value for name, value in values.items()}


@dataclass
class Case:
    """A robot, values of its symbols, and its Pinocchio model."""

    robot: Robot
    values: dict[str, float]

    @property
    def n(self) -> int:
        return len(self.robot.tree_joints)

    @property
    def oracle(self) -> Oracle:
        return Oracle(self.robot, self.values)

    def vector(self, field: str) -> Array:
        """Return `q`, or the values of QP, QDP or GAM of all joints of the tree."""
        joints = self.robot.tree_joints
        if field == "q":
            return np.array([self.values[self.robot.variable(j)] for j in joints])
        return np.array(evaluate([getattr(self.robot.joint(j), field) for j in joints], self.values))

    def link(self, field: str) -> Array:
        return np.array(evaluate([getattr(self.robot.link(j), field) for j in self.robot.tree_joints], self.values))

    def number(self, model: Model) -> dict[str, Array]:
        """Return the output groups of a model."""
        results = {}
        numbers = iter(evaluate(model.roots, self.values))
        for group, layout in model.outputs.items():
            size = int(np.prod(shape(layout)))
            results[group] = np.array([next(numbers) for _ in range(size)]).reshape(shape(layout))
        return results

    def inertia(self) -> Array:
        """Return Pinocchio's crba in robosym's order, with rotors; a moving base first."""
        oracle = self.oracle
        A = pin.crba(oracle.model, oracle.data, oracle.q(self.vector("q")))
        A = np.triu(A) + np.triu(A, 1).T
        at = {j: joint.idx_v for joint, j in zip(oracle._joints(), oracle.order, strict=True)}
        order = [*range(6 if oracle.moving_base else 0), *(at[j] for j in self.robot.tree_joints)]
        A = A[np.ix_(order, order)]
        k = len(order) - self.n
        A[k:, k:] += np.diag(self.link("IA"))
        return A

    def bias(self) -> tuple[Array, Array]:
        """Return Pinocchio's torques at zero joint acceleration, and the wrench on the base."""
        return self.oracle.efforts(self.vector("q"), self.vector("QP"), np.zeros(self.n), self.values)


def draw(seed: int, links: int | None = None, **options: Any) -> Case:
    rng = random.Random(seed)
    robot = random_robot(rng, links=links or rng.randint(1, 8), **options)
    return Case(robot, values_of(rng, robot))


def values_of(rng: random.Random, robot: Robot) -> dict[str, float]:
    """Return values of the order of 1 m and 1 kg for all symbols; links are physically consistent."""
    values = {name: rng.uniform(0.3, 1.4) * rng.choice((-1, 1)) for name in robot.variables if name}
    values |= {name: rng.uniform(0.2, 1.2) * rng.choice((-1, 1)) for name in robot.parameters}
    values |= {name: abs(value) for name, value in values.items() if name[:2] in ("IA", "FV", "FS")}
    for j in range(robot.NL + 1):
        values |= {name: v for name, v in body_values(rng, j).items() if name in values}
    return values
