"""A command of the menus: its options, what it gives, and how else the same is had."""

from __future__ import annotations

import asyncio
import base64
import io
import zipfile
from collections.abc import Coroutine
from functools import partial
from typing import Any

from nicegui import background_tasks, ui
from nicegui.element import Element

from robosym.app.menus import COMMANDS, Command
from robosym.app.menus.suited import command_reason
from robosym.app.page.components import CodeText, EquationList, LinePlot, ValueTable
from robosym.app.page.finder import words
from robosym.app.page.options import OptionPanel
from robosym.app.page.same_lines import same_lines
from robosym.app.page.shell import Shell
from robosym.app.page.widgets import block, button, drop_menu, empty, icon, text
from robosym.app.session import Session
from robosym.app.session.generation import Counts, Shown, ShownCode
from robosym.app.session.jobs import Cancelled, PageJob
from robosym.app.session.requests import Request
from robosym.errors import Error

__all__ = ["view"]

_SPINNER = 0.3  #: seconds before a button shows that it works
_COUNTED = 4000  #: operations of a model whose other levels are counted without being asked
_TABS = ("listing", "c", "python", "matlab")  #: languages that have a tab; the others are under More
_SPOKEN = {"c": "C", "cpp": "C++", "h": "C header", "latex": "LaTeX", "matlab": "MATLAB"}
_POINTS = 201  #: of a plot


def view(session: Session, shell: Shell) -> None:
    """Draw the view of the command that was asked for."""
    name = shell.what.get("command", "inverse_dynamics")
    ModelView(session, shell, COMMANDS.get(name, COMMANDS["inverse_dynamics"]))


def spoken(language: str) -> str:
    """The name of a language as people write it."""
    return _SPOKEN.get(language, language.capitalize())


