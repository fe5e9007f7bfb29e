"""Sines and cosines of sums of angles from those of the parts: six operations for what takes a hundred.

A recursion that turns by the sum of the angles of parallel axes has fewer operations and one more angle. Where the
parts are angles of the model themselves the addition theorem gives both at little cost.
"""

from __future__ import annotations

from dataclasses import replace

from robosym.algebra import Expr, Graph
from robosym.algebra.interpret import Expressions, interpret
from robosym.model import Model
from robosym.model.groups import declare

__all__ = ["TURNS", "composed"]

TURNS = ("sin", "cos")


class _Composed(Expressions):
    """The same expressions, sums of known angles never the argument of a sine or a cosine."""

    def __init__(self, graph: Graph, sums: set[Expr]) -> None:
        super().__init__(graph)
        self.sums = sums  #: of the model, nodes
        self.found: dict[Expr, tuple[Expr, Expr]] = {}  #: sine and cosine of each

    def apply(self, node: Expr, arguments: list[Expr]) -> Expr:  # type: ignore[override]
        if node.op in TURNS and node.args[0].node in self.sums:
            wave: Expr = self.turns(arguments[0])[TURNS.index(node.op)]
            return wave
        made: Expr = super().apply(node, arguments)
        return made

    def turns(self, angle: Expr) -> tuple[Expr, Expr]:
        """Sine and cosine."""
        if angle.op != "add":
            return self.graph.function("sin", angle), self.graph.function("cos", angle)
        if angle.node not in self.found:
            (s, c), (t, d) = map(self.turns, angle.node.args)
            self.found[angle.node] = s * d + c * t, c * d - s * t
        s, c = self.found[angle.node]
        return s.signed(angle.negative), c


def composed(model: Model) -> Model:
    """The model with no sine or cosine of a sum of angles that have sines and cosines in it."""
    angles = {node.args[0].node for node in model.nodes if node.op in TURNS}
    leaves = {angle for angle in angles if angle.op == "symbol"}

    def known(angle: Expr) -> bool:
        return angle in leaves or (angle.op == "add" and all(known(part.node) for part in angle.args))

    sums = {angle for angle in angles - leaves if known(angle)}
    if not sums:
        return model
    graph = Graph()
    declare(graph, model.inputs)
    names, values = list(model.definitions), list(model.definitions.values())
    made = interpret(values, _Composed(graph, sums))
    return replace(model, definitions=dict(zip(names, made, strict=True)), graph=graph)
