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
from robosym.app.menus.calls import Call, without_defaults
from robosym.app.menus.option_values import REPEATED, TRUTH_KINDS, interpreted, robot_with
from robosym.errors import InputError, closest

if TYPE_CHECKING:
    from robosym.coordinates.accepts import Accepted

__all__ = ["Argument", "Command", "CompiledCommand", "Needs", "Option", "Outcome"]

#: what a value is: the name or file of a robot, another file, a text or several, a frame's number, a whole number or
#: several (1,2,3), joints by number or name (1,elbow), a decimal or several, numbers by name (t1=0.3), joints that are
#: known (t3 or t3=0.3), a pose; a quantity or several (Pi/2, 30deg), whole numbers, the axis of a grid, ranges,
#: a control law with gains, what it follows, motors and stops of joints, terms of friction, columns by name, pairs of
#: frames
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
    "quantity",
    "quantities",
    "whole numbers",
    "axis",
    "ranges",
    "law",
    "followed",
    "motors",
    "stops",
    "terms",
    "columns",
    "pairs",
]
#: what becomes of an option's value:
#: "keyword"   it is an argument of the public function;
#: "method"    the result is replaced by what this method of it gives for the value;
#: "function"  the result is replaced by what this public function gives for the result and the value;
#: "save"      this part of the result, or the result itself, is written to the file;
#: "file"      this method of the result writes to the file;
#: "delivery"  it says how the result is shown: a matter of the surface;
#: "robot"     it changes the robot before anything else;
#: "evaluate"  the result is replaced by its numbers at the values;
#: "platform"  it is an argument of the public function for robots with platforms alone;
#: "with"      it is an argument of the public function `target`, which another option calls
Use = Literal["keyword", "method", "function", "save", "file", "delivery", "robot", "evaluate", "platform", "with"]
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
    default: Union[str, float, None] = None
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

    @property
    def repeated(self) -> bool:
        """Whether it may be given several times."""
        return self.kind in REPEATED

    def offered(self) -> tuple[str, ...]:
        """The choices; none where the value is free."""
        return tuple(self.choices() if callable(self.choices) else self.choices)

    def text(self) -> str:
        """The help with its choices and default."""
        filled = self.help.replace("{choices}", ", ".join(self.offered()) if "{choices}" in self.help else "")
        return filled if self.default is None else f"{filled} [default: {self.default}]"


@dataclass(frozen=True)
class Outcome:
    """What a command gave."""

    result: Any
    before: Any = None  #: the model before it was optimised, if it was


@dataclass(frozen=True)
class CompiledCommand:
    """A command with its values, as calls."""

    call: Call  #: what it gives
    saves: tuple[Call, ...] = ()  #: files that are written of the result
    before: Call | None = None  #: the model before it is optimized
    robot: Call | None = None
    imports: tuple[str, ...] = ()  #: of functions that are not public names of `robosym`

    def run(self) -> Outcome:
        """Run the calls."""
        before = None if self.before is None else self.before.value
        result = self.call.value
        for save in self.saves:
            _ = save.value
        return Outcome(result, before)


