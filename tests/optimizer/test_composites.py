"""Inertia matrix and gravity torques from composite links with second moments agree with Pinocchio and the book."""

from __future__ import annotations

import random

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from cases.dynamic import draw
from evaluation import agree, same_outputs
from random_robots import random_robot
from robosym.algebra import symbols
from robosym.mechanism import Robot
from robosym.model import Model
from robosym.optimizer.recursions.lengths import lengths
from robosym.optimizer.recursions.of_trees import inertia_by_composites
from robosym.optimizer.recursions.treatments import CompositeOptions

ARMS = ("puma560", "ur5e", "rx90", "scara", "planar2r", "gs_tree", "stanford", "gantry3p3r")


def symmetric(robot: Robot, rng: random.Random) -> Robot:
    """Return bodies with center of mass on an axis, which leave rods, balls or nothing."""

    def link() -> dict[str, float]:
        moments = {name: rng.choice((0.3, 0.3, 0.7)) for name in ("XX", "YY", "ZZ")}
        first = dict.fromkeys(("MX", "MY", "MZ"), 0.0) | {rng.choice(("MX", "MY", "MZ")): rng.uniform(-1, 1)}
        return {**moments, "XY": 0, "XZ": 0, "YZ": 0, **first, "M": rng.uniform(0.5, 2)}

    return robot.with_links(link() for _ in range(robot.NL))


def ways(robot: Robot, model: Model, rng: random.Random) -> list[CompositeOptions]:
    """Return some options of composite links, without units that the model does not know."""
    joints = range(1, robot.NL + 1)
    some = [frozenset(j for j in joints if rng.random() < share) for share in (0, 0.5, 1)]
    known = set(model.inputs.get("parameters", ()))
    units = [None, *((j, d) for j, d in lengths(robot) if {*symbols([getattr(robot.frame(j), d)])} <= known)]
    return [CompositeOptions(bool(n & 1), bool(n & 2), apart, rng.choice(units)) for n in range(4) for apart in some]


@pytest.mark.parametrize("seed", range(24))
def test_all_options_agree(seed: int) -> None:
    """Trees with prismatic and fixed joints, gamma and b, numbers and symbols; arms with parallel axes; rods."""
    rng = random.Random(seed)
    if seed % 3:
        robot = random_robot(rng, links=rng.randint(1, 6), symbolic=seed % 2 == 0)
    else:
        robot = rs.load(ARMS[seed // 3])
    robot = symmetric(robot, rng) if seed % 4 == 1 or seed % 6 == 0 else robot
    model = rs.inertia_matrix(robot, gravity=True)
    for way in ways(robot, model, rng):
        same_outputs(model, inertia_by_composites(robot, way, gravity=True), seed=seed, states=2)


@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_pinocchio(seed: int) -> None:
    """Both output groups of the plain model and of the variants."""
    case = draw(seed, symbolic=seed % 2 == 0)
    oracle = case.oracle
    weight = oracle.back(pin.computeGeneralizedGravity(oracle.model, oracle.data, oracle.q(case.vector("q"))))
    plain = rs.inertia_matrix(case.robot, gravity=True)
    some = ways(case.robot, plain, random.Random(seed))[::5]
    others = [inertia_by_composites(case.robot, way, gravity=True) for way in some]
    for model in (plain, *others):
        found = case.number(model)
        agree(found["A"], case.inertia())
        agree(found["Q"], weight)


@pytest.mark.parametrize("name", ["sr400", "akr3000"])
def test_gravity_of_a_closed_robot(name: str) -> None:
    robot = rs.load(name)
    both = rs.inertia_matrix(robot, gravity=True)
    same_outputs(both.select("Q"), rs.gravity_torques(robot))
    same_outputs(both.select("A"), rs.inertia_matrix(robot))
    same_outputs(both, rs.optimize(both, 2))


def test_gravity_in_motor_coordinates() -> None:
    K = np.eye(6).tolist()
    K[2][1] = 1
    driven = rs.load("ur5e").with_transmission(K)
    both = rs.inertia_matrix(driven, gravity=True)
    same_outputs(both.select("Q"), rs.gravity_torques(driven))
    same_outputs(both.select("A"), rs.inertia_matrix(driven))


@pytest.mark.parametrize(("name", "bar"), [("puma560", 127), ("ur5e", 132), ("rx90", 240), ("panda", 345)])
def test_operation_counts(name: str, bar: int) -> None:
    model = rs.inertia_matrix(rs.load(name))
    best = rs.optimize(model, 2)
    assert best.operations.total <= bar
    same_outputs(model, best)


def test_gravity_is_nearly_free() -> None:
    """The first moments of the carried links are already known."""
    robot = rs.load("puma560")
    both, alone = (rs.optimize(rs.inertia_matrix(robot, gravity=gravity), 2) for gravity in (True, False))
    assert both.operations.total <= alone.operations.total + 12
    assert rs.optimize(rs.gravity_torques(robot), 2).operations.total > 20


@pytest.mark.parametrize("name", ["rx90", "puma560"])
def test_goal_speed_adds_no_angles(name: str) -> None:
    model = rs.inertia_matrix(rs.load(name))
    assert rs.optimize(model, 2, goal="speed").operations.functions <= model.operations.functions


@pytest.mark.long
def test_puma_with_assumed_symmetries() -> None:
    """With the measured numbers; then link 5 a body of revolution, and the center of mass of link 2 on its axis x."""
    robot = rs.load("puma560")
    links: list[dict[str, float]] = [{} for _ in range(6)]
    links[1], links[4] = {"MY": 0, "XY": 0, "YZ": 0}, {"XX": 0.0004}
    for puma, bar in ((robot, 119), (robot.with_links(links), 106)):
        model = rs.inertia_matrix(puma, gravity=True)
        best = rs.optimize(model, "max")
        assert best.operations.total <= bar
        same_outputs(model, best)
