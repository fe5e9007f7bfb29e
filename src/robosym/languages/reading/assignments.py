"""Assignments of a file: variables and their expressions, inputs and outputs, and the grouping of the inputs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from robosym.algebra import FUNCTIONS
from robosym.errors import FormatError, InputError, closest
from robosym.languages.reading.dialect import Dialect, Span
from robosym.languages.reading.headers import Header, joint_variables
from robosym.model import is_online
from robosym.model.groups import GROUPS
from robosym.model.naming import entry_name

__all__ = ["Assignments", "group_inputs"]

_INDEX = r"\[\[?[\d, ]+\]\]?|\([\d, :]+\)"
_TARGET = re.compile(rf"\s*(?:const\s+)?(?:double\s+)?([A-Za-z_$][\w$]*)\s*((?:{_INDEX})*)\s*(:?=)(?!=)")
_ELEMENT = re.compile(r"([A-Za-z_]\w*)(?:\[\[(\d+)\]\]|\[(\d+)\]|\((\d+)(?:, *:)?\))")
#: SYMORO+'s names of velocities, accelerations and torques; other symbols are parameters
_USUAL = {"qd": r"QP\d+", "qdd": r"QDP\d+", "tau": r"GAM\d+"}


@dataclass
class Assignments:
    """The assignments read so far; names are valid symbols of the algebra."""

    file: str
    dialect: Dialect
    header: Header
    #: names and expressions in order, in the grammar of the algebra
    values: list[tuple[str, Span]] = field(default_factory=list)
    bound: dict[str, tuple[str, int]] = field(default_factory=dict)  #: input name -> (group, index)
    results: dict[tuple[str, int], str] = field(default_factory=dict)  #: output (group, index) -> name
    arrays: dict[str, list[str]] = field(default_factory=dict)  #: arrays of SYMORO+ such as A(1,1): names of entries
    elements: set[str] = field(default_factory=set)  #: symbols for entries of an argument, such as u(2)

    def wrong(self, message: str, span: Span, index: int = 0) -> FormatError:
        return FormatError(message, self.file, *span.place(index))

    def take(self, statement: Span) -> None:
        target = _TARGET.match(statement.text)
        if target is None:
            if statement.text[:1] in "{[" and self.header.outputs:
                self._take_results(statement)
                return
            raise self.wrong(f"expected an assignment, found {_short(statement.text)!r}", statement)
        name, index, sign = target.groups()
        if sign != self.dialect.assign and sign != "=":
            raise self.wrong(f"expected {self.dialect.assign!r}, found {sign!r}", statement, target.start(3))
        value = statement[target.end() :].stripped()
        if not value:
            raise self.wrong(f"expected an expression after {name} =, found nothing", statement, len(statement.text))
        numbers = re.findall(r"\d+", index)
        element = _ELEMENT.fullmatch(value.text)
        # an array is renamed if its group is both input and output, or if the name is reserved
        group = _group(name, self.header.outputs, self.dialect.name == "c") or name
        if name == "shared" or (element and element[1] == "shared"):
            return  # a value that one part of a split function passes to the next keeps its name
        if element and self.dialect.renames and not self.header.inputs and element[1].lower() not in FUNCTIONS:
            return  # t1=u(1): t1 is the input
        source = _group(element[1], self.header.inputs, self.dialect.name == "c") if element else None
        if element and source:
            place = self._place(element)
            self._check_place(source, place, len(self.header.inputs[source]), value)
            self.bound[_plain(name)] = source, place
        elif index and group in self.header.outputs:
            if len(numbers) not in (1, len(self.header.shapes[group])):  # C uses one index for a matrix, too
                raise self.wrong(f"{name}: expected one index, found {len(numbers)}", statement, target.start(2))
            places = [int(number) - self.dialect.first for number in numbers]
            shape = self.header.shapes[group]
            within = shape if len(places) == len(shape) else (prod(shape),)
            for place, length in zip(places, within, strict=True):
                self._check_place(name, place, length, statement)
            self._take_result(group, places[0] if len(places) == 1 else places[0] * shape[1] + places[1], value)
        elif value.text[:1] == "[" or re.match(r"(zeros|max)\(", value.text):
            return  # a list of variables that are already assigned
        elif index:
            self.arrays.setdefault(name, []).append(self._define(_entry_name(name, numbers), value))
        else:
            self._define(name, value)

    def _take_result(self, group: str, place: int, value: Span) -> None:
        self.results[group, place] = self._define(f"{group}@{place}", value)

    def _take_results(self, statement: Span) -> None:
        """Read the list that ends a generated function: its entries are the outputs in order."""
        places = [(group, place) for group, names in self.header.outputs.items() for place in range(len(names))]
        entries = _entries(statement)
        if len(entries) != len(places):
            raise self.wrong(f"expected {len(places)} results, found {len(entries)}", statement)
        for (group, place), value in zip(places, entries, strict=True):
            self._take_result(group, place, value)

    def _define(self, name: str, value: Span) -> str:
        self.values.append((_plain(name), self._translated(value)))
        return _plain(name)

    def _place(self, element: re.Match[str]) -> int:
        return int(next(number for number in element.groups()[1:] if number)) - self.dialect.first

    def _check_place(self, array: str, place: int, length: int, span: Span) -> None:
        if not 0 <= place < length:
            first = self.dialect.first
            entries = f"an index from {first} to {length - 1 + first}" if length else "no entries"
            raise self.wrong(f"{array}: expected {entries}, found {place + first}", span)

    def _translated(self, value: Span) -> Span:
        """Translate an expression to the grammar of the algebra."""
        value = self.dialect.value(value)
        functions = self.dialect.functions
        if functions:
            called = re.compile(r"\b(" + "|".join(functions) + r")(?=\s*\()", re.IGNORECASE)
            value = value.replaced(called, lambda found: functions[found[0].lower()])
        if self.dialect.elements:
            value = value.replaced(_ELEMENT, self._element)
        return value.replaced(re.compile(r"\$"), lambda _: "_")

    def _element(self, found: re.Match[str]) -> str:
        if found[1].lower() in FUNCTIONS:
            return found[0]
        symbol = f"{found[1]}_{self._place(found) + 1}"
        self.elements.add(symbol)
        return symbol


def _group(name: str, groups: Iterable[str], cased: bool = False) -> str | None:
    """Return the group of an array: Mathematica's baseVelocity is base_velocity, Fortran's Q_ is Q."""
    spelled = name.replace("_", "")
    alike = [g for g in groups if g.replace("_", "") == spelled]
    if not cased:
        alike += [g for g in groups if g not in alike and g.replace("_", "").lower() == spelled.lower()]
    return name if name in alike else next(iter(alike), None)


def _entry_name(array: str, indices: list[str]) -> str:
    """Return A12 for A(1,2), as in our models, and T2_1_2 for T2(1,2), which would be ambiguous."""
    return "_".join([array, *indices]) if array[-1:].isdigit() else entry_name(array, *map(int, indices))


def _plain(name: str) -> str:
    """Replace Mathematica's `$` by the underscore used elsewhere."""
    return name.replace("$", "_")


