"""Nothing open: a file, a new robot, unsaved work, or one of the library."""

from __future__ import annotations

import robosym as rs
from robosym.errors import Error
from robosym.page.shell import Shell
from robosym.page.widgets import block, keys, text
from robosym.session import Session

__all__ = ["view"]


def view(session: Session | None, shell: Shell) -> None:
    """Draw the view."""
    with shell.body, block("start"):
        text("Open a robot", "title", "h1")
        text(
            "Describe it in tables, see it move, and generate its geometric, kinematic, dynamic and identification "
            "models.",
            "sec",
            "p",
        )
        with block("lib"):
            for name in rs.library():
                with block("card rc", "button").on("click", lambda name=name: _open(shell, name)), block("tx"):
                    text(name, "b")
    with shell.foot, block("status"):
        text("robosym runs on this computer only; nothing leaves it")
        block("grow")
        keys(("?", "all keys"))


def _open(shell: Shell, name: str) -> None:
    try:
        shell.open(shell.desk.open(name))
    except Error as error:
        shell.notify(str(error), "error")
