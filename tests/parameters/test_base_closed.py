"""Base parameters of closed robots against Pinocchio's regressor, projected on motions that keep loops closed."""

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
    Array,
    closing_values,
    closure,
    gough_stewart,
    random_values,
    yaml,
)
from long_cases import quick_and_long
from oracles.constrained import Constrained
from oracles.regressor import Regressor, rank
from robosym.algebra import evaluate
from robosym.errors import InputError
from robosym.mechanism import PRISMATIC, Robot
from robosym.parameters import BaseParameters, base_parameters
from robosym.parameters.base_set import checked, symbolic_base


def closed_rows(
    robot: Robot, values: dict[str, float], samples: int, rng: np.random.Generator
) -> tuple[Regressor, Array]:
    """Return N^T D over random motions, with N a basis of velocities that keep the cut frames together."""
    regressor, closing = Regressor(robot, values), closure(robot, values)
    rows: list[Array] = []
    while len(rows) < samples:
        q, basis = closing.sample(rng)
        poses = closing.frames(q)
        cut = {robot.variable(k): 0.0 for k, _ in robot.loops}
        for k, fixed in robot.loops:
            if robot.frame(k).sigma == PRISMATIC:
                cut[robot.variable(k)] = poses[fixed][:3, 2] @ (poses[fixed][:3, 3] - poses[k][:3, 3])
        oracle = Constrained(robot, {**values, **cut})
        order = [oracle._place(j) for j in robot.tree_joints]
        for _ in range(3):
            qd = basis @ rng.normal(size=basis.shape[1])
            J, drift = oracle.rows(oracle.oracle.q(q), oracle.oracle.v(qd))
            J = J[:, order]
            assert np.abs(J @ basis).max() < 1e-8  # these velocities keep Pinocchio's frames together
            qdd = basis @ rng.normal(size=basis.shape[1]) - np.linalg.pinv(J, rcond=1e-9) @ drift
            assert np.abs(J @ qdd + drift).max() < 1e-6 * max(1.0, np.abs(drift).max())
            rows.append(basis.T @ regressor(q, qd, qdd))
    return regressor, np.vstack(rows)


