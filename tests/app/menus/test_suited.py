"""Commands and options that cannot apply to a robot, and the reason that is shown."""

from __future__ import annotations

import robosym as rs
from robosym.app.menus import COMMANDS
from robosym.app.menus.suited import command_reason, option_reason


def test_what_cannot_apply_says_why() -> None:
    rows = {option.name: option for option in COMMANDS["inverse_dynamics"].options}
    command = COMMANDS["inverse_dynamics"]
    serial, closed, platform = (rs.load(name) for name in ("rx90", "sr400", "delta"))
    assert option_reason(command, rows["tree"], serial) == "only for a closed robot"
    assert option_reason(command, rows["tree"], closed) == ""
    assert option_reason(command, rows["modes"], serial) == "only for a robot with a platform"
    assert option_reason(command, rows["modes"], platform) == ""
    assert option_reason(command, rows["tree"], platform) == "not for a robot with a platform"
    assert option_reason(command, rows["tree"], None) == ""
    assert option_reason(command, rows["passive"], serial) == "only where a joint is elastic"
    assert command_reason(COMMANDS["loop_geometry"], serial) == "only for a closed robot"
    assert command_reason(COMMANDS["motors"], platform) == ""
    assert command_reason(COMMANDS["lagrange"], platform) == "not for a robot with a platform"
