"""Hand-written models, and the reference evaluation: floats on the graph, one row at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from robosym.algebra import Graph, evaluate, parse
from robosym.model import Layout, Model, flat, shape


def model_of(
    inputs: Mapping[str, str], outputs: Mapping[str, Layout], definitions: Mapping[str, str], online: str = "q qd"
) -> Model:
    """Return a model of expressions in text; the names of each group are separated by spaces."""
    graph = Graph()
    groups = {group: tuple(names.split()) for group, names in inputs.items()}
    for group, names in groups.items():
        for name in names:
            graph.symbol(name, online=group in online.split())
    values = {name: parse(text, graph) for name, text in definitions.items()}
    return Model(
        name="hand", kind="tst", title="By hand", inputs=groups, outputs=outputs, definitions=values, graph=graph
    )


def reference(model: Model, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Evaluate every output group for a batch on the graph."""
    leading = np.broadcast_shapes(*(np.shape(a)[:-1] for a in arrays.values()))
    full = {g: np.broadcast_to(a, (*leading, len(model.inputs[g]))) for g, a in arrays.items()}
    rows = np.empty((*leading, len(model.output_names)))
    for index in np.ndindex(*leading):
        values = {n: float(x) for g, names in model.inputs.items() for n, x in zip(names, full[g][index], strict=True)}
        rows[index] = evaluate(model.roots, values)
    result, first = {}, 0
    for group, layout in model.outputs.items():
        count = len(list(flat(layout)))
        result[group] = rows[..., first : first + count].reshape(*leading, *shape(layout))
        first += count
    return result


def random_arrays(model: Model, rng: np.random.Generator, batch: tuple[int, ...] = ()) -> dict[str, Any]:
    """Return random arrays for every group; only q, qd and qdd have a batch dimension."""
    moving = ("q", "qd", "qdd")
    return {g: rng.uniform(-2, 2, (*(batch if g in moving else ()), len(n))) for g, n in model.inputs.items()}
