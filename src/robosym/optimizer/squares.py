"""Perfect squares, and differences of squares where their factors are at hand.

`x*x + 2*x*y + y*y` is one product of `x + y`; `x*x - y*y` is `(x - y)*(x + y)`, which saves an operation where one of
the two factors is a variable already. Both forms lose less to rounding than the sums they replace.
"""

from __future__ import annotations

from collections import Counter

from robosym.optimizer.sums_of_products import SumsOfProducts, Term

__all__ = ["collect_squares"]

_Pairs = dict[tuple[int, int, bool], tuple[int, bool]]  # (x, y, opposite signs) -> variable, and its sign


def collect_squares(p: SumsOfProducts) -> None:
    """Rewrite in place."""
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
    """(x, minus, place) of every term x*x."""
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
