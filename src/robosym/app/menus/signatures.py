"""Derive the arguments and options of commands from the signatures and docstrings of public functions.

The annotation of a parameter determines the kind of its values (`TYPES`, or the choices of a `Literal`). Its default
is that of the option, and its entry in the section "Parameters" of the docstring is the help text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from inspect import Parameter, formatannotation, getdoc, signature, unwrap
from math import isfinite
from types import SimpleNamespace
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from robosym.app.menus.option_values import KINDS, TRUTH_KINDS
from robosym.mechanism.kinds import Needs

__all__ = ["ROBOT", "Argument", "Option", "Use", "declared_argument", "declared_options"]

#: how the value of an option is used:
#: "keyword"   as an argument of the public function;
#: "method"    as the argument of a method that replaces the result;
#: "function"  as the argument of a public function that replaces the result;
#: "save"      as the file to which the result or a part of it is written;
#: "file"      as the file to which a method of the result writes;
#: "delivery"  by the interface that computes or shows the result;
#: "robot"     to change the robot before the function is called;
#: "with"      as an argument of the public function `target`, which another option calls
Use = Literal["keyword", "method", "function", "save", "file", "delivery", "robot", "with"]

#: kind of value by annotation, without `| None`
TYPES = {
    "ArrayLike": "quantities", "Gain": "text", "Iterable[int]": "numbers", "Iterable[int | str]": "joints",
    "Mapping[str, float]": "values", "Mapping[str, float] | Sequence[str]": "known", "Rest": "values",
    "Robot": "robot", "Call": "robot", "Sequence[float]": "quantities", "Sequence[int]": "numbers",
    "Sequence[str]": "texts", "Union[str, Sequence[float]]": "text", "Union[str, Sequence[int]]": "text",
    "Weights": "values", "bool | str": "friction", "float": "quantity", "int": "number", "int | str": "frame",
    "str": "text", "str | Path": "file", "Path": "file", "Coordinates": "coordinates",
    "ArrayLike | Mapping[str, ArrayLike] | str | Path": "file",
    "Mapping[str, ArrayLike] | str | Path": "file", "Iterable[Motor | Mapping[str, Any]] | str | Path": "file",
}  # fmt: skip
#: parameters with the same meaning in every function: kind if the annotation is not enough, and robots they apply to
NAMED: dict[str, tuple[str, Needs]] = {
    "tool": ("pose", "no platform"), "gravity": ("", "no platform"), "modes": ("numbers", "platform"),
    "space": ("", "platform"), "structure": ("", "loops"), "active": ("", "loops"), "weights": ("", "loops"),
}  # fmt: skip
#: robots of parameters whose meaning depends on the function, by name and kind
AMBIGUOUS: dict[tuple[str, str], Needs] = {
    ("passive", "text"): "elastic joints",
    ("rest", "values"): "elastic joints",
    ("passive", "yes or no"): "platform",
    ("reference", "values"): "loops",
}
LABELS = {
    "structure": "Equivalent tree",
    "gravity": "Also gravity torques",
}  #: labels on the page for names that are not clear by themselves
_NEVER = ("self", "robot", "progress", "parameters")  #: never options; `--set` sets the symbols of a robot


@dataclass(frozen=True)
class Argument:
    """A positional argument of a command."""

    name: str
    kind: str  #: key of `option_values.KINDS`
    help: str
    optional: bool = False  #: whether the public function has a default


ROBOT = Argument(
    "robot", "robot", "Name of a robot of the library (see `robosym list`), or a file: .par, .yaml, .urdf, .xacro, "
    ".xml or .sdf.",
)  # fmt: skip


@dataclass(frozen=True)
class Option:
    """An option of a command; without a default here, that of the public function applies."""

    name: str  #: with underscores; on the command line with dashes
    kind: str  #: key of `option_values.KINDS`
    help: str = ""  #: {choices} is replaced by the list of choices
    default: Union[str, float, None] = None
    choices: Union[tuple[str, ...], Callable[[], Iterable[str]]] = ()  #: or a function that returns them
    short: str = ""  #: "-o"
    metavar: str = ""  #: placeholder of the value in the help; default: that of the kind
    use: Use = "keyword"
    target: str = ""  #: the keyword, method, function or part if it is not `name`
    stands_for: str = ""  #: value that a flag passes instead of True
    label: str = ""  #: label of its field on the page; default: the name
    needs: Needs = ""  #: kind of robot that the option needs; "" for every robot
    needed: Needs = ""  #: kind of robot that needs the option; "" for none
    written: bool = False  #: whether the command writes the file
    required: bool = False  #: whether the parameter has no default

    @property
    def word(self) -> str:
        """Name on the command line, with dashes."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def keyword(self) -> str:
        """Name of the argument, method or function that receives the value."""
        return self.target or self.name

    @property
    def stand_in(self) -> str:
        """Placeholder of the value in the help."""
        return KINDS[self.kind].metavar if self.kind in TRUTH_KINDS else self.metavar or KINDS[self.kind].metavar

    @property
    def repeated(self) -> bool:
        """Whether the option may be given several times."""
        return KINDS[self.kind].repeated

    @property
    def separator(self) -> str:
        """Separator of several values in a field: a semicolon if a value may contain commas."""
        return ";" if self.metavar or "," in KINDS[self.kind].metavar else ","

    def offered(self) -> tuple[str, ...]:
        """Return the choices; empty if any value is accepted."""
        return tuple(self.choices() if callable(self.choices) else self.choices)

    def text(self) -> str:
        """Return the help text with choices and default."""
        filled = self.help
        if "{choices}" in filled:
            filled = filled.replace("{choices}", ", ".join(self.offered()))
        elif not callable(self.choices) and not all(choice in filled for choice in self.choices):
            filled = f"{filled} One of: {', '.join(self.choices)}."
        filled += " May be repeated." if self.repeated else ""
        return filled.strip() if self.default is None else f"{filled} [default: {self.default}]".strip()


