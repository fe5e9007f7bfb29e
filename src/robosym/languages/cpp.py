"""C++: a header with templates over the scalar type; a constructor computes the constants from named parameters."""

from __future__ import annotations

from collections.abc import Sequence

from robosym.algebra import Style
from robosym.languages import c
from robosym.languages.functions import Function, Functions
from robosym.languages.header import describe, guarded, own_namespace
from robosym.languages.language import Language, register
from robosym.languages.program import Array, Part, double, function_name, wrapped
from robosym.languages.solution_c import solution_cpp
from robosym.model import Model

__all__ = ["CPP", "definitions"]

STYLE = Style(
    number=lambda value: f"Scalar({double(value)})",
    pi="Scalar(3.141592653589793)",
    functions={"sign": "robosym_sign"},
)
KEYWORDS = c.KEYWORDS | {"Scalar", "p", "Parameters", "Constants", "initialize", "evaluate"}


class _Source(Functions):
    """The member functions: the constructor, which computes the constants, and `evaluate`."""

    def __init__(self, model: Model, name: str, prefix: str) -> None:
        super().__init__(model, CPP, init=True, name=name, prefix=prefix)
        self.fields = [name for array in self.program.read_once for name in array.entries]
        functions = "sin cos tan asin acos atan atan2 sqrt exp log tanh abs pow".split()
        self.using = [f"        using std::{f};" for f in functions if any(n.op == f for n in model.nodes)]

    def names(self) -> tuple[str, str]:
        return "initialize", "evaluate"

    def arguments(self, read: Sequence[Array]) -> str:
        given = [f"const Scalar* {array.name}" for array in read]
        return ", ".join([*given, *(f"Scalar* {array.name}" for array in self.program.written)])

    def passed(self, function: Function) -> list[str]:
        """Return the arguments of a call; the constants are a member."""
        return ["p"] if function.initializes else [name for name in function.arguments if name != "constants"]

    def entry(self, array: Array, place: int) -> str:
        if array.once:
            return f"{'constants' if array.name == 'constants' else 'p'}.{array.entries[place]}"
        return f"{array.name}[{place}]"

    def declare(self, name: str, text: str) -> str:
        return self.assign(f"const Scalar {name}", text)

    def assign(self, target: str, text: str) -> str:
        return wrapped(f"        {target} = ", text, ";", 110, "            ")

    def body(self, function: Function, part: Part) -> list[str]:
        passed = [*self.passed(function), *(["shared"] if function.is_cut else [])]
        return [*self.using, *(f"        (void){g};" for g in passed), *super().body(function, part)]

    def space(self, function: Function) -> str:
        return f"        Scalar shared[{function.shared}];"

    def call(self, function: Function, name: str) -> str:
        return f"        {name}({', '.join([*self.passed(function), 'shared'])});"

    def define(self, function: Function, name: str, lines: list[str], is_part: bool = False) -> list[str]:
        given = "const Parameters& p" if function.initializes else self.arguments(self.program.read_online)
        given += ", Scalar* shared" if is_part else ""
        head = f"void {name}" if is_part or not function.initializes else f"explicit {self.name}_model"
        return [f"    {head}({given}){'' if function.initializes else ' const'} {{", *lines, "    }", ""]

    def method(self, function: Function) -> list[str]:
        """Return a member function; if it is split, also the private functions it calls."""
        *parts, whole = self.definitions(function)
        hidden = ["private:", *(line for part in parts for line in part), "public:"] if parts else []
        return [*whole, *hidden]


def _code(model: Model, *, name: str = "", prefix: str = "") -> str:
    """Return a header with a class template, whose parameters are a struct, and a function template over arrays."""
    own = function_name(model, name, prefix, CPP)
    lines = ["#include <cmath>", "", *own_namespace(definitions(model, own))]
    return "\n".join([*CPP.commented(describe(model, CPP)), "", *guarded(own, "HPP", lines)])


def definitions(model: Model, name: str) -> list[str]:
    """Return the templates for the given function name; they need <cmath>."""
    source = _Source(model, name, "")
    program = source.program
    lines = ["/// Computes constants from the parameters once, then evaluates any number of states."]
    lines += ["template <typename Scalar>"]
    lines += [f"class {name}_model {{", "public:", "    /// Ordered as the arrays of the function below."]
    lines += ["    struct Parameters {", *(f"        Scalar {n};" for n in source.fields), "    };", ""]
    lines += [line for function in source.called for line in source.method(function)]
    lines += ["private:", "    static Scalar robosym_sign(const Scalar& x) {"]
    lines += ["        return x > Scalar(0) ? Scalar(1) : x < Scalar(0) ? Scalar(-1) : x;", "    }"]
    lines += ["    struct Constants {", *(f"        Scalar {n};" for n in program.constants.entries), "    };"]
    lines += ["    Constants constants;", "};", ""]
    given = [f"{array.name}[{i}]" for array in program.read_once for i in range(array.size)]
    lines += ["/// Evaluates the model for one state; all arguments are arrays.", "template <typename Scalar>"]
    lines += [f"void {name}({source.arguments(program.read)}) {{"]
    lines += [f"    typename {name}_model<Scalar>::Parameters p{{"]
    lines += [f"        {', '.join(given[i : i + 6])}," for i in range(0, len(given), 6)]
    passed = ", ".join(array.name for array in (*program.read_online, *program.written))
    return [*lines, "    };", f"    {name}_model<Scalar>(p).evaluate({passed});", "}"]


CPP = register(
    Language(
        name="cpp",
        code=_code,
        extensions={".hpp": {}, ".hh": {}, ".hxx": {}},
        comment=("", "// ", ""),
        style=STYLE,
        reserved=KEYWORDS,
        spell=c.spell,
        solution=solution_cpp,
    )
)
