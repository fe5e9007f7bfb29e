"""Inverse geometry: the steps as the book writes them, a pose, all its solutions, ghosts of those not chosen."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from nicegui import run, ui
from nicegui.element import Element

from robosym.app.page.components import CodeText
from robosym.app.page.picture import fill, number_field, read_number, spelled, toggle_button
from robosym.app.page.same_lines import same_lines
from robosym.app.page.shell import Shell
from robosym.app.page.stage import RobotStage
from robosym.app.page.widgets import block, button, drop_menu, empty, keys, segments, text
from robosym.app.session import Session
from robosym.app.session.book_steps import BookStep, as_the_book
from robosym.app.session.equivalents import command_line, python
from robosym.app.session.requests import Request
from robosym.app.session.robot_posture import Posture, pose_of, roll_pitch_yaw
from robosym.app.session.solving import GIVEN, PageSolver, ShownSolution
from robosym.errors import Error
from robosym.languages import LANGUAGES
from robosym.solve.inverse_geometry import METHODS

__all__ = ["view"]

_QUICK = 0.04  #: seconds: a pose that is solved in less is solved while the flange is dragged
_GHOSTS = 16  #: solutions that are drawn
_TABS = {"steps": "Steps", "c": "C", "python": "Python", "latex": "LaTeX"}
_BUSY = 0.3  #: seconds after which it is said that a pose is being solved
_LABELS = (r"P_x", r"P_y", r"P_z", "Roll", "Pitch", "Yaw")


class Formula(Element, component="assets/formula.js"):
    """LaTeX, set by KaTeX."""

    def __init__(self, latex: str, classes: str = "") -> None:
        super().__init__()
        self._props["latex"] = latex
        self.classes(classes)

    def set(self, latex: str) -> None:
        self._props["latex"] = latex
        self.update()


class StepList(Element, component="assets/steps.js"):
    """Steps of a solution."""

    def __init__(self, steps: list[BookStep]) -> None:
        super().__init__()
        self._props["list"] = [asdict(step) for step in steps]


class SolutionTable(Element, component="assets/solutions.js"):
    """Solutions of a pose."""

    def __init__(self, on_choose: Callable[[int], Any], on_take: Callable[[], Any]) -> None:
        super().__init__()
        self._props |= {"rows": [], "columns": [], "degrees": True, "chosen": 0}
        self.on("choose", lambda event: on_choose(int(event.args["number"])))
        self.on("take", lambda event: (on_choose(int(event.args["number"])), on_take()))

    def show(self, **what: Any) -> None:
        self._props |= what
        self.update()


def _held(words: Any) -> dict[str, float]:
    """Joints that are held, from `t3=0.1` of a request."""
    found = {}
    for word in words:
        name, _, value = str(word).partition("=")
        number = read_number(value)
        if number is not None:
            found[name] = number
    return found


def _time(seconds: float) -> str:
    return f"{1000 * seconds:.3g} ms" if seconds < 0.9995 else f"{seconds:.1f} s"


def _derived(posture: Posture, *asked: Any) -> tuple[PageSolver, list[BookStep]]:
    """In a thread of its own: the model, and its steps set."""
    solver = PageSolver(posture, *asked)
    return solver, solver.steps


def view(session: Session, shell: Shell) -> None:
    """Draw the view."""
    InverseView(session, shell)


class InverseView:
    """What is asked, what was found, and what of it is chosen."""

    def __init__(self, session: Session, shell: Shell) -> None:
        self.session, self.shell = session, shell
        asked = session.results.fields.get("inverse_geometry", {})  # of the history, or of a window before this one
        self.method, self.given = str(asked.get("method") or "auto"), str(asked.get("given") or "")
        self.fixed: dict[str, float] = _held(asked.get("fixed") or ())
        self.degrees = True
        self.solver: PageSolver | None = None
        self.solutions: list[ShownSolution] = []
        self.chosen = 0
        self.took = 0.0
        self.tab = "steps"
        self._led = False
        self.columns: Element | None = None
        try:
            self.T = np.array(session.posture.reading().matrix)
        except Error as error:
            with shell.body:
                empty("warning", "No inverse geometry of this robot", str(error))
            return
        self._draw_head()
        with shell.body, block("ig"):
            with block("pane ig-steps", "section") as left:
                self.left = left
            with block("pane ig-pose", "section"):
                self._draw_pose()
                self._draw_stage()
                self._draw_solutions()
        left.props["data-panel"] = "steps"
        with shell.foot:
            self.same = block("same foot-same")
        with shell.foot, block("status"):
            self.status = text("", "nw")
            block("grow", "span")
            keys(("1", "to 9 show a solution"), ("Enter", "take it"), ("F6", "next panel"))
        for number in range(1, 10):
            shell.on_key(str(number), partial(self.choose, number), f"show solution {number}")
        shell.on_key("enter", self.take, "take the solution that is shown")
        shell.on_key("s", self._solve_soon, "solve the pose")
        shell.watch(self._heard)
        ui.timer(0.01, self.derive, once=True)

    # ------------------------------------------------------------------------------------------------ head

    def _draw_head(self) -> None:
        self.shell.head.clear()
        with self.shell.head:
            text("Inverse geometric model", "nw", "h1")
            self.chip = text("", "chip on")
            self.chip.set_visibility(False)
            self.words = text("", "mut t12 nw hide-l el")
            block("grow", "span")
            if not self.session.robot.modules:
                text("Method", "lab hide-t")
                segments({m: m.capitalize() for m in METHODS}, self.method, self._method, label="Method")
                text("Given", "lab hide-t", style="margin-left:6px")
                self.columns = block("seg several").props("role=group aria-label=Given")
                self._draw_given(self.given or GIVEN)
            with button("Download", sign="download", after="down", kind="short-t"):
                self.downloads = drop_menu([*self._downloads()])

    def _draw_given(self, given: str) -> None:
        if self.columns is None:
            return
        self.columns.clear()
        with self.columns:
            for letter in GIVEN:
                one = text(letter, "on" if letter in given else "", "button").props("type=button")
                one.props["aria-pressed"] = str(letter in given).lower()
                one.on("click", partial(self._toggle_given, letter))

    def _downloads(self) -> list[tuple[str, str, Callable[[], Any] | None]]:
        entries: list[tuple[str, str, Callable[[], Any] | None]] = []
        for name, language in LANGUAGES.items():
            ending = next(iter(language.extensions), ".txt")
            entries.append(
                (name.capitalize() if len(name) > 2 else name.upper(), ending, partial(self._download, name, ending))
            )
        return entries

    async def _download(self, language: str, ending: str) -> None:
        if self.solver is None:
            return
        try:
            code = await run.io_bound(self.solver.code, language)
        except Error as error:
            self.shell.notify(str(error), "error")
            return
        with self.shell.client:
            ui.download.content((code or "").encode(), f"{self.session.robot.name}_igm{ending}")

    def _request(self) -> Request:
        values: dict[str, Any] = {}
        if self.method != "auto":
            values["method"] = self.method
        if self.given and self.given != GIVEN:
            values["given"] = self.given
        if self.fixed:
            values["fixed"] = [f"{name}={value!r}" for name, value in self.fixed.items()]
        return self.session.results.asked("inverse_geometry", values)

    def _tell_same(self) -> None:
        """The command line and the Python of the steps."""
        self.same.clear()
        request = self._request()
        with self.same:
            same_lines((("Command line", command_line(request), command_line(request)),
                        ("Python", python(request), python(request, imports=True))))  # fmt: skip
            if not request.is_named:
                text(f"The robot is not saved: both read {request.robot}, as Save as writes it", "mut xs")

    def _remember(self, seconds: float) -> None:
        """In the history, and in the fields that outlive the program."""
        request = self._request()
        self.session.results.restore(request)
        self.session.store()
        name = self.session.robot.name
        self.session.results.history.add(request, name, "Inverse geometric model", command_line(request), seconds)

    # ------------------------------------------------------------------------------------------------ pose

    def _draw_pose(self) -> None:
        with block("pose-row"):
            with block("pose-fields"):
                self.fields: list[Element] = []
                for k, label in enumerate(_LABELS):
                    with block():
                        if k < 3:
                            Formula(label, "lab")
                        else:
                            text(label, "lab", "div")
                        name = label.replace("_", " ")
                        self.fields.append(number_field(name, "", "m" if k < 3 else "°", partial(self._typed, k)))
            self.matrix = Formula("", "pose-matrix nw hide-l")
            with block("pose-do"):
                button("Solve", self.solve, kind="pri")
                button("From picture", self.from_picture, kind="s")
        self.fixed_row = block("fixed-row")
        self.fixed_row.set_visibility(False)
        self._tell_pose()

    def _tell_pose(self) -> None:
        position, angles = self.T[:3, 3], [math.degrees(a) for a in roll_pitch_yaw(self.T)]
        for field, value in zip(self.fields, [*position, *angles], strict=True):
            digits = 4 if field in self.fields[:3] else 2
            fill(field, spelled(float(value), digits).replace("\N{MINUS SIGN}", "-"))
        rows = r" \\ ".join(
            " & ".join(spelled(float(x), 4).replace("\N{MINUS SIGN}", "-") if r < 3 else f"{x:.0f}" for x in row)
            for r, row in enumerate(self.T)
        )
        self.matrix.set(rf"U_0 = \begin{{bmatrix}} {rows} \end{{bmatrix}}")

    async def _typed(self, place: int, words: str) -> None:
        value = read_number(words)
        if value is None:
            self.shell.notify(f"{_LABELS[place].replace('_', '')}: expected a number, found {words[:40]!r}", "error")
            self._tell_pose()
            return
        numbers = [*self.T[:3, 3], *(math.degrees(a) for a in roll_pitch_yaw(self.T))]
        numbers[place] = value
        self.T = pose_of(numbers[:3], [math.radians(x) for x in numbers[3:]])
        self._tell_pose()
        await self.solve()

    async def from_picture(self) -> None:
        """The pose in which the robot stands."""
        self.T = np.array(self.session.posture.reading().matrix)
        self._tell_pose()
        await self.solve()

    # ------------------------------------------------------------------------------------------------ picture

    def _draw_stage(self) -> None:
        posture = self.session.posture
        with block("view grow"):
            shown = {"names": False, "axes": False, "ghosts": True}
            self.stage = RobotStage(posture.data((730, 370)), f"Picture of {posture.closed.name}", shown, "sna", True)
            with block("tools tl"):
                for label, what, on in (("Ghosts", "ghosts", True), ("Names", "names", False), ("Axes", "axes", False)):
                    toggle_button(label, on, partial(self.stage.toggle, what))
            with block("tools tr"):
                toggle_button("Drag the flange", True, self.stage.lead, "drag")
                fit = button(sign="fit", kind="ghost ico", title="Fit")
                fit.on("click", js_handler=f"() => runMethod({self.stage.id}, 'home', [])")
            self.said = text("", "said").props("role=status")
        self.stage.on_lead(self._lead)
        self.stage.on("led", self._let_go)
        self.stage.on("tag", lambda event: self.choose(int(event.args["tag"])))

    def _lead(self, rows: list[float]) -> None:
        posture = self.session.posture
        if not self._led and self.chosen:
            self._led = True
            posture.stand(self.solutions[self.chosen - 1].joints)  # from the solution that is seen
        self._led = True
        self.said.set_text(posture.lead([rows[0:4], rows[4:8], rows[8:12], [0, 0, 0, 1]], seconds=0.1))
        self.T = np.array(posture.reading().matrix)
        self._tell_pose()
        if self.took < _QUICK and self.solver is not None:
            self._solve_now()
        else:
            self.stage.pose(posture.poses())
            self.stage.ghosts([], [])

    async def _let_go(self) -> None:
        self._led = False
        self.said.set_text("")
        await self.solve()

    # ------------------------------------------------------------------------------------------------ solutions

    def _draw_solutions(self) -> None:
        with block("solutions") as panel:
            with block("row sol-head"):
                self.count = text("", tag="h2")
                self.remark = text("", "mut t12 hide-t el")
                block("grow", "span")
                segments({"deg": "deg", "rad": "rad"}, "deg", self._units, label="Units")
                button("Copy", self._copy_table, sign="copy", kind="ghost s hide-t")
                self.taking = button("Take solution", self.take, kind="s", enabled=False)
                fold = button(sign="down", kind="ghost s ico", title="Fold the table")
                fold.on("click", js_handler=f"() => getHtmlElement({panel.id}).classList.toggle('folded')")
            self.table = SolutionTable(self.choose, self.take)

    def _units(self, unit: str) -> None:
        self.degrees = unit == "deg"
        self.table.show(degrees=self.degrees)

    def _copy_table(self) -> None:
        assert self.solver is not None
        lines = ["\t".join(self.solver.joints)]
        lines += ["\t".join(repr(value) for value in solution.values) for solution in self.solutions]
        ui.clipboard.write("\n".join(lines))
        self.shell.notify("Copied, in rad and m")

    async def derive(self) -> None:
        """The steps, then the solutions of the pose."""
        self.tab = "steps"
        self._draw_left(True)
        posture = self.session.posture
        begun = perf_counter()
        try:
            derived = await run.io_bound(_derived, posture, self.method, self.given, self.fixed)
        except Error as error:
            self.solver = None
            with self.shell.client:
                self.chip.set_visibility(False)
                self.words.set_text("")
                self._draw_left(False, str(error))
                self._show([], 0.0)
                self._tell_same()
            return
        if derived is None:  # the program ends
            return
        solver, steps = derived
        self.solver = solver
        with self.shell.client:
            self.chip.set_text({"legs": "By legs", "near": "Search"}.get(solver.method, solver.method.capitalize()))
            self.chip.set_visibility(True)
            self.words.set_text(solver.words)
            self._draw_given(solver.given)
            self._draw_fixed()
            self._draw_left(False)
            self.status.set_text(f"{len(steps)} steps in {perf_counter() - begun:.2g} s" if steps else "")
            self._tell_same()
        self._remember(perf_counter() - begun)
        await self.solve()

    def _draw_left(self, busy: bool, failed: str = "", code: str = "", wrong: str = "") -> None:
        self.left.clear()
        solver = self.solver
        with self.left:
            with block("tabs"):
                for key, label in _TABS.items():
                    tab = text(label, "on" if key == self.tab else "", "a").props("tabindex=0 role=tab")
                    tab.on("click", partial(self._tab, key))
                    tab.on("keydown.enter", partial(self._tab, key))
                with block("end"):
                    text(
                        solver.counted if solver is not None and not busy else "",
                        "mut t12 el",
                        style="padding-right:8px",
                    )
                    button(sign="copy", kind="ghost s ico", title="Copy", on_click=self._copy_left)
            with block("more ig-scroll"):
                if busy:
                    with block("row busy"):
                        block("spin")
                        text("Deriving the steps" if self.tab == "steps" else "Writing the code", "mut")
                elif failed:
                    empty("warning", "No steps for this robot", failed)
                elif solver is not None and self.tab != "steps":
                    self._draw_code(code, wrong)
                elif solver is not None and not solver.steps:
                    by_steps = self.columns is not None  # a robot in one table: its loops have steps, if many
                    empty("geometric", "No steps to show",
                          solver.words[:1].upper() + solver.words[1:] + ": solutions are searched, not computed",
                          "Derive the steps" if by_steps else "", partial(self._method, "paul"))  # fmt: skip
                elif solver is not None:
                    StepList(solver.steps)

    async def _tab(self, key: str) -> None:
        """The steps, or their code, which may take a while."""
        self.tab = key
        solver = self.solver
        if solver is None or key == "steps":
            self._draw_left(False)
            return
        self._draw_left(True)
        code = wrong = ""
        try:
            code = await run.io_bound(solver.code, key) or ""
        except Error as error:
            wrong = str(error)
        if self.tab == key and self.solver is solver:
            with self.shell.client:
                self._draw_left(False, code=code, wrong=wrong)

    def _draw_code(self, code: str, wrong: str) -> None:
        if wrong or not code:
            empty("warning", f"No {_TABS[self.tab]} for this robot", wrong)
        else:
            CodeText().show(code, self.tab)

    def _copy_left(self) -> None:
        if self.solver is None:
            return
        try:
            if self.tab == "steps" and self.solver.model is not None:
                said = str(self.solver.model.explain())
            else:
                said = self.solver.code("listing" if self.tab == "steps" else self.tab)
        except Error as error:
            self.shell.notify(str(error), "error")
            return
        ui.clipboard.write(said)
        self.shell.notify("Copied")

    def _draw_fixed(self) -> None:
        """The joint of a redundant robot that is held."""
        assert self.solver is not None
        self.fixed = dict(self.solver.fixed)
        self.fixed_row.clear()
        self.fixed_row.set_visibility(bool(self.fixed))
        if not self.fixed:
            return
        with self.fixed_row:
            text("Fixed", "lab")
            for name, value in self.fixed.items():
                self._draw_held(name, value)
            text("more joints than the pose needs", "mut t12 el")

    def _draw_held(self, name: str, value: float) -> None:
        """A joint that is held, and where."""
        robot = self.session.posture.closed
        turns = robot.frame(robot.variables.index(name) + 1).joint_type.turns
        chosen = ui.element("select").classes("field sel")
        chosen.props["aria-label"] = "The joint that is fixed"
        with chosen:
            for other in (robot.variable(j) for j in self.session.posture.movable):
                if other == name or other not in self.fixed:
                    one = text(other, tag="option")
                    one.props["value"] = other
                    if other == name:
                        one.props["selected"] = True
        chosen.on("change", lambda event: self._fix(name, str(event.args)), js_handler="(e) => emit(e.target.value)")
        shown = math.degrees(value) if turns else value
        number_field(f"{name} at", f"{shown:.6g}", "°" if turns else "m", partial(self._fix_at, name, turns), "r")

    async def _fix(self, before: str, name: str) -> None:
        now = self.session.posture.joints
        self.fixed = {name if one == before else one: now[name] if one == before else value
                      for one, value in self.fixed.items()}  # fmt: skip
        await self.derive()

    async def _fix_at(self, name: str, turns: bool, words: str) -> None:
        value = read_number(words)
        if value is None:
            self.shell.notify(f"{name}: expected a number, found {words[:40]!r}", "error")
            self._draw_fixed()
        elif self.solver is not None:
            self.fixed = {**self.fixed, name: math.radians(value) if turns else value}
            self.solver.fixed = dict(self.fixed)
            self._tell_same()
            await self.solve()

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

    def _solve_soon(self) -> None:
        with self.shell.body:
            ui.timer(0.01, self.solve, once=True)

    async def solve(self) -> None:
        """All solutions of the pose."""
        if self.solver is None:
            return
        solver, begun, goal = self.solver, perf_counter(), self.T
        with self.shell.body:
            busy = ui.timer(_BUSY, self._tell_busy, once=True)
        try:
            for search in (False, True) if solver.searches else (True,):
                found = await run.io_bound(solver.solve, goal, search)
                busy.cancel()
                if solver is not self.solver or self.T is not goal or found is None:  # another is asked for already
                    return
                with self.shell.client:
                    self._show(found, perf_counter() - begun)
        except Error as error:
            busy.cancel()
            self.shell.notify(str(error), "error")

    def _tell_busy(self) -> None:
        self.count.set_text("Solving")
        by_legs = self.session.robot.structure == "parallel"
        self.remark.set_text("the legs are prepared the first time" if by_legs else "")
        self.status.set_text("Solving the pose")

    def _solve_now(self) -> None:
        """While the flange is dragged: the solution that is seen stays the one it was."""
        assert self.solver is not None
        begun = perf_counter()
        self._show(self.solver.solve(self.T), perf_counter() - begun)

    def _show(self, found: list[ShownSolution], took: float) -> None:
        self.solutions, self.took = found, took
        count = len(found)
        self.count.set_text(f"{count or 'No'} solution{'' if count == 1 else 's'}")
        posture = self.session.posture
        solver = self.solver
        usual = "each put back into the direct model" if count else "the pose is out of reach"
        self.remark.set_text("" if solver is None else solver.remark or usual)
        if solver is None:
            self.count.set_text("Solutions")
        columns = []
        if solver is not None:
            for name in solver.joints:
                slides = not posture.closed.frame(posture.closed.variables.index(name) + 1).joint_type.turns
                columns.append({"name": name, "latex": as_the_book(name), "slides": slides})
        rows = [
            {
                "number": s.number,
                "values": s.values,
                "manipulability": s.manipulability,
                "error": s.error,
                "free": s.free,
            }
            for s in found
        ]
        self.table.show(rows=rows, columns=columns, degrees=self.degrees)
        if found:
            worst = max(s.error for s in found)
            self.status.set_text(
                f"Solved in {_time(took)}, largest pose error {worst:.0e}".replace("e-", "e\N{MINUS SIGN}")
            )
            self.choose(self._nearest())
        else:
            self.chosen = 0
            self.stage.pose(posture.poses())
            self.stage.ghosts([], [])
            self.status.set_text("")
            self._tell_taking()

    def _nearest(self) -> int:
        """The solution in which the robot stands, or the one nearest to it."""
        posture = self.session.posture
        now = posture.joints

        def far(joints: Mapping[str, float]) -> float:
            robot = posture.closed
            total = 0.0
            for j in robot.tree_joints:
                apart = joints[robot.variable(j)] - now[robot.variable(j)]
                total += (math.remainder(apart, 2 * math.pi) if robot.frame(j).joint_type.turns else apart) ** 2
            return total

        return min(self.solutions, key=lambda s: far(s.joints)).number

    def choose(self, number: int) -> None:
        """Show a solution: it is solid, the others are ghosts."""
        if not 1 <= number <= len(self.solutions) or self.solver is None:
            return
        self.chosen = number
        posture = self.session.posture
        self.table.show(chosen=number)
        self.stage.pose(posture.poses(self.solutions[number - 1].joints))
        drawn = self.solutions[:_GHOSTS]
        others = [posture.poses(s.joints) for s in drawn if s.number != number]
        tags = self.solver.tags(drawn, number) if len(drawn) > 1 else []
        self.stage.ghosts(others, tags)
        self._tell_taking()

    def _tell_taking(self) -> None:
        self.taking.clear()
        with self.taking:
            text(f"Take solution {self.chosen}" if self.chosen else "Take solution")
        if self.chosen:
            self.taking.props.pop("disabled", None)
        else:
            self.taking.props["disabled"] = True
        self.taking.update()

    def take(self) -> None:
        """The robot stands in the solution that is shown from now on, in every view."""
        if self.chosen:
            self.session.posture.stand(self.solutions[self.chosen - 1].joints)
            self.shell.notify(f"The robot stands in solution {self.chosen}")

    def _heard(self, what: str) -> None:
        if what in ("document", "symbols"):
            self.stage.show(self.session.posture.data((730, 370)))
            self._solve_soon() if what == "symbols" else ui.timer(0.01, self.derive, once=True)
