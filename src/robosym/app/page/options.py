"""The options of a command as fields, made from the table of the menus: what is added there appears here."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from nicegui.element import Element

from robosym.app.menus import CODE, Argument, Command, Option
from robosym.app.menus.suited import option_reason
from robosym.app.page.uploads import hidden_upload
from robosym.app.page.widgets import block, button, field, segments, select, switch, text, turn
from robosym.mechanism import Robot

__all__ = ["OptionPanel"]

#: seldom wanted: folded
_MORE = ("goal", "budget", "gradient", "set", "add_frame", "inputs", "xacro", "floating", "at", *(o.name for o in CODE))
_LAST = ("optimize", "level", "derivative", "select")  #: below the options of the model itself
_FILE_HINT = {"write": "name.yaml, name.csv", "report": "report.html", "plot": "plot.html", "animate": "motion.html"}
_TEX = {"q": "q", "qd": r"\dot q", "qdd": r"\ddot q", "tau": r"\Gamma"}
_MOST_BYTES = 200_000_000  #: of a file that is handed over


class OptionPanel:
    """Draws the fields of a command and holds what stands in them."""

    def __init__(
        self, command: Command, robot: Robot, fields: dict[str, Any], groups: Sequence[str], changed: Callable[[], Any]
    ) -> None:
        self.command, self.robot, self.fields, self.changed = command, robot, fields, changed
        self.groups = groups or ("q", "qd", "qdd", "parameters")
        self.hints: dict[str, Any] = {}  #: what stands below the label of a flag, by its name

    def draw(self) -> None:
        """All fields, in the element that is open."""
        arguments = [argument for argument in self.command.arguments if argument.name not in ("robot", "output")]
        shown = [option for option in self.command.options if option.name not in ("output", "language")]
        own = [option for option in shown if option.name not in (*_MORE, *_LAST)]
        reasons = {option.name: option_reason(self.command, option, self.robot) for option in shown}
        first = [option for option in own if not reasons[option.name] or option.kind == "flag"]
        last = [option for name in _LAST for option in shown if option.name == name]
        if self.is_optimized:  # how, then, is asked beside the level
            at = next(place for place, option in enumerate(last) if option.use == "function") + 1
            last[at:at] = [option for option in shown if option.use == "with"]
        rest = [option for option in shown if option not in first and option not in last]
        text("Options", tag="h2")
        for argument in arguments:
            self._argument(argument)
        for option in [*first, *last]:
            self._option(option, reasons[option.name])
        if rest:
            self.draw_folded(rest, not first + last)

    @property
    def is_optimized(self) -> bool:
        """Whether a level of the optimizer is chosen."""
        level = next((option for option in self.command.options if option.use == "function"), None)
        return level is not None and str(self.fields.get(level.name) or level.default or "0") != "0"

    def draw_some(self, options: Sequence[Option]) -> None:
        """The fields of these options."""
        for option in options:
            self._option(option, option_reason(self.command, option, self.robot))

    def draw_folded(self, options: Sequence[Option], is_open: bool = False) -> None:
        """The fields of these options behind a line that opens; those that cannot apply come last."""
        reasons = {option.name: option_reason(self.command, option, self.robot) for option in options}
        with block("more-opt", "details") as fold:
            if is_open or any(self.fields.get(option.name) for option in options):
                fold.props["open"] = True
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
        self.changed()

    # ------------------------------------------------------------------------------ arguments

    def _argument(self, argument: Argument) -> None:
        if argument.kind == "frame":
            applicable = self.command.applicable(self.robot)
            if argument.optional and applicable is not None and argument.name not in applicable:
                return
            default = 0 if argument.name == "i" else self._frames()[-1][0]
            self.fields.setdefault(argument.name, default)
            with self._line(_words(argument.name), argument.help):
                self._frame_choice(argument.name, "")
        elif argument.kind == "file":
            with self._stacked(_words(argument.name), argument.help):
                self._file(argument.name, False)
        else:
            with self._stacked(_words(argument.name), argument.help):
                self._input(argument.name, argument.help)

    def _frames(self) -> list[tuple[int, str]]:
        names = [getattr(frame, "name", "") or "" for frame in self.robot.frames]
        return [(-1, "world"), (0, "base"), *((j, name) for j, name in enumerate(names, 1))]

    def _frame_choice(self, name: str, none: str) -> None:
        choices = {str(j): f"{j}  {said}".strip() for j, said in self._frames()}
        self._select(name, {**({"": none} if none else {}), **choices})

    # -------------------------------------------------------------------------------- options

    def _option(self, option: Option, reason: str) -> None:
        label, said = option.label or _words(option.name), option.text()
        if option.kind == "flag":
            with block("r") as row:
                row.props["title"] = said
                with block("grow" + (" mut" if reason else ""), "span"):
                    text(label)
                    self.hints[option.name] = text(reason, "xs" if reason else "mut xs", "div")
                on = bool(self.fields.get(option.name)) and not reason
                switch(on, partial(self._set, option.name), label, not reason)
            return
        if reason:
            with block("r") as row:
                row.props["title"] = said
                with block("grow mut", "span"):
                    text(label)
                    text(reason, "xs", "div")
            return
        offered = option.offered()
        if option.use == "function":
            plain = "" if option.default is None else "0"  # the page shows the model as it is where no level is given
            levels = {c: c.capitalize() for c in offered if c not in ("0", "3")}
            self._segments(option, label, said, {plain: "Plain", **levels})
        elif option.name in ("derivative", "gradient"):
            self._chips(option, label, said)
        elif option.kind in ("yes or no", "friction"):
            more = {"smooth": "Smooth"} if option.kind == "friction" else {}
            self._segments(option, label, said, {"": "Default", "yes": "Yes", "no": "No", **more})
        elif offered and option.default is not None and len(offered) <= 5 and sum(map(len, offered)) <= 24:
            self._segments(option, label, said, {c: c.capitalize() for c in offered})
        elif offered:
            none = {} if option.default is not None else {"": "default"}
            with self._line(label, said):
                self._select(option.name, {**none, **{c: c for c in offered}}, str(option.default or ""))
        elif option.kind == "frame":
            with self._line(label, said):
                self._frame_choice(option.name, "default" if option.default is None else "")
        elif option.kind == "file" and not option.written:
            with self._stacked(label, said):
                self._file(option.name, False)
        elif option.kind == "texts" and option.metavar == "FILE" and not option.written:
            with self._stacked(label, said):
                self._file(option.name, True)
        elif option.kind in ("number", "decimal"):
            with self._line(label, said):
                self._input(option.name, "default", option)
        else:
            with self._stacked(f"{label} to a file" if option.written else label, said):
                self._input(option.name, _FILE_HINT.get(option.name, "name of the file") if option.written
                            else _example(option), option)  # fmt: skip

    def _line(self, label: str, said: str) -> Element:
        row = block("r")
        row.props["title"] = said
        with row:
            text(label, "grow")
        return row

    def _stacked(self, label: str, said: str) -> Element:
        made = block("st")
        made.props["title"] = said
        with made:
            text(label, "lab", "div")
        return made

    def _segments(self, option: Option, label: str, said: str, choices: dict[str, str]) -> None:
        chosen = str(self.fields.get(option.name) or option.default or "")
        with self._stacked(label, said):
            segments(choices, chosen, lambda key: self._set(option.name, key), "full", label)

    def _chips(self, option: Option, label: str, said: str) -> None:
        chosen = list(self.fields.get(option.name) or [])
        with self._stacked(label, said), block("row chips"):
            for group in self.groups:
                one = text("" if group in _TEX else group, f"chip{' on' if group in chosen else ''}", "button")
                one.props("type=button")
                one.props["aria-label"] = group
                one.props["aria-pressed"] = str(group in chosen).lower()
                if group in _TEX:
                    one.props["data-tex"] = _TEX[group]
                one.on("click", lambda group=group, one=one: self._turn(option.name, group, one))

    def _turn(self, name: str, group: str, chip: Element) -> None:
        chosen = list(self.fields.get(name) or [])
        on = group not in chosen
        turn(chip, on)
        self._set(name, [*chosen, group] if on else [one for one in chosen if one != group])

    def _select(self, name: str, choices: dict[str, str], default: str = "") -> None:
        select(_words(name), choices, str(self.fields.get(name, default)), partial(self._set, name))

    def _input(self, name: str, hint: str, option: Option | None = None) -> None:
        value = self.fields.get(name)
        if isinstance(value, list | tuple):
            value = ("; " if option is not None and option.metavar else ", ").join(map(str, value))
        default = option.default if option is not None else None
        hint = _brief(hint) if default is None else str(default)
        field(_words(name), "" if value is None else value, partial(self._set, name), hint)

    def _file(self, name: str, several: bool) -> None:
        """A file of the user's computer: it is handed over, and lies in a folder of its own."""

        async def taken(path: Path) -> None:
            known = [*(self.fields.get(name) or [])] if several else []
            self._set(name, [*known, str(path)] if several else str(path))
            box.clear()
            with box:
                drawn()

        def drawn() -> None:
            now = self.fields.get(name) or []
            files = [now] if isinstance(now, str) else list(now)
            for one in files:
                text(Path(one).name, "mono el", "div")
            pick = lambda: upload.run_method("pickFiles")  # noqa: E731
            button("Choose a file" if not files else "Another file", pick, sign="upload", kind="s")

        upload = hidden_upload(taken, _MOST_BYTES, several)
        with block("filebox") as box:
            drawn()


def _words(name: str) -> str:
    return {"i": "Seen from frame", "j": "Of frame"}.get(name, name.replace("_", " ").capitalize())


def _example(option: Option) -> str:
    """What the help text of a line shows for the value, where that is more than a word."""
    return option.help if option.metavar.isalpha() or not option.metavar else option.metavar


def _brief(hint: str) -> str:
    """An example where the help has one, else its first words."""
    if hint.startswith("Keep only"):
        return "GAM1, U12, \u2026"
    match = re.search(r": ([^:;]*?\d[^:;]*?)(?:;|\.$|$)", hint)
    return (match[1] if match else hint)[:44]
