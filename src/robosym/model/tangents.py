"""Directional derivatives of models: forward mode (seeds of the inputs) and reverse mode (weights of the outputs).

Both are models again, so that they can be differentiated, printed and compiled in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from robosym.algebra import Expr, gradient
from robosym.algebra.calculus import rates_of_change
from robosym.model.groups import SEED, WEIGHT
from robosym.model.model import Model
from robosym.model.naming import Layout, flat

__all__ = ["cotangent", "tangent"]

_ALONG, _BY = "d_", "bar_"  #: prefixes of the outputs


def _free_prefix(model: Model, prefix: str, groups: Iterable[str], names: Iterable[str]) -> str:
    """Return the prefix, repeated until groups and names with it are new: derivatives can be differentiated again."""
    taken = {name for known in model.inputs.values() for name in known}.union(model.known, model.inputs)
    wanted = {*groups, *names}
    found = prefix
    while any(f"{found}{name}" in taken for name in wanted):
        found += prefix
    return found


def tangent(model: Model, groups: Sequence[str]) -> Model:
    """Return the derivative of the outputs along a direction of the inputs (Jacobian times vector).

    The inputs `seed_q` hold the direction of `q`; the outputs are `d_tau` for each group `tau`.
    """
    names = [name for group in groups for name in model.inputs[group]]
    prefix = _free_prefix(model, SEED, groups, names)
    seeds = {name: model.graph.symbol(f"{prefix}{name}", True) for name in names}
    rates = dict(zip(model.output_names, rates_of_change(model.roots, seeds), strict=True))
    outputs: dict[str, Layout] = {f"{_ALONG}{group}": _prefixed(layout) for group, layout in model.outputs.items()}
    return _derived(
        model,
        {**model.inputs, **{f"{prefix}{g}": tuple(f"{prefix}{name}" for name in model.inputs[g]) for g in groups}},
        outputs,
        {f"{_ALONG}{name}": rate for name, rate in rates.items()},
    )


def cotangent(model: Model, groups: Sequence[str]) -> Model:
    """Return the derivative of a weighted sum of the outputs by groups of inputs (vector times Jacobian).

    The inputs `weight_tau` hold the weights of the outputs `tau`; the outputs are `bar_q` for each group `q`.
    """
    names = [name for group in groups for name in model.inputs[group]]
    prefix = _free_prefix(model, WEIGHT, model.outputs, model.output_names)
    weights = [model.graph.symbol(f"{prefix}{name}", True) for name in model.output_names]
    slopes = gradient(model.roots, weights, names)
    given = {f"{prefix}{g}": tuple(f"{prefix}{n}" for n in flat(rows)) for g, rows in model.outputs.items()}
    return _derived(
        model,
        {**model.inputs, **given},
        {f"{_BY}{group}": tuple(f"{_BY}{name}" for name in model.inputs[group]) for group in groups},
        {f"{_BY}{name}": slope for name, slope in zip(names, slopes, strict=True)},
    )


def _prefixed(layout: Layout) -> Layout:
    if layout and not isinstance(layout[0], str):
        return tuple(tuple(f"{_ALONG}{name}" for name in row) for row in layout)
    return tuple(f"{_ALONG}{name}" for name in flat(layout))


def _derived(
    model: Model, inputs: dict[str, tuple[str, ...]], outputs: dict[str, Layout], values: dict[str, Expr]
) -> Model:
    own = model.inputs.get("parameters", ())
    definitions = {**model.definitions, **values}
    changed = {"inputs": inputs, "outputs": outputs, "definitions": definitions, "known": own, "whole": True}
    return replace(model.plain(), **changed, about={}, made=None)  # type: ignore[arg-type]
