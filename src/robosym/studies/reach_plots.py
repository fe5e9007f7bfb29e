"""Plots of a workspace: quantities over one or two axes, slices over three, and the surface."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from robosym.algebra.arrays import Array
from robosym.algebra.tolerances import TINY
from robosym.drawing.axes import MapAxis
from robosym.drawing.canvas import Canvas
from robosym.drawing.charts import curves
from robosym.drawing.maps import maps, surface
from robosym.errors import InputError, closest
from robosym.studies.reach_conditions import bounds_of_efforts
from robosym.studies.reach_files import boundary

if TYPE_CHECKING:
    from robosym.studies.platform_workspace import Reach

__all__ = ["plotted", "quantity_of"]

_UNITS = {"x": "m", "y": "m", "z": "m", "roll": "rad", "pitch": "rad", "yaw": "rad"}
_LABELS = {
    "dexterity": "dexterity", "type1": "distance from type 1", "type2": "distance from type 2",
    "stiffness": "smallest stiffness", "force": "largest force [N]", "isotropy": "isotropy",
}  # fmt: skip
_SLICES = 6
_ZERO = 1e-9  #: relative size of a row without translation
_PARALLEL = 1e-12  #: component of a unit vector that is zero


def quantity_of(reach: Reach, quantity: str) -> Array:
    """Return a quantity on the grid, NaN where a pose is not reached."""
    if quantity not in _LABELS:
        known = (*_LABELS, "surface")
        raise InputError(f"quantity: expected {', '.join(known)}, found {quantity!r}{closest(quantity, known)}")
    if quantity in ("dexterity", "type2"):
        return np.asarray(getattr(reach, quantity))
    if quantity == "type1":
        return np.asarray(reach.type1.min(axis=-1))
    conditioning = reach.conditions.conditioning
    W, E, regular = conditioning.matrices(reach.poses[reach.reached])
    E = E * np.array([1, 1, 1, *3 * [conditioning.length]])[None, :, None]
    Q, R = np.linalg.qr(np.where(regular[:, None, None], E, np.eye(6, E.shape[2])))
    W = np.linalg.solve(np.swapaxes(R, 1, 2), W)  # forces along orthonormal motions, moments divided by the length
    if quantity == "stiffness":  # of motors with unit stiffness: W W^T
        values = np.linalg.svd(W, compute_uv=False)[:, -1] ** 2
    elif quantity == "force":
        values = _largest_force(W, *(reach.conditions.efforts or bounds_of_efforts(reach.conditions.robot, None)))
    else:
        moved = np.linalg.norm(Q[:, :3], axis=1) > _ZERO
        forces = np.einsum("nif,nfm->nim", Q[:, :3], W)
        sizes = np.linalg.svd(forces, compute_uv=False)
        rank = min(3, int(moved.sum(axis=1).max(initial=1)), sizes.shape[1])
        values = sizes[:, rank - 1] / np.maximum(sizes[:, 0], TINY)
    whole = np.full(reach.reached.shape, np.nan)
    whole[reach.reached] = np.where(regular, values, 0.0)
    return whole


def _largest_force(W: Array, low: Array, high: Array) -> Array:
    """Return the radius of the largest ball of forces around zero that efforts within bounds can exert."""
    from itertools import combinations

    from robosym.studies.reach_conditions import normal_of

    n, f, m = W.shape
    middle, half = (low + high) / 2, (high - low) / 2
    center, found = W @ middle, np.full(n, np.inf)
    for chosen in combinations(range(m), f - 1):
        normal = normal_of(W[:, :, list(chosen)])
        size = np.linalg.norm(normal, axis=1)
        spare = np.abs(np.einsum("nf,nfm->nm", normal, W)) @ half - np.abs(np.einsum("nf,nf->n", normal, center))
        with np.errstate(all="ignore"):
            found = np.where(size > _PARALLEL, np.minimum(found, spare / size), found)
    return np.asarray(np.where(np.isfinite(found), np.maximum(found, 0.0), 0.0))


def plotted(reach: Reach, quantity: str = "dexterity") -> Canvas:
    """Return the plot of a quantity, or of the surface."""
    robot = reach.conditions.robot.name
    if quantity == "surface":
        vertices, faces = boundary(reach)
        wide = [MapAxis(name, values, _UNITS[name]) for name, values in reach.axes.items() if len(values) > 1]
        return surface(f"{robot}: workspace", vertices, faces, wide)
    values = quantity_of(reach, quantity)
    axes = [MapAxis(name, v, _UNITS[name]) for name, v in reach.axes.items() if len(v) > 1]
    held = [f"{name} = {v[0]:g} {_UNITS[name]}" for name, v in reach.axes.items() if len(v) == 1]
    values = values.reshape([len(axis.values) for axis in axes])
    label = _LABELS[quantity]
    title = f"{robot}: {label.partition(' [')[0]}{', ' + ', '.join(held) if held else ''}"
    if not axes or len(axes) > 3:
        raise InputError(f"plot: expected a grid over one to three axes, found {len(axes)}")
    if len(axes) == 1:
        return curves(title, axes[0], {label.partition(" [")[0]: values}, label)
    if len(axes) == 2:
        return maps(title, axes[0], axes[1], {"": values}, label)
    third = axes[2]
    levels = np.flatnonzero(np.isfinite(values).any(axis=(0, 1)))
    levels = levels if len(levels) else np.arange(len(third.values))
    chosen = levels[np.unique(np.linspace(0, len(levels) - 1, min(_SLICES, len(levels))).round().astype(int))]
    panels = {f"{third.name} = {third.values[k]:.4g} {third.unit}": values[:, :, k] for k in chosen}
    return maps(title, axes[0], axes[1], panels, label)
