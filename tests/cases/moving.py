"""Closed robots moving in one mode, with results of Pinocchio's constrained tree."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cases.dynamic import body_values
from oracles.constrained import Constrained
from robosym.algebra.samples import evaluate_arrays
from robosym.coordinates.closing import reached_from
from robosym.coordinates.constraints import constraints_of
from robosym.mechanism import DRIVE, INERTIA, Robot
from robosym.model import Model, flat

STATES = 60


class Moving:
    """A robot with masses in its mode: positions, rates, torques and the accelerations of the oracle."""

    def __init__(
        self, robot: Robot, position: dict[str, float], states: int = STATES, also: Sequence[dict[str, float]] = ()
    ) -> None:
        rng = random.Random(robot.name)
        cut = constraints_of(robot, reference=position).cut
        links = [{} if j in cut else _body(rng, j) for j in range(1, robot.NL + 1)]
        robot = robot.with_links(links)
        gravity = tuple(robot.graph.number(g) for g in (1.5, -3.0, -9.0))
        self.robot = replace(robot, gravity=gravity, position=position)
        self.constraints = constraints_of(self.robot)
        closing, motors = self.constraints.closing, self.constraints.motors
        start = self.constraints.samples[0]
        self.positions = reached_from(closing, start, states, np.random.default_rng(5), motors)
        assert len(self.positions) > states // 2
        self.positions += also
        self.oracle = Constrained(self.robot, start)
        self.q = np.array([[p[self.robot.variable(j)] for j in self.robot.tree_joints] for p in self.positions])
        joints = self.robot.tree_joints
        self.qd, self.qdd, self.tau = [], [], []
        for q in self.q:
            self.qd.append(self.oracle.consistent(q, {j: rng.uniform(-0.7, 0.7) for j in self.constraints.active}))
            self.tau.append({j: rng.uniform(-8, 8) for j in motors})
            efforts = np.array([self.tau[-1].get(j, 0.0) for j in joints])
            self.qdd.append(self.oracle.accelerations(q, self.qd[-1], efforts))
        self.values: dict[str, np.ndarray] = {
            name: np.array([p[name] for p in self.positions]) for name in self.positions[0]
        }
        for n, j in enumerate(joints):
            self.values |= {f"QP{j}": np.array(self.qd)[:, n], f"QDP{j}": np.array(self.qdd)[:, n]}
        self.values |= {f"GAM{j}": np.array([tau[j] for tau in self.tau]) for j in motors}

    def number(self, model: Model, group: str) -> np.ndarray:
        """Return the values of a group, shape (states, entries)."""
        return self.named(model, flat(model.outputs[group]))

    def named(self, model: Model, names: tuple[str, ...] | list[str]) -> np.ndarray:
        found = evaluate_arrays([model.definitions[n] for n in names], self.values)
        return np.column_stack([np.broadcast_to(value, len(self.positions)) for value in found])

    def over(self, vectors: list[np.ndarray], joints: tuple[int, ...]) -> np.ndarray:
        return np.array(vectors)[:, [self.robot.tree_joints.index(j) for j in joints]]


def _body(rng: random.Random, j: int) -> dict[str, float]:
    values = body_values(rng, j)
    return {n: values[f"{n}{j}"] for n in INERTIA} | dict.fromkeys(DRIVE, 0.0)


def off(found: np.ndarray, right: np.ndarray) -> float:
    return float(np.abs(found - right).max() / max(1.0, np.abs(right).max()))
