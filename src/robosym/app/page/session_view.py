"""What every view has: the session, the frame around it, work that it waits for; and the views by name."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from importlib import import_module
from typing import TYPE_CHECKING, Any

from nicegui import background_tasks
from nicegui.element import Element

from robosym.app.page.widgets import block, button, text
from robosym.app.session.jobs import Cancelled, PageJob
from robosym.errors import Error

if TYPE_CHECKING:
    from robosym.app.page.shell import Shell
    from robosym.app.session import Session

__all__ = ["VIEWS", "SessionView", "main_button", "view_named", "view_of"]

#: by name, the module below `robosym.app.page` and the class or function that draws the view of a session in a shell
VIEWS = {
    "start": "start_view:start",
    "robot": "robot_view:RobotView",
    "model": "model_view:ModelView",
    "inverse": "inverse_view:InverseView",
    "simulate": "simulate_view:SimulateView",
    "identification": "identification_view:IdentificationView",
    "history": "history_view:HistoryView",
}
#: commands that have a view of their own; every other one is asked for in "model"
_OF_COMMANDS = {
    "list": "start", "show": "robot", "inverse_geometry": "inverse", "solve": "inverse", "simulate": "simulate",
    "identify": "identification",
}  # fmt: skip
_SPINNER = 0.3  #: seconds before a button shows that it works


def view_of(command: str) -> str:
    """The view in which a command of the menus is asked for."""
    return _OF_COMMANDS.get(command, "model")


def view_named(name: str) -> Callable[[Session | None, Shell], object]:
    """What draws a view, imported when it is first seen."""
    module, _, drawing = VIEWS[name].partition(":")
    found: Callable[[Session | None, Shell], object] = getattr(import_module(f"robosym.app.page.{module}"), drawing)
    return found


class SessionView:
    """A view of a session in the regions of a shell."""

    def __init__(self, session: Session, shell: Shell) -> None:
        self.session, self.shell, self.results = session, shell, session.results
        self.job: PageJob | None = None  #: what the view waits for
        self._place = shell.number  #: of this view among those that the window has shown

    @property
    def is_here(self) -> bool:
        """Whether this view is still shown."""
        return self.shell.number == self._place and not self.shell.body.is_deleted

    def do(self, work: Coroutine[Any, Any, object]) -> None:
        """Begin something that takes a while."""
        background_tasks.create(work)

    async def value_of(self, job: PageJob, quietly: bool = False) -> Any:
        """What a job gives; None where it failed, which is said in passing, or where the view is gone."""
        try:
            found = await asyncio.wrap_future(job.future)
        except Error as error:
            if not quietly:
                self.shell.notify(str(error), "error")
            return None
        return found if self.is_here else None

    async def waited(self, job: PageJob, on_wait: Callable[[], Any], on_fail: Callable[[Error], Any]) -> Any:
        """What a job gives; `on_wait` is called where that takes a while, `on_fail` where it fails."""
        future = asyncio.wrap_future(job.future)
        try:
            done, _ = await asyncio.wait([future], timeout=_SPINNER)
            if not done and self.is_here:
                on_wait()
            return await future
        except Cancelled:
            if self.is_here:
                self.shell.notify("Cancelled")
        except Error as error:
            if self.is_here:
                on_fail(error)
        return None

    @property
    def is_busy(self) -> bool:
        """Whether the job that the view waits for is under way."""
        return self.job is not None and not self.job.is_over

    def head(self, title: str, about: str = "", title_classes: str = "") -> Element:
        """The head of the page anew, with a title and a line beside it; to be filled with `with`."""
        self.shell.head.clear()
        with self.shell.head:
            text(title, title_classes, "h1")
            text(about, "mut el")
            block("grow")
        return self.shell.head

    def robot_line(self) -> None:
        """Which robot it is, for the foot."""
        text(f"{self.session.robot.name}, {len(self.session.robot.joint_names)} joints")


def main_button(
    place: Element, words: str, doing: str, action: Callable[[], Any], busy: bool, enabled: bool = True
) -> None:
    """The button that begins the work of a view, which turns while it is done."""
    place.clear()
    with place:
        key = "" if busy else "Ctrl \N{DOWNWARDS ARROW WITH CORNER LEFTWARDS}"
        made = button(doing if busy else words, action, kind="pri", key=key, enabled=enabled and not busy)
        if busy:
            with made:
                block("spin")
