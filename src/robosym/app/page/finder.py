"""The contents of the global search: models, actions, robots of the library, variables of the open robot."""

from __future__ import annotations

import json
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from nicegui import ui

from robosym.app.menus import COMMANDS, Command
from robosym.app.page.dialogs import NewRobot, SearchResult, list_keys
from robosym.app.page.widgets import ASSETS
from robosym.errors import counted
from robosym.formats.draft_changes import add_loop

if TYPE_CHECKING:
    from robosym.app.page.shell import Shell

__all__ = ["HIDDEN", "catalogue", "everything", "listed", "words"]


@lru_cache(maxsize=1)
def catalogue() -> dict[str, dict[str, Any]]:
    """Return the robots by name: title, joints, structure, and whether they are symbolic or numeric."""
    path = ASSETS / "library" / "catalogue.json"
    found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


HIDDEN = ("list", "show", "new", "convert", "app")  #: commands that other parts of the page replace
_PROPER = {
    "Fmu": "FMU",
    "Ros2": "ROS 2 package",
    "newton euler": "Newton-Euler",
    "Pd ": "PD ",
    "Jdot qdot": "J̇ q̇",
    " jacobian": " Jacobian",
}


#: first entries of a menu; the others follow in the order of the table
_FIRST = (
    "direct_geometry", "inverse_geometry", "solve", "transform", "loop_geometry", "jacobian", "velocities",
    "inverse_dynamics", "direct_dynamics", "inertia_matrix", "bias_torques", "gravity_torques", "coriolis_matrix",
    "base_parameters", "identify", "dynamic_identification", "simulate", "excite",
)  # fmt: skip


def listed(menu: str) -> list[Command]:
    """Return the commands of a menu in display order."""
    rows = [row for row in COMMANDS.values() if row.menu == menu and row.name not in HIDDEN]
    return sorted(rows, key=lambda row: _FIRST.index(row.name) if row.name in _FIRST else len(_FIRST))


def words(name: str) -> str:
    """Return the name of a command as a title."""
    label = name.replace("_", " ").capitalize()
    for plain, proper in _PROPER.items():
        label = label.replace(plain, proper)
    return label


def everything(shell: Shell) -> list[SearchResult]:
    """Return all search results, in the order in which equal matches are listed."""
    found: list[SearchResult] = []
    if shell.session is not None:
        document = shell.session.document
        for row in COMMANDS.values():
            if row.name not in HIDDEN:
                about, go = f"{row.menu}: {row.sentence}", partial(shell.command, row.name)
                found.append(SearchResult(words(row.name), about, row.menu.lower(), go))
        found += [
            SearchResult("Robot", "tables and picture", "robot", partial(shell.go, "robot")),
            SearchResult("History", "what was generated", "history", partial(shell.go, "history")),
            SearchResult("Undo", "Ctrl Z", "undo", shell.undo),
            SearchResult("Redo", "Ctrl Shift Z", "redo", shell.redo),
            SearchResult("Add frame", "Insert", "plus", partial(shell.do, shell.session.add_frame)),
            SearchResult(
                "Add loop",
                "a cut joint and its fixed frame",
                "plus",
                partial(shell.do, partial(document.change, add_loop)),
            ),
        ]
        for form, label, about in shell.formats():
            found.append(SearchResult(f"Save as {label}", about, "download", partial(shell.save, form)))
        found += _variables(shell)
    found += [
        SearchResult("New robot", "number of links, loops and type", "plus", partial(NewRobot, shell)),
        SearchResult("Open a file or a robot of the library", "", "file", partial(ui.navigate.to, "/")),
        SearchResult("Keys", "?", "help", partial(list_keys, shell)),
        SearchResult("Dark theme", "", "moon", partial(shell.client.run_javascript, "robosym.theme('dark')")),
        SearchResult("Light theme", "", "sun", partial(shell.client.run_javascript, "robosym.theme('light')")),
    ]
    for name, card in catalogue().items():
        what = f"{card['title']}, {counted(card['joints'], 'joint')}, {card['structure']}"
        found.append(SearchResult(name, what, "robot", partial(shell.open_named, name)))
    return found


def _variables(shell: Shell) -> list[SearchResult]:
    """Return every symbol of the tables with the first cell that contains it; choosing it shows the cell."""
    assert shell.session is not None
    found: dict[str, SearchResult] = {}
    for table in shell.session.document.tables():
        for number, row in enumerate(table["rows"]):
            for cell, column in zip(row["cells"], table["columns"], strict=True):
                name = cell["text"]
                if name.isidentifier() and column["kind"] not in ("choice", "name") and name not in found:
                    where = f"{table['title'].lower()}, row {row['label']}, {column['head']}"
                    lead = partial(shell.show_cell, table["key"], number, column["key"])
                    found[name] = SearchResult(name, where, "geometric", lead)
    return list(found.values())
