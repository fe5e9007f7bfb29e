"""Simulation and trajectories: the motion plays in the picture, with plots in step."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from nicegui import run, ui
from nicegui.element import Element
from nicegui.elements.echart import EChart
from nicegui.events import UploadEventArguments

from robosym.app.menus import COMMANDS
from robosym.app.page.options import OptionPanel, keep_upload
from robosym.app.page.picture import number_field, read_number, toggle_button
from robosym.app.page.same_lines import same_lines
from robosym.app.page.shell import Shell
from robosym.app.page.stage import JointSliders, RobotStage
from robosym.app.page.widgets import block, button, empty, keys, segments, text
from robosym.app.session import Session
from robosym.app.session.equivalents import command_line, python
from robosym.app.session.jobs import Cancelled, PageJob
from robosym.app.session.playing import PlayedMotion, read_motion, travelled
from robosym.errors import Error

__all__ = ["view"]

_FIRST = ("torque", "controller", "reference", "until", "step", "method")  #: options that are always in sight
_FILES = ("write", "plot", "animate", "output")  #: what the page does itself


class MotionPlayer(Element, component="assets/player.js"):
    """Play, pause and a time for a picture."""

    def __init__(self, stage: RobotStage) -> None:
        super().__init__()
        self._props["stage"] = stage.id


class MotionPlots(Element, component="assets/motion_plots.js"):
    """Lines over time, in step with the picture."""

    library = EChart.component  #: it brings ECharts along


def view(session: Session, shell: Shell) -> None:
    """Draw the view."""
    SimulateView(session, shell)


class SimulateView:
    """What is to be played, and what plays."""

    def __init__(self, session: Session, shell: Shell) -> None:
        self.session, self.shell = session, shell
        self.fields: dict[str, Any] = session.results.fields.setdefault("simulate", {})
        self.kind = "simulation"
        self.points: list[dict[str, float]] = []
        self.seconds = 2.0
        self.motion: PlayedMotion | None = None
        self.job: PageJob | None = None
        try:
            posture = session.posture
        except Error as error:
            with shell.body:
                empty("warning", "No picture of this robot", str(error))
            return
        self.points = [posture.joints]
        with shell.head:
            text("Simulate", "nw", "h1")
            self.said = text("", "mut t12 el")
            block("grow", "span")
            segments(
                {"simulation": "Simulation", "trajectory": "Trajectory"},
                self.kind,
                self._choose_kind,
                label="What plays",
            )
        with shell.body, block("sim"):
            self.options = block("opt sim-opt")
            self.options.props["data-panel"] = "options"
            with block("sim-main"):
                with block("view grow"):
                    self.stage = RobotStage(
                        posture.data((520, 520)), f"Picture of {posture.closed.name}", {"axes": False}
                    )
                    with block("tools tl"):
                        toggle_button("Names", True, partial(self.stage.toggle, "names"))
                        toggle_button("Axes", False, partial(self.stage.toggle, "axes"))
                    with block("tools tr"):
                        fit = button(sign="fit", kind="ghost ico", title="Fit")
                        fit.on("click", js_handler=f"() => runMethod({self.stage.id}, 'home', [])")
                self.player = MotionPlayer(self.stage)
            with block("sim-plots") as plots:
                self.none = block("sim-none")
                with self.none:
                    empty("workbench", "Nothing has moved yet", "Positions, velocities and torques over time come here")
                self.plots = MotionPlots()
            plots.props["data-panel"] = "plots"
        self.same = block("same sim-same")
        self.same.move(shell.body)
        with shell.foot, block("status"):
            self.status = text("")
            block("grow", "span")
            keys(("Space", "play"), ("Ctrl Enter", "simulate"), ("F6", "next panel"))
        shell.on_key(" ", self._play, "play or pause")
        shell.on_key("ctrl+enter", self._start_soon, "simulate")
        shell.watch(self._heard)
        self._draw_options()
        if shell.what.get("run"):
            self._start_soon()

    # ------------------------------------------------------------------------------------------------ what is asked

    def _choose_kind(self, kind: str) -> None:
        self.kind = kind
        self._draw_options()

    def _draw_options(self) -> None:
        self.options.clear()
        with self.options:
            self.asked = block("ofields")
            with block("obtn"):
                simulates = self.kind == "simulation"
                self.doing = button(
                    "Simulate" if simulates else "Play", self.simulate if simulates else self.travel, kind="pri",
                    sign="workbench",
                )  # fmt: skip
        with self.asked:
            if self.kind == "simulation":
                self._simulation_options()
            else:
                self._trajectory_options()
        self._tell_same()

    def _simulation_options(self) -> None:
        command = COMMANDS["simulate"]
        panel = OptionPanel(command, self.session.robot, self.fields, (), self._tell_same)
        own = {option.name: option for option in command.options if option.name not in _FILES}
        text("Simulation", tag="h2")
        with block("row from-picture"):
            text("Start", "lab grow")
            button("As it stands", self._start_here, kind="s", title="Begin where the robot stands in the picture")
        start = [own.pop(name) for name in ("q", "qd") if name in own]
        panel.draw_some(start)
        panel.draw_some([own.pop(name) for name in _FIRST if name in own])
        panel.draw_folded(list(own.values()))

    def _start_here(self) -> None:
        """Joint positions of the picture into the field of q."""
        posture = self.session.posture
        robot = posture.closed
        if posture.robot.structure == "parallel":  # it is simulated by the pose of its platform
            rows = posture.numeric.poses(posture.joints)[posture.ends[0]][:3]
            numbers = [*(x for row in rows for x in row[:3]), *(row[3] for row in rows)]
        else:
            numbers = [posture.joints[robot.variable(j)] for j in robot.tree_joints]
        self.fields["q"] = ",".join(repr(float(x)) for x in numbers)
        self._draw_options()

    def _trajectory_options(self) -> None:
        text("Trajectory", tag="h2")
        text("From point to point, at rest in each one", "mut t12", "div")
        with block("points"):
            for number, point in enumerate(self.points, 1):
                with block("row point"):
                    text(str(number), "swt")
                    names = [slider.name for slider in self.session.posture.sliders]
                    text(", ".join(f"{point[name]:.3g}" for name in names), "mono el grow").props["title"] = "rad, m"
                    button(
                        sign="home",
                        kind="ghost s ico",
                        title=f"Go to point {number}",
                        on_click=partial(self._go, number),
                    )
                    button(
                        sign="bin",
                        kind="ghost s ico",
                        title=f"Remove point {number}",
                        on_click=partial(self._drop, number),
                    )
        self.sliders = JointSliders(self.session.posture.sliders)
        self.sliders.on("turn", lambda event: self._turned(event.args))
        button("Add where it stands", self._add, sign="plus", kind="s")
        with block("r"):
            text("Seconds for each way", "grow")
            number_field("Seconds", f"{self.seconds:g}", "s", self._set_seconds, "r")
        upload = ui.upload(on_upload=self._taken, auto_upload=True, max_file_size=50_000_000).classes("hidden-upload")
        with block("st"):
            text("Or a file: t, q1, q2, ..", "lab", "div")
            button("Choose a .csv file", lambda: upload.run_method("pickFiles"), sign="upload", kind="s")

    def _turned(self, what: Mapping[str, Any]) -> None:
        posture = self.session.posture
        self.motion = None
        self.status.set_text(posture.move(str(what["name"]), float(what["value"])))

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

    def _tell_same(self) -> None:
        """The command line and the Python of what is asked."""
        self.same.clear()
        self.same.set_visibility(self.kind == "simulation")
        if self.kind != "simulation":
            return
        try:
            request = self.session.results.request("simulate", self.fields)
            line, program = command_line(request), python(request, imports=True)
            lines = [("Command line", line, line), ("Python", python(request), program)]
        except Error as error:
            lines = [("", str(error), str(error))]
        with self.same:
            same_lines(lines)

    # ------------------------------------------------------------------------------------------------ what is done

    def _start_soon(self) -> None:
        with self.shell.body:
            ui.timer(0.01, self.simulate if self.kind == "simulation" else self.travel, once=True)

    async def simulate(self) -> None:
        """In a process of its own; the page stays alive."""
        try:
            request = self.session.results.request("simulate", self.fields)
        except Error as error:
            self.shell.notify(str(error), "error")
            return
        if self.job is not None and not self.job.is_over:
            self.session.results.jobs.cancel(self.job.number)
        numbers = {symbol.name: symbol.value for symbol in self.session.posture.symbols}
        name = self.session.robot.name
        self.status.set_text("Simulating")
        self.job = job = self.session.results.jobs.start(
            f"Simulation of {name}", "robosym.app.session.playing:simulated", request, numbers, key=request.key,
            again=request.plain,
        )  # fmt: skip
        self.session.store()
        try:
            motion = await asyncio.wrap_future(job.future)
        except Cancelled:
            self.status.set_text("Cancelled")
            return
        except Error as error:
            with self.shell.client:
                self.status.set_text("")
                self._failed(error)
            return
        self.session.results.history.add(request, name, "Simulation", command_line(request), job.seconds)
        if self.stage.is_deleted:
            return
        with self.shell.client:
            self._show(motion, job.remarks, job.seconds)

    async def travel(self) -> None:
        """Through the points."""
        try:
            motion = await run.io_bound(travelled, self.session.posture, list(self.points), self.seconds)
        except Error as error:
            self.shell.notify(str(error), "error")
            return
        if motion is not None:  # else the program ends
            with self.shell.client:
                self._show(motion, [], 0.0)

    async def _taken(self, event: UploadEventArguments) -> None:
        path: Path = await keep_upload(event)
        try:
            motion = await run.io_bound(read_motion, self.session.posture, path)
        except Error as error:
            self.shell.notify(str(error).replace(str(path), path.name), "error")
            return
        if motion is not None:
            self._show(motion, [], 0.0)

    def _failed(self, error: Error) -> None:
        self.none.clear()
        self.none.set_visibility(True)
        self.plots.run_method("show", [], [])
        more = ": a motion needs numbers. Give them under More options, Set: M1=2.5, G3=-9.81, .."
        with self.none:
            words = f"{error.statement}{more}" if error.code == "E404" else str(error)
            empty("warning", "The simulation could not be run", words)

    def _show(self, motion: PlayedMotion, remarks: list[str], seconds: float) -> None:
        self.motion = motion
        self.none.set_visibility(False)
        self.said.set_text(f"{motion.said}{f', simulated in {seconds:.2g} s' if seconds else ''}")
        self.status.set_text(" ".join(remarks)[:300])
        self.plots.run_method("show", motion.times, [_panel(panel) for panel in motion.panels])
        self.stage.run_method("film", motion.t, motion.poses, motion.way(self.session.posture.frame))
        self.stage.run_method("play", 1)

    def _play(self) -> None:
        self.player.run_method("turn")

    def _heard(self, what: str) -> None:
        posture = self.session.posture
        if what == "posture" and self.motion is None:
            self.stage.pose(posture.poses())
            if self.kind == "trajectory":
                self.sliders.set(posture.joints)
        elif what == "symbols":
            self.stage.show(posture.data((520, 520)))
        elif what == "document":
            self.motion = None
            self.stage.show(self.session.posture.data((520, 520)))
            self._draw_options()


def _panel(panel: Any) -> Mapping[str, Any]:
    return {"title": panel.title, "names": panel.names, "values": panel.values}