class ModelView:
    """One command in one window."""

    def __init__(self, session: Session, shell: Shell, command: Command) -> None:
        self.session, self.shell, self.command = session, shell, command
        self.results = session.results
        self.fields = self.results.fields.setdefault(command.name, {})
        self.request: Request | None = None
        self.shown: Shown | None = None
        self.language = shell.language
        self.tab = "equations"
        self.job: PageJob | None = None
        self.levels: dict[str, Counts | None] = {}
        self.numbers: dict[str, float] = {}
        self._counting: PageJob | None = None
        self._sources: dict[str, ShownCode] = {}
        self._head()
        with shell.body, block("mv"):
            with block("opt", "aside").props("data-panel=options"):
                with block("ofields"):
                    self._options = block("", style="display:flex;flex-direction:column;gap:12px")
                    self._operations = block("", style="display:flex;flex-direction:column")
                with block("obtn"):
                    self._button = block("")
            self._result = block("res", "section")
        self._draw_options()
        self._draw_button(False)
        reason = command_reason(command, session.robot)
        with self._result:
            if reason:
                empty("warning", f"{words(command.name)}: {reason}", command.sentence)
            else:
                empty(_SIGN.get(command.gives, "dynamic"), _NOTHING.get(command.gives, "Nothing yet"),
                      "Choose options, then generate", "Generate", self.generate)  # fmt: skip
        shell.on_key("ctrl+enter", self.generate, "Generate")
        shell.on_leave(self._stop_counting)
        shell.watch(self._heard)
        self._foot()
        self._come_back()

    # -------------------------------------------------------------------------------------------- frame

    def _head(self) -> None:
        self.shell.head.clear()
        shown = self.shown
        with self.shell.head:
            text(shown.title if shown else words(self.command.name), "el", "h1")
            about = shown.about if shown else self.command.sentence
            text(about, "mut el").props["title"] = self.command.sentence
            block("grow")
            if shown is not None:
                text(f"Generated in {shown.seconds:.2f} s", "mut sm nw hide-t")
                button(
                    "Compare", lambda: self.shell.go("history", command=self.command.name), sign="history", kind="ghost"
                )
                self._download_menu(shown)

    def _download_menu(self, shown: Shown) -> None:
        entries: list[tuple[str, str, Any]] = []
        for name, data in shown.files.items():
            entries.append((name, _size(len(data)), lambda name=name, data=data: _give(name, data)))
        if shown.languages:
            for language in dict.fromkeys((self.language, *shown.languages)):
                if language in shown.languages:
                    entries.append(
                        (spoken(language), "", lambda language=language: self._do(self._give_code(language)))
                    )
            entries.append(("All languages", ".zip", lambda: self._do(self._give_all())))
        elif shown.text:
            entries.append(("Text", ".txt", lambda: _give(f"{self.session.robot.name}_{self.command.word}.txt",
                                                          shown.text.encode())))  # fmt: skip
        if shown.names:
            entries.append(("Table", ".csv", lambda: _give(f"{self.command.word}.csv", _csv(shown))))
        if len(shown.files) > 1:
            entries.append(("All files", ".zip", lambda: _give(f"{self.command.word}.zip", _zipped(shown.files))))
        if entries:
            with button("Download", sign="download", after="down"):
                drop_menu(entries)

    def _foot(self) -> None:
        self.shell.foot.clear()
        with self.shell.foot, block("status"):
            if self.request is not None and not self.results.is_current(self.request):
                with block("se", "span"):
                    icon("warning")
                    text("The robot has changed since this was generated")
            for remark in (self.shown.remarks if self.shown else [])[:1]:
                text(remark, "el")
            text(f"{self.session.robot.name}, {len(self.session.robot.joint_names)} joints")
            block("grow")
            with block("sk", "span"):
                text("Ctrl \u21b5", tag="kbd")
                text("generate")

    def _draw_options(self) -> None:
        groups = [group.name for group in self.shown.inputs] if self.shown and not self.fields.get("derivative") else []
        self._drawn_for = groups
        self._options.clear()
        with self._options:
            panel = OptionPanel(self.command, self.session.robot, self.fields, groups, self._option_changed)
            panel.draw()
        self._drawn_optimized = panel.is_optimized
        self._panel = panel
        if "base_parameters" in panel.hints and not panel.hints["base_parameters"].text:
            self._do(self._hint_base(panel))
        self.shell.client.run_javascript("robosym.tex()")

    def _option_changed(self) -> None:
        """How the optimizer works is asked where a level is chosen."""
        if self._panel.is_optimized is not self._drawn_optimized:
            self._draw_options()

    async def _hint_base(self, panel: OptionPanel) -> None:
        """Below the switch: 40 of 66; counted once for a robot."""
        kept: dict[Any, str] = self.results.kept.setdefault("base", {})
        told = self.results.subject()
        if told not in kept:
            try:
                kept[told] = await asyncio.wrap_future(self.results.base_count().future)
            except Error:
                kept[told] = ""
        hint = panel.hints["base_parameters"]
        if not hint.is_deleted and not hint.text:
            hint.set_text(kept[told])

    def _draw_button(self, busy: bool) -> None:
        self._button.clear()
        with self._button:
            made = button("Generating" if busy else "Generate", self.generate, kind="pri",
                          key="" if busy else "Ctrl \u21b5",
                          enabled=not busy and not command_reason(self.command, self.session.robot))  # fmt: skip
            if busy:
                with made:
                    block("spin")

    # ---------------------------------------------------------------------------------------- generating

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        background_tasks.create(work)

    def _is_here(self) -> bool:
        return not self._result.is_deleted

    def _heard(self, what: str) -> None:
        """The tables have changed: what is shown is of the robot as it was."""
        if what == "document":
            self._foot()
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

    def generate(self) -> None:
        """Do what the options say; the page goes on living."""
        if self.job is not None and not self.job.is_over:
            return
        try:
            request = self.results.request(self.command.name, self.fields)
        except Error as error:
            self.shell.notify(str(error), "error")
            return
        reason = command_reason(self.command, self.session.robot)
        if reason:
            self.shell.notify(f"{words(self.command.name)}: {reason}", "error")
            return
        shown = self.results.last(request)
        if shown is not None:
            self._show(request, shown)
            return
        self._stop_counting()
        self.session.store()
        self.job = self.results.start(request, self.language)
        self._do(self._wait(request, self.job))

    async def _wait(self, request: Request, job: PageJob) -> None:
        future = asyncio.wrap_future(job.future)
        try:
            shown = await asyncio.wait_for(asyncio.shield(future), _SPINNER)
        except asyncio.TimeoutError:
            if self._is_here():
                self._draw_button(True)
            shown = await self._or_nothing(future)
        except Error as error:
            shown = None
            self._fail(error)
        if self._is_here():
            self._draw_button(False)
            if shown is not None:
                if job.remarks:
                    shown.remarks.extend(one for one in job.remarks if one not in shown.remarks)
                self._show(request, shown)

    async def _or_nothing(self, future: Any) -> Any:
        try:
            return await future
        except Error as error:
            self._fail(error)
            return None

    def _fail(self, error: Error) -> None:
        if not self._is_here():
            return
        if isinstance(error, Cancelled):
            self.shell.notify("Cancelled")
            return
        self._result.clear()
        with self._result, block("unmade"):
            icon("warning")
            text(f"{words(self.command.name)} cannot be made with these options", "b", "div")
            text(str(error), "sec", "div")
            if getattr(error, "trace", ""):
                text(error.trace, "mono xs", "div")  # type: ignore[attr-defined]
            button("Change the options", lambda: self.shell.client.run_javascript(
                "document.querySelector('.opt input, .opt select, .opt button').focus()"))  # fmt: skip

    # ------------------------------------------------------------------------------------------- results

    def _show(self, request: Request, shown: Shown) -> None:
        self.request, self.shown = request, shown
        self._sources = dict(shown.sources)
        self._result.clear()
        with self._result:
            if shown.gives == "model":
                self._model(shown)
            elif shown.gives == "solution":
                self._solution(shown)
            elif shown.gives == "numbers":
                self._table([(name, "num") for name in shown.names],
                            [[_number(value) for value in row] for row in shown.rows], shown.remarks)  # fmt: skip
            elif shown.cells:
                last = len(shown.heads) - 1
                self._table([(head, "mono wr" if at == last else "mono") for at, head in enumerate(shown.heads)],
                            shown.cells, shown.remarks)  # fmt: skip
            elif shown.gives == "drawing":
                with block("pic-out"):
                    data = base64.b64encode(shown.picture.encode()).decode()
                    ui.element("img").props["src"] = f"data:image/svg+xml;base64,{data}"
            elif shown.gives == "files":
                self._table([("File", "mono"), ("Size", "num")],
                            [[name, _size(len(data))] for name, data in shown.files.items()], [])  # fmt: skip
            else:
                self._plain(shown)
            self._same = block("same")
        self._draw_same()
        self._head()
        self._foot()
        if shown.gives == "model" and self._drawn_for != [group.name for group in shown.inputs]:
            self._draw_options()
        self._draw_operations()
        if shown.counts is not None:
            self._count_levels()
        self.shell.client.run_javascript("robosym.tex()")

    def _draw_same(self) -> None:
        """The command line and the Python of what is shown."""
        assert self.shown is not None and self.request is not None
        source = self._sources.get(self.language)
        line, python, program = (
            (source.line, source.python, source.program)
            if source is not None and self.shown.languages
            else (self.shown.line, self.shown.python, self.shown.program)
        )
        self._same.clear()
        with self._same:
            same_lines((("Command line", line, line), ("Python", python, program)))
            if not self.request.is_named:
                text(f"The robot is not saved: both read {self.request.robot}, as Save as writes it", "mut xs")
            if "--optimize 0" in line and not self.request.values.get("optimize"):
                text("--optimize 0 writes the equations that are shown; without it a file of this language has the "
                     "form that runs fastest", "mut xs el", "div")  # fmt: skip

    def _tab(self, key: str, label: str, chosen: bool, action: Any) -> None:
        made = text(label, "on" if chosen else "", "a").props("tabindex=0 role=tab")
        made.props["aria-selected"] = str(chosen).lower()
        made.on("click", lambda: action(key))
        made.on("keydown.enter", lambda: action(key))

    def _search(self) -> None:
        with block("finder", "label"):
            icon("search")
            field = ui.element("input").props("placeholder=Search spellcheck=false type=text")
            field.props["aria-label"] = "Search equations and code"
            field.on("input", js_handler="(e) => robosym.find(e.target.value.trim(), 0, e.target)")
            field.on(
                "keydown.enter", js_handler="(e) => robosym.find(e.target.value.trim(), e.shiftKey ? -1 : 1, e.target)"
            )
            text("", "n-hits")

    def _model(self, shown: Shown) -> None:
        with block("panes"):
            with block("", "section"):
                self._left_tabs = block("tabs")
                self._left = block("", style="flex:1;min-height:0;display:flex;flex-direction:column")
            with block("", "section"):
                self._code_tabs = block("tabs")
                self._code = CodeText()
        self._draw_left(self.tab)
        self._draw_code_tabs()
        self._show_code()

    def _draw_left(self, tab: str) -> None:
        assert self.shown is not None
        self.tab = tab
        shown = self.shown
        self._left_tabs.clear()
        with self._left_tabs:
            self._tab("equations", "Equations", tab == "equations", self._draw_left)
            if shown.text:
                self._tab("words", "In words", tab == "words", self._draw_left)
            self._tab("values", "Values", tab == "values", self._draw_left)
            with block("end"):
                if tab == "values":
                    button("Zero", lambda: self._set_all(0.0), kind="ghost s", title="All inputs zero")
                    button("Random", lambda: self._set_all(None), kind="ghost s", title="Random inputs")
                else:
                    self._search()
                    copy = button(sign="copy", kind="ghost s ico", title="Copy the equations")
                    copy.on("click", js_handler="() => robosym.copyPart('.eqp')")
        self._left.clear()
        with self._left:
            if tab == "values":
                self._values(shown)
            elif tab == "words":
                CodeText().classes("plain").show(shown.text, "text")
            else:
                EquationList().show(shown.sections)

    # ---------------------------------------------------------------------------------------------- code

    def _draw_code_tabs(self) -> None:
        assert self.shown is not None
        languages = self.shown.languages
        first = [language for language in _TABS if language in languages]
        if self.language in languages and self.language not in first:
            first[-1:] = [self.language]
        rest = [language for language in languages if language not in first]
        self._code_tabs.clear()
        with self._code_tabs:
            for language in first:
                self._tab(language, spoken(language), language == self.language, self._choose_language)
            if rest:
                with block("", "a").props("tabindex=0 role=button"):
                    text("More")
                    icon("down")
                    drop_menu([(spoken(one), "", partial(self._choose_language, one)) for one in rest])
            with block("end"):
                copy = button(sign="copy", kind="ghost s ico", title="Copy the code")
                copy.on(
                    "click",
                    js_handler="() => robosym.copyPart('.panes section:last-child .code')",
                )
                button(sign="download", kind="ghost s ico", title="Download this file",
                       on_click=lambda: self._do(self._give_code(self.language)))  # fmt: skip

    def _choose_language(self, language: str) -> None:
        self.language = language
        self.shell.language = language
        self._draw_code_tabs()
        self._show_code()

    def _show_code(self) -> None:
        assert self.shown is not None
        if self.language not in self.shown.languages:
            self.language = "listing" if "listing" in self.shown.languages else self.shown.languages[0]
        known = self._sources.get(self.language)
        if known is not None:
            self._code.show(known.text, known.language)
        else:
            self._do(self._fetch_code(self.language))

    async def _fetch_code(self, language: str) -> None:
        try:
            source = await self._source(language)
        except Error as error:
            if self._is_here():
                self._code.show(str(error), "text")
            return
        if self._is_here() and self.language == language:
            self._code.show(source.text, source.language)
            self._draw_same()

    async def _source(self, language: str) -> ShownCode:
        assert self.request is not None and self.shown is not None
        if language not in self._sources:
            request, shown = self.request, self.shown
            found: ShownCode = await asyncio.wrap_future(self.results.code(request, shown, language).future)
            if request is self.request:
                self._sources[language] = found
                shown.sources[language] = found
            return found
        return self._sources[language]

    async def _give_code(self, language: str) -> None:
        try:
            source = await self._source(language)
        except Error as error:
            self.shell.notify(str(error), "error")
            return
        with self.shell.client:
            if source.beside:
                _give(f"{source.file}.zip", _zipped({source.file: source.text.encode(),
                                                     **{n: t.encode() for n, t in source.beside.items()}}))  # fmt: skip
            else:
                _give(source.file, source.text.encode())

    async def _give_all(self) -> None:
        assert self.shown is not None
        files: dict[str, bytes] = {}
        for language in self.shown.languages:
            try:
                source = await self._source(language)
            except Error:  # a language that does not have this
                continue
            files[source.file] = source.text.encode()
            files.update({name: body.encode() for name, body in source.beside.items()})
        with self.shell.client:
            _give(f"{self.session.robot.name}_{self.command.word}.zip", _zipped(files))

    # ---------------------------------------------------------------------------------- other kinds of results

    def _solution(self, shown: Shown) -> None:
        with block("panes" if shown.languages else "panes one"):
            with block("", "section"):
                with block("tabs"):
                    self._tab("words", "In words", True, lambda key: None)
                CodeText().classes("plain").show(shown.text, "text")
            if shown.languages:
                with block("", "section"):
                    self._code_tabs = block("tabs")
                    self._code = CodeText()
        if shown.languages:
            self._draw_code_tabs()
            self._show_code()

    def _plain(self, shown: Shown) -> None:
        with block("panes one"), block("", "section"):
            with block("tabs"):
                self._tab("text", "Result", True, lambda key: None)
                with block("end"):
                    self._search()
                    copy = button(sign="copy", kind="ghost s ico", title="Copy the text")
                    copy.on("click", js_handler="() => robosym.copyPart('.code')")
            CodeText().classes("plain").show(shown.text, "yaml" if self.command.gives == "description" else "text")

    def _table(self, heads: list[tuple[str, str]], rows: list[list[str]], remarks: list[str]) -> None:
        with block("nt"):
            with block("", "table"):
                with block("", "thead"), block("", "tr"):
                    for head, kind in heads:
                        text(head, kind.replace("mono", "").replace("wr", ""), "th")
                with block("", "tbody"):
                    for row in rows[:2000]:
                        with block("", "tr"):
                            for cell, (_, kind) in zip(row, heads, strict=True):
                                text(cell, f"{kind}{' z' if cell == '0' else ''}", "td")
            for remark in remarks:
                text(remark, "sec sm", "p", "padding:10px 16px 0")

    # ------------------------------------------------------------------------------------------ operations

    def _draw_operations(self) -> None:
        self._operations.clear()
        shown = self.shown
        if shown is None or shown.counts is None:
            return
        counts = shown.counts
        with self._operations:
            block("rule", style="margin-bottom:12px")
            with block("row", style="margin-bottom:8px"):
                text("Operations", tag="h2")
                block("grow")
                text("without sin, cos", "mut sm")
            with block("counted"):
                text(str(counts.total), "total-n")
                with block():
                    text(f"{counts.additions} additions, {counts.multiplications} products", "sec sm", "div")
                    text(f"and {counts.functions} functions; {counts.online} on line", "mut sm", "div")
            if any(option.use == "function" for option in self.command.options):
                self._draw_levels(counts)

    def _draw_levels(self, counts: Counts) -> None:
        option = next(option for option in self.command.options if option.use == "function")
        chosen = str(self.request.values.get(option.name, option.default or "")) if self.request else ""
        chosen = "max" if chosen == "3" else chosen
        self.levels[chosen] = counts
        known = [one.total for one in self.levels.values() if one is not None]
        most = max([counts.total, *known, 1])
        for level, label in (("", "Plain"), ("1", "Level 1"), ("2", "Level 2"), ("max", "Max")):
            if level == "" and option.default is not None:
                level = "0"
            here = self.levels.get(level)
            made = ui.element("button").classes(f"lv{' on' if level == chosen else ''}").props("type=button")
            made.props["title"] = f"Generate at {label.lower()}" if level != chosen else "This is shown"
            made.on("click", lambda level=level: self._at_level(option.name, level))
            with made:
                text(label)
                with block("t", "span"):
                    if here is not None:
                        block(tag="i", style=f"width:{100 * here.online / most:.1f}%")
                        left, width = 100 * here.online / most, 100 * (here.total - here.online) / most
                        block(tag="u", style=f"left:{left:.1f}%;width:{width:.1f}%")
                text(str(here.total) if here is not None else "\u2013", "num" if here else "num wait")
        with block("keyl"):
            with block(tag="span"):
                block(tag="i")
                text("on line")
            with block(tag="span"):
                block("l", "i")
                text("once per set of parameters")

    def _at_level(self, name: str, level: str) -> None:
        if level:
            self.fields[name] = level
        else:
            self.fields.pop(name, None)
        self._draw_options()
        self.generate()

    def _stop_counting(self) -> None:
        if self._counting is not None and not self._counting.is_over:
            self.results.jobs.cancel(self._counting.number)

    def _count_levels(self) -> None:
        """The counts at other levels, one after the other, while the page is looked at."""
        assert self.request is not None and self.shown is not None and self.shown.counts is not None
        plain = self.request.with_values(optimize=None, level=None, goal=None, budget=None).key
        if getattr(self, "_plain_key", "") != plain:
            self._plain_key = plain
            self.levels = {}
            self._draw_operations()
        if self.shown.counts.total <= _COUNTED and self.command.name != "optimize":
            self._do(self._count(self.request, self.shown))

    async def _count(self, request: Request, shown: Shown) -> None:
        for level in ("", "1", "2", "max"):
            if self.levels.get(level) is not None or not self._is_here() or self.request is not request:
                continue
            self._counting = self.results.counts(request, shown, level)
            try:
                counts = await asyncio.wrap_future(self._counting.future)
            except Error:
                return
            if self._is_here() and self.request is request:
                self.levels[level] = counts
                self._draw_operations()

    # ----------------------------------------------------------------------------------------------- values

    def _values(self, shown: Shown) -> None:
        table = ValueTable(
            lambda values, over: self._do(self._evaluate(values, over)),
            lambda name, values: self._do(self._plot_over(name, values)),
        )
        self._value_table = table
        self._plot_box = block("")
        self._over = ""
        start = {
            name: 0.0 if group.name in ("q", "qd", "qdd", "tau", "wrench") else 9.81 if group.name == "gravity" else 1.0
            for group in shown.inputs
            for name in group.names
        }
        table.show(shown.inputs, shown.outputs, {**start, **self.numbers})

    def _set_all(self, value: float | None) -> None:
        from random import Random

        draw = Random()
        assert self.shown is not None
        names = [name for group in self.shown.inputs for name in group.names]
        self._value_table.set({name: round(draw.uniform(-1, 1), 3) if value is None else value for name in names})

    async def _evaluate(self, values: dict[str, float], over: str) -> None:
        assert self.request is not None and self.shown is not None
        self.numbers.update(values)
        try:
            found = await asyncio.wrap_future(self.results.evaluated(self.request, self.shown, values).future)
        except Error as error:
            self.shell.notify(str(error), "error")
            return
        if self._is_here() and self.tab == "values":
            self._value_table.answer(found)
            if over:
                await self._draw_plot()

    async def _plot_over(self, name: str, values: dict[str, float]) -> None:
        self._over = name
        self.numbers.update(values)
        self._plot_box.clear()
        if not name:
            return
        assert self.shown is not None
        outputs = [one for group in self.shown.outputs for one in group.names]
        self._range = (-3.1416, 3.1416) if name.startswith(("t", "q")) else (-1.0, 1.0)
        self._plotted = outputs[:6] if len(outputs) <= 12 else outputs[:1]
        with self._plot_box, block("vplot"):
            with block("row", style="height:28px;flex:none"):
                self._output_choice(outputs)
                text(f"over {name} from", "sec sm nw")
                for at in (0, 1):
                    if at:
                        text("to", "sec sm")
                    field = ui.element("input").classes("field rng").props("inputmode=decimal")
                    field.props["^value"] = f"{self._range[at]:g}"
                    field.on("change", lambda event, at=at: self._do(self._set_range(at, event.args)),
                             js_handler="(e) => emit(e.target.value)")  # fmt: skip
                block("grow")
                button(sign="cross", kind="ghost s ico", title="Close the plot",
                       on_click=lambda: self._do(self._plot_over("", {})))  # fmt: skip
            self._plot = LinePlot()
        await self._draw_plot()

    def _output_choice(self, outputs: list[str]) -> None:
        made: Element = ui.element("select").classes("field sel").style("width:150px;height:26px")
        made.props["aria-label"] = "Output"
        made.on("change", lambda event: self._do(self._choose_output(event.args, outputs)),
                js_handler="(e) => emit(e.target.value)")  # fmt: skip
        with made:
            if len(outputs) <= 12:
                text("All outputs" if len(outputs) <= 6 else "First six", tag="option").props["value"] = ""
            for name in outputs:
                text(name, tag="option").props["value"] = name

    async def _choose_output(self, name: str, outputs: list[str]) -> None:
        self._plotted = [name] if name else outputs[:6]
        await self._draw_plot()

    async def _set_range(self, at: int, given: str) -> None:
        try:
            value = float(given.replace("\u2212", "-").replace(",", "."))
        except ValueError:
            self.shell.notify(f"expected a number, found {given[:40]!r}", "error")
            return
        self._range = (value, self._range[1]) if at == 0 else (self._range[0], value)
        await self._draw_plot()

    async def _draw_plot(self) -> None:
        assert self.request is not None and self.shown is not None
        low, high = self._range
        points = [low + (high - low) * k / (_POINTS - 1) for k in range(_POINTS)]
        try:
            job = self.results.swept(self.request, self.shown, self.numbers, self._over, points)
            found = await asyncio.wrap_future(job.future)
        except Error as error:
            self.shell.notify(str(error), "error")
            return
        if not self._is_here() or not self._over:
            return
        series = [{"name": name, "points": [[x, y] for x, y in zip(points, found[name], strict=True)]}
                  for name in self._plotted]  # fmt: skip
        self._plot.show({"x": self._over, "series": series, "at": self.numbers.get(self._over)})


_SIGN = {"model": "dynamic", "numbers": "identification", "drawing": "robot", "files": "file", "text": "file"}
_NOTHING = {
    "model": "No model yet", "solution": "No solution yet", "drawing": "No picture yet", "files": "No files yet",
}  # fmt: skip


def _give(name: str, data: bytes) -> None:
    ui.download.content(data, name)


def _zipped(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


def _csv(shown: Shown) -> bytes:
    lines = [",".join(shown.names), *(",".join(map(repr, row)) for row in shown.rows)]
    return ("\n".join(lines) + "\n").encode()


def _number(value: float) -> str:
    return f"{value:.6g}".replace("-", "\u2212")


def _size(count: int) -> str:
    return f"{count} bytes" if count < 1000 else f"{count / 1000:.1f} kB"
