"""A model as functions. A long model is split into parts that run in order and pass values in an array `shared`.

A compiled language derives from `Functions` and implements the syntax of declarations, calls and definitions.
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

#: Compile time grows faster than linearly with the length of a function: longer models are split into functions of
#: this many statements.
STATEMENTS = 400


_WORD = 8  #: bytes of a value or pointer; floats also count as 8
_FRAME = 512  #: bytes that a compiler adds for two nested calls: registers, arguments, alignment


def _places(part: Part) -> int:
    """Return the number of variables of a part plus the operands of its longest expression."""
    texts = [*(s.text for s in part.statements), *(text for _, _, text in part.outputs)]
    widest = max((len(re.findall(r"[-+*/(,]", text)) for text in texts), default=0)
    return len(part.inputs) + len(part.taken) + len(part.statements) + widest


@dataclass(frozen=True)
class Function:
    """A public function: its input and output arrays and the one or more parts that compute them."""

    name: str
    read: Sequence[Array]
    written: Sequence[Array]
    parts: Sequence[Part]

    @property
    def arguments(self) -> list[str]:
        """Names of the array arguments."""
        return [array.name for array in (*self.read, *self.written)]

    @property
    def initializes(self) -> bool:
        """Whether this function computes the constants."""
        return any(array.name == "constants" for array in self.written)

    @property
    def is_cut(self) -> bool:
        return len(self.parts) > 1

    @property
    def shared(self) -> int:
        """Size of the array `shared`, at least 1."""
        return max(sum(len(part.left) for part in self.parts), 1)


class Functions(ABC):
    """The functions of one model in a language; with `init`, a separate function computes the constants once."""

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
        """The public functions."""
        program = self.program
        initialize, evaluate = self.names()
        if not self.init:
            return [Function(evaluate, program.read, program.written, program.whole(STATEMENTS))]
        return [
            Function(initialize, program.read_once, [program.constants], program.offline(STATEMENTS)),
            Function(evaluate, [*program.read_online, program.constants], program.written, program.online(STATEMENTS)),
        ]

    def definitions(self, function: Function) -> list[list[str]]:
        """Return the source of a function; if it is split, its parts first and then the function that calls them."""
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
        """Return the statements: load inputs and shared values, compute, store outputs and shared values."""
        return [
            *(self.load(name, self.entry(array, place)) for array, place, name in part.inputs),
            *(self.load(name, self.shared(place)) for place, name in part.taken),
            *(self.declare(s.name, s.text) for s in part.statements),
            *(self.assign(self.entry(array, place), text) for array, place, text in part.outputs),
            *(self.assign(self.shared(place), name) for place, name in part.left),
        ]

    @cached_property
    def stack(self) -> int:
        """Upper bound of the stack used by a call in bytes, also without optimization, excluding sin, cos etc.

        Every variable and every operand of the longest expression takes at most one slot; parts run one after the
        other. `tests/languages/test_strict_code.py` compares this with the compilers' own report.
        """
        return max(
            _FRAME + _WORD * ((function.shared if function.is_cut else 0) + max(map(_places, function.parts)))
            for function in self.called
        )

    # ------------------------------------------------------- syntax of a language

    def names(self) -> tuple[str, str]:
        """Return the names of the functions that compute the constants and evaluate the model."""
        return f"{self.name}_init", self.name

    @abstractmethod
    def entry(self, array: Array, place: int) -> str:
        """Return the expression of an array element; the constants are an array, too."""

    def shared(self, place: int) -> str:
        """Return the expression of an element of `shared`."""
        return f"shared[{place}]"

    @abstractmethod
    def declare(self, name: str, text: str) -> str:
        """Return a statement that declares a variable and sets its value."""

    def load(self, name: str, place: str) -> str:
        """Return a statement that loads an input into a variable."""
        return self.declare(name, place)

    @abstractmethod
    def assign(self, target: str, text: str) -> str:
        """Return an assignment."""

    @abstractmethod
    def space(self, function: Function) -> str:
        """Return the declaration of the array `shared`."""

    @abstractmethod
    def call(self, function: Function, name: str) -> str:
        """Return a call of a part."""

    @abstractmethod
    def define(self, function: Function, name: str, lines: list[str], is_part: bool = False) -> list[str]:
        """Return the definition of a function or part; parts take `shared` as their last argument."""
