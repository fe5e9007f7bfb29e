"""Prove that two listings of robosym compute the same outputs: `checker.py PLAIN OPTIMIZED CERTIFICATE`.

The exit code is 0 if the certificate holds, 1 if it does not, and 2 if a file cannot be read; without CERTIFICATE, the
certificate is printed. This file needs only the standard library: copy it and audit it on its own.

The statement that is proven: both listings are straight-line programs with + - * / and functions, and a number such as
0.25 is the rational number 1/4. Outputs of the same name are equal as rational functions of

- the inputs,
- sine and cosine of each angle, with cos^2 + sin^2 = 1; those of sums of angles, of rational multiples of angles and of
  Pi follow from the addition formulas, and tan is sin/cos,
- one unknown for each other function and value of its arguments: sqrt(x) in one listing equals sqrt(y) in the other if
  x equals y. Odd and even functions are recognized; no other property of a function is used.

The values are then equal wherever both listings are defined. The certificate lists the side conditions: divisors that
must not be zero, and arguments of functions that have no value elsewhere.

How: the difference of two outputs is a fraction of polynomials. Evaluate it modulo a random prime at a random point,
where (cos, sin) of an angle is ((1 - t^2) / (1 + t^2), 2 t / (1 + t^2)) for a random t. A numerator that is not zero as
a polynomial has the value zero with a probability of at most degree/prime (lemma of Schwartz and Zippel), unless the
prime divides all its coefficients, as few primes do. Bounds of degree and coefficients are computed from the listings,
and the prime is so large that the probability of an error is below 2^-128. Prime and point follow from a hash of both
texts, so that nobody can choose them.
"""

import hashlib
import math
import re
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Rejected", "certify"]

TARGET = 128  #: the probability of an error is less than 2^-TARGET
ROUNDS = 80  #: rounds of the Miller-Rabin test; a composite number passes each with a probability of at most 1/4
TRIES = 2**14  #: number of candidates for the prime; about one in 100 is prime
ANGULAR, ODD, EVEN = ("sin", "cos", "tan"), ("sign", "asin", "atan", "tanh"), ("abs",)
ARITY = {**dict.fromkeys((*ANGULAR, *ODD, *EVEN, "acos", "sqrt", "exp", "log"), 1), "atan2": 2, "pow": 2}
#: conditions on the arguments of functions
DOMAINS = {"sqrt": "nonnegative", "log": "positive", "asin": "from -1 to 1", "acos": "from -1 to 1", "pow": "defined"}
TOKEN = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,4})?|[A-Za-z_]\w*|[-+*/(),]", re.ASCII)
Key = Any  #: name of an unknown or of a divisor
Value = Any  #: value in an arithmetic: a size or a residue
Pair = tuple[int, int]
Terms = dict[Key, Fraction]  #: an angle as a sum of terms with coefficients


class Rejected(Exception):
    """The proof fails: outputs differ, or a listing has no meaning."""


