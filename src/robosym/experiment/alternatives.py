"""Least-squares rows of the power, energy and filtered models (guide 3.6.3.2, 3.113, 3.6.3.3).

The power and the energy models give one row for all joints together. Neither has to detect stationary joints, because
friction dissipates no power there. The energy and the filtered models need no accelerations.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.arrays import Array
from robosym.dynamics.identification import (
    IdentificationModel,
    energy_identification,
    filtered_identification,
    power_identification,
)
from robosym.errors import InputError
from robosym.experiment.least_squares import Triangle, compressed
from robosym.experiment.prepare import Motion, Segment
from robosym.experiment.regressor import Regressor
from robosym.mechanism import Robot

__all__ = ["MODELS", "rows_of"]


_WINDOW = 0.2  #: interval of an energy difference, in s
_MAKE: dict[str, Callable[..., IdentificationModel]] = {
    "power": power_identification, "energy": energy_identification, "filtered": filtered_identification,
}  # fmt: skip
MODELS = ("dynamic", *_MAKE)


@lru_cache(maxsize=8)
def _model(robot: Robot, name: str) -> IdentificationModel:
    return _MAKE[name](robot, base_parameters=True, friction=False)


def rows_of(regressor: Regressor, motion: Motion, name: str) -> list[Triangle]:
    """Return the triangles of an alternative model along a motion: one, or one per joint for the filtered model."""
    model = _model(regressor.robot, name)
    if tuple(model.columns) != regressor.names[: regressor.inertial]:
        raise InputError(
            f"model {name!r}: {regressor.robot.name} has different parameters in this model: use model='dynamic'"
        )
    if regressor.friction.load:
        raise InputError(f"model {name!r}: expected friction without load dependence, found load=True")
    parts = [_ROWS[name](regressor, model, segment) for segment in motion.segments]
    if name != "filtered":
        return [compressed(np.concatenate([W for W, _ in parts]), np.concatenate([y for _, y in parts]))]
    W = np.concatenate([W for W, _ in parts])
    moves = motion.moving
    return [compressed(W[moves[:, j], j], motion.tau[moves[:, j], j]) for j in range(len(regressor.joints))]


def _power(regressor: Regressor, model: IdentificationModel, segment: Segment) -> tuple[Array, Array]:
    """Return the rows of qd . tau = dh K (3.113), both sides filtered."""
    qd, tau = regressor.of_rows(segment.qd), _torques(segment)
    W = np.zeros((len(qd), len(regressor.names)))
    for _, column, values in regressor.evaluated(model, "dh", segment):
        W[:, column] += values
    for entry in regressor.drive_entries(segment):
        W[:, entry.column] += qd[:, entry.joint] * entry.values
    both = segment.sampled(np.column_stack([W, np.sum(qd * tau, axis=1)]))
    return both[:, :-1], both[:, -1]


def _energy(regressor: Regressor, model: IdentificationModel, segment: Segment) -> tuple[Array, Array]:
    """Return rows in which the work of the motors equals the change of h K plus the friction losses (3.111)."""
    qd, tau = regressor.of_rows(segment.qd), _torques(segment)
    first, last, _ = segment.kept.indices(len(qd))
    ends = np.arange(first, last, max(1, round(_WINDOW / segment.step)))
    W = np.zeros((len(ends) - 1, len(regressor.names)))
    for _, column, values in regressor.evaluated(model, "h", segment):
        W[:, column] += np.diff(values[ends])
    for entry in regressor.drive_entries(segment):
        W[:, entry.column] += _integrals(qd[:, entry.joint] * entry.values, segment.step, ends)
    return W, _integrals(np.sum(qd * tau, axis=1), segment.step, ends)


def _filtered(regressor: Regressor, model: IdentificationModel, segment: Segment) -> tuple[Array, Array]:
    """Return the filtered rows of tau = (d/dt D1 + D2) K; the torques are those of the motion."""
    first, second = (regressor.evaluated(model, group, segment) for group in ("D1", "D2"))
    slopes = segment.slopes(np.column_stack([values for _, _, values in first]))
    others = [*second, *((e.joint, e.column, e.values) for e in regressor.drive_entries(segment))]
    plain = segment.sampled(np.column_stack([values for _, _, values in others]))
    W = np.zeros((len(plain), len(regressor.joints), len(regressor.names)))
    for entries, table in ((first, slopes), (others, plain)):
        for n, (row, column, _) in enumerate(entries):
            W[:, row, column] += table[:, n]
    return W, np.empty(0)


def _torques(segment: Segment) -> Array:
    if segment.tau is None:
        raise InputError("motion: expected torques on the fine time grid, found samples only: use prepare(log)")
    return segment.tau


def _integrals(values: Array, step: float, ends: NDArray[np.int_]) -> Array:
    """Integrate between consecutive `ends` by the trapezoidal rule."""
    sums = np.concatenate([[0.0], np.cumsum((values[1:] + values[:-1]) / 2)]) * step
    return np.diff(sums[ends])


_ROWS = {"power": _power, "energy": _energy, "filtered": _filtered}
