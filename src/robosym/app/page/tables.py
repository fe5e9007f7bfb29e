"""The tables of a document on the page: cells edited in place, what is wrong below its cell."""

from __future__ import annotations

from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from robosym.app.page.shell import Shell
from robosym.app.session import Session
from robosym.errors import Error

__all__ = ["CellTable"]


class CellTable(ui.element, component="assets/cell_table.js"):
    """One table of the document. `on_change` is called when the rows themselves change."""

    def __init__(self, session: Session, shell: Shell, table: dict[str, Any]) -> None:
        super().__init__()
        self.session, document = session, session.document
        self.shell = shell
        self.key = str(table["key"])
        self.chain = table["chain"]
        self.props["table"] = table
        self.props["movable"] = self.chain is not None and self.key.rpartition(".")[2] == "frames"
        self.props["lit"] = self.chain is not None
        self.props["selected"] = session.selected
        self.on("edit", lambda e: shell.attempt(lambda: document.edit(self.key, **_cell(e))))
        self.on("pasteblock", lambda e: self.shell.attempt(lambda: self._paste(e)))
        self.on("typed", self._typed)
        self.on("choose", lambda e: session.select(e.args["number"]))
        self.on("add", lambda e: self.shell.attempt(lambda: session.add_frame(self.chain, e.args["frame"])))
        self.on("remove", lambda e: self.shell.attempt(lambda: session.remove_frame(e.args["frame"], self.chain)))
        self.on("move", self._move)

    def show(self, table: dict[str, Any]) -> None:
        """The table as it is now; what has not changed is not sent again."""
        if table != self.props["table"] or self.session.selected != self.props["selected"]:
            self.props["table"] = table
            self.props["selected"] = self.session.selected
            self.update()

    def light(self) -> None:
        """Light up the row that is selected."""
        self.props["selected"] = self.session.selected
        self.update()

    def _paste(self, event: GenericEventArguments) -> None:
        block = [[str(text) for text in row] for row in event.args["block"]]
        self.session.document.paste(self.key, int(event.args["row"]), str(event.args["column"]), block)

    def _move(self, event: GenericEventArguments) -> None:
        frame, step = int(event.args["frame"]), int(event.args["step"])

        def move() -> None:
            at = frame
            for _ in range(min(abs(step), 1000)):
                at = self.session.move_frame(at, 1 if step > 0 else -1, self.chain)

        self.shell.attempt(move)

    def _typed(self, event: GenericEventArguments) -> None:
        cell = _cell(event)
        try:
            found = self.session.document.trial(self.key, **cell)
        except Error:
            return
        told = (
            None if found is None else {"message": found.message, "remedy": found.remedy, "warning": found.is_warning}
        )
        self.run_method("told", {**cell, "problem": told})


def _cell(event: GenericEventArguments) -> dict[str, Any]:
    return {"row": int(event.args["row"]), "column": str(event.args["column"]), "text": str(event.args["text"])}
