"""Commands and options that cannot apply to a robot, and the reason that is shown."""

from __future__ import annotations

import robosym as rs
from robosym.app.menus import COMMANDS


def test_unsupported_options_explain_themselves() -> None:
    rows = {option.name: option for option in COMMANDS["inverse_dynamics"].options}
    command = COMMANDS["inverse_dynamics"]
    serial, closed, platform = (rs.load(name) for name in ("rx90", "sr400", "delta"))
    assert command.option_reason(rows["tree"], serial) == "only for a closed robot"
    assert command.option_reason(rows["tree"], closed) == ""
    assert command.option_reason(rows["modes"], serial) == "only for a robot with a platform"
    assert command.option_reason(rows["modes"], platform) == ""
    assert command.option_reason(rows["tree"], platform) == "not for a robot with a platform"
    assert command.option_reason(rows["tree"], None) == ""
    assert command.option_reason(rows["passive"], serial) == "only where a joint is elastic"
    assert COMMANDS["loop_geometry"].reason(serial) == "only for a closed robot"
    assert COMMANDS["motors"].reason(platform) == ""
    assert COMMANDS["lagrange"].reason(platform) == "not for a robot with a platform"
    coupled = serial.with_transmission([[2 if i == j else 0 for j in range(6)] for i in range(6)])
    reasons = [reason for command in COMMANDS.values() if (reason := command.reason(coupled))]
    assert "not for a robot with a transmission" in reasons
    assert "not for a robot with a platform" not in reasons
