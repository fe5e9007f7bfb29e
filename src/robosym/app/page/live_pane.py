"""Values of the models of a robot beside its picture, computed in the browser while the robot moves."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from nicegui import background_tasks, ui

from robosym.app.page.components import LiveValues
from robosym.app.page.fixing import page_text
from robosym.app.page.widgets import block, emptied, text
from robosym.errors import Error

if TYPE_CHECKING:
    from robosym.app.page.picture import RobotPicture

__all__ = ["LivePane"]


class LivePane:
    """Torques, Jacobian, inertia matrix and watched models of the robot of a picture; computed once it is opened."""

    def __init__(self, picture: RobotPicture) -> None:
        self.picture, self._number, self._open = picture, 0, False
        with ui.element("details").classes("passive live") as self.box:
            with ui.element("summary").classes("t12"):
                text("Values", "lab", title="Torques, Jacobian and watched models, live")
            self._content = block("")
        self.box.on("toggle", lambda event: self.build(event.args), js_handler="(e) => emit(e.target.open)")

    def build(self, is_open: bool | None = None) -> None:
        """Compile the models of the robot as it is now and show their values, if the pane is open."""
        self._open = self._open if is_open is None else bool(is_open)
        if self._open:
            background_tasks.create(self._build())

    async def _build(self) -> None:
        picture, results = self.picture, self.picture.session.results
        self._number += 1
        number, posture, stage = self._number, picture.session.posture, picture.stage
        with emptied(self._content):
            text("Compiling the models", "mut t12", "p")
        asked = results.asked("inverse_dynamics", {})
        job = results.quick("Live values", "live", asked, posture.joints, posture.values, results.watched, quiet=True)
        try:
            models = await asyncio.wrap_future(job.future)
        except Error as error:
            models = page_text(error)
        if number != self._number or self._content.is_deleted or stage is None:
            return
        with emptied(self._content):
            text(models, "mut t12", "p") if isinstance(models, str) else LiveValues(models, stage, picture.degrees)
