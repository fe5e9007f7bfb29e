"""Reading a model back: a listing of ours or of SYMORO+, Fortran, Mathematica, Maple, C or MATLAB (guide 5.9)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from robosym.algebra import FUNCTIONS, Expr, Graph, parse, reachable, substitute
from robosym.errors import ExpressionError, FormatError, InputError, closest
from robosym.files import read_text
from robosym.languages.language import LANGUAGES
from robosym.languages.reading.dialect import Dialect
from robosym.languages.reading.headers import OUTPUTS, Header, joint_variables, read_header
from robosym.languages.reading.span import Span
from robosym.model import Layout, Model, is_online
from robosym.model.groups import GROUPS

__all__ = ["read_model", "read_model_text"]

_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_INDEX = r"\[\[?[\d, ]+\]\]?|\([\d, :]+\)"
_TARGET = re.compile(rf"\s*(?:const\s+)?(?:double\s+)?([A-Za-z_$][\w$]*)\s*((?:{_INDEX})*)\s*(:?=)(?!=)")
_ELEMENT = re.compile(r"([A-Za-z_]\w*)(?:\[\[(\d+)\]\]|\[(\d+)\]|\((\d+)(?:, *:)?\))")


def read_model(
    path: str | Path,
    language: str | None = None,
    inputs: Mapping[str, Sequence[str]] | None = None,
    outputs: Sequence[str] | None = None,
) -> Model:
    """A model from a file, its language by the extension or as given.

    `inputs` puts symbols into groups ("q", "qd", ...) and `outputs` chooses variables; without them the file's own
    description counts: our header, or SYMORO+'s tables and the names of its outputs (GAM, H, A, QDP).
    """
    path = Path(path)
    return read_model_text(read_text(path), language, inputs, outputs, name=path.name)


def read_model_text(
    text: str,
    language: str | None = None,
    inputs: Mapping[str, Sequence[str]] | None = None,
    outputs: Sequence[str] | None = None,
    name: str = "model.dyn",
) -> Model:
    """The same from a string; `name` stands for the file in errors, and its extension for the language."""
    stem, dot, suffix = name.rpartition(".")
    dialects = {dialect.name: dialect for known in LANGUAGES.values() for dialect in known.reading}
    looks = _dialect_of(dot + suffix, text, dialects)
    if language is not None and language not in dialects:
        raise InputError(f"unknown language {language!r}{closest(language, dialects)}; known are {', '.join(dialects)}")
    dialect = dialects[language or looks]
    header = read_header(text, dialect)
    header.name = header.name or stem or name
    if not header.kind:  # rx90.dyn, rx90.dyno, rx90_dyn.f
        header.kind = suffix if looks == "listing" else stem.rpartition("_")[2] or "mod"
    if header.kind not in OUTPUTS:
        header.kind = header.kind.removesuffix("o") or "mod"
    return _Reader(text, dialect, header, name).model(inputs, outputs)


def _dialect_of(suffix: str, text: str, dialects: Mapping[str, Dialect]) -> str:
    """By the extension, else by what stands in the file, else a listing."""
    by_extension = [name for name, dialect in dialects.items() if suffix.lower() in dialect.extensions]
    by_text = [name for name, dialect in dialects.items() if re.search(dialect.seen, text)]
    return [*by_extension, *by_text, "listing"][0]


class _Reader:
    def __init__(self, text: str, dialect: Dialect, header: Header, file: str) -> None:
        self.file, self.header, self.dialect = file, header, dialect
        self.order: list[tuple[str, Span]] = []
        self.bound: dict[str, tuple[str, int]] = {}  # spelling -> group and place
        self.results: dict[tuple[str, int], str] = {}  # group and place -> variable
        self.arrays: dict[str, list[str]] = {}  # SYMORO+'s arrays, such as A(1,1), by entries
        self.elements: set[str] = set()  # symbols that stand for entries of an argument, such as u(2)
        for statement in dialect.statements(text, file):
            self.take(statement)
        if not self.order:
            raise FormatError("no assignment such as `W13 = QP3 + W22` is found", file, 1)

    def wrong(self, message: str, span: Span, index: int = 0) -> FormatError:
        return FormatError(message, self.file, *span.place(index))

    # ------------------------------------------------------------- statements

    def take(self, statement: Span) -> None:
        target = _TARGET.match(statement.text)
        if target is None:
            if statement.text[:1] in "{[" and self.header.outputs:
                self.take_results(statement)
                return
            raise self.wrong(f"expected an assignment, found {_short(statement.text)!r}", statement)
        name, index, sign = target.groups()
        if sign != self.dialect.assign and sign != "=":
            raise self.wrong(f"expected {self.dialect.assign!r}, found {sign!r}", statement, target.start(3))
        value = statement[target.end() :].stripped()
        if not value:
            raise self.wrong(f"{name} has no value", statement, len(statement.text))
        element = _ELEMENT.fullmatch(value.text)
        if name == "shared" or (element and element[1] == "shared"):
            return  # a value passed from one part of a long function to the next, under its own name
        if element and self.dialect.renames and not self.header.inputs and element[1].lower() not in FUNCTIONS:
            return  # t1=u(1): t1 is what the equations know
        if element and element[1] in self.header.inputs:
            self.bound[name] = element[1], self.place(element)
        elif index and name in self.header.outputs:
            self.results[name, self.output_place(name, index)] = self.define(f"{name}@{index}", value)
        elif value.text[:1] == "[" or re.match(r"(zeros|max)\(", value.text):
            return  # a list of what is computed already
        elif index:
            entry = _entry_name(name, re.findall(r"\d+", index))
            self.arrays.setdefault(name, []).append(self.define(entry, value))
        else:
            self.define(name, value)

    def define(self, name: str, value: Span) -> str:
        self.order.append((name, value))
        return name

    def place(self, element: re.Match[str]) -> int:
        number = int(next(n for n in element.groups()[1:] if n))
        return number - self.dialect.first

    def output_place(self, group: str, index: str) -> int:
        numbers = [int(n) - self.dialect.first for n in re.findall(r"\d+", index)]
        return numbers[0] if len(numbers) == 1 else numbers[0] * self.header.shapes[group][1] + numbers[1]

    def take_results(self, statement: Span) -> None:
        """The list that ends a function of ours: its entries are the outputs in order."""
        names = [(group, place) for group, names in self.header.outputs.items() for place in range(len(names))]
        entries = _entries(statement)
        if len(entries) != len(names):
            raise self.wrong(f"expected {len(names)} results, found {len(entries)}", statement)
        for (group, place), value in zip(names, entries, strict=True):
            self.results[group, place] = self.define(f"{group}@{place}", value)

    # ------------------------------------------------------------------ model

    def model(self, inputs: Mapping[str, Sequence[str]] | None, outputs: Sequence[str] | None) -> Model:
        values = [(name, self.translated(value)) for name, value in self.order]
        groups = self.groups(values, inputs)
        graph = Graph()
        known: dict[str, Expr] = {}
        for group, names in groups.items():
            for symbol in names:
                known[symbol] = graph.symbol(symbol, online=is_online(group))
        originals = dict(known)
        for spelling, (group, place) in self.bound.items():
            if place >= len(self.header.inputs[group]):
                found = f"{group} has {len(self.header.inputs[group])} entries, not {place + 1}"
                raise FormatError(found, self.file, 1)
            known[_plain(spelling)] = originals[self.header.inputs[group][place]]
        definitions: dict[str, Expr] = {}
        for name, value in values:
            expression = self.parsed(value)
            for node in reachable([expression]):
                if node.op == "symbol" and node.value not in known:
                    raise self.wrong(f"{node.value} is used before it has a value", value, value.text.find(node.value))
            known[_plain(name)] = substitute([expression], graph, known)[0]
            if "@" not in name:
                definitions[_plain(name)] = known[_plain(name)]
        layout = self.layout(definitions, known, outputs)
        definitions.update(self.named_results(known))
        title = self.header.title or "read from a file"
        return Model(self.header.name, self.header.kind, title, groups, layout, definitions, graph)

    def named_results(self, known: Mapping[str, Expr]) -> dict[str, Expr]:
        return {
            self.header.outputs[group][place]: known[_plain(variable)]
            for (group, place), variable in self.results.items()
            if place < len(self.header.outputs[group])
        }

    def parsed(self, value: Span) -> Expr:
        try:
            return parse(value.text, Graph())
        except ExpressionError as error:
            raise self.wrong(str(error), value, (error.column or 1) - 1) from None

    def translated(self, value: Span) -> Span:
        """In the algebra's own grammar."""
        value = self.dialect.value(value)
        functions = self.dialect.functions
        if functions:
            called = re.compile(r"\b(" + "|".join(functions) + r")(?=\s*\()", re.IGNORECASE)
            value = value.replaced(called, lambda m: functions[m[0].lower()])
        if self.dialect.elements:
            value = value.replaced(_ELEMENT, self.element)
        return value.replaced(re.compile(r"\$"), lambda _: "_")

    def element(self, found: re.Match[str]) -> str:
        if found[1].lower() in FUNCTIONS:
            return found[0]
        symbol = f"{found[1]}_{self.place(found) + 1}"
        self.elements.add(symbol)
        return symbol

    def groups(
        self, values: list[tuple[str, Span]], given: Mapping[str, Sequence[str]] | None
    ) -> dict[str, tuple[str, ...]]:
        """The inputs: what is used and never assigned, by the header, by SYMORO+'s tables, or as given."""
        made = {_plain(spelling) for spelling in self.bound}
        used: dict[str, None] = {}
        angles: dict[str, None] = {}
        for name, value in values:
            text = value.text
            for word in re.findall(r"(?<![\w.])[A-Za-z_]\w*(?!\w*\s*[(\[])", text):
                if word not in made and word not in ("Pi", "pi"):
                    used.setdefault(word)
            for argument in re.findall(r"(?i)\b(?:sin|cos)[(\[]([^()\[\]]*)", text):
                angles.update(dict.fromkeys(re.findall(r"[A-Za-z_]\w*", argument)))
            if _plain(name) in used:
                raise self.wrong(f"{name} is used before it has a value", value)
            made.add(_plain(name))
        header = self.header
        groups: dict[str, tuple[str, ...]] = {group: tuple(names) for group, names in header.inputs.items()}
        q, qd, qdd = joint_variables(header, angles)
        guess = {"q": q or list(angles), "qd": qd, "qdd": qdd} if not groups else {}
        for name, value in values if self.elements and guess else ():  # t2=u(2)+offset: u(2) is what moves
            entries = [word for word in re.findall(r"\w+", value.text) if word in self.elements]
            for group, pattern in (("q", None), ("qd", r"QP\d+"), ("qdd", r"QDP\d+")):
                if name in guess[group] or (pattern and re.fullmatch(pattern, name)):
                    guess[group] = [*guess[group], *entries]
        for group, names in {**guess, **(given or {})}.items():
            found = tuple(dict.fromkeys(n for n in names if n in used))
            missing = [n for n in names if n not in used] if given and group in given else []
            if missing:
                raise InputError(f"{group}: the model has no input {missing[0]}{closest(missing[0], used)}")
            groups = {g: tuple(n for n in old if n not in found) for g, old in groups.items()}
            groups[group] = found
        taken = {n for names in groups.values() for n in names}
        rest = [n for n in used if n not in taken and n not in self.header_names()]
        groups["qd"] = groups.get("qd", ()) + tuple(n for n in rest if re.fullmatch(r"QP\d+", n))
        groups["qdd"] = groups.get("qdd", ()) + tuple(n for n in rest if re.fullmatch(r"QDP\d+", n))
        groups["tau"] = groups.get("tau", ()) + tuple(n for n in rest if re.fullmatch(r"GAM\d+", n))
        left = tuple(n for n in rest if not re.fullmatch(r"(QP|QDP|GAM)\d+", n))
        groups["parameters"] = groups.get("parameters", ()) + left
        order = (*filter(is_online, GROUPS), "gravity", "parameters")
        ranked = sorted(groups, key=lambda g: order.index(g) if g in order else len(order))
        ordered = list(header.inputs) if header.inputs else ranked
        return {g: groups[g] for g in dict.fromkeys([*ordered, *ranked]) if groups[g]}

    def header_names(self) -> set[str]:
        return {n for names in self.header.inputs.values() for n in names}

    def layout(
        self, definitions: Mapping[str, Expr], known: Mapping[str, Expr], chosen: Sequence[str] | None
    ) -> dict[str, Layout]:
        header = self.header
        available = {**definitions, **self.named_results(known)}
        if chosen is not None:
            for name in chosen:
                if name not in available:
                    raise InputError(f"the model has no variable {name!r}{closest(name, available)}")
            return {OUTPUTS.get(header.kind, ("outputs", ()))[0]: tuple(chosen)}
        if header.outputs and all(n in available for names in header.outputs.values() for n in names):
            return {group: _shaped(names, header.shapes[group]) for group, names in header.outputs.items()}
        group, prefix = OUTPUTS.get(header.kind, ("outputs", ()))
        declared = [n for name in header.declared for n in self.arrays.get(name, [name]) if n in available]
        if not declared and self.arrays:
            return {name: tuple(entries) for name, entries in self.arrays.items()}
        found = declared or [n for n in definitions if n.startswith(prefix) and n[-1:].isdigit()]
        if not found or (header.kind == "inm" and not declared):
            pattern = re.compile(r"A\d+") if header.kind == "inm" else None
            found = [n for n in found if pattern and pattern.fullmatch(n)] or self.sinks(definitions)
        return {group: tuple(found)}

    def sinks(self, definitions: Mapping[str, Expr]) -> list[str]:
        """Variables that nothing else uses."""
        words = {w for _, value in self.order for w in _NAME.findall(value.text)}
        return [n for n in definitions if n not in words] or list(definitions)[-1:]


def _entry_name(array: str, indices: list[str]) -> str:
    """A(1,2) is A12; where that would be read otherwise, A_1_12."""
    if array[-1:].isdigit() or any(len(index) > 1 for index in indices):
        return "_".join([array, *indices])
    return array + "".join(indices)


def _plain(name: str) -> str:
    return name.replace("$", "_")


def _shaped(names: Sequence[str], shape: tuple[int, ...]) -> Layout:
    if len(shape) < 2:
        return tuple(names)
    return tuple(tuple(names[i : i + shape[1]]) for i in range(0, len(names), shape[1]))


def _entries(span: Span) -> list[Span]:
    """The innermost entries of nested lists."""
    span = span.stripped()
    if span.text[:1] not in "{[":
        return [span]
    return [entry for piece in span[1 : len(span.text) - 1].split(",") for entry in _entries(piece)]


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}..."
