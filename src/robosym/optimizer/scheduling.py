"""Forms for speed: schedule the terms of sums when their operands are in registers; avoid functions of sums of angles.

A form with few operations has long sums whose operands are far apart. Here each term is added to its sum when its
factors are available: among all terms that could be next, choose the one that loads least and releases most, among
equals the first. Offline work and functions come before all of them.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from robosym.algebra import Expr, Graph
from robosym.algebra.interpret import Expressions, interpret
from robosym.model import Model
from robosym.model.groups import declare
from robosym.optimizer.goals import MACHINE, TURNS
from robosym.optimizer.sums_of_products import SumsOfProducts

__all__ = ["ScheduledSums", "composed"]

_FETCH = 0.5  #: penalty of an operand that must be loaded
_LIVE = 1.0  #: penalty of one more live value
_LATER = 0.005  #: penalty per place in the given order


class _Turn(NamedTuple):
    """An online term, and the variable whose sum contains it."""

    variable: int
    factors: tuple[int, ...]
    minus: bool


class ScheduledSums(SumsOfProducts):
    """The same sums, built in another order."""

    @property
    def possible(self) -> bool:
        """Whether functions and quotients, which are built first, do not depend on online sums."""
        wanted = self._wanted()
        return not any(self._on_line_sum(part) for place in wanted & self.atoms.keys() for part in self._needed(place))

    def build(self, graph: Graph, anew: bool = False) -> tuple[list[Expr], dict[Expr, Expr]]:
        if not self.possible:
            return super().build(graph, anew)
        arithmetic = Expressions(graph)
        image: dict[Expr, Expr] = {}
        made: dict[int, Expr] = {}
        wanted = self._wanted()
        self.kept = wanted & self.atoms.keys()
        for place in sorted(wanted):
            if not self._on_line_sum(place):
                self._make(place, graph, arithmetic, image, made)
        turns = self._turns(sorted(place for place in wanted if self._on_line_sum(place)), graph, made)
        _Queue(self, turns).run(graph, made)
        image |= {node: made[place] for node, place in self.number.items() if place in made}
        return [image[root.node].signed(root.negative) for root in self.roots], image

    def is_live(self, place: int) -> bool:
        """Return whether an online variable is not an input: it is in a register or must be loaded."""
        return self.online[place] and (place in self.terms or bool(self.atoms[place].args))

    def product(self, factors: tuple[int, ...], graph: Graph, made: dict[int, Expr]) -> Expr:
        product: Expr = graph.one
        for factor in sorted(factors, key=lambda factor: self._sort((factor,))):
            product = product * made[factor]
        return product

    def _on_line_sum(self, place: int) -> bool:
        return self.online[place] and place in self.terms

    def _turns(self, sums: list[int], graph: Graph, made: dict[int, Expr]) -> list[_Turn]:
        """Return the online terms; offline terms are added up first."""
        turns = []
        self.begun: dict[int, Expr] = {}
        for place in sums:
            begin: Expr = graph.zero
            for factors, minus in sorted(self.terms[place], key=lambda term: self._sort(term[0])):
                if self.is_online(factors):
                    turns.append(_Turn(place, factors, minus))
                else:
                    begin = begin + self.product(factors, graph, made).signed(minus)
            self.begun[place] = begin
        return turns


class _Queue:
    """Terms that wait for their factors, terms that could be next, and live values."""

    def __init__(self, sums: ScheduledSums, turns: list[_Turn]) -> None:
        self.sums, self.turns = sums, turns
        self.needs = [{factor for factor in turn.factors if sums.is_live(factor)} for turn in turns]
        self.uses = Counter(factor for needs in self.needs for factor in needs)
        self.left = Counter(turn.variable for turn in turns)
        self.users: dict[int, list[int]] = {}
        self.waiting = []
        for number, needs in enumerate(self.needs):
            later = [factor for factor in needs if factor in sums.begun]
            self.waiting.append(len(later))
            for factor in later:
                self.users.setdefault(factor, []).append(number)
        self.ready = {number for number, count in enumerate(self.waiting) if not count}
        self.started: set[int] = set()
        self.at_hand: OrderedDict[tuple[bool, int], None] = OrderedDict()  # (is a partial sum, variable)

    def run(self, graph: Graph, made: dict[int, Expr]) -> None:
        sums = self.sums
        while self.ready:
            number = min(self.ready, key=lambda number: (self._cost(number), number))
            self.ready.discard(number)
            place, factors, minus = self.turns[number]
            for factor in self.needs[number]:
                self.uses[factor] -= 1
                self._touch((False, factor))
            sums.begun[place] = sums.begun[place] + sums.product(factors, graph, made).signed(minus)
            self.started.add(place)
            self.left[place] -= 1
            if self.left[place]:
                self._touch((True, place))
                continue
            made[place] = sums.begun[place]
            self.at_hand.pop((True, place), None)
            self._touch((False, place))
            for user in self.users.get(place, ()):
                self.waiting[user] -= 1
                if not self.waiting[user]:
                    self.ready.add(user)

    def _cost(self, number: int) -> float:
        place, needs = self.turns[number].variable, self.needs[number]
        begins = place not in self.started
        fetched = sum((False, factor) not in self.at_hand for factor in needs)
        fetched += not begins and (True, place) not in self.at_hand
        live = begins - sum(self.uses[factor] == 1 for factor in needs)
        live -= self.left[place] == 1 and not self.uses[place]  # an output
        return _FETCH * fetched + _LIVE * live + _LATER * number

    def _touch(self, value: tuple[bool, int]) -> None:
        self.at_hand[value] = None
        self.at_hand.move_to_end(value)
        while len(self.at_hand) > MACHINE.registers:
            self.at_hand.popitem(last=False)


# ------------------------------------------------------------------------------------------------ sums of angles
#
# Sines and cosines of sums of angles by the addition theorems: six operations instead of a hundred. A recursion that
# rotates by the sum of the angles of parallel axes has fewer operations and one more angle. If the parts are angles of
# the model themselves, the addition theorems give both at little cost.


class _Composed(Expressions):
    """The same expressions without sines and cosines of sums of known angles."""

    def __init__(self, graph: Graph, sums: set[Expr]) -> None:
        super().__init__(graph)
        self.sums = sums  #: nodes of the model
        self.found: dict[Expr, tuple[Expr, Expr]] = {}  #: sine and cosine of each

    def apply(self, node: Expr, arguments: Sequence[Expr]) -> Expr:
        if node.op in TURNS and node.args[0].node in self.sums:
            return self.turns(arguments[0])[TURNS.index(node.op)]
        return super().apply(node, arguments)

    def turns(self, angle: Expr) -> tuple[Expr, Expr]:
        """Return sine and cosine."""
        if angle.op != "add":
            return self.graph.function("sin", angle), self.graph.function("cos", angle)
        if angle.node not in self.found:
            (s, c), (t, d) = map(self.turns, angle.node.args)
            self.found[angle.node] = s * d + c * t, c * d - s * t
        s, c = self.found[angle.node]
        return s.signed(angle.negative), c


def composed(model: Model) -> Model:
    """Replace sines and cosines of sums of angles by those of the parts, if the model has these."""
    angles = {node.args[0].node for node in model.nodes if node.op in TURNS}
    leaves = {angle for angle in angles if angle.op == "symbol"}

    def known(angle: Expr) -> bool:
        return angle in leaves or (angle.op == "add" and all(known(part.node) for part in angle.args))

    sums = {angle for angle in angles - leaves if known(angle)}
    if not sums:
        return model
    graph = Graph()
    declare(graph, model.inputs)
    names, values = list(model.definitions), list(model.definitions.values())
    made = interpret(values, _Composed(graph, sums))
    return replace(model, definitions=dict(zip(names, made, strict=True)), graph=graph)
