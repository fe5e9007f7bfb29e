"""Relations between energy functions of links of loops are constant along closed motions."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from cases.identification import (
    FOUR_BAR,
    FOUR_BAR_ON_AN_ARM,
    PANTOGRAPH,
    PARALLELOGRAM,
    SLIDER_CRANK,
    SWINGING_BLOCK,
    TWO_PARALLELOGRAMS,
    closing_values,
    closure,
    yaml,
)
from oracles.energy import EnergyOracle
from robosym.algebra import Graph, evaluate
from robosym.coordinates.loops import parallelograms
from robosym.mechanism.motion import frame_places
from robosym.parameters.by_rules import grouped_by_rules
from robosym.parameters.freedom import motions
from robosym.parameters.loop_relations import loop_relations
from robosym.parameters.standard import standard_parameters

TURNED_OVER = tuple(  # with a reversed axis of joint 2
    text.replace("theta: t2", "alpha: Pi, theta: t2").replace("theta: t4", "alpha: Pi, theta: t4")
    for text in (FOUR_BAR, PARALLELOGRAM)
)
PLANAR = (*TURNED_OVER, FOUR_BAR, PARALLELOGRAM, SLIDER_CRANK, SWINGING_BLOCK, PANTOGRAPH, TWO_PARALLELOGRAMS)


@pytest.mark.parametrize("text", [*PLANAR, FOUR_BAR_ON_AN_ARM, "sr400", "akr3000"])
def test_closed_robots(text: str) -> None:
    robot = yaml(text) if "\n" in text else rs.load(text)
    rng, graph = np.random.default_rng(1), Graph()
    values = closing_values(robot, rng)
    energies, closed = EnergyOracle(robot, values), closure(robot, values)
    places, _ = frame_places(robot, graph)
    shapes = parallelograms(robot, places)
    relations = list(loop_relations(robot, places, shapes, motions(robot, places, shapes)))
    assert relations
    standard = standard_parameters(robot, closed=True)
    left = grouped_by_rules(robot, standard, closed=True)
    base = dict(zip(left, evaluate(left.values(), values), strict=True))
    totals = []
    for _ in range(4):
        q, basis = closed.sample(rng)
        h = energies(q, basis @ rng.normal(size=basis.shape[1]))
        sums = [
            sum(
                c * h[place] for place, c in zip(r, evaluate([graph.zero + c for c in r.values()], values), strict=True)
            )
            for r in relations
        ]
        whole = sum(evaluate([p.entry], values)[0] * h[p.place] for p in standard.inertial)
        totals.append([*sums, whole - sum(value * h[place] for place, value in base.items())])
    assert np.ptp(totals, axis=0) == pytest.approx(0, abs=1e-8)
