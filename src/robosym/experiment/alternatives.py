"""Energy, power and filtered models in place of the dynamic one (guide 3.6.3.2, 3.113, 3.6.3.3).

Each gives rows for least squares.

The power and the energy of all joints together are one row each; neither needs to know where a joint is at rest, since
friction takes no power there. The energy and the filtered model need no accelerations.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.arrays import Array
from robosym.errors import InputError
from robosym.experiment.least_squares import Triangle, compressed
from robosym.experiment.prepare import Motion, Stretch
from robosym.experiment.regressor import Regressor
from robosym.mechanism import Robot
from robosym.parameters import IdentificationModel, energy_identification, filtered_identification, power_identification

__all__ = ["MODELS", "rows_of"]


_WINDOW = 0.2  #: seconds over which a difference of energy is taken
_MAKE: dict[str, Callable[..., IdentificationModel]] = {
    "power": power_identification, "energy": energy_identification, "filtered": filtered_identification,
}  # fmt: skip
MODELS = ("dynamic", *_MAKE)


@lru_cache(maxsize=8)
def _model(robot: Robot, name: str) -> IdentificationModel:
    return _MAKE[name](robot, base_parameters=True, friction=False)


def rows_of(regressor: Regressor, motion: Motion, name: str) -> list[Triangle]:
    """The triangles of an alternative model along a motion: one, or of the filtered model one a joint."""
    model = _model(regressor.robot, name)
    if tuple(model.columns) != regressor.names[: regressor.inertial]:
        raise InputError(f"model {name!r}: {regressor.robot.name} has other parameters in it")
    if regressor.friction.load:
        raise InputError(f"model {name!r}: expected friction that does not depend on load")
    parts = [_ROWS[name](regressor, model, stretch) for stretch in motion.stretches]
    if name != "filtered":
        return [compressed(np.concatenate([W for W, _ in parts]), np.concatenate([y for _, y in parts]))]
    W = np.concatenate([W for W, _ in parts])
    moves = motion.moving
    return [compressed(W[moves[:, j], j], motion.tau[moves[:, j], j]) for j in range(len(regressor.joints))]


def _power(regressor: Regressor, model: IdentificationModel, stretch: Stretch) -> tuple[Array, Array]:
    """qd . tau = dh K (3.113), both through the filter."""
    qd, tau = regressor.of_rows(stretch.qd), _torques(stretch)
    W = np.zeros((len(qd), len(regressor.names)))
    for _, column, values in regressor.evaluated(model, "dh", stretch):
        W[:, column] += values
    for entry in regressor.drive_entries(stretch):
        W[:, entry.column] += qd[:, entry.joint] * entry.values
    both = stretch.sampled(np.column_stack([W, np.sum(qd * tau, axis=1)]))
    return both[:, :-1], both[:, -1]


def _energy(regressor: Regressor, model: IdentificationModel, stretch: Stretch) -> tuple[Array, Array]:
    """The work of the motors is the difference of h K and what friction took (3.111)."""
    qd, tau = regressor.of_rows(stretch.qd), _torques(stretch)
    first, last, _ = stretch.kept.indices(len(qd))
    ends = np.arange(first, last, max(1, round(_WINDOW / stretch.step)))
    W = np.zeros((len(ends) - 1, len(regressor.names)))
    for _, column, values in regressor.evaluated(model, "h", stretch):
        W[:, column] += np.diff(values[ends])
    for entry in regressor.drive_entries(stretch):
        W[:, entry.column] += _integrals(qd[:, entry.joint] * entry.values, stretch.step, ends)
    return W, _integrals(np.sum(qd * tau, axis=1), stretch.step, ends)


def _filtered(regressor: Regressor, model: IdentificationModel, stretch: Stretch) -> tuple[Array, Array]:
    """tau = (d/dt D1 + D2) K, through the filter; torques are those of the motion."""
    first, second = (regressor.evaluated(model, group, stretch) for group in ("D1", "D2"))
    slopes = stretch.slopes(np.column_stack([values for _, _, values in first]))
    others = [*second, *((e.joint, e.column, e.values) for e in regressor.drive_entries(stretch))]
    plain = stretch.sampled(np.column_stack([values for _, _, values in others]))
    W = np.zeros((len(plain), len(regressor.joints), len(regressor.names)))
    for entries, table in ((first, slopes), (others, plain)):
        for n, (row, column, _) in enumerate(entries):
            W[:, row, column] += table[:, n]
    return W, np.empty(0)


def _torques(stretch: Stretch) -> Array:
    if stretch.tau is None:
        raise InputError("expected a motion with torques between its samples: prepare(log) makes one")
    return stretch.tau


def _integrals(values: Array, step: float, ends: NDArray[np.int_]) -> Array:
    """Between ends, by the rule of trapezia."""
    sums = np.concatenate([[0.0], np.cumsum((values[1:] + values[:-1]) / 2)]) * step
    return np.diff(sums[ends])


_ROWS = {"power": _power, "energy": _energy, "filtered": _filtered}
