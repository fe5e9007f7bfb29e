"""Solutions of a pose: a table, the chosen solution in the picture, and the others as ghosts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from nicegui import ui
from nicegui.element import Element

from robosym.app.page.components import RobotStage
from robosym.app.page.widgets import block, button, emptied, segments, text, toggle_button
from robosym.drawing.posture_solver import ShownSolution

if TYPE_CHECKING:
    from robosym.app.page.inverse_view import InverseView

__all__ = ["SolutionPane"]

_QUICK = 0.04  #: seconds; faster solvers solve while the flange is dragged
_GHOSTS = 16  #: maximum number of solutions drawn


class SolutionTable(Element, component="assets/solutions.js"):
    """The table of the solutions of a pose."""

    def __init__(self, on_choose: Callable[[int], Any], on_take: Callable[[], Any]) -> None:
        super().__init__()
        self._props |= {"rows": [], "columns": [], "degrees": True, "chosen": 0}
        self.on("choose", lambda event: on_choose(int(event.args["number"])))
        self.on("take", lambda event: (on_choose(int(event.args["number"])), on_take()))

    def show(self, **what: Any) -> None:
        self._props |= what
        self.update()


class SolutionPane:
    """Picture and table of the solutions of the pose of a view."""

    def __init__(self, view: InverseView) -> None:
        self.view, self.session, self.shell = view, view.session, view.shell
        self.found: Sequence[ShownSolution] = []
        self.chosen = 0
        self.took = 0.0
        with block("view grow"):
            switches = {"Ghosts": True, "Names": False, "Axes": False}
            self.stage = RobotStage(self.session.posture, switches, (730, 370), "sna", True)
            with block("tools tr"):
                toggle_button("Drag the flange", True, self.stage.lead, "drag")
                self.stage.fit_button()
            self.status = text("", "said", role="status")
        self.stage.on_moved(self._moved)
        self.stage.on("tag", lambda event: self.choose(int(event.args["tag"])))
        with block("solutions") as panel:
            with block("row sol-head"):
                self.count = text("", tag="h2")
                self.remark = text("", "mut t12 hide-t el")
                block("grow", "span")
                segments({"deg": "deg", "rad": "rad"}, "deg", self._units, label="Units")
                button("Copy", self._copy, sign="copy", kind="ghost s hide-t")
                self.taking = button("Take solution", self.take, kind="s", enabled=False)
                fold = button(sign="down", kind="ghost s ico", title="Fold the table")
                fold.on("click", js_handler=f"() => getHtmlElement({panel.id}).classList.toggle('folded')")
            self.table = SolutionTable(self.choose, self.take)

    # ------------------------------------------------------------------------------------------------ the flange

    async def _moved(self, joints: dict[str, float], note: str, done: bool) -> None:
        posture, view = self.session.posture, self.view
        self.status.set_text("" if done else note)
        posture.stand(joints)
        view.T = np.array(posture.reading().matrix)
        view.pose.show(view.T)
        if done:
            await view.solve()
        elif self.took < _QUICK and view.solver is not None:
            begun = perf_counter()
            self.show(view.solver.solve(view.T), perf_counter() - begun)
        else:
            self._draw_alone()

    def _draw_alone(self) -> None:
        """Draw the robot in its current position, without ghosts."""
        self.stage.pose(self.session.posture)
        self.stage.ghosts([], [])

    # ------------------------------------------------------------------------------------------------ the table

    def _units(self, unit: str) -> None:
        self.table.show(degrees=unit == "deg")

    def wait(self) -> None:
        """Show that a pose is being solved."""
        self.count.set_text("Solving")
        prepares = self.view.solver is not None and self.view.solver.method == "legs"
        self.remark.set_text("the legs are prepared the first time" if prepares else "")
        self.view.status.set_text("Solving the pose")

    def show(self, found: Sequence[ShownSolution], took: float) -> None:
        """Show other solutions; while the flange is dragged, the chosen branch stays chosen."""
        self.found, self.took = found, took
        solver, posture, count = self.view.solver, self.session.posture, len(found)
        if solver is None:
            self.count.set_text("Solutions")
            self.remark.set_text("")
        else:
            self.count.set_text(f"{count or 'No'} solution{'' if count == 1 else 's'}")
            usual = "checked by forward substitution" if count else "the pose is out of reach"
            self.remark.set_text(solver.remark or usual)
        columns = [
            {"name": name, "slides": not posture.turns(name)} for name in (solver.joints if solver is not None else ())
        ]
        self.table.show(rows=[{**asdict(one), "joints": None} for one in found], columns=columns)
        if found:
            worst = f"{max(one.error for one in found):.0e}".replace("e-", "e\N{MINUS SIGN}")
            time = f"{1000 * took:.3g} ms" if took < 0.9995 else f"{took:.1f} s"
            self.view.status.set_text(f"Solved in {time}, largest pose error {worst}")
            self.choose(min(found, key=lambda one: posture.distance(one.joints)).number)
        else:
            self.chosen = 0
            self._draw_alone()
            if solver is not None:  # mark the pose that cannot be reached
                self.stage.ghosts([], [{"tag": 0, "at": [float(x) for x in self.view.T[:3, 3]], "on": True}])
            self.view.status.set_text("")
            self._draw_taking()

    def choose(self, number: int) -> None:
        """Draw a solution as solid and the others as ghosts."""
        solver, posture = self.view.solver, self.session.posture
        if not 1 <= number <= len(self.found) or solver is None:
            return
        self.chosen = number
        self.table.show(chosen=number)
        self.stage.pose(posture, self.found[number - 1].joints)
        drawn = self.found[:_GHOSTS]
        others = [posture.poses(one.joints) for one in drawn if one.number != number]
        self.stage.ghosts(others, solver.tags(drawn, number) if len(drawn) > 1 else [])
        self._draw_taking()

    def _draw_taking(self) -> None:
        with emptied(self.taking):
            text(f"Take solution {self.chosen}" if self.chosen else "Take solution")
        if self.chosen:
            self.taking.props.pop("disabled", None)
        else:
            self.taking.props["disabled"] = True
        self.taking.update()

    def take(self) -> None:
        """Move the robot to the chosen solution in all views."""
        if self.chosen:
            self.session.posture.stand(self.found[self.chosen - 1].joints)
            self.shell.notify(f"The robot is at solution {self.chosen}")

    def _copy(self) -> None:
        if self.view.solver is None:
            return
        lines = ["\t".join(self.view.solver.joints)]
        lines += ["\t".join(repr(value) for value in solution.values) for solution in self.found]
        ui.clipboard.write("\n".join(lines))
        self.shell.notify("Copied, in rad and m")
