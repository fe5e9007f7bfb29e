"""A model as a sequence of assignments with names that a language accepts: what every emitter prints."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from robosym.algebra import Expr, Level, Printer, Style, numeric_value
from robosym.model import Model

__all__ = ["Program", "Statement", "double", "function_name", "wrapped"]


@dataclass(frozen=True, slots=True)
class Statement:
    """`name = text`; on line or computed from parameters alone."""

    name: str
    text: str
    online: bool


def double(value: Fraction | float) -> str:
    """The shortest decimal that reads back as the same double."""
    return repr(float(value))


def function_name(model: Model) -> str:
    """`rx90_dyn`: the robot's name and the kind of model, as an identifier."""
    name = re.sub(r"\W", "_", f"{model.name}_{model.kind}", flags=re.ASCII)
    return name if not name[:1].isdigit() else f"robot_{name}"


class Program:
    """The assignments of a model, in order, in the words of one language."""

    def __init__(self, model: Model, style: Style, reserved: frozenset[str] = frozenset(), exact: bool = False) -> None:
        """`reserved` are words the language keeps for itself; `exact` leaves constants such as Pi/3 as they are."""
        self.model = model
        self._taken = set(reserved) | set(model.outputs) | set(model.inputs)
        self.symbols = {  # how each input symbol is spelled
            name: self._fresh(name) for names in model.inputs.values() for name in names
        }
        outputs = {name: self._fresh(name) for name in model.output_names}
        self._named = self._name_nodes(exact)
        self._printer = Printer(style, self._named.get)
        self.statements = tuple(self._statements())
        used = {n.value for n in model.nodes if n.op == "symbol"}
        self.used = {name: spelled for name, spelled in self.symbols.items() if name in used}
        #: (name in the model, its spelling, text) of each output
        self.outputs = tuple(
            (name, outputs[name], self._printer.text(model.definitions[name])) for name in model.output_names
        )

    def _fresh(self, name: str) -> str:
        """The name, or with underscores behind it until nobody else has it."""
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def _name_nodes(self, exact: bool) -> dict[Expr, tuple[str, bool]]:
        """Names of symbols, of constants worked out, of the guide's variables, and of what is used twice."""
        model = self.model
        uses = Counter(argument.node for node in model.nodes for argument in node.args)
        # what the on-line part needs of the off-line part is computed there, once
        boundary = {
            a.node
            for node in model.nodes
            if node.level is Level.ONLINE
            for a in node.args
            if a.level is Level.OFFLINE
        }
        for root in model.roots:
            uses[root.node] += 1
        named: dict[Expr, tuple[str, bool]] = {}
        count = 0
        for node in model.nodes:
            if node.op == "symbol":
                named[node] = self.symbols.get(node.value, node.value), False
            elif node.level is Level.NUMBER:
                if not exact and node.args:
                    value = numeric_value(node)
                    assert value is not None
                    named[node] = double(abs(value)), value < 0
            elif node in model.variables:
                name, negative = model.variables[node]
                named[node] = self._fresh(name), negative
            elif uses[node] > 1 or node in boundary:
                count += 1
                named[node] = self._fresh(f"X{count}"), False
        return named

    def _statements(self) -> Iterator[Statement]:
        for node in self.model.nodes:
            known = self._named.get(node)
            if known is None:
                self._printer.inline([node])
            elif node.level is not Level.NUMBER and node.args:
                name, negative = known
                yield Statement(name, self._printer.definition(node, negative), node.level is Level.ONLINE)

    def inputs(self) -> Iterator[tuple[str, int, str]]:
        """(group, place in it, spelling) of every input that is used."""
        for group, names in self.model.inputs.items():
            for place, name in enumerate(names):
                if name in self.used:
                    yield group, place, self.used[name]


def wrapped(head: str, text: str, tail: str, width: int, indent: str, carry: str = "") -> str:
    """`head + text + tail`, broken before a sign where it would pass `width`; `carry` ends a broken line."""
    if len(head) + len(text) + len(tail) <= width:
        return head + text + tail
    lines: list[str] = []
    line = head
    for piece in re.split(r"(?= [-+] )", text):
        if len(line) + len(piece) + len(carry) > width and line.strip() and line != head:
            lines.append(line + carry)
            line = indent + piece.lstrip()
        else:
            line += piece
    return "\n".join([*lines, line + tail])


def commented(lines: list[str], comment: Callable[[str], str]) -> str:
    return "\n".join(comment(line).rstrip() for line in lines)
