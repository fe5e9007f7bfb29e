"""A command as data, and how it is carried out: a public function, its arguments, and what is then done to its result.

A surface (the command line, a page) reads the fields to ask for values, calls `Command.run` with them, and shows the
`Outcome` by what the command `gives`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, Union

import robosym as rs
from robosym.app.menus.typed_values import TRUTH, TRUTH_KINDS
from robosym.errors import InputError, closest

if TYPE_CHECKING:
    from robosym.coordinates.accepts import Accepted

__all__ = ["Argument", "Command", "Needs", "Option", "Outcome"]

#: what a value is: the name or file of a robot, another file, a text or several, a frame's number, a whole number or
#: several (1,2,3), joints by number or name (1,elbow), a decimal or several, numbers by name (t1=0.3), joints that are
#: known (t3 or t3=0.3), a pose
Kind = Literal[
    "robot",
    "file",
    "text",
    "texts",
    "frame",
    "number",
    "numbers",
    "joints",
    "decimal",
    "decimals",
    "values",
    "known",
    "pose",
    "yes or no",
    "friction",
    "flag",
]
#: what becomes of an option's value:
#: "keyword"   it is an argument of the public function;
#: "method"    the result is replaced by what this method of it gives for the value;
#: "function"  the result is replaced by what this public function gives for the result and the value;
#: "save"      this part of the result, or the result itself, is written to the file;
#: "delivery"  it says how the result is shown: a matter of the surface;
#: "robot"     it changes the robot before anything else;
#: "evaluate"  the result is replaced by its numbers at the values;
#: "platform"  it is an argument of the public function for robots with platforms alone;
#: "with"      it is an argument of the public function `target`, which another option calls
Use = Literal["keyword", "method", "function", "save", "delivery", "robot", "evaluate", "platform", "with"]
#: robots with loops, with a platform, with an elastic joint, of links and joints alone
Needs = Literal["", "loops", "platform", "elastic joints", "no platform"]
#: what a command gives: a Model; a solution, which explains itself in words and has code; anything as a text;
#: a Robot, to be shown or to be written; names of robots; a picture; numbers under names; nothing but files, or a file;
#: nothing at all
Result = Literal[
    "model", "solution", "text", "robot", "description", "robots", "drawing", "numbers", "files", "file", "nothing"
]


@dataclass(frozen=True)
class Argument:
    """What must be given, in this order."""

    name: str
    kind: Kind
    help: str
    optional: bool = False  #: whether a robot with a platform does without


@dataclass(frozen=True)
class Option:
    """What may be given; the public function's own default holds where there is none here."""

    name: str  #: in words joined by underscores; on the command line by dashes
    kind: Kind
    help: str  #: in which {choices} stands for these
    default: Union[str, int, None] = None
    choices: Union[tuple[str, ...], Callable[[], Iterable[str]]] = ()  #: or how they are found when they are wanted
    short: str = ""  #: "-o"
    metavar: str = ""  #: what stands for the value in a help text, where the kind does not say enough
    use: Use = "keyword"
    target: str = ""  #: the keyword, method, function or part, where it is not the name
    stands_for: str = ""  #: what a flag passes where that is not True
    label: str = ""  #: what stands beside its field on a page, where the name does not say enough
    needs: Needs = ""  #: the robots that it is for, where these are not all
    written: bool = False  #: whether a file is one that is written

    @property
    def word(self) -> str:
        """As it is typed."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def stand_in(self) -> str:
        """What stands for the value in a help text."""
        if self.kind in TRUTH_KINDS:
            return {"flag": "", "yes or no": "yes|no", "friction": "yes|no|smooth"}[self.kind]
        return self.metavar or self.kind.removesuffix("s").replace("decimal", "number").upper()

    def offered(self) -> tuple[str, ...]:
        """The choices; none where the value is free."""
        return tuple(self.choices() if callable(self.choices) else self.choices)

    def text(self) -> str:
        """The help with its choices and default."""
        filled = self.help.replace("{choices}", ", ".join(self.offered()) if "{choices}" in self.help else "")
        return filled if self.default is None else f"{filled} [default: {self.default}]"


def _number(text: str, option: Option) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{option.word}: expected a number, found {text!r}") from None


@dataclass(frozen=True)
class Outcome:
    """What a command gave."""

    result: Any
    before: Any = None  #: the model before it was optimised, if it was


@dataclass(frozen=True)
class Command:
    """A row of the table."""

    menu: str
    name: str  #: with underscores; on the command line with dashes
    sentence: str
    arguments: tuple[Argument, ...]
    options: tuple[Option, ...] = ()
    gives: Result = "model"
    function: str = ""  #: the public function where it is not `name`: a name below `robosym`, or `module:name`
    #: the guide's extensions of its text (Appendix 5.1) beside .txt, by the method or form that its result has
    extensions: Mapping[str, str] = field(default_factory=dict)
    then: str = ""  #: the attribute or method of the function's result that is wanted
    needs: Needs = ""  #: the robots that it is for, where these are not all

    @property
    def word(self) -> str:
        """As it is typed."""
        return self.name.replace("_", "-")

    def public_function(self) -> Callable[..., Any]:
        """Resolved when it is used, so that a table of everything imports nothing."""
        module, colon, name = self.function.partition(":")
        home = import_module(module) if colon else rs
        found: Callable[..., Any] = attrgetter(name or self.function or self.name)(home)
        return found

    def accepted(self) -> Accepted | None:
        """Which robots and options the public function declares; None where it declares nothing."""
        from robosym.coordinates.accepts import accepted_by

        return accepted_by(self.public_function())

    def applicable(self, robot: rs.Robot | None) -> frozenset[str] | None:
        """The arguments by name that the public function declares for this robot; None where all apply.

        All apply to a robot without a platform, and where the function does not take the robot: its own error says so.
        """
        if robot is None or not robot.modules:
            return None
        declared = self.accepted()
        return declared.options(robot) if declared is not None and declared.takes(robot) else None

    def run(self, values: Mapping[str, Any], tell: Callable[[str], None] | None = None) -> Outcome:
        """Call the public function with the values, by name of argument and option; `tell` hears how far it is."""
        values = self._with_method(values)
        given = [(option, _chosen(option, value)) for option, value in self._given(values) if _is_given(value, option)]
        words = [word for option, value in given if option.name == "set" for word in value]
        frames = [word for option, value in given if option.name == "add_frame" for word in value]
        kept = [word for option, value in given if option.name == "inputs" for word in value]
        how = _how_loaded(values)
        for missing in (a for a in self.arguments if not a.optional and not _is_given(values.get(a.name))):
            raise InputError(f"{self.word}: expected {missing.name}, {missing.help[0].lower()}{missing.help[1:]}")
        read = {
            a: _loaded(a, values.get(a.name) if a.optional else values[a.name], (words, frames), how)
            for a in self.arguments
        }
        if kept:
            read = {a: value.with_inputs(*kept) if a.kind == "robot" else value for a, value in read.items()}
        keywords = self._keywords(next((v for a, v in read.items() if a.kind == "robot"), None), read, given)
        if self.gives == "robot":
            keywords |= how
        result = self.public_function()(*(v for a, v in read.items() if v is not None or not a.optional), **keywords)
        if self.gives == "robot":
            result = _set(result, (words, frames))
        if self.then:
            result = _part(result, self.then, self.word)
            result = result() if callable(result) else result
        before = None
        for option, value in given:
            target = option.target or option.name
            if option.use == "method":
                result = _part(result, target, option.word)(*([] if value is True else value))
            elif option.use == "function":
                before = result
                level = int(value) if value.isdigit() else value
                more = {o.name: _number(v, o) if o.metavar == "SECONDS" else v for o, v in given if o.use == "with"}
                result = getattr(rs, target)(result, level, progress=tell, **more)
            elif option.use == "with" and not any(o.use == "function" for o, _ in given):
                raise InputError(f"{option.word}: expected --{target} as well")
            elif option.use == "evaluate":
                from robosym.app.menus.evaluation import evaluate

                _part(result, "inputs", option.word)
                result = evaluate(result, value)
            elif option.use == "save":
                (result if target == "itself" else attrgetter(target)(result)).write(value)
        return Outcome(result, before)

    def _given(self, values: Mapping[str, Any]) -> Iterator[tuple[Option, Any]]:
        """Every option with its value, or its default where there is none."""
        for option in self.options:
            value = values.get(option.name)
            yield option, option.default if value is None else value

    def _with_method(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """The values with the method that the guide's extension of the output means: .Nreg is for the numeric one."""
        suffix = os.path.splitext(str(values.get("output") or ""))[1].lstrip(".")
        meant = [method for method, extension in self.extensions.items() if extension.lower() == suffix.lower()]
        for option in (o for o in self.options if o.use == "keyword" and {*meant} & {*o.offered()}):
            given = values.get(option.name)
            if given is None or given == "auto":
                return {**values, option.name: meant[0]}
            if given not in meant:
                raise InputError(
                    f"{values['output']}: .{suffix} is for {option.word} {' or '.join(meant)}, found {option.word} "
                    f"{given}: expected .{self.extensions.get(given, 'txt')} or .txt"
                )
        return values

    def _keywords(
        self, robot: rs.Robot | None, read: Mapping[Argument, Any], given: Iterable[tuple[Option, Any]]
    ) -> dict[str, Any]:
        """What the public function is given by name: what it declares for the robot."""
        applicable = self.applicable(robot)
        if robot is not None and applicable is not None:
            for argument, value in read.items():
                if argument.optional and value is not None and argument.name not in applicable:
                    raise InputError(f"{self.word}: {robot.name} has a platform: expected no {argument.name.upper()}")
        found: dict[str, Any] = {}
        for option, value in given:
            target = option.target or option.name
            if option.use == "platform":
                if applicable is None or target not in applicable:
                    raise InputError(f"{self.word}: {option.word} is not for this robot")
                found[target] = _typed(option, value)
            elif option.use == "keyword":
                if applicable is not None and target not in applicable:
                    if value == option.default:
                        continue
                    raise InputError(f"{self.word}: {option.word} is not for a robot with a platform")
                found[target] = option.stands_for or _value(option, value)
        return found


