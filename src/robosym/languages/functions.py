"""A model as functions. A long one is cut into parts, called in turn, which pass values on in an array `shared`.

A compiled language derives from `Functions` and gives its words for a line, an argument, a call and a definition.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from robosym.algebra.once import cached_property
from robosym.languages.language import Language
from robosym.languages.program import Array, Part, Program, function_name
from robosym.model import Model

__all__ = ["Function", "Functions"]

#: A compiler's time grows faster than the length of a function: longer models are cut into functions of this length.
STATEMENTS = 400


_WORD = 8  #: bytes of a value, and of a pointer; a float is kept in as many
_FRAME = 512  #: of what a compiler keeps in two calls one in the other: registers, arguments, alignment


def _places(part: Part) -> int:
    """The variables of a part and the operands of its longest expression."""
    texts = [*(s.text for s in part.statements), *(text for _, _, text in part.outputs)]
    widest = max((len(re.findall(r"[-+*/(,]", text)) for text in texts), default=0)
    return len(part.inputs) + len(part.taken) + len(part.statements) + widest


@dataclass(frozen=True)
class Function:
    """A function that a user calls: the arrays that it reads and writes, and what it computes, in one part or more."""

    name: str
    read: Sequence[Array]
    written: Sequence[Array]
    parts: Sequence[Part]

    @property
    def arguments(self) -> list[str]:
        """The names of the arrays."""
        return [array.name for array in (*self.read, *self.written)]

    @property
    def initialises(self) -> bool:
        """Whether it is the one that computes the constants."""
        return any(array.name == "constants" for array in self.written)

    @property
    def is_cut(self) -> bool:
        return len(self.parts) > 1

    @property
    def shared(self) -> int:
        """How many values parts leave for later ones, an array of which needs at least one place."""
        return max(sum(len(part.left) for part in self.parts), 1)


class Functions(ABC):
    """The functions of one model in a language; with `init`, one of them computes the constants once."""

    def __init__(
        self,
        model: Model,
        language: Language,
        init: bool,
        reserved: frozenset[str] = frozenset(),
        name: str = "",
        prefix: str = "",
    ) -> None:
        self.model = model
        self.init = init
        self.name = function_name(model, name, prefix, language)
        parts = range(1, 2 + len(model.nodes) // STATEMENTS)
        own = {self.name, *(f"{self.name}_{end}" for end in ("init", "module", "model", *parts))}
        self.program = Program(model, language, constants=init, reserved=reserved | own)

    @cached_property
    def called(self) -> list[Function]:
        """The functions that a user calls."""
        program = self.program
        initialise, evaluate = self.names()
        if not self.init:
            return [Function(evaluate, program.read, program.written, program.whole(STATEMENTS))]
        return [
            Function(initialise, program.read_once, [program.constants], program.offline(STATEMENTS)),
            Function(evaluate, [*program.read_online, program.constants], program.written, program.online(STATEMENTS)),
        ]

    def definitions(self, function: Function) -> list[list[str]]:
        """The source of a function: where it is cut, that of each part, and last of what calls them in turn."""
        if not function.is_cut:
            return [self.define(function, function.name, self.body(function, function.parts[0]))]
        names = [f"{function.name}_{number}" for number in range(1, len(function.parts) + 1)]
        parts = [
            self.define(function, name, self.body(function, part), is_part=True)
            for name, part in zip(names, function.parts, strict=True)
        ]
        calls = [self.call(function, name) for name in names]
        return [*parts, self.define(function, function.name, [self.space(function), *calls])]

    def body(self, function: Function, part: Part) -> list[str]:
        """Inputs, what earlier parts have left, assignments, outputs, what later parts want."""
        return [
            *(self.load(name, self.entry(array, place)) for array, place, name in part.inputs),
            *(self.load(name, self.shared(place)) for place, name in part.taken),
            *(self.declare(s.name, s.text) for s in part.statements),
            *(self.assign(self.entry(array, place), text) for array, place, text in part.outputs),
            *(self.assign(self.shared(place), name) for place, name in part.left),
        ]

    @cached_property
    def stack(self) -> int:
        """Bytes of the stack that a call takes at most, unoptimised too, without those of sin, cos and the like.

        Every variable has a place at most, and so has every operand of the longest expression; a part gives its own
        back before the next is called. `tests/languages/test_strict_code.py` compares with what compilers tell.
        """
        return max(
            _FRAME + _WORD * ((function.shared if function.is_cut else 0) + max(map(_places, function.parts)))
            for function in self.called
        )

    # ------------------------------------------------------- words of a language

    def names(self) -> tuple[str, str]:
        """Of what computes the constants, and of what evaluates the model."""
        return f"{self.name}_init", self.name

    @abstractmethod
    def entry(self, array: Array, place: int) -> str:
        """Where a value of an array stands; the constants are an array, too."""

    def shared(self, place: int) -> str:
        """Where a value that passes from part to part stands."""
        return f"shared[{place}]"

    @abstractmethod
    def declare(self, name: str, text: str) -> str:
        """A line that makes a variable and gives it its value."""

    def load(self, name: str, place: str) -> str:
        """A line that makes a variable of an input."""
        return self.declare(name, place)

    @abstractmethod
    def assign(self, target: str, text: str) -> str:
        """A line that writes a value where it belongs."""

    @abstractmethod
    def space(self, function: Function) -> str:
        """A line that makes the array `shared`."""

    @abstractmethod
    def call(self, function: Function, name: str) -> str:
        """A line that calls a part by its name."""

    @abstractmethod
    def define(self, function: Function, name: str, lines: list[str], is_part: bool = False) -> list[str]:
        """The definition of a function or of one of its parts, which takes `shared` as its last argument."""
