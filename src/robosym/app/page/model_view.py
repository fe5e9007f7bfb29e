"""A command of the menus: its options, what it gives, and how else the same is had."""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import partial
from typing import Any

from nicegui import ui

from robosym.app.menus import COMMANDS
from robosym.app.menus.suited import command_reason
from robosym.app.page.code_pane import CodePane
from robosym.app.page.components import CodeText, EquationList
from robosym.app.page.finder import words
from robosym.app.page.level_pane import LevelPane
from robosym.app.page.options import OptionPanel
from robosym.app.page.result_parts import draw_solution, draw_table, draw_text, search_field
from robosym.app.page.same_lines import same_lines
from robosym.app.page.session_view import SessionView, main_button
from robosym.app.page.shell import Shell
from robosym.app.page.value_pane import ValuePane
from robosym.app.page.widgets import (
    block,
    button,
    copy_button,
    drop_menu,
    empty,
    failure,
    give,
    icon,
    keys,
    tabs,
    text,
    zipped,
)  # fmt: skip
from robosym.app.session import Session
from robosym.app.session.jobs import PageJob
from robosym.app.session.requests import Request
from robosym.app.session.shown import Shown
from robosym.errors import Error

__all__ = ["ModelView"]

_SIGN = {"model": "dynamic", "numbers": "identification", "drawing": "robot", "files": "file", "text": "file"}
_NOTHING = {
    "model": "No model yet", "solution": "No solution yet", "drawing": "No picture yet", "files": "No files yet",
}  # fmt: skip
_COLUMN = "display:flex;flex-direction:column"


