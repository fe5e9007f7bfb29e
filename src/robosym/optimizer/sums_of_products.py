"""A graph as sums of products, which the algebraic passes rewrite.

Every node that is used more than once, and every output, is a variable; nested sums and products that are used once are
flattened.

Unlike `algebra.polynomial`, which collects equal monomials into a canonical form, this preserves the form: variables
stand for brackets, terms keep their places while kernels are extracted in place, a factor of 2 is a variable like any
other, and the order of terms is that of the arithmetic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from robosym.algebra import Expr, Graph, Level, reachable
from robosym.algebra.interpret import Expressions, interpret

__all__ = ["SumsOfProducts", "Term", "shared", "without"]

#: Sorted factors by number, and whether the sign is negative.
Term = tuple[tuple[int, ...], bool]


def _is_open(node: Expr) -> bool:
    return node.op in ("add", "mul") and node.level is not Level.NUMBER


def shared(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """Return the common factors of two products; all are sorted."""
    left, common = list(b), []
    for factor in a:
        if factor in left:
            left.remove(factor)
            common.append(factor)
    return tuple(common)


def without(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """Return a product without some of its factors."""
    if not b:
        return a
    left = list(a)
    for factor in b:
        left.remove(factor)
    return tuple(left)


class SumsOfProducts:
    """Variables by number: atoms of a graph (symbols, numbers, functions, quotients) and sums of products."""

    def __init__(self, roots: Sequence[Expr]) -> None:
        self.roots = list(roots)
        self.terms: dict[int, list[Term]] = {}  #: terms of each variable that is a sum or product
        self.atoms: dict[int, Expr] = {}  #: nodes of the other variables
        self.online: list[bool] = []  #: whether each variable depends on joint variables
        self.kept: set[int] = set()  #: variables that are written unchanged
        self.number: dict[Expr, int] = {}  #: variable of a node of the graph
        self.owner: dict[Expr, int] = {}  #: variable whose sum contains a node that has no variable
        nodes = self.nodes = reachable(roots)
        uses = Counter(argument.node for node in nodes for argument in node.args)
        kept = {root.node for root in roots}
        for node in nodes:
            if not _is_open(node):
                kept.update(argument.node for argument in node.args)
            elif node.op == "mul":  # a factor that is a sum
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
        """Add a variable for a sum of products."""
        place = len(self.online)
        self.terms[place] = terms
        self.online.append(online)
        return place

    def is_online(self, factors: Iterable[int]) -> bool:
        online = self.online
        for factor in factors:  # noqa: SIM110 - called millions of times; a generator takes twice the time
            if online[factor]:
                return True
        return False

    # ---------------------------------------------------------------- writing

    def build(self, graph: Graph, anew: bool = False) -> tuple[list[Expr], dict[Expr, Expr]]:
        """Return the roots in `graph`, and the image of each node that is still a variable.

        Unchanged expressions are written at their places: the order of a recursion keeps operands in registers,
        and another order costs about 10 % of the time. With `anew`, everything is rewritten output by output, which
        brings other terms together.
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
        """Build a variable after those it depends on."""
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
        """Return the variables that the roots depend on."""
        wanted: set[int] = set()
        stack = [self.number[root.node] for root in self.roots]
        while stack:
            place = stack.pop()
            if place not in wanted:
                wanted.add(place)
                stack.extend(self._needed(place))
        return wanted

    def _as_given(self, place: int) -> bool:
        """Return whether a variable is unchanged and its order of terms does not mix online and offline ones."""
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
        """Return the level of a product: number, offline or online."""
        return max(
            (Level.ONLINE if self.online[f] else self.atoms[f].level if f in self.atoms else Level.OFFLINE)
            for f in factors
        )

    def _total(self, place: int, graph: Graph, made: Mapping[int, Expr]) -> Expr:
        """Return the sum with numbers, then offline terms and factors first, so that they combine."""
        total: Expr = graph.zero
        for factors, negative in sorted(self.terms[place], key=lambda term: self._sort(term[0])):
            product: Expr = graph.one
            for factor in sorted(factors, key=lambda factor: self._sort((factor,))):
                product = product * made[factor]
            total = total + product.signed(negative)
        return total


def _sorts(levels: list[Level]) -> bool:
    """Return whether operands may stay in any order: no two of a level could be combined before the others."""
    highest = max(levels)
    return all(levels.count(level) <= 1 for level in Level if level < highest)
