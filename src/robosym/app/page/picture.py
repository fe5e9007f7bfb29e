"""The robot next to its tables: picture, poses, sliders and symbols."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from nicegui import ui

from robosym.app.page.components import JointSliders, RobotStage
from robosym.app.page.fixing import page_text
from robosym.app.page.live_pane import LivePane
from robosym.app.page.shell import Shell
from robosym.app.page.widgets import (
    block,
    button,
    drop_menu,
    empty,
    fill,
    number_field,
    read_number,
    segments,
    spelled,
    text,
    toggle_button,
)  # fmt: skip
from robosym.app.session import Session
from robosym.drawing.posture import FlangeReading, Posture, SymbolNumber, numbers_of_symbols
from robosym.drawing.view import VIEWS
from robosym.errors import Error

__all__ = ["RobotPicture"]

_NOTHING = 1e-9  #: manipulability that is shown as 0
_MANY = 40  #: maximum number of frames in a menu


def _parts(posture: Posture) -> tuple[Any, ...]:
    """Return the structure that requires a complete redraw if it changes: sliders, symbols and frames."""
    rows = [(s.name, s.label, s.joint, s.slides) for s in posture.sliders]
    return (
        rows,
        [(s.name, s.unit) for s in posture.symbols],
        posture.frames.labels,
        [*posture.passive],
        posture.frames.ends,
    )


class RobotPicture:
    """The picture of the robot of a session, drawn in the current element."""

    def __init__(self, session: Session, shell: Shell) -> None:
        self.session, self.shell = session, shell
        self.degrees = True
        self.row: int | None = session.selected
        self.stage: RobotStage | None = None
        self._robot: Any = None
        self._status = ""
        self._ahead = False  #: whether this picture moved the robot, so that it already shows the posture
        self.box = ui.element("div").classes("picture")
        self._draw()
        shell.watch(self._on_change)

    # ------------------------------------------------------------------------------------------------ drawing

    def _draw(self) -> None:
        self.box.clear()
        self.stage = None
        self._robot = self.session.robot
        try:
            posture = self.session.posture
        except Error as error:
            with self.box:
                with block("view grow"):
                    empty("warning", "This robot cannot be drawn", page_text(error))
                with block("jp"), block("jp-scroll"):
                    self._symbols(numbers_of_symbols(self.session.robot, self.session.numbers))
            return
        with self.box:
            with block("view grow"):
                self.stage = RobotStage(posture, {"Names": True, "Axes": True, "Links": True})
                self._tools(self.stage)
                self._words = text("", "status", role="status")
            with block("jp"):
                self._reading(posture)
                with block("jp-scroll"):
                    self._joints(posture)
                    self._symbols(posture.symbols)
                    self.live = LivePane(self)
        self._made_of = _parts(posture)
        self.stage.on_pick(self._picked)
        self.stage.on_moved(self._moved)
        if self.row is not None:
            self.select(self.row)

    def _tools(self, stage: RobotStage) -> None:
        with block("tools tr"):
            toggle_button("Drag the flange", False, stage.lead, "drag", "ico")
            with button(sign="geometric", kind="ghost ico", title="Views"):
                views = {name: angles for name, angles in VIEWS.items() if angles is not None}
                drop_menu([(name.capitalize(), "", partial(stage.look, *angles)) for name, angles in views.items()])
            home = lambda: self.show_status(self.session.posture.home())  # noqa: E731
            button(sign="home", kind="ghost ico", title="Home position", on_click=home)
            stage.fit_button()

    def _reading(self, posture: Posture) -> None:
        reading = posture.reading()
        with block("row nw reading"):
            with block("pickframe", "button", title="Frame that is shown and dragged"):
                self._frame = text("", "mut")
                names = {
                    j: [name for name, at in posture.drawn.frame_names.items() if at == j] for j in posture.frames.ends
                }
                drop_menu([
                    (f"Frame {posture.frames.labels[j] or j}", ", ".join(names[j]), partial(posture.look_at, j))
                    for j in posture.frames.ends[:_MANY]
                ])  # fmt: skip
            self._place = text("", "m mono-num")
            block("grow", "span")
            text("Manipulability", "mut", title="sqrt(det(J Jᵀ)) of the frame, by the joints that have sliders")
            self._measure = text("", "m")
        self._read(reading)

    def _read(self, reading: FlangeReading) -> None:
        posture = self.session.posture
        self._frame.set_text(f"Frame {posture.frames.labels[reading.frame] or reading.frame} in 0")
        self._place.set_text("\N{EN SPACE}".join(spelled(x, 3) for x in reading.position) + " m")
        roll, pitch, yaw = (spelled(math.degrees(x), 2) for x in reading.angles)
        self._place.props["title"] = f"roll {roll}°, pitch {pitch}°, yaw {yaw}° about x, y, z of frame 0"
        self._place.update()
        w = reading.manipulability
        self._measure.set_text("0" if w < _NOTHING else f"{w:.3g}" if w >= 100 else spelled(w, 4))

    def _joints(self, posture: Posture) -> None:
        with block("row jhead"):
            text("Joints", tag="h2")
            if posture.closed.loops:
                passive = len(posture.passive)
                text(f"motors; {passive} passive follow", "mut t12 el")
            block("grow", "span")
            turns = any(not slider.slides for slider in posture.sliders)
            words = {"deg": "deg", "rad": "rad"} if turns else {"deg": "mm", "rad": "m"}
            segments(words, "deg" if self.degrees else "rad", self._units, label="Units of joints")
        assert self.stage is not None
        self.sliders = JointSliders(posture.sliders, self.stage, self.degrees, [*posture.passive])
        self.sliders.on("pick", lambda event: self._picked(int(event.args["joint"])))
        if not posture.sliders:
            text("No joint moves", "mut t12", style="padding:0 12px")

    def _symbols(self, symbols: Sequence[SymbolNumber]) -> None:
        if not symbols:
            return
        with block("symbols"):
            text("Symbols", "lab nw", title="Numbers for the picture; they never enter the tables")
            with block("fields"):
                for symbol in symbols:
                    self._symbol(symbol)

    def _symbol(self, symbol: SymbolNumber) -> None:
        def changed(words: str) -> None:
            value = read_number(words)
            if self.stage is None and value is not None:  # nothing is drawn yet: try with this number
                self.session.results.numbers[symbol.name] = repr(value)
                self._draw()
            if self.stage is None:
                return
            posture = self.session.posture
            status = "" if value is not None else f"{symbol.name}: expected a number, found {words[:40]!r}"
            if value is not None:
                status = posture.settle(symbol.name, value)
                if not status:
                    self.session.results.numbers[symbol.name] = repr(value)
            now = next(s.value for s in posture.symbols if s.name == symbol.name)
            fill(field, f"{now:.6g}")
            self.show_status(status, True)

        field = number_field(symbol.name, f"{symbol.value:.6g}", symbol.unit, changed, "r", inside=True)

    # ------------------------------------------------------------------------------------------------ actions

    def select(self, row: int | None) -> None:
        """Highlight the link of a row of the tables, or none."""
        self.row = row
        if self.stage is None:
            return
        link = next((j for j, r in self.session.posture.frames.rows.items() if r == row), None) if row else None
        self.stage.select(link)
        self.sliders.choose(link)

    def _picked(self, link: int) -> None:
        row = self.session.posture.frames.rows.get(link)
        self.select(row)
        self.session.select(row)

    def _moved(self, joints: dict[str, float], note: str, done: bool) -> None:
        self._ahead = True
        try:
            self.session.posture.stand(joints)
        finally:
            self._ahead = False
        self.show_status(note)

    def _units(self, unit: str) -> None:
        self.degrees = unit == "deg"
        self.sliders.in_degrees(self.degrees)
        self.sliders.set(self.session.posture.joints)

    def show_status(self, words: str, error: bool = False) -> None:
        """Show a message over the picture, such as where a motion ended."""
        if words == self._status:
            return
        self._status = words
        self._words.set_text(words)
        self._words.classes(**({"add": "error"} if error else {"remove": "error"}))

    def _on_change(self, what: str) -> None:
        if what == "selection":
            if self.session.selected != self.row:
                self.select(self.session.selected)
        elif what == "document" and self.session.robot is not self._robot:
            self._changed()
        elif what in ("posture", "symbols") and self.stage is not None:
            self._refresh(self.session.posture, what == "symbols")

    def _changed(self) -> None:
        """Update the picture after a change of the tables: numbers only if the structure is the same."""
        try:
            posture = self.session.posture
        except Error:
            self._draw()
            return
        if self.stage is None or _parts(posture) != self._made_of:
            self._draw()
            return
        self._robot = self.session.robot
        self._refresh(posture, True)

    def _refresh(self, posture: Posture, anew: bool) -> None:
        assert self.stage is not None
        if anew:
            self.stage.show(posture)
            self.sliders.replace(posture.sliders)
            self.live.build()
        elif not self._ahead:
            self.stage.pose(posture)
            self.stage.flange(posture.frame)
        if not self._ahead:
            self.sliders.set(posture.joints)
        self._read(posture.reading())
