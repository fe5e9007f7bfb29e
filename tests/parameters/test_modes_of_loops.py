"""Base parameters of closed robots in the mode of their reference position, against a rank by singular values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import robosym as rs
from cases.closed_robots import bennett, five_bar
from cases.parallel_robots import REFERENCED, VIRTUAL
from long_cases import quick_and_long
from robosym.algebra.samples import evaluate_arrays
from robosym.coordinates.closing import Closing, reached_from, reference_position
from robosym.mechanism import INERTIA, Coupling, Robot

#: the first four have a translational mode, without rotation of the platform
COUNTS = {
    "delta_ruu": 34, "delta_rods": 34, "delta_pa": None, "orthoglide": None, "three_upu": 37, "tripteron": None,
    "palletizer": 24, "agile_eye": None, "bennett": None,
}  # fmt: skip


def described(name: str) -> Robot:
    """Return the robot with standard symbols on every link except virtual ones, gravity along z."""
    robot, position = (bennett(), {"t1": 0.8}) if name == "bennett" else REFERENCED[name]()
    virtual = VIRTUAL.get(robot.name, frozenset())
    links = [{n: 0 if j in virtual else f"{n}{j}" for n in INERTIA} for j in range(1, robot.NL + 1)]
    robot = robot.with_links(links)
    gravity = tuple(robot.graph.number(g) for g in (0, 0, -9.81))
    return replace(robot, gravity=gravity, position=position)


def rank(robot: Robot) -> int:
    """Return the rank of the energies of the links at many states, by singular values."""
    model = rs.energy_identification(robot, base_parameters=False, structure="tree")
    closing, rng = Closing(robot), np.random.default_rng(3)
    start = reference_position(closing, robot.position, {})
    positions = reached_from(closing, start, 120, rng, [j for j in robot.tree_joints if robot.frame(j).mu])
    values: dict[str, list[float]] = {}
    for position in positions:
        basis = closing.velocities(position)
        for _ in range(4):
            rates = basis @ rng.normal(size=basis.shape[1])
            for j, rate in zip(robot.tree_joints, rates, strict=True):
                values.setdefault(robot.variable(j), []).append(position[robot.variable(j)])
                values.setdefault(f"QP{j}", []).append(rate)
    rows = len(next(iter(values.values())))
    names = [n for row in model.outputs["h"] for n in row]
    found = evaluate_arrays([model.definitions[n] for n in names], {n: np.array(v) for n, v in values.items()})
    table = np.column_stack([np.broadcast_to(column, rows) for column in found])
    table = np.diff(table, axis=0)
    lengths = np.linalg.norm(table, axis=0)
    table = table[:, lengths > 1e-9] / lengths[lengths > 1e-9]
    singular = np.linalg.svd(table, compute_uv=False)
    return int((singular > 1e-9 * singular[0]).sum())


@pytest.mark.parametrize(("leader", "ratio"), quick_and_long([("t1", -1.0), ("t4", 0.5)], long=[("t1", -1.0)]))
def test_couplings_and_loops(leader: str, ratio: float) -> None:
    """Five-bar with a gear between its cranks, or between a crank and an elbow: one degree of freedom."""
    position = {"t1": 2.0, "t2": -1.3, "t3": 0.9, "t4": 1.1}
    robot = five_bar().with_values({"L0": 0.8, "L1": 0.5, "L2": 0.5, "L3": 0.6, "L4": 0.7})
    closed = reference_position(Closing(robot), position, {})
    frames = tuple(replace(frame, mu=int(j == (1 if leader == "t1" else 3))) for j, frame in enumerate(robot.frames, 1))
    follower = "t3" if leader == "t1" else "t2"
    coupling = Coupling({leader: ratio}, closed[follower] - ratio * closed[leader])
    links = [{n: f"{n}{j}" for n in INERTIA} for j in range(1, robot.NL + 1)]
    robot = replace(robot, frames=frames, couplings={follower: coupling}, position=closed).with_links(links)
    robot = replace(robot, gravity=tuple(robot.graph.number(g) for g in (0, -9.81, 0)))
    expected = rank(robot)
    assert len(rs.base_parameters(robot).names) == len(rs.base_parameters(robot, method="numeric").names) == expected
    assert len(rs.dynamic_identification(robot, base_parameters=True).columns) == expected


@pytest.mark.parametrize(
    "name", quick_and_long(COUNTS, long="delta_pa delta_rods orthoglide three_upu delta_ruu palletizer")
)
def test_number_equals_rank(name: str) -> None:
    robot = described(name)
    symbolic, numeric = rs.base_parameters(robot), rs.base_parameters(robot, method="numeric")
    expected = rank(robot)
    assert (len(symbolic.names), len(numeric.names)) == (expected, expected)
    assert COUNTS[name] in (None, expected)
