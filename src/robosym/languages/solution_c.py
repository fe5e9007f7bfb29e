"""Inverse geometric models in C99 and C++, without allocation.

One function computes all solutions, `.._igm` also returns a status, `.._igm_nearest` selects the nearest solution.
"""

from __future__ import annotations

import re
from importlib.resources import files

from robosym.languages.header import agreed, guarded, own_namespace
from robosym.languages.language import find_language
from robosym.languages.plain import parse_plain
from robosym.languages.plain_c import plain_c
from robosym.languages.program import Program, double, wrapped
from robosym.languages.solution_program import (
    ARGUMENTS,
    KERNELS,
    SolutionBlock,
    SolutionProgram,
    describe_solution,
    given,
    last_states,
    number_rows,
    solution_name,
    strength,
)  # fmt: skip
from robosym.model.solution.recipe import EliminationRecipe, StepsRecipe
from robosym.model.solution.steps import BRANCHES
from robosym.safe_text import include_line

__all__ = ["solution_c", "solution_cpp", "solution_header"]

AnyRecipe = StepsRecipe | EliminationRecipe
_RESERVED = frozenset(
    "T E parameters q q_known free_joints count error other i rest singular attempt found solutions errors loose "
    "igm_shape igm_plans j constants".split()
)
_INCLUDED = ["#include <math.h>", "#include <stddef.h>", "#include <string.h>"]
#: number of roots per form of equation; a pair has one, or two if its equations are linearly dependent
_COUNT = {**BRANCHES, "pair": 2}
#: A free angle is set to 0; if that gives no solution, the next multiple of 90 degrees is tried.
_ATTEMPTS = [
    "    static const double rest[4][2] = {{1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}, {0.0, -1.0}};",
    "    int count = 0, singular = 0;",
    "    const int mask0 = 0;",
    "    for (int attempt = 0; attempt < 4; ++attempt) {",
    "        (void)rest;",
]


def solution_c(recipe: AnyRecipe, *, name: str = "", header: str = "") -> str:
    """Return the source file, which includes `header` or is self-contained."""
    name = solution_name(recipe, name)
    kernels, main = _elimination(recipe, name) if isinstance(recipe, EliminationRecipe) else _closed_form(recipe, name)
    lines = [*_comment(recipe, name), ""]
    lines += [include_line(header)] if header else []
    lines += [*_INCLUDED, ""]
    lines += [] if header else _declarations(recipe, name)
    kernels = {*kernels, "finite", "nearest", *(["rotation"] if recipe.turns else [])}
    main = [*_finite(recipe), *main, *_status(recipe, name), *_nearest(recipe, name)]
    own = {name, *(_short(recipe, name) + end for end in ("", "_nearest"))}
    return "\n".join([*lines, _own_names("\n".join([_kernels(kernels), *main]), name, own)])


def _own_names(body: str, name: str, own: set[str]) -> str:
    """Rename internal functions and tables so that several generated files can be included in one source.

    `own` are public names, which might equal internal ones, as for a robot called igm.
    """
    return re.sub(r"\bigm_(\w+)", lambda word: word[0] if word[0] in own else f"{name}_inner_{word[1]}", body)


def _closed_form(recipe: StepsRecipe, name: str) -> tuple[set[str], list[str]]:
    """Return the names of the required kernels and the function that computes all solutions."""
    language = find_language("c")
    program = SolutionProgram(recipe, language.style, language.reserved | _RESERVED)
    joints = len(recipe.outputs)
    sources = {**ARGUMENTS, "T": "E"} if program.whole else ARGUMENTS
    loads = ["    double E[12];", "    igm_orthonormal(T, E);"] if program.whole else []
    loads += [f"    const double {name} = {sources[group]}[{place}];" for group, place, name in program.loads()]
    unused = [f"    (void){ARGUMENTS[g]};" for g, names in recipe.inputs.items() if not set(names) & program.used]
    lines = [_signature(recipe, name), "{", *_guard(recipe, "0"), *unused, *loads, *_ATTEMPTS]
    indent, close = "        ", []
    for number, block in enumerate(program.blocks):
        lines += [f"{indent}const double {n} = {text};" for n, text in block.statements]
        if number:
            lines += [f"{indent}if (!(fabs({text}) <= IGM_TOLERANCE)) continue;" for text in block.checks]
        if block.step is None:
            continue
        lines += _step(block, program, number, indent)
        close.append(f"{indent}}}")
        indent += "    "
    last = len(recipe.steps)
    found_by = {step.joint: number for number, step in enumerate(recipe.steps, 1)}
    values = [
        program.unknown[joint][0] if len(program.unknown[joint]) == 1 else f"a{found_by[joint]}"
        for joint in recipe.outputs
    ]
    lines += [f"{indent}const double found[{joints}] = {{{', '.join(values)}}};"]
    lines += [f"{indent}if (igm_store({joints}, {name.upper()}_MOST, found, q[0], &count) && free_joints != NULL)"]
    lines += [f"{indent}    free_joints[count - 1] = mask{last};"]
    lines += [*reversed(close), "        if (count > 0 || !singular) break;", "    }", "    return count;", "}", ""]
    return program.kernels, lines


