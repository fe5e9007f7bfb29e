"""The guide's menus as data: what can be asked of a robot, for the command line and for any other surface."""

from robosym.app.menus.command import Argument, Command, Option, Outcome
from robosym.app.menus.table import CODE, COMMANDS, MENUS

__all__ = ["CODE", "COMMANDS", "MENUS", "Argument", "Command", "Option", "Outcome"]
