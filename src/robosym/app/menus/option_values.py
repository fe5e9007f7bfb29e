"""Read typed values by their kind, and convert them to arguments of public functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from inspect import signature
from os import PathLike
from pathlib import Path
from typing import Any

import robosym as rs
from robosym import typed_values
from robosym.app.menus.calls import Call, named
from robosym.errors import InputError, closest

__all__ = [
    "KINDS", "LAWS", "REPEATED", "TRUTH", "TRUTH_KINDS", "Kind", "check_frame", "interpreted",
    "law_gains", "opposite", "read_value", "robot_with",
]  # fmt: skip

#: words that mean yes and no
TRUTH = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}
TRUTH_KINDS = ("flag", "yes or no", "friction")  #: kinds of options that take such a word


def _number(text: str) -> int:
    if not re.fullmatch(r"[+-]?\d{1,9}", text):
        raise InputError(f"expected a whole number, found {text!r}")
    return int(text)


def _yes_or_no(text: str) -> str:
    found = TRUTH.get(text.lower())
    if found is None:
        raise InputError(f"expected yes or no, found {text!r}")
    return "yes" if found else "no"


def _friction(text: str) -> str:
    if text != "smooth" and text.lower() not in TRUTH:
        raise InputError(f"expected yes, no or smooth, found {text!r}")
    return text if text == "smooth" else _yes_or_no(text)


def read_value(kind: str, text: str) -> Any:
    """Read a value; an error states what was expected."""
    return KINDS[kind].read(text)


def opposite(word: str) -> str:
    """Return the negated option: --no-tree for --tree, --browser for --no-browser."""
    return f"--{word[5:]}" if word.startswith("--no-") else f"--no-{word[2:]}"


# ------------------------------------------------------------------------- arguments of public functions


def interpreted(kind: str, value: Any, word: str, robot: Call | None = None) -> Any:
    """Return the value of an option as an argument of a public function; `word` is the option, for errors."""
    if kind in ("values", "known") and isinstance(value, Mapping):
        return value
    read = KINDS[kind].argument
    return value if read is None or not (isinstance(value, str) or kind in REPEATED) else read(value, word, robot)


def _law(text: str, word: str, robot: Call) -> Call:
    """Read a control law such as `computed_torque:kp=100,kd=20`; kp=100/80/60 has one gain per joint."""
    name, _, entries = text.partition(":")
    name = name.strip().replace("-", "_")
    if name not in LAWS:
        message = f"{word}: expected one of {', '.join(LAWS)}, found {name!r}{closest(name, LAWS)}"
        raise InputError(message, code="E402")
    gains: dict[str, Any] = {}
    known = list(signature(getattr(rs, name)).parameters)[1:]
    for entry in filter(None, (part.strip() for part in entries.split(","))):
        key, value = typed_values.two_parts(entry, word, "LAW:kp=100,kd=20")
        if key not in known:
            raise InputError(f"{word}: {name} has no gain {key!r}{closest(key, known)}: it has {', '.join(known)}")
        numbers = [typed_values.quantity(part, word) for part in value.split("/")]
        gains[key] = numbers[0] if len(numbers) == 1 else numbers
    return Call(name, robot, **gains)


def law_gains(law: str) -> list[Any]:
    """Return the gains of a control law as options; none for an unknown law."""
    from robosym.app.menus.signatures import declared_options

    if law not in LAWS:
        return []
    own = signature(getattr(rs, law)).parameters.values()
    return declared_options(getattr(rs, law), [one.name for one in own if one.annotation in ("Gain", "float")])


def _motors(words: Sequence[str], word: str, robot: Call) -> dict[int, Call]:
    """Read motors by joint, `2:torque=20,ratio=50`; a torque that is not given is a symbol."""
    expected, found = "JOINT:torque=20,ratio=50", dict[int, dict[str, str]]()
    names = [entry.name for entry in fields(rs.Actuator)]
    for text in words:
        joint, entries = typed_values.two_parts(text, word, expected, ":")
        number = robot.value.joint_number(typed_values.frame_of(joint), word)
        if number not in robot.value.tree_joints:
            known = ", ".join(map(str, robot.value.tree_joints))
            raise typed_values.wrong_value(word, f"{expected} with a joint of {known}", text)
        for entry in entries.split(","):
            name, equals, value = (part.strip() for part in entry.partition("="))
            if not equals or name not in names:
                message = f"{word}: unknown {name!r}{closest(name, names)}: a motor has {', '.join(names)}"
                raise InputError(message, code="E402")
            found.setdefault(number, {"torque": f"TMAX{number}"})[name] = value
    return {j: Call("Actuator", **entries) for j, entries in found.items()}


def _terms(text: str, word: str) -> str | Call:
    return text if text == "auto" else Call("Friction.of", text)


def _pose(text: str, word: str) -> Any:
    from robosym.formats.pose_texts import pose_from

    return pose_from(text, word)


#: control laws of a simulation
LAWS = (
    "computed_torque", "predictive_control", "feedforward", "pd_gravity", "operational_control", "impedance_control",
    "adaptive_control",
)  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """A kind of values: their placeholder and their conversion from text."""

    metavar: str  #: placeholder of a value in the help
    read: Callable[[str], Any] = str  #: reads one word of the line or the field
    argument: Callable[[Any, str, Any], Any] | None = None  #: converts to the argument, if that differs
    repeated: bool = False  #: whether the option may be repeated; the argument is made of all words


def _checked(text: str) -> str:
    """Check numbers and return them as typed, so that a printed line shows 30deg."""
    for part in text.split(","):
        try:
            typed_values.quantity(part.strip(), "")
        except InputError:
            raise InputError(f"expected a number, found {part.strip()!r}") from None
    return text


def _plain(text: str) -> float | str:
    """Return a plain number as a number, and an expression as it was typed."""
    if re.fullmatch(r"[+-]?\d{1,9}", text):
        return int(text)
    return float(text) if re.fullmatch(r"[+-]?\d*\.?\d+(e[+-]?\d{1,2})?", text) else _checked(text)


def _truth(text: str, word: str, robot: Call | None) -> bool | str:
    return TRUTH.get(text.lower(), text)


#: the kinds of values, those of `signatures.TYPES` first
KINDS: dict[str, Kind] = {
    "robot": Kind("ROBOT"),
    "file": Kind("FILE", Path),
    "text": Kind("TEXT"),
    "texts": Kind("TEXT", repeated=True),
    "flag": Kind("", lambda text: _yes_or_no(text) == "yes"),
    "yes or no": Kind("yes|no", _yes_or_no, _truth),
    "friction": Kind("yes|no|smooth", _friction, _truth),
    "frame": Kind("FRAME", typed_values.frame_of),
    "joints": Kind("JOINT,..", lambda text: [typed_values.frame_of(word.strip()) for word in text.split(",")]),
    "names": Kind("NAME,..", lambda text: [word.strip() for word in text.split(",")]),
    "number": Kind("NUMBER", _number),
    "numbers": Kind("NUMBER,..", lambda text: [_number(word.strip()) for word in text.split(",")]),
    "quantity": Kind("NUMBER", _plain, argument=lambda text, word, _: typed_values.quantity(text, word)),
    "quantities": Kind("NUMBER,..", _checked, argument=lambda text, word, _: typed_values.quantities(text, word)),
    "coordinates": Kind("NUMBER,..", argument=lambda text, word, _: typed_values.coordinates(text, word)),
    "values": Kind(
        "NAME=NUMBER", argument=lambda words, word, _: typed_values.numbers_by_name(words, word), repeated=True
    ),
    "known": Kind(
        "NAME[=NUMBER]", argument=lambda words, word, _: typed_values.known_joints(words, word), repeated=True
    ),
    "pose": Kind("X,Y,Z,..", argument=lambda text, word, _: _pose(text, word)),
    "axis": Kind("FROM:TO:COUNT", argument=lambda text, word, _: typed_values.axis(text, word)),
    "ranges": Kind("NAME=LOW:HIGH", argument=lambda words, word, _: typed_values.ranges(words, word), repeated=True),
    "law": Kind("LAW:GAINS", argument=_law),
    "followed": Kind("Q1,..|FILE", argument=lambda text, word, _: typed_values.followed(text, word)),
    "motors": Kind("JOINT:NAME=VALUE,..", argument=_motors, repeated=True),
    "stops": Kind("JOINT=LOWER,UPPER", argument=lambda words, word, _: typed_values.stops(words, word), repeated=True),
    "terms": Kind("TERMS", argument=lambda text, word, _: _terms(text, word)),
    "columns": Kind("COLUMN=NAME", argument=lambda words, word, _: typed_values.columns(words, word), repeated=True),
    "states": Kind("NAME=NUMBERS", argument=lambda words, word, _: typed_values.states(words, word), repeated=True),
    "pairs": Kind("I,J", argument=lambda words, word, _: typed_values.pairs(words, word), repeated=True),
}
REPEATED = tuple(name for name, kind in KINDS.items() if kind.repeated)  #: kinds of options that may be repeated


# ------------------------------------------------------------------------------------------------- the robot


def robot_with(values: Mapping[str, Any], named: str = "", resolve: Callable[[], Any] | None = None) -> Call:
    """Return the robot of a command with the changes of --set, --add-frame, --inputs, --xacro and --floating."""
    how: dict[str, Any] = {"floating": True} if values.get("floating") else {}
    for text in values.get("xacro") or ():
        name, value = typed_values.two_parts(text.replace(":=", "=", 1), "--xacro", "NAME=VALUE, such as name=ur5e")
        how.setdefault("arguments", {})[name] = value
    given = values["robot"]
    if isinstance(given, str | PathLike):
        robot = Call("load", given, **how).found_by(resolve)
    else:  # an interface that has loaded or created the robot
        robot = Call("load", named or given.name, **how).known(given)
    if values.get("set"):
        robot = _settled(robot, values["set"])
    for text in values.get("add_frame") or ():
        robot = _with_frame(robot, text)
    return checked(robot.then("with_inputs", *values["inputs"]), "inputs") if values.get("inputs") else robot


def _settled(robot: Call, words: Sequence[str]) -> Call:
    """Set parameters by their symbol and other entries by their path (see `Robot.edit`)."""
    values: dict[str, Any] = {}
    changes: dict[str, Any] = {}
    for word in words:
        name, text = typed_values.two_parts(word, "--set", "NAME=VALUE, such as D3=0.45 or link6.FX=F")
        value: Any = [part.strip() for part in text[1:-1].split(",")] if text[0] + text[-1] == "[]" else text
        is_entry = "." in name or name.partition("[")[0] in ("gravity", "name", "title")
        if is_entry and name not in robot.value.parameters:
            changes[name] = int(text) if text.lstrip("+-").isdigit() else value
        else:
            values[name] = value
    for method, entries in (("with_values", values), ("edit", changes)):
        robot = checked(robot.then(method, entries), "set") if entries else robot
    return robot


def checked(call: Call, option: str) -> Call:
    """Run the call now, so that an error names the option or argument that caused it, and return it."""
    try:
        _ = call.value
    except rs.Error as error:
        raise named(error, option) from None
    return call


#: coordinates of robots of links and joints
_OF_LINKS = ("joints", "active", "motors", "contacts")


def check_frame(robot: Call | None, frame: object, name: str) -> None:
    """Raise an error that names an option or an argument if the robot has no such frame; -1 is the world."""
    if robot is None:
        return
    if robot.value.coordinates in _OF_LINKS and isinstance(frame, int | str) and frame != -1:
        checked(robot.then("frame_number", frame), name)


def _with_frame(robot: Call, word: str) -> Call:
    """Add a fixed frame such as `tcp=tool0:0,0,0.12`; without a parent, at the end of the arm."""
    expected = "NAME=PARENT:POSE, such as tcp=tool0:0,0,0.12"
    name, place = typed_values.two_parts(word, "--add-frame", expected)
    parent, colon, pose = (part.strip() for part in place.rpartition(":"))
    if not pose:
        raise typed_values.wrong_value("--add-frame", expected, word)
    if robot.value.coordinates not in _OF_LINKS:
        message = f"--add-frame: {robot.value.name} has a platform: expected a robot of links and joints"
        raise InputError(message, code="E405")
    parent_frame = typed_values.frame_of(parent) if colon and parent else None
    return checked(robot.then("with_frame", name, parent_frame, _pose(pose, "--add-frame")), "add_frame")
