"""Regressors of closed robots have full rank: columns are base parameters and identifiable friction."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from cases.identification import FOUR_BAR, closing_values, closure
from evaluation import on_graph
from long_cases import quick_and_long
from robosym.coordinates.closed_samples import closed_positions
from robosym.parameters import base_parameters

CLOSED = [name for name in rs.library() if getattr(rs.load(name), "loops", ())]


def rank(robot: rs.Robot, **options: bool) -> tuple[int, int]:
    """Return the rank by singular values and the number of columns of the regressor over random closed states."""
    model = rs.dynamic_identification(robot, base_parameters=True, **options)
    rng = np.random.default_rng(0)
    values = closing_values(robot, rng)
    positions = closed_positions(closure(robot, values).closing, values, rng, 60)
    shared = 3
    q = np.repeat([[p[name] for name in model.inputs["q"]] for p in positions], shared, axis=0)
    count = len(model.inputs["qd"])
    states = {"q": q, "qd": rng.normal(size=(len(q), count)), "qdd": rng.normal(size=(len(q), count))}
    for group in ("gravity", "parameters"):
        if group in model.inputs:
            states[group] = np.array([values.get(name, 1.0) for name in model.inputs[group]])
    rows = model.compile()(**states).reshape(-1, len(model.columns))
    rows = rows[np.abs(rows).max(axis=1) < 1e3]  # away from singular positions
    sizes = np.linalg.norm(rows, axis=0)
    assert sizes.min() > 0, [name for name, size in zip(model.columns, sizes, strict=True) if not size]
    singular = np.linalg.svd(rows / sizes, compute_uv=False)
    return int((singular > 1e-9 * singular[0]).sum()), len(model.columns)


@pytest.mark.parametrize("name", quick_and_long(CLOSED, long="akr3000 gough_stewart"))
def test_full_rank_with_base_parameters(name: str) -> None:
    robot = rs.load(name)
    count = len(base_parameters(robot).names)
    assert rank(robot, friction=False) == (count, count)


@pytest.mark.parametrize("name", quick_and_long(CLOSED, long="akr3000 gough_stewart"))
def test_full_rank_with_friction(name: str) -> None:
    found, columns = rank(rs.load(name))
    assert found == columns


def test_parallelogram_joints_share_friction() -> None:
    model = rs.dynamic_identification(rs.load("sr400"), base_parameters=True)
    assert len(model.columns) == 56
    assert not {"FV8", "FS8", "FV9", "FS9", "IA3", "IA8"} & set(model.columns)
    assert model.grouping


def test_numeric_rotor_at_passive_joint() -> None:
    robot = rs.load("sr400").with_values({"IA3": 0.3, "IA8": 0.2})
    model = rs.dynamic_identification(robot, base_parameters=True, friction=False)
    assert len(model.columns) == 43
    found, columns = rank(robot, friction=False)
    assert found == columns


def wedge(first: str, second: str) -> rs.Robot:
    """Return three prismatic joints around a triangle: the ratio of their rates depends on the angles only."""
    return rs.loads(
        f"""name: wedge
frames:
  - {{ant: 0, sigma: 1, alpha: Pi/2, r: r1}}
  - {{ant: 1, sigma: 1, mu: 0, alpha: {first}, r: r2}}
  - {{ant: 2, sigma: 1, mu: 0, alpha: {second}, r: r3}}
  - {{ant: 0, sigma: 2, alpha: Pi/2 + {first} + {second}}}
loops: [[3, 4]]
links: symbolic
gravity: [0, 0, 0]
""",
        "yaml",
    )


def test_grouped_friction_depends_on_geometry() -> None:
    """The sine rule gives the ratio of the rates; viscous friction scales with its square."""
    model = rs.dynamic_identification(wedge("0.7", "1.1"), base_parameters=True)
    ratio = np.sin(0.7 + 1.1) / np.sin(1.1)
    assert [name for name in model.columns if name.startswith("F")] == ["FV1", "FS1"]
    assert model.grouping["FV1"] == pytest.approx({"FV1": 1, "FV2": ratio**2})
    assert model.grouping["FS1"] == pytest.approx({"FS1": 1, "FS2": ratio})
    with pytest.raises(rs.InputError, match="depends on the geometry"):
        rs.dynamic_identification(wedge("a", "b"), base_parameters=True)


def test_standard_parameters_of_a_closed_robot() -> None:
    """All standard parameters, with their values, give the motor torques."""
    robot = rs.loads(FOUR_BAR, "yaml")
    model, torques = rs.dynamic_identification(robot), rs.inverse_dynamics(robot)
    assert len(model.columns) >= 10 * robot.NL and {"XX1", "M3", "FV1", "IA1"} <= {*model.columns}
    rng = np.random.default_rng(3)
    values = closing_values(robot, rng)
    (position,) = closed_positions(closure(robot, values).closing, values, rng, 1)
    values |= position | {"QP1": 0.4, "QDP1": -0.7, "t4": 0.0}
    values = dict.fromkeys(torques.inputs.get("parameters", ()), 0.5) | values
    rows = on_graph(model, values).reshape(-1, len(model.columns))
    wanted = on_graph(torques, values)
    assert rows @ np.array([values[name] for name in model.columns]) == pytest.approx(wanted, rel=1e-9)