def solution_header(recipe: AnyRecipe, *, name: str = "") -> str:
    """Return the header file for C and C++."""
    name = solution_name(recipe, name)
    lines = ["#ifdef __cplusplus", 'extern "C" {', "#endif", "", *_declarations(recipe, name)]
    lines += ["#ifdef __cplusplus", "}", "#endif"]
    return "\n".join([*_comment(recipe, name), *guarded(name, "H", lines)])


# ---------------------------------------------------------------------- declarations


def _comment(recipe: AnyRecipe, name: str) -> list[str]:
    joints, most, short = len(recipe.outputs), f"{name.upper()}_MOST", _short(recipe, name)
    lines = [
        *describe_solution(recipe),
        "",
        f"{name} writes all solutions to q[..][{joints}] and returns their number, at most {most}.",
        "free_joints (may be NULL): for each solution the sum of 2^j over the joints j = 0, 1, .. that",
        f"are free in a singular pose{_put(recipe)}.",
        "",
        f"{short} returns a status and writes *count solutions. {short}_nearest selects the solution nearest",
        "to q_now, with angles shifted by multiples of 2 Pi; limits (may be NULL): minimum and maximum of each joint.",
        *last_states(recipe),
    ]
    return find_language("c").commented(lines)


def _put(recipe: AnyRecipe) -> str:
    if isinstance(recipe, EliminationRecipe):
        return ""
    return " and were set to 0 (or to another multiple of 90 degrees if 0 gives no solution)"


def _short(recipe: AnyRecipe, name: str) -> str:
    """Return `rx90_igm` for rx90_pau, `sr400_passive` for sr400_cgel."""
    return f"{name.removesuffix(f'_{recipe.kind}')}_{'igm' if 'T' in recipe.inputs else 'passive'}"


def _inputs(recipe: AnyRecipe) -> list[str]:
    return [f"const double *{ARGUMENTS[group]}" for group in recipe.inputs]


def _signature(recipe: AnyRecipe, name: str) -> str:
    return f"int {name}({', '.join([*_inputs(recipe), f'double (*q)[{len(recipe.outputs)}]', 'int *free_joints'])})"


def _status_signature(recipe: AnyRecipe, name: str) -> str:
    arguments = [*_inputs(recipe), f"double (*q)[{len(recipe.outputs)}]", "int *count"]
    return f"int {_short(recipe, name)}({', '.join(arguments)})"


def _nearest_signature(recipe: AnyRecipe, name: str) -> str:
    arguments = [*_inputs(recipe), "const double *q_now", "const double *limits", "double *q"]
    return f"int {_short(recipe, name)}_nearest({', '.join(arguments)})"


def _declarations(recipe: AnyRecipe, name: str) -> list[str]:
    signatures = (_signature, _status_signature, _nearest_signature)
    return [
        *agreed((f"{word.upper()}_MOST", recipe.most) for word in (name, _short(recipe, name))),
        "",
        *(f"{signature(recipe, name)};" for signature in signatures),
        "",
    ]


# ------------------------------------------------------------------- other functions


def _finite(recipe: AnyRecipe) -> list[str]:
    """Return a function that rejects inputs that are not finite or too large."""
    read = [f"{ARGUMENTS[group]}[{place}]" for group, places in recipe.read.items() for place in places]
    unused = [f"    (void){ARGUMENTS[group]};" for group, places in recipe.read.items() if not places]
    return [
        f"static int igm_given_finite({', '.join(_inputs(recipe))})", "{", *unused,
        f"    const double given[{len(read)}] = {{", *number_rows(read, "        "), "    };",
        f"    return igm_finite({len(read)}, given);", "}", "",
    ]  # fmt: skip


