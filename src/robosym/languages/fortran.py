"""Fortran: a module in free form, or a subroutine in lines of 72 columns for old compilers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from robosym.algebra import Style
from robosym.errors import InputError
from robosym.languages import c
from robosym.languages.header import describe
from robosym.languages.program import Part, Program, double, function_name, shared_values, wrapped
from robosym.model import Model, shape

__all__ = ["code"]


def _number(value: Fraction | float) -> str:
    text = double(value)
    return text.replace("e", "d") if "e" in text else f"{text}d0"


@dataclass(frozen=True)
class _Style(Style):
    def function(self, name: str, arguments: Sequence[str]) -> str:
        if name == "pow":
            return f"(({arguments[0]})**({arguments[1]}))"
        return super().function(name, arguments)


STYLE = _Style(number=_number, pi="3.141592653589793d0", functions={"sign": "robosym_sign"})
# Fortran reserves no word, but a local name hides an intrinsic function
RESERVED = frozenset(
    """sin cos tan asin acos atan atan2 sqrt exp log abs sign robosym_sign if do end call data real integer double
    precision return subroutine function module type use contains implicit none intent in out shared constants
    then else where print write read stop go to goto while case select common save""".split()
)


def _spell(name: str) -> str:
    """A name starts with a letter and has at most 63 characters, of which some are left for marks."""
    return (name if name[0] != "_" else f"x{name}")[:56]


class _Layout:
    """How lines are broken: `&` at the end in free form, a sign in column 6 in fixed form."""

    def __init__(self, fixed: bool) -> None:
        self.fixed = fixed
        self.lead = "      " if fixed else "    "
        # old compilers take 19 continuation lines, Fortran 90 takes 39
        self.longest = 19 * 60 if fixed else 39 * 110

    def comment(self, line: str) -> str:
        return f"c {line}".rstrip()[:72] if self.fixed else f"! {line}".rstrip()

    def line(self, head: str, text: str) -> str:
        if self.fixed:
            return wrapped(f"{self.lead}{head}", text, "", 72, "     &  ")
        return wrapped(f"{self.lead}{head}", text, "", 110, f"{self.lead}    ", " &")

    def assign(self, name: str, text: str) -> list[str]:
        """An assignment, its sum taken in steps where it needs more continuation lines than compilers take."""
        lines: list[str] = []
        while len(text) > self.longest:
            signs = [m.start() for m in re.finditer(r" [-+] ", text[: self.longest])]
            cut = max((place for place in signs if _closed(text[:place])), default=0)
            if not cut:
                break
            lines.append(self.line(f"{name} = ", text[:cut]))
            text = f"{name}{text[cut:]}"
        return [*lines, self.line(f"{name} = ", text)]

    def names(self, head: str, names: Iterable[str]) -> list[str]:
        """A declaration, a few names a line."""
        lines, row = [], ""
        width = 72 if self.fixed else 110
        for name in names:
            if row and len(self.lead) + len(head) + len(row) + len(name) + 2 > width:
                lines.append(f"{self.lead}{head}{row}")
                row = ""
            row = f"{row}, {name}" if row else name
        return [*lines, f"{self.lead}{head}{row}"] if row else lines


def _closed(text: str) -> bool:
    return text.count("(") == text.count(")")


class _Source:
    def __init__(self, model: Model, fixed: bool, init: bool) -> None:
        self.model = model
        self.layout = _Layout(fixed)
        self.fixed = fixed
        self.init = init
        self.name = _spell(function_name(model))
        reserved = RESERVED | {self.name, f"{self.name}_init"}
        self.program = Program(model, STYLE, reserved, caseless=True, spell=_spell, constants=init)
        self.groups = {**self.program.groups, "constants": "constants", "shared": "shared"}

    def size(self, group: str) -> str:
        if group == "constants":
            return str(max(len(self.program.constants), 1))
        if group in self.model.inputs:
            return str(len(self.model.inputs[group]))
        return ",".join(map(str, shape(self.model.outputs[group])))

    def entry(self, group: str, place: int) -> str:
        """Places count from 1; a matrix has a row and a column."""
        size = shape(self.model.outputs[group]) if group in self.model.outputs else (0,)
        if len(size) == 2:
            return f"{self.groups[group]}({place // size[1] + 1},{place % size[1] + 1})"
        return f"{self.groups[group]}({place + 1})"

    def subroutine(self, name: str, read: list[str], written: list[str], part: Part, shared: int = 0) -> list[str]:
        """One subroutine; `shared` values of several parts pass through its last argument."""
        layout, kind = self.layout, "double precision"
        arguments = [self.groups[g] for g in (*read, *written)] + (["shared"] if shared else [])
        lines = [layout.line(f"subroutine {name}(", f"{', '.join(arguments)})"), f"{layout.lead}implicit none"]
        for groups, intent in ((read, "in"), (written, "out")):
            head = f"{kind} " if self.fixed else f"{kind}, intent({intent}) :: "
            # one part of several writes some outputs only
            head = head.replace("intent(out)", "intent(inout)") if shared else head
            lines += layout.names(head, [f"{self.groups[g]}({self.size(g)})" for g in groups])
        if shared:
            lines += layout.names(f"{kind} " if self.fixed else f"{kind}, intent(inout) :: ", [f"shared({shared})"])
        local = [n for _, _, n in part.inputs] + [n for _, n in part.taken] + [s.name for s in part.statements]
        lines += layout.names(f"{kind} " if self.fixed else f"{kind} :: ", local)
        if self.fixed and any("robosym_sign" in text for text in _texts(part)):
            lines += [f"{layout.lead}double precision robosym_sign", f"{layout.lead}external robosym_sign"]
        for group, place, n in part.inputs:
            lines += layout.assign(n, self.entry(group, place))
        for slot, n in part.taken:
            lines += layout.assign(n, f"shared({slot + 1})")
        for statement in part.statements:
            lines += layout.assign(statement.name, statement.text)
        for group, place, text in part.outputs:
            lines += layout.assign(self.entry(group, place), text)
        for slot, n in part.left:
            lines += layout.assign(f"shared({slot + 1})", n)
        return [*lines, f"{layout.lead}end{'' if self.fixed else ' subroutine'}", ""]

    def function(self, name: str, read: list[str], written: list[str], parts: list[Part]) -> list[str]:
        if len(parts) == 1:
            return self.subroutine(name, read, written, parts[0])
        layout, shared = self.layout, max(shared_values(parts), 1)
        lines: list[str] = []
        for number, part in enumerate(parts, 1):
            lines += self.subroutine(f"{name}_{number}", read, written, part, shared)
        arguments = [self.groups[g] for g in (*read, *written)]
        lines += [layout.line(f"subroutine {name}(", f"{', '.join(arguments)})"), f"{layout.lead}implicit none"]
        for groups, intent in ((read, "in"), (written, "out")):
            head = "double precision " if self.fixed else f"double precision, intent({intent}) :: "
            lines += layout.names(head, [f"{self.groups[g]}({self.size(g)})" for g in groups])
        lines += layout.names("double precision " if self.fixed else "double precision :: ", [f"shared({shared})"])
        passed = f"{', '.join([*arguments, 'shared'])})"
        lines += [layout.line(f"call {name}_{i}(", passed) for i in range(1, len(parts) + 1)]
        return [*lines, f"{layout.lead}end{'' if self.fixed else ' subroutine'}", ""]


def _texts(part: Part) -> Iterable[str]:
    yield from (s.text for s in part.statements)
    yield from (text for _, _, text in part.outputs)


def _sign(layout: _Layout) -> list[str]:
    head = ["double precision function robosym_sign(x)", "implicit none"]
    head += ["double precision x"] if layout.fixed else ["double precision, intent(in) :: x"]
    body = ["robosym_sign = x", "if (x .gt. 0.0d0) robosym_sign = 1.0d0", "if (x .lt. 0.0d0) robosym_sign = -1.0d0"]
    return [f"{layout.lead}{line}" for line in (*head, *body, "end" if layout.fixed else "end function")] + [""]


def code(model: Model, *, form: str = "free", init: bool = False) -> str:
    """A module of one subroutine, or ("fixed") a subroutine alone; arrays in a fixed order, matrices as A(row, column).

    With `init` a second subroutine computes, once, the array `constants` that the first one takes.
    """
    if form not in ("free", "fixed"):
        raise InputError(f"form: expected 'free' or 'fixed', found {form!r}")
    fixed = form == "fixed"
    source = _Source(model, fixed, init)
    layout, program, name = source.layout, source.program, source.name
    lines = [layout.comment(line) for line in describe(model)] + [layout.comment("")]
    if not fixed:
        lines += [f"module {name}_module", "  implicit none", "  private", f"  public :: {name}"]
        lines += [f"  public :: {name}_init"] if init else []
        lines += ["contains", ""]
    outputs = list(model.outputs)
    if init:
        lines += source.function(f"{name}_init", program.offline_groups, ["constants"], program.offline(c.STATEMENTS))
        lines += source.function(name, [*program.online_groups, "constants"], outputs, program.online(c.STATEMENTS))
    else:
        lines += source.function(name, list(model.inputs), outputs, program.whole(c.STATEMENTS))
    if any(node.op == "sign" for node in model.nodes):
        lines += _sign(layout)
    if not fixed:
        lines += [f"end module {name}_module", ""]
    return "\n".join(lines)
