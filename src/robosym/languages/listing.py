"""Listing: the model in the customized symbolic form of SYMORO+, readable and accepted by `read_model`."""

from __future__ import annotations

import re

from robosym.languages.header import describe, tables
from robosym.languages.language import Language, register
from robosym.languages.program import Program, wrapped
from robosym.languages.reading.dialect import Dialect, Span
from robosym.languages.solution_program import describe_solution
from robosym.model import Model
from robosym.model.solution.recipe import EliminationRecipe, StepsRecipe
from robosym.model.solution.steps import explain_steps
from robosym.safe_text import comment

__all__ = ["LISTING"]


def _code(model: Model, *, no_tables: bool = False) -> str:
    """Return the parameter tables (unless `no_tables`), one assignment per line, and the number of operations."""
    program = Program(model, LISTING, written_out=model.written_out)
    rows = [] if no_tables else tables(model)
    heads = [f"robosym: {model.name}.{model.kind}", "", *rows, *describe(model, LISTING)]
    lines = [f"(* {comment(line)} *)" if line else "" for line in heads]
    lines += ["(* Equations: *)", ""]
    lines += [wrapped(f"{s.name} = ", s.text, "", 110, "    ") for s in program.statements]
    lines += [wrapped(f"{name} = ", text, "", 110, "    ") for _, name, text in program.outputs]
    counts = model.operations
    lines += [
        "",
        "(* *=* *)",
        f"(* Number of operations : {counts.additions} '+' or '-', {counts.multiplications} '*' or '/' *)",
    ]
    return "\n".join(lines) + "\n"


def _solution(recipe: StepsRecipe | EliminationRecipe, *, name: str = "") -> str:
    """Return every step of a solution with its equation, result and substitutions."""
    lines = ["(*", *(f"   {comment(line)}".rstrip() for line in describe_solution(recipe)), "*)", ""]
    return "\n".join([*lines, "\n\n".join(explain_steps(recipe.steps)), ""])


def _statements(lines: list[Span]) -> list[Span]:
    """Split into assignments; lines that do not start with `name =`, or start with `*=`, continue the previous one."""
    found: list[list[Span]] = []
    for line in lines:
        bare = line.stripped()
        if not bare or bare.text.startswith("*=*"):
            continue
        if bare.text.startswith("*="):
            bare = bare[2:]
        elif re.match(r"[A-Za-z_]\w*\s*:?=", bare.text) or not found:
            found.append([])
        found[-1].append(bare)
    return [Span.of_lines(parts).stripped() for parts in found]


LISTING = register(
    Language(
        name="listing",
        code=_code,
        first=1,
        extensions={".txt": {}},
        exact=True,
        arrays=False,
        solution=_solution,
        reading=(Dialect(name="listing", cut=_statements, blocks=(("(*", "*)"),)),),
    )
)
