"""Weighted nonlinear least squares of geometric errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from robosym.algebra.samples import Array
from robosym.algebra.subspaces import independent_columns
from robosym.algebra.tolerances import CLOSED, TINY
from robosym.errors import InputError
from robosym.experiment.calibration_data import CalibrationData
from robosym.parameters.geometric.error_parameters import ErrorParameter
from robosym.parameters.geometric.setting import Setting

__all__ = ["CalibrationFit", "fitted", "residuals"]

_ROUNDS = 60  #: maximum number of Gauss-Newton steps
_WEIGHINGS = 4  #: rounds that estimate the standard deviations of the residuals again
_STEADY = 0.01  #: change of a standard deviation that makes no difference
_SETTLED = 1e-9  #: a step this small in parts of the standard deviations ends the iteration
_HALVINGS = 12
_HIDDEN = 1e-6  #: a column with a smaller share that is independent of others is not estimated
_ROBUST = {"huber": 1.345, "cauchy": 2.385}  #: 95 % efficiency for normal residuals
_SIGMA = 1.4826  #: standard deviation of normal residuals over the median of their magnitudes
_LEAST = 1e-12  #: standard deviation of perfect data, in m and rad, which are not weighted more


@dataclass(frozen=True)
class CalibrationFit:
    """Estimated errors and the remaining residuals."""

    setting: Setting  #: with the estimated errors only
    values: Array
    covariance: Array
    residuals: Array  #: measured minus computed, (m, rows), in the units of the measurement
    sigma: Mapping[str, float]  #: standard deviation by unit
    weights: Array  #: weight of each row by the robust loss, (m, rows)
    condition: float  #: condition number of the weighted Jacobian with columns of unit length
    hidden: tuple[str, ...] = ()  #: parameters that these measurements do not determine
    rounds: int = 0

    @property
    def parameters(self) -> tuple[ErrorParameter, ...]:
        """The estimated errors."""
        return self.setting.parameters

    @property
    def deviations(self) -> Array:
        """Standard deviations of the values."""
        return np.asarray(np.sqrt(np.maximum(np.diagonal(self.covariance), 0.0)))

    @property
    def units(self) -> tuple[str, ...]:
        """Unit of each row of the residuals."""
        return (*self.setting.measurement.units, *self.setting.sensor_units)

    def rms(self, table: Array | None = None) -> dict[str, float]:
        """Return the root mean square of the residuals by unit, each over all its rows."""
        table = self.residuals if table is None else table
        return {
            u: float(np.sqrt(np.mean(table[:, [v == u for v in self.units]] ** 2))) for u in dict.fromkeys(self.units)
        }


def residuals(setting: Setting, x: Array, data: CalibrationData, passive: Array) -> tuple[Array, Array, Array]:
    """Return measured minus computed values (m, rows), their Jacobian, and the passive joints."""
    posture = setting.kinematics.at(x, data.q, passive)
    left = setting.measurement.difference(posture.end, data.measured)
    rows = setting.rows(posture)
    found = posture.joints[:, setting.kinematics.passive_columns]
    if setting.sensors:
        turn = data.passive - found[:, setting.sensor_rows]
        left = np.concatenate([left, turn], axis=1)
    if posture.gap.max(initial=0.0) > CLOSED:
        left = np.full_like(left, np.inf)  # the loops do not close: a shorter step is tried
    return left, rows, found


def fitted(
    setting: Setting, data: CalibrationData, noise: Mapping[str, float] | None, loss: str = "linear"
) -> CalibrationFit:
    """Return the errors that fit the measurements best."""
    passive = data.start
    units = np.array((*setting.measurement.units, *setting.sensor_units))
    x = np.zeros(len(setting.parameters))
    first, rows, passive = residuals(setting, x, data, passive)
    _check_count(setting, first)
    kept, hidden = _seen(setting, rows, units)
    setting = setting.with_parameters([setting.parameters[n] for n in kept])
    x = np.zeros(len(kept))
    sigma = dict(noise) if noise else {u: setting.reach if u == "m" else 1.0 for u in dict.fromkeys(units.tolist())}
    rounds = 0
    weights = np.ones_like(first)
    for _ in range(1 if noise and loss == "linear" else _WEIGHINGS):
        scale = np.array([sigma[u] for u in units])
        x, passive, more = _gauss_newton(setting, x, data, passive, scale, weights)
        rounds += more
        left, rows, passive = residuals(setting, x, data, passive)
        old = sigma
        sigma = sigma if noise else _sigma(left, units, len(x), loss)
        weights = _weights(left / np.array([sigma[u] for u in units]), loss)
        if (loss == "linear" and len(sigma) == 1) or all(abs(sigma[u] / old[u] - 1) < _STEADY for u in sigma):
            break
    scale = np.array([sigma[u] for u in units])
    W = (rows / scale[:, None] * np.sqrt(weights)[..., None]).reshape(left.size, rows.shape[2])
    return CalibrationFit(setting, x, _covariance(W), left, sigma, weights, _condition(W), tuple(hidden), rounds)


def _check_count(setting: Setting, left: Array) -> None:
    if left.size <= len(setting.parameters):
        raise InputError(
            f"{setting.given.name}: expected more measured values than the {len(setting.parameters)} parameters, found "
            f"{left.size} in {len(left)} postures"
        )
    if not np.isfinite(left).all():
        raise InputError(f"{setting.given.name}: the loops cannot be closed at the measured positions")


def _seen(setting: Setting, rows: Array, units: Array) -> tuple[list[int], list[str]]:
    """Return the parameters that these measurements determine, and the names of the others."""
    if not setting.parameters:
        return [], []
    scale = np.where(units == "m", setting.reach, 1.0)
    table = (rows / scale[:, None]).reshape(-1, rows.shape[2])
    kept, _ = independent_columns(table, _HIDDEN)
    return kept, [p.name for n, p in enumerate(setting.parameters) if n not in kept]


def _gauss_newton(
    setting: Setting, x: Array, data: CalibrationData, passive: Array, scale: Array, weights: Array
) -> tuple[Array, Array, int]:
    """Minimize the weighted residuals; steps are halved until they reduce the sum of squares."""
    factor = np.sqrt(weights) / scale
    left, rows, passive = residuals(setting, x, data, passive)
    size = float(np.sum((left * factor) ** 2))
    for k in range(_ROUNDS if len(x) else 0):
        W = (rows * factor[..., None]).reshape(-1, len(x))
        lengths = np.maximum(np.linalg.norm(W, axis=0), TINY)
        Q, R = np.linalg.qr(W / lengths)
        step = np.linalg.solve(R, Q.T @ (left * factor).ravel()) / lengths
        part = 1.0
        for _ in range(_HALVINGS):
            tried, slopes, near = residuals(setting, x + part * step, data, passive)
            new = float(np.sum((tried * factor) ** 2)) if np.isfinite(tried).all() else np.inf
            if new <= size * (1 + _SETTLED):
                break
            part /= 2
        else:
            return x, passive, k
        x, left, rows, passive = x + part * step, tried, slopes, near
        done = size - new <= _SETTLED * max(size, TINY) or np.abs(step * lengths).max() < _SETTLED
        size = new
        if done:
            return x, passive, k + 1
    if len(x):
        raise InputError(
            f"{setting.given.name}: the calibration did not converge in {_ROUNDS} steps: the measurements do not fit "
            "the description, or its base and target are placed far off"
        )
    return x, passive, 0


def _sigma(left: Array, units: Array, count: int, loss: str) -> dict[str, float]:
    """Return the standard deviation of the residuals by unit, with the remaining degrees of freedom."""
    free = left.size / max(left.size - count, 1)
    found = {}
    for unit in dict.fromkeys(units.tolist()):
        own = left[:, units == unit]
        spread = (
            np.sqrt(free * np.mean(own**2)) if loss == "linear" else _SIGMA * np.sqrt(free) * np.median(np.abs(own))
        )
        found[unit] = max(float(spread), _LEAST)
    return found


def _weights(scaled: Array, loss: str) -> Array:
    if loss == "linear":
        return np.ones_like(scaled)
    part = np.abs(scaled) / _ROBUST[loss]
    return np.asarray(1 / np.maximum(part, 1.0) if loss == "huber" else 1 / (1 + part**2))


def _covariance(W: Array) -> Array:
    if not W.shape[1]:
        return np.zeros((0, 0))
    lengths = np.linalg.norm(W, axis=0)
    R = np.linalg.qr(W / lengths, mode="r")
    inverse = np.linalg.inv(R) / lengths[:, None]
    return np.asarray(inverse @ inverse.T)


def _condition(W: Array) -> float:
    if not W.shape[1]:
        return 1.0
    singular = np.linalg.svd(W / np.linalg.norm(W, axis=0), compute_uv=False)
    return float(singular[0] / singular[-1])
