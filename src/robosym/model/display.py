"""How a model shows itself: one line, a table for a terminal, tables and matrices for a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from robosym.algebra import reachable
from robosym.model.naming import flat, shape
from robosym.safe_text import markup

if TYPE_CHECKING:
    import sympy

    from robosym.model.model import Model

__all__ = ["as_html", "as_latex", "latex", "one_line", "table"]

_NAMES = 8  #: of a group that a table shows
_NODES = 400  #: of expressions that are short enough to be read as mathematics


def one_line(model: Model) -> str:
    """<Model rx90: Inverse dynamic model ..., q[6], qd[6] -> tau[6], 606 operations>."""
    rows = _rows(model)
    given, found = (", ".join(group for way, group, _, _ in rows if way == wanted) for wanted in ("in", "out"))
    total = model.operations.total
    return f"<{type(model).__name__} {model.name}: {model.title}; {given} -> {found}; {total} operations>"


def _rows(model: Model) -> list[tuple[str, str, str, str]]:
    """(in or out, group with its size, names, meaning)."""
    rows = []
    for group, names in model.inputs.items():
        rows.append(("in", f"{group}[{len(names)}]", _few(names), model.meaning(group)))
    for group, layout in model.outputs.items():
        size = "x".join(map(str, shape(layout)))
        rows.append(("out", f"{group}[{size}]", _few(tuple(flat(layout))), model.meaning(group, output=True)))
    return rows


def _few(names: tuple[str, ...]) -> str:
    shown = names if len(names) <= _NAMES else (*names[: _NAMES - 2], "...", names[-1])
    return " ".join(shown)


def table(model: Model) -> str:
    """Title, groups with their sizes and names, operations."""
    rows = _rows(model)
    widths = [max(len(row[k]) for row in rows) for k in range(4)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([f"{model.name}: {model.title}", "", *lines, "", str(model.operations)])


def latex(value: sympy.Basic | sympy.Matrix) -> str:
    """What SymPy writes; it is loaded only here: it takes longer than all the rest."""
    from sympy import latex as written

    return str(written(value))


def as_latex(model: Model) -> str | None:
    """The outputs as mathematics, matrices as matrices; None where they are too long to be read."""
    if not model.roots or len(reachable(model.roots)) > _NODES:
        return None
    lines = [f"\\mathtt{{{group}}} &= {latex(model.matrix(group))}" for group in model.outputs]
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


def as_html(model: Model) -> str:
    """The table, and the equations where they are short, for a notebook."""
    rows = "".join("<tr>" + "".join(f"<td>{markup(cell)}</td>" for cell in row) + "</tr>" for row in _rows(model))
    written = as_latex(model)
    equations = f"$${escape(written, quote=False)}$$" if written is not None else ""
    head = f"<b>{markup(model.name)}</b>: {markup(model.title)}"
    return f"<div><p>{head}</p><table>{rows}</table><p>{markup(str(model.operations))}</p>{equations}</div>"
