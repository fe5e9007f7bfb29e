"""Identification matrices times parameters: torques, power, energy and filtered torques against Pinocchio."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from scipy.signal import lsim

import robosym as rs
from cases.identification import (
    FOUR_BAR,
    PUMA,
    Array,
    closure,
    matrix,
    random_values,
    special_tree,
    with_motion,
    yaml,
)
from evaluation import HAS_GCC, by_c, by_machine_code, on_graph
from evaluation import random_values as any_values
from long_cases import quick_and_long
from oracles.pinocchio import Oracle
from oracles.regressor import Regressor
from random_robots import random_robot
from robosym.algebra import evaluate
from robosym.dynamics import bias_torques, direct_dynamics, inertia_matrix, inverse_dynamics
from robosym.dynamics.identification import (
    IdentificationModel,
    dynamic_identification,
    energy_identification,
    filtered_identification,
    power_identification,
)
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.model import Model
from robosym.parameters import base_parameters

STEP = 1e-4
Motion = Callable[[float], tuple[Array, Array, Array]]


def parameters(model: IdentificationModel, values: dict[str, float], base: dict[str, float]) -> Array:
    def value(name: str) -> float:
        shares = model.grouping.get(name, {name: 1.0})
        return sum(share * base.get(part, values.get(part, 0.0)) for part, share in shares.items())

    return np.array([value(name) for name in model.columns])


def slope(model: IdentificationModel, group: str, at: Callable[[float], dict[str, float]]) -> Array:
    """Return the time derivative of an output group."""
    return np.asarray((matrix(model, group, at(STEP)) - matrix(model, group, at(-STEP))) / (2 * STEP))


def check(robot: Robot, values: dict[str, float], motion: Motion, torques: Array, active: list[int]) -> None:
    """Check all models, with standard and base parameters, along a motion with these torques at time zero."""

    def at(time: float) -> dict[str, float]:
        return with_motion(robot, values, *motion(time))

    _, qd, _ = motion(0)
    power = float(torques @ qd[active])
    small = 1e-6 * max(1.0, float(np.abs(torques).max()))
    for reduced in (False, True):
        base = base_parameters(robot).values(values) if reduced else {}
        D = dynamic_identification(robot, base_parameters=reduced)
        assert np.abs(matrix(D, "D", at(0)) @ parameters(D, values, base) - torques).max() < small
        dh = power_identification(robot, base_parameters=reduced)
        assert abs((matrix(dh, "dh", at(0)) @ parameters(dh, values, base))[0] - power) < small
        F = filtered_identification(robot, base_parameters=reduced)
        both = slope(F, "D1", at) + matrix(F, "D2", at(0))
        assert np.abs(both @ parameters(F, values, base) - torques).max() < small
        h = energy_identification(robot, base_parameters=reduced, friction=True)
        friction = np.array([values.get(f"{f}{j}", 0.0) for j in robot.tree_joints for f in ("FV", "FS")])
        lost = (matrix(h, "p", at(0)) @ friction)[0]
        gained = (slope(h, "h", at) @ parameters(h, values, base))[0]
        assert abs(gained + lost - power) < small


@pytest.mark.parametrize("seed", range(25))
def test_trees(seed: int) -> None:
    robot, rng = special_tree(seed), np.random.default_rng(seed)
    values = random_values(robot, rng)
    q, qd, qdd = rng.uniform(-1, 1, (3, len(robot.tree_joints)))

    def motion(time: float) -> tuple[Array, Array, Array]:
        return q + qd * time + qdd * time**2 / 2, qd + qdd * time, qdd

    torques = Oracle(robot, values).torques(q, qd, qdd, values)
    check(robot, values, motion, torques, list(range(len(q))))


@pytest.mark.parametrize("name", quick_and_long(["sr400", "akr3000", "four_bar"], long="akr3000 sr400"))
def test_closed_robots(name: str) -> None:
    robot = yaml(FOUR_BAR) if name == "four_bar" else rs.load(name)
    rng = np.random.default_rng(3)
    values = random_values(robot, rng)
    # passive joints have no motor, hence no rotor among the base parameters
    values |= {f"IA{j}": 0.0 for j in robot.tree_joints if not robot.frame(j).mu}
    closing = closure(robot, values)
    active = [n for n, j in enumerate(robot.tree_joints) if robot.frame(j).mu]
    start, _ = min((closing.sample(rng) for _ in range(12)), key=lambda sample: np.linalg.cond(sample[1][active]))
    rates, accelerations = rng.uniform(-0.7, 0.7, (2, len(active)))

    def spread(q: Array) -> Array:
        """Return the rates of all joints from those of the active ones."""
        _, jacobian = closing.constraints(q)
        basis = np.linalg.svd(jacobian)[2][np.linalg.matrix_rank(jacobian, tol=1e-7) :].T
        return np.asarray(basis @ np.linalg.inv(basis[active]))

    def position(time: float) -> Array:
        q = start
        for _ in range(8):
            q = q + spread(q) @ (start[active] + rates * time + accelerations * time**2 / 2 - q[active])
            closed = closing._close(q)
            assert closed is not None
            q = closed
        return q

    def motion(time: float) -> tuple[Array, Array, Array]:
        q = position(time)
        qd = spread(q) @ (rates + accelerations * time)
        turning = (spread(position(time + STEP)) - spread(position(time - STEP))) / (2 * STEP)
        return q, qd, spread(q) @ accelerations + turning @ (rates + accelerations * time)

    q, qd, qdd = motion(0)
    torques = spread(q).T @ Oracle(robot, values).torques(q, qd, qdd, values)
    check(robot, values, motion, torques, active)


def test_filtered_signals() -> None:
    """Apply the filter of equation 3.118 to both sides; the model needs no acceleration."""
    robot = rs.load("stanford")
    rng = np.random.default_rng(5)
    values = random_values(robot, rng) | {f"FS{j}": 0.0 for j in range(1, 7)}  # without jumps
    model = filtered_identification(robot, base_parameters=True)
    compiled = model.compile()
    K = parameters(model, values, base_parameters(robot).values(values))
    time = np.arange(0, 3.5, 0.001)
    phase, size = rng.uniform(0, 6, 6), rng.uniform(0.3, 0.8, 6)
    speed = np.linspace(1, 2, 6)
    angle = time[:, None] * speed + phase
    q, qd, qdd = size * np.sin(angle), size * speed * np.cos(angle), -size * speed**2 * np.sin(angle)
    constants = {group: names for group, names in model.inputs.items() if group in ("parameters", "gravity")}
    given = {group: np.array([values[name] for name in names]) for group, names in constants.items()}
    D1, D2 = compiled(q=q, qd=qd, **given)
    oracle = Oracle(robot, values)
    torques = np.array([oracle.torques(*state, values) for state in zip(q, qd, qdd, strict=True)])
    pole = 12.0
    low = ([pole**2], [1, 2 * pole, pole**2])
    derivative = ([pole**2, 0], [1, 2 * pole, pole**2])

    def filtered(transfer: tuple[list[float], list[float]], signal: Array) -> Array:
        return np.column_stack([lsim(transfer, column, time)[1] for column in signal.T])

    model_side = filtered(derivative, D1 @ K) + filtered(low, D2 @ K)
    settled = time > 2
    error = np.abs(model_side - filtered(low, torques))[settled].max()
    assert error < 1e-5 * np.abs(torques).max()


@pytest.mark.parametrize("build", [dynamic_identification, power_identification, filtered_identification])
def test_columns_and_names(build: Callable[..., IdentificationModel]) -> None:
    robot = rs.load("rx90")
    model = build(robot, base_parameters=True, friction=False, offset=True)
    assert model.columns == (*base_parameters(robot).names, *(f"OFF{j}" for j in range(1, 7)))
    assert not any(name.startswith("FV") for name in model.columns)
    assert all(len(row) == len(model.columns) for layout in model.outputs.values() for row in layout)


def test_names_follow_the_guide() -> None:
    robot = rs.load("rx90")
    D = dynamic_identification(robot)
    assert D.outputs["D"][3][D.columns.index("XX6")] == "DG4XX6"
    assert filtered_identification(robot).outputs["D1"][1][0] == "DEP2XX1"
    assert filtered_identification(robot).outputs["D2"][1][0] == "DLQ2XX1"
    assert energy_identification(robot).outputs["h"][0][0] == "HXX1"


def test_triangular_layout_is_sparse() -> None:
    robot = rs.load("rx90")
    D = dynamic_identification(robot, base_parameters=True, friction=False)
    links = [base_parameters(robot).places[name][0] for name in D.columns]
    for j, row in enumerate(D.outputs["D"], 1):
        assert all(D.definitions[name].is_zero for name, link in zip(row, links, strict=True) if link < j)
    sparse = D.sparse()
    rng = np.random.default_rng(1)
    values = with_motion(robot, random_values(robot, rng), *rng.normal(size=(3, 6)))
    dense = np.zeros((6, len(D.columns)))
    for (row, column), entry in zip(sparse.pattern, evaluate(sparse.roots, values), strict=True):
        dense[row, column] = entry
    assert np.allclose(dense, matrix(D, "D", values)) and len(sparse.pattern) < 0.65 * dense.size
    with pytest.raises(InputError, match="group: expected one of D1, D2"):
        filtered_identification(robot).sparse()
    assert filtered_identification(robot).sparse("D1").output_names


@pytest.mark.parametrize(
    ("robot", "additions", "multiplications"), [("rx90", 336, 577), ("stanford", 265, 444), (PUMA, 381, 628)]
)
def test_operations_of_the_regressor(robot: str, additions: int, multiplications: int) -> None:
    described = yaml(robot) if "\n" in robot else rs.load(robot)
    count = dynamic_identification(described, base_parameters=True).operations
    assert count.additions < additions and count.multiplications < multiplications


@pytest.mark.parametrize(("robot", "additions", "multiplications"), [("stanford", 524, 612), (PUMA, 635, 720)])
def test_operations_of_the_filtered_model(robot: str, additions: int, multiplications: int) -> None:
    described = yaml(robot) if "\n" in robot else rs.load(robot)
    count = filtered_identification(described, base_parameters=True).operations
    assert count.additions <= additions and count.multiplications <= multiplications


@pytest.mark.parametrize("seed", range(6))
def test_moving_base(seed: int) -> None:
    """Joint torques for a given motion of the base."""
    robot = random_robot(random.Random(seed), links=4, symbolic=True, mobile=True, wrenches=False)
    rng = np.random.default_rng(seed)
    values = random_values(robot, rng)
    motion = rng.uniform(-1, 1, (3, len(robot.tree_joints)))
    model = dynamic_identification(robot, friction=False)
    names = [str(e) for part in ("V0", "W0") for e in getattr(robot.base, part)]
    rates = [str(e) for part in ("VP0", "WP0") for e in getattr(robot.base, part)]
    velocity, acceleration = (np.array([values[n] for n in group]) for group in (names, rates))
    acceleration[:3] -= np.cross(velocity[3:], velocity[:3])  # Pinocchio uses spatial acceleration, without w x v
    regressor = Regressor(robot, values)
    wanted = regressor(*motion, base=(velocity, acceleration))[6:]
    found = matrix(model, "D", with_motion(robot, values, *motion))
    places = {(p.link, p.field): p.name for p in base_parameters(robot).standard.inertial}
    for column, place in enumerate(regressor.columns):
        if place in places:
            assert np.abs(found[:, model.columns.index(places[place])] - wanted[:, column]).max() < 1e-9


@pytest.mark.parametrize("name", ["rx90", "stanford", "scara", "sr400"])
@pytest.mark.parametrize("build", [inverse_dynamics, inertia_matrix, bias_torques, direct_dynamics])
def test_dynamic_models_with_base_parameters(name: str, build: Callable[..., Model]) -> None:
    """Base parameters give the same values as standard parameters."""
    robot = rs.load(name)
    rng = np.random.default_rng(7)
    values = random_values(robot, rng)
    q, _ = closure(robot, values).sample(rng)
    full = with_motion(robot, values, q, *rng.uniform(-1, 1, (2, len(q))))
    full |= {f"GAM{j}": 0.3 * j for j in robot.tree_joints}
    wanted = np.array(evaluate(build(robot).roots, full))
    found = np.array(evaluate(build(robot, base_parameters=True).roots, full | base_parameters(robot).values(values)))
    assert np.abs(found - wanted).max() < 1e-10 * max(1.0, np.abs(wanted).max())


@pytest.mark.skipif(not HAS_GCC, reason="no C compiler")
def test_code_of_a_matrix() -> None:
    model = dynamic_identification(rs.load("planar2r"), base_parameters=True)
    values = any_values(model, random.Random(0))
    assert np.allclose(by_c(model, values), on_graph(model, values), atol=1e-12)
    assert np.allclose(by_machine_code(model, values), on_graph(model, values), atol=1e-12)


def test_tree_of_a_closed_robot() -> None:
    robot = rs.load("sr400")
    model = dynamic_identification(robot, structure="tree", base_parameters=True)
    assert len(model.rows) == 8 and sum(not name.startswith("F") for name in model.columns) == 55


def test_rejects_invalid_arguments() -> None:
    with pytest.raises(InputError, match="structure"):
        dynamic_identification(rs.load("rx90"), structure="loop")
    bare = yaml("name: bare\nframes: [{sigma: 2}]\nlinks: symbolic\ngravity: [0, 0, g]\n")
    with pytest.raises(InputError, match="expected at least one parameter to identify"):
        dynamic_identification(bare, base_parameters=True)


def test_model_of_some_columns() -> None:
    """The columns are those of the whole model, in the order asked for."""
    whole = rs.dynamic_identification(rs.load("planar2r"), base_parameters=True)
    wanted = ("MY2", "ZZ1R")
    some = whole.with_columns(wanted)
    rng = np.random.default_rng(1)
    state = {group: rng.uniform(-1, 1, len(names)) for group, names in whole.inputs.items()}
    places = [whole.columns.index(name) for name in wanted]
    assert some.columns == wanted
    np.testing.assert_allclose(some.compile()(**state), whole.compile()(**state)[:, places], atol=1e-14)
