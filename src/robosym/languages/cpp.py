"""C++: a header, templated on the scalar; parameters by name, constants computed once by a constructor."""

from __future__ import annotations

from robosym.algebra import Style
from robosym.languages import c
from robosym.languages.header import describe
from robosym.languages.program import Part, Program, double, function_name, shared_values, wrapped
from robosym.model import Model

__all__ = ["code"]

STYLE = Style(
    number=lambda value: f"Scalar({double(value)})",
    pi="Scalar(3.141592653589793)",
    functions={"sign": "robosym_sign"},
)
KEYWORDS = c.KEYWORDS | frozenset(
    """and and_eq asm bitand bitor bool catch char16_t char32_t class compl concept constexpr const_cast decltype
    delete dynamic_cast explicit export false friend mutable namespace new noexcept not not_eq nullptr operator or
    or_eq private protected public reinterpret_cast requires static_assert static_cast template this thread_local
    throw true try typeid typename using virtual wchar_t xor xor_eq std Scalar abs p Parameters Constants
    evaluate""".split()
)


def code(model: Model) -> str:
    """A class template with its parameters as a structure, and a function template over plain arrays."""
    name = function_name(model)
    program = Program(model, STYLE, KEYWORDS, constants=True)
    spelled = program.groups
    online, offline = program.online_groups, program.offline_groups
    fields = [program.symbols[n] for group in offline for n in model.inputs[group]]
    place_of = {(group, i): program.symbols[n] for group in offline for i, n in enumerate(model.inputs[group])}
    guard = f"{name.upper()}_HPP"

    def arguments(groups: list[str], outputs: list[str]) -> str:
        read = [f"const Scalar* {spelled[g]}" for g in groups]
        return ", ".join([*read, *(f"Scalar* {spelled[g]}" for g in outputs)])

    def entry(group: str, place: int) -> str:
        if group == "constants":
            return f"constants.{program.constants[place]}"
        return f"p.{place_of[group, place]}" if group in offline else f"{spelled[group]}[{place}]"

    def body(part: Part) -> list[str]:
        lines = [f"        const Scalar {n} = {entry(group, place)};" for group, place, n in part.inputs]
        lines += [f"        const Scalar {n} = shared[{place}];" for place, n in part.taken]
        lines += [
            wrapped(f"        const Scalar {s.name} = ", s.text, ";", 110, "            ") for s in part.statements
        ]
        lines += [
            wrapped(f"        {entry(group, place)} = ", text, ";", 110, "            ")
            for group, place, text in part.outputs
        ]
        return lines + [f"        shared[{place}] = {n};" for place, n in part.left]

    functions = "sin cos tan asin acos atan atan2 sqrt exp log abs pow"
    using = [f"        using std::{f};" for f in functions.split() if any(n.op == f for n in model.nodes)]
    outputs = list(model.outputs)

    def method(head: str, private: str, parts: list[Part], passed: list[str], kinds: str, const: str) -> list[str]:
        """A member function; where it is long, the private ones that it calls one after the other."""
        if len(parts) == 1:
            return [f"    {head} {{", *using, *(f"        (void){g};" for g in passed), *body(parts[0]), "    }", ""]
        lines = [f"    {head} {{", f"        Scalar shared[{max(shared_values(parts), 1)}];"]
        call = ", ".join([*passed, "shared"])
        lines += [f"        {private}_{number}({call});" for number in range(1, len(parts) + 1)]
        lines += ["    }", "", "private:"]
        for number, part in enumerate(parts, 1):
            lines += [f"    void {private}_{number}({kinds}, Scalar* shared){const} {{", *using]
            lines += [*(f"        (void){g};" for g in passed), "        (void)shared;", *body(part), "    }", ""]
        return [*lines, "public:"]

    lines = [f"#ifndef {guard}", f"#define {guard}", "", "#include <cmath>", ""]
    lines += ["/// Computes its constants once from parameters, then evaluates any number of states."]
    lines += ["template <typename Scalar>"]
    lines += [f"class {name}_model {{", "public:", "    /// By name; in the order of the arrays of the plain function."]
    lines += ["    struct Parameters {", *(f"        Scalar {n};" for n in fields), "    };", ""]
    lines += method(
        f"explicit {name}_model(const Parameters& p)", "initialise", program.offline(c.STATEMENTS), ["p"],
        "const Parameters& p", "",
    )  # fmt: skip
    lines += method(
        f"void evaluate({arguments(online, outputs)}) const", "evaluate", program.online(c.STATEMENTS),
        [spelled[g] for g in (*online, *outputs)], arguments(online, outputs), " const",
    )  # fmt: skip
    lines += ["private:", "    static Scalar robosym_sign(const Scalar& x) {"]
    lines += ["        return x > Scalar(0) ? Scalar(1) : x < Scalar(0) ? Scalar(-1) : x;", "    }"]
    lines += ["    struct Constants {", *(f"        Scalar {n};" for n in program.constants), "    };"]
    lines += ["    Constants constants;", "};", ""]
    given = [f"{spelled[group]}[{i}]" for group in offline for i in range(len(model.inputs[group]))]
    lines += ["/// All at once, arrays in and out.", "template <typename Scalar>"]
    lines += [f"void {name}({arguments(list(model.inputs), outputs)}) {{"]
    lines += [f"    typename {name}_model<Scalar>::Parameters p{{"]
    lines += [f"        {', '.join(given[i : i + 6])}," for i in range(0, len(given), 6)]
    passed = ", ".join(spelled[g] for g in (*online, *outputs))
    lines += ["    };", f"    {name}_model<Scalar>(p).evaluate({passed});", "}", "", "#endif", ""]
    comment = "".join(f"// {line}".rstrip() + "\n" for line in describe(model))
    return comment + "\n" + "\n".join(lines)
