"""A model as a sequence of assignments with valid identifiers, which the language modules print."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from robosym.algebra import Expr, Level, Printer, numeric_value
from robosym.algebra.once import cached_property
from robosym.errors import InputError
from robosym.languages.language import Language
from robosym.model import Model, flat, is_online, shape
from robosym.safe_text import identifier

__all__ = ["Array", "ArrayEntry", "Part", "Program", "Statement", "double", "function_name", "wrapped"]

LONGEST = 2000  #: maximum length of an expression in characters; longer ones get intermediate variables
LONGEST_WRITTEN_OUT = 20_000  #: the same for models whose outputs are written out
_BEHIND = 7  #: longest suffix appended to a function name
_WORD = re.compile(r"(?<![\w.$])[A-Za-z_$][\w$]*")


@dataclass(frozen=True)
class Array:
    """An input or output group as an array argument of a function."""

    group: str
    name: str  #: unique, even if a group is both input and output
    shape: tuple[int, ...]
    entries: tuple[str, ...] = ()  #: identifiers of the symbols or constants it contains
    once: bool = False  #: set or computed once: parameters, gravity, constants

    @property
    def size(self) -> int:
        return prod(self.shape)

    def indices(self, place: int) -> tuple[int, ...]:
        """Return the one-based indices of an entry: (index,) in a vector, (row, column) in a matrix."""
        return (place + 1,) if len(self.shape) == 1 else (place // self.shape[1] + 1, place % self.shape[1] + 1)


#: (array, row-major index, identifier or expression): source or destination of a value
ArrayEntry = tuple[Array, int, str]


@dataclass(frozen=True, slots=True)
class Statement:
    """An assignment `name = text`, online or depending on parameters only."""

    name: str
    text: str
    online: bool


@dataclass(frozen=True, slots=True)
class Part:
    """The statements of one function with its inputs, outputs and values shared with other parts."""

    inputs: tuple[ArrayEntry, ...]
    taken: tuple[tuple[int, str], ...]  #: (index in the shared array, name): computed by an earlier part
    statements: tuple[Statement, ...]
    outputs: tuple[ArrayEntry, ...]
    left: tuple[tuple[int, str], ...]  #: (index in the shared array, name): used by a later part


def double(value: Fraction | float) -> str:
    """Return the shortest decimal that reads back as the same double."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InputError("the model contains a constant that is not finite: its lengths or masses are too large")
    return repr(number)


def _is_reserved(name: str, language: Language) -> bool:
    """Return whether a name is reserved in a language, such as names that start with an underscore in C."""
    return name in language.reserved or (name.startswith("_") and language.spell(name) != name)


