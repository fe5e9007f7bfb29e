"""The scalar equations that a chain of joints satisfies: Paul's matrix equations in both directions, entry by entry.

With the chain cut behind joint i and before joint k + 1, (C0 J1 .. Ji)^-1 U (J(k+1) .. Jn Cn)^-1 = Ci J(i+1) .. Jk Ck:
k = n are the guide's forward equations U_i (2.11), i = 0 its backward ones, and the rest lie between. Beside the twelve
entries, the position seen from the other end and the squared distance are equations too (types 6 to 8 and Pieper's).
Which joints an equation depends on is measured on sample points, and a joint that it does not depend on is put to zero
before the equation is expanded, so only short polynomials are ever built.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np

from robosym.algebra import Expr
from robosym.algebra.samples import Array, Samples
from robosym.chains.mechanism import ChainJoint, Mechanism, identity, inverse, motion, values_of
from robosym.chains.unknowns import Polynomial
from robosym.geometry.compose import product
from robosym.model.solution.unknown import Variable
from robosym.spatial import Mat3, Transform, Vec3, cos, sin
from robosym.spatial.numeric import rigid_inverse

__all__ = ["Element", "Equation", "Knowledge", "MatrixEquations"]

#: A constant transform or a joint.
Element = Union[Transform, ChainJoint]
_COLUMNS = "snaP"
#: Cosine and sine of an angle.
_Turn = tuple[Polynomial, Polynomial]
#: Trans(w) Rot(z, angle) K; no angle where nothing turns.
_Block = tuple[Vec3, Union[_Turn, None], Mat3]


@dataclass(frozen=True)
class Equation:
    """A polynomial that vanishes, and where it comes from (`U2[1,4]`)."""

    origin: str
    polynomial: Polynomial


@dataclass
class Knowledge:
    """Joints and sums of joints that have been solved, each under the name of a symbol."""

    angles: dict[str, Expr]
    sums: dict[Variable, Expr] = field(default_factory=dict)

    def resolve(self, terms: Sequence[tuple[str, int]], zero: Expr) -> tuple[Expr, tuple[tuple[str, int], ...]]:
        """A sum of joints as a known angle and the joints that are left."""
        known = zero
        rest = dict(terms)
        for name, sign in terms:
            symbol = self.angles.get(name)
            if symbol is not None:
                known = known + (symbol if sign > 0 else -symbol)
                del rest[name]
        for variable, symbol in self.sums.items():
            if all(name in rest for name, _ in variable.terms):
                senses = {rest[name] * sign for name, sign in variable.terms}
                if len(senses) == 1:
                    known = known + (symbol if senses.pop() > 0 else -symbol)
                    for name, _ in variable.terms:
                        del rest[name]
        return known, tuple(rest.items())


@dataclass(frozen=True)
class _Entry:
    """Where an equation stands: the cut (i, k), and the entry of the matrix or "norm", "dot"."""

    i: int
    k: int
    kind: str  #: "T" entry, "P" position seen from the other end, "norm", "dot"
    row: int
    column: int


class MatrixEquations:
    """All equations of a chain; `given` are the columns of U that are given."""

    def __init__(
        self, chain: Mechanism, samples: Samples, target: Transform, given: str, unknown: Iterable[str]
    ) -> None:
        self.chain = chain
        self.samples = samples
        self.target = target
        self.unknown = frozenset(unknown)
        self._identity = identity(chain.graph).A
        self.given = "snaP" if "P" in given and len(given) >= 3 else given
        self.whole = "P" in given and len(given) >= 3  # two axes give the third
        if not self.whole and len(given) >= 2 and "P" not in given:
            self.given = "sna"
        self.dependence = self._measure()
        self._names: dict[Variable, str] = {}
        self._equations: dict[Any, Equation | None] = {}
        self._columns: dict[Any, Vec3] = {}
        self._trigonometry: dict[Expr, tuple[Expr, Expr]] = {}
        self._inverses: dict[int, Transform] = {}
        self._products: dict[tuple[int, int], tuple[Transform, Transform, Transform]] = {}

    def name(self, variable: Variable) -> str:
        """A symbol for an unknown: the joint's own, `t2pt3` for t2 + t3, `t2mt3` for t2 - t3."""
        if variable not in self._names:
            (name, _), *rest = variable.terms
            name += "".join(f"{'p' if sign > 0 else 'm'}{other}" for other, sign in rest)
            while rest and name in self.samples.symbols:
                name += "_"
            self._names[variable] = name
        return self._names[variable]

    # ------------------------------------------------------------ dependence

    def _cuts(self) -> list[tuple[int, int]]:
        n = len(self.chain.joints)
        places = [p for p, joint in enumerate(self.chain.joints, 1) if joint.name in self.unknown]
        lefts = [0, *places]
        rights = [*(p - 1 for p in places if p > 1), n] if self.both_ways else [n]
        return [(i, k) for i in lefts for k in rights if i <= k and (i, k) != (0, 0)]

    @property
    def both_ways(self) -> bool:
        return self.whole or self.given == "sna"

    def _measure(self) -> dict[_Entry, frozenset[str]]:
        """Which unknown joints each equation changes with."""
        chain, samples = self.chain, self.samples
        count = len(next(iter(samples.symbols.values())))

        def numbers(T: Transform) -> Array:
            return values_of(T, lambda entries: [samples.value(e) for e in entries], count)

        constants = [numbers(constant) for constant in chain.constants]
        U = numbers(self.target)
        names = [joint.name for joint in chain.joints if joint.name in self.unknown]
        moved = np.random.default_rng(5).uniform(0.5, 2.5, (len(names), count))
        prefix = np.broadcast_to(constants[0], (1 + len(names), count, 4, 4))
        prefixes = [prefix]
        for joint, constant in zip(chain.joints, constants[1:], strict=True):
            q = np.broadcast_to(samples.symbols[joint.name], (1 + len(names), count)).copy()
            if joint.name in self.unknown:
                q[1 + names.index(joint.name)] = moved[names.index(joint.name)]
            prefix = prefix @ motion(joint, q)
            prefixes.append(prefix)
            prefix = prefix @ constant
        whole = prefix
        result: dict[_Entry, frozenset[str]] = {}
        n = len(chain.joints)
        for i, k in self._cuts():
            left = rigid_inverse(prefixes[i])
            if k < n:
                inner = prefixes[k] @ constants[k]
            else:
                inner = prefixes[n] if self.both_ways else whole
            right = rigid_inverse(inner) @ whole
            sides = left @ U @ rigid_inverse(right), left @ inner
            for entry, value in self._values(i, k, sides):
                scale = 1 + np.abs(value[0])
                changes = np.any(np.abs(value[1:] - value[0]) > 1e-9 * scale, axis=1)
                depends = frozenset(name for name, change in zip(names, changes, strict=True) if change)
                if depends:
                    result[entry] = depends
        return result

    def _values(self, i: int, k: int, sides: tuple[Array, Array]) -> Iterable[tuple[_Entry, Array]]:
        difference = sides[0] - sides[1]
        columns = [_COLUMNS.index(name) for name in self.given]
        for column in columns:
            for row in range(3):
                yield _Entry(i, k, "T", row, column), difference[..., row, column]
        if "P" in self.given:
            norms = [np.sum(side[..., :3, 3] ** 2, axis=-1) for side in sides]
            yield _Entry(i, k, "norm", 3, 3), norms[0] - norms[1]
            if self.whole:
                backward = rigid_inverse(sides[0]) - rigid_inverse(sides[1])
                for row in range(3):
                    yield _Entry(i, k, "P", row, 3), backward[..., row, 3]
            else:
                for column in columns:
                    if column < 3:
                        dots = [np.sum(side[..., :3, column] * side[..., :3, 3], axis=-1) for side in sides]
                        yield _Entry(i, k, "dot", 3, column), dots[0] - dots[1]

    # ------------------------------------------------------------ polynomials

    def equation(self, entry: _Entry, knowledge: Knowledge) -> Equation | None:
        """The polynomial of an entry; None where it is no equation (it does not vanish, or holds no unknown)."""
        depends = self.dependence[entry]
        state = (depends, frozenset(depends & knowledge.angles.keys()), tuple(knowledge.sums))
        key = (entry, *state)
        if key not in self._equations:
            self._equations[key] = self._expanded(entry, depends, knowledge, state)
        return self._equations[key]

    def _expanded(
        self, entry: _Entry, depends: frozenset[str], knowledge: Knowledge, state: tuple[Any, ...]
    ) -> Equation | None:
        sides = []
        for outer in (True, False):

            def column(number: int, outer: bool = outer) -> Vec3:
                key = (entry.i, entry.k, entry.kind == "P", outer, number, *state)
                if key not in self._columns:
                    elements = self._elements(entry.i, entry.k, outer)
                    if entry.kind == "P":
                        elements = self._inverted(elements)
                    self._columns[key] = self._column(self._blocks(elements, depends, knowledge), number)
                return self._columns[key]

            if entry.kind == "norm":
                sides.append(column(3).dot(column(3)))
            elif entry.kind == "dot":
                sides.append(column(entry.column).dot(column(3)))
            else:
                sides.append(tuple(column(entry.column))[entry.row])
        polynomial = (sides[0] - sides[1]).reduced()
        if not polynomial.variables() or not self._vanishes(polynomial):
            return None
        return Equation(self._origin(entry), polynomial)

    def _elements(self, i: int, k: int, outer: bool) -> list[Element]:
        """One side of the matrix equation of a cut: what is outside (i, k) and the target, or what is inside."""
        joints, constants = self.chain.joints, self.chain.constants
        n = len(joints)
        last = n if self.both_ways else n + 1  # a partly given frame cannot be taken behind the last constant
        inside: list[Element] = [] if i == 0 else [constants[i]]
        for p in range(i + 1, k + 1):
            inside += [joints[p - 1], constants[p]] if p < last or k < n else [joints[p - 1]]
        if not outer:
            return [] if i == n and last == n else inside
        left: list[Element] = [constants[0]]
        for p in range(1, i + 1):
            left += [joints[p - 1], constants[p]] if p < i else [joints[p - 1]]
        right: list[Element] = [constants[n]] if k == n and last == n else []
        for p in range(k + 1, n + 1):
            right += [joints[p - 1], constants[p]]
        return [*self._inverted(left), self.target, *self._inverted(right)]

    def _origin(self, entry: _Entry) -> str:
        n = len(self.chain.joints)
        name = f"U{entry.i}" if entry.k == n else f"V{n - entry.k}" if entry.i == 0 else f"U{entry.i},{n - entry.k}"
        if entry.kind == "norm":
            return f"|P|^2 of {name}"
        if entry.kind == "dot":
            return f"{_COLUMNS[entry.column]}.P of {name}"
        return f"{name}{'^-1' if entry.kind == 'P' else ''}[{entry.row + 1},{entry.column + 1}]"

    def _vanishes(self, polynomial: Polynomial) -> bool:
        samples = self.samples
        total: Any = 0.0
        size: Any = 0.0
        for monomial, coefficient in polynomial.terms.items():
            value = samples.value(coefficient)
            for (variable, kind), power in monomial:
                angle = sum(sign * samples.symbols[name] for name, sign in variable.terms)
                atom = np.cos(angle) if kind == "c" else np.sin(angle) if kind == "s" else angle
                value = value * atom**power
            total = total + value
            size = size + abs(value)
        return bool(np.all(np.abs(total) <= 1e-8 * (1e-3 + size)))

    def _inverted(self, elements: Sequence[Element]) -> list[Element]:
        return [
            ChainJoint(e.name, e.prismatic, -e.sign) if isinstance(e, ChainJoint) else self._inverse(e)
            for e in reversed(elements)
        ]

    def _inverse(self, T: Transform) -> Transform:
        """Each constant is inverted once; the inverse of the inverse is the constant itself."""
        if id(T) not in self._inverses:
            result = inverse(T)
            self._inverses[id(T)], self._inverses[id(result)] = result, T
        return self._inverses[id(T)]

    def _product(self, first: Transform, second: Transform) -> Transform:
        """Products of constants, each worked out once (the factors are kept so that their identity stays theirs)."""
        key = id(first), id(second)
        if key not in self._products:
            simple = self.samples.simplified
            T = product(first, second)
            T = Transform(Mat3.of(*map(simple, T.A)), Vec3(*map(simple, T.P)))
            self._products[key] = T, first, second
        return self._products[key][0]

    def _merged(self, elements: Sequence[Element], depends: frozenset[str]) -> list[Element]:
        """Joints that do not matter left out, constants that meet multiplied."""
        merged: list[Element] = []
        for element in elements:
            if isinstance(element, ChainJoint):
                if element.name not in self.unknown or element.name in depends:
                    merged.append(element)
            elif merged and isinstance(merged[-1], Transform):
                merged[-1] = self._product(merged[-1], element)
            else:
                merged.append(element)
        return merged

    def _blocks(self, elements: Sequence[Element], depends: frozenset[str], knowledge: Knowledge) -> list[_Block]:
        """Trans(w) Rot(z, phi) K, one after the other; rotations about parallel axes share one phi."""
        samples = self.samples
        blocks: list[_Block] = []
        terms: list[tuple[str, int]] = []
        turn: _Turn | None = None
        none = Polynomial(samples)
        w = Vec3(none, none, none)
        K = self._identity
        for element in self._merged(elements, depends):
            if isinstance(element, Transform):
                if not all(entry.is_zero for entry in element.P):
                    w = w + _turned(turn, _lifted(samples, K @ element.P))
                K = element.A if K is self._identity else _matrix_product(K, element.A)
                K = Mat3.of(*map(samples.simplified, K))
            elif element.prismatic:
                length = self._length(element, knowledge)
                w = w + _turned(turn, _lifted(samples, Vec3(*(row.z for row in K.rows)))) * length
            else:
                along = K.rows[2].z
                parallel = samples.is_one(along * along)
                if not parallel:
                    blocks.append((w, turn, K))
                    terms, w, K = [], Vec3(none, none, none), self._identity
                opposite = parallel and bool(np.all(np.asarray(samples.value(along)) < 0))
                terms = [*terms, (element.name, -element.sign if opposite else element.sign)]
                turn = self._turn(terms, knowledge)
        blocks.append((w, turn, K))
        return blocks

    def _turn(self, terms: list[tuple[str, int]], knowledge: Knowledge) -> tuple[Polynomial, Polynomial]:
        """Cosine and sine of a sum of joints."""
        samples, graph = self.samples, self.chain.graph
        known, rest = knowledge.resolve(terms, graph.zero)
        if known not in self._trigonometry:
            self._trigonometry[known] = cos(known), sin(known)
        ck, sk = self._trigonometry[known]
        if not rest:
            return Polynomial.constant(samples, ck), Polynomial.constant(samples, sk)
        ordered = tuple(sorted(rest))
        flip = ordered[0][1] < 0
        if flip:
            ordered = tuple((name, -sign) for name, sign in ordered)
        variable = Variable(ordered)
        c, s = Polynomial.atom(samples, variable, "c"), Polynomial.atom(samples, variable, "s")
        if flip:
            s = -s
        return c * ck - s * sk, s * ck + c * sk

    def _length(self, joint: ChainJoint, knowledge: Knowledge) -> Polynomial:
        symbol = knowledge.angles.get(joint.name)
        if symbol is not None:
            return Polynomial.constant(self.samples, symbol if joint.sign > 0 else -symbol)
        atom = Polynomial.atom(self.samples, Variable(((joint.name, 1),), prismatic=True), "r")
        return atom if joint.sign > 0 else -atom

    def known_column(self, elements: Sequence[Element], column: int, knowledge: Knowledge) -> Vec3:
        """A column (3: the position) of a product in which every joint is known."""
        made = self._column(self._blocks(elements, self.unknown, knowledge), column)
        return Vec3(*(entry.known for entry in made))

    def _column(self, blocks: Sequence[_Block], column: int) -> Vec3:
        samples, graph = self.samples, self.chain.graph
        v = _lifted(samples, Vec3(*(graph.number(int(row == column)) for row in range(3))))
        for w, turn, K in reversed(blocks):
            if K is not self._identity:
                v = Vec3(*(v.x * row.x + v.y * row.y + v.z * row.z for row in K.rows))
            v = _turned(turn, v)
            if column == 3:
                v = v + w
        return v


def _lifted(samples: Samples, v: Vec3) -> Vec3:
    return Vec3(*(Polynomial.constant(samples, entry) for entry in v))


def _turned(turn: _Turn | None, v: Vec3) -> Vec3:
    if turn is None:
        return v
    c, s = turn
    return Vec3(c * v.x - s * v.y, s * v.x + c * v.y, v.z)


def _matrix_product(first: Mat3, second: Mat3) -> Mat3:
    columns = [first @ column for column in second.T.rows]
    return Mat3((columns[0], columns[1], columns[2])).T
