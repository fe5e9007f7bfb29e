"""Base parameters of loops along their whole motion, against Pinocchio's energies."""

from __future__ import annotations

import re
from dataclasses import replace
from math import atan2

import numpy as np
import pytest

import robosym as rs
from cases.linkages import LINKAGES
from cases.over_constrained import (
    bennett,
    bricard,
    bricard_of_a_plane,
    bricard_of_a_trihedron,
    clemens,
    goldberg,
    rrsrr,
    seven_bars,
    with_inertias,
)
from long_cases import quick_and_long
from oracles.regressor import base_difference, rank
from oracles.whole_turn import WholeTurn

COUNTS = {
    bricard: 24, clemens: 11, goldberg: 15, rrsrr: 19, seven_bars: 31, LINKAGES["peaucellier"]: 14,
    LINKAGES["whitworth"]: 8, LINKAGES["excavator"]: 60, bennett: 9, bricard_of_a_plane: 23, bricard_of_a_trihedron: 24,
}  # fmt: skip
CASES = {make.__name__: (make, count) for make, count in COUNTS.items()}
#: slow loops
LONG = "excavator peaucellier bricard bricard_of_a_plane bricard_of_a_trihedron seven_bars goldberg clemens"


@pytest.mark.parametrize("name", quick_and_long(CASES, long=LONG))
def test_minimal_and_valid_along_whole_motion(name: str) -> None:
    make, count = CASES[name]
    robot = with_inertias(*make())
    base = rs.base_parameters(robot)
    rank, error = WholeTurn(robot).rank_and_error(base)
    assert len(base.names) == rank == count
    assert error < 1e-9
    assert rs.base_parameters(robot, method="numeric").names == base.names


def test_legs_beyond_dead_center() -> None:
    """The plate of a Sarrus linkage moves as before after the knee of a leg passes its stretched position."""
    robot = with_inertias(*LINKAGES["sarrus"]())
    base = rs.base_parameters(robot)
    fold, legs = 2 * atan2(0.35, 0.3), (("t1", "t2", "t3"), ("t4", "t5", "t8"), ("t6", "t7", "t9"))
    turns = []
    for folded in ((), legs[:1], legs[1:2]):
        position = dict(robot.position)
        for hip, knee, wrist in folded:
            position[hip], position[knee] = position[hip] - fold, position[knee] + 2 * fold
            position[wrist] = position[wrist] - fold
        turns.append(WholeTurn(replace(robot, position=position)))
        assert np.abs(turns[-1].start - [position[name] for name in turns[-1].gaps.names]).max() < 1e-9
    assert all(turn.rank_and_error(base)[1] < 1e-9 for turn in turns)
    columns, _ = turns[0].rows(turns[0].positions[:1])
    rows = np.vstack([turn.rows(turn.positions[::8])[1] for turn in turns])
    assert rank(rows[:, [columns.index(p.place) for p in base.standard.inertial]]) == len(base.names) == 9


def test_numeric_and_symbolic_counts_agree() -> None:
    """Massless links between the axes of a ball joint have no parameters, numeric or symbolic."""
    robot = with_inertias(*clemens())
    values = {name: 1.0 + 0.1 * k for k, name in enumerate(robot.parameters) if name[0] in "XYZM"}
    base = rs.base_parameters(robot.with_values(values))
    assert len(base.names) == 11
    assert len(base.standard_names) == 40


@pytest.mark.parametrize("digits", [9, 11])
def test_overconstrained_loop_with_few_digits(digits: int) -> None:
    robot = with_inertias(*goldberg())
    text = re.sub(r"-?\d+\.\d{8,}(e-\d+)?", lambda number: f"{float(number[0]):.{digits}g}", robot.dumps("yaml"))
    found = rs.base_parameters(rs.loads(text, format="yaml"), method="numeric")
    assert len(found.names) == 15
    assert "all along the mode of the reference position" in found.remark


SCREWS = """name: screws
frames:
  - {sigma: 3, pitch: 0.4, theta: t1}
  - {theta: t2, d: L2, alpha: 0.4}
  - {sigma: 3, pitch: -0.3, theta: t3, d: 0.2, alpha: 1.1}
links: symbolic
gravity: [0.1, 0.2, -9.81]
"""
MOTION = "".join(f", {name}: [{name}x, {name}y, {name}z]" for name in ("W0", "WP0", "V0", "VP0"))


@pytest.mark.parametrize("kind", ["fixed", "mobile", "floating"])
def test_helical_joints_in_tree(kind: str) -> None:
    text = SCREWS if kind == "fixed" else f"{SCREWS}base: {{type: {kind}{MOTION if kind == 'mobile' else ''}}}\n"
    robot = rs.loads(text, format="yaml")
    rng = np.random.default_rng(2)
    values = {name: float(rng.uniform(0.5, 2)) for name in robot.parameters}
    base = rs.base_parameters(robot)
    count, error = base_difference(robot, base, values, rng, joints_only=kind == "mobile")
    assert len(base.names) == count
    assert count == 22 or kind != "fixed"
    assert error < 1e-9
