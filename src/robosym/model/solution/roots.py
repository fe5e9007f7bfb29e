"""Numerical solution of each form of equation on arrays.

The functions return `values` and `real` of shape (rows, branches), and `free` of shape (rows,). In a free row all
coefficients of the unknown are zero and any value is a solution; the value is 0 by convention. A coefficient is zero if
it is small relative to `scale`, its typical size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from robosym.algebra.samples import Array, evaluate_arrays
from robosym.algebra.tolerances import ROUNDING
from robosym.model.solution.steps import Step

__all__ = ["KERNELS", "Roots", "run", "strength"]

Roots = tuple[Array, Array, Array]
_TINY = 1e-10  #: relative to its typical size, a coefficient below this value is zero
_SLACK = 1e-7  #: tolerance beyond a double root within which a root counts as real
_BLUR = 1e-12  #: the same for small coefficients, relative to the square of their typical size
_PARALLEL = 1e-7  #: sine of the angle between two equations that are treated as dependent
_IMAGINARY = 1e-4  #: imaginary part that rounding may cause in a multiple root of higher degree
_WEAK = 1e-6  #: relative to its typical size, a divisor below this value is replaced by an alternative
_OFF_CIRCLE = 1e-3  #: distance from the unit circle that rounding may cause in a multiple root


def difference(c: Sequence[Array], scale: Array) -> Roots:
    """Return the unknown, c[0]."""
    (value,) = c
    return value[:, None], np.ones((len(value), 1), bool), np.zeros(len(value), bool)


def linear(c: Sequence[Array], scale: Array) -> Roots:
    """Solve c[0] + c[1] r = 0."""
    free = np.abs(c[1]) <= _TINY * scale
    value = np.where(free, 0.0, -c[0] / np.where(free, 1.0, c[1]))
    return value[:, None], np.ones((len(value), 1), bool), free


def sine(c: Sequence[Array], scale: Array) -> Roots:
    """Solve X S + Y C + Z = 0 (types 2, 9, 10)."""
    X, Y, Z = c
    h = np.hypot(X, Y)
    free = h <= _TINY * scale
    inside = (h - Z) * (h + Z)
    middle = np.arctan2(X, Y)
    swing = np.arctan2(np.sqrt(np.maximum(inside, 0)), -Z)
    values = np.where(free[:, None], 0.0, np.stack([middle + swing, middle - swing], axis=1))
    real = np.broadcast_to((inside >= -_SLACK * h * h)[:, None], values.shape).copy()
    real[free] = [True, False]
    return values, real, free


def pair(c: Sequence[Array], scale: Array) -> Roots:
    """Solve two equations X S + Y C + Z = 0 (type 3); if they are dependent, solve the larger one as type 2."""
    X1, Y1, Z1, X2, Y2, Z2 = c
    D = X1 * Y2 - X2 * Y1
    first, second = np.hypot(X1, Y1), np.hypot(X2, Y2)
    larger = np.maximum(first, second)
    weak = (np.abs(D) <= _PARALLEL * larger**2) | (larger <= _TINY * np.sqrt(scale))
    value = np.arctan2((Y1 * Z2 - Y2 * Z1) * np.sign(D), (X2 * Z1 - X1 * Z2) * np.sign(D))
    values = np.stack([value, value], axis=1)
    real = np.stack([np.ones(len(D), bool), np.zeros(len(D), bool)], axis=1)
    free = np.zeros(len(D), bool)
    rows = np.flatnonzero(weak)
    if len(rows):
        former = (first >= second)[rows]
        chosen = [np.where(former, a[rows], b[rows]) for a, b in ((X1, X2), (Y1, Y2), (Z1, Z2))]
        values[rows], real[rows], free[rows] = sine(chosen, np.sqrt(scale[rows]))
    return values, real, free


def polynomial(c: Sequence[Array], scale: Array) -> Roots:
    """Solve sum of c[k] r^k = 0, where leading coefficients may be zero."""
    p = np.stack([np.asarray(x, dtype=float) for x in c], axis=1)
    rows, size = p.shape
    values, real = np.zeros((rows, size - 1)), np.zeros((rows, size - 1), bool)
    biggest = np.abs(p[:, 1:]).max(axis=1)
    free = biggest <= _TINY * scale
    real[free, 0] = True
    lead = np.abs(p[:, :]) > ROUNDING * np.abs(p).max(axis=1)[:, None]
    degrees = size - 1 - np.argmax(lead[:, ::-1], axis=1)
    for degree in range(1, size):
        where = np.flatnonzero(~free & (degrees == degree))
        if not len(where):
            continue
        q = p[where, : degree + 1]
        if degree == 2:
            c0, c1, c2 = q.T
            inside = c1 * c1 - 4 * c0 * c2
            half = -(c1 + np.copysign(np.sqrt(np.maximum(inside, 0)), c1)) / 2
            zero = half == 0
            found = np.stack([half / c2, np.where(zero, 0.0, c0 / np.where(zero, 1.0, half))], axis=1)
            slack = _SLACK * (c1 * c1 + np.abs(4 * c0 * c2)) + _BLUR * scale[where] ** 2
            good = np.broadcast_to((inside >= -slack)[:, None], found.shape)
        else:
            roots = _roots(q)
            found, good = roots.real, np.abs(roots.imag) <= _IMAGINARY * (1 + np.abs(roots.real))
        values[where, :degree], real[where, :degree] = found, good
    return values, real, free


def _roots(p: Array) -> Array:
    """Return the roots of polynomials of the same degree, constant terms first; shape (rows, degree)."""
    degree = p.shape[1] - 1
    companion = np.zeros((len(p), degree, degree), dtype=p.dtype)
    companion[:, np.arange(1, degree), np.arange(degree - 1)] = 1
    companion[:, :, -1] = -p[:, :-1] / p[:, -1:]
    return np.asarray(np.linalg.eigvals(companion))


def sine2(c: Sequence[Array], scale: Array) -> Roots:
    """Solve c0 C^2 + c1 C S + c2 C + c3 S + c4 = 0.

    The roots on the unit circle of a quartic in z = exp(i t) are the solutions.
    """
    c0, c1, c2, c3, c4 = (np.asarray(x, dtype=float) for x in c)
    p = np.stack(
        [(c0 + 1j * c1) / 4, (c2 + 1j * c3) / 2, c0 / 2 + c4 + 0j, (c2 - 1j * c3) / 2, (c0 - 1j * c1) / 4], axis=1
    )
    rows = len(p)
    values, real = np.zeros((rows, 4)), np.zeros((rows, 4), bool)
    free = np.abs(np.stack([c0, c1, c2, c3])).max(axis=0) <= _TINY * scale
    real[free, 0] = True
    flat = np.abs(p[:, 0]) <= ROUNDING * np.abs(p).max(axis=1)
    where = np.flatnonzero(~free & flat)  # equations of first degree
    if len(where):
        values[where, :2], real[where, :2], _ = sine([c3[where], c2[where], (c0 / 2 + c4)[where]], 0 * scale[where])
    where = np.flatnonzero(~free & ~flat)
    if len(where):
        roots = _roots(p[where])
        values[where], real[where] = np.angle(roots), np.abs(np.abs(roots) - 1) <= _OFF_CIRCLE
    return values, real, free


def strength(form: str, c: Sequence[Array]) -> Array:
    """Return the magnitude of the divisor of a solution, or of all coefficients of a polynomial.

    If the magnitude is small, an alternative equation is preferable.
    """
    if form == "pair":
        return np.asarray(np.abs(c[0] * c[4] - c[1] * c[3]))
    if form == "sine":
        return np.asarray(np.hypot(c[0], c[1]))
    if form == "linear":
        return np.asarray(np.abs(c[1]))
    return np.asarray(np.abs(np.stack(np.broadcast_arrays(*c))).max(axis=0))


KERNELS = {
    "difference": difference,
    "linear": linear,
    "sine": sine,
    "pair": pair,
    "quadratic": polynomial,
    "quartic": polynomial,
    "sine2": sine2,
}


def run(
    steps: Sequence[Step], inputs: Mapping[str, Array], count: int, scales: Sequence[Sequence[float]] | None = None
) -> tuple[Array, dict[str, Array], Array]:
    """Compute all branches of the program for `count` poses.

    Returns the index of the pose of each row, the values of all unknowns, and the poses with a degenerate step.
    """
    pose = np.arange(count)
    suspect = np.zeros(count, bool)
    values: dict[str, Array] = {name: np.broadcast_to(value, (count,)) for name, value in inputs.items()}
    for number, step in enumerate(steps):
        flat = evaluate_arrays([c for equation in step.coefficients for c in equation], values)
        flat = [np.broadcast_to(np.asarray(value, dtype=float), (len(pose),)) for value in flat]
        width = len(step.coefficients[0])
        scale = scales[number] if scales is not None else step.scales
        chosen = [np.array(value) for value in flat[:width]]
        usual: Array = np.full(len(pose), scale[0])
        best = strength(step.form, chosen) / scale[0]
        for k in range(1, len(step.coefficients)):
            other = flat[k * width : (k + 1) * width]
            power = strength(step.form, other) / scale[k]
            better = (best < _WEAK) & (power > best)
            if better.any():
                for target, source in zip(chosen, other, strict=True):
                    target[better] = source[better]
                best, usual = np.where(better, power, best), np.where(better, scale[k], usual)
        with np.errstate(all="ignore"):
            roots, real, _ = KERNELS[step.form](chosen, usual)
        suspect[pose[(best < _WEAK)]] = True
        rows, branches = np.nonzero(real & np.isfinite(roots))
        pose = pose[rows]
        values = {name: value[rows] for name, value in values.items()}
        values[step.joint] = roots[rows, branches]
    return pose, values, suspect