def _guard(recipe: AnyRecipe, result: str) -> list[str]:
    return [f"    if (!igm_given_finite({given(recipe)})) return {result};"]


def _status(recipe: AnyRecipe, name: str) -> list[str]:
    lines = [_status_signature(recipe, name), "{", f"    int free_joints[{name.upper()}_MOST], singular = 0;"]
    lines += ["    *count = 0;", *_guard(recipe, "5")]
    lines += ["    if (!igm_is_rotation(T)) return 3;"] if recipe.turns else []
    lines += [
        f"    *count = {name}({given(recipe)}, q, free_joints);",
        "    if (*count == 0) return 1;",
        "    for (int i = 0; i < *count; ++i) singular |= free_joints[i];",
        "    return singular ? 2 : 0;",
        "}",
        "",
    ]
    return lines


def _nearest(recipe: AnyRecipe, name: str) -> list[str]:
    short, joints = _short(recipe, name), len(recipe.outputs)
    angles = ", ".join("0" if joint in recipe.lengths else "1" for joint in recipe.outputs)
    return [
        _nearest_signature(recipe, name),
        "{",
        f"    static const int is_angle[{joints}] = {{{angles}}};",
        f"    double found[{name.upper()}_MOST][{joints}];",
        "    int count;",
        f"    const int status = {short}({given(recipe)}, found, &count);",
        "    if (count == 0) return status;",
        f"    if (!igm_finite({joints}, q_now)) return 5;",
        f"    return igm_nearest({joints}, count, found[0], is_angle, q_now, limits, q) ? status : 4;",
        "}",
        "",
    ]


def _elimination(recipe: EliminationRecipe, name: str) -> tuple[set[str], list[str]]:
    """Return the names of the required kernels and the functions of the general method."""
    module = parse_plain(recipe.sources)
    language = find_language("c")
    program = Program(recipe.model, language, reserved=_RESERVED - {"parameters"})
    lines = [plain_c(module, "igm_", ("general_solutions",))]
    texts = [text for _, _, text in program.results()]
    if program.used:
        loads = [f"    const double {spelled} = {array.name}[{place}];" for array, place, spelled in program.inputs()]
        loads += [wrapped(f"    const double {s.name} = ", s.text, ";", 110, "        ") for s in program.statements]
        loads += [f"    const double constants[{len(texts)}] = {{", *number_rows(texts, "        "), "    };"]
    else:
        lines += [f"static const double igm_constants[{len(texts)}] = {{", *number_rows(texts), "};"]
        loads = ["    (void)parameters;"] if "parameters" in recipe.inputs else []
    lines += [f"static const int igm_shape[{len(recipe.shape)}] = {{", *number_rows(map(str, recipe.shape)), "};"]
    lines += [
        f"static const double igm_plans[{len(recipe.plans)}] = {{",
        *number_rows(map(double, recipe.plans)),
        "};",
        "",
    ]
    joints = len(recipe.outputs)
    lines += [_signature(recipe, name), "{", *_guard(recipe, "0"), *loads]
    lines += ["    double E[12];", "    igm_orthonormal(T, E);"] if recipe.turns else []
    constants, pose = "constants" if program.used else "igm_constants", "E" if recipe.turns else "T"
    call = f"igm_shape, {constants}, igm_plans, {pose}, IGM_TOLERANCE, solutions, errors, loose"
    lines += [
        f"    double solutions[{6 * recipe.most}], errors[{recipe.most}];",
        f"    int loose[{recipe.most}];",
        f"    const int count = igm_general_solutions({call});",
        "    for (int i = 0; i < count; ++i) {",
        f"        for (int j = 0; j < {joints}; ++j) q[i][j] = solutions[6*i + j];",
        "        if (free_joints != NULL) free_joints[i] = loose[i];",
        "    }",
        "    return count;",
        "}",
        "",
    ]
    return {"orthonormal"} if recipe.turns else set(), lines


def _kernels(forms: set[str]) -> str:
    """Return the source of the helper functions of the given forms."""
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


