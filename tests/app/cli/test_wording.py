"""Messages of the command line speak of its options."""

from __future__ import annotations

import pytest

from robosym.app.cli.main import OptionWords
from robosym.app.menus import COMMANDS
from robosym.app.page.fixing import page_text
from robosym.errors import GiveValue, InputError, Pass


@pytest.mark.parametrize(
    ("command", "error", "worded"),
    [
        (
            "inverse_geometry",
            InputError("arm has several ends", hint=("say which with ", Pass("frame"))),
            "arm has several ends: say which with --frame",
        ),
        ("inverse_geometry", InputError("x", hint=("fix ", Pass("fixed", {"t3": 0.0}))), "x: fix --fixed t3=0.0"),
        (
            "inverse_geometry",
            InputError("x", hint=("try ", Pass("method", "pieper"), " or ", Pass("method", "general"))),
            "x: try --method pieper or --method general",
        ),
        ("inverse_geometry", InputError("given: expected some letters"), "--given: expected some letters"),
        ("identify", InputError("prepare: cut: expected less"), "--cut: expected less"),
        ("jacobian", InputError("link 1: expected a mass"), "link 1: expected a mass"),
        ("jacobian", InputError("frame 3: joints: expected a name"), "frame 3: joints: expected a name"),
        (
            "excite",
            InputError("x", hint=("say ", Pass("limits", {"position": None}))),
            "x: say `position: ...` in the file of --limits",
        ),
        ("inverse_dynamics", InputError("x", hint=[Pass("frame")]), "x: frame="),
        (
            "base_parameters",
            InputError("arm has loops", hint=("pass ", Pass("structure", "tree"), " for more")),
            "arm has loops: pass --tree for more",
        ),
        ("solve", InputError("D3 has no value", hint=[GiveValue("D3")]), "D3 has no value: give --set D3=NUMBER"),
    ],
)  # fmt: skip
def test_messages_name_options(command, error, worded):
    assert error.text(OptionWords(COMMANDS[command])) == worded


def test_option_at_the_start_is_the_location():
    error = InputError("--add-frame: expected NAME=PARENT:POSE, found 'x'")
    assert [part.name for part in error.path] == ["add_frame"]
    assert error.text(OptionWords(COMMANDS["inverse_dynamics"])) == "--add-frame: expected NAME=PARENT:POSE, found 'x'"
    assert page_text(error, {"add_frame": "Frame"}) == "Frame: expected NAME=PARENT:POSE, found 'x'"
