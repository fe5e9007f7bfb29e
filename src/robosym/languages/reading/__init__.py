"""Read models from files: listings of robosym or SYMORO+, Fortran, Mathematica, Maple, C, MATLAB (guide, 5.9)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import prod
from pathlib import Path

from robosym.algebra import Expr, Graph, parse, reachable, substitute
from robosym.errors import ExpressionError, FormatError, InputError, closest
from robosym.files import read_text
from robosym.languages.language import LANGUAGES
from robosym.languages.reading.assignments import Assignments, group_inputs
from robosym.languages.reading.dialect import Dialect
from robosym.languages.reading.headers import OUTPUTS, read_header
from robosym.model import Layout, Model
from robosym.model.groups import declare

__all__ = ["MAX_CHARACTERS", "read_model", "read_model_text"]

MAX_CHARACTERS = 1_000_000  #: enough for a listing of a chain of 300 links; limits the cost of untrusted input
_Parse = Callable[[str, Graph], Expr]


def read_model(
    path: str | Path,
    language: str | None = None,
    inputs: Mapping[str, Sequence[str]] | None = None,
    outputs: Sequence[str] | None = None,
) -> Model:
    """Read a model from a file that robosym or SYMORO+ wrote.

    Parameters
    ----------
    path : str or Path
        The file.
    language : str, optional
        One of "listing", "c", "fortran", "fortran77", "matlab", "mathematica", "maple". Default: by the file extension.
    inputs : mapping of str to sequence of str, optional
        Symbols of each input group, such as ``{"q": ["t1", "t2"]}``. Default: as the header of the file says, or by
        the tables of SYMORO+; other symbols are parameters.
    outputs : sequence of str, optional
        Variables to return. Default: as the header of the file says, or the variables that SYMORO+ computes in models
        of this kind (GAM, H, A, QDP).

    Returns
    -------
    Model

    Raises
    ------
    FormatError
        The file cannot be parsed; the error has file, line and column.
    InputError
        `language`, `inputs` or `outputs` does not fit the file.

    Examples
    --------
    >>> import robosym as rs
    >>> paths = rs.inverse_dynamics(rs.load("planar2r")).write("planar2r.dyn")
    >>> rs.read_model("planar2r.dyn").outputs
    {'tau': ('GAM1', 'GAM2')}
    """
    path = Path(path)
    return read_model_text(read_text(path), language, inputs, outputs, name=path.name)


def read_model_text(
    text: str,
    language: str | None = None,
    inputs: Mapping[str, Sequence[str]] | None = None,
    outputs: Sequence[str] | None = None,
    name: str = "model.dyn",
    number: Callable[[str, Graph], Expr] | None = None,
) -> Model:
    """Read a model from a string; `name` is the file name in errors, and its extension determines the language.

    `number` converts the text of a number to an expression, as in `parse`.
    """
    if len(text) > MAX_CHARACTERS:
        raise FormatError(f"expected at most {MAX_CHARACTERS} characters, found {len(text)}", name)
    stem, dot, suffix = name.rpartition(".")
    dialects = {dialect.name: dialect for known in LANGUAGES.values() for dialect in known.reading}
    looks = _dialect_of(dot + suffix, text, dialects)
    if language is not None and language not in dialects:
        known = ", ".join(dialects)
        raise InputError(f"unknown language {language!r}{closest(language, dialects)}; known languages: {known}")
    dialect = dialects[language or looks]
    header = read_header(text, dialect)
    header.name = header.name or stem or name
    if not header.kind:  # rx90.dyn, rx90.dyno, rx90_dyn.f
        header.kind = suffix if looks == "listing" else stem.rpartition("_")[2] or "mod"
    if header.kind not in OUTPUTS:
        header.kind = header.kind.removesuffix("o") or "mod"
    found = Assignments(name, dialect, header)
    for statement in dialect.statements(text, name):
        found.take(statement)
    if not found.values:
        raise FormatError("expected at least one assignment such as `W13 = QP3 + W22`, found none", name, 1)
    return _model(found, inputs or {}, outputs, parse if number is None else partial(parse, number=number))


def _dialect_of(suffix: str, text: str, dialects: Mapping[str, Dialect]) -> str:
    """Return the dialect by extension (SYMORO+ writes rx90.Mjac for Mathematica), by content, or the listing."""
    if re.fullmatch(r"\.M[a-z]+", suffix):
        return "mathematica"
    by_extension = [name for name, dialect in dialects.items() if suffix.lower() in dialect.extensions]
    by_text = [name for name, dialect in dialects.items() if re.search(dialect.seen, text)]
    return [*by_extension, *by_text, "listing"][0]


def _model(
    found: Assignments, inputs: Mapping[str, Sequence[str]], outputs: Sequence[str] | None, parsed: _Parse
) -> Model:
    header, graph = found.header, Graph()
    groups = group_inputs(found, inputs)
    known = _expressions(found, groups, graph, parsed)
    definitions = {name: known[name] for name, _ in found.values if "@" not in name}
    for (group, place), variable in found.results.items():
        if place < len(header.outputs[group]):
            definitions[header.outputs[group][place]] = known[variable]
    layout = _layout(found, definitions, outputs)
    return Model(header.name, header.kind, header.title or "read from a file", groups, layout, definitions, graph)


def _expressions(
    found: Assignments, groups: Mapping[str, Sequence[str]], graph: Graph, parsed: _Parse
) -> dict[str, Expr]:
    """Return the expression of every name: the inputs, then the variables in order."""
    declare(graph, groups)
    known = {name: graph.symbol(name) for names in groups.values() for name in names}
    inputs = dict(known)
    if found.bound:  # the code loads its inputs from arrays: others do not exist in it
        for name in (name for names in found.header.inputs.values() for name in names):
            known.pop(name, None)
    for name, (group, place) in found.bound.items():
        known[name] = inputs[found.header.inputs[group][place]]
    for name, value in found.values:
        try:
            expression = parsed(value.text, Graph())
        except ExpressionError as error:
            raise found.wrong(str(error), value, (error.column or 1) - 1) from None
        for node in reachable([expression]):
            if node.op == "symbol" and node.value not in known:
                message = f"{node.value} is used before it is assigned"
                raise found.wrong(message, value, value.text.find(node.value))
        known[name] = substitute([expression], graph, known)[0]
    return known


def _layout(found: Assignments, available: Iterable[str], chosen: Sequence[str] | None) -> dict[str, Layout]:
    """Return the outputs: as chosen, by our header, by SYMORO+'s declarations, or by the kind of model."""
    header = found.header
    available = list(available)
    group, prefix = OUTPUTS.get(header.kind, ("outputs", ()))
    if chosen is not None:
        for name in chosen:
            if name not in available:
                raise InputError(f"outputs: unknown variable {name!r} of the model{closest(name, available)}")
        return {group: tuple(chosen)}
    if header.outputs and all(n in available for names in header.outputs.values() for n in names):
        return {group: _shaped(found, group) for group in header.outputs}
    declared = [n for name in header.declared for n in found.arrays.get(name, [name]) if n in available]
    if declared:
        return {group: tuple(declared)}
    if found.arrays:
        return {name: tuple(entries) for name, entries in found.arrays.items()}
    variables = [name for name, _ in found.values if "@" not in name]
    pattern = r"A\d+" if header.kind == "inm" else rf"({'|'.join(prefix)}).*\d"
    named = [name for name in variables if prefix and re.fullmatch(pattern, name)]
    return {group: tuple(dict.fromkeys(named or _unused(found, variables)))}


def _unused(found: Assignments, variables: list[str]) -> list[str]:
    """Return the variables that no expression uses."""
    words = {word for _, value in found.values for word in re.findall(r"[A-Za-z_]\w*", value.text)}
    return [name for name in variables if name not in words] or variables[-1:]


def _shaped(found: Assignments, group: str) -> Layout:
    """Return the names of an output group, as rows for a matrix."""
    names, shape = found.header.outputs[group], found.header.shapes[group]
    if len(names) != prod(shape):
        expected = " x ".join(map(str, shape))
        raise FormatError(f"{group}: expected {expected} output names, found {len(names)}", found.file, 1)
    if len(shape) < 2 or not names:
        return tuple(names)
    columns = prod(shape[1:])
    return tuple(tuple(names[at : at + columns]) for at in range(0, len(names), columns))
