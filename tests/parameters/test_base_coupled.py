"""Base parameters of robots with coupled joints on any base, against the rank of Pinocchio's regressor."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import robosym as rs
from cases.identification import yaml
from long_cases import quick_and_long
from oracles.regressor import Regressor, rank
from robosym.algebra import evaluate

KINDS = ("fixed", "mobile", "floating")
COUPLINGS = {
    "gears": {"t3": "2*t2 + 0.1"},
    "parallel axes": {"t2": "-t1 + Pi/2"},
    "rack": {"r4": "0.3*t2 - 0.5*t1"},
    "two": {"t2": "-0.37*t1", "r4": "0.2*t3"},
}


def body(j: int) -> dict[str, float]:
    return {
        "XX": 0.3 + 0.01 * j, "XY": 0.01, "XZ": -0.02, "YY": 0.25, "YZ": 0.015, "ZZ": 0.2 + 0.02 * j, "MX": 0.1 * j,
        "MY": -0.05, "MZ": 0.08, "M": 2.0 + j, "IA": 0.05 * j,
    }  # fmt: skip


def arm(kind: str, couplings: dict[str, str]) -> rs.Robot:
    frames: list[dict[str, Any]] = [
        {"theta": "t1", "r": 0.3}, {"alpha": 0 if "t2" in couplings else "Pi/2", "d": 0.2, "theta": "t2"},
        {"alpha": 0.3, "d": 0.4, "theta": "t3", "r": 0.1},
        {"ant": 2, "sigma": 1, "alpha": "Pi/2", "d": 0.1, "theta": 0.2, "r": "r4"},
    ]  # fmt: skip
    for name in couplings:
        frames[int(name[1]) - 1]["mu"] = 0
    motion = {name: [f"{name}{axis}" for axis in "xyz"] for name in ("W0", "WP0", "V0", "VP0")}
    link = {name: value for name, value in body(9).items() if name != "IA"}
    base = {"type": kind, "link": link, **(motion if kind == "mobile" else {})}
    links = [body(j) for j in range(1, 5)]
    more = {} if kind == "fixed" else {"base": base}
    return rs.robot("arm", frames=frames, links=links, gravity=[1.5, -3, -9], couplings=couplings, **more)


def judged(robot: rs.Robot, found: rs.BaseParameters) -> tuple[int, float]:
    """Return the rank of the efforts of motors and a floating base, and the error of the base parameters."""
    regressor, names = Regressor(replace(robot, couplings={}), {}), [robot.variable(j) for j in robot.tree_joints]
    free = [name for name in names if name not in robot.couplings]
    S, offset = np.zeros((len(names), len(free))), np.zeros(len(names))
    for row, name in enumerate(names):
        coupling = robot.couplings.get(name)
        offset[row] = coupling.offset if coupling else 0.0
        for other, ratio in (coupling.ratios if coupling else {name: 1.0}).items():
            S[row, free.index(other)] = ratio
    rng, first, rows = np.random.default_rng(2), 0 if robot.base.kind == "fixed" else 6, []
    for _ in range(40):
        q, qd, qdd = rng.uniform(-2, 2, (3, len(free)))
        W = regressor(S @ q + offset, S @ qd, S @ qdd, rng.uniform(-1, 1, (2, 6)) if first else None)
        rows += [W[: first if robot.base.kind == "floating" else 0], S.T @ W[first:]]
    stacked = np.vstack(rows)
    present = {p.place: evaluate([p.entry], {})[0] for p in found.standard.inertial}
    columns = [regressor.columns.index(place) for place in present]
    kept = [regressor.columns.index(place) for place in found.places.values()]
    right = stacked[:, columns] @ list(present.values())
    apart = np.abs(stacked[:, kept] @ list(found.values().values()) - right).max() / np.abs(right).max()
    return rank(stacked[:, columns]), float(apart)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", COUPLINGS)
def test_number_equals_rank(case: str, kind: str) -> None:
    robot = arm(kind, COUPLINGS[case])
    base = rs.base_parameters(robot)
    of_regressor, apart = judged(robot, base)
    assert len(base.names) == of_regressor and apart < 1e-12
    assert rs.base_parameters(robot, method="numeric").names == base.names
    tree = rs.base_parameters(robot, structure="tree")
    assert tree.names == rs.base_parameters(replace(robot, couplings={})).names and not tree.missed


@pytest.mark.parametrize("kind", KINDS)
def test_torques_of_base_parameters(kind: str) -> None:
    robot = arm(kind, COUPLINGS["two"])
    full, base = rs.inverse_dynamics(robot), rs.inverse_dynamics(robot, base_parameters=True)
    rng = np.random.default_rng(3)
    state = {group: rng.uniform(-1, 1, len(names)) for group, names in full.inputs.items()}
    q = dict(zip(full.inputs["q"], state["q"], strict=True))
    q |= {name: coupling.value(q) for name, coupling in robot.couplings.items()}
    state["q"] = np.array([q[name] for name in full.inputs["q"]])
    assert base.inputs == full.inputs
    found, right = (
        np.hstack([np.ravel(part) for part in (result if isinstance(result, tuple) else (result,))])
        for result in (model.compile()(**state) for model in (base, full))
    )
    np.testing.assert_allclose(found, right, atol=1e-12 * np.abs(right).max(), rtol=0)


def test_symbolic_lengths() -> None:
    text = """
name: planar
frames: [{theta: t1}, {d: L, theta: t2, mu: 0}]
links: symbolic
gravity: [0, g, 0]
couplings: {t2: 0.37*t1}
"""
    base = rs.base_parameters(yaml(text))
    values = {f"{name}{j}": float(n + 3 * j) for j in (1, 2) for n, name in enumerate(("ZZ", "IA", "M"))} | {"L": 0.7}
    zeros = dict.fromkeys(base.standard_names, 0.0)
    assert base.names == ("ZZ1R", "MX1R", "MY1", "MX2", "MY2")
    expected = values["ZZ1"] + values["IA1"] + 1.37**2 * values["ZZ2"] + 0.37**2 * values["IA2"] + values["M2"] * 0.7**2
    assert base.values(zeros | values)["ZZ1R"] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("kind", quick_and_long(KINDS, long="floating"))
def test_columns_of_identification_are_independent(kind: str) -> None:
    """Joints that move together share their friction, and the remaining columns have the rank of all columns."""
    robot = arm(kind, COUPLINGS["two"])
    every, some = (rs.dynamic_identification(robot, base_parameters=b, friction=True) for b in (False, True))
    rng = np.random.default_rng(4)
    tables: tuple[list[Any], list[Any]] = ([], [])
    for _ in range(30):
        state = {group: rng.uniform(-1, 1, len(names)) for group, names in every.inputs.items()}
        q = dict(zip(every.inputs["q"], state["q"], strict=True))
        q |= {name: coupling.value(q) for name, coupling in robot.couplings.items()}
        for model, table in zip((every, some), tables, strict=True):
            at = state | {"q": np.array([q[name] for name in model.inputs["q"]])}
            table.append(model.compile()(**{group: at[group] for group in model.inputs}))
    W, of_base = map(np.vstack, tables)
    assert rank(np.hstack([W, of_base])) == rank(W) == rank(of_base) == len(some.columns)
    assert not {"FV2", "FS4"} & set(some.columns)


def test_identify_rejects_couplings() -> None:
    motion = rs.Motion(np.arange(9) * 0.01, *np.ones((4, 9, 2)), radians=True)
    with pytest.raises(rs.InputError, match=r"arm: expected a robot without coupled joints"):
        rs.identify(arm("fixed", COUPLINGS["two"]), motion)
