"""The options of a command as fields, generated from the menu table."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from nicegui import ui
from nicegui.element import Element

from robosym.app.menus import CODE, Argument, Command, Option
from robosym.app.page.law_fields import LawFields
from robosym.app.page.uploads import FileDrop
from robosym.app.page.widgets import block, emptied, field, label_of, segments, select, switch, text, turn
from robosym.errors import Error
from robosym.mechanism import Robot
from robosym.mechanism.end_frame import end_frame
from robosym.mechanism.kinds import has

__all__ = ["OptionPanel", "preset"]

#: rarely used options, collapsed
_MORE = (
    "goal", "budget", "gradient", "set", "add_frame", "inputs", "xacro", "floating", "at", "time_limit",
    *(o.name for o in CODE),
)  # fmt: skip
_LAST = ("optimize", "level", "derivative", "select")  #: below the options of the model itself
_AS_IN_PICTURE = (("simulate", "q"), ("simulate", "reference"))  #: positions that the picture gives
_FILE_HINT = {"write": "name.yaml, name.csv", "report": "report.html", "plot": "plot.html", "animate": "motion.html"}
_TEX = {"q": "q", "qd": r"\dot q", "qdd": r"\ddot q", "tau": r"\Gamma"}
_MOST_BYTES = 200_000_000  #: maximum size of an uploaded file


class OptionPanel:
    """Draws the fields of a command and holds their contents."""

    def __init__(
        self,
        command: Command,
        robot: Robot,
        fields: dict[str, Any],
        groups: Sequence[str],
        changed: Callable[[], Any] = lambda: None,
    ) -> None:
        self.command, self.robot, self.fields, self.changed = command, robot, fields, changed
        self.groups = groups or ("q", "qd", "qdd", "parameters")
        self.wrong = ""  #: the name of the option that must be corrected
        self._with_level: Element | None = None  #: the options of the optimizer, shown once a level is chosen
        self._blocks: dict[str, Element] = {}  #: the fields by option
        self._chip_rows: list[tuple[Option, Element]] = []
        self.hints: dict[str, Any] = {}  #: texts below the labels of flags, by name

    def draw(self) -> None:
        """Draw all fields in the current element."""
        arguments = [argument for argument in self.command.arguments if argument.name not in ("robot", "output")]
        shown = [option for option in self.command.options if option.name not in ("output", "language")]
        levels = {option.keyword for option in shown if option.use == "function"}
        with_level = [option for option in shown if option.use == "with" and option.keyword in levels]
        own = [option for option in shown if option.name not in (*_MORE, *_LAST) and option not in with_level]
        reasons = {option.name: self.command.option_reason(option, self.robot) for option in shown}
        first = [option for option in own if not reasons[option.name] or option.kind == "flag"]
        last = [option for name in _LAST for option in shown if option.name == name]
        rest = [option for option in shown if option not in (*first, *last, *with_level)]
        preset(self.command, self.robot, self.fields)
        text("Options", tag="h2")
        for argument in arguments:
            self._argument(argument)
        for option in [*first, *last]:
            self._option(option, reasons[option.name])
            if option.use == "function":
                with block() as self._with_level:
                    self.draw_some(with_level)
                self._with_level.set_visibility(self.is_optimized)
        if rest:
            self.draw_folded(rest, not first + last)

    @property
    def is_optimized(self) -> bool:
        """Whether an optimizer level is chosen."""
        level = next((option for option in self.command.options if option.use == "function"), None)
        return level is not None and str(self.fields.get(level.name) or level.default or "0") != "0"

    def draw_some(self, options: Sequence[Option]) -> None:
        """Draw the fields of these options."""
        for option in options:
            self._option(option, self.command.option_reason(option, self.robot))

    def draw_folded(self, options: Sequence[Option], is_open: bool = False) -> None:
        """Draw the fields of these options in a collapsed section; those that do not apply come last."""
        reasons = {option.name: self.command.option_reason(option, self.robot) for option in options}
        is_open = is_open or any(self.fields.get(one.name) or one.name == self.wrong for one in options)
        with block("more-opt", "details", open=True if is_open else None):
            with block("", "summary"):
                text("More options", "m")
                text(str(len(options)), "mut xs")
            with block("in-more"):
                for option in sorted(options, key=lambda one: bool(reasons[one.name])):
                    self._option(option, reasons[option.name])

    def _set(self, name: str, value: Any) -> None:
        if value in (None, "", False, []):
            self.fields.pop(name, None)
        else:
            self.fields[name] = value
        if self._with_level is not None:  # shown and hidden in place, since redrawing the panel could lose a click
            self._with_level.set_visibility(self.is_optimized)
        self.changed()

    # ------------------------------------------------------------------------------ arguments

    def _argument(self, argument: Argument) -> None:
        if argument.kind == "frame":
            applicable = self.command.applicable(self.robot)
            if argument.optional and applicable is not None and argument.name not in applicable:
                return
            with self._line(label_of(argument.name), argument.help):
                self._frame_choice(argument.name, "")
        elif argument.kind == "file":
            with self._stacked(label_of(argument.name), argument.help):
                self._file(argument.name, False)
        else:
            with self._stacked(label_of(argument.name), argument.help):
                self._input(argument.name, argument.help)

    def _frames(self) -> list[tuple[int, str]]:
        names = [getattr(frame, "name", "") or "" for frame in self.robot.frames]
        return [(-1, "world"), (0, "base"), *((j, name) for j, name in enumerate(names, 1))]

    def _frame_choice(self, name: str, none: str) -> None:
        choices = {str(j): f"{j}  {name}".strip() for j, name in self._frames()}
        self._select(name, {**({"": none} if none else {}), **choices})

    # -------------------------------------------------------------------------------- options

    def _option(self, option: Option, reason: str) -> None:
        with block("wrong" if option.name == self.wrong else "", data_option=option.name) as made:
            self._fields_of(option, reason)
        self._blocks[option.name] = made

    def mark(self, wrong: str) -> None:
        """Mark the field that must be corrected; fields are not redrawn, so that no key is lost that is being typed."""
        for name, made in self._blocks.items():
            made.classes(**({"add": "wrong"} if name == wrong else {"remove": "wrong"}))
        if wrong in self._blocks:
            fold = f"document.querySelector('[data-option={wrong}]')?.closest('details.more-opt')"
            self._blocks[wrong].client.run_javascript(f"{fold}?.setAttribute('open', '')")

    def _fields_of(self, option: Option, reason: str) -> None:
        label, help_text = option.label or label_of(option.name), option.text()
        if option.kind == "flag":
            with block("r", title=help_text):
                with block("grow" + (" mut" if reason else ""), "span"):
                    _explained(label, help_text, "span")
                    self.hints[option.name] = text(reason, "xs" if reason else "mut xs", "div")
                on = bool(self.fields.get(option.name)) and not reason
                switch(on, partial(self._set, option.name), label, not reason)
            return
        if reason:
            with block("r", title=help_text), block("grow mut", "span"):
                text(label)
                text(reason, "xs", "div")
            return
        offered = option.offered()
        if option.use == "function":
            plain = "" if option.default is None else "0"  # without a level the page shows the model as generated
            levels = {c: c.capitalize() for c in offered if c not in ("0", "3")}
            self._segments(option, label, help_text, {plain: "Plain", **levels})
        elif option.name in ("derivative", "gradient"):
            self._chips(option, label, help_text)
        elif option.kind in ("yes or no", "friction"):
            more = {"smooth": "Smooth"} if option.kind == "friction" else {}
            none = {"": "Default"} if option.default is None else {}
            self._segments(option, label, help_text, {**none, "yes": "Yes", "no": "No", **more})
        elif offered and option.default is not None and len(offered) <= 5 and sum(map(len, offered)) <= 24:
            self._segments(option, label, help_text, {c: c.capitalize() for c in offered})
        elif offered:
            none = {} if option.default is not None else {"": "default"}
            with self._line(label, help_text):
                self._select(option.name, {**none, **{c: c for c in offered}}, str(option.default or ""))
        elif option.kind == "law":
            with self._stacked(label, "Law of the torques. A gain is one number, or one per joint after spaces."):
                LawFields(str(self.fields.get(option.name) or ""), partial(self._set, option.name))
        elif option.kind == "frame":
            with self._line(label, help_text):
                self._frame_choice(option.name, "default" if option.default is None else "")
        elif option.kind == "file" and not option.written:
            with self._stacked(label, help_text):
                self._file(option.name, False)
        elif option.kind == "texts" and option.metavar == "FILE" and not option.written:
            with self._stacked(label, help_text):
                self._file(option.name, True)
        elif option.kind in ("number", "quantity"):
            with self._line(label, help_text):
                self._input(option.name, "default", option)
        else:
            with self._stacked(f"{label} to a file" if option.written else label, help_text):
                self._input(option.name, _FILE_HINT.get(option.name, "name of the file") if option.written
                            else "as in the picture" if (self.command.name, option.name) in _AS_IN_PICTURE
                            else _example(option), option)  # fmt: skip

    def _line(self, label: str, help_text: str) -> Element:
        with block("r", title=help_text) as row, block("grow", "span"):
            _explained(label, help_text, "span")
        return row

    def _stacked(self, label: str, help_text: str) -> Element:
        with block("st", title=help_text) as made, block("lab"):
            _explained(label, help_text)
        return made

    def _segments(self, option: Option, label: str, help_text: str, choices: dict[str, str]) -> None:
        chosen = str(self.fields.get(option.name) or option.default or "")
        with self._stacked(label, help_text):
            segments(choices, chosen, lambda key: self._set(option.name, key), "full", label)

    def _chips(self, option: Option, label: str, help_text: str) -> None:
        with self._stacked(label, help_text), block("row chips") as row:
            self._fill_chips(option)
        self._chip_rows.append((option, row))

    def show_groups(self, groups: Sequence[str]) -> None:
        """Offer these input groups for derivatives."""
        self.groups = groups
        for option, row in self._chip_rows:
            with emptied(row):
                self._fill_chips(option)

    def _fill_chips(self, option: Option) -> None:
        chosen = list(self.fields.get(option.name) or [])
        for group in self.groups:
            tex, on = _TEX.get(group), group in chosen
            one = text("" if tex else group, f"chip{' on' * on}", "button", title=group, aria_pressed=on, data_tex=tex)
            one.on("click", lambda group=group, one=one: self._turn(option.name, group, one))

    def _turn(self, name: str, group: str, chip: Element) -> None:
        chosen = list(self.fields.get(name) or [])
        on = group not in chosen
        turn(chip, on)
        self._set(name, [*chosen, group] if on else [one for one in chosen if one != group])

    def _select(self, name: str, choices: dict[str, str], default: str = "") -> None:
        select(label_of(name), choices, str(self.fields.get(name, default)), partial(self._set, name))

    def _input(self, name: str, hint: str, option: Option | None = None) -> None:
        value = self.fields.get(name)
        if isinstance(value, list | tuple):
            value = f"{option.separator if option is not None else ','} ".join(map(str, value))
        default = option.default if option is not None else None
        hint = _brief(hint) if default is None else str(default)
        label = option.label if option is not None and option.label else label_of(name)
        field(label, "" if value is None else value, partial(self._set, name), hint)

    def _file(self, name: str, several: bool) -> None:
        """Draw a field for a local file, which is uploaded to a folder of its own."""

        def taken(path: Path) -> None:
            known = [*(self.fields.get(name) or [])] if several else []
            self._set(name, [*known, str(path)] if several else str(path))
            with emptied(box):
                drawn()

        def drawn() -> None:
            now = self.fields.get(name) or []
            files = [now] if isinstance(now, str) else list(now)
            for one in files:
                text(Path(one).name, "mono el", "div")
            files_of.button("Choose a file" if not files else "Another file")

        files_of = FileDrop(taken, partial(ui.notify, classes="note error"), "", _MOST_BYTES, False, several)
        with block("filebox") as box:
            drawn()


def _explained(label: str, help_text: str, tag: str = "div") -> None:
    """Draw a label with a button that shows the explanation of the option below it."""
    with block("about", "details"):
        with block("", "summary"):
            text(label, tag=tag)
            text("?", "help", aria_hidden=True)
        text(help_text, "mut t11", "div")


def preset(command: Command, robot: Robot, fields: dict[str, Any]) -> None:
    """Choose what is known from the start: the end of the arm as the frame, and the flags that the robot needs."""
    for option in command.options:
        if option.kind == "flag" and option.needed and has(robot, option.needed):
            fields.setdefault(option.name, True)
    applicable = command.applicable(robot)
    for argument in command.arguments:
        if argument.kind == "frame" and (not argument.optional or applicable is None or argument.name in applicable):
            fields.setdefault(argument.name, 0 if argument.name == "i" else _end(robot))


def _end(robot: Robot) -> int:
    """Return the end of the arm, or the last frame of the tree if there are several ends."""
    try:
        return end_frame(robot).number
    except Error:
        return robot.NL


def _example(option: Option) -> str:
    """Return the form of the value if the help of the command line has one, else the help."""
    return option.help if option.stand_in.isalpha() or not option.stand_in else option.stand_in


def _brief(hint: str) -> str:
    """Return an example if the help has one, else its first words."""
    if hint.startswith("Keep only"):
        return "GAM1, U12, \u2026"
    match = re.search(r": ([^:;()]*?\d[^:;()]*?)(?:;|\.$|$)", hint)
    return (match[1] if match else hint)[:44]
