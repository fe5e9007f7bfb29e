"""Parameters from a log: drop it, choose its columns, prepare, identify, look at what is left."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from functools import partial
from math import log10
from pathlib import Path
from typing import Any

from nicegui import background_tasks, ui
from nicegui.events import UploadEventArguments

from robosym.app.menus import COMMANDS
from robosym.app.page.components import LinePlot
from robosym.app.page.options import OptionPanel, keep_upload
from robosym.app.page.shell import Shell
from robosym.app.page.widgets import block, button, empty, icon, segments, text
from robosym.app.session import Session
from robosym.app.session.jobs import Cancelled, PageJob
from robosym.app.session.logs import FitShown, FoundParameter, LogShown, chosen_columns, families_chosen, weak
from robosym.app.session.requests import Request
from robosym.errors import Error

__all__ = ["view"]

_HERE = "robosym.app.session.logs"
_GROUPS = (
    ("t", "Time"),
    ("q", "Positions, rad"),
    ("qd", "Velocities"),
    ("tau", "Torques, N m"),
    ("current", "Currents, A"),
)
_OWN = ("log", "columns", "cut", "rate", "rest", "method", "step", "report", "write")  #: fields that are drawn here
_LEAST, _MOST = 0.1, 1000.0  #: ends of the bars, percent
_MARK = 30.0
_TINIEST = 5e-5  #: what four decimals show
_MOST_BYTES = 400_000_000


def view(session: Session, shell: Shell) -> None:
    """Draw the view."""
    IdentificationView(session, shell)


class IdentificationView:
    """One identification in one window; what was found stays with the session."""

    def __init__(self, session: Session, shell: Shell) -> None:
        self.session, self.shell, self.results = session, shell, session.results
        self.command = COMMANDS["identify"]
        kept = self.results.fields.setdefault("identify", {})
        self.fields: dict[str, Any] = kept
        self.state: dict[str, Any] = self.results.kept.setdefault("identify", {})
        self.chosen: str = ""
        self.only_weak = False
        self.histogram = False
        self.job: PageJob | None = None
        with shell.body:
            self._upload = ui.upload(on_upload=self._taken, auto_upload=True, max_file_size=_MOST_BYTES)
            self._upload.classes("hidden-upload log-upload")
            self._grid = block("idv")
            with self._grid:
                with block("opt", "aside").props("data-panel=options"):
                    self._options = block("ofields")
                    with block("obtn"):
                        self._button = block("")
                self._middle = block("idb", "section")
                self._right = block("pars", "aside")
        shell.on_key("ctrl+enter", self.identify, "Identify")
        self._draw()
        path = str(self.fields.get("log") or "")
        if path and self.log is None:
            self._do(self._look(path, known=True))
        elif self.shell.what.get("run") and self.found is None:
            self.identify()
        shell.client.run_javascript("robosym.dropInto('.idv', '.log-upload')")

    @property
    def log(self) -> LogShown | None:
        found: LogShown | None = self.state.get("log")
        return found

    @property
    def chosen_families(self) -> dict[str, str]:
        """The columns that were chosen, by what they hold; kept with the fields, over a restart."""
        chosen: dict[str, str] = self.fields.setdefault("families", {})
        return chosen

    @property
    def found(self) -> FitShown | None:
        found: FitShown | None = self.state.get("fit")
        return found

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        background_tasks.create(work)

    def _is_here(self) -> bool:
        return not self._middle.is_deleted

    def _draw(self) -> None:
        self._draw_head()
        self._draw_options()
        self._draw_button(False)
        self._draw_middle()
        self._draw_right()
        self._draw_foot()

    # ------------------------------------------------------------------------------------------- frame

    def _draw_head(self) -> None:
        found = self.found
        self.shell.head.clear()
        with self.shell.head:
            text("Identify from a log", tag="h1")
            text(found.about if found else self.command.sentence, "mut el")
            block("grow")
            if found is not None:
                with block("sm nw", "span"):
                    text("condition ", "mut")
                    text(_figure(found.condition), "m")
                name = self.session.robot.name
                button("Report", lambda: ui.download.content(found.report, f"{name}_report.html"), sign="download")
                why = "" if found.robot else " ".join(found.robot_remarks[:1])
                button("Robot with values", lambda: ui.download.content(found.robot, f"{name}_identified.yaml"),
                       sign="download", enabled=bool(found.robot), title=why)  # fmt: skip

    def _draw_foot(self) -> None:
        self.shell.foot.clear()
        found = self.found
        with self.shell.foot, block("status"):
            if found is None:
                text(f"{self.session.robot.name}, {len(self.session.robot.joint_names)} joints")
                return
            for label, said, copied in (
                ("Command line", found.line, found.line),
                ("Python", found.python, found.program),
            ):
                small = "" if label == "Command line" else " hide-l"
                text(label, f"m nw{small}")
                text(said, f"mono el{small}")
                copy = button("Copy", sign="copy", kind=f"ghost s{small}")
                copy.on("click", js_handler=f"(e) => robosym.copied(e.currentTarget, {json.dumps(copied)})")
            block("grow")
            text(found.operations, "nw hide-l")

    # ----------------------------------------------------------------------------------------- options

    def _draw_options(self) -> None:
        self._options.clear()
        with self._options:
            self._draw_file()
            if self.log is not None:
                self._draw_columns(self.log)
                block("rule")
                text("Prepare", tag="h2")
                panel = OptionPanel(self.command, self.session.robot, self.fields, (), lambda: None)
                with block("tight"):
                    self._number("cut", "Low-pass filter", "10", "Hz")
                    self._number("rate", "Samples kept", "auto", "Hz")
                    self._number("rest", "At rest below", "0.02", "rad/s")
                block("rule")
                text("Model", tag="h2")
                panel.draw_some([option for option in self.command.options if option.name == "method"])
                rest = [
                    o
                    for o in self.command.options
                    if o.name not in _OWN and o.name not in ("output", "set", "add_frame", "xacro", "floating")
                ]
                first = ("friction", "essential", "consistent")
                panel.draw_some([option for option in rest if option.name in first])
                panel.draw_folded([option for option in rest if option.name not in first])

    def _draw_file(self) -> None:
        log = self.log
        if log is None:
            text("Log", tag="h2")
            text("A .csv, .npz or .parquet file with times, positions and torques of a motion", "mut sm", "p")
            button("Choose a log", self._pick, sign="upload")
            return
        with block("filecard"):
            icon("file")
            with block("grow"):
                text(log.file, "m el", "div")
                text(f"{log.samples:_} samples, {log.columns} columns".replace("_", "\u202f"), "mut xs el", "div")
            button(sign="cross", kind="ghost s ico", title="Remove", on_click=self._remove)
        text("Drop another log anywhere to replace it", "mut xs", "div", "margin-top:-6px")

    def _pick(self) -> None:
        self._upload.run_method("pickFiles")

    def _draw_columns(self, log: LogShown) -> None:
        text("Columns", tag="h2")
        chosen = self.chosen_families
        with block("tight"):
            for group, label in _GROUPS:
                guess = chosen.get(group, log.guessed(group))
                if group == "current" and not self._asks_currents(log):
                    continue
                with block("r"):
                    text(label, "grow sm")
                    made = ui.element("select").classes("field sel")
                    made.props["aria-label"] = label
                    made.on("change", partial(self._choose, group), js_handler="(e) => emit(e.target.value)")
                    with made:
                        none = "even steps" if group == "t" else "not measured" if group == "qd" else "none"
                        for key, said in [("", none), *((one.label, one.label) for one in log.families
                                                        if (one.joints == 1) or group != "t")]:  # fmt: skip
                            one = text(said, tag="option")
                            one.props["value"] = key
                            if key == guess:
                                one.props["selected"] = True
            if self._asks_step(log):
                step = next((word.partition(": ")[2] for word in log.remarks), "")
                if step and "step" not in self.fields:
                    self.fields["step"] = step
                self._number("step", "Step", "0.001", "s")

    def _choose(self, group: str, event: Any) -> None:
        assert self.log is not None
        before = self._asks_step(self.log), self._asks_currents(self.log)
        self.chosen_families[group] = event.args
        self.session.store()
        if before != (self._asks_step(self.log), self._asks_currents(self.log)):  # else whoever is quick loses a choice
            self._draw_options()

    def _asks_step(self, log: LogShown) -> bool:
        """Whether there are no times."""
        return not self.chosen_families.get("t", log.guessed("t"))

    def _asks_currents(self, log: LogShown) -> bool:
        """Whether currents may stand for torques."""
        chosen = self.chosen_families
        return bool(chosen.get("current", log.guessed("current"))) or not (chosen.get("tau") or log.guessed("tau"))

    def _number(self, name: str, label: str, hint: str, unit: str) -> None:
        with block("r"):
            text(label, "grow sm")
            with block("field", "label", "width:104px"):
                made = ui.element("input").props("spellcheck=false autocomplete=off inputmode=decimal")
                made.style("border:0;background:none;outline:none;width:100%;min-width:0;font:inherit;color:inherit")
                made.props["placeholder"] = hint
                made.props["aria-label"] = label
                made.props["^value"] = str(self.fields.get(name, ""))
                made.on("input", partial(self._type, name), js_handler="(e) => emit(e.target.value)")
                text(unit, "u")

    def _type(self, name: str, event: Any) -> None:
        if str(event.args).strip():
            self.fields[name] = event.args
        else:
            self.fields.pop(name, None)

    def _draw_button(self, busy: bool) -> None:
        self._button.clear()
        with self._button:
            made = button("Identifying" if busy else "Identify", self.identify, kind="pri",
                          key="" if busy else "Ctrl \u21b5", enabled=not busy and self.log is not None)  # fmt: skip
            if busy:
                with made:
                    block("spin")

    # --------------------------------------------------------------------------------------------- work

    async def _taken(self, event: UploadEventArguments) -> None:
        path = await keep_upload(event)
        self._upload.reset()
        await self._look(str(path))

    async def _look(self, path: str, known: bool = False) -> None:
        """What is in a log; the columns that were chosen stay chosen for one that is `known`."""
        if not Path(path).is_file():
            self.fields.pop("log", None)
            self.shell.notify(f"{Path(path).name} is no longer kept: drop it again", "error")
            return
        try:
            job = self.results.jobs.start("Reading the log", f"{_HERE}:look", path)
            log: LogShown = await asyncio.wrap_future(job.future)
        except Error as error:
            self.shell.notify(str(error).replace(str(Path(path).parent) + "/", ""), "error")
            return
        self.fields["log"] = path
        if not known:
            for name in ("step", "columns", "families"):
                self.fields.pop(name, None)
        elif self.fields.get("columns"):
            self.fields["families"] = families_chosen(log, self.fields["columns"], [group for group, _ in _GROUPS])
        self.state.clear()
        self.state["log"] = log
        self.session.store()
        if self._is_here():
            self._draw()
            if known and self.shell.what.get("run"):
                self.identify()

    def _remove(self) -> None:
        for name in ("log", "columns", "families"):
            self.fields.pop(name, None)
        self.state.clear()
        self.session.store()
        self._draw()

    def _request(self) -> Request:
        assert self.log is not None
        words = chosen_columns(self.log, self.chosen_families)
        return self.results.request("identify", {**self.fields, "columns": words})

    def identify(self) -> None:
        """Fit, in a process of its own."""
        if self.log is None or (self.job is not None and not self.job.is_over):
            return
        try:
            request = self._request()
        except Error as error:
            self.shell.notify(str(error), "error")
            return
        self.job = self.results.jobs.start(
            f"Identification of {self.session.robot.name}", f"{_HERE}:fit", request, again=request.plain
        )
        self.session.store()
        self._draw_button(True)
        self._do(self._wait(self.job, request))

    async def _wait(self, job: PageJob, request: Request) -> None:
        try:
            found = await asyncio.wrap_future(job.future)
        except Error as error:
            if self._is_here():
                self._draw_button(False)
                self._failed(error)
            return
        self.state["fit"] = found
        self.results.history.add(request, self.session.robot.name, "Identification", found.line, job.seconds)
        if self._is_here():
            self._draw()

    def _failed(self, error: Error) -> None:
        if isinstance(error, Cancelled):
            self.shell.notify("Cancelled")
            return
        said = str(error)
        folder = str(Path(str(self.fields.get("log", ""))).parent)
        self._middle.clear()
        with self._middle, block("unmade"):
            icon("warning")
            text("The log could not be fitted", "b", "div")
            text(said.replace(folder + "/", "") if len(folder) > 1 else said, "sec", "div")
            if getattr(error, "trace", ""):
                text(error.trace, "mono xs", "div")  # type: ignore[attr-defined]

    # ------------------------------------------------------------------------------------------ results

    def _draw_middle(self) -> None:
        self._middle.clear()
        found, log = self.found, self.log
        with self._middle:
            if log is None:
                with block("dropzone"):
                    icon("upload")
                    text("Drop a log of a motion here", "b", "div")
                    text("columns t, q1 .., tau1 ..; .csv, .npz or .parquet", "mut sm", "div")
                    button("Choose a log", self._pick, kind="pri")
                return
            if found is None:
                empty("identification", "Nothing identified yet", "Look at columns and filter, then identify",
                      "Identify", self.identify)  # fmt: skip
                return
            with block("lgd"):
                text("Torques", "hide-l", "h2")
                for label, line in (("measured", "4px solid var(--zero)"), ("predicted", "2px solid var(--accent)"),
                                    ("residual", "1.5px solid var(--c6)")):  # fmt: skip
                    with block("sm sec nw", "span"):
                        block(tag="i", style=f"border-top:{line}")
                        text(label)
                block("grow")
                segments({"time": "Over time", "bars": "Histogram"}, "bars" if self.histogram else "time", self._turn)
            with block("plots"):
                for joint in found.joints:
                    with block("card plot"):
                        with block("row", style="height:22px;flex:none;margin-bottom:4px"):
                            text(f"Joint {joint.joint}", "b")
                            block("grow")
                            text("rms", "mut sm")
                            text(f"{_figure(joint.rms)} N m", "sm m nw")
                            text("rel.", "mut sm", style="margin-left:6px")
                            text(f"{joint.relative * 100:.1f} %", "sm m nw")
                        plot = LinePlot()
                        if self.histogram:
                            plot.show({"kind": "histogram", "bars": joint.bars, "normal": joint.normal})
                        else:
                            lines = ("measured", "predicted", "residual", "reach", "still")
                            plot.show({"kind": "fit", **{name: getattr(joint, name) for name in lines}})

    def _turn(self, which: str) -> None:
        self.histogram = which == "bars"
        self._draw_middle()

    def _draw_right(self) -> None:
        self._right.clear()
        found = self.found
        self._right.set_visibility(found is not None)
        self._grid.classes(**({"remove": "no-fit"} if found else {"add": "no-fit"}))
        if found is None:
            return
        weaker = weak(found.parameters)
        with self._right:
            with block("hd"):
                text(f"{len(found.parameters)} parameters", "b nw")
                text(f"{len(found.parameters) - weaker} within 30 %", "chip hide-l")
                block("grow")
                segments({"": "All", "weak": f"Weak {weaker}"}, "weak" if self.only_weak else "", self._choose_weak)
            with block("tb"), block("", "table"):
                with block("", "thead"), block("", "tr"):
                    for head, width, kind in (("Name", "22%", ""), ("Value", "22%", "num"),
                                              ("\u03c3", "18%", "num hide-l"),
                                              ("Deviation, log", "24%", ""), ("%", "14%", "num")):  # fmt: skip
                        text(head, kind, "th", f"width:{width}")
                with block("", "tbody"):
                    self._rows = {
                        one.name: self._row(one) for one in found.parameters if one.weak or not self.only_weak
                    }
            self._grouped = block("gr")
        name = self.chosen or next(
            (one.name for one in found.parameters if one.grouped and one.grouped != one.name), ""
        )
        self._choose_row(name)

    def _choose_weak(self, which: str) -> None:
        self.only_weak = which == "weak"
        self._draw_right()

    def _row(self, one: FoundParameter) -> Any:
        row = block("wk" if one.weak else "", "tr").props("tabindex=0")
        row.on("click", lambda: self._choose_row(one.name))
        row.on("keydown.enter", lambda: self._choose_row(one.name))
        with row:
            text(one.name, "", "td")
            text(_fixed(one.value), "num", "td")
            text(_fixed(one.deviation), "num mut hide-l", "td")
            with block("", "td"), block(f"dv{' w' if one.weak else ''}"):
                block(tag="i", style=f"width:{100 * _place(one.error):.1f}%")
                block(tag="s", style=f"left:{100 * _place(_MARK):.1f}%")
            shown = f"{one.error:.1f}" if one.error < 100 else f"{one.error:.0f}" if one.error <= _MOST else "> 1000"
            text(shown, "num", "td")
        return row

    def _choose_row(self, name: str) -> None:
        assert self.found is not None
        for known, row in self._rows.items():
            row.classes(**({"add": "sel"} if known == name else {"remove": "sel"}))
        self.chosen = name
        one = next((one for one in self.found.parameters if one.name == name), None)
        self._grouped.clear()
        with self._grouped:
            for remark in [*self.found.remarks, *self.found.robot_remarks][:2] if one is None else []:
                text(remark, "mut sm", "div")
            if one is not None:
                with block("row"):
                    text(one.name, "b")
                    text("is grouped from" if one.grouped and one.grouped != one.name else "stands by itself", "mut sm")
                if one.grouped and one.grouped != one.name:
                    text(one.grouped, "mono", "div")


def _place(error: float) -> float:
    """Where a percentage is on a bar: logarithmic."""
    return min(max(log10(max(error, _LEAST) / _LEAST) / log10(_MOST / _LEAST), 0.02), 1.0)


def _figure(value: float) -> str:
    shown = f"{value:.0f}" if 1e3 <= abs(value) < 1e6 else f"{value:.3g}"
    return shown.replace("-", "\u2212")


def _fixed(value: float) -> str:
    size = abs(value)
    shown = f"{value:.4f}" if _TINIEST <= size < 1e3 or value == 0 else f"{value:.1e}"
    return shown.replace("-", "\u2212")
