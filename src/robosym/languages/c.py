"""C99: functions over arrays without allocation, and a header for C and C++.

The source also compiles as C++: in C, `ROBOSYM_ARRAY(6)` declares an array of at least six elements without aliases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from robosym.algebra import FUNCTIONS, Style
from robosym.errors import InputError
from robosym.languages.functions import Function, Functions
from robosym.languages.header import describe, guarded
from robosym.languages.language import Language, register
from robosym.languages.program import Array, Part, double, wrapped
from robosym.languages.reading.dialect import Dialect, Span
from robosym.languages.reserved import C_WORDS
from robosym.languages.solution_c import solution_c, solution_header
from robosym.model import Model
from robosym.safe_text import include_line

__all__ = ["KEYWORDS", "STYLE", "C", "spell"]

STYLE = Style(
    number=double,
    pi="3.141592653589793",
    functions={"abs": "fabs", "sign": "robosym_sign"},
)
SINGLE = Style(
    number=lambda value: f"{double(value)}f",
    pi="3.14159274f",
    functions={**{name: f"{name}f" for name in (*FUNCTIONS, "pow")}, "abs": "fabsf", "sign": "robosym_signf"},
)
KEYWORDS = C_WORDS | {"robosym_sign", "robosym_signf", "shared", "constants"}
#: guarded, so that several generated files can be included in one source
SIGN = """#ifndef ROBOSYM_SIGN
#define ROBOSYM_SIGN
static double robosym_sign(double x) { return x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : x); }
#endif"""
SIGN_SINGLE = """#ifndef ROBOSYM_SIGNF
#define ROBOSYM_SIGNF
static float robosym_signf(float x) { return x > 0.0f ? 1.0f : (x < 0.0f ? -1.0f : x); }
#endif"""
ARRAY = """#ifndef ROBOSYM_ARRAY
#ifdef __cplusplus
#define ROBOSYM_ARRAY(n) n
#else
#define ROBOSYM_ARRAY(n) static restrict n
#endif
#endif
"""


def spell(name: str) -> str:
    """Return a valid name: a leading underscore may be reserved, as in `__LINE__` or `_Generic`."""
    return f"x{name}" if name.startswith("_") else name


def _signature(name: str, arguments: Sequence[str], storage: str = "") -> str:
    text = f"{storage}void {name}({', '.join(arguments)})"
    return text if len(text) <= 100 else text.replace(", ", ",\n    ")


class _Source(Functions):
    """The functions of one model; with `init`, parameters and constants are structs."""

    def __init__(self, model: Model, init: bool, precision: str, name: str, prefix: str) -> None:
        if precision not in _PRECISIONS:
            raise InputError(f"precision: expected {' or '.join(_PRECISIONS)}, found {precision!r}")
        self.scalar, style = _PRECISIONS[precision]
        language = C if style is STYLE else replace(C, style=style)
        super().__init__(model, language, init, name=name, prefix=prefix)

    def description(self) -> list[str]:
        """Return the lines of the header comment, with the stack usage."""
        stack = f"Stack: at most {self.stack} bytes per call, excluding sin, cos and other library functions"
        return [*describe(self.model, C), stack]

    # ---------------------------------------------------------------- types

    def types(self) -> str:
        """Return the structs of the parameters and of the constants, guarded since header and source define them."""
        if not self.init:
            return ""
        lines: list[str] = []
        for array in (*self.program.read_once, self.program.constants):
            names = array.entries or ("none",)
            rows = [f"    {self.scalar} {', '.join(names[i : i + 12])};" for i in range(0, len(names), 12)]
            lines += ["typedef struct {", *rows, f"}} {self.name}_{array.group};", ""]
        return "\n".join([*guarded(self.name, "TYPES", lines[:-1]), ""])

    def argument(self, array: Array) -> str:
        if self.init and array.once:
            return f"{self.name}_{array.group} *{array.name}"
        return f"{self.scalar} {array.name}[ROBOSYM_ARRAY({array.size})]"

    def arguments(self, function: Function) -> list[str]:
        read = [f"const {self.argument(array)}" for array in function.read]
        return read + [self.argument(array) for array in function.written]

    def declarations(self) -> str:
        return "\n".join(f"{_signature(f.name, self.arguments(f))};" for f in self.called)

    # --------------------------------------------------------------- bodies

    def entry(self, array: Array, place: int) -> str:
        """Return the expression of an array element or struct field."""
        return f"{array.name}->{array.entries[place]}" if self.init and array.once else f"{array.name}[{place}]"

    def declare(self, name: str, text: str) -> str:
        return self.assign(f"const {self.scalar} {name}", text)

    def assign(self, target: str, text: str) -> str:
        return wrapped(f"    {target} = ", text, ";", 110, "        ")

    def body(self, function: Function, part: Part) -> list[str]:
        used = {array.name for array, _, _ in (*part.inputs, *part.outputs)}
        unused = [name for name in function.arguments if name not in used]
        unused += ["shared"] if function.is_cut and not part.taken and not part.left else []
        return [*(f"    (void){name};" for name in unused), *super().body(function, part)]

    def space(self, function: Function) -> str:
        return f"    {self.scalar} shared[{function.shared}];"

    def call(self, function: Function, name: str) -> str:
        return f"    {name}({', '.join([*function.arguments, 'shared'])});"

    def define(self, function: Function, name: str, lines: list[str], is_part: bool = False) -> list[str]:
        shared = [f"{self.scalar} shared[ROBOSYM_ARRAY({function.shared})]"] if is_part else []
        arguments = self.arguments(function) + shared
        return [_signature(name, arguments, "static " if is_part else ""), "{", *lines, "}", ""]