def _part(result: Any, name: str, word: str) -> Any:
    if not hasattr(result, name):
        raise InputError(f"{word}: the result for this robot has no {name}")
    return getattr(result, name)


def _typed(option: Option, value: Any) -> Any:
    """The value of an option for platforms alone, whose free texts are whole numbers."""
    if option.kind != "text" or option.choices or not isinstance(value, str):
        return _value(option, value)
    return _whole_numbers(option, value)


def _whole_numbers(option: Option, text: str) -> list[int]:
    try:
        return [int(word) for word in text.split(",")]
    except ValueError:
        raise InputError(f"{option.word}: expected whole numbers between commas, found {text!r}") from None


def _is_given(value: Any, option: Option | None = None) -> bool:
    """A zero is given, and the answer no to a question; an unset flag and an empty list are not."""
    if value is False and option is not None and option.kind in ("yes or no", "friction"):
        return True
    return not (value is None or value is False or value == [] or value == ())


def _chosen(option: Option, value: Any) -> Any:
    """The value, which is one of those that the option offers."""
    if not option.choices or not isinstance(value, str):
        return value
    offered = option.offered()
    found = value if value in offered else value.replace("-", "_")  # a word of the command line for a name of Python
    if found not in offered:
        raise InputError(
            f"{option.word}: expected one of {', '.join(offered)}, found {value!r}{closest(value, offered)}"
        )
    return found


