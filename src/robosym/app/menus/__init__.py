"""The menus of the guide as data: every command, for the command line, the page and any other interface."""

from robosym.app.menus.command import Argument, Command, Option, Outcome
from robosym.app.menus.table import CODE, COMMANDS, MENUS

__all__ = ["CODE", "COMMANDS", "MENUS", "Argument", "Command", "Option", "Outcome"]
