"""Test functions for robots of links with a platform: they return a result or raise an error with a suggestion."""

from __future__ import annotations

from functools import cache

import pytest

import robosym as rs
from robosym.app.menus import COMMANDS

_FUNCTIONS = {
    command.name: command
    for command in COMMANDS.values()
    if command.gives in ("model", "solution", "text")
    and command.arguments[:1]
    and command.arguments[0].kind == "robot"
    and all(argument.kind == "frame" for argument in command.arguments[1:])
}


@cache
def loaded(name: str) -> rs.Robot:
    return rs.load(name)


@pytest.mark.parametrize("name", ["delta", "tricept_wrist"])
@pytest.mark.parametrize("function", sorted(_FUNCTIONS))
def test_functions_accept_a_platform_or_explain_why_not(function: str, name: str) -> None:
    robot = loaded(name)
    command = _FUNCTIONS[function]
    frames = {argument.name: 1 for argument in command.arguments[1:]}
    try:
        assert command.run({"robot": robot, **frames}).result is not None
    except rs.Error as error:
        assert len(str(error)) > len(function), error


def test_error_suggests_what_to_pass() -> None:
    with pytest.raises(rs.InputError, match=r"coriolis_matrix does not take a robot with a platform: .*to_closed"):
        rs.coriolis_matrix(rs.load("delta"))
    with pytest.raises(rs.InputError, match="direct_geometry of a robot with a platform takes no options"):
        rs.direct_geometry(rs.load("delta"), 0, 3)
