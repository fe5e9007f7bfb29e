"""C99: one function that allocates nothing, arrays in and out, and a header for C and C++."""

from __future__ import annotations

from collections.abc import Sequence

from robosym.algebra import Style
from robosym.languages.header import describe
from robosym.languages.program import Part, Program, double, function_name, shared_values, wrapped
from robosym.model import Model

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
    j0 j1 jn y0 y1 yn gamma signbit isnan div abs exit time near far asm typeof shared constants
    alignas alignof bool class complex delete explicit export false friend imaginary mutable namespace new nullptr
    operator private protected public template this throw true try typeid typename using virtual""".split()
)
SIGN = "static double robosym_sign(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; }\n"
#: A compiler's time grows faster than the length of a function: longer models are cut into functions of this length.
STATEMENTS = 400


def _signature(name: str, arguments: Sequence[str], storage: str = "") -> str:
    text = f"{storage}void {name}({', '.join(arguments)})"
    return text if len(text) <= 100 else text.replace(", ", ",\n    ")


def _comment(lines: list[str]) -> str:
    return "/*\n" + "\n".join(f" * {line}".rstrip() for line in lines) + "\n */\n"


class _Source:
    """The functions of one model; `init` moves what depends on parameters alone into a function of its own."""

    def __init__(self, model: Model, init: bool) -> None:
        self.model = model
        self.init = init
        self.name = function_name(model)
        self.program = Program(model, STYLE, KEYWORDS, constants=init)
        self.spelled = self.program.groups
        #: the functions that a user calls: name, groups read, groups written, parts
        self.functions: list[tuple[str, list[str], list[str], list[Part]]]
        outputs = list(model.outputs)
        if init:
            self.functions = [
                (f"{self.name}_init", self.program.offline_groups, ["constants"], self.program.offline(STATEMENTS)),
                (self.name, [*self.program.online_groups, "constants"], outputs, self.program.online(STATEMENTS)),
            ]
        else:
            self.functions = [(self.name, list(model.inputs), outputs, self.program.whole(STATEMENTS))]

    # ---------------------------------------------------------------- types

    def types(self) -> str:
        """The structures of the parameters and of the constants computed from them."""
        if not self.init:
            return ""
        fields = {
            group: [self.program.symbols[n] for n in self.model.inputs[group]] for group in self.program.offline_groups
        }
        fields["constants"] = list(self.program.constants) or ["none"]
        lines = []
        for group, names in fields.items():
            rows = [f"    double {', '.join(names[i : i + 12])};" for i in range(0, len(names), 12)]
            lines += ["typedef struct {", *rows, f"}} {self.name}_{group};", ""]
        return "\n".join(lines) + "\n"

    def argument(self, group: str, constant: bool, restrict: str) -> str:
        structure = self.init and group in ("constants", *self.program.offline_groups)
        kind = f"{self.name}_{group}" if structure else "double"
        return f"{'const ' if constant else ''}{kind} *{restrict}{self.spelled.get(group, group)}"

    def arguments(self, read: Sequence[str], written: Sequence[str], restrict: str) -> list[str]:
        return [self.argument(g, True, restrict) for g in read] + [self.argument(g, False, restrict) for g in written]

    def declarations(self) -> str:
        return "\n".join(
            _signature(name, self.arguments(read, written, "")) + ";" for name, read, written, _ in self.functions
        )

    # --------------------------------------------------------------- bodies

    def entry(self, group: str, place: int) -> str:
        """Where a value of a group stands: a place in an array, or a field."""
        spelled = self.spelled.get(group, group)
        if self.init and group == "constants":
            return f"{spelled}->{self.program.constants[place]}"
        if self.init and group in self.program.offline_groups:
            return f"{spelled}->{self.program.symbols[self.model.inputs[group][place]]}"
        return f"{spelled}[{place}]"

    def body(self, part: Part, arguments: Sequence[str]) -> list[str]:
        reads = {group for group, _, _ in part.inputs} | {group for group, _, _ in part.outputs}
        unused = [group for group in arguments if group not in reads and group != "shared"]
        lines = [f"    (void){self.spelled.get(group, group)};" for group in unused]
        if "shared" in arguments and not part.taken and not part.left:
            lines += ["    (void)shared;"]
        lines += [f"    const double {name} = {self.entry(group, place)};" for group, place, name in part.inputs]
        lines += [f"    const double {name} = shared[{place}];" for place, name in part.taken]
        lines += [wrapped(f"    const double {s.name} = ", s.text, ";", 110, "        ") for s in part.statements]
        lines += [
            wrapped(f"    {self.entry(group, place)} = ", text, ";", 110, "        ")
            for group, place, text in part.outputs
        ]
        lines += [f"    shared[{place}] = {name};" for place, name in part.left]
        return lines

    def function(self, name: str, read: list[str], written: list[str], parts: list[Part]) -> str:
        signature = _signature(name, self.arguments(read, written, "restrict "))
        arguments = [*read, *written]
        if len(parts) == 1:
            return signature + "\n{\n" + "\n".join(self.body(parts[0], arguments)) + "\n}\n"
        text = ""
        calls = [f"    double shared[{max(shared_values(parts), 1)}];"]
        passed = ", ".join([*(self.spelled.get(group, group) for group in arguments), "shared"])
        for number, part in enumerate(parts, 1):
            head = _signature(
                f"{name}_{number}",
                [*self.arguments(read, written, "restrict "), "double *restrict shared"],
                "static ",
            )
            text += head + "\n{\n" + "\n".join(self.body(part, [*arguments, "shared"])) + "\n}\n\n"
            calls.append(f"    {name}_{number}({passed});")
        return text + signature + "\n{\n" + "\n".join(calls) + "\n}\n"


def code(model: Model, *, init: bool = False) -> str:
    """The source file; it stands alone and agrees with `header`.

    With `init`, parameters and constants are structures, and `..._init` computes the constants once.
    """
    source = _Source(model, init)
    sign = SIGN + "\n" if any(node.op == "sign" for node in model.nodes) else ""
    types = source.types()
    if types:  # the header declares the same structures: whoever comes first
        guard = f"{source.name.upper()}_TYPES"
        types = f"#ifndef {guard}\n#define {guard}\n{types}#endif\n\n"
    functions = "\n".join(source.function(*function) for function in source.functions)
    return _comment(describe(model)) + f"\n#include <math.h>\n\n{sign}{types}{source.declarations()}\n\n{functions}"


def header(model: Model, *, init: bool = False) -> str:
    """The declarations, for C and C++."""
    source = _Source(model, init)
    guard = f"{source.name.upper()}_H"
    types = source.types()
    if types:
        types = f"#ifndef {source.name.upper()}_TYPES\n#define {source.name.upper()}_TYPES\n{types}#endif\n\n"
    return (
        _comment(describe(model))
        + f'#ifndef {guard}\n#define {guard}\n\n#ifdef __cplusplus\nextern "C" {{\n#endif\n\n'
        + f"{types}{source.declarations()}\n\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n"
    )
