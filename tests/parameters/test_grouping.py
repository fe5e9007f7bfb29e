"""Rules of trees on numbers: torques are unchanged, and the number of parameters is the rank of the regressor."""

from __future__ import annotations

import numpy as np
import pytest

from cases.identification import random_values, special_tree
from oracles.pinocchio import Oracle
from oracles.regressor import Regressor, rank
from robosym.algebra import Graph, evaluate
from robosym.mechanism import INERTIA
from robosym.mechanism.motion import Place, frame_places
from robosym.parameters.by_rules import group
from robosym.parameters.freedom import motions
from robosym.spatial import Mat3, Transform, Vec3
from robosym.spatial.inertia import RigidInertia


@pytest.mark.parametrize("seed", range(25))
def test_torques_are_unchanged(seed: int) -> None:
    robot, rng = special_tree(seed), np.random.default_rng(seed)
    values = random_values(robot, rng)
    graph = Graph()

    def number(entry: object) -> float:
        return evaluate([graph.zero + entry], values)[0]  # type: ignore[operator]

    symbolic, gravity = frame_places(robot, graph)
    places = {
        j: Place(p.ant, p.joint, Transform(Mat3.of(*map(number, p.T.A)), Vec3(*map(number, p.T.P))))
        for j, p in symbolic.items()
    }
    links = range(1, robot.NL + 1)
    inertias = [RigidInertia(), *(RigidInertia(*(values[f"{name}{j}"] for name in INERTIA)) for j in links)]
    rotors = [0.0, *(values[f"IA{j}"] if j in robot.tree_joints else 0.0 for j in links)]
    K, IA = group(places, inertias, rotors, Vec3(*map(number, gravity)), motions(robot, places))
    regressor = Regressor(robot, values)
    q, qd, qdd = rng.uniform(-1, 1, (3, len(robot.tree_joints)))
    left = [IA[j] if name == "IA" else getattr(K[j], name) for j, name in regressor.columns]
    torques = Oracle(robot, values).torques(q, qd, qdd, dict.fromkeys(values, 0.0) | values)
    friction = [values.get(f"FV{j}", 0) * v + values.get(f"FS{j}", 0) * np.sign(v)
                for j, v in zip(robot.tree_joints, qd, strict=True)]  # fmt: skip
    assert np.allclose(regressor(q, qd, qdd) @ np.array(left, dtype=float), torques - friction, atol=1e-9)
    kept = [entry != 0 for entry in left]
    W = regressor.stacked(14 * robot.NL, rng)
    assert sum(kept) == rank(W[:, kept]) == rank(W)  # the set is minimal
