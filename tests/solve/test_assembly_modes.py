"""Test assembly modes: number, against Newton's method from a thousand random starts; order; continuation."""

from __future__ import annotations

import re
from dataclasses import replace
from math import pi

import numpy as np
import pytest

import robosym as rs
from cases.closed_robots import (
    bennett,
    cylindrical_cut,
    five_bar,
    four_bar,
    palletizer,
    rssr,
    slider_crank,
    spherical_four_bar,
    stephenson,
    three_rrr,
    universal_cut,
    watt,
)
from cases.forward import place
from long_cases import quick_and_long
from robosym.algebra.samples import Array
from robosym.chains.numeric_chain import distinct, wrapped
from robosym.coordinates.closing import Closing
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.solve.loop_geometry import LoopGeometry, loop_geometry

SR400 = {"D2": 0.1, "D3": 0.8, "D4": 0.2, "RL4": 0.9, "D8": 0.3}
AKR3000 = {"D3": 0.7, "D4": 0.6, "D7": 0.9, "g13": 0.4, "D13": 0.5, "g14": 0.3, "D14": 0.55, "RL8": 1.0}
#: robot, parameters, motor positions, number of modes
CASES = [
    (palletizer(), {}, (0.3, 0.4, 1.1, 0.2), 8),
    (rs.load("sr400"), SR400, (0.1, 0.3, 0.2, 0.5, 0.6, 0.9), 2),
    (rs.load("akr3000"), AKR3000, (0.2, 0.95, 0.8, 0.1, 0.2, 0.3), 4),
    (five_bar(), {"L0": 1.0, "L1": 0.6, "L2": 0.55, "L3": 0.8, "L4": 0.85}, (1.9, 0.8), 2),
    (four_bar(), {}, (0.8,), 2),
    (slider_crank(), {"L1": 0.3, "L2": 1.0, "g5": 0.2, "H": 0.1}, (0.7,), 2),
    (watt(), {}, (0.4,), 4),
    (stephenson(), {}, (2.5,), 4),
    (bennett(), {}, (0.7,), 1),
    (spherical_four_bar(), {}, (0.5,), 2),
    (universal_cut(), {}, (0.06, 2.2), None),
    (cylindrical_cut(), {}, (0.06,), None),
    (rssr(), {"A": 0.3, "C": 0.9, "B": 0.7, "H": 1.0}, (0.4,), 8),
    (three_rrr(), {}, (0.9, 2.0, -1.5), 6),
]
NAMES = [robot.name for robot, *_ in CASES]


def random_starts(robot: Robot, model: LoopGeometry, parameters: dict[str, float], q: Array, starts: int) -> Array:
    """Return distinct closed positions of the tree joints, from random values of the unknown joints."""
    closing = Closing(robot)
    joints, names = closing.gaps.joints, closing.gaps.names
    sliding = np.array([not robot.frame(j).joint_type.turns for j in joints])
    x = np.random.default_rng(7).uniform(-1, 1, (starts, len(joints))) * np.where(sliding, 1.5, pi)
    for name, value in zip(model.known, q, strict=True):
        x[:, names.index(name)] = value
    x, left = closing.settle(parameters, x, [j for j, name in zip(joints, names, strict=True) if name in model.known])
    count = len(robot.tree_joints)
    x, sliding = wrapped(x[left < 1e-10], sliding)[:, :count], sliding[:count]
    return x[distinct(x, sliding, 1.0, np.full(len(x), 1e-11))]


def solved(model: LoopGeometry, q: object, parameters: dict[str, float], **more: object) -> Array:
    return model.solve(q, {name: value for name, value in parameters.items() if name in model.parameters}, **more)


#: loops similar to others
LONG = "stephenson rrr3 cardan akr3000 rssr cylinder"


