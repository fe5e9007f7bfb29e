"""Bars of every view: the open robot, search, undo, theme and saving at the top, running jobs at the bottom."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import time
from typing import TYPE_CHECKING, Any

from nicegui import ui
from nicegui.element import Element

from robosym.app.page.dialogs import NewRobot
from robosym.app.page.widgets import ASSETS, Entries, block, button, drop_menu, icon, text
from robosym.app.session.jobs import Jobs, PageJob

if TYPE_CHECKING:
    from robosym.app.page.shell import Shell

__all__ = ["JobBar", "draw_top"]


def draw_top(bar: Element, shell: Shell) -> None:
    """Redraw the bar."""
    bar.clear()
    document = shell.session.document if shell.session is not None else None
    with bar:
        with block("brand", "a", href="/", title="Start"):
            ui.html((ASSETS / "brand.svg").read_text(encoding="utf-8"), sanitize=False, tag="span").classes("bare")
            text("robosym")
        if document is None:
            text("No robot open", "mut", style="padding-left:10px")
        else:
            with block("pick", "button", title="Open another robot"):
                text(document.name or "no name", "b el")
                text(document.title, "mut hide-t el")
                icon("down")
                drop_menu(partial(_others, shell))
            if document.unsaved:
                stored = shell.session is not None and shell.session.is_stored
                with block("row mut sm nw unsaved", "span"):
                    block("dot", "i")
                    text("Unsaved, stored on this computer" if stored else "Unsaved", "hide-t")
        block("grow")
        with block("search", "button", title="Search").on("click", shell.search):
            icon("search")
            with block("grow el", "span", style="text-align:left"):
                text("Search")
                text(" models, variables, actions", "hide-t")
            text("Ctrl K", tag="kbd")
        block("grow")
        undo, redo = document is not None and document.can_undo, document is not None and document.can_redo
        button(sign="undo", kind="ghost ico", title="Undo (Ctrl Z)", on_click=shell.undo, enabled=undo)
        button(sign="redo", kind="ghost ico", title="Redo (Ctrl Shift Z)", on_click=shell.redo, enabled=redo)
        for theme, sign, words in (("dark", "moon", "Dark theme"), ("light", "sun", "Light theme")):
            one = button(sign=sign, kind=f"ghost ico theme-{theme}", title=words)
            one.on("click", js_handler=f"() => robosym.theme('{theme}')")
        if document is not None:
            with button("Save as", sign="download", after="down", title="Save as (Ctrl S)"):
                drop_menu([(label, about, partial(shell.save, form)) for form, label, about in shell.formats()])


def _others(shell: Shell) -> Entries:
    """Return the other robots; they are read when the menu opens, since each is a file."""
    own = shell.session.key if shell.session is not None else ""
    unsaved = [one for one in shell.sessions.unsaved()[:6] if one.key != own]
    return [
        *((one.name or "no name", "unsaved", partial(shell.open_kept, one.key)) for one in unsaved),
        ("New robot", "", partial(NewRobot, shell)),
        ("Library and files", "start", partial(ui.navigate.to, "/")),
        ("Another window", "", partial(ui.navigate.to, "/", new_tab=True)),
    ]


EVERY = 0.4  #: seconds between updates, the only work of an idle page
_SEEN_AFTER = 1.0  #: seconds; shorter jobs are not shown
_STAYS = 6.0  #: seconds that a long job stays visible after its end
_LONG = 3.0  #: seconds; the end of longer jobs is shown


class JobBar:
    """The rows of the jobs, redrawn when they change."""

    def __init__(self, region: Any, jobs: Jobs, again: Callable[[PageJob], Any]) -> None:
        self.region, self.jobs, self.again = region, jobs, again
        self._drawn: list[tuple[Any, ...]] = []
        self._texts: dict[int, tuple[Any, Any, Any]] = {}
        region.classes("jobs")
        with region:
            self._timer = ui.timer(EVERY, self.refresh)

    def refresh(self) -> None:
        """Redraw the changed parts."""
        rows = [job for job in self.jobs.listed() if _is_seen(job)][-4:]
        now = [(job.number, job.state) for job in rows]
        if now != self._drawn:
            self._drawn = now
            self._draw(rows)
        for job in rows:
            if job.number in self._texts and not job.is_over:
                progress, seconds, bar = self._texts[job.number]
                progress.set_text(job.progress)
                seconds.set_text(f"{job.seconds:.1f} s")
                if job.share is not None:
                    bar.classes(remove="run")
                    bar.default_slot.children[0].style(f"width:{100 * job.share:.0f}%")

    def _draw(self, rows: list[PageJob]) -> None:
        self.region.clear()
        self._texts = {}
        with self.region:
            self._timer = ui.timer(EVERY, self.refresh)
            for job in rows:
                with block("job"):
                    self._row(job)

    def _row(self, job: PageJob) -> None:
        if not job.is_over:
            block("spin")
            text(job.title, "m nw")
            with block("bar run") as bar:
                block(tag="i")
            progress = text(job.progress, "mut el grow")
            seconds = text(f"{job.seconds:.1f} s", "mut nw")
            self._texts[job.number] = progress, seconds, bar
            button("Cancel", lambda: self.jobs.cancel(job.number), kind="s")
            return
        icon("check" if job.state == "done" else "warning", "ok" if job.state == "done" else "er")
        text(job.title, "m nw")
        text(f"done in {job.seconds:.1f} s" if job.state == "done" else job.error, "mut el grow")
        if job.state in ("stopped", "failed") and job.again is not None:
            button("Run again", lambda: self._run_again(job), kind="s")
        button(sign="cross", kind="ghost s ico", title="Dismiss", on_click=lambda: self.jobs.cancel(job.number))

    def _run_again(self, job: PageJob) -> None:
        self.jobs.cancel(job.number)
        self.again(job)


def _is_seen(job: PageJob) -> bool:
    if job.again is None or job.state == "canceled":
        return False
    if job.state == "stopped":
        return True
    if not job.is_over:
        return job.seconds > _SEEN_AFTER
    assert job.ended is not None
    return job.ended - job.begun > _LONG and time() - job.ended < _STAYS