#: scalar type and expression style per precision
_PRECISIONS = {"double": ("double", STYLE), "single": ("float", SINGLE)}


def _code(
    model: Model, *, init: bool = False, precision: str = "double", name: str = "", prefix: str = "", header: str = ""
) -> str:
    """Return the source file, which includes `header` or is self-contained.

    With `init`, parameters and constants are structs and `..._init` computes the constants once. `precision` is
    "double" or "single"; `name` and `prefix` set the function names.
    """
    source = _Source(model, init, precision, name, prefix)
    head = C.commented(source.description())
    lines = [*head, "", *([include_line(header)] if header else []), "#include <math.h>", ""]
    lines += [SIGN if precision == "double" else SIGN_SINGLE, ""] if any(n.op == "sign" for n in model.nodes) else []
    lines += [] if header else [ARRAY, f"{source.types()}{source.declarations()}", ""]
    for function in source.called:
        lines += [line for definition in source.definitions(function) for line in definition]
    return "\n".join(lines)


def _header(model: Model, *, init: bool = False, precision: str = "double", name: str = "", prefix: str = "") -> str:
    """Return the header file for C and C++."""
    fixed = precision == "fixed" and not init  # 32-bit integers: the functions are in an object file
    source = _Source(model, init, "double" if fixed else precision, name, prefix)
    if fixed:
        source.scalar = "int32_t"
    lines = ["#include <stdint.h>", ""] if fixed else []
    lines += ["#ifdef __cplusplus", 'extern "C" {', "#endif", "", ARRAY]
    lines += [f"{source.types()}{source.declarations()}", "", "#ifdef __cplusplus", "}", "#endif"]
    return "\n".join([*C.commented(source.description()), *guarded(source.name, "H", lines)])


def _statements(lines: list[Span]) -> list[Span]:
    """Split at semicolons and braces; preprocessor lines are skipped."""
    body = Span.of_lines(line for line in lines if not line.text.lstrip().startswith("#"))
    depth = start = 0
    found: list[Span] = []
    for index, character in enumerate(body.text):
        depth += (character in "([") - (character in ")]")
        if character in "{}" or (character == ";" and depth <= 0):
            piece = body[start:index].stripped()
            if character != "{" or "=" in piece.text:  # a brace without `=` follows a function head
                found.append(piece)
            start = index + 1
    return [*found, body[start:].stripped()]


C = register(
    Language(
        name="c",
        code=_code,
        extensions={".c": {}},
        comment=("/*", " * ", " */"),
        beside=("h",),
        style=STYLE,
        reserved=KEYWORDS,
        spell=spell,
        solution=solution_c,
        reading=(
            Dialect(
                name="c",
                cut=_statements,
                extensions=(".c", ".h"),
                seen="#include",
                blocks=(("/*", "*/"),),
                line_marks=("//",),
                ignored=r"(extern|static|void|typedef|return|double [\w, \n\t*]+$|double shared\[|\(void\)"
                r"|\w+\([\w, ]*\)$)",
                first=0,
                elements=True,
                functions={"fabs": "abs", "robosym_sign": "sign", "robosym_signf": "sign"},
            ),
        ),
    )
)
register(Language(name="h", code=_header, extensions={".h": {}}, solution=solution_header))
