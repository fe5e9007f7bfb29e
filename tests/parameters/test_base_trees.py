"""Base parameters of trees against the rank of Pinocchio's regressor, and against published grouping relations."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

import robosym as rs
from cases.identification import PUMA, random_values, special_tree, yaml
from long_cases import quick_and_long
from oracles.pinocchio import Oracle
from oracles.regressor import base_difference
from random_robots import random_robot
from robosym.algebra import Graph, evaluate, parse
from robosym.errors import InputError
from robosym.mechanism import INERTIA, Robot
from robosym.parameters import BaseParameters, base_parameters


def agrees_with_pinocchio(robot: Robot, seed: int, joints_only: bool = False) -> BaseParameters:
    """Check that the number of base parameters is the rank, and that they give the same torques."""
    rng = np.random.default_rng(seed)
    values = random_values(robot, rng)
    found = base_parameters(robot)
    rank, apart = base_difference(robot, found, values, rng, joints_only)
    assert rank == len(found.names)
    assert apart < 1e-9
    return found


@pytest.mark.parametrize("seed", quick_and_long(range(120), long=range(50, 120)))
def test_special_trees(seed: int) -> None:
    agrees_with_pinocchio(special_tree(seed), seed)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("symbolic", [True, False])
def test_random_trees(seed: int, symbolic: bool) -> None:
    robot = random_robot(random.Random(seed), links=1 + seed % 6, symbolic=symbolic, wrenches=False)
    agrees_with_pinocchio(robot, seed)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", ["floating", "mobile"])
def test_moving_bases(seed: int, kind: str) -> None:
    robot = random_robot(random.Random(seed), links=1 + seed % 5, symbolic=True, wrenches=False, **{kind: True})
    found = agrees_with_pinocchio(robot, seed, joints_only=kind == "mobile")
    own = {field for link, field in found.places.values() if link == 0}
    assert own == (set(INERTIA) if kind == "floating" else set())  # a floating base has all ten


COUNTS = {
    "rx90": (36, 40), "stanford": (33, 37), "puma560": (36, 40), "iiwa14": (43, 43), "lwr": (43, 43), "ur5e": (36, 36),
    "scara": (8, 11), "gantry3p3r": (19, 22),
}  # fmt: skip


@pytest.mark.parametrize("name", COUNTS)
def test_library(name: str) -> None:
    found = agrees_with_pinocchio(rs.load(name), 1)
    rotors = sum(field == "IA" for _, field in found.places.values())
    assert (len(found.names) - rotors, len(found.names)) == COUNTS[name]


def test_general_gravity_adds_two_parameters() -> None:
    rows = "".join(f"  - {{alpha: a{j}, d: D{j}, theta: t{j}, r: R{j}}}\n" for j in range(1, 7))
    text = f"name: general\nframes:\n{rows}links: symbolic\ngravity: [G1, G2, G3]\n"
    robot = yaml(text).with_links([{"IA": 0}] * 6)
    assert len(agrees_with_pinocchio(robot, 1).names) == 38


def test_published_relations_of_the_puma() -> None:
    """Compare with the general theorem for these lengths, term by term (guide 3.90)."""
    published = {
        "ZZ1R": "ZZ1 + IA1 + YY2 + YY3 + D3^2*(M3+M4+M5+M6) + RL3^2*(M3+M4+M5+M6) + 2*RL3*MZ3"
        " + D4^2*(M4+M5+M6)",
        "XX2R": "XX2 - YY2 - D3^2*(M3+M4+M5+M6)",
        "XZ2R": "XZ2 - D3*MZ3 - D3*RL3*(M3+M4+M5+M6)",
        "ZZ2R": "ZZ2 + IA2 + D3^2*(M3+M4+M5+M6)",
        "MX2R": "MX2 + D3*(M3+M4+M5+M6)",
        "XX3R": "XX3 - YY3 + YY4 + 2*RL4*MZ4 + (RL4^2 - D4^2)*(M4+M5+M6)",
        "XY3R": "XY3 + D4*MZ4 + D4*RL4*(M4+M5+M6)",
        "ZZ3R": "ZZ3 + YY4 + 2*RL4*MZ4 + (D4^2 + RL4^2)*(M4+M5+M6)",
        "MX3R": "MX3 + D4*(M4+M5+M6)",
        "MY3R": "MY3 - MZ4 - RL4*(M4+M5+M6)",
        "XX4R": "XX4 - YY4 + YY5", "ZZ4R": "ZZ4 + YY5", "MY4R": "MY4 + MZ5",
        "XX5R": "XX5 - YY5 + YY6", "ZZ5R": "ZZ5 + YY6", "MY5R": "MY5 - MZ6", "XX6R": "XX6 - YY6",
    }  # fmt: skip
    found = base_parameters(yaml(PUMA))
    assert {name for name in found.names if name.endswith("R")} == set(published)
    rng = np.random.default_rng(0)
    for _ in range(3):
        values = random_values(found.given, rng)
        base = found.values(values)
        for name, text in published.items():
            assert base[name] == pytest.approx(evaluate([parse(text, Graph())], values)[0], rel=1e-12)
    assert found.coefficients["XY3R"].keys() == {"XY3", "MZ4", "M4", "M5", "M6"}


def test_matrix_values_and_robot_agree() -> None:
    robot = rs.load("puma560")
    found = base_parameters(robot)
    standard = np.array([evaluate([p.entry], {})[0] for p in found.standard.inertial])
    assert found.matrix.shape == (40, 66)
    values = found.values()
    assert np.allclose(found.matrix @ standard, list(values.values()), rtol=1e-12)
    for name, (j, field) in found.places.items():
        assert evaluate([getattr(found.robot.link(j), field)], {})[0] == pytest.approx(values[name], rel=1e-12)
    kept = {p.name for p in found.standard.inertial if (p.link, p.field) in found.places.values()}
    assert set(found.eliminated) | kept == set(found.standard_names)
    rng = np.random.default_rng(2)
    for _ in range(3):
        motion = rng.uniform(-2, 2, (3, 6))
        torques = Oracle(robot, {}).torques(*motion, {})
        model = rs.inverse_dynamics(robot, base_parameters=True)
        q, qd, qdd = motion
        names = zip(range(1, 7), q, qd, qdd, strict=True)
        full = {k: v for j, a, b, c in names for k, v in ((f"t{j}", a), (f"QP{j}", b), (f"QDP{j}", c))}
        assert np.allclose(evaluate(model.roots, full), torques, atol=1e-9)


def test_symbolic_matrix() -> None:
    found = base_parameters(rs.load("rx90"))
    row = found.names.index("MX2R")
    column = found.standard_names.index("M5")
    assert str(found.matrix[row, column]) == "D3"
    assert "MX2R = MX2 + D3*(M3 + M4 + M5 + M6)" in str(found)
    assert "XX1" in found.without_effect and "YY2" in found.eliminated
    again = base_parameters(found.robot)
    assert again.names == tuple(str(getattr(found.robot.link(j), f)) for j, f in found.places.values())


def test_tables() -> None:
    found = base_parameters(rs.load("rx90"))
    assert r"$MX_{2R}$ & $MX_{2} + D_{3}\,(M_{3} + M_{4} + M_{5} + M_{6})$ \\" in found.table("latex")
    assert repr(found) == "<BaseParameters, rx90: 40 base parameters of 66 (symbolic)>"
    with pytest.raises(InputError, match="'text' or 'latex'"):
        found.table("html")


def test_links_without_some_parameters() -> None:
    """Wrist of massless links: the parameters of the hand remain, and the wrist gets none."""
    frames = "".join(f"  - {{alpha: {a}, theta: t{j}}}\n" for j, a in enumerate(("0", "Pi/2", "-Pi/2", "Pi/2"), 1))
    hand = ", ".join(f"{name}: {name}4" for name in ("XX", "YY", "ZZ", "MX", "MY", "MZ", "M"))
    robot = yaml(f"name: wrist\nframes:\n{frames}links:\n  4: {{{hand}}}\ngravity: [0, 0, G3]\n")
    found = agrees_with_pinocchio(robot, 1)
    assert set(found.places.values()) <= {(4, name) for name in ("XX", "YY", "ZZ", "MX", "MY", "MZ", "M")}


def test_one_link_and_no_parameters() -> None:
    turning = yaml("name: one\nframes: [{theta: t1}]\nlinks: symbolic\ngravity: [0, 0, 0]\n")
    assert base_parameters(turning).names == ("ZZ1R",)
    fixed = yaml("name: none\nframes: [{sigma: 2, d: D1}]\nlinks: symbolic\ngravity: [0, 0, G3]\n")
    found = base_parameters(fixed)
    assert found.names == () and len(found.eliminated) == 10
    assert "0 base parameters" in str(found)


def test_keeps_names_of_description() -> None:
    text = "name: own\nframes: [{theta: t1}]\nlinks: {1: {ZZ: Izz, MX: mx, IA: motor}}\ngravity: [9.81, 0, 0]\n"
    found = base_parameters(yaml(text))
    assert found.names == ("ZZ1R", "mx")
    assert found.values({"Izz": 2, "motor": 3, "mx": 5}) == {"ZZ1R": 5, "mx": 5}


def test_rejects_invalid_arguments() -> None:
    robot = rs.load("rx90")
    with pytest.raises(InputError, match="expected 'symbolic' or 'numeric'"):
        base_parameters(robot, "exact")
    with pytest.raises(InputError, match="structure"):
        base_parameters(robot, structure="serial")
    with pytest.raises(InputError, match="has no parameter M9"):
        base_parameters(robot).values({"M9": 1})
    with pytest.raises(InputError, match="expected values for"):
        base_parameters(robot).values({"D3": 1})


def test_numeric_geometry_names_each_parameter_once() -> None:
    found = base_parameters(rs.load("puma560").symbolic())
    for name, value in found.grouping.items():
        text = str(value)
        assert all(len(re.findall(rf"\b{p}\b", text)) == (p in found.coefficients[name]) for p in found.standard_names)
    assert str(found.grouping["XX2R"]) == "XX2 - YY2 - 0.18645124*(M3 + M4 + M5 + M6)"  # 0.4318^2
    assert "YY3" not in str(base_parameters(rs.load("rx90")).grouping["XX2R"])  # it cancels
