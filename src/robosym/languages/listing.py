"""The listing: the model in customized form as SYMORO+ prints it, for people and for the optimizer."""

from __future__ import annotations

from robosym.algebra import PLAIN
from robosym.languages.header import describe, tables
from robosym.languages.program import Program, wrapped
from robosym.model import Model

__all__ = ["code"]


def code(model: Model) -> str:
    """Parameters in comments, then one assignment a line, then the number of operations."""
    program = Program(model, PLAIN, exact=True, arrays=False)
    lines = [f"(* robosym: {model.name}.{model.kind} *)", "", *(f"(* {row} *)" if row else "" for row in tables(model))]
    lines += [f"(* {row} *)" if row else "" for row in describe(model)]
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
