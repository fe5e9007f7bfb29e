"""Options on the page are those of the table: one that is added there appears here, with the field of its kind."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra ui")

import robosym as rs
from robosym.app.menus import COMMANDS, Option
from robosym.app.page.options import OptionPanel
from robosym.app.session.state_files import safe_name


def drawn(command: Any, robot: Any, fields: dict[str, Any]) -> list[Any]:
    """The elements of the panel, without a browser."""
    from nicegui.client import Client
    from nicegui.page import page

    with Client(page("/options")) as client:
        OptionPanel(command, robot, fields, (), lambda: None).draw()
    return list(client.elements.values())


def words(elements: list[Any]) -> set[str]:
    return {one.text for one in elements if hasattr(one, "text")}


def test_an_option_that_is_added_appears() -> None:
    command = COMMANDS["inertia_matrix"]
    more = Option("colour_of_zeros", "text", "How zeros look.", "grey", ("grey", "black"))
    before = words(drawn(command, rs.load("rx90"), {}))
    after = words(drawn(replace(command, options=(*command.options, more)), rs.load("rx90"), {}))
    assert {"Colour of zeros", "Grey", "Black"} <= after - before


@pytest.mark.parametrize("command", COMMANDS.values(), ids=lambda command: command.name)
def test_every_option_of_every_command_has_a_field(command: Any) -> None:
    for robot in (rs.load("rx90"), rs.load("delta")):
        seen = words(drawn(command, robot, {}))
        for option in command.options:
            if option.name not in ("output", "language"):
                label = option.label or option.name.replace("_", " ").capitalize()
                assert {label, f"{label} to a file"} & seen, (option.name, label)


def test_names_of_files_hold_no_path() -> None:
    for name in ("../../etc/passwd", "..\\..\\boot.ini", "/abs/log.csv", "a\0b.csv", ".hidden", "", "<script>.csv"):
        safe = safe_name(name)
        assert safe and "/" not in safe and "\\" not in safe and "\0" not in safe and not safe.startswith(".")
