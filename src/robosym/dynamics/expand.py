"""Expansion of expressions for reading: a sum over the inertial parameters, with contracted trigonometry.

An output becomes a polynomial in symbols, sines and cosines, with squares of sines replaced. Each inertial parameter
gets a factor, in which products of two sines or cosines are contracted to the sine or cosine of a sum or difference,
and 1 - cos^2 to sin^2, wherever this shortens the sum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from robosym.algebra import Expr, Graph, symbols
from robosym.algebra.folding import contracted, without_squares
from robosym.algebra.polynomial import Poly, Polynomials, times
from robosym.algebra.trigonometry import half_turns, linear_terms
from robosym.mechanism import DRIVE, INERTIA, Robot
from robosym.model import Model

__all__ = ["expanded"]


def expanded(model: Model, kind: str, title: str, progress: Callable[[int, int], None] | None = None) -> Model:
    """Return the model with every output expanded; only sines and cosines remain named."""
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
    named = {**writer.named, **definitions, **results}
    return replace(model, kind=kind, title=title, definitions=named, written_out=True)


class _Writer(Polynomials):
    """Polynomials modulo sin^2 + cos^2 = 1 of the nodes of one model; floats are unchanged."""

    def __init__(self, model: Model) -> None:
        super().__init__(model.graph)
        robot = model.robot
        assert robot is not None
        self._inertial = set(symbols(getattr(link, name) for link in robot.all_links for name in (*INERTIA, *DRIVE)))
        self._joint = {robot.variable(j): j for j in robot.tree_joints}
        self._parallel = _parallel_axes(robot, self.graph)
        self.named: dict[str, Expr] = {}  #: sines and cosines by name

    def write(self, root: Expr) -> Expr:
        """Return a sum over the inertial parameters, each times its contracted factor."""
        factors = self.of(root).parted(lambda atom: self.atoms[atom].value in self._inertial)
        total = self.graph.zero
        for owner in sorted(factors, key=lambda owner: [self.atoms[place].index for place, _ in owner]):
            total = total + self._expression(Poly({owner: 1})) * self._expression(contracted(self, factors[owner]))
        return total

    def _expression(self, poly: Poly) -> Expr:
        return self.total(poly, sorted(poly.terms))

    # ------------------------------------------------------------- how polynomials are made here

    def _entered(self, place: int) -> None:
        """Add a new symbol: c23 and s23 for t2 + t3, c2m3 for t2 - t3, C2 for t2."""
        node = self.atoms[place]
        terms = linear_terms(node.args[0]) if self.turns(place) else {}
        if terms and all(base.value in self._joint and abs(factor) == 1 for base, factor in terms.items()):
            parts = ((self._joint[base.value], factor < 0) for base, factor in terms.items())
            digits = "".join(f"{'m' if minus else ''}{joint}" for joint, minus in parts)
            letter = node.op[0].upper() if len(terms) == 1 else node.op[0]  # C23 is an entry of the matrix C
            self.named[f"{letter}{digits}"] = node

    def number(self, value: Fraction | float) -> Poly:
        return Poly({(): value})

    def product(self, a: Poly, b: Poly) -> Poly:
        def cosine(place: int) -> int | None:
            return self.partner(place) if self.atoms[place].op == "sin" else None

        pairs = ((times(m, n), x * y) for m, x in a.terms.items() for n, y in b.terms.items())
        return a.gathered((m, c * number) for product, c in pairs for m, number in without_squares(product, cosine))

    def apply(self, node: Expr, arguments: Sequence[Poly]) -> Poly:
        parts = self._split(node)
        if parts is None:
            return self.single(node)
        sx, cx, sy, cy = (self._turned(op, angle) for angle in parts for op in ("sin", "cos"))
        if node.op == "sin":
            return self.product(sx, cy) + self.product(cx, sy)
        return self.product(cx, cy) - self.product(sx, sy)

    def _turned(self, op: str, angle: Expr) -> Poly:
        """Return a sine or cosine, which may be a number."""
        value = self.graph.function(op, angle)
        return self.number(value.number) if value.op == "number" else self.single(value)

    def _split(self, node: Expr) -> tuple[Expr, Expr] | None:
        """Return the angle of a joint parallel to the previous one as a difference of accumulated angles."""
        if node.op not in ("sin", "cos"):
            return None
        angle = node.args[0]
        turning = [base for base in linear_terms(angle) if base.value in self._parallel]
        if len(turning) != 1 or len(list(symbols([angle]))) != 1:
            return None
        total, before = self._parallel[turning[0].value]
        forward = linear_terms(angle)[turning[0]] == 1
        return (angle - turning[0] + total, -before) if forward else (angle + turning[0] - total, before)


def _parallel_axes(robot: Robot, graph: Graph) -> dict[str, tuple[Expr, Expr]]:
    """Return, for each revolute joint parallel to the previous one, the accumulated angles up to both joints."""
    upto: dict[int, Expr] = {}
    pairs: dict[str, tuple[Expr, Expr]] = {}
    for j in range(1, robot.NL + 1):
        frame = robot.frame(j)
        if not frame.joint_type.only_turns:
            continue
        upto[j] = graph.symbol(robot.variable(j))
        turned = half_turns(frame.alpha)
        if frame.ant in upto and turned is not None:
            before = upto[frame.ant].signed(turned == 1)
            upto[j] = upto[j] + before
            pairs[robot.variable(j)] = upto[j], before
    return pairs
