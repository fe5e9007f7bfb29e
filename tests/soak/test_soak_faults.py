"""Coverage of the soak tests: every kind is drawn, and a fault in any model is detected."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import robosym as rs
import soak.tree_checks as trees
from robosym.algebra import evaluate
from robosym.mechanism import FIXED, PRISMATIC, Robot
from soak import ways
from soak.kept_cases import check
from soak.robots import AWKWARD, KINDS, drawn
from soak.tree_checks import Tree

SEEDS = range(700_000, 700_008)


def _marks(seed: int, kind: str) -> set[str]:
    """Return the features of a robot."""
    robot, values = (found := drawn(seed, kind)).robot, found.values
    marks = {found.kind}
    if robot.modules:
        return marks | {"legs"}
    sizes = evaluate([link.M for link in robot.links], values)
    numbers = [abs(v) for v in values.values()]
    message = {
        "gamma": any(f.gamma != robot.graph.zero for f in robot.frames),
        "b": any(f.b != robot.graph.zero for f in robot.frames),
        "fixed frames": any(f.sigma == FIXED for f in robot.frames[: robot.NL]),
        "prismatic": any(f.sigma == PRISMATIC for f in robot.frames),
        "branches": len({f.ant for f in robot.frames[: robot.NL]}) < robot.NL,
        "one link": robot.NL == 1,
        "numbers alone": not any(name.startswith("M") for name in robot.parameters),
        "symbols": any(name.startswith("M") for name in robot.parameters),
        "loops": bool(robot.loops),
        "reference position": bool(robot.position),
        "springs": any(robot.joint(j).eta for j in robot.tree_joints),
        "no mass": any(m == 0 for m in sizes),
        "tiny": min(numbers, default=1) < 1e-8,
        "huge": max(numbers, default=1) > 1e6,
        "awkward": bool({*robot.parameters, *robot.variables} & set(AWKWARD)),
        **{f"{kind} base": robot.base.kind == kind for kind in ("fixed", "mobile", "floating")},
    }
    return marks | {mark for mark, holds in message.items() if holds}


def test_every_kind_is_drawn() -> None:
    assert all(often for often, _ in KINDS.values())
    found = Counter(
        mark for kind in KINDS for seed in SEEDS[: 1 if kind == "long" else 8] for mark in _marks(seed, kind)
    )
    wanted = {*KINDS, "legs", "gamma", "b", "fixed frames", "prismatic", "branches", "one link", "numbers alone",
              "symbols", "loops", "reference position", "springs", "no mass", "tiny", "huge", "awkward", "fixed base",
              "mobile base", "floating base"}  # fmt: skip
    assert not wanted - set(found), found
    assert max(drawn(seed, "long").robot.NL for seed in range(7)) > 60


def test_every_language_level_and_goal_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Repeat a small model; the languages are not executed."""
    model, values = rs.transform(rs.load("planar2r"), 0, 1), {"t1": 0.3, "t2": 0.4}
    plain = ways.on_graph(model, values)
    ran: Counter[str] = Counter()

    def runner(name: str) -> ways.Way:
        def run(model: Any, values: Any) -> Any:
            ran[name] += 1
            return plain

        return run

    monkeypatch.setattr(ways, "WAYS", {n: (often, runner(n), t) for n, (often, _, t) in ways.WAYS.items()})
    rng = random.Random("ways")
    text = {f.name for _ in range(500) for f in ways.by_another_way("m", model, values, rng)}
    assert set(ran) == set(ways.installed())
    assert {f"m, optimized to {level} for {goal}" for level in ways.LEVELS for goal in ways.GOALS} <= text


def _other(robot: Robot) -> Robot:
    """Return the robot with larger distances between frames, and another gravity."""
    more = robot.graph.number(0.001)
    frames = tuple(replace(f, d=f.d + more) for f in robot.frames)
    links = tuple(replace(link, M=link.M + more) for link in robot.links)
    return replace(robot, frames=frames, links=links, gravity=tuple(g + more for g in robot.gravity))


MODELS = (
    "inertia_matrix bias_torques gravity_torques inverse_dynamics direct_dynamics modified_newton_euler "
    "coriolis_matrix lagrange energy base_parameters dynamic_identification power_identification transform "
    "direct_geometry velocities accelerations jdot_qdot jacobian inverse_geometry"
).split()


@pytest.fixture(scope="module")
def arm() -> Any:
    return next(d for d in (drawn(s, "chain") for s in range(100)) if d.robot.NL == 3 and d.robot.parameters)


def _failures(arm: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(trees, "CHECKED", len(trees.CHECKS))
    monkeypatch.setattr(trees, "by_another_way", lambda *given: iter(()))
    return [f.name for f in trees.check_tree(arm.robot, arm.values, 0) if f.failed]


@pytest.mark.filterwarnings("ignore")
def test_no_failure_without_fault(arm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _failures(arm, monkeypatch) == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_detects_fault_in_model(name: str, arm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    right = getattr(rs, name)
    monkeypatch.setattr(rs, name, lambda robot, *given, **options: right(_other(robot), *given, **options))
    assert any(name.split("_")[0] in text.lower() for text in _failures(arm, monkeypatch))


@pytest.mark.filterwarnings("ignore")
def test_detects_fault_in_reader(arm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    right = rs.loads
    monkeypatch.setattr(rs, "loads", lambda text, form: _other(right(text, form)))
    assert any("read again" in f.name for f in trees.texts(Tree(arm.robot, arm.values, 0)) if f.failed)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["loop", "parallel"])
@pytest.mark.parametrize("name", ["inverse_dynamics", "direct_dynamics"])
def test_detects_fault_in_closed_robot(kind: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = drawn(3, kind)
    right: Any = getattr(rs, name)

    values = dict.fromkeys(found.robot.parameters, 1.0)

    def heavier(robot: Any) -> Any:
        links = tuple(
            replace(link, M=link.M + robot.graph.number(0.01)) if evaluate([link.M], values)[0] else link
            for link in robot.links
        )
        return right(replace(robot, links=links))

    monkeypatch.setattr(rs, name, heavier)
    assert any(name.replace("_", " ") in f.name for f in check(found.robot, found.values, 3) if f.failed)


def test_detects_fault_in_language(monkeypatch: pytest.MonkeyPatch) -> None:
    model, values = rs.transform(rs.load("planar2r"), 0, 1), {"t1": 0.3, "t2": 0.4}
    plain = np.asarray(ways.on_graph(model, values))
    for name in ways.WAYS:
        with monkeypatch.context() as patched:
            patched.setattr(ways, "WAYS", {name: (1, lambda model, values: plain * (1 + 1e-9), ())})
            found = list(ways.by_another_way("m", model, values, random.Random(0)))
        assert [f.failed for f in found if f" by {name}" in f.name] == [True]
