"""Links in closed form after a fixed first axis; axes at any angle; variants of energy and free bases."""

from __future__ import annotations

import random

import pytest

import robosym as rs
from evaluation import same_outputs
from random_robots import random_robot
from robosym.mechanism.bodies import tree_of
from robosym.optimizer.optimize import simplified
from robosym.optimizer.recursions.of_trees import bias_by_second_moments, inverse_by_second_moments
from robosym.optimizer.recursions.transverse import along_first_axis, transverse_link
from robosym.optimizer.recursions.treatments import ACROSS, LUMPED, PAST, TURNED, Treatments

GRAVITY = {"upright": "[0, 0, G3]", "tilted": "[GX, 0, G3]"}


def arm(seed: int, gravity: str) -> rs.Robot:
    """Return an arm with arbitrary angles and lengths, some axes parallel, and symbols."""
    draw = random.Random(seed)
    frames = [f"  - {{theta: t1, r: R1, alpha: {draw.choice(('0', '0', 'Pi/3'))}}}"]
    for j in range(2, draw.randint(3, 6)):
        alpha = draw.choice(("Pi/2", "-Pi/2", f"al{j}", "0" if j > 2 else "Pi/2", "0", "Pi/3"))
        gamma = draw.choice((0, 0, 0, f"ga{j}"))
        d, r, b = (draw.choice((0, f"{letter}{j}")) for letter in "DRB")
        frames.append(f"  - {{alpha: {alpha}, d: {d}, theta: t{j}, r: {r}, gamma: {gamma}, b: {b}}}")
    text = "\n".join(["name: arm", "frames:", *frames, "links: symbolic", f"gravity: {GRAVITY[gravity]}", ""])
    return rs.loads(text, format="yaml")


@pytest.mark.parametrize("gravity", GRAVITY)
@pytest.mark.parametrize("seed", range(10))
def test_links_in_closed_form(seed: int, gravity: str) -> None:
    robot = arm(seed, gravity)
    model = rs.inverse_dynamics(robot)
    last = robot.NL
    for ways in (
        {2: ACROSS},
        {2: ACROSS, 3: ACROSS},
        {2: TURNED, 3: ACROSS, last: LUMPED},
        dict.fromkeys(range(1, 9), ACROSS),
        {2: ACROSS, 3: PAST},
        dict.fromkeys(range(1, 9), PAST),
    ):
        for slid in (frozenset[int](), frozenset({2, 3})):
            same_outputs(
                model, inverse_by_second_moments(robot, Treatments(ways, slid, bool(seed % 2), bool(seed % 3)))
            )
    same_outputs(rs.bias_torques(robot), bias_by_second_moments(robot, Treatments({2: ACROSS, 3: ACROSS})))


def parallel(alpha: str, count: int) -> rs.Robot:
    """Return an arm with parallel axes at an angle to the first, and an inclined base and gravity."""
    frames = ["  - {theta: t1, r: R1, alpha: Pi/5}"]
    frames += [f"  - {{alpha: {alpha}, d: D2, theta: t2, r: R2, gamma: G2, b: B2}}"]
    frames += [f"  - {{d: D{j}, theta: t{j}, r: R{j}, b: B{j}}}" for j in range(3, 3 + count)]
    text = "\n".join(["name: planes", "frames:", *frames, "links: symbolic", "gravity: [GX, GY, G3]", ""])
    return rs.loads(text, format="yaml")


@pytest.mark.parametrize("phases", [False, True])
@pytest.mark.parametrize("alpha", ["Pi/2", "-Pi/2", "al2"])
def test_first_moments_of_parallel_axes(alpha: str, phases: bool) -> None:
    robot = parallel(alpha, 3)
    model = rs.inverse_dynamics(robot)
    for ways in ({2: PAST}, {3: PAST}, {4: PAST, 5: ACROSS}, dict.fromkeys(range(2, 6), PAST)):
        for slid in (frozenset[int](), frozenset({3, 4})):
            same_outputs(model, inverse_by_second_moments(robot, Treatments(ways, slid, True, True, phases)))


def test_operation_count_of_the_rx90() -> None:
    counts = []
    for way in (ACROSS, PAST):
        choice = Treatments({2: ACROSS, 3: way}, frozenset(), True, True, phases=True, unit=(3, "d"))
        online = simplified(inverse_by_second_moments(rs.load("rx90"), choice)).operations.online
        assert online is not None
        counts.append(online.total)
    assert counts[1] < counts[0]


def test_transverse_links_of_a_robot() -> None:
    robot = rs.load("rx90")
    tree = tree_of(robot, lambda entry: entry)
    found = {j: transverse_link(tree, j) for j in range(1, 7)}
    assert [j for j, place in found.items() if place is not None] == [2, 3]
    assert found[3] is not None and found[3].joints == (2, 3) and found[3].first == 1
    assert along_first_axis(tree, found[3])
    assert (
        transverse_link(tree_of(random_robot(random.Random(1), links=4, mobile=True), lambda entry: entry), 2) is None
    )


@pytest.mark.parametrize("option", ["floating", "elastic"])
def test_regrouping_after_free_joints_and_bases(option: str) -> None:
    fewer = 0
    for seed in range(2):
        robot = random_robot(random.Random(seed), links=3, **{option: True})
        for make in (rs.inverse_dynamics, rs.direct_dynamics, rs.energy):
            model = make(robot)
            best = rs.optimize(model, 2)
            same_outputs(model, best, 1e-9)
            fewer += best.operations.total < rs.optimize(model, 1).operations.total
    assert fewer >= 4


@pytest.mark.parametrize("name", ["stanford"])
def test_energy_and_coriolis_with_regrouped_mass(name: str) -> None:
    models = [rs.energy(rs.load(name)), rs.coriolis_matrix(rs.load(name), structure="tree")]
    for model in models:
        best = rs.optimize(model, 2)
        assert best.operations.total < rs.optimize(model, 1).operations.total
        same_outputs(model, best)