def _value(option: Option, value: Any) -> Any:
    """What the function is given: numbers by name as a mapping."""
    if option.kind in ("yes or no", "friction") and isinstance(value, str):
        return TRUTH.get(value.lower(), value)
    if option.kind == "pose" and isinstance(value, str):
        from robosym.app.menus.typed_poses import pose_from

        return pose_from(value)
    known = option.kind == "known" and any("=" in word for word in value)
    if (option.kind != "values" and not known) or isinstance(value, Mapping):
        return value
    from robosym.app.menus.settings import numbers_by_name

    found = numbers_by_name(option.word, value)
    return {int(name) if name.isdigit() else name: number for name, number in found.items()}


def _how_loaded(values: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of `load` that were given."""
    found: dict[str, Any] = {"floating": True} if values.get("floating") else {}
    for word in values.get("xacro") or ():
        name, equals, text = (part.strip() for part in word.replace(":=", "=", 1).partition("="))
        if not name or not equals:
            raise InputError(f"--xacro: expected NAME=VALUE, such as name=ur5e, found {word!r}")
        found.setdefault("arguments", {})[name] = text
    return found


def _loaded(argument: Argument, value: Any, words: tuple[list[str], list[str]], how: dict[str, Any]) -> Any:
    if argument.kind != "robot":
        return value
    if not isinstance(value, str | os.PathLike):  # a surface that has read or made it
        return _set(value, words)
    return _set(rs.load(value, **how), words)


def _set(robot: rs.Robot, words: tuple[list[str], list[str]]) -> rs.Robot:
    """The robot with these values and with these frames besides."""
    if not any(words):
        return robot
    from robosym.app.menus.settings import settled, with_frames

    values, frames = words
    return with_frames(settled(robot, values) if values else robot, frames)
