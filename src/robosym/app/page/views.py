"""Every view of the page, and which commands of the menus it serves. A view is a function `view(session, shell)`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["COMMAND_VIEWS", "VIEWS", "view_named", "view_of"]

#: by name, the module below `robosym.app.page` whose function `view` draws it
VIEWS = {
    "start": "start_view",
    "robot": "robot_view",
    "model": "model_view",
    "inverse": "inverse_view",
    "simulate": "simulate_view",
    "identification": "identification_view",
    "history": "history_view",
}
#: commands that have a view of their own; every other one is asked for in "model"
COMMAND_VIEWS = {
    "list": "start",
    "show": "robot",
    "inverse_geometry": "inverse",
    "solve": "inverse",
    "simulate": "simulate",
    "identify": "identification",
}


def view_of(command: str) -> str:
    """The view in which a command of the menus is asked for."""
    return COMMAND_VIEWS.get(command, "model")


def view_named(name: str) -> Callable[[Any, Any], None]:
    """The function that draws a view, imported when it is first seen."""
    function: Callable[[Any, Any], None] = import_module(f"robosym.app.page.{VIEWS[name]}").view
    return function