def agrees_with_pinocchio(robot: Robot, found: BaseParameters, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    values = closing_values(robot, rng)
    regressor, W = closed_rows(robot, values, 2 * len(found.standard_names) // 3 + 30, rng)
    present = {(p.link, p.field): p.name for p in found.standard.inertial}
    columns = [n for n, place in enumerate(regressor.columns) if place in present]
    W = W / np.linalg.norm(W, axis=1, keepdims=True)  # rows are large near singular positions
    assert rank(W[:, columns]) == len(found.names)
    full = values | {p.name: evaluate([p.entry], values)[0] for p in found.standard.inertial}
    K = np.array([full[present[place]] if place in present else 0.0 for place in regressor.columns])
    base = np.array(list(found.values(values).values()))
    kept = [regressor.columns.index(place) for place in found.places.values()]
    assert np.abs(W @ K - W[:, kept] @ base).max() < 1e-7


ONE_LOOP = [(FOUR_BAR, 8), (FOUR_BAR_ON_AN_ARM, 21), (SLIDER_CRANK, 6), (SWINGING_BLOCK, 8)]


@pytest.mark.parametrize(("text", "count"), quick_and_long(ONE_LOOP, long=ONE_LOOP[:1]))
def test_one_loop(text: str, count: int) -> None:
    robot = yaml(text)
    found = base_parameters(robot)
    assert len(found.names) == count
    agrees_with_pinocchio(robot, found)
    assert base_parameters(robot, "numeric").names == found.names


@pytest.mark.parametrize("name", ["sr400", "akr3000"])
def test_library(name: str) -> None:
    robot = rs.load(name)
    found = base_parameters(robot)
    agrees_with_pinocchio(robot, found)
    assert base_parameters(robot, "numeric").names == found.names


def test_parallelogram_of_the_sr400() -> None:
    robot = rs.load("sr400")
    closed, tree = base_parameters(robot), base_parameters(robot, structure="tree")

    def counts(found: BaseParameters) -> tuple[int, int]:
        return sum(field != "IA" for _, field in found.places.values()), len(found.names)

    assert counts(closed) == (39, 42) and counts(tree) == (50, 55)
    # the rod stays parallel to the upper arm, which takes its inertia
    assert set(closed.coefficients["ZZ2R"]) == {"ZZ2", "IA2", "ZZ8", "M3", "M4", "M5", "M6"}
    assert str(closed.robot.link(3).IA) == "IA3"  # no motor there: unchanged
    assert {"XX8", "XY8", "XZ8", "YY8", "YZ8", "ZZ8", "MX8", "MZ8", "M8"} <= set(closed.eliminated)


@pytest.mark.parametrize(("text", "count"), [(PARALLELOGRAM, 3), (PANTOGRAPH, 8), (TWO_PARALLELOGRAMS, 6)])
def test_parallelograms_in_a_plane(text: str, count: int) -> None:
    """Links that move in circles without rotation, and first moments that balance around the loop."""
    robot = yaml(text)
    found = base_parameters(robot)
    assert len(found.names) == count
    agrees_with_pinocchio(robot, found)
    assert base_parameters(robot, "numeric").names == found.names


@pytest.mark.parametrize("text", quick_and_long([PARALLELOGRAM, PANTOGRAPH, FOUR_BAR, "sr400"], long=[PANTOGRAPH]))
def test_numeric_method_completes_rules(text: str) -> None:
    """Without the rules of loops, the numeric method finds and recognizes all their groupings."""
    robot = yaml(text) if "\n" in text else rs.load(text)
    of_tree = symbolic_base(robot, closed=False)
    found = checked(of_tree, bound=True)
    assert found.missed and len(found.names) == len(of_tree.names) - len(found.missed)
    assert "not found by the symbolic rules" in str(found)
    agrees_with_pinocchio(robot, found)


def test_missed_coefficients_are_expressions() -> None:
    found = checked(symbolic_base(yaml(PANTOGRAPH), closed=False), bound=True)
    assert str(found.coefficients["MX2R"]["MX4"]) == "D4/D2"
    assert {str(c) for c in found.coefficients["MY1R"].values()} == {"1"}


def test_rejects_unrecognized_coefficients() -> None:
    """A long coefficient requires numbers for the geometry."""
    robot = rs.load("akr3000")
    with pytest.raises(InputError, match="not a short expression of the geometry"):
        checked(symbolic_base(robot, closed=False), bound=True)
    values = random_values(robot, np.random.default_rng(1))
    numeric = robot.with_values({name: round(value, 3) for name, value in values.items() if name[0] in "DRg"})
    found = checked(symbolic_base(numeric, closed=False), bound=True)
    agrees_with_pinocchio(numeric, found)


def test_gough_stewart() -> None:
    robot = gough_stewart()
    found = base_parameters(robot)
    assert (len(found.names), len(found.standard_names)) == (88, 190)
    legs = [j for j in range(1, robot.NL + 1) if robot.frame(j).sigma == 1]
    masses = {f"M{j}" for j in legs}
    assert masses <= set(found.coefficients["M3R"]) and {"M6"} <= set(found.coefficients["M3R"])
    # the mass of a leg acts at its joint on the platform: pd (cos pg, sin pg, .), pb
    values = {"pg4": 0.3, "pd4": 0.7, "pb4": 0.2}
    leg = f"M{legs[3]}"
    assert evaluate([found.coefficients["MX6R"][leg]], values)[0] == pytest.approx(0.7 * np.cos(0.3))
    assert evaluate([found.coefficients["ZZ6R"][leg]], values)[0] == pytest.approx(0.49)
    numeric = base_parameters(robot, "numeric")
    assert numeric.names == found.names and numeric.missed == () and "rank 88 of 190" in numeric.remark


def test_rejects_geometry_that_cannot_close() -> None:
    robot = yaml(FOUR_BAR).with_values({"D2": 0.1, "D3": 5, "D4": 0.1, "D5": 0.1})
    with pytest.raises(InputError, match="the loops cannot be closed"):
        base_parameters(robot, "numeric")


def test_parameter_names_keep_their_links() -> None:
    """Numbers of legs are not those of links: M15 is the mass of link 14, and link 15 has none."""
    robot = rs.load("gough").to_closed()  # type: ignore[attr-defined]
    assert str(robot.link(14).M) == "M15" and robot.link(15).M.is_zero
    assert len(base_parameters(robot).names) == 88
