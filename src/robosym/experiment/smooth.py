"""Models without jumps: dry friction as a steep slope, or in one direction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from robosym.algebra import Expr, rebuild
from robosym.model import Model

__all__ = ["WIDTH", "smooth_signs", "with_signs"]

WIDTH = "width_of_signs"  #: the parameter: a speed below which friction fades


def smooth_signs(model: Model) -> Model:
    """The model with x / sqrt(x^2 + w^2) for every sign(x); w is one more parameter, and 0 gives the sign."""
    width = model.graph.symbol(WIDTH)
    inputs = {**model.inputs, "parameters": (*model.inputs.get("parameters", ()), WIDTH)}
    signed = _replaced(model, lambda x: x / model.graph.function("sqrt", x * x + width * width))
    return replace(signed, inputs=inputs, known=(*signed.known, WIDTH))


def with_signs(model: Model, value: int) -> Model:
    """The model with a number for every sign(x)."""
    return _replaced(model, lambda x: model.graph.number(value))


def _replaced(model: Model, stand_in: Callable[[Expr], Expr]) -> Model:
    replaced = {node: stand_in(node.args[0]) for node in model.nodes if node.op == "sign"}
    roots = rebuild(model.roots, model.graph, replaced)
    definitions = dict(zip(model.output_names, roots, strict=True))  # what lies between is not wanted
    return replace(model.plain(), definitions=definitions, made=None)
