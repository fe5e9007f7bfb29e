"""Test base parameters and identification models of any legs against ranks and finite differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import robosym as rs
from cases.parallel import gough, motion_values, positions, values_of
from cases.reduced_mobility import ROBOTS
from evaluation import on_graph
from long_cases import quick_and_long
from oracles.parallel import State, state
from robosym.mechanism import Robot
from robosym.model import Model
from robosym.spatial.numeric import rigid

ANY: dict[str, Callable[[], Robot]] = {"delta": lambda: rs.load("delta"), **ROBOTS}
COUNTS = {"delta": 34, "tripteron": 16, "upu": 40, "puu": 27, "agile_eye": 33, "rps": 25, "rpr": 19, "scara4": 40}


def moved(s: State, dt: float) -> State:
    """Return the motion after a short time with constant acceleration, to second order."""
    v, w, vp, wp = s.twist[:3], s.twist[3:], s.acceleration[:3], s.acceleration[3:]
    R = rigid(dt * w + dt * dt * wp / 2, np.zeros(3))[:3, :3] @ s.pose[:9].reshape(3, 3)
    P = s.pose[9:] + dt * v + dt * dt * vp / 2
    return s._replace(pose=np.concatenate([R.ravel(), P]), twist=s.twist + dt * s.acceleration)


def rate(model: Model, robot: Robot, s: State, values: dict[str, float], dt: float = 1e-5) -> np.ndarray:
    """Return the time derivative of the outputs along the motion, by central differences."""
    later, before = (on_graph(model, values | motion_values(robot, moved(s, step))) for step in (dt, -dt))
    return (later - before) / (2 * dt)


@pytest.mark.parametrize("name", quick_and_long(["delta", "tripteron", "rps"], long="tripteron delta"))
def test_base_parameters_of_any_legs(name: str) -> None:
    """Their number is the rank by SVD, and they alone give the same forces."""
    robot = ANY[name]()
    rng = np.random.default_rng(1)
    values = values_of(robot, rng)
    base = rs.base_parameters(robot)
    assert len(base.names) == COUNTS[name]
    reduced, inverse = base.values(values), rs.inverse_dynamics(base.robot)
    for joints in list(positions(robot))[:2]:
        s = state(robot, joints, values, rng)
        found = on_graph(inverse, values | reduced | motion_values(robot, s))
        assert np.abs(found - s.tau).max() < 1e-8 * max(1.0, float(np.abs(s.tau).max()))
    full = rs.dynamic_identification(robot)
    rows = []
    for joints in positions(robot):
        for _ in range(6):
            s = state(robot, joints, values, rng)
            rows.append(on_graph(full, values | motion_values(robot, s)).reshape(len(robot.motors), -1))
    inertial = [k for k, n in enumerate(full.columns) if not n.startswith(("FV", "FS"))]
    D = np.concatenate(rows)[:, inertial]
    D = D / np.maximum(np.linalg.norm(D, axis=0), 1e-12)
    assert np.linalg.matrix_rank(D, tol=1e-8) == len(base.names)


@pytest.mark.parametrize("wrench", ["[FXP, 2, 0, 0, CYP, 0.3]"])
def test_wrench_on_the_platform_is_no_parameter(wrench: str) -> None:
    text = rs.load("planar3rrr").dumps()
    inertia = ", ".join(f"{n}: {n}P" for n in ("ZZ", "MX", "MY", "M"))
    robot = rs.loads(text.replace("platform: symbolic", f"platform: {{{inertia}, wrench: {wrench}}}"))
    base = rs.base_parameters(robot)
    assert set(base.names) == set(rs.base_parameters(rs.load("planar3rrr")).names)
    rng = np.random.default_rng(1)
    values = values_of(robot, rng)
    inverse, reduced = rs.inverse_dynamics(robot), rs.inverse_dynamics(robot, base_parameters=True)
    for joints in list(positions(robot))[:2]:
        given = values | motion_values(robot, state(robot, joints, values, rng))
        assert np.allclose(on_graph(reduced, given | base.values(values)), on_graph(inverse, given), rtol=1e-9)


def test_closed_robot_has_as_many_base_parameters() -> None:
    robot = ANY["rpr"]()
    assert len(rs.base_parameters(robot.to_closed()).names) == len(rs.base_parameters(robot).names) == COUNTS["rpr"]


@pytest.mark.parametrize("name", quick_and_long(["gough", "delta", "rps"], long="gough"))
def test_energy_power_and_filtered_models(name: str) -> None:
    """The work of the motors equals the change of h K; their forces are d/dt (D1 K) + D2 K."""
    robot = gough() if name == "gough" else ANY[name]()
    rng = np.random.default_rng(4)
    values = values_of(robot, rng) | {n: 0.0 for n in robot.parameters if n.startswith(("FV", "FS"))}
    s = state(robot, list(positions(robot))[1], values, rng)
    given = values | motion_values(robot, s)
    power = float(s.tau @ s.qd)
    energy, rates = rs.energy_identification(robot), rs.power_identification(robot)
    K = np.array([values[n] for n in rates.columns])
    terms = on_graph(rates, given) * K
    assert abs(terms.sum() - power) < 1e-9 * max(1.0, float(np.abs(terms).max()))
    own = np.array([values[n] for n in energy.columns])
    changes = rate(energy, robot, s, values) * own
    assert abs(changes.sum() - power) < 1e-5 * max(1.0, float(np.abs(changes).max()))
    filtered = rs.filtered_identification(robot)
    assert filtered.columns == rates.columns
    shape = (2, len(robot.motors), len(filtered.columns))
    _, D2 = on_graph(filtered, given).reshape(shape)
    change, _ = rate(filtered, robot, s, values).reshape(shape)
    forces = (change + D2) @ K
    assert np.abs(forces - s.tau).max() < 1e-5 * max(1.0, float(np.abs(change @ K).max()))


def test_essential_parameters_of_the_gough_stewart_robot() -> None:
    """There are 52 (GS table III), with at most the required number of operations."""
    base = rs.base_parameters(rs.load("gough"))
    few = base.essential()
    assert len(few.names) == 52 and {"XX2R", "ZZ1R", "ZZ2R", "MY2", "MX3", "MY3", "MZ3"} <= set(few.names)
    assert rs.inverse_dynamics(few.robot).operations.total <= 1463
    assert rs.direct_dynamics(few.robot).operations.total <= 2368
    assert base.essential(["XXPR", "ZZ1R"]).names == ("ZZ1R", "XXPR")
    with pytest.raises(rs.InputError, match="no base parameter XXP"):
        base.essential(["XXP"])
