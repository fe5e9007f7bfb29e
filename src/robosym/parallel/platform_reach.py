"""`dexterity` of a parallel robot at any poses, and `workspace`: what it reaches on a grid, and how well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from robosym.description import Parallel
from robosym.errors import InputError
from robosym.parallel.conditioning import Conditioning, poses_given
from robosym.parallel.platform_poses import pose_matrices, pose_rows
from robosym.parallel.reference import numeric_reference

__all__ = ["Reach", "dexterity", "workspace"]

Array = np.ndarray[Any, np.dtype[Any]]
_SHIFTS, _TURNS = ("x", "y", "z"), ("roll", "pitch", "yaw")


def dexterity(
    robot: Parallel, poses: Any, modes: Sequence[int] | None = None, parameters: Mapping[str, float] | None = None,
    length: float | None = None,
) -> Array:  # fmt: skip
    """Smallest over largest singular value of J_p^-1 at poses (..., 12) or (..., 4, 4): 1 where all directions are
    alike, 0 where the robot is singular, NaN where a leg does not reach.

    Turns are compared with shifts by `length`, by default the size of the platform.
    """
    return Conditioning(robot, modes, parameters, length).measures(poses_given(poses)).dexterity


@dataclass(frozen=True)
class Reach:
    """A grid of poses: `axes` by name, in the order of the arrays' axes."""

    axes: dict[str, Array]
    poses: Array  #: (..., 12)
    reached: Array
    dexterity: Array  #: NaN out of reach
    type1: Array  #: (..., motors)
    type2: Array

    @property
    def share(self) -> float:
        """The part of the grid that is reached."""
        return float(self.reached.mean())

    @property
    def volume(self) -> float:
        """What a point of the grid stands for, times the number of those that are reached."""
        steps = [float(np.ptp(values)) / (len(values) - 1) for values in self.axes.values() if len(values) > 1]
        return float(np.prod(steps)) * int(self.reached.sum())

    @property
    def conditioning(self) -> float:
        """The mean dexterity of what is reached (the global conditioning index)."""
        return float(np.nanmean(self.dexterity)) if self.reached.any() else 0.0

    def report(self) -> str:
        """In words."""
        what = " x ".join(f"{len(values)} {name}" for name, values in self.axes.items())
        text = f"{what}: {int(self.reached.sum())} of {self.reached.size} poses within reach ({100 * self.share:.1f} %)"
        if not self.reached.any():
            return text
        best = np.unravel_index(int(np.nanargmax(self.dexterity)), self.dexterity.shape)
        where = ", ".join(
            f"{name} = {values[i]:.4g}" for (name, values), i in zip(self.axes.items(), best, strict=True)
        )
        low, high = float(np.nanmin(self.dexterity)), float(np.nanmax(self.dexterity))
        return f"{text}\ndexterity {low:.4g} to {high:.4g}, mean {self.conditioning:.4g}, best at {where}"

    __str__ = report


def workspace(
    robot: Parallel, x: Any = None, y: Any = None, z: Any = None, roll: Any = None, pitch: Any = None, yaw: Any = None,
    pose: Any = None, modes: Sequence[int] | None = None, parameters: Mapping[str, float] | None = None,
    length: float | None = None,
) -> Reach:  # fmt: skip
    """What the robot reaches on a grid of positions and orientations of its platform, and how well.

    An axis is the values that it has. R is Rz(yaw) Ry(pitch) Rx(roll) times that of `pose`; what has no axis is as in
    `pose`, by default the reference position. A platform whose orientation depends on its position reaches nothing on
    a grid that does not: give its poses to `dexterity`.
    """
    given = {"x": x, "y": y, "z": z, "roll": roll, "pitch": pitch, "yaw": yaw}
    axes = {name: _axis(name, values) for name, values in given.items() if values is not None}
    if not axes:
        raise InputError("expected values for one of x, y, z, roll, pitch, yaw at least, found none")
    start = _start(robot, pose)
    grid = dict(zip(axes, np.meshgrid(*axes.values(), indexing="ij"), strict=True))
    shape = next(iter(grid.values())).shape
    T = np.broadcast_to(pose_matrices(start), (*shape, 4, 4)).copy()
    for place, name in enumerate(_SHIFTS):
        if name in grid:
            T[..., place, 3] = grid[name]
    R = np.broadcast_to(np.eye(3), (*shape, 3, 3))
    for axis, name in reversed(list(enumerate(_TURNS))):
        if name in grid:
            R = R @ _turned(axis, grid[name])
    T[..., :3, :3] = R @ T[..., :3, :3]
    poses = pose_rows(T)
    m = Conditioning(robot, modes, parameters, length).measures(poses)
    return Reach(axes, poses, m.reached, m.dexterity, m.type1, m.type2)


def _axis(name: str, values: Any) -> Array:
    try:
        found = np.atleast_1d(np.asarray(values, dtype=float))
    except (TypeError, ValueError):
        raise InputError(f"{name}: expected numbers, found {values!r}") from None
    if found.ndim != 1 or not len(found) or not np.isfinite(found).all():
        raise InputError(f"{name}: expected a list of finite numbers, found {values!r}")
    return found


def _start(robot: Parallel, pose: Any) -> Array:
    if pose is not None:
        start = poses_given(pose)
        if start.ndim != 1:
            raise InputError(f"pose: expected one pose (12,) or (4, 4), found an array of shape {start.shape}")
        return start
    reference = numeric_reference(robot) if isinstance(robot, Parallel) else None
    if reference is not None:
        return np.array([*reference.samples[0].pose_values.values()])
    return pose_rows(np.eye(4))


def _turned(axis: int, angles: Array) -> Array:
    c, s = np.cos(angles), np.sin(angles)
    R = np.broadcast_to(np.eye(3), (*angles.shape, 3, 3)).copy()
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    R[..., i, i], R[..., j, j], R[..., i, j], R[..., j, i] = c, c, -s, s
    return R
