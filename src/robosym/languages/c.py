"""C99: one function that allocates nothing, arrays in and out, and a header for C and C++."""

from __future__ import annotations

from collections.abc import Sequence

from robosym.algebra import Style
from robosym.languages.functions import Function, Functions
from robosym.languages.header import describe
from robosym.languages.language import Language, register
from robosym.languages.program import Array, Part, double, wrapped
from robosym.languages.reading.dialect import Dialect
from robosym.languages.reading.span import Span
from robosym.languages.solution_c import solution_c
from robosym.model import Model

__all__ = ["KEYWORDS", "STYLE", "C"]

STYLE = Style(
    number=double,
    pi="3.141592653589793",
    functions={"abs": "fabs", "sign": "robosym_sign"},
)
KEYWORDS = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    _Bool _Complex _Imaginary sin cos tan asin acos atan atan2 sqrt exp log tanh fabs pow main robosym_sign
    j0 j1 jn y0 y1 yn gamma signbit isnan div abs exit time near far asm typeof shared constants
    alignas alignof bool class complex delete explicit export false friend imaginary mutable namespace new nullptr
    operator private protected public template this throw true try typeid typename using virtual""".split()
)
SIGN = "static double robosym_sign(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; }"


def _signature(name: str, arguments: Sequence[str], storage: str = "") -> str:
    text = f"{storage}void {name}({', '.join(arguments)})"
    return text if len(text) <= 100 else text.replace(", ", ",\n    ")


class _Source(Functions):
    """The functions of one model; `init` moves what depends on parameters alone into a function of its own."""

    # ---------------------------------------------------------------- types

    def types(self) -> str:
        """The structures of the parameters and of the constants computed from them, in the source and in the header:
        whoever comes first."""
        if not self.init:
            return ""
        guard = f"{self.name.upper()}_TYPES"
        lines = [f"#ifndef {guard}", f"#define {guard}"]
        for array in (*self.program.read_once, self.program.constants):
            names = array.entries or ("none",)
            rows = [f"    double {', '.join(names[i : i + 12])};" for i in range(0, len(names), 12)]
            lines += ["typedef struct {", *rows, f"}} {self.name}_{array.group};", ""]
        return "\n".join([*lines, "#endif", "", ""])

    def argument(self, array: Array, restrict: str) -> str:
        kind = f"{self.name}_{array.group}" if self.init and array.once else "double"
        return f"{kind} *{restrict}{array.name}"

    def arguments(self, function: Function, restrict: str) -> list[str]:
        read = [f"const {self.argument(array, restrict)}" for array in function.read]
        return read + [self.argument(array, restrict) for array in function.written]

    def declarations(self) -> str:
        return "\n".join(f"{_signature(f.name, self.arguments(f, ''))};" for f in self.called)

    # --------------------------------------------------------------- bodies

    def entry(self, array: Array, place: int) -> str:
        """A place in an array, or a field."""
        return f"{array.name}->{array.entries[place]}" if self.init and array.once else f"{array.name}[{place}]"

    def declare(self, name: str, text: str) -> str:
        return self.assign(f"const double {name}", text)

    def assign(self, target: str, text: str) -> str:
        return wrapped(f"    {target} = ", text, ";", 110, "        ")

    def body(self, function: Function, part: Part) -> list[str]:
        used = {array.name for array, _, _ in (*part.inputs, *part.outputs)}
        unused = [name for name in function.arguments if name not in used]
        unused += ["shared"] if function.is_cut and not part.taken and not part.left else []
        return [*(f"    (void){name};" for name in unused), *super().body(function, part)]

    def space(self, function: Function) -> str:
        return f"    double shared[{function.shared}];"

    def call(self, function: Function, name: str) -> str:
        return f"    {name}({', '.join([*function.arguments, 'shared'])});"

    def define(self, function: Function, name: str, lines: list[str], is_part: bool = False) -> list[str]:
        arguments = self.arguments(function, "restrict ") + (["double *restrict shared"] if is_part else [])
        return [_signature(name, arguments, "static " if is_part else ""), "{", *lines, "}", ""]


def _code(model: Model, *, init: bool = False) -> str:
    """The source file; it stands alone and agrees with its header.

    With `init`, parameters and constants are structures, and `..._init` computes the constants once.
    """
    source = _Source(model, C, init)
    lines = [*C.commented(describe(model)), "", "#include <math.h>", ""]
    lines += [SIGN, ""] if any(node.op == "sign" for node in model.nodes) else []
    lines += [f"{source.types()}{source.declarations()}", ""]
    for function in source.called:
        lines += [line for definition in source.definitions(function) for line in definition]
    return "\n".join(lines)


def _header(model: Model, *, init: bool = False) -> str:
    """The declarations, for C and C++."""
    source = _Source(model, C, init)
    guard = f"{source.name.upper()}_H"
    lines = [*C.commented(describe(model)), f"#ifndef {guard}", f"#define {guard}", ""]
    lines += ["#ifdef __cplusplus", 'extern "C" {', "#endif", "", f"{source.types()}{source.declarations()}", ""]
    return "\n".join([*lines, "#ifdef __cplusplus", "}", "#endif", "", "#endif", ""])


def _statements(lines: list[Span]) -> list[Span]:
    """What stands between semicolons and braces; lines of the preprocessor are left out."""
    body = Span.of_lines(line for line in lines if not line.text.lstrip().startswith("#"))
    depth = start = 0
    found: list[Span] = []
    for index, character in enumerate(body.text):
        depth += (character in "([") - (character in ")]")
        if character in "{}" or (character == ";" and depth <= 0):
            piece = body[start:index].stripped()
            if character != "{" or "=" in piece.text:  # before a brace stands the head of a function
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
                functions={"fabs": "abs", "robosym_sign": "sign"},
            ),
        ),
    )
)
register(Language(name="h", code=_header, extensions={".h": {}}))