class Listing:
    """The program of a listing: nodes, the node of each variable, and side conditions.

    A node is a tuple of an operation and its arguments: ("number", Fraction), ("symbol", name), ("pi",), ("+", a, b),
    ("sin", a), and so on, where a and b are indices of previous nodes.
    """

    def __init__(self, text: str, label: str) -> None:
        self.label = label
        self.nodes: list[tuple[Key, ...]] = []
        self.known: dict[tuple[Key, ...], int] = {}
        self.conditions: dict[str, None] = {}
        self.inputs, self.outputs = names_below(text, "in "), names_below(text, "out")
        self.variables = {name: self.node("symbol", name) for name in self.inputs}
        for self.target, expression in assignments(text):
            if self.target in self.variables or self.target in (*ARITY, "Pi", "pi"):
                raise Rejected(f"{label}: {self.target} has another meaning already")
            self.tokens, self.place = [*TOKEN.findall(expression), ""], 0
            self.variables[self.target] = self.sum()
            if self.tokens[self.place] or "".join(self.tokens) != "".join(expression.split()):
                raise Rejected(f"{label}: {self.target}: unexpected {self.tokens[self.place]!r} or other character")
        if not self.outputs or not {*self.outputs} <= {*self.variables} - {*self.inputs}:
            raise Rejected(f"{label}: expected outputs in the header, with an assignment for each")

    def node(self, *content: Key) -> int:
        """Return the index of a node; equal nodes are created once."""
        if content not in self.known:
            self.known[content] = len(self.nodes)
            self.nodes.append(content)
        return self.known[content]

    def take(self, *wanted: str) -> str:
        """Step over the next token and return it, if it is one of those wanted; otherwise return ""."""
        token = self.tokens[self.place]
        self.place += token in wanted
        return token if token in wanted else ""

    def sum(self, signs: str = "+-") -> int:
        """Read a sum of products, or a product of factors if the signs are * and /."""
        value = self.sum("*/") if signs == "+-" else self.factor()
        while sign := self.take(*signs):
            start = self.place
            other = self.sum("*/") if signs == "+-" else self.factor()
            if sign == "/" and self.nodes[other][0] != "number":
                self.assume("nonzero", start)
            value = self.node(sign, value, other)
        return value

    def factor(self) -> int:
        if sign := self.take("+", "-"):
            value = self.factor()
            return self.node("-", self.node("number", Fraction(0)), value) if sign == "-" else value
        token, start = self.tokens[self.place], self.place
        self.place += bool(token)
        if token[:1].isdigit() or token[:1] == ".":
            return self.node("number", Fraction(token))
        if token in ("Pi", "pi"):
            return self.node("pi")
        if token in self.variables:
            return self.variables[token]
        if token != "(" and not (token in ARITY and self.take("(")):
            raise Rejected(f"{self.label}: {self.target}: expected a value, found {token!r}")
        arguments = [self.sum()]
        while token != "(" and self.take(","):
            arguments.append(self.sum())
        if not self.take(")") or len(arguments) != ARITY.get(token, 1):
            raise Rejected(f"{self.label}: {self.target}: expected ')', found {self.tokens[self.place]!r}")
        if token in DOMAINS:
            self.assume(DOMAINS[token], start + 1)
        return arguments[0] if token == "(" else self.node(token, *arguments)

    def assume(self, what: str, start: int) -> None:
        """Record a side condition on the tokens from `start` to here."""
        text = "".join(self.tokens[start : self.place])
        self.conditions[f"assume {what}: {text} ({self.label}, {self.target})"] = None


def assignments(text: str) -> Iterator[tuple[str, str]]:
    """Yield name and expression of each assignment; a line that starts with a space continues the previous one."""
    depth, kept = 0, []
    for piece in re.split(r"(\(\*|\*\))", text):  # comments may be nested
        depth += (piece == "(*") - (piece == "*)")
        if depth == 0 and piece != "*)":
            kept.append(piece)
    if depth:
        raise Rejected("comments do not start and end in pairs")
    for statement in re.sub(r"\n(?=[ \t]+\S)", " ", "".join(kept)).split("\n"):
        found = re.fullmatch(r"([A-Za-z_]\w*) *=(.*)", statement, re.ASCII)
        if found is not None:
            yield found[1], found[2]
        elif statement.strip():
            raise Rejected(f"expected an assignment, found {statement!r}")


def names_below(text: str, direction: str) -> list[str]:
    """Return the names in the comments below each comment `in group[n]` or `out group[n]`."""
    names: list[str] = []
    inside = False
    for line in text.split("\n"):
        found = re.fullmatch(r"\(\* {7}((?:[A-Za-z_]\w* )+)\*\)", line, re.ASCII)
        if re.match(r"\(\* (in |out) \w+\[", line):
            inside = line.startswith(f"(* {direction} ")
        elif inside and found:
            names += found[1].split()
        elif not line.startswith("(*     "):  # otherwise the line continues the description of the group
            inside = False
    return names


def angles(listing: Listing) -> dict[int, Terms]:
    """Return the angles in sines and cosines as sums; terms are "Pi", "1", inputs, and indices of other nodes."""
    linear: list[Terms] = []
    for at, (operation, *arguments) in enumerate(listing.nodes):
        terms: Terms = {at: Fraction(1)}
        if operation == "number":
            terms = {"1": arguments[0]}
        elif operation in ("pi", "symbol"):
            terms = {("input", *arguments) if arguments else "Pi": Fraction(1)}
        elif operation in ("+", "-", "*", "/"):
            left, right = (linear[argument] for argument in arguments)
            if operation == "*" and {*left} <= {"1"}:
                left, right = right, left
            factor = right.get("1", Fraction(0))
            if operation in ("+", "-") and len(left) + len(right) <= 100:  # a longer sum is not an angle
                sign = 1 if operation == "+" else -1
                terms = {k: left.get(k, Fraction(0)) + sign * right.get(k, Fraction(0)) for k in {**left, **right}}
            elif operation in ("*", "/") and {*right} == {"1"}:
                terms = {k: v * factor if operation == "*" else v / factor for k, v in left.items()}
        linear.append({term: coefficient for term, coefficient in terms.items() if coefficient})
    return {node[1]: linear[node[1]] for node in listing.nodes if node[0] in ANGULAR}