class ModelView(SessionView):
    """One command in one window."""

    def __init__(self, session: Session, shell: Shell) -> None:
        super().__init__(session, shell)
        name = shell.what.get("command", "inverse_dynamics")
        self.command = COMMANDS.get(name, COMMANDS["inverse_dynamics"])
        self.fields = self.results.fields.setdefault(self.command.name, {})
        self.request: Request | None = None
        self.shown: Shown | None = None
        self.tab = "equations"
        self.code = CodePane(self, self._draw_same)
        self.values = ValuePane(self)
        self._draw_head()
        with shell.body, block("mv"):
            with block("opt", "aside").props("data-panel=options"):
                with block("ofields"):
                    self._options = block("", style=f"{_COLUMN};gap:12px")
                    self.levels = LevelPane(self, block("", style=_COLUMN), self._at_level)
                with block("obtn"):
                    self._button = block("")
            self._result = block("res", "section")
        self._draw_options()
        self._draw_button()
        with self._result:
            if self._reason:
                empty("warning", f"{words(self.command.name)}: {self._reason}", self.command.sentence)
            else:
                empty(_SIGN.get(self.command.gives, "dynamic"), _NOTHING.get(self.command.gives, "Nothing yet"),
                      "Choose options, then generate", "Generate", self.generate)  # fmt: skip
        shell.on_key("ctrl+enter", self.generate, "Generate")
        shell.on_leave(self.levels.stop)
        shell.watch(self._heard)
        self._draw_foot()
        self._come_back()

    @property
    def _reason(self) -> str:
        """Why the command is not for this robot, if it is not."""
        return command_reason(self.command, self.session.robot)

    # -------------------------------------------------------------------------------------------- frame

    def _draw_head(self) -> None:
        shown, command = self.shown, self.command
        self.shell.head.clear()
        with self.shell.head:
            text(shown.title if shown else words(command.name), "el", "h1")
            text(shown.about if shown else command.sentence, "mut el").props["title"] = command.sentence
            block("grow")
            if shown is not None:
                text(f"Generated in {shown.seconds:.2f} s", "mut sm nw hide-t")
                compare = lambda: self.shell.go("history", command=command.name)  # noqa: E731
                button("Compare", compare, sign="history", kind="ghost")
                self._download_menu(shown)

    def _download_menu(self, shown: Shown) -> None:
        word, files = self.command.word, shown.files
        entries: list[tuple[str, str, Callable[[], Any] | None]] = [
            (name, _size(len(data)), partial(give, name, data)) for name, data in files.items()
        ]
        if shown.languages:
            entries += self.code.downloads(f"{self.session.robot.name}_{word}.zip")
        elif shown.text:
            entries.append(("Text", ".txt", partial(give, f"{self.session.robot.name}_{word}.txt", shown.text)))
        if shown.names:
            entries.append(("Table", ".csv", partial(give, f"{word}.csv", _csv(shown))))
        if len(files) > 1:
            entries.append(("All files", ".zip", lambda: give(f"{word}.zip", zipped(files))))
        if entries:
            with button("Download", sign="download", after="down"):
                drop_menu(entries)

    def _draw_foot(self) -> None:
        self.shell.foot.clear()
        with self.shell.foot, block("status"):
            if self.request is not None and not self.results.is_current(self.request):
                with block("se", "span"):
                    icon("warning")
                    text("The robot has changed since this was generated")
            for remark in (self.shown.remarks if self.shown else [])[:1]:
                text(remark, "el")
            self.robot_line()
            block("grow")
            keys(("Ctrl \u21b5", "generate"))

    def _draw_options(self) -> None:
        groups = [group.name for group in self.shown.inputs] if self.shown and not self.fields.get("derivative") else []
        self._drawn_for = groups
        self._options.clear()
        with self._options:
            self._panel = OptionPanel(self.command, self.session.robot, self.fields, groups, self._option_changed)
            self._panel.draw()
        self._drawn_optimized = self._panel.is_optimized
        hint = self._panel.hints.get("base_parameters")
        if hint is not None and not hint.text:
            self.do(self._hint_base(self._panel))
        self.shell.client.run_javascript("robosym.tex()")

    def _option_changed(self) -> None:
        """How the optimizer works is asked where a level is chosen."""
        if self._panel.is_optimized is not self._drawn_optimized:
            self._draw_options()

    async def _hint_base(self, panel: OptionPanel) -> None:
        """Below the switch: 40 of 66; counted once for a robot."""
        kept = self.results.kept.setdefault("base", {})
        subject = repr(self.results.subject())
        if subject not in kept:
            kept[subject] = await self.value_of(self.results.base_count(), quietly=True) or ""
        hint = panel.hints["base_parameters"]
        if not hint.is_deleted and not hint.text:
            hint.set_text(kept[subject])

    def _draw_button(self) -> None:
        main_button(self._button, "Generate", "Generating", self.generate, self.is_busy, not self._reason)

    # ---------------------------------------------------------------------------------------- generating

    def _heard(self, what: str) -> None:
        """The tables have changed: what is shown is of the robot as it was."""
        if what == "document":
            self._draw_foot()
            self._draw_options()

    def _come_back(self) -> None:
        """Show again what was generated with the same options, if that is not long ago."""
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
        """Do what the options say; the page goes on living."""
        if not self.is_busy:
            self.shell.attempt(self._generate)

    def _generate(self) -> None:
        request = self.results.request(self.command.name, self.fields)
        if self._reason:
            self.shell.notify(f"{words(self.command.name)}: {self._reason}", "error")
            return
        shown = self.results.last(request)
        if shown is not None:
            self._show(request, shown)
            return
        self.levels.stop()
        self.session.store()
        self.job = self.results.start(request, self.shell.language)
        self.do(self._wait(request, self.job))

    async def _wait(self, request: Request, job: PageJob) -> None:
        shown: Shown | None = await self.waited(job, self._draw_button, self._fail)
        if self.is_here:
            self._draw_button()
            if shown is not None:
                shown.remarks.extend(one for one in job.remarks if one not in shown.remarks)
                self._show(request, shown)

    def _fail(self, error: Error) -> None:
        self._result.clear()
        with self._result, failure(f"{words(self.command.name)} cannot be made with these options", error):
            focus = "document.querySelector('.opt input, .opt select, .opt button').focus()"
            button("Change the options", lambda: self.shell.client.run_javascript(focus))

    # ------------------------------------------------------------------------------------------- results

    def _show(self, request: Request, shown: Shown) -> None:
        self.request, self.shown = request, shown
        self._result.clear()
        with self._result:
            if shown.gives == "model":
                self._draw_model()
            elif shown.gives == "solution":
                draw_solution(shown, self.code)
            elif shown.gives == "numbers":
                rows = [[_number(value) for value in row] for row in shown.rows]
                draw_table(shown.names, rows, ["num"] * len(shown.names), shown.remarks)
            elif shown.cells:
                kinds = [*["mono"] * (len(shown.heads) - 1), "mono wr"]
                draw_table(shown.heads, shown.cells, kinds, shown.remarks)
            elif shown.gives == "drawing":
                with block("pic-out"):
                    data = base64.b64encode(shown.picture.encode()).decode()
                    ui.element("img").props["src"] = f"data:image/svg+xml;base64,{data}"
            elif shown.gives == "files":
                sizes = [[name, _size(len(data))] for name, data in shown.files.items()]
                draw_table(["File", "Size"], sizes, ["mono", "num"], [])
            else:
                draw_text(shown.text, "yaml" if self.command.gives == "description" else "text")
            self._same = block("same")
        self._draw_same()
        self._draw_head()
        self._draw_foot()
        if shown.gives == "model" and self._drawn_for != [group.name for group in shown.inputs]:
            self._draw_options()
        self.levels.show(request, shown)
        self.shell.client.run_javascript("robosym.tex()")

    def _draw_same(self) -> None:
        """The command line and the Python of what is shown."""
        assert self.shown is not None and self.request is not None
        source = self.code.source if self.shown.languages else None
        same = source or self.shown
        self._same.clear()
        with self._same:
            same_lines(same.line, same.python, same.program, "" if self.request.is_named else self.request.robot)
            if "--optimize 0" in same.line and not self.request.values.get("optimize"):
                text("--optimize 0 writes the equations that are shown; without it a file of this language has the "
                     "form that runs fastest", "mut xs el", "div")  # fmt: skip

    def _draw_model(self) -> None:
        with block("panes"):
            with block("", "section"):
                self._left_tabs = block("tabs")
                self._left = block("", style=f"flex:1;min-height:0;{_COLUMN}")
            self.code.draw()
        self._draw_left(self.tab)
        self.code.fill()

    def _draw_left(self, tab: str) -> None:
        assert self.shown is not None
        self.tab = tab
        shown = self.shown
        self._left_tabs.clear()
        with self._left_tabs:
            in_words = {"words": "In words"} if shown.text else {}
            tabs({"equations": "Equations", **in_words, "values": "Values"}, tab, self._draw_left)
            with block("end"):
                if tab == "values":
                    button("Zero", self.values.zero, kind="ghost s", title="All inputs zero")
                    button("Random", self.values.random, kind="ghost s", title="Random inputs")
                else:
                    search_field()
                    copy_button("() => robosym.copyPart('.eqp')", title="Copy the equations")
        self._left.clear()
        with self._left:
            if tab == "values":
                self.values.draw(shown)
            elif tab == "words":
                CodeText().classes("plain").show(shown.text, "text")
            else:
                EquationList().show(shown.sections)


def _csv(shown: Shown) -> bytes:
    lines = [",".join(shown.names), *(",".join(map(repr, row)) for row in shown.rows)]
    return ("\n".join(lines) + "\n").encode()


def _number(value: float) -> str:
    return f"{value:.6g}".replace("-", "\u2212")


def _size(count: int) -> str:
    return f"{count} bytes" if count < 1000 else f"{count / 1000:.1f} kB"
