"""Existence and names of standard parameters."""

from __future__ import annotations

import robosym as rs
from cases.identification import yaml
from robosym.parameters.standard import standard_parameters


def test_numeric_zeros_are_parameters() -> None:
    text = "name: one\nframes: [{theta: t1}]\nlinks: {1: {ZZ: 0.2, IA: 0, FV: 0.1}}\ngravity: [0, 0, 9.81]\n"
    found = standard_parameters(yaml(text))
    assert found.numeric and len(found.names) == 10 and [p.name for p in found.friction] == ["FV1"]
    symbolic = standard_parameters(yaml(text.replace("0.2", "I")))
    assert not symbolic.numeric and symbolic.names == ("I",)


def test_repeated_symbol_is_not_a_name() -> None:
    text = "name: two\nframes: [{theta: t1}, {d: L, theta: t2}]\nlinks: {1: {M: m, MX: L}, 2: {M: m, ZZ: I2}}\n"
    found = standard_parameters(yaml(text + "gravity: [0, 0, 9.81]\n"))
    assert found.names == ("MX1", "M1", "I2", "M2")
    assert found.at[1, "MX"].place == (1, "MX")


def test_rotors_of_passive_joints_are_separate() -> None:
    robot = rs.load("sr400")
    closed, tree = standard_parameters(robot, closed=True), standard_parameters(robot)
    passive = [j for j in robot.tree_joints if not robot.frame(j).mu]
    assert {p.link for p in closed.apart} <= set(passive) and not tree.apart
    assert set(closed.names) | {p.name for p in closed.apart} == set(tree.names)
