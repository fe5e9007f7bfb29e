"""The robot: its tables on the left, with cells that are edited in place, and its picture on the right."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from robosym.app.page.picture import RobotPicture
from robosym.app.page.shell import Shell
from robosym.app.page.uploads import ROBOT_FILES, FileDrop
from robosym.app.page.widgets import block, button, emptied, empty, field, icon, keys, segments, select, text
from robosym.app.session import Session
from robosym.errors import Error, counted
from robosym.formats.draft_changes import add_leg, add_loop, remove_leg, set_base

__all__ = ["CellTable", "RobotView"]


class CellTable(ui.element, component="assets/cell_table.js"):
    """One table of the document. `on_change` is called when rows are added, removed or moved."""

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
        """Update the table; only changed cells are sent to the browser."""
        if table != self.props["table"] or self.session.selected != self.props["selected"]:
            self.props["table"] = table
            self.props["selected"] = self.session.selected
            self.update()

    def light(self) -> None:
        """Highlight the selected row."""
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
        problem = None if found is None else {"message": found.message, "fix": found.fix, "warning": found.is_warning}
        self.run_method("tried", {**cell, "problem": problem})


def _cell(event: GenericEventArguments) -> dict[str, Any]:
    return {"row": int(event.args["row"]), "column": str(event.args["column"]), "text": str(event.args["text"])}


_KINDS = {
    "simple": "open chain", "tree": "tree", "closed": "closed loops", "parallel": "parallel", "hybrid": "hybrid",
}  # fmt: skip
_OPEN = ("frames", "links")  #: tables that are open at first
_LONG = 40  #: rows; longer tables of links are collapsed at first
_DRAWN = 120  #: joints; the picture of a larger robot is drawn on request
_VECTORS = ("gravity",)


class RobotView:
    """Head, sections of tables, picture and foot, all updated when the document changes."""

    def __init__(self, session: Session, shell: Shell) -> None:
        self.session, self.shell = session, shell
        self.document = session.document
        self.tables: dict[str, CellTable] = {}
        self.abouts: dict[str, Any] = {}
        self.shape: tuple[Any, ...] = ()
        self.open: dict[str, bool] = {}
        with shell.body, block("split robot"):
            with block("pane pad scroll", "section", data_panel="tables"):
                self.sections = block("sections")
            block("divider", role="separator", tabindex=0, aria_label="Width of the picture", aria_valuenow=456,
                  aria_valuemin=320, aria_valuemax=1400)  # fmt: skip
            with block("pane side", "aside", data_panel="picture") as self.side:
                self._draw_picture()
        with shell.body:  # a dropped file opens another robot; this one stays stored
            FileDrop(self._dropped, lambda words: shell.notify(words, "error"), ROBOT_FILES)
        self._draw_head()
        self._draw_foot()
        self._draw_sections()
        shell.watch(self._on_change)

    def _dropped(self, path: Path) -> None:
        shell = self.shell
        shell.attempt(lambda: shell.open(shell.sessions.open_file(path.name, path.read_bytes())))

    def _draw_picture(self) -> None:
        """Draw the picture; for a robot with very many frames only on request, so that the tables appear first."""
        count = len(self.session.robot.joint_names)
        if count <= _DRAWN:
            RobotPicture(self.session, self.shell)
            return
        with block("view grow", style="display:flex") as waiting:

            def draw() -> None:
                waiting.delete()
                with self.side:
                    RobotPicture(self.session, self.shell)

            empty("robot", f"A robot of {count} joints", "Its picture may take a while", "Draw it", draw)

    def _on_change(self, what: str) -> None:
        if what == "document":
            self._draw_head()
            self._draw_foot()
            self._refresh()
        elif what == "selection":
            self._draw_head()
            for table in self.tables.values():
                table.light()

    # ------------------------------------------------------------------------------------------------- head and foot

    def _draw_head(self) -> None:
        robot, document, head, attempt = self.session.robot, self.document, self.shell.head, self.shell.attempt
        with emptied(head):
            with block("titleh", "h1"):
                _editable(document.title or document.name, lambda words: attempt(document.rename, None, words))
            joints = len(robot.joint_names)
            text(f"{joints} joint{'s' * (joints != 1)}", "chip")
            loops = len(robot.loops) if document.kind == "closed" else 0
            legs = len(robot.legs) if document.kind == "parallel" else 0
            kind = counted(loops, "loop") if loops else f"{legs} legs" if legs else _KINDS[document.kind]
            text(kind, "chip hide-t")
            text(f"{robot.base.kind} base", "chip hide-t")
            block("grow")
            chosen = self.session.selected
            if document.kind == "parallel":
                button("Add leg", partial(attempt, document.change, add_leg), sign="plus")
            if document.kind in ("parallel", "hybrid"):
                return
            if chosen is not None:
                remove = partial(attempt, self.session.remove_frame, chosen)
                button(f"Remove frame {chosen}", remove, sign="bin", kind="ghost")
            if document.kind == "closed":
                button("Add loop", partial(attempt, document.change, add_loop), sign="plus", kind="ghost hide-t")
            tree = len(document.draft["rows"]) - 2 * int(document.draft.get("loops", 0))
            after = chosen if chosen is not None and chosen <= tree else None
            add = partial(attempt, self.session.add_frame, "", after)
            button("Add frame", add, sign="plus", title="Add frame (Insert)")

    def _draw_foot(self) -> None:
        errors, problems = self.document.errors, self.document.problems
        with emptied(self.shell.foot), block("status"):
            if errors:
                count = f"{len(errors)} entr{'y' if len(errors) == 1 else 'ies'} to correct: {errors[0].where}"
                with block("se", "button").on("click", self.shell.next_error):
                    icon("warning")
                    text(count if errors[0].table else errors[0].message, "el")
                text("Picture and models use the last valid table", "hide-t el")
            elif problems:
                with block("se odd", "button").on("click", self.shell.next_error):
                    icon("warning")
                    text(
                        problems[0].message if not problems[0].table else f"{problems[0].where}: {problems[0].message}",
                        "el",
                    )
            else:
                text(self._source(), "el")
            block("grow")
            keys(("Enter", "next row"), ("Ctrl Z", "undo"), ("F8", "next error"))

    def _source(self) -> str:
        """Return the source of the data, in one line."""
        words = str(self.document.draft.get("source", "")).strip()
        return words.partition(". ")[0] if words else f"{self.document.name}, from {self.document.origin}"

    # ---------------------------------------------------------------------------------------------------- the tables

    def _draw_sections(self) -> None:
        shown = self.document.tables()
        self.shape = _shape(shown)
        self.sections.clear()
        self.tables, self.abouts = {}, {}
        with self.sections:
            for table in shown:
                self._section(table)

    def _refresh(self) -> None:
        """Update the texts of the tables; redraw the sections if the set of tables has changed."""
        shown = self.document.tables()
        if _shape(shown) != self.shape:
            self._draw_sections()
            return
        for table in shown:
            if table["key"] in self.tables:
                self.tables[table["key"]].show(table)
            if table["key"] in self.abouts:
                self.abouts[table["key"]].text = _summary(table)

    def _section(self, table: dict[str, Any]) -> None:
        key = table["key"]
        name = key.rpartition(".")[2]
        if name in _VECTORS:
            self._base(table)
            return
        wrong = any("problem" in cell for row in table["rows"] for cell in row["cells"])
        usual = _usually_open(table)
        opened = self.open.get(key, usual) or wrong

        def fold() -> None:
            self.open[key] = not opened
            self._draw_sections()

        with block("sect" if opened else "fold"):
            with block("foldname", "button", aria_expanded=opened).on("click", fold):
                icon("down" if opened else "right", "ch")
                text(table["title"], tag="h2")
            self.abouts[key] = text(table["about"] if opened else _summary(table), "mut sm el")
            if opened:
                self.abouts.pop(key)
                block("grow")
                self._section_tools(table)
        if opened:
            self.tables[key] = CellTable(self.session, self.shell, table).props(f'data-table="{key}"')

    def _section_tools(self, table: dict[str, Any]) -> None:
        key, chain = table["key"], table["chain"]
        name = key.rpartition(".")[2]
        if name == "links":
            forms = {"frame": "At the frame", "center": "At the center of mass"}
            show = partial(self.document.show_links, key)
            shown = {"3": "3 digits", "4": "4 digits", "6": "6 digits", "15": "All digits"}
            digits = select("Digits of numbers", shown, "4", lambda _: None).classes("hide-t digits")
            digits.on("change", js_handler="(e) => robosym.digits(e.target.value)")
            segments(forms, table["form"], show, "hide-t", "Place of inertia")
        elif name == "frames" and chain.startswith("leg"):
            number = int(chain.removeprefix("leg"))
            add = partial(self.shell.attempt, self.session.add_frame, chain)
            button("Frame", add, sign="plus", kind="ghost s", title=f"Add a frame to leg {number}")
            remove = partial(self.shell.attempt, self.document.change, remove_leg, number)
            button(sign="bin", kind="ghost s ico", title=f"Remove leg {number}", on_click=remove)

    def _base(self, table: dict[str, Any]) -> None:
        """Return the kind of the base and the gravity vector in one line."""
        document = self.document
        with block("fold base"):
            text("Base and gravity", "nw", "h2")
            if "rows" in document.draft:
                kinds = {"fixed": "Fixed", "mobile": "Mobile", "floating": "Floating"}
                kind = document.draft.get("base", {}).get("type", "fixed")
                segments(kinds, kind, partial(self.shell.attempt, document.change, set_base), label="Base")
            block("grow")
            text("g", "lab")
            self.tables[table["key"]] = CellTable(self.session, self.shell, table).classes("vector")
            self.tables[table["key"]].props(f'data-table="{table["key"]}"')


def _editable(words: str, on_change: Callable[[str], Any]) -> Element:
    """Draw a title that can be edited in place."""
    size = min(max(len(words), 4), 48)
    made = field("Title", words, on_change, "", "titlefield", "change", maxlength=200, title="Title", size=size)
    return made.on("keydown.enter", js_handler="(e) => e.target.blur()")


def _usually_open(table: dict[str, Any]) -> bool:
    """Return the sections that are open at first: frames and links, or the first leg and the platform."""
    chain, name = table["chain"], str(table["key"]).rpartition(".")[2]
    if chain is not None and "leg" in chain:
        return name == "frames" and str(chain).endswith("leg1")
    return (name in _OPEN and not (name == "links" and len(table["rows"]) > _LONG)) or name in ("places", "platform")


def _shape(tables: list[dict[str, Any]]) -> tuple[Any, ...]:
    """Return the structure that determines the sections."""
    return tuple((t["key"], t["title"], t["form"], bool(t["rows"])) for t in tables)


def _summary(table: dict[str, Any]) -> str:
    """Return the contents of a table in one line."""
    name = table["key"].rpartition(".")[2]
    cells = [cell for row in table["rows"] for cell in row["cells"]]
    if name == "joints":
        elastic = sum(row["cells"][3]["text"] == "1" for row in table["rows"])
        limits = any(cell["text"] for row in table["rows"] for cell in row["cells"][6:])
        springs = f"{elastic} elastic" if elastic else "no elastic joint"
        return f"velocities QPj, accelerations QDPj, torques GAMj, {springs}{', limits' if limits else ''}"
    if name == "wrench":
        loaded = [row["label"] for row in table["rows"] if not all(cell.get("zero") for cell in row["cells"])]
        return f"on link {', '.join(loaded[:6])}" if loaded else "none"
    if name == "load":
        return " ".join(c["text"] for c in cells if not c.get("zero")) or "none"
    if name == "position":
        return f"{sum(bool(cell['text']) for cell in cells)} of {len(cells)} joints given"
    if name == "links":
        names = sum(not cell.get("zero") for cell in cells)
        return f"{len(table['rows'])} links, {names} entries"
    if name == "frames":
        return f"{len(table['rows'])} frames: " + " ".join(
            cell["text"] for row in table["rows"] for cell in row["cells"] if cell.get("variable")
        )
    return str(table["about"])
