"""The base class of all views (session, frame, jobs), and the views by name."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from importlib import import_module
from typing import TYPE_CHECKING, Any

from nicegui import background_tasks
from nicegui.element import Element

from robosym.app.page.fixing import Fix, page_text
from robosym.app.page.widgets import block, button, emptied, text
from robosym.app.session.jobs import IMPORTS, Canceled, PageJob
from robosym.errors import Error, counted

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
#: commands with a view of their own; all others use the view "model"
_OF_COMMANDS = {
    "list": "start", "show": "robot", "inverse_geometry": "inverse", "solve": "inverse", "simulate": "simulate",
    "identify": "identification",
}  # fmt: skip
_SPINNER = 0.3  #: seconds before a button shows a spinner


def view_of(command: str) -> str:
    """Return the view of a menu command."""
    return _OF_COMMANDS.get(command, "model")


def view_named(name: str) -> Callable[[Session | None, Shell], object]:
    """Return the function that draws a view, imported at its first use."""
    module, _, drawing = VIEWS[name].partition(":")
    with IMPORTS:
        found: Callable[[Session | None, Shell], object] = getattr(import_module(f"robosym.app.page.{module}"), drawing)
    return found


class SessionView:
    """A view of a session in the regions of a shell."""

    def __init__(self, session: Session, shell: Shell) -> None:
        self.session, self.shell, self.results = session, shell, session.results
        self.fields: dict[str, Any] = {}  #: contents of the fields of the command
        self.has_numbers = True  #: whether values of symbols can be typed here, not only in the tables of the robot
        self.job: PageJob | None = None  #: the job that the view waits for
        self._place = shell.number  #: number of this view in its window

    @property
    def is_here(self) -> bool:
        """Whether this view is still shown."""
        return self.shell.number == self._place and not self.shell.body.is_deleted

    def do(self, work: Coroutine[Any, Any, object]) -> None:
        """Start an asynchronous action."""
        background_tasks.create(work)

    async def value_of(self, job: PageJob, quietly: bool = False) -> Any:
        """Return the result of a job, or None if it failed (with a notification) or the view is gone."""
        try:
            found = await asyncio.wrap_future(job.future)
        except Error as error:
            if not quietly:
                self.shell.notify(page_text(error), "error")
            return None
        return found if self.is_here else None

    async def waited(self, job: PageJob, on_wait: Callable[[], Any], on_fail: Callable[[Error], Any]) -> Any:
        """Return the result of a job; `on_wait` is called if it takes a while, `on_fail` if it fails."""
        future = asyncio.wrap_future(job.future)
        try:
            done, _ = await asyncio.wait([future], timeout=_SPINNER)
            if not done and self.is_here:
                on_wait()
            return await future
        except Canceled:
            if self.is_here:
                self.shell.notify("Canceled")
        except Error as error:
            if self.is_here:
                on_fail(error)
        return None

    @property
    def is_busy(self) -> bool:
        """Whether the job of the view is running."""
        return self.job is not None and not self.job.is_over

    def head(self, title: str, about: str = "", title_classes: str = "") -> Element:
        """Redraw the head of the page with a title and a subtitle; use it with `with` to add elements."""
        with emptied(self.shell.head):
            text(title, title_classes, "h1")
            text(about, "mut el")
            block("grow")
        return self.shell.head

    def after_fix(self, fix: Fix, draw: Callable[[], Any], run: Callable[[], Any]) -> Any:
        """Continue after a fix has changed its field: draw the options and run, or ask for the missing value."""
        if fix.name == "set" and not self.has_numbers:
            self.fields.pop("set")
            self.shell.go("robot")
            return None
        draw()
        if fix.is_complete:
            return run()
        find = f"document.querySelector('.opt [data-option={fix.name}] input')"
        return self.shell.client.run_javascript(f"setTimeout(() => {find}?.focus(), 100)")  # once it is drawn

    def robot_line(self) -> None:
        """Describe the robot in the foot of the page."""
        text(f"{self.session.robot.name}, {counted(len(self.session.robot.joint_names), 'joint')}")


def main_button(
    place: Element, words: str, doing: str, action: Callable[[], Any], busy: bool, blocked: str = ""
) -> None:
    """Draw the main button of a view, with a spinner while its job runs; `blocked` is why it cannot run."""
    with emptied(place):
        key = "" if busy else "Ctrl \N{DOWNWARDS ARROW WITH CORNER LEFTWARDS}"
        made = button(doing if busy else words, action, kind="pri", key=key, enabled=not (blocked or busy))
        if busy:
            with made:
                block("spin")
        elif blocked:
            text(blocked, "blocked t12", "div", role="status")
