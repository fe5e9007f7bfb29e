"""Closed-form solutions in C++: the functions of C as a header in a namespace of their own, results as a structure."""

from __future__ import annotations

import re

from robosym.languages.guards import guarded, own_namespace
from robosym.languages.solution_c import AnyRecipe, short_name, solution_c
from robosym.languages.solution_program import ARGUMENTS

__all__ = ["solution_cpp"]


def solution_cpp(recipe: AnyRecipe, name: str, describe: list[str]) -> str:
    """A header that needs no other file; no allocation, no exception."""
    short = short_name(recipe, name)
    comment, _, source = solution_c(recipe, name, describe).partition(
        "#include <math.h>\n#include <stddef.h>\n#include <string.h>\n"
    )
    source = re.sub(r"^#if defined\(\w+_MOST\).*\n#error .*\n#endif\n#define \w+_MOST \d+\n", "", source, flags=re.M)
    for macro in (name.upper(), short.upper()):
        source = source.replace(f"{macro}_MOST", "most_solutions")
    source = re.sub(r"^(?:static )?(int|void|double) (\w+\()", r"inline \1 \2", source, flags=re.M)
    arguments = ", ".join(f"const double *{ARGUMENTS[group]}" for group in recipe.inputs)
    passed = ", ".join(ARGUMENTS[group] for group in recipe.inputs)
    lines = [
        f"constexpr int most_solutions = {recipe.most};", "",
        source.strip(), "", "/// All solutions and the status.", "struct Solutions {", "    int status, count;",
        f"    double q[most_solutions][{len(recipe.outputs)}];", "};", "", f"inline Solutions solve({arguments})", "{",
        "    Solutions found;", f"    found.status = {short}({passed}, found.q, &found.count);", "    return found;",
        "}",
    ]  # fmt: skip
    lines = [
        "#include <math.h>",
        "#include <stddef.h>",
        "#include <string.h>",
        "",
        f"namespace {name}_solution {{",
        *own_namespace(lines),
        "}",
    ]
    return "\n".join([comment.rstrip(), *guarded(name, "HPP", lines)])
