"""Prove symbolically that two listings compute the same outputs: `symbolic.py PLAIN OPTIMIZED [CERTIFICATE]`.

Unlike `checker`, which evaluates both at a random point, this program expands the difference of two outputs to a
polynomial with rational coefficients, whose terms cancel. It needs `checker.py` and the standard library only.

Relations: cos^2 + sin^2 = 1 for each angle, sqrt(x)^2 = x, and y (1/y) = 1 for each divisor y; sines and cosines of
rational multiples of Pi are elements of a number field. Other functions have equal values for equal arguments. A proof
holds wherever both listings are defined. Outputs without a proof may still be equal.
"""

from __future__ import annotations

import hashlib
import math
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path

try:
    from robosym.optimizer import checker
except ImportError:  # copied to another computer
    import checker  # type: ignore[import-not-found, no-redef]

__all__ = ["prove"]

BITS = 16  #: bits of an exponent; a monomial is an integer with the exponent of each atom in its own bits
MULTIPLES = 64  #: the largest multiple of an angle whose cosine is expanded
MOST = 400_000  #: largest number of terms
Terms = dict[int, Fraction]  #: a polynomial: coefficients by monomial
Pair = tuple[Terms, Terms]  #: cosine and sine


@cache
def cyclotomic(n: int) -> list[int]:
    """Return the coefficients of the minimal polynomial of exp(2 Pi i / n), the constant first."""
    above = [-1] + [0] * (n - 1) + [1]  # x^n - 1
    for d in (d for d in range(1, n) if n % d == 0):
        below, quotient = cyclotomic(d), []
        rest = above[:]
        while len(rest) >= len(below):
            quotient.append(rest[-1])
            shift = len(rest) - len(below)
            rest = [r - quotient[-1] * (below[k - shift] if k >= shift else 0) for k, r in enumerate(rest)][:-1]
        above = quotient[::-1]
    return above


