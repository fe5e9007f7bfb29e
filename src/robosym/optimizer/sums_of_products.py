"""A graph as sums of products: what the algebraic passes rewrite.

Every node that is used more than once, and every output, is a variable; sums within sums and products within products
that are used once are opened, so that terms and factors of any number lie side by side.

This is not the ring of `algebra.polynomial`, which adds up equal monomials and has one form for what is equal. Here the
form is the point: variables stand for brackets that are kept, terms keep their places while kernels are taken out of
them in place, a factor of 2 is a variable like others, and the order of terms is that of the arithmetic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from robosym.algebra import Expr, Graph, Level, reachable
from robosym.algebra.interpret import Expressions, interpret

__all__ = ["SumsOfProducts", "Term", "shared", "without"]

#: Factors by number, sorted, and whether a minus stands before them.
Term = tuple[tuple[int, ...], bool]


def _is_open(node: Expr) -> bool:
    return node.op in ("add", "mul") and node.level is not Level.NUMBER


def shared(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """Factors that two products have in common, both sorted."""
    common, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            common.append(a[i])
            i, j = i + 1, j + 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    return tuple(common)


def without(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """A product without some of its factors."""
    left = list(a)
    for factor in b:
        left.remove(factor)
    return tuple(left)


class SumsOfProducts:
    """Variables by number: atoms of a graph (symbols, numbers, functions, quotients) and sums of products."""

    def __init__(self, roots: Sequence[Expr]) -> None:
        self.roots = list(roots)
        self.terms: dict[int, list[Term]] = {}  #: of each variable that is a sum or a product
        self.atoms: dict[int, Expr] = {}  #: of the others, their node
        self.online: list[bool] = []  #: of each variable: depends on joint variables
        self.kept: set[int] = set()  #: variables that are written as they were
        self.number: dict[Expr, int] = {}  #: of a node of the graph, its variable
        self.owner: dict[Expr, int] = {}  #: of a node that is no variable, the one in whose sum it stands
        nodes = self.nodes = reachable(roots)
        uses = Counter(argument.node for node in nodes for argument in node.args)
        kept = {root.node for root in roots}
        for node in nodes:
            if not _is_open(node):
                kept.update(argument.node for argument in node.args)
            elif node.op == "mul":  # a sum in brackets
                kept.update(argument.node for argument in node.args if argument.op == "add")
        for node in nodes:
            if not _is_open(node):
                self.number[node] = len(self.online)
                self.atoms[len(self.online)] = node
                self.online.append(node.level is Level.ONLINE)
            elif uses[node] > 1 or node in kept:
                self.number[node] = self.new(self._sum(node), node.level is Level.ONLINE)
        self.node_of = {place: node for node, place in self.number.items()}
        self.given = {place: list(terms) for place, terms in self.terms.items()}
        for node in reversed(nodes):
            place = self.number[node] if node in self.number else self.owner[node]
            self.owner.update((a.node, place) for a in node.args if a.node not in self.number)

    def _sum(self, node: Expr) -> list[Term]:
        terms: list[Term] = []
        stack = [node]
        while stack:
            current = stack.pop()
            known = self.number.get(current.node)
            if known is not None:
                terms.append(((known,), current.negative))
            elif current.op == "add":
                stack.extend(reversed(current.terms()))
            else:
                terms.append((self._factors(current.node), current.negative))
        return terms

    def _factors(self, node: Expr) -> tuple[int, ...]:
        factors: list[int] = []
        stack = [node]
        while stack:
            current = stack.pop()
            known = self.number.get(current)
            if known is None:
                stack.extend(argument.node for argument in current.args)
            else:
                factors.append(known)
        return tuple(sorted(factors))

    def new(self, terms: list[Term], online: bool) -> int:
        """A variable for a sum of products."""
        place = len(self.online)
        self.terms[place] = terms
        self.online.append(online)
        return place

    def is_online(self, factors: Iterable[int]) -> bool:
        return any(self.online[factor] for factor in factors)

    # ---------------------------------------------------------------- writing

    def build(self, graph: Graph, anew: bool = False) -> tuple[list[Expr], dict[Expr, Expr]]:
        """The roots in `graph`, and what became of each node that is still a variable.

        What the passes left alone is written as it was, and where it was: the order of a recursion keeps what is needed
        next at hand, and another order of the same operations costs a tenth of the time. With `anew` everything is
        written again, one output after the other, which puts other terms side by side.
        """
        arithmetic = Expressions(graph)
        image: dict[Expr, Expr] = {}  # of nodes
        made: dict[int, Expr] = {}  # of variables
        wanted = self._wanted()
        self.kept = {place for place in wanted if place in self.atoms or (not anew and self._as_given(place))}
        for node in [root.node for root in self.roots] if anew else self.nodes:
            place = self.number.get(node)
            if place is None:
                if self.owner[node] in self.kept:
                    interpret([node], arithmetic, image)
            elif place in wanted:
                self._make(place, graph, arithmetic, image, made)
        nodes = {node: image[node] for node in self.number if node in image}
        return [nodes[root.node].signed(root.negative) for root in self.roots], nodes

    def _make(
        self, wanted: int, graph: Graph, arithmetic: Expressions, image: dict[Expr, Expr], made: dict[int, Expr]
    ) -> None:
        """A variable, and before it those that it needs and that are not made yet."""
        stack = [wanted]
        while stack:
            place = stack[-1]
            waiting = [] if place in made else [needed for needed in self._needed(place) if needed not in made]
            if waiting:
                stack.extend(reversed(waiting))
                continue
            stack.pop()
            if place in made:
                continue
            node = self.node_of.get(place)
            if node is not None and place in self.kept:
                [made[place]] = interpret([node], arithmetic, image)
            else:
                made[place] = self._total(place, graph, made)
                if node is not None:
                    image[node] = made[place]

    def _wanted(self) -> set[int]:
        """Variables that the roots are made of, after all that was rewritten."""
        wanted: set[int] = set()
        stack = [self.number[root.node] for root in self.roots]
        while stack:
            place = stack.pop()
            if place not in wanted:
                wanted.add(place)
                stack.extend(self._needed(place))
        return wanted

    def _as_given(self, place: int) -> bool:
        """Whether no pass changed a variable, and its own order of terms does not mix what is on line and off."""
        terms = self.terms[place]
        if terms != self.given.get(place):
            return False
        return _sorts([self._sort(factors) for factors, _ in terms]) and all(
            _sorts([self._sort((factor,)) for factor in factors]) for factors, _ in terms
        )

    def _needed(self, place: int) -> list[int]:
        atom = self.atoms.get(place)
        if atom is not None:
            return [self.number[argument.node] for argument in atom.args]
        return [factor for factors, _ in self.terms[place] for factor in factors]

    def _sort(self, factors: Iterable[int]) -> Level:
        """Of a product: a number, off line or on line."""
        return max(
            (Level.ONLINE if self.online[f] else self.atoms[f].level if f in self.atoms else Level.OFFLINE)
            for f in factors
        )

    def _total(self, place: int, graph: Graph, made: Mapping[int, Expr]) -> Expr:
        """The sum, numbers, then off-line terms and factors first: they meet each other and not what is on line."""
        total: Expr = graph.zero
        for factors, negative in sorted(self.terms[place], key=lambda term: self._sort(term[0])):
            product: Expr = graph.one
            for factor in sorted(factors, key=lambda factor: self._sort((factor,))):
                product = product * made[factor]
            total = total + product.signed(negative)
        return total


def _sorts(levels: list[Level]) -> bool:
    """Whether operands may stay in any order: no two of a kind that could be computed before the others."""
    highest = max(levels)
    return all(levels.count(level) <= 1 for level in Level if level < highest)
