"""Meanings of symbols beside the equations of a model."""

from __future__ import annotations

import robosym as rs
from robosym.languages.sections import sections


def hints(model: rs.Model) -> dict[str, str]:
    return {name: words for section in sections(model) for name, words in section.hints.items()}


def test_explains_every_symbol_of_a_recursion() -> None:
    model = rs.inverse_dynamics(rs.load("rx90"))
    found = hints(model)
    names = [name for part in sections(model) for name in (*part.names, *(one.name for one in part.equations))]
    assert set(names) == set(found)
    assert found["W33"] == "angular velocity of link 3, in its frame, component 3 (rad/s)"
    assert found["U112"].endswith("angular velocity, component 1,1 (rad/s^2)")
    assert found["D3"] == "distance between the axes z (m): table Frames, frame 3, d"
    assert found["MX2"].endswith("(kg m): table Links, link 2, MX")
    assert found["t4"] == "angle of joint 4 (rad): table Frames, frame 4"
    assert found["G3"] == "acceleration of a falling body along z of frame 0 (m/s^2): Gravity"
    assert found["GAM2"] == "torque or force of the motor of joint 2 (N m or N): table Joints, joint 2, GAM"


def test_sliding_joints_and_own_symbols() -> None:
    robot = rs.load("stanford").edit({"link1.M": "heavy"})
    found = hints(rs.inverse_dynamics(robot))
    slide = next(name for name in found if name.startswith("r"))
    assert found[slide].startswith("position of joint 3 (m)")


def test_letters_of_other_models_are_not_explained() -> None:
    found = hints(rs.lagrange(rs.load("planar2r")))
    assert not any(words.startswith("force of the antecedent") for words in found.values())
