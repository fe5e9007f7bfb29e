"""Products of constant transforms and joints, column by column, as polynomials in the unknowns.

A product is written as blocks Trans(w) Rot(z, phi) K: rotations about parallel axes share one phi, a sum of known and
unknown joints. Joints without effect on a result are set to zero before expanding, so that all polynomials are short.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Union

import numpy as np

from robosym.algebra import Expr
from robosym.chains.chain import ChainJoint, PoseProblem
from robosym.chains.unknowns import Polynomial
from robosym.model.solution.steps import Angle, Variable
from robosym.spatial import Mat3, Transform, Vec3, cos, sin

__all__ = ["Constant", "Factor", "Products", "SolvedJoints", "checks", "inverted"]


class Constant:
    """A constant factor, compared by identity, and its inverse, computed on demand."""

    __slots__ = ("T", "_inverse")

    def __init__(self, T: Transform) -> None:
        self.T = T
        self._inverse: Constant | None = None

    def inverse(self) -> Constant:
        if self._inverse is None:
            self._inverse = Constant(self.T.inverse())
            self._inverse._inverse = self
        return self._inverse


#: A factor of a product.
Factor = Union[Constant, ChainJoint]
#: Cosine and sine of an angle.
_Turn = tuple[Polynomial, Polynomial]
#: Trans(w) Rot(z, angle) K; the angle is None without rotation, K is None if it is the unit matrix.
_Block = tuple[Vec3, Union[_Turn, None], Union[Mat3, None]]

#: State of a product: its factors, the known joints, and the known sums of joints.
_State = tuple[tuple[Factor, ...], frozenset[str], tuple[Variable, ...]]


def inverted(factors: Sequence[Factor]) -> list[Factor]:
    """Return the factors of the inverse of a product."""
    return [factor.inverse() for factor in reversed(factors)]


@dataclass
class SolvedJoints:
    """Solved joints and sums of joints, each with the name of a symbol."""

    joints: dict[str, Expr]
    sums: dict[Variable, Expr] = field(default_factory=dict)

    def resolve(self, terms: Angle, zero: Expr) -> tuple[Expr, Angle]:
        """Split a sum of joints into a known angle and the remaining joints."""
        known = zero
        rest = dict(terms)
        for name, sign in terms:
            symbol = self.joints.get(name)
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


class Products:
    """Columns of products of the factors of one chain; all results are cached."""

    def __init__(self, problem: PoseProblem) -> None:
        self.samples = problem.samples
        self.graph = problem.chain.graph
        self.unknown = frozenset(problem.unknown)
        self.constants = [Constant(constant) for constant in problem.chain.constants]
        self._multiplied: dict[tuple[Constant, Constant], Constant] = {}
        self._split: dict[_State, list[_Block]] = {}
        self._columns: dict[tuple[_State, int], Vec3] = {}
        self._trigonometry: dict[Expr, tuple[Expr, Expr]] = {}

    def column(self, factors: Sequence[Factor], number: int, depends: Iterable[str], knowledge: SolvedJoints) -> Vec3:
        """Return column s, n, a (0, 1, 2) or P (3), with the unknown joints on which it does not depend at 0."""
        merged = tuple(self._merged(factors, frozenset(depends)))
        known = frozenset(f.name for f in merged if isinstance(f, ChainJoint) and f.name in knowledge.joints)
        state = merged, known, tuple(knowledge.sums)
        if (state, number) not in self._columns:
            if state not in self._split:
                self._split[state] = self._blocks(merged, knowledge)
            self._columns[state, number] = self._applied(self._split[state], number)
        return self._columns[state, number]

    def _applied(self, blocks: Sequence[_Block], number: int) -> Vec3:
        v = self._lifted(Vec3(*(self.graph.number(int(row == number)) for row in range(3))))
        for w, turn, K in reversed(blocks):
            if K is not None:
                v = Vec3(*(v.x * row.x + v.y * row.y + v.z * row.z for row in K.rows))
            v = _turned(turn, v)
            if number == 3:
                v = v + w
        return v

    def _merged(self, factors: Sequence[Factor], depends: frozenset[str]) -> list[Factor]:
        """Remove joints without effect and multiply adjacent constants."""
        merged: list[Factor] = []
        for factor in factors:
            if isinstance(factor, ChainJoint):
                if factor.name not in self.unknown or factor.name in depends:
                    merged.append(factor)
            elif merged and isinstance(merged[-1], Constant):
                merged[-1] = self._product(merged[-1], factor)
            else:
                merged.append(factor)
        return merged

    def _product(self, first: Constant, second: Constant) -> Constant:
        if (first, second) not in self._multiplied:
            self._multiplied[first, second] = Constant((first.T @ second.T).map(self.samples.simplified))
        return self._multiplied[first, second]

    def _blocks(self, factors: Sequence[Factor], knowledge: SolvedJoints) -> list[_Block]:
        samples = self.samples
        blocks: list[_Block] = []
        none = Polynomial(samples)
        nowhere = Vec3(none, none, none)
        terms: Angle = ()
        w, turn, K = nowhere, None, None
        for factor in factors:
            if isinstance(factor, Constant):
                A, P = factor.T.A, factor.T.P
                if not all(entry.is_zero for entry in P):
                    w = w + _turned(turn, self._lifted(P if K is None else K @ P))
                K = Mat3.of(*map(samples.simplified, A if K is None else K @ A))
            elif factor.prismatic:
                axis = Vec3(*(self.graph.number(n) for n in (0, 0, 1))) if K is None else K.z_axis
                w = w + _turned(turn, self._lifted(axis)) * self._length(factor, knowledge)
            else:
                along = self.graph.one if K is None else K.rows[2].z
                parallel = samples.is_one(along * along)
                if not parallel:
                    blocks.append((w, turn, K))
                    terms, w, K = (), nowhere, None
                opposite = parallel and bool(np.all(samples.array(along) < 0))
                terms = (*terms, (factor.name, -factor.sign if opposite else factor.sign))
                turn = self._turn(terms, knowledge)
        return [*blocks, (w, turn, K)]

    def _turn(self, terms: Angle, knowledge: SolvedJoints) -> _Turn:
        """Return cosine and sine of a sum of joints."""
        samples = self.samples
        known, rest = knowledge.resolve(terms, self.graph.zero)
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

    def _length(self, joint: ChainJoint, knowledge: SolvedJoints) -> Polynomial:
        symbol = knowledge.joints.get(joint.name)
        if symbol is not None:
            return Polynomial.constant(self.samples, symbol if joint.sign > 0 else -symbol)
        atom = Polynomial.atom(self.samples, Variable(((joint.name, 1),), prismatic=True), "r")
        return atom if joint.sign > 0 else -atom

    def _lifted(self, v: Vec3) -> Vec3:
        return Vec3(*(Polynomial.constant(self.samples, entry) for entry in v))


def _turned(turn: _Turn | None, v: Vec3) -> Vec3:
    if turn is None:
        return v
    c, s = turn
    return Vec3(c * v.x - s * v.y, s * v.x + c * v.y, v.z)


def checks(problem: PoseProblem, after: int) -> list[tuple[int, Expr]]:
    """Return the residuals that verify a solution after `after` steps: pose entries of the chain minus those given."""
    chain, target = problem.chain, problem.target
    products = Products(problem)
    factors: list[Factor] = [products.constants[0]]
    for joint, constant in zip(chain.joints, products.constants[1:], strict=True):
        factors += [joint, constant]
    everything = SolvedJoints({name: chain.graph.symbol(name) for name in chain.names})
    result = []
    for place in ("snaP".index(column) for column in problem.columns):
        made = products.column(factors, place, chain.names, everything)
        wanted = (*target.A.T.rows, target.P)[place]
        result += [(after, a.known - b) for a, b in zip(made, wanted, strict=True)]
    return [(number, value) for number, value in result if value.args]
