"""Fortran: a module in free form, or a subroutine in fixed form (72 columns) for old compilers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from robosym.algebra import Style
from robosym.errors import InputError
from robosym.languages.functions import Function, Functions
from robosym.languages.header import describe
from robosym.languages.language import Language, register
from robosym.languages.program import Array, Part, double, function_name, wrapped
from robosym.languages.reading.dialect import Dialect, Span
from robosym.languages.reserved import FORTRAN_WORDS
from robosym.model import Model
from robosym.safe_text import comment

__all__ = ["FORTRAN"]


def _number(value: Fraction | float) -> str:
    text = double(value)
    return text.replace("e", "d") if "e" in text else f"{text}d0"


STYLE = Style(number=_number, pi="3.141592653589793d0", functions={"sign": "robosym_sign", "pow": "(({0})**({1}))"})
RESERVED = FORTRAN_WORDS | {"robosym_sign", "shared", "constants"}


def _spell(name: str) -> str:
    """Return a name that starts with a letter."""
    return f"x{name}" if name.startswith("_") else name


class _Layout:
    """Line layout: continuation by `&` at the end in free form, by a character in column 6 in fixed form."""

    def __init__(self, fixed: bool) -> None:
        self.fixed = fixed
        self.lead = "      " if fixed else "    "
        # 19 continuation lines are allowed in FORTRAN 77, 39 in Fortran 90
        self.longest = 19 * 60 if fixed else 39 * 110

    def comment(self, line: str) -> str:
        text = comment(line)
        return f"c {text}".rstrip()[:72] if self.fixed else f"! {text}".rstrip()

    def line(self, head: str, text: str) -> str:
        if self.fixed:
            return wrapped(f"{self.lead}{head}", text, "", 72, "     &  ")
        return wrapped(f"{self.lead}{head}", text, "", 110, f"{self.lead}    ", " &")

    def assign(self, name: str, text: str) -> list[str]:
        """Return an assignment, split into several if the sum needs more continuation lines than allowed."""
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
        """Return declarations of the names within the line width."""
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


class _Source(Functions):
    def __init__(self, model: Model, fixed: bool, init: bool, name: str, prefix: str) -> None:
        # FORTRAN 77 compilers allow at most 31 characters
        language = replace(FORTRAN, longest=31) if fixed else FORTRAN
        own = function_name(model, name, prefix, language)
        # an external function is visible in the whole program; in a module it is private
        self.sign = f"{own}_sign" if fixed else "robosym_sign"
        language = replace(language, style=replace(STYLE, functions={**STYLE.functions, "sign": self.sign}))
        super().__init__(model, language, init, frozenset({self.sign}), name, prefix)
        self.layout = _Layout(fixed)
        self.fixed = fixed

    def variables(self, names: Iterable[str], intent: str = "") -> list[str]:
        """Return the declaration of variables, or of arguments with an `intent`."""
        kind = "" if self.fixed else f", intent({intent}) ::" if intent else " ::"
        return self.layout.names(f"double precision{kind} ", names)

    def entry(self, array: Array, place: int) -> str:
        return f"{array.name}({','.join(map(str, array.indices(place)))})"

    def shared(self, place: int) -> str:
        return f"shared({place + 1})"

    def declare(self, name: str, text: str) -> str:
        return self.assign(name, text)

    def assign(self, target: str, text: str) -> str:
        return "\n".join(self.layout.assign(target, text))

    def body(self, function: Function, part: Part) -> list[str]:
        loads = [n for _, _, n in part.inputs] + [n for _, n in part.taken]
        lines = self.variables([*loads, *(s.name for s in part.statements)])
        texts = [s.text for s in part.statements] + [text for _, _, text in part.outputs]
        if self.fixed and any(self.sign in text for text in texts):
            lines += [f"{self.layout.lead}double precision {self.sign}", f"{self.layout.lead}external {self.sign}"]
        return [*lines, *super().body(function, part)]

    def space(self, function: Function) -> str:
        [line] = self.variables([f"shared({function.shared})"])
        return line

    def call(self, function: Function, name: str) -> str:
        passed = ", ".join(function.arguments)
        return self.layout.line(f"call {name}(", f"{passed}, shared)")

    def define(self, function: Function, name: str, lines: list[str], is_part: bool = False) -> list[str]:
        arguments = [*function.arguments, *(["shared"] if is_part else [])]
        head = [self.layout.line(f"subroutine {name}(", f"{', '.join(arguments)})"), f"{self.layout.lead}implicit none"]
        # a part writes only some of the outputs
        for arrays, intent in ((function.read, "in"), (function.written, "inout" if is_part else "out")):
            sizes = [",".join(str(max(n, 1)) for n in array.shape) for array in arrays]
            named = [f"{array.name}({size})" for array, size in zip(arrays, sizes, strict=True)]
            head += self.variables(named, intent)
        head += self.variables([f"shared({function.shared})"], "inout") if is_part else []
        return [*head, *lines, f"{self.layout.lead}end{'' if self.fixed else ' subroutine'}", ""]


def _sign(layout: _Layout, name: str) -> list[str]:
    head = (
        ["double precision", f"     &function {name}(x)"] if layout.fixed else [f"double precision function {name}(x)"]
    )
    body = ["implicit none", "double precision x" if layout.fixed else "double precision, intent(in) :: x"]
    body += [f"{name} = x", f"if (x .gt. 0.0d0) {name} = 1.0d0", f"if (x .lt. 0.0d0) {name} = -1.0d0"]
    lines = [*head, *body, "end" if layout.fixed else "end function"]
    return [line if line.startswith("     &") else f"{layout.lead}{line}" for line in lines] + [""]


def _code(model: Model, *, form: str = "free", init: bool = False, name: str = "", prefix: str = "") -> str:
    """Return a module with one subroutine, or with form="fixed" a subroutine; matrices are A(row, column).

    With `init`, a second subroutine computes the array `constants` once, which the first one takes.
    """
    if form not in ("free", "fixed"):
        raise InputError(f"form: expected 'free' or 'fixed', found {form!r}")
    fixed = form == "fixed"
    source = _Source(model, fixed, init, name, prefix)
    layout, name = source.layout, source.name
    lines = [layout.comment(line) for line in describe(model, FORTRAN)] + [layout.comment("")]
    if not fixed:
        lines += [f"module {name}_module", "  implicit none", "  private", f"  public :: {name}"]
        lines += [f"  public :: {name}_init"] if init else []
        lines += ["contains", ""]
    for function in source.called:
        lines += [line for definition in source.definitions(function) for line in definition]
    if any(node.op == "sign" for node in model.nodes):
        lines += _sign(layout, source.sign)
    if not fixed:
        lines += [f"end module {name}_module", ""]
    return "\n".join(lines)


def _free_form(lines: list[Span]) -> list[Span]:
    found: list[list[Span]] = [[]]
    for line in lines:
        bare = line.stripped()
        if bare.text.endswith("&"):
            found[-1].append(bare[: len(bare.text) - 1])
        elif bare:
            found[-1].append(bare[1:] if bare.text.startswith("&") else bare)
            found.append([])
    return [Span.joined(parts).stripped() for parts in found]


def _fixed_form(lines: list[Span]) -> list[Span]:
    """Join continuation lines, which have a character in column 6."""
    found: list[list[Span]] = []
    for line in lines:
        head = line.text[:6]
        if len(head) == 6 and not head[:5].strip() and head[5] not in " 0" and found:
            found[-1].append(line[6:])
        elif line:
            found.append([line[6:] if not head.strip() else line.stripped()])
    return [Span.joined(parts).stripped() for parts in found]


_FREE = Dialect(
    name="fortran",
    cut=_free_form,
    extensions=(".f90",),
    line_marks=("!",),
    ignored=r"(?i)(subroutine|end\b|implicit|double precision|real\b|module|contains|private|public|use\b|call\b|return"
    r"|program|external|integer|common|if *\(x)",
    elements=True,
    functions={
        **{f"d{name}": name for name in "sin cos tan asin acos atan atan2 sqrt exp log tanh abs".split()},
    },
    value=lambda value: value.replaced(re.compile(r"(?<=[\d.])[dD](?=[-+]?\d)"), lambda _: "e").replaced(
        re.compile(r"(?i)\b\w+_sign(?=\s*\()"), lambda _: "sign"
    ),
)
FORTRAN = register(
    Language(
        name="fortran",
        code=_code,
        element="({})",
        first=1,
        extensions={".f90": {}, ".f": {"form": "fixed"}, ".for": {"form": "fixed"}},
        style=STYLE,
        reserved=RESERVED,
        caseless=True,
        spell=_spell,
        longest=63,
        reading=(
            _FREE,
            replace(_FREE, name="fortran77", cut=_fixed_form, extensions=(".f", ".for"), column_marks="cC*!"),
        ),
    )
)
