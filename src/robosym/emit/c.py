"""C99: one function that allocates nothing, arrays in and out, and a header for C and C++."""

from __future__ import annotations

from robosym.algebra import Style
from robosym.emit.header import describe
from robosym.emit.program import Program, double, function_name, wrapped
from robosym.model import Model, flat

__all__ = ["code", "header"]

STYLE = Style(
    number=double,
    pi="3.141592653589793",
    functions={"abs": "fabs", "sign": "robosym_sign"},
)
KEYWORDS = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    _Bool _Complex _Imaginary sin cos tan asin acos atan atan2 sqrt exp log fabs pow main robosym_sign
    j0 j1 jn y0 y1 yn gamma signbit isnan div abs exit time near far asm typeof""".split()
)
SIGN = "static double robosym_sign(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; }\n"


def _signature(model: Model, restrict: str) -> str:
    arguments = [f"const double *{restrict}{group}" for group in model.inputs]
    arguments += [f"double *{restrict}{group}" for group in model.outputs]
    text = f"void {function_name(model)}({', '.join(arguments)})"
    return text if len(text) <= 100 else text.replace(", ", ",\n    ")


def _comment(lines: list[str]) -> str:
    return "/*\n" + "\n".join(f" * {line}".rstrip() for line in lines) + "\n */\n"


def code(model: Model) -> str:
    """The source file; it stands alone and agrees with `header`."""
    program = Program(model, STYLE, KEYWORDS)
    loaded = [f"    const double {name} = {group}[{place}];" for group, place, name in program.inputs()]
    unused = [f"    (void){group};" for group in model.inputs if not any(f"= {group}[" in line for line in loaded)]
    body = [wrapped(f"    const double {s.name} = ", s.text, ";", 110, "        ") for s in program.statements]
    texts = {name: text for name, _, text in program.outputs}
    stores = [
        wrapped(f"    {group}[{place}] = ", texts[name], ";", 110, "        ")
        for group, layout in model.outputs.items()
        for place, name in enumerate(flat(layout))
    ]
    signature = _signature(model, "restrict ")
    sign = SIGN + "\n" if any(node.op == "sign" for node in model.nodes) else ""
    return (
        _comment(describe(model))
        + f"\n#include <math.h>\n\n{sign}{_signature(model, '')};\n\n{signature}\n{{\n"
        + "\n".join([*unused, *loaded, *body, *stores])
        + "\n}\n"
    )


def header(model: Model) -> str:
    """The declaration, for C and C++."""
    guard = f"{function_name(model).upper()}_H"
    return (
        _comment(describe(model))
        + f"#ifndef {guard}\n#define {guard}\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
        + f"{_signature(model, '')};\n\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n"
    )
