"""Closed-form solutions in C99: one function that writes all solutions, without allocation."""

from __future__ import annotations

from importlib.resources import files

from robosym.languages.language import find_language
from robosym.languages.solution_program import ARGUMENTS, KERNELS, SolutionBlock, SolutionProgram, strength
from robosym.model.solution.recipe import Recipe

__all__ = ["solution_c"]

_RESERVED = frozenset("T E parameters q q_known free_joints count error other i rest singular attempt".split())
_COUNT = {"sine": 2, "pair": 2, "linear": 1, "quadratic": 2, "quartic": 4, "sine2": 4}
#: A free angle is 0; where no solution has it so, the next right angle is tried.
_ATTEMPTS = [
    "    static const double rest[4][2] = {{1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}, {0.0, -1.0}};",
    "    int count = 0, singular = 0;",
    "    const int mask0 = 0;",
    "    for (int attempt = 0; attempt < 4; ++attempt) {",
    "        (void)rest;",
]


def solution_c(recipe: Recipe, name: str, describe: list[str]) -> str:
    language = find_language("c")
    program = SolutionProgram(recipe, language.style, language.reserved | _RESERVED)
    most = 1
    for step in recipe.steps:
        most *= _COUNT.get(step.form, 1)
    joints = len(recipe.outputs)
    arguments = [f"const double *{ARGUMENTS[group]}" for group in recipe.inputs]
    signature = f"int {name}({', '.join([*arguments, f'double (*q)[{joints}]', 'int *free_joints'])})"
    whole = set(recipe.inputs.get("T", ())[:11]) - {""} <= program.used and "T" in recipe.inputs
    sources = {**ARGUMENTS, "T": "E"} if whole else ARGUMENTS
    loads = ["    double E[12];", "    igm_orthonormal(T, E);"] if whole else []
    loads += [
        f"    const double {program.spelled[n]} = {sources[group]}[{place}];"
        for group, names in recipe.inputs.items()
        for place, n in enumerate(names)
        if program.spelled[n] in program.used or n in program.used
    ]
    unused = [f"    (void){ARGUMENTS[g]};" for g, names in recipe.inputs.items() if not set(names) & program.used]
    lines = ["/*", *(f" * {line}".rstrip() for line in describe), " *"]
    lines += [
        f" * q[..][{joints}]: solutions, room for {name.upper()}_MOST of them; returns how many there are.",
        " * free_joints (may be NULL): for each solution the sum of 2^j over the joints j = 0, 1, .. that",
        " * are free in a singular pose and have been put to 0 (to a right angle where 0 will not do).",
        " */",
        "",
    ]
    forms = {KERNELS[step.form] for step in recipe.steps if step.form in KERNELS}
    lines += ["#include <math.h>", "#include <stddef.h>", "", f"#define {name.upper()}_MOST {most}", ""]
    lines += [_kernels(forms | ({"orthonormal"} if whole else set())), f"{signature};", "", signature, "{"]
    lines += [*unused, *loads, *_ATTEMPTS]
    indent, close = "        ", []
    for number, block in enumerate(program.blocks):
        lines += [f"{indent}const double {n} = {text};" for n, text in block.statements]
        if number:
            lines += [f"{indent}if (!(fabs({text}) <= IGM_TOLERANCE)) continue;" for text in block.checks]
        if block.step is None:
            continue
        opened = _step(block, program, recipe, number, indent)
        lines += opened
        close.append(f"{indent}}}")
        indent += "    "
    last = len(recipe.steps)
    for place, joint in enumerate(recipe.outputs):
        parts = program.unknown[joint]
        value = parts[0] if len(parts) == 1 else f"atan2({parts[1]}, {parts[0]})"
        lines += [f"{indent}q[count][{place}] = {value};"]
    lines += [f"{indent}if (free_joints != NULL) free_joints[count] = mask{last};", f"{indent}++count;"]
    lines += [*reversed(close), "        if (count > 0 || !singular) break;", "    }", "    return count;", "}"]
    return "\n".join(lines) + "\n"


def _kernels(forms: set[str]) -> str:
    """The helper functions that the steps need."""
    text = files("robosym.languages").joinpath("solution_kernels.c").read_text("utf-8")
    parts = text.split("/*** ")
    chosen = {"pair": {"sine", "pair"}, "sine2": {"sine", "sine2", "complex"}, "roots": {"complex", "roots"}}
    wanted = set().union(*(chosen.get(form, {form}) for form in forms))
    pieces = [parts[0]]
    for part in parts[1:]:
        label, _, body = part.partition(" ***/\n")
        if label in wanted:
            pieces.append(body)
    return "\n".join(piece.strip() + "\n" for piece in pieces)


def _step(block: SolutionBlock, program: SolutionProgram, recipe: Recipe, number: int, indent: str) -> list[str]:
    step = block.step
    assert step is not None
    variables = program.unknown[step.joint]
    later = number + 1
    bit = 1 << recipe.outputs.index(step.joint) if step.joint in recipe.outputs else 0
    if step.form == "difference":
        values = block.equations[0]
        lines = [f"{indent}for (int once{later} = 0; once{later} < 1; ++once{later}) {{"]
        lines += [f"{indent}    const double {n} = {v};" for n, v in zip(variables, values, strict=True)]
        return [*lines, f"{indent}    const int mask{later} = mask{number};"]
    size = _COUNT[step.form]
    k, n, free = f"k{later}", f"n{later}", f"free{later}"
    lines = [f"{indent}/* {step.joint}: {step.type}, {' and '.join(step.origins)} */"]
    lines += [f"{indent}double {k}[{len(block.equations[0])}] = {{{', '.join(block.equations[0])}}};"]
    scale = repr(step.scales[0])
    if len(block.equations) > 1:
        lines += [f"{indent}double scale{later} = {scale};"]
        now, then = (strength(step.form, name, "hypot") for name in (k, "other"))
        for other, value in zip(block.equations[1:], step.scales[1:], strict=True):
            lines += [
                f"{indent}if (fabs({now}) < 1e-6*scale{later}) {{",
                f"{indent}    const double other[{len(other)}] = {{{', '.join(other)}}};",
                f"{indent}    if (fabs({then})*scale{later} > fabs({now})*{value!r}) {{",
                f"{indent}        for (int i = 0; i < {len(other)}; ++i) {k}[i] = other[i];",
                f"{indent}        scale{later} = {value!r};",
                f"{indent}    }}",
                f"{indent}}}",
            ]
        scale = f"scale{later}"
    targets = [f"v{later}"] if len(variables) == 1 else [f"c{later}", f"s{later}"]
    lines += [f"{indent}double {', '.join(f'{t}[{size}]' for t in targets)};", f"{indent}int {free} = 0;"]
    extra = f"{len(block.equations[0]) - 1}, " if KERNELS[step.form] == "roots" else ""
    rest = "rest[attempt], " if len(variables) == 2 else ""
    call = f"igm_{KERNELS[step.form]}({extra}{k}, {scale}, {rest}{', '.join(targets)}, &{free})"
    lines += [f"{indent}const int {n} = {call};", f"{indent}singular |= {free};"]
    lines += [f"{indent}for (int i{later} = 0; i{later} < {n}; ++i{later}) {{"]
    lines += [f"{indent}    const double {v} = {t}[i{later}];" for v, t in zip(variables, targets, strict=True)]
    lines += [f"{indent}    const int mask{later} = {free} ? mask{number} | {bit} : mask{number};"]
    return lines
