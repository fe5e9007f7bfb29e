"""Options on the page are those of the table: one that is added there appears here, with the field of its kind."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra ui")

import robosym as rs
from robosym.app.menus import COMMANDS, Option
from robosym.app.page.fixing import SuggestedFixes
from robosym.app.page.options import OptionPanel
from robosym.app.session.generation import generate
from robosym.app.session.requests import Request
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


def test_added_option_appears() -> None:
    command = COMMANDS["inertia_matrix"]
    more = Option("color_of_zeros", "text", "How zeros look.", "gray", ("gray", "black"))
    before = words(drawn(command, rs.load("rx90"), {}))
    after = words(drawn(replace(command, more=(*command.more, more)), rs.load("rx90"), {}))
    assert {"Color of zeros", "Gray", "Black"} <= after - before


@pytest.mark.parametrize("command", COMMANDS.values(), ids=lambda command: command.name)
def test_every_option_of_every_command_has_a_field(command: Any) -> None:
    for robot in (rs.load("rx90"), rs.load("delta")):
        seen = words(drawn(command, robot, {}))
        for option in command.options:
            if option.name not in ("output", "language"):
                label = option.label or option.name.replace("_", " ").capitalize()
                assert {label, f"{label} to a file"} & seen, (option.name, label)


def test_file_names_contain_no_path() -> None:
    for name in ("../../etc/passwd", "..\\..\\boot.ini", "/abs/log.csv", "a\0b.csv", ".hidden", "", "<script>.csv"):
        safe = safe_name(name)
        assert safe and "/" not in safe and "\\" not in safe and "\0" not in safe and not safe.startswith(".")


#: command, contents of its fields, marked field, and buttons: label, and contents of the field after a click
FIXES = [
    ("inverse_dynamics", "planar2r", {"select": ["GAM2", "GMA1"]}, "select", [("Use GAM1", ["GAM2", "GAM1"])]),
    ("lagrange", "sr400", {}, "", [('Set "Equivalent tree"', True)]),
    ("inverse_geometry", "rx90", {"method": "paull"}, "method", [("Use paul", "paul")]),
    ("inverse_dynamics", "rx90", {"set": ["D33=1"]}, "set", [("Use D3", ["D3=1"])]),
    ("simulate", "rx90", {}, "", [("Give G3 a value", ["G3="])]),
    ("general_equations", "rx90", {"first": 9}, "first", []),
]


@pytest.mark.parametrize(("command", "robot", "fields", "marked", "offered"), FIXES, ids=[one[0] for one in FIXES])
def test_errors_mark_fields_and_offer_unambiguous_fixes(
    command: str, robot: str, fields: dict[str, Any], marked: str, offered: list[Any]
) -> None:
    with pytest.raises(rs.Error) as raised:
        generate(Request(command, robot, fields))
    fixing = SuggestedFixes(COMMANDS[command], fields, raised.value)
    assert fixing.name == marked
    assert [(fix.label, fix.value) for fix in fixing.fixes()] == offered
    text = raised.value.text(fixing)
    assert not any(word in text for word in ("=", "parameters", "with_values"))
    for fix in fixing.fixes():
        if fix.is_complete:
            generate(Request(command, robot, {**fields, fix.name: fix.value}))
