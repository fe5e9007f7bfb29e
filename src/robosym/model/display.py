"""Display of a model: one line, a table for a terminal, tables and matrices for a notebook."""

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

_NAMES = 8  #: names per group in a table
_NODES = 400  #: largest number of nodes that is displayed as mathematics


def one_line(model: Model) -> str:
    """Return `<Model rx90: Inverse dynamic model ..., q[6], qd[6] -> tau[6], 606 operations>`."""
    rows = _rows(model)
    given, found = (", ".join(group for way, group, _, _ in rows if way == wanted) for wanted in ("in", "out"))
    total = model.operations.total
    return f"<{type(model).__name__} {model.name}: {model.title}; {given} -> {found}; {total} operations>"


def _rows(model: Model) -> list[tuple[str, str, str, str]]:
    """Return one row per group: "in" or "out", group with its size, names, meaning."""
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
    """Return title, groups with sizes and names, and operation counts as text."""
    rows = _rows(model)
    widths = [max(len(row[k]) for row in rows) for k in range(4)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([f"{model.name}: {model.title}", "", *lines, "", str(model.operations)])


def latex(value: sympy.Basic | sympy.Matrix) -> str:
    """Return the LaTeX code of SymPy, which is imported here because the import is slow."""
    from sympy import latex as written

    return str(written(value))


def as_latex(model: Model) -> str | None:
    """Return the outputs as LaTeX, or None if they are too long to display."""
    if not model.roots or len(reachable(model.roots)) > _NODES:
        return None
    lines = [f"\\mathtt{{{group}}} &= {latex(model.matrix(group))}" for group in model.outputs]
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


def as_html(model: Model) -> str:
    """Return the table, and the equations if they are short, as HTML for a notebook."""
    rows = "".join("<tr>" + "".join(f"<td>{markup(cell)}</td>" for cell in row) + "</tr>" for row in _rows(model))
    written = as_latex(model)
    equations = f"$${escape(written, quote=False)}$$" if written is not None else ""
    head = f"<b>{markup(model.name)}</b>: {markup(model.title)}"
    return f"<div><p>{head}</p><table>{rows}</table><p>{markup(str(model.operations))}</p>{equations}</div>"