def run(listing: Listing, found: dict[int, Terms], arithmetic: Value) -> list[Value]:
    """Return the value of every node in an arithmetic, `SizeBounds` or `Field`."""
    values: list[Value] = []
    for operation, *arguments in listing.nodes:
        where = (listing.label, operation, *arguments[-1:])
        if operation == "number":
            value = arithmetic.number(arguments[0])
        elif operation in ("symbol", "pi"):
            value = arithmetic.unknown(operation, arguments)
        elif operation in ANGULAR:
            cosine, sine = arithmetic.rotation(found[arguments[0]], values, where)
            value = cosine if operation == "cos" else sine
            value = arithmetic.combined("/", sine, cosine, where) if operation == "tan" else value
        elif operation in ("+", "-", "*", "/"):
            value = arithmetic.combined(operation, values[arguments[0]], values[arguments[1]], where)
        else:
            value = arithmetic.unknown(operation, [values[argument] for argument in arguments])
        values.append(value)
    return values


class Size(NamedTuple):  # of a value P / (B1^e1 B2^e2 ...)
    degree: int  #: degree of P
    bits: int  #: at least log2 of the sum of the absolute values of the coefficients of P
    below: dict[Key, int]  #: the exponents of the Bk


class SizeBounds:
    """Bounds of degrees and coefficients; angles are multiples of an input / units[0] and of 1 rad / units[1].

    The Bk are 1 + t^2 for each angle, numerators of divisors, and denominators of numbers; coefficients are integers.
    """

    def __init__(self, units: Pair) -> None:
        self.units = units
        self.divisors: dict[Key, Pair] = {10: (0, 4), 2: (0, 2)}  #: degree and bits of each Bk

    def lifted(self, size: Size, below: dict[Key, int]) -> Pair:
        """Return degree and bits of P if the fraction is extended to higher powers of the Bk."""
        extra = {key: power - size.below.get(key, 0) for key, power in below.items()}
        degree, bits = (sum(n * self.divisors[key][k] for key, n in extra.items()) for k in (0, 1))
        return size.degree + degree, size.bits + bits

    def number(self, value: Fraction) -> Size:
        """Return the size of a number; its denominator is 10^n, which decimals share, times another number."""
        tens = 0
        while math.gcd(value.denominator, 10) > 1:
            value, tens = value * 10, tens + 1
        self.divisors["number", value.denominator] = (0, value.denominator.bit_length())
        return Size(0, value.numerator.bit_length(), {10: tens, ("number", value.denominator): 1})

    def unknown(self, _: str, __: list[Value]) -> Size:
        return Size(1, 0, {})

    def combined(self, operation: str, a: Size, b: Size, where: Key = None) -> Size:
        if operation == "/":  # times 1 / b, whose numerator is another Bk
            self.divisors[where] = (b.degree, b.bits)
            b = Size(*self.lifted(Size(0, 0, {}), b.below), {where: 1})
        if operation in ("*", "/"):
            below = {key: a.below.get(key, 0) + b.below.get(key, 0) for key in {**a.below, **b.below}}
            return Size(a.degree + b.degree, a.bits + b.bits, below)
        below = {key: max(a.below.get(key, 0), b.below.get(key, 0)) for key in {**a.below, **b.below}}
        one, other = self.lifted(a, below), self.lifted(b, below)
        return Size(max(one[0], other[0]), max(one[1], other[1]) + 1, below)

    def rotation(self, terms: Terms, _: list[Value], where: Key) -> tuple[Size, Size]:
        """Return the size of cosine and sine: parts of a product of (1 - t^2 + 2 i t)^n and of a root of unity."""
        powers = {term: abs(int(c * self.units[term == "1"])) for term, c in terms.items() if not isinstance(term, int)}
        powers.pop("Pi", None)
        if any(isinstance(term, int) for term in terms):
            powers["angle", where] = 1  # the terms that are neither inputs nor numbers form one unknown angle
        self.divisors.update(dict.fromkeys(powers, (2, 1)))
        total = 2 * sum(powers.values())
        size = Size(total, total + 2, {2: 1, **powers})  # twice the sine of a multiple of Pi is an algebraic integer
        return size, size


