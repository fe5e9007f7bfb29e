"""Messages of the command line speak of its options."""

from __future__ import annotations

import pytest

from robosym.app.cli.wording import in_options
from robosym.app.menus import COMMANDS


@pytest.mark.parametrize(
    ("command", "message", "worded"),
    [
        (
            "inverse_geometry",
            "arm has several ends: say which with frame=",
            "arm has several ends: say which with --frame",
        ),
        ("inverse_geometry", "fix 1 of them with fixed={'t3': 0.0}", "fix 1 of them with --fixed t3=0.0"),
        ("inverse_geometry", "try method='pieper' or method='general'", "try --method pieper or --method general"),
        ("inverse_geometry", "given: expected some of the letters", "--given: expected some of the letters"),
        ("excite", "say limits={'position': ...}", "say `position: ...` in the file of --limits"),
        ("inverse_dynamics", "frame= is none of its options", "frame= is none of its options"),
        ("base_parameters", "arm has loops: pass structure='tree' for more", "arm has loops: pass --tree for more"),
    ],
)
def test_arguments_are_options(command, message, worded):
    assert in_options(message, COMMANDS[command]) == worded