def _entries(span: Span) -> list[Span]:
    """Return the innermost entries of nested lists."""
    span = span.stripped()
    if span.text[:1] not in "{[":
        return [span]
    return [entry for piece in span[1 : len(span.text) - 1].split(",") for entry in _entries(piece)]


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}..."


# --------------------------------------------------------------------------- inputs


def group_inputs(found: Assignments, given: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Group the inputs by the header, by SYMORO+'s tables or as given; the rest by name."""
    header = found.header
    used, angles = _used(found)
    groups: dict[str, tuple[str, ...]] = {group: tuple(names) for group, names in header.inputs.items()}
    wanted = {**({} if groups else _moving(found, angles)), **given}
    for group, names in wanted.items():
        missing = [name for name in names if name not in used] if group in given else []
        if missing:
            raise InputError(f"{group}: unknown input {missing[0]!r} of the model{closest(missing[0], used)}")
        chosen = tuple(dict.fromkeys(name for name in names if name in used))
        groups = {g: tuple(name for name in old if name not in chosen) for g, old in groups.items()}
        groups[group] = chosen
    taken = {name for names in (*groups.values(), *header.inputs.values()) for name in names}
    for name in used:
        if name not in taken:
            group = next((g for g, pattern in _USUAL.items() if re.fullmatch(pattern, name)), "parameters")
            groups[group] = (*groups.get(group, ()), name)
    order = [*filter(is_online, GROUPS), "gravity", "parameters"]
    ranked = sorted(groups, key=lambda g: order.index(g) if g in order else len(order))
    return {g: groups[g] for g in dict.fromkeys([*header.inputs, *ranked]) if groups[g]}


def _used(found: Assignments) -> tuple[dict[str, None], dict[str, None]]:
    """Return unassigned names, and names inside sines and cosines, in order of use."""
    made = set(found.bound)
    used: dict[str, None] = {}
    angles: dict[str, None] = {}
    for name, value in found.values:
        for word in re.findall(r"(?<![\w.])[A-Za-z_]\w*(?!\w*\s*[(\[])", value.text):
            if word not in made and word not in ("Pi", "pi"):
                used.setdefault(word)
        for argument in re.findall(r"(?i)\b(?:sin|cos)[(\[]([^()\[\]]*)", value.text):
            angles.update(dict.fromkeys(re.findall(r"[A-Za-z_]\w*", argument)))
        if name in used:
            raise found.wrong(f"{name} is used before it is assigned", value)
        made.add(name)
    return used, angles


def _moving(found: Assignments, angles: Iterable[str]) -> dict[str, list[str]]:
    """Find joint variables without our header: by SYMORO+'s tables, else symbols inside sines and cosines."""
    q, qd, qdd = joint_variables(found.header, angles)
    groups = {"q": q or list(angles), "qd": qd, "qdd": qdd}
    for name, value in found.values if found.elements else ():  # t2=u(2)+offset: u(2) is the joint variable
        entries = [word for word in re.findall(r"\w+", value.text) if word in found.elements]
        for group, names in groups.items():
            if name in names or re.fullmatch(_USUAL.get(group, "(?!)"), name):
                names += entries
    return groups
