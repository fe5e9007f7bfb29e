"""Simulations and trajectories: the motion plays in the picture and in synchronized plots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path

from nicegui import run
from nicegui.element import Element
from nicegui.elements.echart import EChart

from robosym.app.menus import COMMANDS
from robosym.app.page.components import JointSliders, RobotStage
from robosym.app.page.fixing import SuggestedFixes, draw_failure, page_text
from robosym.app.page.number_pane import NumberPane
from robosym.app.page.options import OptionPanel
from robosym.app.page.result_parts import same_lines
from robosym.app.page.session_view import SessionView, main_button
from robosym.app.page.shell import Shell
from robosym.app.page.uploads import FileDrop
from robosym.app.page.widgets import block, button, empty, keys, number_field, pane_tabs, read_number, segments, text
from robosym.app.session import Session
from robosym.app.session.requests import Request, command_line, equivalent
from robosym.errors import Error, RobotWarning, counted
from robosym.simulation.played_motion import PlayedMotion, motion_through, read_motion

__all__ = ["SimulateView"]

_FIRST = ("q", "qd", "torque", "controller", "reference", "until", "step", "method")  #: options that are always visible
_FILES = ("write", "plot", "animate", "output")  #: options that the page replaces
_MOST_BYTES = 50_000_000  #: maximum size of a motion file


class MotionPlayer(Element, component="assets/player.js"):
    """Play button, pause button and time of a motion in the picture."""

    def __init__(self, stage: RobotStage) -> None:
        super().__init__()
        self._props["stage"] = stage.id


class MotionPlots(Element, component="assets/motion_plots.js"):
    """Plots over time, synchronized with the picture."""

    library = EChart.component  #: includes ECharts


class SimulateView(SessionView):
    """The options of a motion, and its player."""

    def __init__(self, session: Session, shell: Shell) -> None:
        super().__init__(session, shell)
        self.fields = self.results.fields.setdefault("simulate", {})
        self.kind = "simulation"
        self.seconds = 2.0
        self.motion: PlayedMotion | None = None
        try:
            posture = session.posture
        except Error as error:
            with shell.body:
                empty("warning", "This robot cannot be drawn", page_text(error))
            return
        self.points = [posture.joints]
        with shell.head:
            text("Simulate", "nw", "h1")
            self.summary = text("", "mut t12 el")
            block("grow", "span")
            kinds = {"simulation": "Simulation", "trajectory": "Trajectory"}
            segments(kinds, self.kind, self._choose_kind, label="Type of motion")
        with shell.body:
            pane_tabs({"options": "Options", "motion": "Picture", "plots": "Plots"})
        with shell.body, block("sim"):
            self.options = block("opt sim-opt", data_panel="options", data_pane="options")
            with block("sim-main", data_pane="motion"):
                with block("view grow"):
                    self.stage = RobotStage(posture, {"Names": True, "Axes": False}, (520, 520))
                    self.stage.on_moved(self._moved)
                    with block("tools tr"):
                        self.stage.fit_button()
                self.player = MotionPlayer(self.stage)
            with block("sim-plots", data_panel="plots", data_pane="plots"):
                self.none = block("sim-none")
                with self.none:
                    empty("workbench", "No motion yet", "Positions, velocities and torques over time appear here")
                self.plots = MotionPlots()
        with shell.body:
            self.same = block("same sim-same")
            self._files = FileDrop(self._taken, lambda words: shell.notify(words, "error"), ".csv", _MOST_BYTES, False)
        with shell.foot, block("status"):
            self.status = text("")
            block("grow", "span")
            keys(("Space", "play"), ("Ctrl Enter", "simulate"), ("F6", "next panel"))
        shell.on_key(" ", lambda: self.player.run_method("turn"), "play or pause")
        shell.on_key("ctrl+enter", self._start, "simulate")
        shell.watch(self._on_change)
        self._draw_options()
        if shell.what.get("run"):
            self._start()

    # ------------------------------------------------------------------------------------------------ options

    def _choose_kind(self, kind: str) -> None:
        self.kind = kind
        self._draw_options()

    def _draw_options(self, wrong: str = "") -> None:
        self.options.clear()
        simulates = self.kind == "simulation"
        with self.options:
            with block("ofields"):
                text("Simulation" if simulates else "Trajectory", tag="h2")
                self._simulation_options(wrong) if simulates else self._trajectory_options()
            self._button = block("obtn")
        self._draw_button()
        self._draw_same()

    def _simulation_options(self, wrong: str) -> None:
        command = COMMANDS["simulate"]
        panel = self._panel = OptionPanel(command, self.session.robot, self.fields, (), self._draw_same)
        panel.wrong = wrong
        own = {option.name: option for option in command.options if option.name not in _FILES}
        self._numbers = NumberPane(self.session, "simulate", self._numbered)
        panel.draw_some([own.pop(name) for name in _FIRST if name in own])
        panel.draw_folded(list(own.values()))

    def _draw_button(self) -> None:
        simulates = self.kind == "simulation"
        missing = self._numbers.missing if simulates else []
        blocked = f"Needed: numbers of {counted(len(missing), 'symbol')}" if missing else ""
        main_button(self._button, "Simulate" if simulates else "Play", "Simulating", self._start, False, blocked)

    def _numbered(self) -> None:
        self._draw_button()
        self._draw_same()

    def _asked(self) -> Request:
        """Return the request; positions that are not given are those of the robot in the picture."""
        here = ",".join(f"{value:.6g}" for value in self.session.posture.state())
        shown = {"q": here, **({"reference": here} if self.fields.get("controller") else {})}
        return self.results.request("simulate", shown | self.fields)

    def _trajectory_options(self) -> None:
        posture = self.session.posture
        text("From point to point, stopping at each point", "mut t12", "div")
        with block("points"):
            for number, point in enumerate(self.points, 1):
                with block("row point"):
                    text(str(number), "swt")
                    shown = ", ".join(f"{point[slider.name]:.3g}" for slider in posture.sliders)
                    text(shown, "mono el grow", title="rad, m")
                    go, drop = partial(self._go, number), partial(self._drop, number)
                    button(sign="home", kind="ghost s ico", title=f"Go to point {number}", on_click=go)
                    button(sign="bin", kind="ghost s ico", title=f"Remove point {number}", on_click=drop)
        self.sliders = JointSliders(posture.sliders, self.stage)
        button("Add current position", self._add, sign="plus", kind="s")
        with block("r"):
            text("Seconds per segment", "grow")
            number_field("Seconds", f"{self.seconds:g}", "s", self._set_seconds, "r")
        with block("st"):
            text("Or a file: t, q1, q2, ..", "lab", "div")
            self._files.button("Choose a .csv file")

    def _moved(self, joints: dict[str, float], note: str, done: bool) -> None:
        self.motion = None
        self.session.posture.stand(joints)
        self.status.set_text(note)

    def _add(self) -> None:
        self.points.append(self.session.posture.joints)
        self._draw_options()

    def _drop(self, number: int) -> None:
        del self.points[number - 1]
        self._draw_options()

    def _go(self, number: int) -> None:
        self.motion = None
        self.session.posture.stand(self.points[number - 1])

    def _set_seconds(self, words: str) -> None:
        value = read_number(words)
        if value is None or value <= 0:
            self.shell.notify(f"Seconds: expected a number above 0, found {words[:40]!r}", "error")
        else:
            self.seconds = value

    def _draw_same(self) -> None:
        """Draw the command line and the Python code of the request."""
        self.same.clear()
        self.same.set_visibility(self.kind == "simulation")
        if self.kind != "simulation":
            return
        with self.same:
            try:
                request = self._asked()
                same_lines(equivalent(request))
            except Error as error:
                with block("l"):
                    text("", "sm m")
                    text(SuggestedFixes(COMMANDS["simulate"], self.fields, error).text, "mono hl")

    # ------------------------------------------------------------------------------------------------ actions

    def _start(self) -> None:
        if self.kind == "simulation":
            try:
                self._simulate()
            except Error as error:
                self._failed(error)
        else:
            posture = self.session.posture
            self.do(self._play(partial(motion_through, posture, list(self.points), self.seconds)))

    def _simulate(self) -> None:
        """Simulate in a separate process, so that the page stays responsive."""
        request, name = self._asked(), self.session.robot.name
        if self.job is not None and self.is_busy:
            self.results.jobs.cancel(self.job.number)
        numbers = {symbol.name: symbol.value for symbol in self.session.posture.symbols}
        self.status.set_text("Simulating")
        self.job = job = self.results.jobs.start(
            f"Simulation of {name}", "robosym.app.session.generation:simulated", request, numbers, key=request.key,
            again=request.plain,
        )  # fmt: skip
        self.session.store()

        async def shown() -> None:
            motion = await self.waited(job, lambda: None, self._failed)
            if motion is not None:
                self.results.history.add(request, name, "Simulation", command_line(request), job.seconds)
            if self.is_here:
                with self.shell.client:
                    self.status.set_text("")
                    if motion is not None:
                        self._show(motion, job.remarks, job.seconds)

        self.do(shown())

    async def _play(self, make: Callable[[], PlayedMotion], folder: str = "") -> None:
        """Compute a motion in a thread and play it; messages do not mention the internal `folder`."""
        try:
            motion = await run.io_bound(make)
        except Error as error:
            self.shell.notify(page_text(error).replace(folder, ""), "error")
            return
        if motion is not None and self.is_here:  # else the program ends
            with self.shell.client:
                self._show(motion, [], 0.0)

    async def _taken(self, path: Path) -> None:
        await self._play(partial(read_motion, self.session.posture, path), f"{path.parent}/")

    def _failed(self, error: Error) -> None:
        self.none.clear()
        self.none.set_visibility(True)
        self.plots.run_method("show", [], [])
        fixing = SuggestedFixes(COMMANDS["simulate"], self.fields, error)
        self._panel.mark(fixing.name)
        redo = partial(self.after_fix, draw=self._draw_options, run=self._start)
        with self.none:
            draw_failure("The simulation could not be run", fixing, redo)

    def _show(self, motion: PlayedMotion, remarks: list[RobotWarning], seconds: float) -> None:
        self.motion = motion
        self.none.set_visibility(False)
        self.summary.set_text(f"{motion.summary}{f', simulated in {seconds:.2g} s' if seconds else ''}")
        self.status.set_text(" ".join(map(page_text, remarks))[:300])
        self.plots.run_method("show", motion.times, [asdict(panel) for panel in motion.panels])
        self.stage.run_method("film", motion.t, motion.poses, motion.way(self.session.posture.frame))
        self.stage.run_method("play", 1)
        self.shell.client.run_javascript("robosym.pane('motion')")

    def _on_change(self, what: str) -> None:
        posture = self.session.posture
        if what == "posture" and self.motion is None:
            self.stage.pose(posture)
            if self.kind == "trajectory":
                self.sliders.set(posture.joints)
        elif what in ("symbols", "document"):
            self.stage.show(posture)
        if what == "document":
            self.motion = None
            self._draw_options()