def function_name(model: Model, name: str = "", prefix: str = "", language: Language | None = None) -> str:
    """Return the name of a model's function, `rx90_dyn` (robot and kind of model) unless `name` is given.

    The robot's name is truncated to the maximum identifier length of `language`.

    Raises
    ------
    InputError
        `name` or `prefix` does not give a valid identifier of `language`.
    """
    longest = None if language is None or language.longest is None else language.longest - _BEHIND
    usual = identifier(f"{model.name}_{model.kind}")
    if longest is not None and len(prefix + usual) > longest:
        kind = re.sub(r"\W", "_", f"_{model.kind}", flags=re.ASCII)[-longest // 2 :]
        usual = usual[: max(longest - len(prefix) - len(kind), 1)] + kind
    whole = prefix + (name or usual)
    where = "" if language is None else f" in {language.name}"
    for option, word in (("prefix", prefix), ("name", whole)):
        reserved = language is not None and option == "name" and _is_reserved(word, language)
        if word and (reserved or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", word)):
            raise InputError(f"{option}: expected an identifier that is not reserved{where}, found {word!r}")
    if longest is not None and len(whole) > longest:
        raise InputError(f"name: expected at most {longest} characters{where}, found {len(whole)} in {whole!r}")
    return whole


class Program:
    """The assignments of a model, in order, printed for one language."""

    def __init__(
        self,
        model: Model,
        language: Language,
        *,
        constants: bool = False,
        written_out: bool = False,
        reserved: frozenset[str] = frozenset(),
    ) -> None:
        """Print the model for a language.

        Parameters
        ----------
        model : Model
        language : Language
        constants : bool
            Give a name to every offline value that the online part or an output needs, so that a separate function
            can compute these values once.
        written_out : bool
            Name sines and cosines only.
        reserved : frozenset of str
            Further reserved words, which the source uses.
        """
        self.model = model
        self._written_out = written_out
        self._language = language
        self._fold = str.lower if language.caseless else str
        self._taken = set(map(self._fold, language.reserved | reserved))
        groups = [*model.inputs, *model.outputs]
        arrays = [self._fresh(group) for group in groups] if language.arrays else groups
        self.symbols = {  # identifier of each input symbol
            name: self._fresh(name) for names in model.inputs.values() for name in names
        }
        self.read = tuple(
            Array(g, array, (len(names),), tuple(self.symbols[n] for n in names), not is_online(g))
            for array, (g, names) in zip(arrays, model.inputs.items(), strict=False)
        )
        self.written = tuple(
            Array(group, array, shape(layout))
            for array, (group, layout) in zip(arrays[len(self.read) :], model.outputs.items(), strict=True)
        )
        outputs = {name: self._fresh(name) for name in model.output_names}
        self._boundary = self._crossing(constants)
        self._named = self._name_nodes()
        self._printer = Printer(language.style, self._named.get)
        self.statements = tuple(self._statements())
        used = {n.value for n in model.nodes if n.op == "symbol"}
        self.used = {name: spelled for name, spelled in self.symbols.items() if name in used}
        #: (name in the model, identifier, expression) of each output
        self.outputs = tuple(
            (name, outputs[name], self._printer.text(model.definitions[name])) for name in model.output_names
        )

    def _fresh(self, name: str) -> str:
        """Return a valid identifier for `name` that is not used yet."""
        if not (name.isidentifier() and name.isascii()):
            name = identifier(name)
        mark, longest = self._language.mark, self._language.longest
        spelled = self._language.spell(name)
        found, count = spelled[:longest], 0
        while self._fold(found) in self._taken:
            count += 1
            tail = mark * count if longest is None or count == 1 else f"{mark}{count}"
            found = spelled[: None if longest is None else longest - len(tail)] + tail
        self._taken.add(self._fold(found))
        return found

    def _crossing(self, constants: bool) -> set[Expr]:
        """Return the offline nodes that the online part needs."""
        model = self.model
        users = [a for node in model.nodes if node.level is Level.ONLINE for a in node.args]
        if constants:
            users += model.roots
        return {a.node for a in users if a.level is Level.OFFLINE}

    def _name_nodes(self) -> dict[Expr, tuple[str, bool]]:
        """Name symbols, evaluated constants, variables of the model, and nodes that are used more than once."""
        model = self.model
        uses = Counter(argument.node for node in model.nodes for argument in node.args)
        uses.update(root.node for root in model.roots)
        named: dict[Expr, tuple[str, bool]] = {}
        self._count = 0
        for node in model.nodes:
            if node.op == "symbol":
                if node.value not in self.symbols:
                    self.symbols[node.value] = self._fresh(node.value)
                named[node] = self.symbols[node.value], False
            elif node.level is Level.NUMBER:
                if not self._language.exact and node.args:
                    value = numeric_value(node)
                    assert value is not None
                    named[node] = self._language.style.number(abs(value)), value < 0
            elif self._written_out and node.op not in ("sin", "cos"):
                continue
            elif node in model.variables:
                name, negative = model.variables[node]
                named[node] = self._fresh(name), negative
            elif uses[node] > 1 or node in self._boundary:
                named[node] = self._next(), False
        return named

    def _next(self) -> str:
        self._count += 1
        return self._fresh(f"X{self._count}")

    def _statements(self) -> Iterator[Statement]:
        for node in self.model.nodes:
            if node not in self._named:
                self._printer.inline([node])
                longest = LONGEST_WRITTEN_OUT if self._written_out else LONGEST
                if len(self._printer.reference(node)[0]) < longest or node.level is Level.NUMBER:
                    continue
                del self._printer.pieces[node]
                self._named[node] = self._next(), False
            name, negative = self._named[node]
            if node.level is not Level.NUMBER and node.args:
                yield Statement(name, self._printer.definition(node, negative), node.level is Level.ONLINE)

    def inputs(self) -> Iterator[ArrayEntry]:
        """Yield every input that is used, with its identifier."""
        for array in self.read:
            for place, name in enumerate(self.model.inputs[array.group]):
                if name in self.used:
                    yield array, place, self.used[name]

    def results(self) -> Iterator[ArrayEntry]:
        """Yield every output, with its expression."""
        texts = {name: text for name, _, text in self.outputs}
        for array in self.written:
            for place, name in enumerate(flat(self.model.outputs[array.group])):
                yield array, place, texts[name]

    # ------------------------------------------------------------ constants

    @property
    def read_online(self) -> list[Array]:
        """Inputs that change between evaluations."""
        return [array for array in self.read if not array.once]

    @property
    def read_once(self) -> list[Array]:
        """Inputs that are set once: parameters and gravity."""
        return [array for array in self.read if array.once]

    @cached_property
    def constants(self) -> Array:
        """Parameters and offline values that the online part reads (with `constants=True`)."""
        names = tuple(self._named[node][0] for node in sorted(self._boundary, key=lambda node: node.index))
        return Array("constants", "constants", (len(names),), names, once=True)

    def whole(self, limit: int | None = None) -> list[Part]:
        """Return the program as one part, or as parts of `limit` statements if it is longer."""
        return _parts(self.statements, list(self.inputs()), list(self.results()), limit)

    def offline(self, limit: int | None = None) -> list[Part]:
        """Return the parts that compute the constants."""
        statements = [s for s in self.statements if not s.online]
        stores = [(self.constants, place, name) for place, name in enumerate(self.constants.entries)]
        return _parts(statements, list(self.inputs()), stores, limit)

    def online(self, limit: int | None = None) -> list[Part]:
        """Return the parts that evaluate the model from the constants."""
        statements = [s for s in self.statements if s.online]
        loads = [load for load in self.inputs() if not load[0].once]
        loads += [(self.constants, place, name) for place, name in enumerate(self.constants.entries)]
        return _parts(statements, loads, list(self.results()), limit)


def _parts(
    statements: Sequence[Statement], inputs: Iterable[ArrayEntry], outputs: Sequence[ArrayEntry], limit: int | None
) -> list[Part]:
    """Split statements and outputs into parts of `limit` items, or one part if that suffices."""
    items: list[Statement | ArrayEntry] = [*statements, *outputs]
    step = len(items) if limit is None or len(items) <= limit + limit // 2 else limit
    pieces = [items[start : start + step] for start in range(0, len(items), max(step, 1))] or [[]]
    source = {name: (array, place, name) for array, place, name in inputs}
    wants = [
        dict.fromkeys(
            word for item in piece for word in _WORD.findall(item.text if isinstance(item, Statement) else item[2])
        )
        for piece in pieces
    ]
    made = [{item.name for item in piece if isinstance(item, Statement)} for piece in pieces]
    maker = {name: number for number, names in enumerate(made) for name in names}
    slots: dict[str, int] = {}
    for number, words in enumerate(wants):
        for word in words:
            if maker.get(word, number) != number:
                slots.setdefault(word, len(slots))
    return [
        Part(
            inputs=tuple(sorted((source[w] for w in words if w in source), key=lambda load: (load[0].group, load[1]))),
            taken=tuple((slots[w], w) for w in words if w in slots and maker[w] != number),
            statements=tuple(item for item in piece if isinstance(item, Statement)),
            outputs=tuple(item for item in piece if not isinstance(item, Statement)),
            left=tuple((slots[name], name) for name in slots if name in made[number]),
        )
        for number, (piece, words) in enumerate(zip(pieces, wants, strict=True))
    ]


def wrapped(head: str, text: str, tail: str, width: int, indent: str, carry: str = "") -> str:
    """Return `head + text + tail`, broken before signs beyond `width` columns; `carry` ends each broken line."""
    if len(head) + len(text) + len(tail) <= width:
        return head + text + tail
    available = width - len(carry) - len(indent)
    pieces: list[str] = []
    for number, piece in enumerate(re.split(r"(?= [-+] )", text)):
        # a product without signs is broken after operators and commas
        fits = len(piece) <= (available if number else width - len(head) - len(carry))
        pieces += [piece] if fits else re.split(r"(?<=[/,(])|(?<=\*)(?!\*)", piece)
    lines: list[str] = []
    line = head
    for piece in pieces:
        if len(line) + len(piece) + len(carry) > width and line.strip() and line != head:
            lines.append(line + carry)
            line = indent + piece.lstrip()
        else:
            line += piece
    if lines and len(line) + len(tail) > width:
        lines.append(line + carry)
        line = indent
    return "\n".join([*lines, line + tail])
