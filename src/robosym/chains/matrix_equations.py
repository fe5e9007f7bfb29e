"""The scalar equations that a chain of joints satisfies: Paul's matrix equations in both directions, entry by entry.

With the chain cut behind joint i and before joint k + 1, (C0 J1 .. Ji)^-1 U (J(k+1) .. Jn Cn)^-1 = Ci J(i+1) .. Jk Ck:
k = n are the forward equations U_i of the guide (2.11), i = 0 the backward ones, and the others are between. In
addition to the twelve entries, the position relative to the other end and the squared distance are equations (types 6
to 8 and Pieper's). The joints on which an equation depends are determined at sample points.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from robosym.algebra.generic import random_arrays
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import ZERO
from robosym.chains.chain import PoseProblem
from robosym.chains.products import Constant, Factor, Products, SolvedJoints, inverted
from robosym.chains.unknowns import Polynomial
from robosym.model.solution.steps import Variable
from robosym.spatial import Vec3
from robosym.spatial.numeric import rigid_inverse

__all__ = ["Equation", "EquationPlace", "MatrixEquations"]

_COLUMNS = "snaP"
_CANCELLED = 1e-8  #: a sum of terms below this part of their sizes is zero at a sample point
_USUAL = 1e-3  #: smaller terms cannot be distinguished from zero


@dataclass(frozen=True)
class Equation:
    """A polynomial that vanishes, and where it comes from (`U2[1,4]`)."""

    origin: str
    polynomial: Polynomial


@dataclass(frozen=True)
class EquationPlace:
    """Place of an equation: the cut (i, k) of the chain, and the entry of its matrix equation."""

    i: int
    k: int
    kind: str  #: "T" an entry, "P" position seen from the other end, "norm" |P|^2, "dot" of an axis and P
    row: int
    column: int

    def name(self, n: int) -> str:
        """Return the citation of the equation in the steps of a solution, for a chain of n joints."""
        U = f"U{self.i}" if self.k == n else f"V{n - self.k}" if self.i == 0 else f"U{self.i},{n - self.k}"
        if self.kind == "norm":
            return f"|P|^2 of {U}"
        if self.kind == "dot":
            return f"{_COLUMNS[self.column]}.P of {U}"
        return f"{U}{'^-1' if self.kind == 'P' else ''}[{self.row + 1},{self.column + 1}]"


class MatrixEquations:
    """All equations of a chain and its pose."""

    def __init__(self, problem: PoseProblem) -> None:
        self.problem = problem
        self.chain, self.samples = problem.chain, problem.samples
        self.both_ways = "sna" in problem.columns  # a partly given frame cannot be taken behind the last constant
        self._products = Products(problem)
        self._target = Constant(problem.target)
        self.dependence = self._measure()  #: unknown joints on which each equation depends
        self._names: dict[Variable, str] = {}
        self._equations: dict[object, Equation | None] = {}
        self._columns: dict[object, Vec3] = {}

    def name(self, variable: Variable) -> str:
        """Return a symbol for an unknown: that of the joint, `t2pt3` for t2 + t3, `t2mt3` for t2 - t3."""
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
        places = [p for p, name in enumerate(self.chain.names, 1) if name in self.problem.unknown]
        lefts = [0, *places]
        rights = [*(p - 1 for p in places if p > 1), n] if self.both_ways else [n]
        return [(i, k) for i in lefts for k in rights if i <= k and (i, k) != (0, 0)]

    def _measure(self) -> dict[EquationPlace, frozenset[str]]:
        """Determine which equations depend on each unknown joint, by moving each alone."""
        chain, samples = self.chain, self.samples
        constants = chain.sampled(samples)
        U = self.problem.sampled_target
        names = [name for name in chain.names if name in self.problem.unknown]
        moved = random_arrays("matrix equations").uniform(0.5, 2.5, (len(names), samples.points))
        prefix = np.broadcast_to(constants[0], (1 + len(names), samples.points, 4, 4))
        prefixes = [prefix]
        for joint, constant in zip(chain.joints, constants[1:], strict=True):
            q = np.broadcast_to(samples.symbols[joint.name], (1 + len(names), samples.points)).copy()
            if joint.name in names:
                q[1 + names.index(joint.name)] = moved[names.index(joint.name)]
            prefix = prefix @ joint.motion(q)
            prefixes.append(prefix)
            prefix = prefix @ constant
        whole = prefix
        result: dict[EquationPlace, frozenset[str]] = {}
        n = len(chain.joints)
        for i, k in self._cuts():
            left = rigid_inverse(prefixes[i])
            if k < n:
                inner = prefixes[k] @ constants[k]
            else:
                inner = prefixes[n] if self.both_ways else whole
            right = rigid_inverse(inner) @ whole
            sides = left @ U @ rigid_inverse(right), left @ inner
            for place, value in self._values(i, k, sides):
                scale = 1 + np.abs(value[0])
                changes = np.any(np.abs(value[1:] - value[0]) > ZERO * scale, axis=1)
                depends = frozenset(name for name, change in zip(names, changes, strict=True) if change)
                if depends:
                    result[place] = depends
        return result

    def _values(self, i: int, k: int, sides: tuple[Array, Array]) -> Iterator[tuple[EquationPlace, Array]]:
        """Return the residuals of all equations of a cut: the numeric difference of the two sides."""
        difference = sides[0] - sides[1]
        columns = [_COLUMNS.index(name) for name in self.problem.columns]
        for column in columns:
            for row in range(3):
                yield EquationPlace(i, k, "T", row, column), difference[..., row, column]
        if 3 not in columns:
            return
        norms = [np.sum(side[..., :3, 3] ** 2, axis=-1) for side in sides]
        yield EquationPlace(i, k, "norm", 3, 3), norms[0] - norms[1]
        if len(columns) == 4:
            backward = rigid_inverse(sides[0]) - rigid_inverse(sides[1])
            for row in range(3):
                yield EquationPlace(i, k, "P", row, 3), backward[..., row, 3]
        else:
            for column in columns[:-1]:
                dots = [np.sum(side[..., :3, column] * side[..., :3, 3], axis=-1) for side in sides]
                yield EquationPlace(i, k, "dot", 3, column), dots[0] - dots[1]

    # ------------------------------------------------------------ polynomials

    def equation(self, place: EquationPlace, knowledge: SolvedJoints) -> Equation | None:
        """Return the polynomial of a place; None if it does not vanish or contains no unknown."""
        depends = self.dependence[place]
        state = (depends, frozenset(depends & knowledge.joints.keys()), tuple(knowledge.sums))
        key = (place, *state)
        if key not in self._equations:
            self._equations[key] = self._expanded(place, depends, knowledge, state)
        return self._equations[key]

    def _expanded(
        self, place: EquationPlace, depends: frozenset[str], knowledge: SolvedJoints, state: tuple[object, ...]
    ) -> Equation | None:
        sides = []
        for outer in (True, False):

            def column(number: int, outer: bool = outer) -> Vec3:
                key = (place.i, place.k, place.kind == "P", outer, number, *state)
                if key not in self._columns:
                    factors = self._side(place.i, place.k, outer)
                    if place.kind == "P":
                        factors = inverted(factors)
                    self._columns[key] = self._products.column(factors, number, depends, knowledge)
                return self._columns[key]

            if place.kind == "norm":
                sides.append(column(3).dot(column(3)))
            elif place.kind == "dot":
                sides.append(column(place.column).dot(column(3)))
            else:
                sides.append(tuple(column(place.column))[place.row])
        polynomial = (sides[0] - sides[1]).reduced()
        if not polynomial.variables() or not self._vanishes(polynomial):
            return None
        return Equation(place.name(len(self.chain.joints)), polynomial)

    def _side(self, i: int, k: int, outer: bool) -> list[Factor]:
        """Return one side of the matrix equation of a cut: outside (i, k) with the target, or inside."""
        joints, constants = self.chain.joints, self._products.constants
        n = len(joints)
        last = n if self.both_ways else n + 1
        inside: list[Factor] = [] if i == 0 else [constants[i]]
        for p in range(i + 1, k + 1):
            inside += [joints[p - 1], constants[p]] if p < last or k < n else [joints[p - 1]]
        if not outer:
            return [] if i == n and last == n else inside
        left: list[Factor] = [constants[0]]
        for p in range(1, i + 1):
            left += [joints[p - 1], constants[p]] if p < i else [joints[p - 1]]
        right: list[Factor] = [constants[n]] if k == n and last == n else []
        for p in range(k + 1, n + 1):
            right += [joints[p - 1], constants[p]]
        return [*inverted(left), self._target, *inverted(right)]

    def _vanishes(self, polynomial: Polynomial) -> bool:
        samples = self.samples
        total: float | Array = 0.0
        size: float | Array = 0.0
        for monomial, coefficient in polynomial.terms.items():
            value = samples.value(coefficient)
            for (variable, kind), power in monomial:
                angle = sum(sign * samples.symbols[name] for name, sign in variable.terms)
                atom = np.cos(angle) if kind == "c" else np.sin(angle) if kind == "s" else angle
                value = value * atom**power
            total = total + value
            size = size + abs(value)
        return bool(np.all(np.abs(total) <= _CANCELLED * (_USUAL + size)))
