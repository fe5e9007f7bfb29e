"""A menu command: its options, its result, and the equivalent command line and Python code."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from robosym.app.menus import COMMANDS
from robosym.app.page.components import CodeText, EquationList
from robosym.app.page.finder import words
from robosym.app.page.fixing import SuggestedFixes, draw_failure, page_text
from robosym.app.page.level_pane import LevelPane
from robosym.app.page.number_pane import NumberPane
from robosym.app.page.options import OptionPanel
from robosym.app.page.result_parts import (
    CodePane,
    csv,
    draw_other,
    draw_solution,
    same_lines,
    search_field,
    size,
)  # fmt: skip
from robosym.app.page.session_view import SessionView, main_button
from robosym.app.page.shell import Shell
from robosym.app.page.value_pane import ValuePane
from robosym.app.page.widgets import (
    Entries,
    block,
    button,
    copy_button,
    drop_menu,
    emptied,
    empty,
    give,
    icon,
    keys,
    label_of,
    pane_tabs,
    tabs,
    text,
    zipped,
)  # fmt: skip
from robosym.app.session import Session
from robosym.app.session.jobs import PageJob
from robosym.app.session.requests import Equivalent, Request
from robosym.app.session.shown import CommandResult
from robosym.errors import Error, counted

__all__ = ["ModelView"]

#: icon and text of a result that is not generated yet, by its kind
_NOTHING = {"model": ("dynamic", "No model yet"), "solution": ("dynamic", "No solution yet")}
_EQUATIONS_FIRST = 0.06  #: seconds


class ModelView(SessionView):
    """One command in one window."""

    def __init__(self, session: Session, shell: Shell) -> None:
        super().__init__(session, shell)
        name = shell.what.get("command", "inverse_dynamics")
        self.command = COMMANDS.get(name, COMMANDS["inverse_dynamics"])
        self.fields = self.results.fields.setdefault(self.command.name, {})
        self.request: Request | None = None
        self.shown: CommandResult | None = None
        self.tab = "equations"
        self._drawn_button: tuple[bool, str] | None = None
        self._asked_again = False  #: whether to generate again after the running job
        self.code = CodePane(self, self._draw_same)
        self.values = ValuePane(self)
        self._draw_head()
        with shell.body:
            panes = {"options": "Options", "result": "Result", "code": "Code"}
            pane_tabs(dict(list(panes.items())[: 3 if self.command.gives in ("model", "solution") else 2]))
        with shell.body, block("mv"):
            with block("opt", "aside", data_panel="options", data_pane="options"):
                self._options = block("ofields")
                self.levels = LevelPane(self, block("ops"), self._at_level)
                with block("obtn"):
                    self._button = block("")
            self._result = block("res", "section", data_pane="result code")
        self._draw_options()
        self._draw_button()
        with self._result:
            if self._reason:
                empty("warning", f"{words(self.command.name)}: {self._reason}", self.command.sentence)
            else:
                sign, line = _NOTHING.get(self.command.gives, ("file", "Nothing yet"))
                empty(sign, line, "Choose options, then generate", "Generate", self.generate)
        shell.on_key("ctrl+enter", self.generate, "Generate")
        shell.on_leave(self.levels.stop)
        shell.watch(self._on_change)
        self._draw_foot()
        self._restore_last()

    @property
    def _reason(self) -> str:
        """Return why the command does not apply to this robot, or "" if it does."""
        return self.command.reason(self.session.robot)

    # -------------------------------------------------------------------------------------------- frame

    def _draw_head(self) -> None:
        shown, command = self.shown, self.command
        with emptied(self.shell.head):
            text(shown.title if shown else words(command.name), "el", "h1")
            text(shown.about if shown else command.sentence, "mut el", title=command.sentence)
            block("grow")
            if shown is not None:
                text(f"Generated in {shown.seconds:.2f} s", "mut sm nw hide-t")
                compare = lambda: self.shell.go("history", command=command.name)  # noqa: E731
                button("Compare", compare, sign="history", kind="ghost")
                with button("Download", sign="download", after="down"):
                    drop_menu(self._downloads)

    def _downloads(self) -> Entries:
        assert self.shown is not None
        shown, word, files, name = self.shown, self.command.word, self.shown.files, self.session.robot.name
        entries: list[tuple[str, str, Callable[[], Any] | None]] = [
            (file, size(len(data)), partial(give, file, data)) for file, data in files.items()
        ]
        if shown.languages:
            entries += self.code.downloads(f"{name}_{word}.zip")
        elif shown.text:
            entries.append(("Text", ".txt", partial(give, f"{name}_{word}.txt", shown.text)))
        if shown.names:
            entries.append(("Table", ".csv", partial(give, f"{word}.csv", csv(shown))))
        if len(files) > 1:
            entries.append(("All files", ".zip", lambda: give(f"{word}.zip", zipped(files))))
        return entries

    def _draw_foot(self) -> None:
        with emptied(self.shell.foot), block("status"):
            if self.request is not None and not self.results.is_current(self.request):
                with block("se", "span"):
                    icon("warning")
                    text("The robot has changed since this was generated")
            for remark in (self.shown.remarks if self.shown else [])[:1]:
                text(remark, "el")
            self.robot_line()
            block("grow")
            keys(("Ctrl \u21b5", "generate"))

    def _draw_options(self, wrong: str = "") -> None:
        groups = [group.name for group in self.shown.inputs] if self.shown and not self.fields.get("derivative") else []
        with emptied(self._options):
            self._panel = OptionPanel(self.command, self.session.robot, self.fields, groups, self._draw_button)
            self._panel.wrong = wrong
            self._numbers = NumberPane(self.session, self.command.name, self._draw_button)
            self._panel.draw()
        hint = self._panel.hints.get("base_parameters")
        if hint is not None and not hint.text:
            self.do(self._hint_base(self._panel))
        self.shell.client.run_javascript("robosym.tex()")

    async def _hint_base(self, panel: OptionPanel) -> None:
        """Show the number of base parameters below the switch ("40 of 66"), counted once per robot."""
        kept = self.results.kept.setdefault("base", {})
        subject = repr(self.results.subject())
        if subject not in kept:
            request = self.results.asked("base_parameters", {})
            job = self.results.quick("Base parameters", "base_count", request, quiet=True)
            kept[subject] = await self.value_of(job, quietly=True) or ""
        hint = panel.hints["base_parameters"]
        if not hint.is_deleted and not hint.text:
            hint.set_text(kept[subject])

    def _draw_button(self) -> None:
        state = self.is_busy, self._reason or self._missing()
        if state != self._drawn_button:  # redrawing needlessly could lose a click
            self._drawn_button = state
            main_button(self._button, "Generate", "Generating", self.generate, *state)

    def _missing(self) -> str:
        """Return what must be given before the command can run, or ""."""
        missing = [part.name for part in self.command.missing(self.fields, self.session.robot)]
        labels = {option.name: option.label for option in self.command.options}
        needed = [labels.get(name) or label_of(name) for name in missing if name not in ("robot", "output")]
        if missing and missing[-1] in self.command.one_of:
            needed[-1] = f"one of {', '.join(map(label_of, self.command.one_of))}"
        if self._numbers.missing:
            needed.append(f"numbers of {counted(len(self._numbers.missing), 'symbol')}")
        return f"Needed: {', '.join(needed)}" if needed else ""

    # ---------------------------------------------------------------------------------------- generating

    def _on_change(self, what: str) -> None:
        """Mark the result as outdated after a change of the tables."""
        if what == "document":
            self._draw_foot()
            self._draw_options()

    def _restore_last(self) -> None:
        """Show the recent result of the same options, if there is one."""
        try:
            request = self.results.request(self.command.name, self.fields)
        except Error:
            return
        shown = self.results.last(request)
        if shown is not None:
            self._show(request, shown)
        elif self.shell.what.get("run"):
            self.generate()

    def _at_level(self, name: str, level: str) -> None:
        if level:
            self.fields[name] = level
        else:
            self.fields.pop(name, None)
        self._draw_options()
        self.generate()

    def generate(self) -> None:
        """Generate with the current options; a request during a computation is executed after it."""
        self._asked_again = self.is_busy
        if not self.is_busy:
            try:
                self._generate()
            except Error as error:
                self._fail(error)

    def _generate(self) -> None:
        if blocked := self._reason or self._missing():
            self.shell.notify(f"{words(self.command.name)}: {blocked}", "error")
            return
        request = self.results.request(self.command.name, self.fields)
        if (shown := self.results.last(request)) is not None:
            self._show(request, shown)
            return
        self.levels.stop()
        self.job = self.results.start(request, self.shell.language)
        self.do(self._wait(request, self.job))
        self.session.store()

    async def _wait(self, request: Request, job: PageJob) -> None:
        shown: CommandResult | None = await self.waited(job, self._draw_button, self._fail)
        if self.is_here:
            if shown is not None:
                shown.remarks.extend(one for one in map(page_text, job.remarks) if one not in shown.remarks)
                self._show(request, shown)
            self._draw_button()
            if self._asked_again:
                self.generate()

    def _fail(self, error: Error) -> None:
        """Show the error, mark its field and offer the unambiguous fixes."""
        fixing = SuggestedFixes(self.command, self.fields, error)
        self._panel.mark(fixing.name)
        self._result.clear()
        self.levels.place.clear()
        self.request = self.shown = None
        self._draw_head()
        redo = partial(self.after_fix, draw=self._draw_options, run=self.generate)
        line = f"{words(self.command.name)} cannot be made with these options"
        with self._result, draw_failure(line, fixing, redo):
            focus = "document.querySelector('.opt .wrong input, .opt input, .opt select, .opt button').focus()"
            button("Change the options", lambda: self.shell.client.run_javascript(focus))

    # ------------------------------------------------------------------------------------------- results

    def _show(self, request: Request, shown: CommandResult) -> None:
        before, self.request, self.shown = self.shown, request, shown
        alike = before is not None and (before.gives, bool(before.text)) == ("model", bool(shown.text))
        if alike and shown.gives == "model" and self.tab == "equations":  # keep the panes and their sizes
            self._equations.show(shown.sections)
            self.do(self._follow(request, shown))
        else:
            self._draw_result(shown)
            self._draw_around(request, shown)

    async def _follow(self, request: Request, shown: CommandResult) -> None:
        """Draw all else once the browser has had the time to draw the equations."""
        await asyncio.sleep(_EQUATIONS_FIRST)
        if self.is_here and self.shown is shown:
            self.code.fill()
            self._draw_around(request, shown)

    def _draw_around(self, request: Request, shown: CommandResult) -> None:
        """Draw the parts around the equations and the code."""
        self._draw_same()
        self._draw_head()
        self._draw_foot()
        groups = [group.name for group in shown.inputs]
        if shown.gives == "model" and not self.fields.get("derivative") and self._panel.groups != groups:
            self._panel.show_groups(groups)
        self.levels.show(request, shown)
        self.shell.client.run_javascript("robosym.tex(); robosym.pane('result')")

    def _draw_result(self, shown: CommandResult) -> None:
        self._result.clear()
        self._same_of: tuple[Equivalent, str] | None = None
        with self._result:
            if shown.gives == "model":
                self._draw_model()
            elif shown.gives == "solution":
                draw_solution(shown, self.code)
            else:
                draw_other(shown, "yaml" if self.command.gives == "description" else "text")
            self._same = block("same")

    def _draw_same(self) -> None:
        """Draw the command line and the Python code of the shown result."""
        assert self.shown is not None and self.request is not None
        source = self.code.source if self.shown.languages else None
        same = (source or self.shown).same
        here = same, self.results.unsaved_file(self.request)
        if self._same_of == here:
            return
        self._same_of = here
        with emptied(self._same):
            same_lines(*here)
            if "--optimize 0" in same.line and not self.request.values.get("optimize"):
                text("--optimize 0 writes the equations that are shown; without it a file of this language has the "
                     "form that runs fastest", "mut xs el", "div")  # fmt: skip

    def _draw_model(self) -> None:
        with block("panes"):
            with block("", "section", data_pane="result"):
                self._left_tabs = block("tabs")
                self._left = block("", style="flex:1;min-height:0;display:flex;flex-direction:column")
            self.code.draw()
        self._draw_left(self.tab)
        self.code.fill()

    def _draw_left(self, tab: str) -> None:
        assert self.shown is not None
        self.tab = tab
        shown = self.shown
        with emptied(self._left_tabs):
            in_words = {"words": "Explanation"} if shown.text else {}
            tabs({"equations": "Equations", **in_words, "values": "Values"}, tab, self._draw_left)
            with block("end"):
                if tab == "values":
                    button("Zero", self.values.zero, kind="ghost s", title="All inputs zero")
                    button("Random", self.values.random, kind="ghost s", title="Random inputs")
                    button("Watch", self.values.watch, kind="ghost s", title="Show the values beside the picture, live")
                else:
                    search_field()
                    copy_button("() => robosym.copyPart('.eqp')", title="Copy the equations")
        with emptied(self._left):
            if tab == "values":
                self.values.draw(shown)
            elif tab == "words":
                CodeText().classes("plain").show(shown.text, "text")
            else:
                self._equations = EquationList()
                self._equations.show(shown.sections)
