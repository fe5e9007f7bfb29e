"""Greedy extraction of common subexpressions and factors from sums and products of any arity.

A kernel is a sum of two products that occurs in several sums, possibly times a cofactor: `a*c + a*d` and `b*c + b*d`
contain the kernel `c + d` twice. A pair is a product of two factors that occurs in several products. The kernel or pair
that saves most becomes a variable, until nothing saves an operation. Rewriting uses distributivity and associativity
only: it never adds terms that cancel.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NamedTuple

from robosym.optimizer.sums_of_products import SumsOfProducts, Term, shared, without

__all__ = ["NOTHING", "KernelPlaces", "KernelSearch", "Key", "Occurrence", "collect_squares", "extract_common"]

Key = tuple[tuple[int, ...], tuple[int, ...], bool]  # kernel: two products and whether their signs differ
_PAIR: tuple[int, ...] = ()  # a key with an empty second product is a pair of factors
NOTHING = 1e-9  #: gains below this are rounding errors: operations may have fractional costs


class Occurrence(NamedTuple):
    """A kernel in the sum of a variable: its two terms and the cofactor; or a pair in one term."""

    variable: int
    first: int
    second: int
    cofactor: tuple[int, ...]


class KernelPlaces(NamedTuple):
    """The sum of a variable, and the pairs and kernels with a cofactor in it."""

    terms: list[Term]
    keys: list[tuple[Key, Occurrence]]


class KernelSearch:
    """Kernels and pairs of sums of products, their occurrences, and the best of them, within a time limit."""

    def __init__(
        self, polynomials: SumsOfProducts, offline_weight: float, in_time: Callable[[], bool] = lambda: True
    ) -> None:
        self.in_time = in_time
        self.p = polynomials
        self.weight = offline_weight
        self.places: dict[Key, set[Occurrence]] = {}  #: occurrences of pairs, and of kernels with a cofactor
        self.sums_with: dict[tuple[int, ...], dict[int, list[tuple[int, bool]]]] = {}  #: places of each term
        self.parts: dict[tuple[int, ...], int] = {}  #: how often a product is part of a kernel with a cofactor
        self.of_variable: dict[int, KernelPlaces] = {}
        self.waiting: dict[Key, None] = {}  #: candidates whose gain may have increased
        self.heap: list[tuple[float, bool, Key]] = []
        self.listed: dict[Key, float] = {}  #: the largest gain of each candidate in the heap
        for variable in list(self.p.terms):
            if in_time():
                self.enter(variable)

    # ------------------------------------------------------------- candidates

    def candidates(self, variable: int) -> list[tuple[Key, Occurrence]]:
        """Return the pairs of the sum of a variable, each once per term, and its kernels with a cofactor."""
        found: list[tuple[Key, Occurrence]] = []
        long = [(i, a, minus) for i, (a, minus) in enumerate(self.p.terms[variable]) if len(a) > 1]
        for number, (i, a, minus_a) in enumerate(long, 1):
            alone = Occurrence(variable, i, i, ())
            if len(a) == 2:
                found.append(((a, _PAIR, False), alone))
            else:
                found += [((pair, _PAIR, False), alone) for pair in dict.fromkeys(combinations(a, 2))]
            foreign = set(a).isdisjoint
            for j, b, minus_b in long[number:]:
                if not foreign(b):
                    cofactor = shared(a, b)
                    p, q = without(a, cofactor), without(b, cofactor)
                    if p and q:
                        opposite = minus_a is not minus_b
                        key = (p, q, opposite) if p <= q else (q, p, opposite)
                        found.append((key, Occurrence(variable, i, j, cofactor)))
        return found

    def enter(self, variable: int) -> None:
        found = self.of_variable[variable] = KernelPlaces(self.p.terms[variable], self.candidates(variable))
        self.insert(variable, found)
        places = self.places
        for key, place in found.keys:
            if place.cofactor or len(places[key]) > 1:
                self.waiting[key] = None
        for key in self.repeated_sums(variable, found.terms):
            self.waiting[key] = None

    def insert(self, variable: int, found: KernelPlaces) -> None:
        """Store where the terms, pairs and kernels of a variable occur."""
        for place, (factors, minus) in enumerate(found.terms):
            self.sums_with.setdefault(factors, {}).setdefault(variable, []).append((place, minus))
        for key, occurrence in found.keys:
            known = self.places.get(key)
            if known is None:
                known = self.places[key] = set()
            known.add(occurrence)
            if occurrence.cofactor:
                for part in key[:2]:
                    self.parts[part] = self.parts.get(part, 0) + 1

    def leave(self, variable: int) -> None:
        found = self.of_variable.pop(variable)
        for factors, _ in found.terms:
            self.sums_with[factors].pop(variable, None)
        for key, occurrence in found.keys:
            self.places[key].discard(occurrence)
            if occurrence.cofactor:
                for part in key[:2]:
                    self.parts[part] -= 1

    def repeated_sums(self, variable: int, terms: list[Term]) -> Iterator[Key]:
        """Yield kernels without a cofactor that may occur elsewhere: few of all pairs of terms.

        Both terms are in another sum, or both are parts of a kernel with a cofactor, or a term is repeated.
        """
        beside: dict[int, list[int]] = {}
        parts: list[int] = []
        for j, (b, minus) in enumerate(terms):
            before: set[int] = set()
            sums = self.sums_with[b]
            for other in sums:
                if other != variable:
                    known = beside.get(other)
                    if known is None:
                        beside[other] = [j]
                    else:
                        before.update(known)
                        known.append(j)
            if self.parts.get(b):
                before.update(parts)
                parts.append(j)
            if len(sums[variable]) > 1:
                before.update(range(j))
            for i in before:
                a, minus_a = terms[i]
                opposite = minus_a is not minus
                yield (a, b, opposite) if a <= b else (b, a, opposite)

    def occurrences(self, key: Key) -> list[Occurrence]:
        """Return all occurrences of a pair or kernel."""
        p, q, opposite = key
        found = list(self.places.get(key, ()))
        sums_p, sums_q = self.sums_with.get(p), self.sums_with.get(q)
        if q and sums_p and sums_q:
            for variable in sums_p.keys() & sums_q.keys():
                for i, minus in sums_p[variable]:
                    for j, other in sums_q[variable]:
                        if (minus is not other) is opposite and (i < j if p == q else i != j):
                            found.append(Occurrence(variable, min(i, j), max(i, j), ()))
        return found

    def push(self, key: Key, gain: float) -> None:
        """Add a candidate; the largest gain comes first, offline ones first among equals."""
        if gain > self.listed.get(key, NOTHING):
            self.listed[key] = gain
            heapq.heappush(self.heap, (-gain, self.p.is_online(key[0] + key[1]), key))

    def disjoint(self, key: Key) -> list[Occurrence]:
        """Return occurrences that do not share terms."""
        places = self.occurrences(key)
        if len(places) < 2:
            return places
        taken: set[tuple[int, int]] = set()
        chosen = []
        for place in sorted(places, key=lambda p: (-len(p.cofactor), p)):
            first, second = (place.variable, place.first), (place.variable, place.second)
            if first not in taken and second not in taken:
                taken.add(first)
                taken.add(second)
                chosen.append(place)
        return chosen

    def gain(self, key: Key) -> float:
        """Return the number of operations saved, offline ones weighted."""
        p, q, _ = key
        weight, is_online = self.weight, self.p.is_online
        if not q:  # pairs of different terms are disjoint
            return (len(self.places.get(key, ())) - 1) * (1 if is_online(p) else weight)
        places = self.disjoint(key)
        one, other = len(p) - 1, len(q) - 1
        p_online, q_online = is_online(p), is_online(q)
        of_sum = 1 if p_online or q_online else weight
        of_p, of_q = one if p_online else one * weight, other if q_online else other * weight
        saved = -(of_p + of_q + of_sum)
        for place in places:  # both products with the cofactor and their sum become one product
            n = len(place.cofactor)
            if n == 0:
                saved += of_p + of_q + of_sum
                continue
            online = is_online(place.cofactor)
            before = n + one if online or p_online else (n + one) * weight
            before += n + other if online or q_online else (n + other) * weight
            whole = 1 if online else of_sum
            saved += before + whole - n * whole
        return saved

    # ------------------------------------------------------------- rewriting

    def best(self) -> Key | None:
        for key in self.waiting:
            self.push(key, self.gain(key))
        self.waiting.clear()
        while self.heap:
            gain, _, key = heapq.heappop(self.heap)
            if self.listed.get(key) != -gain:  # was listed again with a larger gain
                continue
            del self.listed[key]
            now = self.gain(key)
            if now >= -gain - NOTHING:
                return key
            self.push(key, now)  # the gain has decreased since it was added
        return None

    def forget(self) -> None:
        """Discard the candidates for the next rewrite."""
        self.waiting.clear()
        self.heap.clear()
        self.listed.clear()

    def rewrite(self, key: Key) -> None:
        """Introduce a variable for a kernel or pair and use it in all occurrences."""
        p, q, opposite = key
        whole: list[Term] = [(p, False), (q, opposite)] if q else [(p, False)]
        changed: dict[int, list[Occurrence]] = {}
        for place in self.disjoint(key):
            changed.setdefault(place.variable, []).append(place)
        for variable in changed:
            self.leave(variable)
        same = next((v for v, ones in changed.items() if self.is_all_of(v, ones, whole)), None)
        if same is None:
            kernel, minus = self.p.new([], self.p.is_online(p + q)), False
            self.change(kernel, whole)
            changed[kernel] = []
        else:  # an existing variable, possibly with opposite sign
            kernel, minus = same, next(sign for factors, sign in self.p.terms[same] if factors == p)
        for variable, ones in changed.items():
            if variable != kernel:
                self.replace(variable, ones, kernel, p, bool(q), minus)
        for variable in changed:
            self.enter(variable)

    def is_all_of(self, variable: int, places: list[Occurrence], whole: list[Term]) -> bool:
        """Return whether a variable equals the kernel or pair."""
        terms = self.p.terms[variable]
        if any(place.cofactor for place in places) or len(terms) != len(whole):
            return False
        return len(whole) == 2 or len(terms[0][0]) == len(whole[0][0])

    def replace(
        self, variable: int, places: list[Occurrence], kernel: int, p: tuple[int, ...], is_sum: bool, minus: bool
    ) -> None:
        terms: list[Term | None] = list(self.p.terms[variable])
        for place in places:
            old = terms[place.first]
            assert old is not None
            if not is_sum:
                factors = without(old[0], p)
                terms[place.first] = (tuple(sorted((*factors, kernel))), old[1] is not minus)
                continue
            other = terms[place.second]
            assert other is not None
            lead = old if without(old[0], place.cofactor) == p else other
            terms[place.first] = (tuple(sorted((*place.cofactor, kernel))), lead[1] is not minus)
            terms[place.second] = None
        self.change(variable, [term for term in terms if term is not None])

    def change(self, variable: int, terms: list[Term]) -> None:
        """Replace the sum of a variable, which must not be among the candidates."""
        self.p.terms[variable] = terms

    def extract(self) -> None:
        """Rewrite until no kernel or pair saves an operation."""
        while self.in_time() and (key := self.best()) is not None:
            self.rewrite(key)


def extract_common(
    polynomials: SumsOfProducts, offline_weight: float = 1.0, in_time: Callable[[], bool] = lambda: True
) -> None:
    """Rewrite in place until no kernel or pair saves an operation or the time is over.

    Offline operations count with `offline_weight`.
    """
    KernelSearch(polynomials, offline_weight, in_time).extract()


# ------------------------------------------------------------------------------------------------ squares
#
# `x*x + 2*x*y + y*y` is the square of `x + y`; `x*x - y*y` is `(x - y)*(x + y)`, which saves an operation if one of the
# two factors is already a variable. Both forms have smaller rounding errors than the sums they replace.

_Pairs = dict[tuple[int, int, bool], tuple[int, bool]]  # (x, y, opposite signs) -> variable, and its sign


def collect_squares(p: SumsOfProducts) -> None:
    """Rewrite perfect squares in place, and differences of squares whose factors exist."""
    pairs: _Pairs = {}
    for variable, terms in p.terms.items():
        if len(terms) == 2 and all(len(factors) == 1 for factors, _ in terms):
            (x, minus_x), (y, minus_y) = sorted(((factors[0], minus) for factors, minus in terms))
            pairs[x, y, minus_x is not minus_y] = variable, minus_x
    two = next((place for place, node in p.atoms.items() if node.op == "number" and node.value == 2), None)
    for variable in list(p.terms):
        _perfect(p, variable, two, pairs)
        _difference(p, variable, pairs)


def _squares(terms: list[Term]) -> list[tuple[int, bool, int]]:
    """Return (x, minus, index) of every term x*x."""
    return [(f[0], minus, place) for place, (f, minus) in enumerate(terms) if len(f) == 2 and f[0] == f[1]]


def _perfect(p: SumsOfProducts, variable: int, two: int | None, pairs: _Pairs) -> None:
    terms = p.terms[variable]
    found = _squares(terms)
    where = {term[0]: place for place, term in enumerate(terms)}
    for a, (x, minus_x, i) in enumerate(found):
        for y, minus_y, j in found[a + 1 :]:
            middle = where.get(tuple(sorted((two, x, y)))) if two is not None else None
            if middle is None or minus_x is not minus_y:
                continue
            opposite = terms[middle][1] is not minus_x
            low, high = sorted((x, y))
            online = p.online[x] or p.online[y]
            total = pairs.get((low, high, opposite))
            if total is None:
                total = p.new([((low,), False), ((high,), opposite)], online), False
                pairs[low, high, opposite] = total
            square: Term = ((total[0], total[0]), minus_x)
            p.terms[variable] = [t for place, t in enumerate(terms) if place not in (i, j, middle)] + [square]
            return


def _difference(p: SumsOfProducts, variable: int, pairs: _Pairs) -> None:
    terms = p.terms[variable]
    counts = Counter(x for x, _, _ in _squares(terms))
    for x, minus_x, i in _squares(terms):
        for y, minus_y, j in _squares(terms):
            if x >= y or minus_x is minus_y or max(counts.values()) > 1:
                continue
            total, fall = pairs.get((x, y, False)), pairs.get((x, y, True))
            if (total is None and fall is None) or variable in (total and total[0], fall and fall[0]):
                continue
            online = p.online[x] or p.online[y]
            if total is None:
                total = pairs[x, y, False] = p.new([((x,), False), ((y,), False)], online), False
            if fall is None:
                fall = pairs[x, y, True] = p.new([((x,), False), ((y,), True)], online), False
            minus = (total[1] is not fall[1]) is not minus_x
            product: Term = (tuple(sorted((total[0], fall[0]))), minus)
            p.terms[variable] = [t for place, t in enumerate(terms) if place not in (i, j)] + [product]
            return
