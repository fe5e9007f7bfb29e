"""Base parameters of descriptions whose symbols resemble names of parameters but have another meaning."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from oracles.regressor import Regressor, rank
from robosym.mechanism import Robot

STANDARD = """name: arm
convention: standard
frames:
  - {a: A1, alpha: 0.4, d: 0.2, theta: t1}
  - {a: 0.3, alpha: -0.7, d: 0, theta: t2, name: elbow}
  - {a: A3, alpha: 0.3, d: r3, theta: 0.1, sigma: 1}
links: symbolic
gravity: [0.3, -9.81, 0.5]
"""
HEAD = "name: arm\nframes:\n  - {theta: t1}\n  - {theta: t2, d: D2, alpha: 0.5}\ngravity: [0.3, -9.81, 0.5]\n"


def arm(first: str, second: str, length: str = "D2") -> str:
    """Return two links with these fields."""
    return HEAD.replace("D2", length) + f"links:\n  1: {{{first}}}\n  2: {{{second}}}\n"


CASES = {
    "standard table": STANDARD,
    "symbols of other links": arm("M: XX2, MX: MX2, ZZ: M2", "M: M1, MX: 2*MX1, ZZ: 0.4, XX: XX1, MY: MY2"),
    "sums": arm("M: M1 + M2, MX: MX1, ZZ: ZZ1 + D2*D2*M2", "M: M2, MX: MX2 + 0.1*M2, XX: XX2, ZZ: -ZZ2"),
    "names of base parameters": arm("ZZ: ZZ1R, MX: MX1RR", "M: MX1R, MX: ZZ1, ZZ: ZZ2R, XX: XX2J, XY: XX2"),
    "a length": arm("ZZ: ZZ1, MX: MX1", "M: M2, MX: MX2, MY: MX1R, ZZ: ZZ2, XX: XX2", "MX1R"),
    "some numbers": arm("M: 3, MX: 0.2, ZZ: ZZ1", "M: M2, MX: 0.3, ZZ: 0.5, XX: XX2, YZ: 0.01, IA: IA2"),
}


def same_torques(robot: Robot) -> None:
    """Check that base parameters from `values` give the same torques, and that their number is Pinocchio's rank."""
    rng = np.random.default_rng(5)
    model, base = rs.inverse_dynamics(robot), rs.base_parameters(robot)
    reduced = rs.inverse_dynamics(robot, base_parameters=True)
    given = {name: float(rng.uniform(0.5, 2)) for name in robot.parameters}
    values = given | base.values(given)
    motion = dict(zip(("q", "qd", "qdd"), rng.normal(size=(3, 6, len(robot.tree_joints))), strict=True))
    standard = model.compile()(**motion, parameters=[given[n] for n in model.inputs["parameters"]])
    found = reduced.compile()(**motion, parameters=[values[n] for n in reduced.inputs["parameters"]])
    assert np.allclose(standard, found, rtol=1e-10, atol=1e-10)
    assert len(set(base.standard_names)) == len(base.standard_names)
    regressor = Regressor(robot, given)
    rows = np.vstack([regressor(*state) for state in rng.normal(size=(60, 3, len(robot.tree_joints)))])
    present = [n for n, place in enumerate(regressor.columns) if place in {p.place for p in base.standard.inertial}]
    assert rank(rows[:, present]) == len(base.names)


@pytest.mark.parametrize("case", CASES)
def test_names_are_unambiguous(case: str) -> None:
    same_torques(rs.loads(CASES[case], format="yaml"))


def test_symbolic_payload_on_symbolic_link() -> None:
    table = rs.loads(STANDARD, format="yaml")
    same_torques(table.with_payload(3, "M3P", ["X", 0.1, "M1P"], [0, 0, 0, 0, 0, "ZZ3J"]))
    same_torques(rs.loads(HEAD + "links: symbolic\n").with_payload(2, "MP", [0.1, "X", 0], 6 * [0]))


def test_values_after_base_parameters() -> None:
    table = rs.loads(STANDARD, format="yaml")
    rng = np.random.default_rng(3)
    given = {name: float(rng.uniform(0.5, 2)) for name in table.parameters if not name.startswith(("Q", "GAM"))}
    numbers, base = table.with_values(given), rs.base_parameters(table)
    values = given | base.values(given)
    reduced = base.robot.with_values({name: values[name] for name in base.robot.parameters if name in values})
    motion = dict(zip(("q", "qd", "qdd"), rng.normal(size=(3, 3)), strict=True))
    expected = rs.inverse_dynamics(numbers).compile()(**motion)
    assert np.allclose(rs.inverse_dynamics(reduced).compile()(**motion), expected, rtol=1e-11)
    assert np.allclose(rs.inverse_dynamics(numbers, base_parameters=True).compile()(**motion), expected, rtol=1e-11)


@pytest.mark.parametrize("links", ["symbolic", "{2: {M: 1.5, com: [0.1, 0, 0]}}"])
def test_end_frame_has_no_parameters(links: str) -> None:
    table = rs.loads(STANDARD.replace("links: symbolic", f"links: {links}"), format="yaml")
    assert table.NL == 5  # including the frames of elbow and end
    assert {p.link for p in rs.base_parameters(table).standard.inertial} == {1, 2, 3}
