"""Inverse geometric models in Python with `math` only: all solutions, a status, the nearest solution."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files

from robosym.algebra import FUNCTIONS, Style
from robosym.languages.language import find_language
from robosym.languages.plain import plain_python
from robosym.languages.program import Program, double
from robosym.languages.reserved import PYTHON_WORDS
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

__all__ = ["solution_python"]

AnyRecipe = StepsRecipe | EliminationRecipe

_STYLE = Style(
    number=double,
    pi="math.pi",
    functions={name: f"math.{name}" for name in FUNCTIONS if name not in ("abs", "sign")},
)
_RESERVED = PYTHON_WORDS | frozenset(
    "math orthonormal T q_known parameters found abs other rest linear sine pair roots sine2 complex_roots store "
    "TOLERANCE finite finite_input is_rotation nearest igm passive array memoryview doubles integers filled shape "
    "plans general_solutions pose solutions errors loose count constants i j".split()
)


_TOLERANCE = "TOLERANCE = 1e-7  # maximum error of an entry of the pose when a solution is verified"


def solution_python(recipe: AnyRecipe, *, name: str = "") -> str:
    """Return a module with functions for all solutions, for solutions with a status, and for the nearest one."""
    name = solution_name(recipe, name)
    heads, main = _elimination(recipe, name) if isinstance(recipe, EliminationRecipe) else _closed_form(recipe, name)
    kernels = ["finite", "nearest", *(["is_rotation"] if recipe.turns else [])]
    head = find_language("python").commented([*describe_solution(recipe), "", *_usage(recipe, name)])
    lines = [*head, "", *heads, "", "", _kernels(set(kernels)), "", "", *_finite(recipe), "", "", *main, "", ""]
    lines += [*_status(recipe, name), "", "", *_nearest(recipe, name), "", ""]
    lines += [
        f"def {name}({given(recipe)}):",
        f"    return [q for q, _ in all_{name}({given(recipe)})]",
    ]
    return "\n".join(lines) + "\n"


def _usage(recipe: AnyRecipe, name: str) -> list[str]:
    short = _short(recipe)
    return [
        f"{name} returns a list of solutions (lists of joint values), at most {recipe.most}.",
        f"{short} returns a status and this list. {short}_nearest returns a status and the solution nearest to q_now",
        "(or None), with angles shifted by multiples of 2 Pi; limits: minimum and maximum of each joint.",
        *last_states(recipe),
    ]


def _kernels(wanted: set[str]) -> str:
    """Return the source of helper functions and of those they call."""
    text = files("robosym.languages").joinpath("solution_kernels.txt").read_text("utf-8")
    parts = dict(part.split("\n", 1) for part in text.split("### ")[1:])
    while True:
        more = {label for label in parts for name in wanted if f"{label}(" in parts[name]}
        if more <= wanted:
            break
        wanted = wanted | more
    return "\n\n\n".join(part.strip() for label, part in parts.items() if label in wanted)


def _short(recipe: AnyRecipe) -> str:
    """Return the name of the function that also gives a status; a module needs no prefix."""
    return "igm" if "T" in recipe.inputs else "passive"


def _finite(recipe: AnyRecipe) -> list[str]:
    """Return a function that rejects inputs that are not finite or too large."""
    read = [_entry(group, place) for group, places in recipe.read.items() for place in places]
    return [
        f"def finite_input({given(recipe)}):",
        "    return finite((",
        *number_rows(read, "        "),
        "    ))",
    ]


def _guard(recipe: AnyRecipe, result: str) -> list[str]:
    return [f"    if not finite_input({given(recipe)}):", f"        return {result}"]


def _entry(group: str, place: int) -> str:
    """Return the expression of an entry of an argument, converted to float."""
    return f"float({ARGUMENTS[group]}{f'[{place // 4}][{place % 4}]' if group == 'T' else f'[{place}]'})"


def _status(recipe: AnyRecipe, name: str) -> list[str]:
    lines = [f"def {_short(recipe)}({given(recipe)}):", *_guard(recipe, "5, []")]
    lines += ["    if not is_rotation(T):", "        return 3, []"] if recipe.turns else []
    lines += [f"    found = all_{name}({given(recipe)})", "    if not found:", "        return 1, []"]
    return [*lines, "    return 2 if any(mask for _, mask in found) else 0, [q for q, _ in found]"]


def _nearest(recipe: AnyRecipe, name: str) -> list[str]:
    short = _short(recipe)
    angles = ", ".join("False" if joint in recipe.lengths else "True" for joint in recipe.outputs)
    return [
        f"def {short}_nearest({given(recipe)}, q_now, limits=None):",
        f"    status, solutions = {short}({given(recipe)})",
        "    if solutions and not finite(q_now):",
        "        return 5, None",
        f"    q = nearest(solutions, ({angles},), q_now, limits)",
        "    return 4 if solutions and q is None else status, q",
    ]


def _elimination(recipe: EliminationRecipe, name: str) -> tuple[list[str], list[str]]:
    """Return the general method: its plain functions, and the geometry as data."""
    program = Program(recipe.model, replace(find_language("python"), style=_STYLE), reserved=_RESERVED - {"parameters"})
    texts = [text for _, _, text in program.results()]
    lines = [f"SHAPE_OF_{name} = [", *number_rows(map(str, recipe.shape)), "]"]
    lines += [f"PLANS_OF_{name} = [", *number_rows(map(double, recipe.plans)), "]", "", ""]
    lines += [
        f"def all_{name}({given(recipe)}):",
        '    """Return (solution, sum of 2^j over its free joints) for every solution."""',
    ]
    lines += _guard(recipe, "[]")
    lines += [f"    {spelled} = float({array.name}[{place}])" for array, place, spelled in program.inputs()]
    lines += [f"    {statement.name} = {statement.text}" for statement in program.statements]
    lines += ["    constants = [", *number_rows(texts, "        "), "    ]"]
    lines += ["    T = orthonormal(T)"] if recipe.turns else []
    lines += [
        "    shape, plans, pose, solutions, errors, loose = (",
        f'        memoryview(array("i", SHAPE_OF_{name})), filled(PLANS_OF_{name}),',
        f"        filled([T[i][j] for i in range(3) for j in range(4)]), doubles({6 * recipe.most}),",
        f"        doubles({recipe.most}), integers({recipe.most}),",
        "    )",
        "    count = general_solutions(shape, filled(constants), plans, pose, TOLERANCE, solutions, errors, loose)",
        f"    return [(list(solutions[6*i : 6*i + {len(recipe.outputs)}]), loose[i]) for i in range(count)]",
    ]
    plain = [plain_python(source) for source in recipe.sources]
    heads = ["from __future__ import annotations", "", "import math", "from array import array", "", _TOLERANCE]
    heads += ["", "", _ARRAYS, "", "", "\n\n\n".join(plain)]
    return [*heads, *(["", "", _kernels({"orthonormal"})] if recipe.turns else [])], lines


_ARRAYS = '''def doubles(size):
    """Return a zero array whose slices are views."""
    return memoryview(array("d", bytes(8*size)))


def integers(size):
    """Return a zero array whose slices are views."""
    return memoryview(array("i", bytes(4*size)))


def filled(numbers):
    """Return an array of the given numbers."""
    return memoryview(array("d", numbers))'''


def _closed_form(recipe: StepsRecipe, name: str) -> tuple[list[str], list[str]]:
    program = SolutionProgram(recipe, _STYLE, _RESERVED)
    lines = [
        f"def all_{name}({given(recipe)}):",
        '    """Return (solution, sum of 2^j over its free joints) for every solution."""',
    ]
    lines += _guard(recipe, "[]")
    lines += ["    T = orthonormal(T)"] if program.whole else []
    lines += [f"    {name} = {_entry(group, place)}" for group, place, name in program.loads()]
    lines += ["    found, mask0 = [], 0", "    for rest in ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)):"]
    indent = "        "
    for number, block in enumerate(program.blocks):
        lines += [f"{indent}{n} = {text}" for n, text in block.statements]
        for text in block.checks:
            lines += [f"{indent}if not abs({text}) <= TOLERANCE:", f"{indent}    continue"]
        if block.step is not None:
            lines += _step(block, program, number + 1, indent)
            indent += "    "
    values = []
    for joint in recipe.outputs:
        parts = program.unknown[joint]
        values.append(parts[0] if len(parts) == 1 else f"math.atan2({parts[1]}, {parts[0]})")
    lines += [f"{indent}store(found, [{', '.join(values)}], mask{len(recipe.steps)})"]
    lines += ["        if found:  # otherwise set free angles to the next multiple of 90 degrees"]
    lines += ["            break", "    return found"]
    return ["import math", "", _TOLERANCE, "", "", _kernels(program.kernels)], lines


def _step(block: SolutionBlock, program: SolutionProgram, number: int, indent: str) -> list[str]:
    step = block.step
    assert step is not None
    variables = program.unknown[step.joint]
    target = ", ".join(variables)
    if step.form == "difference":
        values = ", ".join(block.equations[0])
        return [f"{indent}mask{number} = mask{number - 1}", f"{indent}for {target} in [({values})]:"]
    k = f"k{number}"
    lines = [f"{indent}# {block.remark}"]
    lines += [f"{indent}{k} = [{', '.join(block.equations[0])}]"]
    scale = repr(step.scales[0])
    if len(block.equations) > 1:
        lines += [f"{indent}scale{number} = {scale}"]
        now, then = (strength(step.form, name, "math.hypot") for name in (k, "other"))
        for other, value in zip(block.equations[1:], step.scales[1:], strict=True):
            lines += [
                f"{indent}if abs({now}) < 1e-6*scale{number}:",
                f"{indent}    other = [{', '.join(other)}]",
                f"{indent}    if abs({then})*scale{number} > abs({now})*{value!r}:",
                f"{indent}        {k}, scale{number} = other, {value!r}",
            ]
        scale = f"scale{number}"
    call = f"{KERNELS[step.form]}({k}, {scale}{', rest' if len(variables) == 2 else ''})"
    lines += [f"{indent}roots{number}, free{number} = {call}"]
    lines += [f"{indent}mask{number} = mask{number - 1} | {program.bit(step)} if free{number} else mask{number - 1}"]
    return [*lines, f"{indent}for {target} in roots{number}:"]
