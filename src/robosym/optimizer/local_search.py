"""Randomized local search: expand and factor again, accepting steps that do not increase the cost.

Greedy extraction of kernels may block better ones. A step substitutes a few neighboring variables back into the sums
that use them, multiplies products of sums out, cancels terms, and extracts the kernels of the result. Steps without a
gain are accepted, too: a walk over forms of equal cost reaches places from which the cost decreases.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from robosym.algebra import Level
from robosym.algebra.generic import random_numbers
from robosym.optimizer import effort
from robosym.optimizer.kernels import NOTHING, KernelPlaces, KernelSearch
from robosym.optimizer.recursions import Report
from robosym.optimizer.sums_of_products import SumsOfProducts, Term, without

__all__ = ["search_forms"]

_AT_ONCE = (1, 2, 2, 3, 3, 3)  #: numbers of variables that a step expands
_TERMS = 24  #: maximum number of terms of a product of sums that is multiplied out
_SELDOM, _OFTEN, _PRODUCT = 2, 3, 5  #: maximum uses of the first expanded sum, of the others, and of a product
_RISE = 40  #: maximum increase in operations before factoring
_OFFLINE = 0.999  #: weight of offline operations: among equal costs, fewer online operations are better


class _Forms(KernelSearch):
    """Sums of products with costs and users; the changes of a step can be undone."""

    looked_at = 0  #: number of kernels examined

    def __init__(self, polynomials: SumsOfProducts, offline_weight: float, draw: random.Random) -> None:
        super().__init__(polynomials, offline_weight)
        p, self.draw = self.p, draw
        self.fixed = {p.number[root.node] for root in p.roots}  # outputs and arguments of functions
        for node in p.atoms.values():
            self.fixed.update(p.number[argument.node] for argument in node.args)
        self.numbers = {place for place, node in p.atoms.items() if node.level is Level.NUMBER}
        numbers = ((node.value, place) for place, node in p.atoms.items() if node.op == "number")
        self.two = next((place for value, place in numbers if value == 2), None)
        self.users: dict[int, dict[int, int]] = {}  # of each variable: how often each sum contains it
        self.uses: dict[int, int] = {}  # the total of each
        self.given: dict[int, list[Term] | None] = {}  # sums before the step, None if new
        self.left: dict[int, KernelPlaces] = {}  # their candidates
        self.costs: dict[tuple[int, ...], tuple[bool, float]] = {}  # of products: whether online, and operations
        self.cost_of: dict[int, float] = {}  # of sums
        self.total = 0.0
        for variable, terms in p.terms.items():
            self.note(variable, terms, 1)

    # ------------------------------------------------------------ bookkeeping

    def note(self, variable: int, terms: list[Term], sign: int) -> None:
        """Add (1) or subtract (-1) the sum of a variable in the bookkeeping."""
        if sign > 0:
            self.cost_of[variable] = self.cost_of_sum(terms)
        self.total += sign * self.cost_of[variable]
        users, uses = self.users, self.uses
        for factors, _ in terms:
            for factor in factors:
                of_factor = users.get(factor)
                if of_factor is None:
                    of_factor = users[factor] = {}
                    uses[factor] = 0
                uses[factor] += sign
                count = of_factor.get(variable, 0) + sign
                if count:
                    of_factor[variable] = count
                else:
                    del of_factor[variable]

    def cost_of_sum(self, terms: list[Term]) -> float:
        online, products, costs = 0, 0.0, self.costs
        for factors, _ in terms:
            known = costs.get(factors)
            if known is None:
                known = costs[factors] = self.p.is_online(factors), self._cost_of_product(factors)
            online += known[0]
            products += known[1]
        return self._joined(online, len(terms) - online) + products

    def _cost_of_product(self, factors: tuple[int, ...]) -> float:
        """Return the cost of a product; numbers are multiplied for free and count as one factor."""
        numbers = sum(factor in self.numbers for factor in factors)
        online = sum(self.p.online[factor] for factor in factors)
        offline = len(factors) - online - numbers
        if online:
            return self._joined(online, offline + (not offline and numbers > 0)) + (
                self.weight if offline and numbers else 0
            )
        return self.weight * (offline - (not numbers)) if offline else 0.0

    def _joined(self, online: int, offline: int) -> float:
        """Return the cost of joining operands: the offline ones first, then the result with the others."""
        cost = self.weight * (offline - 1) if offline else 0.0
        return cost + (online if online and offline else max(online - 1, 0))

    def change(self, variable: int, terms: list[Term] | None) -> None:
        """Replace the sum of a variable, or remove it."""
        old = self.p.terms.get(variable) or None
        self.given.setdefault(variable, old)
        if variable in self.of_variable:
            self.leave(variable)
        if old is not None:
            self.note(variable, old, -1)
        if terms is None:
            self.p.terms.pop(variable, None)
        else:
            super().change(variable, terms)
            self.note(variable, terms, 1)

    def enter_changed(self) -> None:
        for variable in self.given:
            if variable in self.p.terms and variable not in self.of_variable:
                self.enter(variable)

    def enter(self, variable: int) -> None:
        super().enter(variable)
        terms, keys = self.of_variable[variable]
        self.looked_at += len(keys) + len(terms) * (len(terms) - 1) // 2

    def leave(self, variable: int) -> None:
        self.left.setdefault(variable, self.of_variable[variable])
        super().leave(variable)

    def take_back(self) -> None:
        """Undo the step."""
        for variable, terms in list(self.given.items()):
            self.change(variable, terms)
            if terms is not None:
                self.of_variable[variable] = self.left[variable]
                self.insert(variable, self.left[variable])
        self.forget()

    # ---------------------------------------------------------------- opening

    def open(self, variable: int, most: int = _TERMS) -> bool:
        """Substitute the sum of a variable wherever it is used; return False if that becomes too long."""
        own = self.p.terms[variable]
        for user in list(self.users.get(variable, ())):
            terms: list[Term] = []
            waiting = self.p.terms[user][::-1]
            while waiting:
                factors, minus = waiting.pop()
                if variable not in factors:
                    terms.append((factors, minus))
                    continue
                rest = without(factors, (variable,))
                waiting += [(tuple(sorted((*rest, *more))), minus is not sign) for more, sign in reversed(own)]
                if len(waiting) + len(terms) > most + len(self.p.terms[user]):
                    return False
            self.change(user, self.collected(terms))
        if variable not in self.fixed:
            self.change(variable, None)
        return True

    def collected(self, terms: list[Term]) -> list[Term]:
        """Collect like terms: x - x vanishes, x + x is 2 x."""
        times: dict[tuple[int, ...], int] = {}
        for factors, minus in terms:
            times[factors] = times.get(factors, 0) + (-1 if minus else 1)
        found: list[Term] = []
        for factors, count in times.items():
            if abs(count) == 2 and self.two is not None:
                found.append((tuple(sorted((*factors, self.two))), count < 0))
            else:
                found += [(factors, count < 0)] * abs(count)
        return found

    def tidy(self) -> bool:
        """Substitute variables that are used once or equal another one, and remove unused ones.

        Return False if a sum vanishes: the step is then abandoned.
        """
        waiting = list(self.given)
        while waiting:
            variable = waiting.pop()
            terms = self.p.terms.get(variable)
            if terms is None or variable in self.fixed:
                continue
            if not terms:
                return False
            below = [factor for factors, _ in terms for factor in factors if factor in self.p.terms]
            uses = self.uses.get(variable)
            if not uses:
                self.change(variable, None)
                waiting += below
            elif (len(terms) == 1 and len(terms[0][0]) == 1) or (uses == 1 and self.fits(variable, terms)):
                users = list(self.users[variable])
                self.open(variable, most=len(self.p.online) ** 2)
                waiting += users + below
        return all(self.p.terms[variable] for variable in self.given if variable in self.p.terms)

    def fits(self, variable: int, terms: list[Term]) -> bool:
        """Return whether the only use of a variable needs no brackets: a product in a product, a sum in a sum."""
        [user] = self.users[variable]
        return len(terms) == 1 or any(factors == (variable,) for factors, _ in self.p.terms[user])

    # ------------------------------------------------------------------- step

    def chosen(self) -> list[int]:
        """Choose some variables, each near the previous one."""
        uses, fixed = self.uses, self.fixed
        first = [  # `may_open`, which is slow for all variables
            variable
            for variable, terms in self.p.terms.items()
            if uses.get(variable, 0) <= (_SELDOM if len(terms) > 1 else _PRODUCT) and variable not in fixed
        ]
        found = [self.draw.choice(first)] if first else []
        for _ in range(self.draw.choice(_AT_ONCE) - 1 if found else 0):
            near = [v for v in self.around(found[-1]) if v not in found and self.may_open(v, _OFTEN)]
            found += [self.draw.choice(near)] if near else []
        return found

    def may_open(self, variable: int, most: int) -> bool:
        """Return whether a variable may be expanded: not if it is used often; products are cheaper to expand."""
        terms = self.p.terms.get(variable)
        if terms is None or variable in self.fixed:
            return False
        return self.uses[variable] <= (most if len(terms) > 1 else _PRODUCT)

    def around(self, variable: int) -> list[int]:
        """Return the parts of a variable, its cofactors and its users."""
        parts = [factor for factors, _ in self.p.terms[variable] for factor in factors]
        users = list(self.users[variable])
        beside = [f for user in users for factors, _ in self.p.terms[user] if variable in factors for f in factors]
        return [*parts, *beside, *users]

    def step(self) -> None:
        """Expand some variables and factor again; undo the step if the cost increases."""
        before = self.total
        self.given, self.left = {}, {}
        if not self.opened_and_factored(before + _RISE) or self.total > before + NOTHING:
            self.take_back()

    def opened_and_factored(self, most: float) -> bool:
        for variable in self.chosen():
            if variable in self.p.terms and not (self.open(variable) and self.total <= most):
                return False
        for _ in range(2):  # extraction may leave variables that are used once
            if not self.tidy():
                return False
            self.enter_changed()
            self.extract()
        return True


def search_forms(
    polynomials: SumsOfProducts, offline_weight: float, in_time: Callable[[], bool], report: Report, stream: int = 0
) -> None:
    """Rewrite in place while there is time and the cost decreases; each `stream` is another walk."""
    forms = _Forms(polynomials, _OFFLINE * offline_weight, random_numbers("forms of a model", stream))
    least, last, steps = forms.total, 0, 0
    while steps < min(effort.PATIENCE + 2 * last, effort.MOST_STEPS) and in_time():
        if forms.looked_at >= effort.KERNELS:
            break
        steps += 1
        forms.step()
        if forms.total < least - NOTHING:
            least, last = forms.total, steps
            report(f"{least:.0f} operations after expanding and factoring")
