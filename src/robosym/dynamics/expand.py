"""Expressions written out for people: a sum over the inertial parameters, trigonometry contracted.

An output becomes a polynomial in symbols, sines and cosines, squares of sines replaced; each inertial parameter gets
its factor, in which products of two angles are joined to the sine or cosine of their sum or difference, and 1 - cos^2
to sin^2, wherever that makes the sum shorter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from robosym.algebra import Expr, Graph, Level, numeric_value, reachable, symbols
from robosym.algebra.trigonometry import linear_terms
from robosym.description import DRIVE, INERTIA, REVOLUTE, Robot
from robosym.model import Model

__all__ = ["expanded"]

Monomial = tuple[tuple[int, int], ...]  # (place of an atom, exponent), sorted
Polynomial = dict[Monomial, Any]  # coefficients: fractions, or floats where the description has them


def expanded(model: Model, kind: str, title: str, progress: Callable[[int, int], None] | None = None) -> Model:
    """The model with every output written out; intermediate variables are gone, sines and cosines keep their names."""
    writer = _Writer(model)
    names = model.output_names
    definitions = {name: value for name, value in model.definitions.items() if value.op in ("sin", "cos")}
    results: dict[str, Expr] = {}
    for done, name in enumerate(names):
        if progress is not None:
            progress(done, len(names))
        results[name] = writer.write(model.definitions[name])
    if progress is not None:
        progress(len(names), len(names))
    return replace(model, kind=kind, title=title, definitions={**writer.named(), **definitions, **results})


class _Writer:
    """Polynomials of the nodes of one model; atoms are symbols, sines, cosines, whatever is no sum and no product."""

    def __init__(self, model: Model) -> None:
        self.graph = model.graph
        self.atoms: list[Expr] = []
        self._place: dict[Expr, int] = {}
        self._known: dict[Expr, Polynomial] = {}
        robot = model.robot
        assert robot is not None
        links = (link for link in (robot.base.link, *robot.links) if link is not None)
        self._inertial = set(symbols(getattr(link, name) for link in links for name in (*INERTIA, *DRIVE)))
        self._joint = {robot.variable(j): j for j in robot.tree_joints}
        self._parallel = _parallel_axes(robot, self.graph)
        self._sums: dict[str, Expr] = {}

    def named(self) -> dict[str, Expr]:
        """Names of the sines and cosines of sums."""
        return self._sums

    # ------------------------------------------------------------- polynomials

    def atom(self, node: Expr) -> int:
        if node not in self._place:
            self._place[node] = len(self.atoms)
            self.atoms.append(node)
            if node.op in ("sin", "cos"):
                self._name(node)
        return self._place[node]

    def polynomial(self, root: Expr) -> Polynomial:
        for node in reachable([root]):
            if node not in self._known:
                self._known[node] = self._of(node)
        return _signed(self._known[root.node], root.negative)

    def _of(self, node: Expr) -> Polynomial:
        if node.op == "number":
            return {(): node.value} if node.value else {}
        if node.op == "add":
            a, b = (_signed(self._known[x.node], x.negative) for x in node.args)
            return _sum(a, b)
        if node.op == "mul":
            a, b = (_signed(self._known[x.node], x.negative) for x in node.args)
            return self._product(a, b)
        parts = self._split(node)
        if parts is None:
            return {((self.atom(node), 1),): Fraction(1)}
        x, y = parts
        sx, cx, sy, cy = (self._single(self.graph.function(op, angle)) for angle in (x, y) for op in ("sin", "cos"))
        if node.op == "sin":
            return _sum(self._product(sx, cy), self._product(cx, sy))
        return _sum(self._product(cx, cy), _signed(self._product(sx, sy), True))

    def _split(self, node: Expr) -> tuple[Expr, Expr] | None:
        """The angle of a joint parallel to the one before it: the difference of two angles from the first of them."""
        if node.op not in ("sin", "cos"):
            return None
        angle = node.args[0]
        turning = [base for base in linear_terms(angle) if base.value in self._parallel]
        if len(turning) != 1 or len(list(symbols([angle]))) != 1:
            return None
        total, before = self._parallel[turning[0].value]
        forward = linear_terms(angle)[turning[0]] == 1
        return (angle - turning[0] + total, -before) if forward else (angle + turning[0] - total, before)

    def _single(self, value: Expr) -> Polynomial:
        if value.op == "number":
            return {(): value.number} if value.value else {}
        return {((self.atom(value.node), 1),): Fraction(-1 if value.negative else 1)}

    def _product(self, a: Polynomial, b: Polynomial) -> Polynomial:
        total: Polynomial = {}
        for p, x in a.items():
            for q, y in b.items():
                for monomial, factor in self._reduced(_times(p, q)):
                    _gather(total, monomial, x * y * factor)
        return total

    def _reduced(self, monomial: Monomial) -> Iterator[tuple[Monomial, int]]:
        """sin^2 replaced by 1 - cos^2: one form for what is equal."""
        for place, exponent in monomial:
            node = self.atoms[place]
            if exponent >= 2 and node.op == "sin":
                rest = _times(tuple(m for m in monomial if m[0] != place), ((place, exponent - 2),))
                cosine = self.atom(self.graph.apply("cos", node.args))
                for left, sign in ((rest, 1), (_times(rest, ((cosine, 2),)), -1)):
                    for final, factor in self._reduced(left):
                        yield final, sign * factor
                return
        yield monomial, 1

    # --------------------------------------------------------------- for people

    def write(self, root: Expr) -> Expr:
        factors: dict[Monomial, Polynomial] = {}
        for monomial, coefficient in self.polynomial(root).items():
            owner = tuple(m for m in monomial if self.atoms[m[0]].value in self._inertial)
            rest = tuple(m for m in monomial if m not in owner)
            factors.setdefault(owner, {})[rest] = coefficient
        total = self.graph.zero
        for owner in sorted(factors, key=self._order):
            total = total + self._expression({owner: 1}) * self._expression(self._contracted(factors[owner]))
        return total

    def _order(self, owner: Monomial) -> tuple[int, ...]:
        return tuple(self.atoms[place].index for place, _ in owner)

    def _contracted(self, factor: Polynomial) -> Polynomial:
        """Joined step by step until no step shortens the sum."""
        current = factor
        while True:
            shorter = self._joined(current)
            if len(shorter) >= len(current):
                return current
            current = shorter

    def _joined(self, factor: Polynomial) -> Polynomial:
        """One pass: each pair of terms that makes one term is replaced by it."""
        left = dict(factor)
        for monomial in list(factor):
            if monomial not in left:
                continue
            for partner, relation, result, sign in self._partners(monomial):
                if partner in left and partner != monomial and left[partner] == relation * left[monomial]:
                    value = left.pop(monomial)
                    left.pop(partner)
                    _gather(left, result, sign * value)
                    break
        return left

    def _partners(self, monomial: Monomial) -> Iterator[tuple[Monomial, int, Monomial, int]]:
        """(partner, its sign to this term, what the two make, sign of that to this term)."""
        turning = [(place, self.atoms[place]) for place, _ in monomial if self.atoms[place].op in ("sin", "cos")]
        for place, node in turning:
            rest = _divided(monomial, place, 2)
            if node.op == "cos" and rest is not None:  # R c^2 - R is -R s^2
                yield rest, -1, _times(rest, ((self.atom(self.graph.apply("sin", node.args)), 2),)), -1
        for a, (p, x) in enumerate(turning):
            for q, y in turning[a + 1 :]:
                one = _divided(monomial, p, 1)
                rest = None if one is None else _divided(one, q, 1)
                if rest is not None and x.args != y.args:
                    yield from self._angle_sums(rest, x, y)

    def _angle_sums(self, rest: Monomial, x: Expr, y: Expr) -> Iterator[tuple[Monomial, int, Monomial, int]]:
        """cos cos -+ sin sin and sin cos +- cos sin, in whichever place this term has in them."""
        other = {"sin": "cos", "cos": "sin"}
        mates = tuple(self.atom(self.graph.apply(other[node.op], node.args)) for node in (x, y))
        mate = _times(rest, _times(((mates[0], 1),), ((mates[1], 1),)))
        same = x.op == y.op
        for relation in (1, -1):
            angle = x.args[0] - y.args[0] if same is (relation == 1) else x.args[0] + y.args[0]
            joined = self.graph.function("cos" if same else "sin", angle)
            turned = relation == -1 and (x.op == y.op == "sin" or (not same and x.op == "cos"))
            if joined.level is not Level.NUMBER:
                sign = -1 if turned is not joined.negative else 1
                yield mate, relation, _times(rest, ((self.atom(joined.node), 1),)), sign

    def _name(self, node: Expr) -> None:
        """c23 and s23 of t2 + t3, c2m3 of t2 - t3, C2 of t2 alone, for the variables of joints 2 and 3."""
        terms = linear_terms(node.args[0])
        if all(base.value in self._joint and abs(factor) == 1 for base, factor in terms.items()):
            parts = ((self._joint[base.value], factor < 0) for base, factor in terms.items())
            digits = "".join(f"{'m' if minus else ''}{joint}" for joint, minus in parts)
            letter = node.op[0].upper() if len(terms) == 1 else node.op[0]  # C23 is an entry of the matrix C
            self._sums[f"{letter}{digits}"] = node

    def _expression(self, polynomial: Polynomial) -> Expr:
        total = self.graph.zero
        for monomial in sorted(polynomial):
            term = self.graph.number(polynomial[monomial])
            for place, exponent in monomial:
                term = term * self.atoms[place] ** exponent
            total = total + term
        return total


def _parallel_axes(robot: Robot, graph: Graph) -> dict[str, tuple[Expr, Expr]]:
    """By variable of a revolute joint parallel to the one before it: the angle up to it, and up to the one before."""
    upto: dict[int, Expr] = {}
    pairs: dict[str, tuple[Expr, Expr]] = {}
    for j in range(1, robot.NL + 1):
        frame = robot.frame(j)
        if frame.sigma != REVOLUTE:
            continue
        upto[j] = graph.symbol(robot.variable(j))
        sine, cosine = (numeric_value(frame.alpha.graph.function(op, frame.alpha)) for op in ("sin", "cos"))
        if frame.ant in upto and sine == 0 and cosine is not None:
            before = upto[frame.ant].signed(cosine < 0)
            upto[j] = upto[j] + before
            pairs[robot.variable(j)] = upto[j], before
    return pairs


def _signed(polynomial: Polynomial, negative: bool) -> Polynomial:
    return {m: -value for m, value in polynomial.items()} if negative else polynomial


def _gather(total: Polynomial, monomial: Monomial, value: Any) -> None:
    value = total.get(monomial, 0) + value
    if value:
        total[monomial] = value
    else:
        total.pop(monomial, None)


def _sum(a: Polynomial, b: Polynomial) -> Polynomial:
    total = dict(a)
    for monomial, value in b.items():
        _gather(total, monomial, value)
    return total


def _times(a: Monomial, b: Monomial) -> Monomial:
    powers = dict(a)
    for place, exponent in b:
        powers[place] = powers.get(place, 0) + exponent
    return tuple(sorted((place, exponent) for place, exponent in powers.items() if exponent))


def _divided(monomial: Monomial, place: int, exponent: int) -> Monomial | None:
    """The monomial over a power of an atom, None where it does not hold that power."""
    powers = dict(monomial)
    if powers.get(place, 0) < exponent:
        return None
    powers[place] -= exponent
    return tuple(sorted((p, e) for p, e in powers.items() if e))
