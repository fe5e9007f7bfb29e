"""Identification from a log: choose a file and its columns, prepare, identify, inspect the residuals."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from robosym.app.menus import COMMANDS
from robosym.app.page.fit_pane import FitPane
from robosym.app.page.fixing import SuggestedFixes, draw_failure, page_text
from robosym.app.page.options import OptionPanel
from robosym.app.page.result_parts import copied
from robosym.app.page.session_view import SessionView, main_button
from robosym.app.page.shell import Shell
from robosym.app.page.uploads import FileDrop
from robosym.app.page.widgets import block, button, emptied, empty, field, give, icon, pane_tabs, select, text
from robosym.app.session import Session
from robosym.app.session.jobs import PageJob
from robosym.app.session.logs import FitResults
from robosym.app.session.requests import Request
from robosym.errors import Error
from robosym.experiment.log import LogColumns, chosen_columns, families_chosen

__all__ = ["IdentificationView"]

_HERE = "robosym.app.session.logs"
_GROUPS = {
    "t": "Time", "q": "Positions, rad", "qd": "Velocities", "tau": "Torques, N m", "current": "Currents, A",
}  # fmt: skip
_NONE = {"t": "even steps", "qd": "not measured"}  #: label of a quantity without a column
_NUMBERS = (
    ("cut", "Low-pass filter", "10", "Hz"), ("rate", "Samples kept", "auto", "Hz"),
    ("rest", "At rest below", "0.02", "rad/s"),
)  # fmt: skip
_FIRST = ("friction", "essential", "consistent")  #: options that are not folded
_ELSEWHERE = (
    "log", "columns", "cut", "rate", "rest", "method", "step", "report", "write", "output", "set", "add_frame",
    "xacro", "floating",
)  # fmt: skip
_DRIVE = ("ratio", "gain")  #: options beside the columns of torques or currents
_MOST_BYTES = 400_000_000
_INSIDE = "border:0;background:none;outline:none;width:100%;min-width:0;font:inherit;color:inherit"


class IdentificationView(SessionView):
    """One identification in one window; its results stay with the session."""

    def __init__(self, session: Session, shell: Shell) -> None:
        super().__init__(session, shell)
        self.has_numbers = False
        self.command = COMMANDS["identify"]
        self.fields = self.results.fields.setdefault("identify", {})
        self.state = self.results.kept.setdefault("identify", {})
        with shell.body:
            look = lambda path: self._look(str(path))  # noqa: E731
            self._files = FileDrop(look, lambda words: shell.notify(words, "error"), "", _MOST_BYTES)
            pane_tabs({"options": "Options", "fit": "Fit", "parameters": "Parameters"})
            self._grid = block("idv")
            with self._grid:
                with block("opt", "aside", data_panel="options", data_pane="options"):
                    self._options = block("ofields")
                    with block("obtn"):
                        self._button = block("")
                self._middle = block("idb", "section", data_pane="fit")
                self._pane = FitPane(self._middle, block("pars", "aside", data_pane="parameters"))
        shell.on_key("ctrl+enter", self.identify, "Identify")
        self._draw()
        path = str(self.fields.get("log") or "")
        if path and self.log is None:
            self.do(self._look(path, known=True))
        elif shell.what.get("run") and self.found is None:
            self.identify()

    @property
    def log(self) -> LogColumns | None:
        found: LogColumns | None = self.state.get("log")
        return found

    @property
    def found(self) -> FitResults | None:
        found: FitResults | None = self.state.get("fit")
        return found

    def _family(self, group: str) -> str:
        """Return the columns of a quantity: the chosen ones, or those with a matching name."""
        guessed = self.log.guessed(group) if self.log is not None else ""
        return str(self.fields.setdefault("families", {}).get(group, guessed))

    def _draw(self) -> None:
        found = self.found
        with self.head("Identify from a log", found.about if found else self.command.sentence):
            if found is not None:
                self._draw_downloads(found)
        self._draw_options()
        self._draw_button()
        self._grid.classes(**({"remove": "no-fit"} if found else {"add": "no-fit"}))
        self._draw_middle()
        self._draw_foot()

    # ------------------------------------------------------------------------------------------- frame

    def _draw_downloads(self, found: FitResults) -> None:
        with block("sm nw", "span"):
            text("condition ", "mut")
            text(_figure(found.condition), "m")
        name = self.session.robot.name
        button("Report", lambda: give(f"{name}_report.html", found.report), sign="download")
        why = "" if found.robot else " ".join(found.robot_remarks[:1])
        save = partial(give, f"{name}_identified.yaml", found.robot)
        button("Robot with values", save, sign="download", enabled=bool(found.robot), title=why)

    def _draw_foot(self) -> None:
        self.shell.foot.clear()
        found = self.found
        with self.shell.foot, block("status"):
            if found is None:
                self.robot_line()
                return
            same = found.same
            lines = (("Command line", same.line, same.line, ""), ("Python", same.python, same.program, " hide-l"))
            for label, shown, whole, small in lines:
                text(label, f"m nw{small}")
                text(shown, f"mono el{small}")
                copied(whole, f"ghost s{small}")
            block("grow")
            text(found.operations, "nw hide-l")

    def _draw_middle(self) -> None:
        self._pane.show(self.found)
        if self.found is not None:
            return
        with self._middle:
            if self.log is not None:
                empty("identification", "Nothing identified yet", "Look at columns and filter, then identify",
                      "Identify", self.identify)  # fmt: skip
                return
            with block("dropzone"):
                icon("upload")
                text("Drop a log of a motion here", "b", "div")
                text("columns t, q1 .., tau1 ..; .csv, .npz or .parquet", "mut sm", "div")
                self._files.button("Choose a log", "pri", "")

    # ----------------------------------------------------------------------------------------- options

    def _draw_options(self, wrong: str = "") -> None:
        with emptied(self._options):
            self._draw_file()
            if self.log is None:
                return
            self._draw_columns(self.log, wrong)
            panel = OptionPanel(self.command, self.session.robot, self.fields, ())
            panel.wrong = wrong
            own = {o.name: o for o in self.command.options if o.name == "method" or o.name not in _ELSEWHERE}
            panel.draw_some([own.pop(name) for name in _DRIVE if name in own])
            block("rule")
            text("Prepare", tag="h2")
            with block("tight"):
                for number in _NUMBERS:
                    self._number(*number, wrong == number[0])
            block("rule")
            text("Model", tag="h2")
            panel.draw_some([own.pop("method"), *(own.pop(name) for name in [*own] if name in _FIRST)])
            panel.draw_folded(list(own.values()))

    def _draw_file(self) -> None:
        log = self.log
        if log is None:
            text("Log", tag="h2")
            text("A .csv, .npz or .parquet file with times, positions and torques of a motion", "mut sm", "p")
            self._files.button("Choose a log", "")
            return
        with block("filecard"):
            icon("file")
            with block("grow"):
                text(log.file, "m el", "div")
                text(f"{log.samples:_} samples, {log.columns} columns".replace("_", "\u202f"), "mut xs el", "div")
            button(sign="cross", kind="ghost s ico", title="Remove", on_click=self._remove)
        text("Drop another log anywhere to replace it", "mut xs", "div", "margin-top:-6px")

    def _draw_columns(self, log: LogColumns, wrong: str) -> None:
        text("Columns", tag="h2")
        with block("tight"):
            for group, label in _GROUPS.items():
                if group == "current" and not self._asks_currents:
                    continue
                with block("r"):
                    text(label, "grow sm")
                    families = [one.label for one in log.families if one.joints == 1 or group != "t"]
                    choices = {"": _NONE.get(group, "none"), **{name: name for name in families}}
                    select(label, choices, self._family(group), partial(self._choose, group))
            if self._asks_step:
                step = next((word.partition(": ")[2] for word in log.remarks), "")
                if step and "step" not in self.fields:
                    self.fields["step"] = step
                self._number("step", "Step", "0.001", "s", wrong == "step")

    def _choose(self, group: str, family: str) -> None:
        before = self._asks_step, self._asks_currents
        self.fields.setdefault("families", {})[group] = family
        self.session.store()
        if before != (self._asks_step, self._asks_currents):  # redrawing needlessly could lose a click
            self._draw_options()

    @property
    def _asks_step(self) -> bool:
        """Whether the log has no times, so that the sampling period must be given."""
        return not self._family("t")

    @property
    def _asks_currents(self) -> bool:
        """Whether currents may replace torques."""
        return bool(self._family("current")) or not self._family("tau")

    def _number(self, name: str, label: str, hint: str, unit: str, wrong: bool) -> None:
        def typed(words: str) -> None:
            if words.strip():
                self.fields[name] = words
            else:
                self.fields.pop(name, None)

        with block("r wrong" if wrong else "r"):
            text(label, "grow sm")
            with block("field", "label", "width:104px"):
                field(label, self.fields.get(name, ""), typed, hint, "", inputmode="decimal").style(_INSIDE)
                text(unit, "u")

    def _draw_button(self) -> None:
        blocked = "" if self.log else "Needed: a log"
        main_button(self._button, "Identify", "Identifying", self.identify, self.is_busy, blocked)

    # --------------------------------------------------------------------------------------------- work

    async def _look(self, path: str, known: bool = False) -> None:
        """Read the columns of a log; the chosen columns of a `known` log stay chosen."""
        if not Path(path).is_file():
            self.fields.pop("log", None)
            self.shell.notify(f"{Path(path).name} is no longer stored: choose it again", "error")
            return
        try:
            job = self.results.jobs.start("Reading the log", f"{_HERE}:look", path)
            log: LogColumns = await asyncio.wrap_future(job.future)
        except Error as error:
            self.shell.notify(page_text(error).replace(str(Path(path).parent) + "/", ""), "error")
            return
        self.fields["log"] = path
        if not known:
            self._forget("step", "columns", "families")
        elif self.fields.get("columns"):
            self.fields["families"] = families_chosen(log, self.fields["columns"], [*_GROUPS])
        self.state.clear()
        self.state["log"] = log
        self.session.store()
        if self.is_here:
            self._draw()
            if known and self.shell.what.get("run"):
                self.identify()

    def _forget(self, *names: str) -> None:
        for name in names:
            self.fields.pop(name, None)

    def _remove(self) -> None:
        self._forget("log", "columns", "families")
        self.state.clear()
        self.session.store()
        self._draw()

    def identify(self) -> None:
        """Run the fit in a separate process."""
        if self.log is not None and not self.is_busy:
            try:
                self._identify(self.log)
            except Error as error:
                self._failed(error)

    def _identify(self, log: LogColumns) -> None:
        columns = chosen_columns(log, self.fields.get("families", {}))
        request = self.results.request("identify", {**self.fields, "columns": columns})
        title = f"Identification of {self.session.robot.name}"
        self.job = self.results.jobs.start(title, f"{_HERE}:fit", request, again=request.plain)
        self.session.store()
        self._draw_button()
        self.do(self._wait(self.job, request))

    async def _wait(self, job: PageJob, request: Request) -> None:
        found: FitResults | None = await self.waited(job, lambda: None, self._failed)
        if found is not None:
            self.state["fit"] = found
            self.results.history.add(request, self.session.robot.name, "Identification", found.same.line, job.seconds)
        if self.is_here:
            self._draw() if found is not None else self._draw_button()

    def _failed(self, error: Error) -> None:
        folder = f"{Path(str(self.fields.get('log', ''))).parent}/"
        fixing = SuggestedFixes(self.command, self.fields, error)
        self._draw_options(fixing.name)
        self._middle.clear()
        redo = partial(self.after_fix, draw=self._draw_options, run=self.identify)
        with self._middle:
            draw_failure("The log could not be fitted", fixing, redo, fixing.text.replace(folder, ""))


def _figure(value: float) -> str:
    shown = f"{value:.0f}" if 1e3 <= abs(value) < 1e6 else f"{value:.3g}"
    return shown.replace("-", "\u2212")
