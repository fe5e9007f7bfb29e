"""Values as people type them, by their kind, and what a public function is given for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from inspect import signature
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import Any, Union

import robosym as rs
from robosym.app.menus.calls import Call
from robosym.errors import InputError, closest

__all__ = [
    "LAWS", "READ", "REPEATED", "TRUTH", "TRUTH_KINDS", "axis", "interpreted", "motors", "opposite", "quantities",
    "quantity", "read_value", "robot_with",
]  # fmt: skip

#: words for yes and no
TRUTH = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}
TRUTH_KINDS = ("flag", "yes or no", "friction")  #: kinds of options that are answered with such a word


def _number(text: str) -> int:
    if not re.fullmatch(r"[+-]?\d{1,9}", text):
        raise InputError(f"expected a number, found {text!r}")
    return int(text)


def _decimal(text: str) -> float:
    """A whole number stays one."""
    if re.fullmatch(r"[+-]?\d{1,9}", text):
        return int(text)
    try:
        found = float(text)
    except ValueError:
        found = float("nan")
    if not isfinite(found):
        raise InputError(f"expected a number, found {text!r}")
    return found


def _frame(text: str) -> int | str:
    """The number of a frame or, where the word is none, its name."""
    return int(text) if re.fullmatch(r"[+-]?\d{1,9}", text) else text


def _yes_or_no(text: str) -> str:
    found = TRUTH.get(text.lower())
    if found is None:
        raise InputError(f"expected yes or no, found {text!r}")
    return "yes" if found else "no"


def _friction(text: str) -> str:
    return text if text == "smooth" else _yes_or_no(text)


#: what a word becomes, by the kind of the value; every other kind stays a text until the call is made
READ: dict[str, Callable[[str], Any]] = {
    "file": Path,
    "frame": _frame,
    "number": _number,
    "numbers": lambda text: [_number(word.strip()) for word in text.split(",")],
    "joints": lambda text: [_frame(word.strip()) for word in text.split(",")],
    "decimal": _decimal,
    "decimals": lambda text: [_decimal(word.strip()) for word in text.split(",")],
    "yes or no": _yes_or_no,
    "friction": _friction,
    "flag": lambda text: _yes_or_no(text) == "yes",
}
#: kinds of options that may be repeated
REPEATED = ("texts", "values", "known", "ranges", "motors", "stops", "columns", "pairs")


def read_value(kind: str, text: str) -> Any:
    """The value; an error says what was expected."""
    return READ[kind](text) if kind in READ else text


def opposite(word: str) -> str:
    """The option that says no: --no-tree for --tree, --browser for --no-browser."""
    return f"--{word[5:]}" if word.startswith("--no-") else f"--no-{word[2:]}"


# ------------------------------------------------------------------------- what a function is given for a value


def interpreted(kind: str, value: Any, word: str, robot: Call | None = None) -> Any:
    """The value of an option as an argument of a public function; `word` is the option, for errors."""
    if kind in ("values", "known") and isinstance(value, Mapping):
        return value
    if kind in INTERPRETED and (isinstance(value, str) or kind in REPEATED):
        return INTERPRETED[kind](value, word, robot)
    return value


def quantity(text: object, word: str) -> float:
    """A number, an expression without symbols, or an angle with its unit: 0.3, Pi/2, 30deg."""
    from robosym.algebra import Graph, evaluate, parse
    from robosym.mechanism.screws import in_radians

    try:
        return evaluate([parse(in_radians(str(text)), Graph())], {})[0]
    except (rs.Error, KeyError):
        raise _wrong(word, "a number", text) from None


def quantities(text: str, word: str) -> list[float]:
    """Several, commas between."""
    return [quantity(part.strip(), word) for part in text.split(",")]


def _wrong(word: str, expected: str, found: object) -> InputError:
    return InputError(f"{word}: expected {expected}, found {found!r}", code="E403")


def _parts(text: str, word: str, expected: str, mark: str = "=") -> tuple[str, str]:
    """What stands before and behind a mark."""
    name, between, value = (part.strip() for part in text.partition(mark))
    if not name or not between or not value:
        raise _wrong(word, expected, text)
    return name, value


def _numbers_by_name(words: Sequence[str], word: str) -> dict[int | str, float]:
    expected, found = "NAME=NUMBER, such as t1=0.3 or t2=Pi/4", dict[Union[int, str], float]()
    for text in words:
        name, value = _parts(text, word, expected)
        try:
            found[_frame(name)] = quantity(value, word)
        except InputError:
            raise _wrong(word, expected, text) from None
    return found


def _whole_numbers(text: str, word: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise _wrong(word, "whole numbers between commas", text) from None


def axis(text: str, word: str) -> list[float]:
    """FROM:TO:COUNT, or numbers between commas."""
    ends = text.split(":")
    if len(ends) == 1:
        return quantities(text, word)
    if len(ends) != 3 or not re.fullmatch(r"\s*[1-9]\d{0,8}\s*", ends[2]):
        raise _wrong(word, "FROM:TO:COUNT", text)
    low, high, count = quantity(ends[0], word), quantity(ends[1], word), int(ends[2])
    return [low + (high - low) * k / max(count - 1, 1) for k in range(count)]


def _ranges(words: Sequence[str], word: str) -> dict[str, tuple[float, ...]]:
    expected, found = "NAME=LOW:HIGH or NAME=NUMBER, such as q=-Pi:Pi", {}
    for text in words:
        name, ends = _parts(text, word, expected)
        try:
            found[name] = tuple(quantity(end, word) for end in ends.split(":"))
        except InputError:
            raise _wrong(word, expected, text) from None
    return found


def _law(text: str, word: str, robot: Call) -> Call:
    """`computed_torque:kp=100,kd=20`; a gain for each joint by slashes, kp=100/80/60."""
    name, _, entries = text.partition(":")
    name = name.strip().replace("-", "_")
    if name not in LAWS:
        message = f"{word}: expected one of {', '.join(LAWS)}, found {name!r}{closest(name, LAWS)}"
        raise InputError(message, code="E402")
    gains: dict[str, Any] = {}
    known = list(signature(getattr(rs, name)).parameters)[1:]
    for entry in filter(None, (part.strip() for part in entries.split(","))):
        key, value = _parts(entry, word, "LAW:kp=100,kd=20")
        if key not in known:
            raise InputError(f"{word}: {name} has no gain {key!r}{closest(key, known)}: it has {', '.join(known)}")
        numbers = [quantity(part, word) for part in value.split("/")]
        gains[key] = numbers[0] if len(numbers) == 1 else numbers
    return Call(name, robot, **gains)


def motors(words: Sequence[str], word: str, robot: Call) -> dict[int, dict[str, str]]:
    """Entries of motors by joint: `2:torque=20,ratio=50`."""
    expected, found = "JOINT:torque=20,ratio=50", dict[int, dict[str, str]]()
    names = [entry.name for entry in fields(rs.Actuator)]
    for text in words:
        joint, entries = _parts(text, word, expected, ":")
        number = robot.value.joint_number(_frame(joint), word)
        if number not in robot.value.tree_joints:
            known = ", ".join(map(str, robot.value.tree_joints))
            raise _wrong(word, f"{expected} with a joint of {known}", text)
        for entry in entries.split(","):
            name, equals, value = (part.strip() for part in entry.partition("="))
            if not equals or name not in names:
                message = f"{word}: unknown {name!r}{closest(name, names)}: a motor has {', '.join(names)}"
                raise InputError(message, code="E402")
            found.setdefault(number, {})[name] = value
    return found


def _actuators(words: Sequence[str], word: str, robot: Call) -> dict[int, Call]:
    """An actuator for each joint that is given; its torque is a symbol where it is not."""
    given = motors(words, word, robot)
    return {j: Call("Actuator", **{"torque": f"TMAX{j}", **entries}) for j, entries in given.items()}


def _stops(words: Sequence[str], word: str) -> bool | dict[int | str, tuple[float, float]]:
    """`limits` for those of the description, or `2=-1.5,1.5`."""
    if list(words) == ["limits"]:
        return True
    expected, found = "limits, or JOINT=LOWER,UPPER such as 2=-1.5,1.5", dict[Union[int, str], tuple[float, float]]()
    for text in words:
        joint, ends = _parts(text, word, expected)
        pair = quantities(ends, word)
        if len(pair) != 2:
            raise _wrong(word, expected, text)
        found[_frame(joint)] = (pair[0], pair[1])
    return found


def _terms(text: str, word: str) -> str | Call:
    return text if text == "auto" else Call("Friction.of", text)


def _pairs(words: Sequence[str], word: str) -> list[tuple[int | str, int | str]]:
    found = []
    for text in words:
        first, second = _parts(text, word, "two frames, such as 3,6 or base,tool0", ",")
        if "," in second:
            raise _wrong(word, "two frames, such as 3,6 or base,tool0", text)
        found.append((_frame(first), _frame(second)))
    return found


def _pose(text: str, word: str) -> Any:
    from robosym.app.menus.pose_texts import pose_from

    return pose_from(text, word)


#: laws that a simulation can follow
LAWS = (
    "computed_torque", "predictive_control", "feedforward", "pd_gravity", "operational_control", "impedance_control",
    "adaptive_control",
)  # fmt: skip
#: by the kind of the value, which is a text, or texts where the option may be repeated
INTERPRETED: dict[str, Callable[[Any, str, Any], Any]] = {
    "yes or no": lambda text, word, _: TRUTH.get(text.lower(), text),
    "friction": lambda text, word, _: TRUTH.get(text.lower(), text),
    "values": lambda words, word, _: _numbers_by_name(words, word),
    "known": lambda words, word, _: _numbers_by_name(words, word) if any("=" in w for w in words) else words,
    "quantity": lambda text, word, _: quantity(text, word),
    "quantities": lambda text, word, _: quantities(text, word),
    "whole numbers": lambda text, word, _: _whole_numbers(text, word),
    "axis": lambda text, word, _: axis(text, word),
    "ranges": lambda words, word, _: _ranges(words, word),
    "pose": lambda text, word, _: _pose(text, word),
    "law": _law,
    "followed": lambda text, word, _: text if text.endswith(".csv") else {"q_desired": quantities(text, word)},
    "motors": _actuators,
    "stops": lambda words, word, _: _stops(words, word),
    "terms": lambda text, word, _: _terms(text, word),
    "columns": lambda words, word, _: dict(_parts(text, word, "q1=NAME") for text in words),
    "pairs": lambda words, word, _: _pairs(words, word),
}


# ------------------------------------------------------------------------------------------------- the robot


def robot_with(values: Mapping[str, Any], named: str = "", resolve: Callable[[], Any] | None = None) -> Call:
    """The robot of a command: read, with values that are set, with more frames, with inputs that are kept."""
    how: dict[str, Any] = {"floating": True} if values.get("floating") else {}
    for text in values.get("xacro") or ():
        name, value = _parts(text.replace(":=", "=", 1), "--xacro", "NAME=VALUE, such as name=ur5e")
        how.setdefault("arguments", {})[name] = value
    given = values["robot"]
    if isinstance(given, str | PathLike):
        robot = Call("load", given, **how).found_by(resolve)
    else:  # a surface that has read or made it
        robot = Call("load", named or given.name, **how).known(given)
    if values.get("set"):
        robot = _settled(robot, values["set"])
    for text in values.get("add_frame") or ():
        robot = _with_frame(robot, text)
    return robot.then("with_inputs", *values["inputs"]) if values.get("inputs") else robot


def _settled(robot: Call, words: Sequence[str]) -> Call:
    """Parameters by their symbol, anything else by its path (see `Robot.edit`)."""
    values: dict[str, Any] = {}
    changes: dict[str, Any] = {}
    for word in words:
        name, text = _parts(word, "--set", "NAME=VALUE, such as D3=0.45 or link6.FX=F")
        value: Any = [part.strip() for part in text[1:-1].split(",")] if text[0] + text[-1] == "[]" else text
        is_entry = "." in name or name.partition("[")[0] in ("gravity", "name", "title")
        if is_entry and name not in robot.value.parameters:
            changes[name] = int(text) if text.lstrip("+-").isdigit() else value
        else:
            values[name] = value
    robot = robot.then("with_values", values) if values else robot
    return robot.then("edit", changes) if changes else robot


def _with_frame(robot: Call, word: str) -> Call:
    """A fixed frame such as `tcp=tool0:0,0,0.12`; without a parent on the end of the arm."""
    expected = "NAME=PARENT:POSE, such as tcp=tool0:0,0,0.12"
    name, place = _parts(word, "--add-frame", expected)
    parent, colon, pose = (part.strip() for part in place.rpartition(":"))
    if not pose:
        raise _wrong("--add-frame", expected, word)
    if robot.value.coordinates not in ("joints", "active", "motors"):
        message = f"--add-frame: {robot.value.name} has a platform: expected a robot of links and joints"
        raise InputError(message, code="E405")
    return robot.then("with_frame", name, _frame(parent) if colon and parent else None, _pose(pose, "--add-frame"))