class Field:
    """Values at a random point modulo a random prime p = -1 modulo `turn`.

    As `turn` is a multiple of 4, -1 has no square root modulo p: 1 + t^2 is never zero, and the pairs (cos, sin) are a
    cyclic group of p + 1 elements. It has an element of order `turn`, which stands for the angle 2 Pi / turn.
    """

    def __init__(self, seed: bytes, bits: int, turn: int, units: Pair) -> None:
        self.seed, self.turn, self.units = seed, turn, units
        low, high = 2 ** (bits - 1) // turn + 1, 2**bits // turn
        candidates = ((low + self.random(high - low, "prime", attempt)) * turn - 1 for attempt in range(TRIES))
        self.p: int = next(filter(self.is_prime, candidates))
        factors = [q for q in range(2, turn + 1) if turn % q == 0 and all(q % d for d in range(2, math.isqrt(q) + 1))]
        roots = (self.power(self.point("root", attempt), (self.p + 1) // turn) for attempt in range(TRIES))
        root = next(root for root in roots if all(self.power(root, turn // q) != (1, 0) for q in factors))
        quarter = self.power(root, turn // 4)  # is (0, 1) or (0, -1)
        self.root = root if quarter == (0, 1) else (root[0], -root[1] % self.p)

    def random(self, limit: int, *name: Key) -> int:
        """Return a number below `limit` that follows from seed and name; uniform up to a share of 2^-256."""
        digest = hashlib.shake_256(self.seed + repr(name).encode())
        return int.from_bytes(digest.digest(limit.bit_length() // 8 + 33), "big") % limit

    def is_prime(self, number: int) -> bool:
        """Test by Miller and Rabin; the numbers are 3 modulo 4, so that one power of each base is tested."""
        bases = (self.random(number - 3, "base", number, turn) + 2 for turn in range(ROUNDS))
        return all(pow(base, number // 2, number) in (1, number - 1) for base in bases)

    def point(self, *name: Key) -> Pair:
        """Return the random point of the circle that follows from a name."""
        t = self.random(self.p, "angle", *name)
        below = pow(1 + t * t, -1, self.p)
        return (1 - t * t) * below % self.p, 2 * t * below % self.p

    def turned(self, a: Pair, b: Pair) -> Pair:  # the point at the sum of two angles
        return (a[0] * b[0] - a[1] * b[1]) % self.p, (a[0] * b[1] + a[1] * b[0]) % self.p

    def power(self, a: Pair, times: int) -> Pair:
        """Return the point at a multiple of an angle."""
        a, result = (a[0], a[1] if times >= 0 else -a[1] % self.p), (1, 0)
        for bit in f"{abs(times):b}":
            result = self.turned(result, result)
            result = self.turned(result, a) if bit == "1" else result
        return result

    def number(self, value: Fraction) -> int:
        return value.numerator * pow(value.denominator, -1, self.p) % self.p

    def unknown(self, name: str, arguments: list[Value]) -> int:
        """Return an unknown that depends on the name and the arguments only."""
        if name in ODD + EVEN and arguments[0] > self.p // 2:
            return self.unknown(name, [self.p - arguments[0]]) * (-1 if name in ODD else 1) % self.p
        return self.random(self.p, name, *arguments)

    def combined(self, operation: str, a: int, b: int, where: Key) -> int:
        if operation == "/" and b == 0:
            raise Rejected(f"{where[0]}: a divisor is zero")
        if operation in ("*", "/"):
            return a * (b if operation == "*" else pow(b, -1, self.p)) % self.p
        return (a + b if operation == "+" else a - b) % self.p

    def rotation(self, terms: Terms, values: list[int], _: Key) -> Pair:
        """Return cosine and sine of an angle; its terms that are neither inputs nor numbers form one unknown angle."""
        result = self.power(self.root, int(terms.get("Pi", Fraction(0)) * self.turn / 2))
        rest = sum(self.number(c) * values[term] for term, c in terms.items() if isinstance(term, int)) % self.p
        if rest:
            size = min(rest, self.p - rest)  # the point at -x is the reflection of the point at x
            result = self.turned(result, self.power(self.point("value", size), 1 if size == rest else -1))
        for term, coefficient in terms.items():
            if term != "Pi" and not isinstance(term, int):
                result = self.turned(result, self.power(self.point(term), int(coefficient * self.units[term == "1"])))
        return result


def certify(plain: str, optimized: str) -> str:
    """Return the certificate of two listings, or raise `Rejected`."""
    digests = [hashlib.sha256(text.encode()).hexdigest() for text in (plain, optimized)]
    listings = [Listing(plain, "plain"), Listing(optimized, "optimized")]
    outputs = listings[0].outputs
    if outputs != listings[1].outputs or not {*listings[1].inputs} <= {*listings[0].inputs}:
        raise Rejected("the listings have different inputs or outputs")
    found = [angles(listing) for listing in listings]
    below = [(term, c.denominator) for its in found for terms in its.values() for term, c in terms.items()]
    units = math.lcm(*(d for t, d in below if isinstance(t, tuple))), math.lcm(*(d for t, d in below if t == "1"))
    turn = 4 * math.lcm(*(d for t, d in below if t == "Pi"))
    if turn > 2**20:
        raise Rejected("expected multiples of Pi with denominators below 2^18")
    # `whole` bounds every output, and so the difference of any two. `keys` bounds all arguments of functions, because
    # two different arguments must not have the same value by chance.
    bounds, whole, keys, count = SizeBounds(units), Size(0, 0, {}), Size(0, 0, {}), 0
    for listing, its_angles in zip(listings, found, strict=True):
        of = run(listing, its_angles, bounds)
        for name in outputs:
            whole = bounds.combined("+", whole, of[listing.variables[name]])
        for operation, *arguments in listing.nodes:
            for argument in arguments if operation in ARITY else []:
                keys, count = bounds.combined("+", keys, of[argument]), count + 1
    pairs = (2 * count) ** 2
    degree = whole.degree + pairs * (keys.degree + 1)  # of the product of everything that must not vanish
    # A prime divides a coefficient, an element of a field of degree at most `turn`, only if it divides its norm. Fewer
    # than `bad` primes do, out of 2^(bits - 1) / turn candidates; at most TRIES are examined.
    bad = (whole.bits + pairs * (keys.bits + 2) + 2) * turn
    faults = degree + bad * turn * TRIES + 1
    bits = max(256, TARGET + 32 + faults.bit_length())
    error = Fraction(4 * faults, 2**bits) + Fraction(TRIES, 4**ROUNDS)
    assert error < Fraction(1, 2**TARGET)
    field = Field(hashlib.sha256("".join(digests).encode()).digest(), bits, turn, units)
    values = [run(listing, its_angles, field) for listing, its_angles in zip(listings, found, strict=True)]
    lines = ["robosym certificate 1", f"plain sha256 {digests[0]}", f"optimized sha256 {digests[1]}"]
    exponent = (error.denominator // error.numerator).bit_length() - 1
    lines += [f"degree {degree}", f"coefficients 2^{whole.bits}", f"prime {field.p:#x}", f"error 2^-{exponent}"]
    for name in outputs:
        one, other = (values[k][listings[k].variables[name]] for k in (0, 1))
        if one != other:
            raise Rejected(f"{name} differs")
        lines.append(f"value {name} {one:#x}")
    return "\n".join([*lines, *listings[0].conditions, *listings[1].conditions]) + "\n"


def main(paths: list[str]) -> int:
    try:
        plain, optimized, *given = (Path(path).read_bytes().decode() for path in paths)
        certificate = certify(plain, optimized)
        if given and given[0] != certificate:
            raise Rejected("the certificate belongs to other listings")
    except (OSError, ValueError) as error:
        print(f"usage: checker.py PLAIN OPTIMIZED [CERTIFICATE]: {error}")
        return 2
    except Rejected as reason:
        print(f"no: {reason}")
        return 1
    print(f"yes: {certificate.split('value', 1)[0]}" if given else certificate, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
