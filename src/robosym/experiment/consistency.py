"""Standard parameters that bodies of matter can have, near a prior and with the fit of an estimate.

A link can exist if its pseudo-inertia, the second moment of its mass in homogeneous coordinates, is positive definite
(Wensing, Kim and Slotine 2018): a linear matrix inequality in the standard parameters. The fit is a quadratic function
of them through the base parameters, so both together are one small convex programme.
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

_LEAST_SPREAD = 1e-30  #: a perfect fit would get an endless weight


_SIZES = {"M": 1.0, "MX": 0.1, "MY": 0.1, "MZ": 0.1, "IA": 0.1}  #: of a link of a usual arm; its inertia 0.05
_PULL = 1e-4  #: of the prior: a parameter its own size away weighs as a hundredth of a deviation in the data
_LEAST = 1e-6  #: least eigenvalue of a pseudo-inertia


def pseudo_inertia(link: Mapping[str, float]) -> Array:
    """From XX .. ZZ about the origin of the frame, MX, MY, MZ and M; what is not given is zero."""
    xx, xy, xz, yy, yz, zz = (link.get(name, 0.0) for name in ("XX", "XY", "XZ", "YY", "YZ", "ZZ"))
    x, y, z, m = (link.get(name, 0.0) for name in ("MX", "MY", "MZ", "M"))
    half = (xx + yy + zz) / 2
    return np.array(
        [[half - xx, -xy, -xz, x], [-xy, half - yy, -yz, y], [-xz, -yz, half - zz, z], [x, y, z, m]], dtype=float
    )


def consistent(found: Estimate, prior: Robot | None) -> Estimate:
    """The estimate whose links can exist, friction and rotors not negative, near the prior where data say nothing."""
    try:
        clarabel, sparse = import_module("clarabel"), import_module("scipy.sparse")
    except ImportError:
        raise InputError("consistent needs clarabel and scipy: pip install robosym[consistency]") from None
    if "pose" in found.regressor.model.inputs:
        raise InputError("consistent: expected a robot of links and joints: robot.to_closed() makes one of it")
    base = base_parameters(found.regressor.robot)
    parameters = base.standard.inertial
    matrix = np.asarray(base.matrix)
    if matrix.dtype == object:
        raise InputError("consistent: expected numbers for the lengths and angles of the robot")
    n, apart = len(parameters), [name for name in found.names if name not in base.names]
    T = np.zeros((len(found.names), n + len(apart)))
    for at, name in enumerate(found.names):
        if name in base.names:
            T[at, :n] = matrix[base.names.index(name)]
        else:
            T[at, n + apart.index(name)] = 1
    fit, target = _programme(found, T, _given(prior, parameters), parameters)
    conditions, bounds, cones = _conditions(clarabel, parameters, apart)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    programme = clarabel.DefaultSolver(
        sparse.csc_matrix(np.triu(fit.T @ fit)), -fit.T @ target, sparse.csc_matrix(conditions), bounds, cones, settings
    )
    solution = programme.solve()
    if "Solved" not in str(solution.status):
        raise InputError(f"consistent: no parameters were found ({solution.status}); is the prior a body of matter?")
    z = np.array(solution.x)
    standard = {p.place: float(value) for p, value in zip(parameters, z, strict=False)}
    for link in sorted({p.link for p in parameters}):
        body = {field: value for (j, field), value in standard.items() if j == link}
        if np.linalg.eigvalsh(pseudo_inertia(body))[0] <= 0:
            raise InputError(f"consistent: link {link} came out without a positive pseudo-inertia")
    result = replace(found, values=T @ z, method=f"{found.method}, consistent", standard=FrozenDict(standard))
    return result.judged()


def _programme(found: Estimate, T: Array, given: Array, parameters: Sequence[Parameter]) -> tuple[Array, Array]:
    """Rows and right sides of least squares: data over their deviation, and a weak pull towards the given values."""
    W, y = found.data.R[:, :-1], found.data.R[:, -1]
    free = max(found.data.rows - len(found.names), 1)
    spread = max(float(np.linalg.norm(y - W @ found.values)) ** 2 / free, _LEAST_SPREAD)
    sizes = np.array([max(abs(v), _SIZES.get(p.field, 0.05)) for v, p in zip(given, parameters, strict=True)])
    pull = np.zeros((len(given), T.shape[1]))
    np.fill_diagonal(pull, np.sqrt(_PULL) / sizes)
    fit = np.concatenate([W @ T / np.sqrt(spread), pull])
    return fit, np.concatenate([y / np.sqrt(spread), np.sqrt(_PULL) * given / sizes])


def _conditions(clarabel: Any, parameters: Sequence[Parameter], apart: Sequence[str]) -> tuple[Array, Array, list[Any]]:
    """Rotors and friction that are not negative, and a positive pseudo-inertia of each link, as cones of Clarabel."""
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
    """Standard parameters of the prior, zero where it has none."""
    if prior is None:
        return np.zeros(len(parameters))
    values = []
    for p in parameters:
        if not 1 <= p.link <= prior.NL:
            raise InputError(f"consistent: prior: expected the links of the robot, found {prior.NL} in {prior.name}")
        entry = getattr(prior.link(p.link), p.field)
        values.append(evaluate([entry], {})[0] if numeric_value(entry) is not None else 0.0)
    return np.array(values)


def _upper(matrix: Array) -> Array:
    """The upper triangle column by column, sides times sqrt(2): the scalar product of matrices is that of vectors."""
    return np.array([matrix[i, j] * (1 if i == j else np.sqrt(2)) for j in range(4) for i in range(j + 1)])
