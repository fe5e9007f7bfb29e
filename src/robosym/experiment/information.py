"""Information content of a motion: conditioning of the regressor and its gradient with respect to the motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np

from robosym.algebra import Expr, rebuild
from robosym.algebra.arrays import Array
from robosym.algebra.tolerances import RANK
from robosym.dynamics.identification import IdentificationModel
from robosym.errors import InputError
from robosym.model import Model

__all__ = ["CRITERIA", "WIDTH", "Criterion", "Information", "check_criterion", "smooth_signs", "with_signs"]

Slopes = tuple[Array, Array, Array]
Criterion = Literal["condition", "d-optimal"]
CRITERIA = ("condition", "d-optimal")

_SINGULAR = 1e-15  #: ratio of eigenvalues of W^T W below which columns count as dependent
_GROUPS = ("q", "qd", "qdd")


class Information:
    """Regressor W of a robot along motions: one row per torque and sample, one column per parameter.

    `deviations` are the standard deviations of the torques, one per row of the model; they weight the rows as in
    weighted least squares.
    """

    def __init__(self, model: IdentificationModel, deviations: Array) -> None:
        self.columns = model.columns
        self.deviations = deviations
        entries = model.sparse()
        self._rows, self._places = np.array(entries.pattern).T
        self._used = np.arange(len(self._rows))
        self._count = len(self._rows)
        self.left_out: tuple[str, ...] = ()
        smooth = smooth_signs(entries)
        self._uses_width = WIDTH in smooth.inputs.get("parameters", ())
        self._entries = smooth.compile()
        self._slopes = smooth.gradient(*(group for group in _GROUPS if group in smooth.inputs)).compile()

    def matrix(self, q: Array, qd: Array, qdd: Array, width: float = 0.0) -> Array:
        """Return W; `width` is the speed below which Coulomb friction is smoothed to zero."""
        entries = self._entries(q=q, qd=qd, qdd=qdd, **self._width(width))
        W = np.zeros((len(q), len(self.deviations), len(self.columns)))
        W[:, self._rows, self._places] = entries[:, self._used] / self.deviations[self._rows]
        return W.reshape(-1, len(self.columns))

    def leave_out_dependent(self, q: Array, qd: Array, qdd: Array) -> None:
        """Remove columns that depend on earlier ones at generic states: no motion can identify them.

        An example is an offset next to the weight of a joint that slides vertically.
        """
        W = self.matrix(q, qd, qdd)
        sizes = np.linalg.norm(W, axis=0)
        left = np.abs(np.diag(np.linalg.qr(W / np.where(sizes > 0, sizes, 1.0), mode="r")))
        kept = left > RANK
        self.left_out = tuple(name for name, keep in zip(self.columns, kept, strict=True) if not keep)
        self.columns = tuple(name for name, keep in zip(self.columns, kept, strict=True) if keep)
        used = kept[self._places]
        self._used, self._rows = self._used[used], self._rows[used]
        self._places = (np.cumsum(kept) - 1)[self._places[used]]

    def condition(self, q: Array, qd: Array, qdd: Array) -> float:
        """Return the condition number of W."""
        R = np.linalg.qr(self.matrix(q, qd, qdd), mode="r")  # has the same singular values and is small
        sizes = np.linalg.svd(R, compute_uv=False)
        return float(sizes[0] / sizes[-1]) if sizes[-1] > 0 else np.inf

    def criterion(
        self, kind: Criterion, q: Array, qd: Array, qdd: Array, width: float, sharpness: float
    ) -> tuple[float, Slopes | None]:
        """Return the cost and its gradient with respect to q, qd and qdd.

        "condition" is the logarithm of the condition number, with norms of order 2 `sharpness` of the singular values
        in place of the largest and the smallest, so that it is smooth. "d-optimal" is minus the mean logarithm of the
        singular values, the volume of the confidence ellipsoid.
        """
        W = self.matrix(q, qd, qdd, width)
        values, vectors = np.linalg.eigh(W.T @ W)
        if not values[0] > _SINGULAR * values[-1]:
            return np.inf, None
        if kind == "condition":
            large, small = (values / values[-1]) ** sharpness, (values[0] / values) ** sharpness
            total = np.log(values[-1] / values[0]) + (np.log(large.sum()) + np.log(small.sum())) / sharpness
            by_value = (large / large.sum() - small / small.sum()) / values
        else:
            total = -float(np.log(values).mean())
            by_value = -1 / (values * len(values))
        slope = W @ ((vectors * by_value) @ vectors.T)  # gradient with respect to W, halved
        weights = np.zeros((len(q), self._count))
        by_entry = slope.reshape(len(q), len(self.deviations), -1)[:, self._rows, self._places]
        weights[:, self._used] = by_entry / self.deviations[self._rows]
        slopes = self._slopes(q=q, qd=qd, qdd=qdd, weights=weights, **self._width(width))
        return float(total) / 2, tuple(slopes)

    def _width(self, width: float) -> dict[str, Array]:
        return {"parameters": np.array([width])} if self._uses_width else {}


def check_criterion(kind: object) -> None:
    """Raise an error for an unknown criterion."""
    if kind not in CRITERIA:
        raise InputError(f"criterion: expected one of {', '.join(map(repr, CRITERIA))}, found {kind!r}")


WIDTH = "width_of_signs"  #: name of the parameter that smooths friction: a speed


def smooth_signs(model: Model) -> Model:
    """Return the model with x / sqrt(x^2 + w^2) in place of every sign(x).

    w is an additional parameter; w = 0 gives the sign.
    """
    width = model.graph.symbol(WIDTH)
    inputs = {**model.inputs, "parameters": (*model.inputs.get("parameters", ()), WIDTH)}
    signed = _replaced(model, lambda x: x / model.graph.function("sqrt", x * x + width * width))
    return replace(signed, inputs=inputs, known=(*signed.known, WIDTH))


def with_signs(model: Model, value: int) -> Model:
    """Return the model with a number in place of every sign(x)."""
    return _replaced(model, lambda x: model.graph.number(value))


def _replaced(model: Model, stand_in: Callable[[Expr], Expr]) -> Model:
    replaced = {node: stand_in(node.args[0]) for node in model.nodes if node.op == "sign"}
    roots = rebuild(model.roots, model.graph, replaced)
    definitions = dict(zip(model.output_names, roots, strict=True))  # intermediate variables are dropped
    return replace(model.plain(), definitions=definitions, made=None)
