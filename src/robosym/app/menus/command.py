"""A command as data: a public function, its arguments, and the operations on its result.

An interface (the command line, the page) reads the fields to ask for values, calls `Command.run` with them, and shows
the `Outcome` according to `Command.gives`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from inspect import signature
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, Union

import robosym as rs
from robosym.algebra.once import cached_property
from robosym.app.menus.calls import Call
from robosym.app.menus.option_values import check_frame, interpreted, robot_with
from robosym.app.menus.signatures import ROBOT, Argument, Option, declared_argument, declared_options
from robosym.errors import InputError, closest
from robosym.mechanism.kinds import Needs, has, reason
from robosym.typed_values import quantity

if TYPE_CHECKING:
    from robosym.coordinates.accepts import Accepted

__all__ = ["Argument", "Command", "CompiledCommand", "Option", "Outcome"]

#: the kind of result of a command:
#: "model"        a Model;
#: "solution"     an object with an explanation and with code;
#: "text"         an object that is printed as text;
#: "robot"        a Robot whose parameters are shown;
#: "description"  a Robot whose description is written;
#: "robots"       names of robots;
#: "drawing"      a picture;
#: "numbers"      a table of named columns;
#: "files"        paths of files that the command wrote;
#: "file"         the file of the argument `output`;
#: "nothing"      no result
Result = Literal[
    "model", "solution", "text", "robot", "description", "robots", "drawing", "numbers", "files", "file", "nothing"
]


@dataclass(frozen=True)
class Outcome:
    """Result of a command."""

    result: Any
    before: Any = None  #: the model before optimization, if it was optimized


@dataclass(frozen=True)
class CompiledCommand:
    """A command with its values, as a list of calls."""

    call: Call  #: computes the result
    saves: tuple[Call, ...] = ()  #: write the result or a part of it to files
    before: Call | None = None  #: computes the model before optimization
    robot: Call | None = None
    imports: tuple[str, ...] = ()  #: imports of functions that are not public names of `robosym`

    def run(self) -> Outcome:
        """Run the calls."""
        before = None if self.before is None else self.before.value
        result = self.call.value
        for save in self.saves:
            _ = save.value
        return Outcome(result, before)


@dataclass(frozen=True)
class Command:
    """One row of the table of commands."""

    menu: str
    name: str  #: with underscores; on the command line with dashes
    sentence: str
    asks: tuple[Union[str, Argument], ...] = (ROBOT,)  #: arguments; a string is the name of a parameter
    #: further options; a string names parameters of another public function: "prepare: cut rate"
    more: tuple[Union[str, Option], ...] = ()
    leave: tuple[str, ...] = ()  #: parameters that are not options
    gives: Result = "model"
    #: the public function if it is not `name`: a name below `robosym`, or `module:name`; a function of `composed`
    #: returns the call
    function: str = ""
    #: extensions of its text files in the guide (Appendix 5.1) besides .txt, by the method or form of the result
    extensions: Mapping[str, str] = field(default_factory=dict)
    then: str = ""  #: the method that is called on the result of the function, or its attribute `model`
    needs: Needs = ""  #: kind of robot that the command needs; "" for every robot
    #: symbols of the robot that must be numbers: those of its frames ("geometry"), "all", or none ("")
    numbers: Literal["", "geometry", "all"] = ""
    one_of: tuple[str, ...] = ()  #: options, at least one of them is required
    common: tuple[Option, ...] = ()  #: options of all commands of its kind; they are listed last

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        """Positional arguments in order."""
        return tuple(
            ask if isinstance(ask, Argument) else declared_argument(self.public_function(), ask) for ask in self.asks
        )

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """Options: parameters of the public function, then options of the row and of its kind."""
        given = [option for option in self.more if isinstance(option, Option)]
        asked = [ask if isinstance(ask, str) else ask.name for ask in self.asks]
        found = declared_options(self.public_function(), leave=[*asked, *self.leave], given=given)
        for part in self.more:
            if isinstance(part, str):
                name, _, names = part.partition(": ")
                found += declared_options(attrgetter(name)(rs), names.split(), given=given)
        taken = {option.name for option in found}
        return (*found, *(option for option in (*given, *self.common) if option.name not in taken))

    @property
    def takes_robot(self) -> bool:
        """Whether a robot is among the arguments."""
        return any((ask if isinstance(ask, str) else ask.name) == "robot" for ask in self.asks)

    @property
    def word(self) -> str:
        """Name on the command line, with dashes."""
        return self.name.replace("_", "-")

    def options_by_name(self) -> dict[str, Option]:
        """Return the options by their name and by the name of the argument that they set."""
        by_name = {option.name: option for option in self.options}
        own = ("keyword", "platform", "robot")  # other options are for a method or a part of the result
        return by_name | {option.target: option for option in self.options if option.target and option.use in own}

    def public_function(self) -> Callable[..., Any]:
        """Import and return the public function; the table itself imports none."""
        module, colon, name = self.function.partition(":")
        home = import_module(module) if colon else rs
        found: Callable[..., Any] = attrgetter(name or self.function or self.name)(home)
        return found

    def accepted(self) -> Accepted | None:
        """Return the robots and options that the public function declares; None if it declares nothing."""
        from robosym.coordinates.accepts import accepted_by

        return accepted_by(self.public_function())

    def declared_for(self, robot: rs.Robot | None) -> Accepted | None:
        """Return the declaration of the public function; None for a robot in joint coordinates.

        Every function accepts a robot with independent joints on a fixed base, so it is not imported for one.
        """
        asked = robot is not None and (robot.coordinates != "joints" or robot.base.kind != "fixed")
        return self.accepted() if asked else None

    def applicable(self, robot: rs.Robot | None) -> frozenset[str] | None:
        """Return the names of the arguments that apply to this robot; None if all apply.

        If the function does not accept the robot, all apply: the function raises its own error.
        """
        declared = self.declared_for(robot)
        return None if robot is None or declared is None or not declared.takes(robot) else declared.options(robot)

    def reason(self, robot: rs.Robot | None) -> str:
        """Return why the command does not apply to the robot; "" if it applies."""
        if not self.takes_robot:
            return ""
        found, declared = reason(self.needs, robot), self.declared_for(robot)
        if found or robot is None or declared is None:
            return found
        return declared.reason(robot)

    def missing(self, values: Mapping[str, Any], robot: rs.Robot | None = None) -> list[Argument | Option]:
        """Return the arguments and options that are not given, though the command or this robot needs them."""
        needed: list[Argument | Option] = [a for a in self.arguments if not a.optional]
        needed += [o for o in self.options if o.required or (o.needed and robot is not None and has(robot, o.needed))]
        if robot is not None and not any(_is_given(values.get(name)) for name in self.one_of):
            needed += [option for option in self.options if option.name in self.one_of[:1]]
        return [part for part in needed if not _is_given(values.get(part.name))]

    def option_reason(self, option: Option, robot: rs.Robot | None) -> str:
        """Return why an option of the command does not apply to the robot; "" if it applies."""
        if option.use != "keyword" or robot is None:
            return ""
        applicable = self.applicable(robot)
        if applicable is None:
            return reason(option.needs, robot)
        return "" if option.keyword in applicable else f"not for a robot with {robot.distinction}"

    def time_limit(self, values: Mapping[str, Any]) -> float | None:
        """Return the time limit of the command in s, or None."""
        given = values.get("time_limit")
        limit = None if given is None else quantity(given, "--time-limit")
        if limit is not None and limit <= 0:
            raise InputError(f"--time-limit: expected seconds above 0, found {given!r}", code="E403")
        return limit

    def run(self, values: Mapping[str, Any], report: Callable[[str], None] | None = None) -> Outcome:
        """Call the public function with the values, by name of argument and option; `report` receives the progress."""
        return self.compile(values, report).run()

    def compile(
        self, values: Mapping[str, Any], report: Callable[[str], None] | None = None, named: str = ""
    ) -> CompiledCommand:
        """Return the calls for the values; `named` is the name or path of a robot that is given as an object."""
        values = self._with_method(values)
        given = [(option, _chosen(option, value)) for option, value in self._given(values) if _is_given(value, option)]
        for part in self.missing(values):
            name = part.word if isinstance(part, Option) else part.name
            message = f"{self.word}: expected {name}, {part.help[0].lower()}{part.help[1:]}"
            raise InputError(message, code="E408")
        robot = next((robot_with(values, named) for a in self.arguments if a.kind == "robot"), None)
        positional = [
            robot if argument.kind == "robot" else values.get(argument.name)
            for argument in self.arguments
            if not argument.optional or values.get(argument.name) is not None
        ]
        for argument in self.arguments:
            if argument.kind == "frame":
                check_frame(robot, values.get(argument.name), argument.name)
        keywords = self._keywords(robot, values, given)
        function, module = self.public_function, self.function.partition(":")[0]
        imports: tuple[str, ...] = ()
        if module.endswith(".composed"):
            call: Call = function()(*positional, **keywords)
        else:
            name = self.function.partition(":")[2] or self.function or self.name
            if self.gives == "robot":  # the function reads the file by itself
                call = robot_with(values, named, function)
            else:
                imports = (f"from {module} import {name}",) if ":" in self.function else ()
                call = Call(name, *positional, **keywords).found_by(function)
            if report is not None and "progress" in signature(function()).parameters:
                call.hidden = {"progress": counted(report)}
        if self.then:
            call = call.part(self.then) if self.then == "model" else call.then(self.then)
        return self._finished(call, given, report, robot, imports)

    def _finished(
        self, call: Call, given: list[tuple[Option, Any]], report: Callable[[str], None] | None, robot: Call | None,
        imports: tuple[str, ...],
    ) -> CompiledCommand:  # fmt: skip
        """Apply the options that change, evaluate or write the result."""
        before, saves = None, []
        beside = {o.name: interpreted(o.kind, v, o.word) for o, v in given if o.use == "with"}
        for option, value in given:
            target = option.keyword
            if option.use == "method":
                meant = [] if value is True else interpreted(option.kind, value, option.word)
                changed = call.then(target, *([meant] if isinstance(meant, dict) else meant))
                call = changed.asked_by(option.name)
            elif option.use == "function":
                before = call
                level = int(value) if value.isdigit() else value
                call = Call(target, before, level, **beside)
                call.hidden = {"progress": report}
            elif option.use == "with" and not any(target == o.keyword and o.use != "with" for o, _ in given):
                raise InputError(f"{option.word}: expected --{target} as well", code="E408")
            elif option.use == "save":
                saved = call if target == "itself" else call.part(target)
                saves.append(saved.then("write", value).asked_by(option.name))
            elif option.use == "file":
                more = {o.name: v for o, v in given if o.use == "with" and o.target == option.name}
                saves.append(call.then(target, value, **more).asked_by(option.name))
        return CompiledCommand(call, tuple(saves), before, robot, imports)

    def _given(self, values: Mapping[str, Any]) -> Iterator[tuple[Option, Any]]:
        """Yield every option with its value, or with its default if it is not given."""
        for option in self.options:
            value = values.get(option.name)
            yield option, option.default if value is None else value

    def _with_method(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the values with the method that the extension of the output implies: .Nreg implies "numeric"."""
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
        """Return the keyword arguments of the public function, and reject options that do not apply to the robot."""
        applicable = None if robot is None else self.applicable(robot.value)
        if robot is not None and applicable is not None:
            for argument in self.arguments:
                if argument.optional and values.get(argument.name) is not None and argument.name not in applicable:
                    kind = f"{robot.value.name} has {robot.value.distinction}"
                    raise InputError(f"{self.word}: {kind}: expected no {argument.name.upper()}", code="E405")
        found: dict[str, Any] = {}
        for option, value in ((option, value) for option, value in given if option.use == "keyword"):
            target = option.keyword
            if applicable is None:
                lacks = option.needs == "platform" and robot is not None and not has(robot.value, option.needs)
                whom = "this robot" if lacks else ""
            else:
                whom = "" if robot is None or target in applicable else f"a robot with {robot.value.distinction}"
            if whom and value != option.default:
                raise InputError(f"{self.word}: {option.word} is not for {whom}", code="E405")
            if whom:
                continue
            found[target] = option.stands_for or interpreted(option.kind, value, option.word, robot)
            pairs = {"frame": [[found[target]]], "pairs": found[target]}.get(option.kind, [])
            for frame in (frame for pair in pairs for frame in pair):
                check_frame(robot, frame, option.name)
        return found


def counted(report: Callable[[str], None]) -> Callable[[int, int], None]:
    """Return a function for the argument `progress` of public functions, which reports (done, total) as text."""
    from robosym.optimizer.optimize import ProgressText

    return lambda done, total: report(ProgressText(f"{done} of {total}", done / total if total else None))


def _is_given(value: Any, option: Option | None = None) -> bool:
    """Return whether a value is given: 0 and the answer no are, an unset flag and an empty list are not."""
    if value is False and option is not None and option.kind in ("yes or no", "friction"):
        return True
    return not (value is None or value is False or value == [] or value == ())


def _chosen(option: Option, value: Any) -> Any:
    """Return the value, and raise an error if it is not among the choices of the option."""
    if not option.choices or not isinstance(value, str):
        return value
    offered = option.offered()
    found = value if value in offered else value.replace("-", "_")  # the command line writes dashes, Python underscores
    if found not in offered:
        message = f"{option.word}: expected one of {', '.join(offered)}, found {value!r}{closest(value, offered)}"
        raise InputError(message, code="E402")
    return found
