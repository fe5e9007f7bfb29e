"""What is under way, at the foot of every view: how far it is, Cancel, and after a restart Run again."""

from __future__ import annotations

from collections.abc import Callable
from time import time
from typing import Any

from nicegui import ui

from robosym.app.page.widgets import block, button, icon, text
from robosym.app.session.jobs import Jobs, PageJob

__all__ = ["JobBar"]

EVERY = 0.4  #: seconds from one look at the jobs to the next: all that an idle page does
_SEEN_AFTER = 1.0  #: seconds: what is quicker is no job for the eye
_STAYS = 6.0  #: seconds that a job which took long is shown after its end
_LONG = 3.0  #: seconds: after that its end is worth a line


class JobBar:
    """Rows in a region of the frame, drawn again when they change."""

    def __init__(self, region: Any, jobs: Jobs, again: Callable[[PageJob], Any]) -> None:
        self.region, self.jobs, self.again = region, jobs, again
        self._drawn: list[tuple[Any, ...]] = []
        self._texts: dict[int, tuple[Any, Any, Any]] = {}
        region.classes("jobs")
        with region:
            self._timer = ui.timer(EVERY, self.refresh)

    def refresh(self) -> None:
        """Draw what has changed."""
        rows = [job for job in self.jobs.listed() if _is_seen(job)][-4:]
        now = [(job.number, job.state) for job in rows]
        if now != self._drawn:
            self._drawn = now
            self._draw(rows)
        for job in rows:
            if job.number in self._texts and not job.is_over:
                said, seconds, bar = self._texts[job.number]
                said.set_text(job.said)
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
            said = text(job.said, "mut el grow")
            seconds = text(f"{job.seconds:.1f} s", "mut nw")
            self._texts[job.number] = said, seconds, bar
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
    if job.again is None or job.state == "cancelled":
        return False
    if job.state == "stopped":
        return True
    if not job.is_over:
        return job.seconds > _SEEN_AFTER
    assert job.ended is not None
    return job.ended - job.begun > _LONG and time() - job.ended < _STAYS