# ------------------------------------------------------------------------------------- read from a function


def described(function: Callable[..., Any]) -> dict[str, str]:
    """Return the descriptions in the section "Parameters" of a docstring (NumPy convention), by name."""
    _, _, section = (getdoc(unwrap(function)) or "").replace("`", "").partition("Parameters\n----------\n")
    found: dict[str, str] = {}
    names: list[str] = []
    for line in re.split(r"\n\n[^\n]+\n-{3,}\n", section)[0].splitlines():
        if line[:1].strip():
            names = [name.strip() for name in line.partition(" : ")[0].split(",")]
        else:
            found |= {name: f"{found.get(name, '')} {line.strip()}".strip() for name in names}
    return found


def declared_argument(function: Callable[..., Any], name: str) -> Argument:
    """Return the argument of a command for a parameter."""
    parameter = signature(function).parameters[name]
    kind, _ = _kind(function, parameter)
    return Argument(name, kind, described(function).get(name, ""), parameter.default is not Parameter.empty)


def declared_options(
    function: Callable[..., Any], names: Sequence[str] = (), leave: Sequence[str] = (), given: Sequence[Option] = ()
) -> list[Option]:
    """Return options for the parameters in `names`, by default for all that can be typed except those in `leave`.

    An option in `given` replaces that of its parameter; if it has no help text, it takes that of the parameter.
    """
    texts, found = described(function), list[Option]()
    for name, parameter in signature(function).parameters.items():
        if (names and name not in names) or name in leave or (name in _NEVER and name not in names):
            continue
        own = [option for option in given if option.keyword == name and option.use == "keyword"]
        declared = own or _declared(function, parameter, texts.get(name, ""))
        required = not names and parameter.default is Parameter.empty
        found += [replace(option, help=option.help or texts.get(name, ""), required=required) for option in declared]
    return found


def _declared(function: Callable[..., Any], parameter: Parameter, text: str) -> list[Option]:
    name = parameter.name
    kind, choices = _kind(function, parameter)
    label = LABELS.get(name, "")
    needs = NAMED[name][1] if name in NAMED else AMBIGUOUS.get((name, kind), "")
    if len(choices) == 1:  # one choice besides the default becomes a flag
        (word,) = choices
        text = text.removeprefix(f"{word}: ")
        text = text[:1].upper() + text[1:]
        return [Option(word, "flag", text, target=name, stands_for=word, label=label, needs=needs)]
    default = _default(kind, parameter.default)
    return [Option(name, kind, text, default, choices, label=label, needs=needs)] if kind else []


def _kind(function: Callable[..., Any], parameter: Parameter) -> tuple[str, tuple[str, ...]]:
    """Return the kind of the values of a parameter and their choices; "" if the values cannot be typed."""
    named = NAMED.get(parameter.name, ("", ""))[0]
    if parameter.annotation is Parameter.empty:
        return named, ()
    written = parameter.annotation
    text = (written if isinstance(written, str) else formatannotation(written)).removesuffix(" | None")
    if text not in TYPES and text != "bool":
        found = _resolved(function, written)
        if get_origin(found) is Literal:
            return "text", get_args(found)
        text = getattr(found, "__name__", str(found))
    if text == "bool":
        return "flag" if parameter.default is False else "yes or no", ()
    return named or TYPES.get(text, ""), ()


def _resolved(function: Callable[..., Any], written: Any) -> Any:
    """Return an annotation as a type without None; None if its names exist only for type checkers."""
    home = unwrap(function)
    try:
        hints = get_type_hints(SimpleNamespace(__annotations__={"it": written}), getattr(home, "__globals__", {}))
    except (NameError, TypeError):
        return None
    parts = [part for part in get_args(hints["it"]) if part is not type(None)]
    return parts[0] if len(parts) == 1 and get_origin(hints["it"]) is not Literal else hints["it"]


def _default(kind: str, value: object) -> str | float | None:
    """Return the default if it can be typed, else None."""
    if kind == "flag":
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) and value:
        return value
    return value if isinstance(value, int | float) and isfinite(value) else None