class Exact:
    """Polynomials over the rational numbers in atoms: inputs, sines and cosines, roots, reciprocals of divisors."""

    def __init__(self, units: tuple[int, int], turn: int) -> None:
        self.units, self.turn = units, turn
        self.places: dict[object, int] = {}
        self.squares: dict[int, Terms] = {}  #: the square of some atoms, by place
        self.limit = 0  #: the highest bit of every exponent: a monomial that has one is rejected
        self.mask = 0  #: the bits of exponents that are set if an atom of `squares` is squared
        self.reciprocals: list[tuple[int, Terms]] = []
        self.functions: list[tuple[str, list[Terms], int]] = []
        self.root = self.place("root")  #: of g = 2 cos(2 Pi / turn)
        self.degree, lower = self.minimal()
        self.powers = [[Fraction(j == k) for j in range(self.degree)] for k in range(self.degree)]
        for _ in range(turn):  # the coefficients of each power of g in powers below its degree
            *rest, highest = self.powers[-1]
            self.powers.append([c + highest * d for c, d in zip([Fraction(0), *rest], lower, strict=True)])

    def place(self, key: object) -> int:
        if key not in self.places:
            self.places[key] = BITS * len(self.places)
            self.limit |= 1 << self.places[key] + BITS - 1
        return self.places[key]

    def atom(self, key: object) -> Terms:
        return {1 << self.place(key): Fraction(1)}

    def minimal(self) -> tuple[int, list[Fraction]]:
        """Return the degree of g = 2 cos(2 Pi / turn) and the coefficients of g^degree in lower powers."""
        phi = cyclotomic(self.turn)
        half = (len(phi) - 1) // 2
        found, power, before = [Fraction(phi[half])] + [Fraction(0)] * half, [0, 1], [2]  # 2 cos(k x) in g
        for k in range(1, half + 1):
            for place, coefficient in enumerate(power):
                found[place] += phi[half + k] * coefficient
            power, before = self.next_multiple(power, before), power
        return half, [-c / found[half] for c in found[:half]]

    @staticmethod
    def next_multiple(power: list[int], before: list[int]) -> list[int]:
        """Return 2 cos((k + 1) x) from 2 cos(k x) and 2 cos((k - 1) x)."""
        longer = [0, *power]
        return [c - (before[k] if k < len(before) else 0) for k, c in enumerate(longer)]

    # ------------------------------------------------------------------ polynomials

    def reduced(self, terms: Terms) -> Terms:
        """Replace squares of sines and roots, and high powers of 2 cos(2 Pi / turn)."""
        done: Terms = {}
        waiting = [terms]
        while waiting:
            for monomial, value in waiting.pop().items():
                if monomial & self.limit:
                    raise checker.Rejected(f"an exponent exceeds {2 ** (BITS - 1) - 1}")
                over = monomial & self.mask
                if over:
                    place = (over.bit_length() - 1) // BITS * BITS
                    rest = monomial - (2 << place)
                    waiting.append({rest + m: value * c for m, c in self.squares[place].items()})
                    continue
                power = monomial >> self.root & (1 << BITS) - 1
                if power >= self.degree:
                    exchanged = min(power, len(self.powers) - 1)
                    rest = monomial - (exchanged << self.root)
                    waiting.append(
                        {rest + (k << self.root): value * c for k, c in enumerate(self.powers[exchanged]) if c}
                    )
                    continue
                done[monomial] = done.get(monomial, Fraction(0)) + value
        if len(done) > MOST:
            raise checker.Rejected(f"a polynomial has more than {MOST} terms")
        return {monomial: value for monomial, value in done.items() if value}

    def sum(self, a: Terms, b: Terms, sign: int = 1) -> Terms:
        found = dict(a)
        for monomial, value in b.items():
            total = found.get(monomial, 0) + sign * value
            if total:
                found[monomial] = total
            else:
                found.pop(monomial, None)
        return found

    def product(self, a: Terms, b: Terms) -> Terms:
        if len(a) * len(b) > 50 * MOST:
            raise checker.Rejected(f"a product has more than {50 * MOST} terms")
        found: Terms = {}
        for one, value in a.items():
            for other, factor in b.items():
                monomial = one + other
                found[monomial] = found.get(monomial, 0) + value * factor
        return self.reduced(found)

    def vanishes(self, terms: Terms) -> bool:
        """Return whether a polynomial is zero, after it is multiplied by all divisors."""
        for place, divisor in reversed(self.reciprocals):
            powers = [monomial >> place & (1 << BITS) - 1 for monomial in terms]
            most, total = max(powers, default=0), dict[int, Fraction]()
            for power in range(most + 1):  # by Horner's rule, from terms without the reciprocal
                part = {m - (power << place): v for (m, v), p in zip(terms.items(), powers, strict=True) if p == power}
                total = self.sum(self.product(total, divisor), part) if power else part
            terms = total
        return not terms

    # ------------------------------------------------------------------ the interface of `checker.run`

    def number(self, value: Fraction) -> Terms:
        return {0: value} if value else {}

    def unknown(self, name: str, arguments: list[Terms]) -> Terms:
        if name in ("symbol", "pi"):
            return self.atom((name, *arguments))
        sign = 1
        if name in checker.ODD + checker.EVEN and arguments[0] and arguments[0][max(arguments[0])] < 0:
            arguments, sign = [self.sum({}, arguments[0], -1)], -1 if name in checker.ODD else 1
        for other, given, place in self.functions:
            if other == name and all(self.vanishes(self.sum(a, b, -1)) for a, b in zip(given, arguments, strict=True)):
                return {1 << place: Fraction(sign)}
        place = self.place((name, len(self.functions)))
        self.functions.append((name, arguments, place))
        if name == "sqrt":
            self.squares[place], self.mask = arguments[0], self.mask | (1 << BITS) - 2 << place
        return {1 << place: Fraction(sign)}

    def combined(self, operation: str, a: Terms, b: Terms, where: object = None) -> Terms:
        if operation in ("+", "-"):
            return self.sum(a, b, 1 if operation == "+" else -1)
        return self.product(a, b if operation == "*" else self.reciprocal(b))

    def reciprocal(self, b: Terms) -> Terms:
        if self.vanishes(b):
            raise checker.Rejected("a divisor is zero")
        if set(b) == {0}:
            return {0: 1 / b[0]}
        scale = b[max(b)]
        b = {monomial: value / scale for monomial, value in b.items()}
        for place, divisor in self.reciprocals:
            if divisor == b or self.vanishes(self.sum(divisor, b, -1)):
                return {1 << place: 1 / scale}
        place = self.place(("reciprocal", len(self.reciprocals)))
        self.reciprocals.append((place, b))
        return {1 << place: 1 / scale}

    def rotation(self, terms: checker.Terms, values: list[Terms], where: object) -> Pair:
        """Return cosine and sine of an angle; its terms that are neither inputs nor numbers form one unknown angle."""
        result = self.at(int(terms.get("Pi", Fraction(0)) * self.turn / 2))
        rest: Terms = {}
        for term, coefficient in terms.items():
            if isinstance(term, int):
                rest = self.sum(rest, {m: coefficient * v for m, v in values[term].items()})
            elif term != "Pi":
                times, angle = int(coefficient * self.units[term == "1"]), term
                if abs(times) > MULTIPLES:  # an angle of its own: fewer identities are known, none that is wrong
                    times, angle = (1 if times > 0 else -1), ("times", term, abs(times))
                result = self.turned(result, self.power(self.point(angle), times))
        if rest:
            sign = 1 if rest[max(rest)] > 0 else -1
            key = self.unknown("angle", [{m: sign * v for m, v in rest.items()}])
            result = self.turned(result, self.power(self.point(("value", *key)), sign))
        return result

    def point(self, key: object) -> Pair:
        """Return cosine and sine of an unknown angle."""
        cosine, sine = self.atom(("cos", key)), self.atom(("sin", key))
        place = self.place(("sin", key))
        self.squares[place] = {0: Fraction(1), 2 << self.place(("cos", key)): Fraction(-1)}
        self.mask |= (1 << BITS) - 2 << place
        return cosine, sine

    def at(self, steps: int) -> Pair:
        """Return cosine and sine of a multiple of 2 Pi / turn, as polynomials in 2 cos(2 Pi / turn)."""

        def cosine(k: int) -> Terms:
            power, before = [0, 1], [2]
            for _ in range(k % self.turn):
                power, before = self.next_multiple(power, before), power
            return self.reduced({j << self.root: Fraction(c, 2) for j, c in enumerate(before) if c})

        return cosine(steps), cosine(steps - self.turn // 4)

    def turned(self, a: Pair, b: Pair) -> Pair:
        return (
            self.sum(self.product(a[0], b[0]), self.product(a[1], b[1]), -1),
            self.sum(self.product(a[0], b[1]), self.product(a[1], b[0])),
        )

    def power(self, a: Pair, times: int) -> Pair:
        a = (a[0], a[1] if times >= 0 else self.sum({}, a[1], -1))
        result: Pair = ({0: Fraction(1)}, {})
        for bit in f"{abs(times):b}":
            result = self.turned(result, result)
            result = self.turned(result, a) if bit == "1" else result
        return result


def prove(plain: str, optimized: str) -> str:
    """Return the certificate of two listings, or raise `Rejected` if there is no proof."""
    listings = [checker.Listing(plain, "plain"), checker.Listing(optimized, "optimized")]
    outputs = listings[0].outputs
    if outputs != listings[1].outputs or not {*listings[1].inputs} <= {*listings[0].inputs}:
        raise checker.Rejected("the listings have different inputs or outputs")
    found = [checker.angles(listing) for listing in listings]
    below = [(term, c.denominator) for its in found for terms in its.values() for term, c in terms.items()]
    units = math.lcm(*(d for t, d in below if isinstance(t, tuple))), math.lcm(*(d for t, d in below if t == "1"))
    turn = 4 * math.lcm(*(d for t, d in below if t == "Pi"))
    if turn > 240:
        raise checker.Rejected("expected multiples of Pi with denominators of at most 60")
    ring = Exact(units, turn)
    values = [checker.run(listing, its_angles, ring) for listing, its_angles in zip(listings, found, strict=True)]
    terms = degree = 0
    for name in outputs:
        one, other = (values[k][listings[k].variables[name]] for k in (0, 1))
        if not ring.vanishes(ring.sum(one, other, -1)):
            raise checker.Rejected(f"{name} differs, or no property used here makes it equal")
        terms, degree = max(terms, len(one)), max(degree, *map(total_degree, one), 0)
    digests = [hashlib.sha256(text.encode()).hexdigest() for text in (plain, optimized)]
    lines = ["robosym symbolic certificate 1", f"plain sha256 {digests[0]}", f"optimized sha256 {digests[1]}"]
    lines += [f"terms {terms}", f"degree {degree}", *listings[0].conditions, *listings[1].conditions]
    return "\n".join(lines) + "\n"


def total_degree(monomial: int) -> int:
    """Return the sum of the exponents of a monomial."""
    total = 0
    while monomial:
        monomial, exponent = monomial >> BITS, monomial & (1 << BITS) - 1
        total += exponent
    return total


def main(paths: list[str]) -> int:
    try:
        plain, optimized, *given = (Path(path).read_bytes().decode() for path in paths)
        certificate = prove(plain, optimized)
        if given and given[0] != certificate:
            raise checker.Rejected("the certificate belongs to other listings")
    except (OSError, ValueError) as error:
        print(f"usage: symbolic.py PLAIN OPTIMIZED [CERTIFICATE]: {error}")
        return 2
    except checker.Rejected as reason:
        print(f"no: {reason}")
        return 1
    print(f"yes: {certificate}" if given else certificate, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
