"""Inverse geometry: the steps as the book writes them, a pose, all its solutions, ghosts of those not chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from nicegui import run, ui
from nicegui.element import Element

from robosym.app.menus import COMMANDS
from robosym.app.page.components import CodeText
from robosym.app.page.pose_pane import FixedJoints, PoseFields
from robosym.app.page.same_lines import same_lines
from robosym.app.page.session_view import SessionView
from robosym.app.page.shell import Shell
from robosym.app.page.solution_pane import SolutionPane
from robosym.app.page.widgets import (
    block,
    button,
    drop_menu,
    empty,
    give,
    keys,
    read_number,
    segments,
    tabs,
    text,
)  # fmt: skip
from robosym.app.session import Session
from robosym.app.session.book_steps import BookStep
from robosym.app.session.equivalents import command_line, python
from robosym.app.session.requests import Request
from robosym.app.session.solving import GIVEN, PageSolver
from robosym.errors import Error
from robosym.languages import LANGUAGES
from robosym.solve.inverse_geometry import METHODS

__all__ = ["InverseView"]

_TABS = {"steps": "Steps", "c": "C", "python": "Python", "latex": "LaTeX"}
_BUSY = 0.3  #: seconds after which it is said that a pose is being solved


class StepList(Element, component="assets/steps.js"):
    """Steps of a solution."""

    def __init__(self, steps: list[BookStep]) -> None:
        super().__init__()
        self._props["list"] = [asdict(step) for step in steps]


def _held(words: Iterable[object]) -> dict[str, float]:
    """Joints that are held, from `t3=0.1` of a request."""
    pairs = [str(word).partition("=")[::2] for word in words]
    return {name: number for name, value in pairs if (number := read_number(value)) is not None}


class InverseView(SessionView):
    """What is asked, what was found, and what of it is chosen."""

    def __init__(self, session: Session, shell: Shell) -> None:
        super().__init__(session, shell)
        asked = self.results.fields.get("inverse_geometry", {})  # of the history, or of a window before this one
        self.method, self.given = str(asked.get("method") or "auto"), str(asked.get("given") or "")
        self.fixed: dict[str, float] = _held(asked.get("fixed") or ())
        self.solver: PageSolver | None = None
        self.tab = "steps"
        self.columns: Element | None = None
        try:
            self.T = np.array(session.posture.reading().matrix)
        except Error as error:
            with shell.body:
                empty("warning", "No inverse geometry of this robot", str(error))
            return
        self._draw_head()
        with shell.body, block("ig"):
            self.left = block("pane ig-steps", "section").props("data-panel=steps")
            with block("pane ig-pose", "section"):
                self.pose = PoseFields(self, self.solve, self.from_picture)
                self.held = FixedJoints(self, self._fix, self._fix_at)
                self.solutions = SolutionPane(self)
        with shell.foot:
            self.same = block("same foot-same")
        with shell.foot, block("status"):
            self.status = text("", "nw")
            block("grow", "span")
            keys(("1", "to 9 show a solution"), ("Enter", "take it"), ("F6", "next panel"))
        for number in range(1, 10):
            shell.on_key(str(number), partial(self.solutions.choose, number), f"show solution {number}")
        shell.on_key("enter", self.solutions.take, "take the solution that is shown")
        shell.on_key("s", partial(self.soon, self.solve), "solve the pose")
        shell.watch(self._heard)
        self.soon(self.derive)

    def soon(self, work: Callable[[], Any], seconds: float = 0.01) -> ui.timer:
        """Do something a little later, in the page."""
        with self.shell.body:
            return ui.timer(seconds, work, once=True)

    def _heard(self, what: str) -> None:
        if what in ("document", "symbols"):
            self.solutions.stage.show(self.session.posture)
            self.soon(self.solve if what == "symbols" else self.derive)

    # ------------------------------------------------------------------------------------------------ head

    def _draw_head(self) -> None:
        self.shell.head.clear()
        with self.shell.head:
            text("Inverse geometric model", "nw", "h1")
            self.chip = text("", "chip on")
            self.chip.set_visibility(False)
            self.words = text("", "mut t12 nw hide-l el")
            block("grow", "span")
            if COMMANDS["inverse_geometry"].applicable(self.session.robot) is None:
                text("Method", "lab hide-t")
                segments({m: m.capitalize() for m in METHODS}, self.method, self._method, label="Method")
                text("Given", "lab hide-t", style="margin-left:6px")
                self.columns = block("seg several").props("role=group aria-label=Given")
                self._draw_given(self.given or GIVEN)
            with button("Download", sign="download", after="down", kind="short-t"):
                endings = {name: next(iter(language.extensions), ".txt") for name, language in LANGUAGES.items()}
                names = {name: name.capitalize() if len(name) > 2 else name.upper() for name in LANGUAGES}
                drop_menu([(names[n], ending, partial(self._download, n, ending)) for n, ending in endings.items()])

    def _draw_given(self, given: str) -> None:
        if self.columns is None:
            return
        self.columns.clear()
        with self.columns:
            for letter in GIVEN:
                one = text(letter, "on" if letter in given else "", "button").props("type=button")
                one.props["aria-pressed"] = str(letter in given).lower()
                one.on("click", partial(self._toggle_given, letter))

    async def _code(self, language: str) -> tuple[str, str]:
        """The function in a language, or what is wrong with it."""
        assert self.solver is not None
        try:
            return await run.io_bound(self.solver.code, language) or "", ""
        except Error as error:
            return "", str(error)

    async def _download(self, language: str, ending: str) -> None:
        if self.solver is None:
            return
        code, wrong = await self._code(language)
        if wrong:
            self.shell.notify(wrong, "error")
            return
        with self.shell.client:
            give(f"{self.session.robot.name}_igm{ending}", code.encode())

    def _request(self) -> Request:
        values: dict[str, Any] = {
            "method": self.method if self.method != "auto" else None,
            "given": self.given if self.given != GIVEN else None,
            "fixed": [f"{name}={value!r}" for name, value in self.fixed.items()],
        }
        return self.results.asked("inverse_geometry", {name: value for name, value in values.items() if value})

    def _tell_same(self) -> None:
        """The command line and the Python of the steps."""
        self.same.clear()
        request = self._request()
        with self.same:
            unsaved = "" if request.is_named else request.robot
            same_lines(command_line(request), python(request), python(request, imports=True), unsaved)

    def _remember(self, seconds: float) -> None:
        """In the history, and in the fields that outlive the program."""
        request = self._request()
        self.results.restore(request)
        self.session.store()
        name = self.session.robot.name
        self.results.history.add(request, name, "Inverse geometric model", command_line(request), seconds)

    # ------------------------------------------------------------------------------------------------ steps

    async def derive(self) -> None:
        """The steps, then the solutions of the pose."""
        self.tab = "steps"
        self._draw_left(True)
        begun = perf_counter()
        try:
            solver = await run.io_bound(_derived, self.session.posture, self.method, self.given, self.fixed)
        except Error as error:
            self.solver = None
            with self.shell.client:
                self.chip.set_visibility(False)
                self.words.set_text("")
                self._draw_left(False, str(error))
                self.solutions.show([], 0.0)
                self._tell_same()
            return
        if solver is None:  # the program ends
            return
        self.solver = solver
        with self.shell.client:
            self.chip.set_text({"legs": "By legs", "near": "Search"}.get(solver.method, solver.method.capitalize()))
            self.chip.set_visibility(True)
            self.words.set_text(solver.words)
            self._draw_given(solver.given)
            self.fixed = dict(solver.fixed)
            self.held.show(self.fixed)
            self._draw_left(False)
            steps, seconds = len(solver.steps), perf_counter() - begun
            self.status.set_text(f"{steps} steps in {seconds:.2g} s" if steps else "")
            self._tell_same()
        self._remember(perf_counter() - begun)
        await self.solve()

    def _draw_left(self, busy: bool, failed: str = "", code: str = "", wrong: str = "") -> None:
        self.left.clear()
        solver = self.solver
        with self.left:
            with block("tabs"):
                tabs(_TABS, self.tab, self._tab)
                with block("end"):
                    counted = solver.counted if solver is not None and not busy else ""
                    text(counted, "mut t12 el", style="padding-right:8px")
                    button(sign="copy", kind="ghost s ico", title="Copy", on_click=self._copy_left)
            with block("more ig-scroll"):
                if busy:
                    with block("row busy"):
                        block("spin")
                        text("Deriving the steps" if self.tab == "steps" else "Writing the code", "mut")
                elif failed:
                    empty("warning", "No steps for this robot", failed)
                elif solver is None:
                    pass
                elif self.tab != "steps" and (wrong or not code):
                    empty("warning", f"No {_TABS[self.tab]} for this robot", wrong)
                elif self.tab != "steps":
                    CodeText().show(code, self.tab)
                elif not solver.steps:
                    by_steps = self.columns is not None  # a robot in one table: its loops have steps, if many
                    empty("geometric", "No steps to show",
                          solver.words[:1].upper() + solver.words[1:] + ": solutions are searched, not computed",
                          "Derive the steps" if by_steps else "", partial(self._method, "paul"))  # fmt: skip
                else:
                    StepList(solver.steps)

    async def _tab(self, key: str) -> None:
        """The steps, or their code, which may take a while."""
        self.tab = key
        solver = self.solver
        if solver is None or key == "steps":
            self._draw_left(False)
            return
        self._draw_left(True)
        code, wrong = await self._code(key)
        if self.tab == key and self.solver is solver:
            with self.shell.client:
                self._draw_left(False, code=code, wrong=wrong)

    def _copy_left(self) -> None:
        if self.solver is not None:
            self.shell.attempt(lambda solver: ui.clipboard.write(solver.copied(self.tab)), self.solver)
            self.shell.notify("Copied")

    # ------------------------------------------------------------------------------------------------ what is asked

    async def _method(self, method: str) -> None:
        self.method = method
        await self.derive()

    async def _toggle_given(self, letter: str) -> None:
        now = self.solver.given if self.solver is not None else self.given or GIVEN
        wanted = "".join(one for one in GIVEN if (one in now) != (one == letter))
        if not wanted:
            self.shell.notify("Something of the pose must be given: s, n, a or P", "error")
            return
        self.given = wanted
        self._draw_given(wanted)
        await self.derive()

    async def _fix(self, before: str, name: str) -> None:
        now = self.session.posture.joints[name]
        self.fixed = {name if one == before else one: now if one == before else at for one, at in self.fixed.items()}
        await self.derive()

    async def _fix_at(self, name: str, value: float) -> None:
        if self.solver is not None:
            self.fixed = {**self.fixed, name: value}
            self.solver.fixed = dict(self.fixed)
            self._tell_same()
            await self.solve()

    # ------------------------------------------------------------------------------------------------ solutions

    async def from_picture(self) -> None:
        """The pose in which the robot stands."""
        self.T = np.array(self.session.posture.reading().matrix)
        self.pose.show(self.T)
        await self.solve()

    async def solve(self) -> None:
        """All solutions of the pose."""
        if self.solver is None:
            return
        solver, begun, goal = self.solver, perf_counter(), self.T
        busy = self.soon(self.solutions.wait, _BUSY)
        try:
            for search in (False, True) if solver.searches else (True,):
                found = await run.io_bound(solver.solve, goal, search)
                busy.cancel()
                if solver is not self.solver or self.T is not goal or found is None:  # another is asked for already
                    return
                with self.shell.client:
                    self.solutions.show(found, perf_counter() - begun)
        except Error as error:
            busy.cancel()
            self.shell.notify(str(error), "error")


def _derived(*asked: Any) -> PageSolver:
    """In a thread of its own: the solver, and its steps set."""
    solver = PageSolver(*asked)
    _ = solver.steps
    return solver
