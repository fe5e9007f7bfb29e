"""Terms of friction along a motion: the shapes of the description, on arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.samples import evaluate_arrays
from robosym.errors import InputError
from robosym.mechanism import Friction

__all__ = ["columns", "direction"]

Array = NDArray[np.float64]


def direction(friction: Friction, qd: Array) -> Array:
    """The sign of the velocity, or what stands for it."""
    return np.asarray(evaluate_arrays([friction.direction()], {"qd": qd})[0], dtype=float)


def columns(friction: Friction, q: Array, qd: Array) -> dict[str, Array]:
    """{name without the joint: what multiplies the parameter}, of the samples of one joint, load apart."""
    found: dict[str, Array] = {}
    for name in friction.names:
        shape, term = friction.shape(name), friction.terms.get(name)
        if shape is not None:
            values = np.asarray(evaluate_arrays([shape], {"q": q, "qd": qd})[0], dtype=float)
        else:
            assert callable(term)
            values = np.asarray(term(q, qd), dtype=float)
        values = np.broadcast_to(values, qd.shape) if values.ndim == 0 else values
        if values.shape != qd.shape or not np.isfinite(values).all():
            raise InputError(f"friction: {name}: expected a finite value for each of {len(qd)} samples")
        found[name] = values
    return found
