"""A joint type is one entry of a table: a test defines a helical joint and runs every tree model with it."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from evaluation import Array, agree, on_graph, random_values
from long_cases import quick_and_long
from oracles.pinocchio import Oracle
from random_robots import random_robot
from robosym.algebra import evaluate
from robosym.errors import RobotError
from robosym.mechanism import FIXED, JOINT_TYPES, PRISMATIC, REVOLUTE, JointType, Robot

HELICAL = JointType(7, "screw", "theta", angular=1, linear=0.35)


@pytest.fixture(autouse=True)
def helical(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(JOINT_TYPES, HELICAL.sigma, HELICAL)


def draw(seed: int, wrenches: bool = True) -> tuple[Robot, dict[str, float], Oracle]:
    """Return a random tree in which every other revolute joint is helical, values of its symbols, and the oracle."""
    rng = random.Random(seed)
    robot = random_robot(rng, links=rng.randint(2, 6), symbolic=seed % 2 == 0, wrenches=wrenches)
    frames = [replace(f, sigma=HELICAL.sigma) if f.sigma == REVOLUTE and j % 2 == 0 else f
              for j, f in enumerate(robot.frames)]  # fmt: skip
    robot = replace(robot, frames=tuple(frames))
    values = dict.fromkeys(robot.parameters, 0.7)
    for model in (rs.inverse_dynamics(robot), rs.direct_dynamics(robot)):
        values |= random_values(model, rng)
    return robot, values, Oracle(robot, values)


def state(robot: Robot, values: dict[str, float]) -> tuple[Array, Array, Array]:
    rows = [[values[robot.variable(j)] for j in robot.tree_joints]]
    rows += [[values[getattr(robot.joint(j), name).value] for j in robot.tree_joints] for name in ("QP", "QDP")]
    q, qd, qdd = (np.array(row) for row in rows)
    return q, qd, qdd


@pytest.mark.parametrize("seed", range(12))
def test_helical_joint_in_dynamic_models(seed: int) -> None:
    robot, values, oracle = draw(seed)
    q, qd, qdd = state(robot, values)
    n = len(q)
    torques = oracle.torques(q, qd, qdd, values)
    agree(on_graph(rs.inverse_dynamics(robot), values), torques)
    bias = oracle.torques(q, qd, 0 * qdd, values)
    agree(on_graph(rs.bias_torques(robot), values), bias)
    A = np.array([oracle.torques(q, qd, row, values) - bias for row in np.eye(n)])
    agree(on_graph(rs.inertia_matrix(robot), values).reshape(n, n), A)
    tau = {robot.joint(j).GAM.value: torque for j, torque in zip(robot.tree_joints, torques, strict=True)}
    for route in ("recursive", "cholesky"):
        agree(on_graph(rs.direct_dynamics(robot, route=route), values | tau), qdd)
    modified = on_graph(rs.modified_newton_euler(robot), values)
    agree(modified, np.concatenate([A.ravel(), bias]))


@pytest.mark.parametrize("seed", range(8))
def test_helical_joint_in_velocity_matrices(seed: int) -> None:
    robot, values, oracle = draw(seed)
    q, qd, _ = state(robot, values)
    n = len(q)
    forces = pin.rnea(oracle.model, oracle.data, oracle.q(q), oracle.v(qd), oracle.v(0 * qd))
    weight = oracle.back(pin.computeGeneralizedGravity(oracle.model, oracle.data, oracle.q(q)))
    agree(on_graph(rs.coriolis_matrix(robot), values).reshape(n, n) @ qd, oracle.back(forces) - weight)
    model = rs.lagrange(robot)
    parts = {group: on_graph(model.select(group), values) for group in model.outputs}
    pairs = [qd[a] * qd[b] for a in range(n) for b in range(a + 1, n)]
    found = parts["C"].reshape(n, n) @ qd**2 + parts["Q"]
    found = found + (parts["B"].reshape(n, -1) @ pairs if pairs else 0)
    agree(found, oracle.back(forces))


@pytest.mark.parametrize("seed", range(8))
def test_helical_joint_in_kinematic_models(seed: int) -> None:
    robot, values, oracle = draw(seed)
    q, qd, qdd = state(robot, values)
    pin.forwardKinematics(oracle.model, oracle.data, oracle.q(q), oracle.v(qd), oracle.v(qdd))
    pin.updateFramePlacements(oracle.model, oracle.data)
    last = robot.NL
    T = on_graph(rs.direct_geometry(robot, 0, last), values).reshape(4, 4)
    agree(T, oracle.data.oMf[oracle.frames[last]].homogeneous)
    velocity = on_graph(rs.velocities(robot), values).reshape(2, last, 3)
    acceleration = on_graph(rs.accelerations(robot), values).reshape(2, last, 3)
    for j in range(1, last + 1):
        at = (oracle.model, oracle.data, oracle.frames[j], pin.ReferenceFrame.LOCAL)
        motion = pin.getFrameVelocity(*at)
        agree(velocity[:, j - 1].ravel(), motion.vector)
        agree(acceleration[:, j - 1].ravel(), pin.getFrameClassicalAcceleration(*at).vector)
    J = on_graph(rs.jacobian(robot, last, projection=last, intermediate=last), values).reshape(6, -1)
    moving = [place for place, j in enumerate(robot.tree_joints) if robot.variable(j) in _before(robot, last)]
    agree(J @ qd[moving], velocity[:, last - 1].ravel())


def _before(robot: Robot, link: int) -> set[str | None]:
    names = set()
    while link:
        names.add(robot.variables[link - 1])
        link = robot.frame(link).ant
    return names


@pytest.mark.parametrize("seed", quick_and_long(range(6), long=(0, 1, 3)))
def test_helical_joint_in_parameters_and_optimizer(seed: int) -> None:
    """The grouping rules do not cover helical joints: parameters that remain must give the same torques."""
    robot, values, oracle = draw(2 * seed, wrenches=False)
    torques = oracle.torques(*state(robot, values), values)
    reduced = rs.inverse_dynamics(robot, base_parameters=True)
    base = rs.base_parameters(robot)
    standard = values | dict(zip(base.names, evaluate(list(base.grouping.values()), values), strict=True))
    agree(on_graph(reduced, standard), torques)
    model = rs.dynamic_identification(robot)
    agree(on_graph(model, values).reshape(len(torques), -1) @ [values[n] for n in model.columns], torques)
    agree(on_graph(rs.optimize(rs.inverse_dynamics(robot), 3 if seed == 1 else 2), values), torques)


def test_properties_follow_from_unit_motion() -> None:
    revolute, prismatic, fixed = (JOINT_TYPES[sigma] for sigma in (REVOLUTE, PRISMATIC, FIXED))
    types = (revolute, prismatic, fixed, HELICAL)
    assert [(t.turns, t.slides, t.moves, t.only_turns, t.only_slides) for t in types] == [
        (True, False, True, True, False),
        (False, True, True, False, True),
        (False, False, False, False, False),
        (True, True, True, False, False),
    ]
    assert [t.component for t in types] == [5, 2, None, None]
    assert (revolute.along(2, 3), prismatic.along(2, 3), HELICAL.along(2.0, 3.0)) == (3, 2, 3.7)
    assert HELICAL.placed(2.0, 1.0) == (2.0, 1.7) and prismatic.placed(2.0, 1.0) == (2.0, 1.0)


def test_rejects_unknown_joint_types() -> None:
    robot = rs.load("planar2r")
    with pytest.raises(
        RobotError, match=r"0 \(revolute\), 1 \(prismatic\), 2 \(fixed\), 3 \(helical\) or 7 \(screw\), found 5"
    ):
        replace(robot, frames=(replace(robot.frames[0], sigma=5), *robot.frames[1:]))
