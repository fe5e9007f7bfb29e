"""Physically consistent standard parameters that fit an estimate and stay close to a prior.

The inertia of a link is physically consistent if its pseudo-inertia, the second moment of its mass in homogeneous
coordinates, is positive definite (Wensing, Kim and Slotine 2018). This is a linear matrix inequality in the standard
parameters. The fit is a quadratic function of them through the base parameters, so the problem is a small convex
program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from robosym.algebra import evaluate, numeric_value
from robosym.algebra.arrays import Array
from robosym.algebra.once import FrozenDict
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.parameters import base_parameters
from robosym.parameters.standard import Parameter

if TYPE_CHECKING:
    from robosym.experiment.estimate import Estimate

__all__ = ["consistent", "pseudo_inertia"]

_LEAST_SPREAD = 1e-30  #: lower bound of the variance: a perfect fit would get an infinite weight
_SIZES = {"M": 1.0, "MX": 0.1, "MY": 0.1, "MZ": 0.1, "IA": 0.1}  #: typical for a link of an arm; inertias 0.05
_PULL = 1e-4  #: weight of the prior: one typical size away from it costs as much as 0.01 std. dev. in the data
_LEAST = 1e-6  #: smallest allowed eigenvalue of a pseudo-inertia


def pseudo_inertia(link: Mapping[str, float]) -> Array:
    """Return the 4 x 4 pseudo-inertia from XX .. ZZ about the frame origin, MX, MY, MZ and M.

    Missing entries count as zero.
    """
    xx, xy, xz, yy, yz, zz = (link.get(name, 0.0) for name in ("XX", "XY", "XZ", "YY", "YZ", "ZZ"))
    x, y, z, m = (link.get(name, 0.0) for name in ("MX", "MY", "MZ", "M"))
    half = (xx + yy + zz) / 2
    return np.array(
        [[half - xx, -xy, -xz, x], [-xy, half - yy, -yz, y], [-xz, -yz, half - zz, z], [x, y, z, m]], dtype=float
    )


def consistent(found: Estimate, prior: Robot | None) -> Estimate:
    """Return the estimate with physically consistent inertias and nonnegative friction and rotor inertias.

    Where the data do not determine a parameter, it stays close to the prior.
    """
    try:
        clarabel, sparse = import_module("clarabel"), import_module("scipy.sparse")
    except ImportError:
        raise InputError(
            "consistent: clarabel or scipy is not installed: run pip install robosym[consistency]"
        ) from None
    if "pose" in found.regressor.model.inputs:
        raise InputError("consistent: expected a robot in joint coordinates, found a platform: use robot.to_closed()")
    base = base_parameters(found.regressor.robot)
    parameters = base.standard.inertial
    matrix = np.asarray(base.matrix)
    if matrix.dtype == object:
        raise InputError("consistent: expected numbers for the lengths and angles of the robot, found symbols")
    n, apart = len(parameters), [name for name in found.names if name not in base.names]
    T = np.zeros((len(found.names), n + len(apart)))
    for at, name in enumerate(found.names):
        if name in base.names:
            T[at, :n] = matrix[base.names.index(name)]
        else:
            T[at, n + apart.index(name)] = 1
    fit, target = _least_squares(found, T, _given(prior, parameters), parameters)
    conditions, bounds, cones = _conditions(clarabel, parameters, apart)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    programme = clarabel.DefaultSolver(
        sparse.csc_matrix(np.triu(fit.T @ fit)), -fit.T @ target, sparse.csc_matrix(conditions), bounds, cones, settings
    )
    solution = programme.solve()
    if "Solved" not in str(solution.status):
        raise InputError(
            f"consistent: the solver found no solution ({solution.status}): check that the prior is physically "
            "consistent"
        )
    z = np.array(solution.x)
    standard = {p.place: float(value) for p, value in zip(parameters, z, strict=False)}
    for link in sorted({p.link for p in parameters}):
        body = {field: value for (j, field), value in standard.items() if j == link}
        if np.linalg.eigvalsh(pseudo_inertia(body))[0] <= 0:
            raise InputError(
                f"consistent: link {link}: the solver returned a pseudo-inertia that is not positive definite"
            )
    result = replace(found, values=T @ z, method=f"{found.method}, consistent", standard=FrozenDict(standard))
    return result.with_fit_errors()


def _least_squares(found: Estimate, T: Array, given: Array, parameters: Sequence[Parameter]) -> tuple[Array, Array]:
    """Return matrix and right side of the least-squares problem: scaled data and a weak pull towards the prior."""
    W, y = found.data.R[:, :-1], found.data.R[:, -1]
    free = max(found.data.rows - len(found.names), 1)
    spread = max(float(np.linalg.norm(y - W @ found.values)) ** 2 / free, _LEAST_SPREAD)
    sizes = np.array([max(abs(v), _SIZES.get(p.field, 0.05)) for v, p in zip(given, parameters, strict=True)])
    pull = np.zeros((len(given), T.shape[1]))
    np.fill_diagonal(pull, np.sqrt(_PULL) / sizes)
    fit = np.concatenate([W @ T / np.sqrt(spread), pull])
    return fit, np.concatenate([y / np.sqrt(spread), np.sqrt(_PULL) * given / sizes])


def _conditions(clarabel: Any, parameters: Sequence[Parameter], apart: Sequence[str]) -> tuple[Array, Array, list[Any]]:
    """Return the constraints as cones of Clarabel: nonnegative rotors and friction, positive pseudo-inertias."""
    n = len(parameters)
    conditions, bounds, cones = [], [], []
    positive = [at for at, p in enumerate(parameters) if p.field == "IA"]
    positive += [n + at for at, name in enumerate(apart) if name.startswith(("FV", "FS", "IA"))]
    if positive:
        conditions.append(-np.eye(n + len(apart))[positive])
        bounds.append(np.zeros(len(positive)))
        cones.append(clarabel.NonnegativeConeT(len(positive)))
    for link in sorted({p.link for p in parameters}):
        block = np.zeros((10, n + len(apart)))
        for at, p in enumerate(parameters):
            if p.link == link and p.field != "IA":
                block[:, at] = _upper(pseudo_inertia({p.field: 1.0}))
        conditions.append(-block)
        bounds.append(-_upper(_LEAST * np.eye(4)))
        cones.append(clarabel.PSDTriangleConeT(4))
    return np.concatenate(conditions), np.concatenate(bounds), cones


def _given(prior: Robot | None, parameters: Sequence[Parameter]) -> Array:
    """Return the standard parameters of the prior; parameters without a prior are zero."""
    if prior is None:
        return np.zeros(len(parameters))
    values = []
    for p in parameters:
        if not 1 <= p.link <= prior.NL:
            raise InputError(
                f"consistent: prior: expected a robot with the same links, found {prior.NL} links in {prior.name}"
            )
        entry = getattr(prior.link(p.link), p.field)
        values.append(evaluate([entry], {})[0] if numeric_value(entry) is not None else 0.0)
    return np.array(values)


def _upper(matrix: Array) -> Array:
    """Return the upper triangle by columns, off-diagonal entries times sqrt(2), which preserves scalar products."""
    return np.array([matrix[i, j] * (1 if i == j else np.sqrt(2)) for j in range(4) for i in range(j + 1)])
