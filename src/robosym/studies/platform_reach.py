"""`dexterity` of a parallel robot at any poses, and `workspace`: what it reaches on a grid, and how well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Union

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.samples import Array
from robosym.coordinates.platform_poses import poses_given
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.solve.pose_coordinates import COORDINATES, PoseCoordinates, start_pose
from robosym.studies.conditioning import Conditioning

__all__ = ["Reach", "dexterity", "workspace"]

Given = Union[ArrayLike, None]


def dexterity(
    robot: Robot, poses: ArrayLike, modes: Sequence[int] | None = None, parameters: Mapping[str, float] | None = None,
    length: float | None = None, limits: bool = False,
) -> Array:  # fmt: skip
    """Smallest over largest singular value of J_p^-1 at poses (..., 12) or (..., 4, 4): 1 where all directions are
    alike, 0 where the robot is singular, NaN where a leg does not reach.

    Turns are compared with shifts by `length`, by default the size of the platform. With `limits` a pose in which a
    joint is beyond its limits is out of reach too.
    """
    return Conditioning(robot, modes, parameters, length, limits).measures(poses_given(poses)).dexterity


@dataclass(frozen=True)
class Reach:
    """A grid of poses: `axes` by name, in the order of the arrays' axes."""

    axes: dict[str, Array]
    poses: Array  #: (..., 12)
    reached: Array
    dexterity: Array  #: NaN out of reach
    type1: Array  #: (..., motors)
    type2: Array
    beyond: Array  #: whether the legs reach the pose with a joint beyond its limits

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
        lost = int((self.beyond & ~self.reached).sum())
        text += f"; {lost} more only with joints beyond their limits" if lost else ""
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
    robot: Robot, x: Given = None, y: Given = None, z: Given = None, roll: Given = None, pitch: Given = None,
    yaw: Given = None, pose: Given = None, modes: Sequence[int] | None = None,
    parameters: Mapping[str, float] | None = None, length: float | None = None, limits: bool = True,
) -> Reach:  # fmt: skip
    """What the robot reaches on a grid of positions and orientations of its platform, and how well.

    An axis is the values that it has. R is Rz(yaw) Ry(pitch) Rx(roll) times that of `pose`; what has no axis is as in
    `pose`, by default the reference position, or follows from the legs where it depends on the rest: the orientation of
    a five-bar robot. Joints of motors, strokes and passive joints stay within their limits, unless `limits` is False.
    """
    given = dict(zip(COORDINATES, (x, y, z, roll, pitch, yaw), strict=True))
    axes = {name: _axis(name, values) for name, values in given.items() if values is not None}
    if not axes:
        raise InputError("expected values for one of x, y, z, roll, pitch, yaw at least, found none")
    conditioning = Conditioning(robot, modes, parameters, length, limits)
    grid = dict(zip(axes, np.meshgrid(*axes.values(), indexing="ij"), strict=True))
    shape = next(iter(grid.values())).shape
    coordinates = PoseCoordinates(robot, modes)
    start = start_pose(robot, pose, coordinates.reference)
    flat = {name: values.ravel() for name, values in grid.items()}
    rows = coordinates.poses(flat, start)
    rows = np.where(np.isfinite(rows), rows, coordinates.strict(flat, start))  # these are out of reach
    m = conditioning.measures(rows.reshape(*shape, 12))
    return Reach(axes, rows.reshape(*shape, 12), m.reached, m.dexterity, m.type1, m.type2, m.beyond)


def _axis(name: str, values: ArrayLike | None) -> Array:
    try:
        found = np.atleast_1d(np.asarray(values, dtype=float))
    except (TypeError, ValueError):
        raise InputError(f"{name}: expected numbers, found {values!r}") from None
    if found.ndim != 1 or not len(found) or not np.isfinite(found).all():
        raise InputError(f"{name}: expected a list of finite numbers, found {values!r}")
    return found
