"""Models as external functions of CasADi: compiled C with the exact Jacobian, adjoint and Hessian.

CasADi finds the derivatives of an external function f in its library by name: jac_f, adj1_f and jac_adj1_f. Matrices
are stored column by column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from robosym.errors import InputError
from robosym.export.archives import shared_library
from robosym.files import write_bytes, write_text
from robosym.languages import code
from robosym.languages.program import function_name
from robosym.model import Layout, Model, flat, shape
from robosym.model.optional import library
from robosym.model.tangents import cotangent
from robosym.optimizer import optimize

__all__ = ["casadi_external"]

_HEAD = """
#include <string.h>
#if defined(_WIN32)
#define EXTERNAL __declspec(dllexport)
#else
#define EXTERNAL __attribute__((visibility("default")))
#endif
#define SIZES(name, inputs, outputs) \\
    EXTERNAL long long name##_n_in(void) { return inputs; } \\
    EXTERNAL long long name##_n_out(void) { return outputs; }
static void take(double *to, const double *from, size_t count)
{
    if (from) memcpy(to, from, count * sizeof *to);
    else memset(to, 0, count * sizeof *to);
}
static void give(double *to, const double *from, size_t count)
{
    if (to) memcpy(to, from, count * sizeof *to);
}
"""


@dataclass(frozen=True)
class _Part:
    """A function of the library: shapes of its arguments and results, and the groups of the model that they pass."""

    name: str
    model: Model
    given: Sequence[tuple[int, int, str]]  #: rows, columns and input group of each argument; "" if it is not read
    results: Sequence[tuple[int, int, str]]  #: of each result: rows, columns and output group; "" for zeros


def casadi_external(model: Model, path: str | Path) -> Any:
    """Write the shared library of a model, with its C source beside it, and return the function that calls it."""
    casadi = library("casadi", "casadi")
    path = Path(path)
    if path.suffix not in (".so", ".dll", ".dylib"):
        raise InputError(f"library: expected a file with the extension .so, .dll or .dylib, found {path.name!r}")
    name = function_name(model)
    parts = _parts(name, model)
    text = "\n".join([_HEAD, *(line for part in parts for line in _source(part)), *_names(name, model)])
    binary = shared_library({"external.c": text}, "external.c")
    write_text(path.with_suffix(".c"), text)
    write_bytes(path, binary)
    return casadi.external(name, str(path.resolve()))


def _parts(name: str, model: Model) -> list[_Part]:
    groups = tuple(model.inputs)
    sizes = {group: len(names) for group, names in model.inputs.items()}
    shapes = {group: _matrix_shape(layout) for group, layout in model.outputs.items()}
    columns = _by_columns(model)
    given = [(sizes[group], 1, group) for group in groups]
    outputs = [(*shapes[group], group) for group in shapes]
    unread = [(*shapes[group], "") for group in shapes]
    adjoint = optimize(cotangent(columns, groups), 1)
    weights = [group for group in adjoint.inputs if group not in groups]
    seeds = [(*shapes[group], weight) for group, weight in zip(shapes, weights, strict=True)]
    slopes = [(sizes[group], 1, bar) for group, bar in zip(groups, adjoint.outputs, strict=True)]
    curved = optimize(_by_columns(adjoint.derivative(*groups, *weights, along="joints")), 1)
    hessian = [
        (rows, size * count, f"d{bar}_d{by}" if by else "")
        for rows, _, bar in slopes
        for size, count, by in (*given, *unread, *seeds)
    ]
    slope = optimize(_by_columns(columns.derivative(*groups, along="joints")), 1)
    jacobian = [(a * b, sizes[by], f"d{group}_d{by}") for group, (a, b) in shapes.items() for by in groups]
    return [
        _Part(name, columns, given, outputs),
        _Part(f"jac_{name}", slope, [*given, *unread], jacobian),
        _Part(f"adj1_{name}", adjoint, [*given, *unread, *seeds], slopes),
        _Part(f"jac_adj1_{name}", curved, [*given, *unread, *seeds, *((n, 1, "") for n, _, _ in slopes)], hessian),
    ]


def _matrix_shape(layout: Layout) -> tuple[int, int]:
    """Return rows and columns of an output group; a vector has one column."""
    rows, columns = (*shape(layout), 1)[:2]
    return rows, columns


def _by_columns(model: Model) -> Model:
    """Return the model with vectors in place of matrices, column by column."""

    def column_by_column(layout: Layout) -> Layout:
        rows = [row if isinstance(row, tuple) else (row,) for row in layout]
        return tuple(name for column in zip(*rows, strict=True) for name in column)

    outputs = {group: column_by_column(layout) for group, layout in model.outputs.items()}
    return replace(model.plain(), outputs=outputs, made=None)


def _source(part: _Part) -> list[str]:
    """Return the function of a model, and the function with the arguments of CasADi that calls it."""
    own = f"robosym_{part.name}"
    place = {group: k for k, (_, _, group) in enumerate(part.given)}
    lines = [code(part.model, "c", name=own), f"SIZES({part.name}, {len(part.given)}, {len(part.results)})"]
    lines += _sparsities(f"{part.name}_sparsity_in", part.given, [False] * len(part.given))
    lines += _sparsities(f"{part.name}_sparsity_out", part.results, [not group for _, _, group in part.results])
    lines += [f"EXTERNAL int {part.name}(const double **arg, double **res, long long *iw, double *w, int mem)", "{"]
    lines += [f"    double in_{k}[{len(names)}];" for k, names in enumerate(part.model.inputs.values())]
    lines += [f"    double out_{k}[{len(list(flat(rows)))}];" for k, rows in enumerate(part.model.outputs.values())]
    lines += ["    (void)iw;", "    (void)w;", "    (void)mem;"]
    sizes = [len(names) for names in part.model.inputs.values()]
    for k, group in enumerate(part.model.inputs):
        lines.append(f"    take(in_{k}, arg[{place[group]}], {sizes[k]});")
    passed = [f"in_{k}" for k in range(len(sizes))] + [f"out_{k}" for k in range(len(part.model.outputs))]
    lines.append(f"    {own}({', '.join(passed)});")
    found = {group: k for k, (_, _, group) in enumerate(part.results) if group}
    for k, (group, rows) in enumerate(part.model.outputs.items()):
        lines.append(f"    give(res[{found[group]}], out_{k}, {len(list(flat(rows)))});")
    return [*lines, "    return 0;", "}", ""]


def _sparsities(name: str, sizes: Sequence[tuple[int, int, str]], empty: Sequence[bool]) -> list[str]:
    """Return the function of the sparsity patterns: rows, columns, then 1 for dense or the starts of empty columns."""
    lines = [f"EXTERNAL const long long *{name}(long long i)", "{"]
    for k, ((rows, columns, _), bare) in enumerate(zip(sizes, empty, strict=True)):
        entries = [rows, columns, *([0] * (columns + 1) if bare else [1])]
        lines.append(f"    static const long long pattern_{k}[] = {{{', '.join(map(str, entries))}}};")
    lines.append("    switch (i) {")
    lines += [f"    case {k}: return pattern_{k};" for k in range(len(sizes))]
    return [*lines, "    default: return 0;", "    }", "}", ""]


def _names(name: str, model: Model) -> list[str]:
    """Return the functions of the names of arguments and results."""
    lines: list[str] = []
    for side, groups in (("in", model.inputs), ("out", model.outputs)):
        lines += [f"EXTERNAL const char *{name}_name_{side}(long long i)", "{", "    switch (i) {"]
        lines += [f'    case {k}: return "{group}";' for k, group in enumerate(groups)]
        lines += ["    default: return 0;", "    }", "}", ""]
    return lines