@pytest.mark.parametrize("name", quick_and_long(NAMES, long="cardan akr3000 stephenson"))
def test_finds_every_mode(name: str) -> None:
    robot, parameters, motors, count = CASES[NAMES.index(name)]
    model = loop_geometry(robot)
    q = np.array(motors)
    modes = solved(model, q, parameters)
    met = random_starts(robot, model, parameters, q, 1000)
    assert len(modes) == (count or len(met)) == len(met)
    for row in modes:
        assert np.abs(np.sin((met - row) / 2)).max(axis=1).min() < 1e-5
        values = parameters | dict(zip(model.joints, row, strict=True))
        for cut, fixed in robot.loops:
            values.setdefault(robot.variable(cut), 0.0)
            apart = np.linalg.inv(place(robot, values, cut)) @ place(robot, values, fixed)
            axis = robot.frame(cut).joint_type.only_slides
            assert np.abs(apart[:2, 3] if axis else apart[:3, 3]).max() < 1e-9
            assert abs(apart[2, 2] - 1) < 1e-9


@pytest.mark.parametrize("name", quick_and_long(NAMES, long=LONG))
def test_follows_a_mode(name: str) -> None:
    """The motors move along a small circle, two turns away from the angles that `solve` returns."""
    robot, parameters, motors, _ = CASES[NAMES.index(name)]
    model = loop_geometry(robot)
    turning = np.array([robot.frame(j).joint_type.turns for j in robot.tree_joints])
    start = solved(model, motors, parameters)[0] + 4 * pi * turning
    follow = model.compile(parameters)
    here = start
    for angle in np.linspace(0, 2 * pi, 40):
        q = (
            np.array(motors)
            + 0.03 * (np.exp(1j * angle) - 1).real
            + (0.02 * np.sin(angle) + 4 * pi) * np.array([turning[model.joints.index(name)] for name in model.known])
        )
        before, here = here, follow(q, here)
        assert np.abs(here - before).max() < 0.3
        nearest = solved(model, q, parameters, near=before)[0]
        free = solved(model, q, parameters).free
        if not any(free):
            assert np.abs(nearest - here).max() < 1e-7
    assert any(free) or np.abs(here - start).max() < 1e-6


def test_reference_mode_comes_first() -> None:
    robot = palletizer()
    model = loop_geometry(robot)
    q = [0.3, 0.4, 1.1, 0.2]
    modes = model.solve(q)
    value = dict(zip(model.joints, modes[0], strict=True))  # three parallelograms, none of them crossed
    assert np.sin(value["t2"] + value["t3"] - value["t4"]) == pytest.approx(0, abs=1e-9)
    assert value["t5"] == pytest.approx(value["t2"] - value["t4"]) and value["t6"] == pytest.approx(value["t2"])
    for mode in modes:
        named = replace(robot, position=dict(zip(model.joints, map(float, mode), strict=True)))
        first = loop_geometry(named).solve([0.4, 0.5, 1.2, 0.1])[0]
        followed = model.near([0.4, 0.5, 1.2, 0.1], mode)
        assert np.abs(np.sin((first - followed) / 2)).max() < 1e-9


@pytest.mark.parametrize("robot", [palletizer(), watt(), bennett(), rssr()], ids=lambda robot: robot.name)
def test_explanation_has_no_rounding_noise(robot: Robot) -> None:
    text = loop_geometry(robot).explain()
    assert not re.search(r"e-1\d|\d[eE]-\d\d|\.\d{14}", text)


def test_reports_where_a_mode_ends() -> None:
    model = loop_geometry(five_bar())
    lengths = {"L0": 1.0, "L1": 0.6, "L2": 0.55, "L3": 0.4, "L4": 0.4}
    start = model.solve([1.3, 1.8], lengths)[0]
    with pytest.raises(InputError, match="ends before these joints are reached, at about t1 = "):
        model.near([3.1, 0.1], start, lengths)
    with pytest.raises(InputError, match="open in the position given as near"):
        model.near([1.3, 1.8], start + 5.0, lengths | {"L3": 0.01, "L4": 0.01})
    with pytest.raises(InputError, match="expected the 2 joints t1, t3"):
        model.near([1.3], start, lengths)
    with pytest.raises(InputError, match="expected finite numbers"):
        model.solve([1.3, 1.8], lengths, near=[np.nan, 0, 0, 0])
