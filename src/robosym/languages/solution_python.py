"""Closed-form solutions in Python: one function over `math`, a list of all solutions."""

from __future__ import annotations

import keyword
from importlib.resources import files

from robosym.algebra import FUNCTIONS, Style
from robosym.languages.program import double
from robosym.languages.solution_program import ARGUMENTS, KERNELS, SolutionBlock, SolutionProgram, strength
from robosym.model.solution.recipe import Recipe

__all__ = ["solution_python"]

_STYLE = Style(
    number=double,
    pi="math.pi",
    functions={name: f"math.{name}" for name in FUNCTIONS if name not in ("abs", "sign")},
)
_RESERVED = frozenset(keyword.kwlist) | frozenset(
    "math orthonormal T q_known parameters solutions abs other rest linear sine pair roots sine2 complex_roots "
    "TOLERANCE".split()
)


def solution_python(recipe: Recipe, name: str, describe: list[str]) -> str:
    program = SolutionProgram(recipe, _STYLE, _RESERVED)
    kernels = files("robosym.languages").joinpath("solution_kernels.txt").read_text("utf-8")
    lines = ['"""', *(line.rstrip() for line in describe), "", "Gives a list of solutions (lists of joints).", '"""']
    lines += ["", "import math", "", kernels.strip(), "", ""]
    lines += [f"def {name}({', '.join(ARGUMENTS[g] for g in recipe.inputs)}):"]
    if "T" in recipe.inputs and set(recipe.inputs["T"][:11]) - {""} <= program.used:
        lines += ["    T = orthonormal(T)"]
    for group, names in recipe.inputs.items():
        for place, n in enumerate(names):
            if n in program.used or program.spelled[n] in program.used:
                index = f"[{place // 4}][{place % 4}]" if group == "T" else f"[{place}]"
                lines.append(f"    {program.spelled[n]} = {ARGUMENTS[group]}{index}")
    lines += ["    solutions = []", "    for rest in ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)):"]
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
    lines += [f"{indent}solutions.append([{', '.join(values)}])"]
    lines += ["        if solutions:  # a free angle is 0; where no solution has it so, the next right angle is tried"]
    lines += ["            break", "    return solutions"]
    return "\n".join(lines) + "\n"


def _step(block: SolutionBlock, program: SolutionProgram, number: int, indent: str) -> list[str]:
    step = block.step
    assert step is not None
    variables = program.unknown[step.joint]
    target = ", ".join(variables)
    if step.form == "difference":
        values = ", ".join(block.equations[0])
        return [f"{indent}for {target} in [({values})]:"]
    k = f"k{number}"
    lines = [f"{indent}# {step.joint}: {step.type}, {' and '.join(step.origins)}"]
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
    return [*lines, f"{indent}for {target} in {call}:"]