@dataclass(frozen=True)
class Command:
    """A row of the table."""

    menu: str
    name: str  #: with underscores; on the command line with dashes
    sentence: str
    arguments: tuple[Argument, ...]
    options: tuple[Option, ...] = ()
    gives: Result = "model"
    #: the public function where it is not `name`: a name below `robosym`, or `module:name`; a function of `composed`
    #: makes the call of the values
    function: str = ""
    #: the guide's extensions of its text (Appendix 5.1) beside .txt, by the method or form that its result has
    extensions: Mapping[str, str] = field(default_factory=dict)
    then: str = ""  #: the method of the function's result that is wanted, or its attribute `model`
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

    def declared_for(self, robot: rs.Robot | None) -> Accepted | None:
        """What the public function declares; None for a robot in its joints, which every function takes.

        No function is imported to ask.
        """
        asked = robot is not None and robot.coordinates not in ("joints", "active")
        return self.accepted() if asked else None

    def applicable(self, robot: rs.Robot | None) -> frozenset[str] | None:
        """The arguments by name that the public function declares for this robot; None where all apply.

        All apply where the function does not take the robot: its own error says so.
        """
        declared = self.declared_for(robot)
        return None if robot is None or declared is None or not declared.takes(robot) else declared.options(robot)

    def run(self, values: Mapping[str, Any], tell: Callable[[str], None] | None = None) -> Outcome:
        """Call the public function with the values, by name of argument and option; `tell` hears how far it is."""
        return self.compile(values, tell).run()

    def compile(
        self, values: Mapping[str, Any], tell: Callable[[str], None] | None = None, named: str = ""
    ) -> CompiledCommand:
        """The values as calls; `named` is what is typed for a robot that is given as an object."""
        values = self._with_method(values)
        given = [(option, _chosen(option, value)) for option, value in self._given(values) if _is_given(value, option)]
        for missing in (a for a in self.arguments if not a.optional and not _is_given(values.get(a.name))):
            message = f"{self.word}: expected {missing.name}, {missing.help[0].lower()}{missing.help[1:]}"
            raise InputError(message, code="E408")
        robot = next((robot_with(values, named) for a in self.arguments if a.kind == "robot"), None)
        positional = [
            robot if argument.kind == "robot" else values.get(argument.name)
            for argument in self.arguments
            if not argument.optional or values.get(argument.name) is not None
        ]
        keywords = self._keywords(robot, values, given)
        function, module = self.public_function, self.function.partition(":")[0]
        imports: tuple[str, ...] = ()
        if module.endswith(".composed"):
            call: Call = function()(*positional, **keywords)
        else:
            name = self.function.partition(":")[2] or self.function or self.name
            keywords = without_defaults(function(), keywords)
            if self.gives == "robot":  # it reads the file by itself
                call = robot_with(values, named, function)
            else:
                imports = (f"from {module} import {name}",) if ":" in self.function else ()
                call = Call(name, *positional, **keywords).found_by(function)
        if self.then:
            call = call.part(self.then) if self.then == "model" else call.then(self.then)
            call.word = self.word
        return self._finished(call, given, tell, robot, imports)

    def _finished(
        self, call: Call, given: list[tuple[Option, Any]], tell: Callable[[str], None] | None, robot: Call | None,
        imports: tuple[str, ...],
    ) -> CompiledCommand:  # fmt: skip
        """What the options do to the result."""
        before, saves = None, []
        beside = {o.name: interpreted(o.kind, v, o.word) for o, v in given if o.use == "with"}
        for option, value in given:
            target = option.target or option.name
            if option.use == "method":
                call = call.then(target, *([] if value is True else value))
                call.word = option.word
            elif option.use == "function":
                before = call
                level = int(value) if value.isdigit() else value
                call = Call(target, before, level, **beside)
                call.hidden = {"progress": tell}
            elif option.use == "with" and not any(o.use == "function" for o, _ in given):
                raise InputError(f"{option.word}: expected --{target} as well", code="E408")
            elif option.use == "evaluate":
                from robosym.app.menus.evaluation import evaluated

                call = evaluated(call, value, robot)
            elif option.use == "save":
                saved = call if target == "itself" else call.part(target)
                saves.append(saved.then("write", value))
            elif option.use == "file":
                saves.append(call.then(target, value))
        return CompiledCommand(call, tuple(saves), before, robot, imports)

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
        self, robot: Call | None, values: Mapping[str, Any], given: Iterable[tuple[Option, Any]]
    ) -> dict[str, Any]:
        """What the public function is given by name: what it declares for the robot."""
        applicable = None if robot is None else self.applicable(robot.value)
        if robot is not None and applicable is not None:
            for argument in self.arguments:
                if argument.optional and values.get(argument.name) is not None and argument.name not in applicable:
                    message = f"{self.word}: {robot.value.name} has a platform: expected no {argument.name.upper()}"
                    raise InputError(message, code="E405")
        found: dict[str, Any] = {}
        for option, value in given:
            target = option.target or option.name
            if option.use not in ("keyword", "platform"):
                continue
            if option.use == "platform" and (applicable is None or target not in applicable):
                raise InputError(f"{self.word}: {option.word} is not for this robot", code="E405")
            if applicable is not None and target not in applicable:
                if value == option.default:
                    continue
                raise InputError(f"{self.word}: {option.word} is not for a robot with a platform", code="E405")
            found[target] = option.stands_for or interpreted(option.kind, value, option.word, robot)
        return found


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
        message = f"{option.word}: expected one of {', '.join(offered)}, found {value!r}{closest(value, offered)}"
        raise InputError(message, code="E402")
    return found