def _mirrored(block: SolutionBlock, a: str) -> str:
    """Return the second root of k0 S + k1 C + k2 = 0 as a function of the first, a, if a coefficient is zero."""
    zero = [all(equation[k] == "0.0" for equation in block.equations) for k in range(3)]
    if zero[0]:
        return f"-{a}"
    half = "3.141592653589793"
    if zero[1]:
        return f"({a} > 0.0 ? {half} : -{half}) - {a}"
    return f"{a} - ({a} > 0.0 ? {half} : -{half})" if zero[2] else ""


def _step(block: SolutionBlock, program: SolutionProgram, number: int, indent: str) -> list[str]:
    step = block.step
    assert step is not None
    variables = program.unknown[step.joint]
    later = number + 1
    bit = program.bit(step)
    if step.form == "difference":
        values = block.equations[0]
        lines = [f"{indent}for (int once{later} = 0; once{later} < 1; ++once{later}) {{"]
        lines += [f"{indent}    const double {n} = {v};" for n, v in zip(variables, values, strict=True)]
        if bit and len(variables) == 2:
            lines += [f"{indent}    const double a{later} = atan2({variables[1]}, {variables[0]});"]
        return [*lines, f"{indent}    const int mask{later} = mask{number};"]
    size = _COUNT[step.form]
    k, n, free = f"k{later}", f"n{later}", f"free{later}"
    lines = [f"{indent}/* {block.remark} */"]
    lines += [f"{indent}double {k}[{len(block.equations[0])}] = {{{', '.join(block.equations[0])}}};"]
    scale = repr(step.scales[0])
    if len(block.equations) > 1:
        lines += [f"{indent}double scale{later} = {scale};"]
        now, then = (strength(step.form, name, "hypot") for name in (k, "other"))
        for other, usual in zip(block.equations[1:], step.scales[1:], strict=True):
            lines += [
                f"{indent}if (fabs({now}) < 1e-6*scale{later}) {{",
                f"{indent}    const double other[{len(other)}] = {{{', '.join(other)}}};",
                f"{indent}    if (fabs({then})*scale{later} > fabs({now})*{usual!r}) {{",
                f"{indent}        for (int i = 0; i < {len(other)}; ++i) {k}[i] = other[i];",
                f"{indent}        scale{later} = {usual!r};",
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
    angle = bit and len(variables) == 2
    mirrored = _mirrored(block, f"a{later}") if step.form == "sine" else ""
    lines += [f"{indent}double a{later} = 0.0;"] if angle and mirrored else []
    lines += [f"{indent}for (int i{later} = 0; i{later} < {n}; ++i{later}) {{"]
    lines += [f"{indent}    const double {v} = {t}[i{later}];" for v, t in zip(variables, targets, strict=True)]
    if angle:
        found = f"atan2({variables[1]}, {variables[0]})"
        value = f"a{later} = i{later} == 0 ? {found} : {mirrored};" if mirrored else f"const double a{later} = {found};"
        lines += [f"{indent}    {value}"]
    lines += [f"{indent}    const int mask{later} = {free} ? mask{number} | {bit} : mask{number};"]
    return lines


def solution_cpp(recipe: AnyRecipe, *, name: str = "") -> str:
    """Return a self-contained C++ header with its own namespace; results are a struct."""
    name = solution_name(recipe, name)
    short = _short(recipe, name)
    head, _, source = solution_c(recipe, name=name).partition("\n".join([*_INCLUDED, ""]))
    source = re.sub(r"^#if defined\(\w+_MOST\).*\n#error .*\n#endif\n#define \w+_MOST \d+\n", "", source, flags=re.M)
    for macro in (name.upper(), short.upper()):
        source = source.replace(f"{macro}_MOST", "most_solutions")
    source = re.sub(r"^(?:static )?(int|void|double) (\w+\()", r"inline \1 \2", source, flags=re.M)
    lines = [
        f"constexpr int most_solutions = {recipe.most};", "",
        source.strip(), "", "/// All solutions and their status.", "struct Solutions {", "    int status, count;",
        f"    double q[most_solutions][{len(recipe.outputs)}];", "};", "",
        f"inline Solutions solve({', '.join(_inputs(recipe))})", "{", "    Solutions found;",
        f"    found.status = {short}({given(recipe)}, found.q, &found.count);", "    return found;", "}",
    ]  # fmt: skip
    lines = [*_INCLUDED, "", f"namespace {name}_solution {{", *own_namespace(lines), "}"]
    return "\n".join([head.rstrip(), *guarded(name, "HPP", lines)])
