"""The robot: its tables left, its picture right."""

from __future__ import annotations

from robosym.page.picture import picture
from robosym.page.shell import Shell
from robosym.page.widgets import block, text
from robosym.session import Session

__all__ = ["view"]


def view(session: Session, shell: Shell) -> None:
    """Draw the view."""
    robot = session.robot
    with shell.head:
        text(robot.title or robot.name, "el", "h1")
        text(f"{len(robot.joint_names)} joints", "chip")
    with shell.body, block("split robot"):
        block("pane pad", "section").props["data-panel"] = "tables"
        with block("pane side", "aside") as side:
            picture(session, shell)
        side.props["data-panel"] = "picture"
    with shell.foot, block("status"):
        text(robot.name)
