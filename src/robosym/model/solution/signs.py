"""Which branch of each step a solution took: signs that change only where two solutions meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from robosym.algebra.samples import Array, evaluate_arrays
from robosym.model.solution.steps import Step

__all__ = ["branch_signs"]


def branch_signs(steps: Sequence[Any], values: Mapping[str, Array], count: int) -> list[str]:
    """For each of `count` solutions a sign a step that has several values: of the slope of its equation there.

    "" where the steps are no equations of one unknown (the general method).
    """
    if not all(isinstance(step, Step) for step in steps):
        return [""] * count
    known: dict[str, Any] = dict(values)
    columns = []
    for step in steps:
        known[step.joint] = sum(sign * known[name] for name, sign in step.variable.terms)
        if step.branches == 1:
            continue
        coefficients = [np.broadcast_to(c, (count,)) for c in evaluate_arrays(step.coefficients[0], known)]
        columns.append(_slope(step, coefficients, np.asarray(known[step.joint])) >= 0)
    return ["".join("+" if column[row] else "-" for column in columns) for row in range(count)]


def _slope(step: Step, c: Sequence[Array], x: Array) -> Array:
    """Of the equation of a step by its unknown x; against it for an angle, so that atan2(X, Y) + acos(..) is +."""
    if step.variable.prismatic:
        return np.asarray(sum(power * c[power] * x ** (power - 1) for power in range(1, len(c))))
    if step.form == "sine":
        return np.asarray(c[1] * np.sin(x) - c[0] * np.cos(x))
    return np.asarray(c[0] * np.sin(2 * x) - c[1] * np.cos(2 * x) + c[2] * np.sin(x) - c[3] * np.cos(x))
