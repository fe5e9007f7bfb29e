"""Inverse geometric model: the steps in the notation of the book, a pose and all its solutions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from nicegui import run, ui
from nicegui.element import Element

from robosym.app.menus import COMMANDS
from robosym.app.page.components import CodeText, StepList
from robosym.app.page.fixing import SuggestedFixes, draw_failure, page_text
from robosym.app.page.pose_pane import FixedJoints, PoseFields
from robosym.app.page.result_parts import same_lines
from robosym.app.page.session_view import SessionView
from robosym.app.page.shell import Shell
from robosym.app.page.solution_pane import SolutionPane
from robosym.app.page.widgets import (
    block,
    button,
    drop_menu,
    emptied,
    empty,
    give,
    keys,
    pane_tabs,
    read_number,
    segments,
    tabs,
    text,
    turn,
)  # fmt: skip
from robosym.app.session import Session
from robosym.app.session.requests import Request, command_line, equivalent
from robosym.drawing.posture_solver import GIVEN, PageSolver
from robosym.errors import Error, counted
from robosym.languages import LANGUAGES
from robosym.solve.inverse_geometry import METHODS

__all__ = ["InverseView"]

_TABS = {"steps": "Steps", "c": "C", "python": "Python", "latex": "LaTeX"}
_BUSY = 0.3  #: seconds after which the page shows that it solves a pose


class InverseView(SessionView):
    """The options of the solver, its steps, the pose and the chosen solution."""

    def __init__(self, session: Session, shell: Shell) -> None:
        super().__init__(session, shell)
        self.has_numbers = False
        self.fields = self.results.fields.setdefault("inverse_geometry", {})
        self.solver: PageSolver | None = None
        self.tab = "steps"
        self.columns: dict[str, Element] = {}  #: the buttons of the columns that may be given
        try:
            self.T = np.array(session.posture.reading().matrix)
        except Error as error:
            with shell.body:
                empty("warning", "This robot has no inverse geometric model", page_text(error))
            return
        self._draw_head()
        with shell.body:
            pane_tabs({"pose": "Pose and solutions", "steps": "Steps"})
        with shell.body, block("ig"):
            self.left = block("pane ig-steps", "section", data_panel="steps", data_pane="steps")
            with block("pane ig-pose", "section", data_pane="pose"):
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
        shell.watch(self._on_change)
        self.soon(self.derive)

    def soon(self, work: Callable[[], Any], seconds: float = 0.01) -> ui.timer:
        """Call a function a little later, in the context of the page."""
        with self.shell.body:
            return ui.timer(seconds, work, once=True)

    @property
    def method(self) -> str:
        return str(self.fields.get("method") or "auto")

    @property
    def fixed(self) -> dict[str, float]:
        """The values of the fixed joints."""
        pairs = [str(word).partition("=")[::2] for word in self.fields.get("fixed") or ()]
        return {name: number for name, value in pairs if (number := read_number(value)) is not None}

    @fixed.setter
    def fixed(self, values: Mapping[str, float]) -> None:
        self.fields["fixed"] = [f"{name}={value!r}" for name, value in values.items()]

    def _on_change(self, what: str) -> None:
        if what in ("document", "symbols"):
            self.solutions.stage.show(self.session.posture)
            self.soon(self.solve if what == "symbols" else self.derive)

    # ------------------------------------------------------------------------------------------------ head

    def _draw_head(self) -> None:
        with emptied(self.shell.head):
            text("Inverse geometric model", "nw", "h1")
            self.chip = text("", "chip on")
            self.chip.set_visibility(False)
            self.words = text("", "mut t12 nw hide-l el")
            block("grow", "span")
            if COMMANDS["inverse_geometry"].applicable(self.session.robot) is None:
                text("Method", "lab hide-t")
                segments({m: m.capitalize() for m in METHODS}, self.method, self._method, label="Method")
                text("Given", "lab hide-t", style="margin-left:6px")
                with block("seg several", role="group", aria_label="Given"):
                    for letter in GIVEN:
                        self.columns[letter] = text(letter, "", "button")
                        self.columns[letter].on("click", partial(self._toggle_given, letter))
                self._show_given(str(self.fields.get("given") or GIVEN))
            with button("Download", sign="download", after="down", kind="short-t"):
                endings = {name: next(iter(language.extensions), ".txt") for name, language in LANGUAGES.items()}
                names = {name: name.capitalize() if len(name) > 2 else name.upper() for name in LANGUAGES}
                drop_menu([(names[n], ending, partial(self._download, n, ending)) for n, ending in endings.items()])

    def _show_given(self, given: str) -> None:
        """Mark the given columns; the buttons are not redrawn, so that no click is lost."""
        for letter, one in self.columns.items():
            turn(one, letter in given)

    async def _code(self, language: str) -> tuple[str, str]:
        """Return the function in a language, or the error message."""
        assert self.solver is not None
        try:
            return await run.io_bound(self.solver.code, language) or "", ""
        except Error as error:
            return "", page_text(error)

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
        usual = {"method": "auto", "given": GIVEN}
        given = {name: value for name, value in self.fields.items() if value and value != usual.get(name)}
        return self.results.asked("inverse_geometry", given)

    def _draw_same(self) -> None:
        """Draw the command line and the Python code that derive the steps."""
        self.same.clear()
        request = self._request()
        with self.same:
            same_lines(equivalent(request), self.results.unsaved_file(request))

    def _remember(self, seconds: float) -> None:
        """Store the options, and add them to the history."""
        request = self._request()
        self.session.store()
        name = self.session.robot.name
        self.results.history.add(request, name, "Inverse geometric model", command_line(request), seconds)

    # ------------------------------------------------------------------------------------------------ steps

    async def derive(self) -> None:
        """Derive the steps, then solve the pose."""
        self.tab = "steps"
        self._draw_left(True)
        begun, asked = perf_counter(), self._request()
        try:
            given = str(self.fields.get("given") or "")
            solver = await run.io_bound(_derived, self.session.posture, self.method, given, self.fixed)
        except Error as error:
            if asked != self._request():  # other options were chosen meanwhile
                return
            self.solver = None
            with self.shell.client:
                self.chip.set_visibility(False)
                self.words.set_text("")
                self._draw_left(False, SuggestedFixes(COMMANDS["inverse_geometry"], self.fields, error))
                self.solutions.show([], 0.0)
                self._draw_same()
            return
        if solver is None or asked != self._request():  # the program ends, or other options were chosen meanwhile
            return
        self.solver = solver
        with self.shell.client:
            self.chip.set_text({"legs": "By legs", "near": "Search"}.get(solver.method, solver.method.capitalize()))
            self.chip.set_visibility(True)
            self.words.set_text(solver.words)
            self._show_given(solver.given)
            self.fixed = solver.fixed
            self.held.show(self.fixed)
            self._draw_left(False)
            steps, seconds = len(solver.steps), perf_counter() - begun
            self.status.set_text(f"{counted(steps, 'step')} in {seconds:.2g} s" if steps else "")
            self._draw_same()
        self._remember(perf_counter() - begun)
        await self.solve()

    def _draw_left(self, busy: bool, failed: SuggestedFixes | None = None, code: str = "", wrong: str = "") -> None:
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
                elif failed is not None:
                    redo = partial(self.after_fix, draw=self._draw_head, run=self.derive)
                    draw_failure("The steps could not be derived with these options", failed, redo)
                elif solver is None:
                    pass
                elif self.tab != "steps" and (wrong or not code):
                    empty("warning", f"No {_TABS[self.tab]} for this robot", wrong)
                elif self.tab != "steps":
                    CodeText().show(code, self.tab)
                elif not solver.steps:
                    by_steps = bool(self.columns)  # a robot in one table; its loops may have steps
                    empty("geometric", "No steps to show",
                          solver.words[:1].upper() + solver.words[1:] + ": solutions are searched, not computed",
                          "Derive the steps" if by_steps else "", partial(self._method, "paul"))  # fmt: skip
                else:
                    StepList(solver.steps)

    async def _tab(self, key: str) -> None:
        """Show the steps or their code; generating code may take a while."""
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

    # ------------------------------------------------------------------------------------------------ options

    async def _method(self, method: str) -> None:
        self.fields["method"] = method
        await self.derive()

    async def _toggle_given(self, letter: str) -> None:
        now = str(self.fields.get("given") or (self.solver.given if self.solver is not None else GIVEN))
        wanted = "".join(one for one in GIVEN if (one in now) != (one == letter))
        if not wanted:
            self.shell.notify("Given: expected at least one of s, n, a, P", "error")
            return
        self.fields["given"] = wanted
        self._show_given(wanted)
        await self.derive()

    async def _fix(self, before: str, name: str) -> None:
        now = self.session.posture.joints[name]
        self.fixed = {name if one == before else one: now if one == before else at for one, at in self.fixed.items()}
        await self.derive()

    async def _fix_at(self, name: str, value: float) -> None:
        if self.solver is not None:
            self.fixed = {**self.fixed, name: value}
            self.solver.fixed = dict(self.fixed)
            self._draw_same()
            await self.solve()

    # ------------------------------------------------------------------------------------------------ solutions

    async def from_picture(self) -> None:
        """Use the current pose of the robot."""
        self.T = np.array(self.session.posture.reading().matrix)
        self.pose.show(self.T)
        await self.solve()

    async def solve(self) -> None:
        """Compute all solutions of the pose."""
        if self.solver is None:
            return
        solver, begun, goal = self.solver, perf_counter(), self.T
        busy = self.soon(self.solutions.wait, _BUSY)
        try:
            for search in (False, True) if solver.searches else (True,):
                found = await run.io_bound(solver.solve, goal, search)
                busy.cancel()
                if solver is not self.solver or self.T is not goal or found is None:  # a newer request exists
                    return
                with self.shell.client:
                    self.solutions.show(found, perf_counter() - begun)
        except Error as error:
            busy.cancel()
            self.shell.notify(page_text(error), "error")


def _derived(*asked: Any) -> PageSolver:
    """Return the solver and its typeset steps; runs in a separate thread."""
    solver = PageSolver(*asked)
    _ = solver.steps
    return solver
