"""Expressions on many samples at once: a loop over the nodes, arrays of floats or of residues."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robosym.algebra import OPERATIONS, Expr, reachable

__all__ = ["FLOATS", "on_samples"]

Function = Callable[..., Any]

FLOATS: Mapping[str, Function] = {name: getattr(np, row.numpy) for name, row in OPERATIONS.items()}


def on_samples(roots: Sequence[Expr], values: Mapping[str, NDArray[np.float64] | float], samples: int) -> Any:
    """Rows of samples, columns of roots; `values` holds a number, or one a sample, for each symbol."""
    found: dict[Expr, Any] = {}

    def signed(reference: Expr) -> Any:
        return -found[reference.node] if reference.negative else found[reference.node]

    for node in reachable(roots):
        if node.op == "number":
            found[node] = float(node.value)
        elif node.op == "pi":
            found[node] = np.pi
        elif node.op == "symbol":
            found[node] = values[node.value]
        else:
            found[node] = FLOATS[node.op](*(signed(argument) for argument in node.args))
    return np.column_stack([np.broadcast_to(signed(root), samples) for root in roots])
