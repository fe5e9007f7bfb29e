"""What a parallel robot reaches and how well: `dexterity`, `workspace` on a grid, `singularities` along a path."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Union

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.samples import Array
from robosym.coordinates.many_starts import Search
from robosym.coordinates.platform_poses import pose_matrices, pose_rows, poses_given
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.solve.pose_coordinates import COORDINATES, PoseCoordinates, start_pose
from robosym.spatial.numeric import rotation_vector
from robosym.studies.conditioning import Conditioning, Measures

__all__ = ["Reach", "Singularities", "Singularity", "dexterity", "singularities", "workspace"]

_NEAR = 1e-3  #: a measure that is less is singular
_HALVINGS = 50


@dataclass(frozen=True)
class Singularity:
    """A place on a path: `at` counts poses, 2.5 is half-way from the third to the fourth."""

    kind: str  #: "type 1", "type 2" or "out of reach" (from there, or to there)
    at: float
    pose: Array  #: (12,)
    motor: str = ""  #: the motor whose leg is stretched out or folded, of type 1

    def __str__(self) -> str:
        who = f" of the leg of {self.motor}" if self.motor else ""
        return f"{self.kind}{who} at {self.at:.4f}, P = {np.round(self.pose[9:], 4).tolist()}"


@dataclass(frozen=True)
class Singularities:
    """The measures along a path (0: singular, NaN: out of reach), and what lies on it."""

    reached: Array
    type1: Array  #: (poses, motors)
    type2: Array
    dexterity: Array
    found: tuple[Singularity, ...]

    def report(self) -> str:
        """In words."""
        poses, lost = len(self.reached), int((~self.reached).sum())
        lines = [f"{poses} poses, {lost} out of reach"] if lost else [f"{poses} poses, all within reach"]
        if self.reached.any():
            least1, least2 = np.nanmin(self.type1), np.nanmin(self.type2)
            lines.append(f"least measures: {least1:.4g} of type 1, {least2:.4g} of type 2")
        lines += [str(one) for one in self.found] or ["no singular pose on this path"]
        return "\n".join(lines)

    __str__ = report


def singularities(
    robot: Robot, path: ArrayLike, modes: Sequence[int] | None = None, parameters: Mapping[str, float] | None = None,
    length: float | None = None,
) -> Singularities:  # fmt: skip
    """Type 1 and type 2 along a path of poses (n, 12) or (n, 4, 4), and between them.

    Of type 1 is a pose in which a leg is stretched out or folded: its motor moves, the platform does not follow; of
    type 2 one in which the platform can move with all motors still. Between neighbouring poses (R turns about one axis
    and P moves straight; a platform that turns as it moves goes as the legs allow) a change of sign of the determinant,
    or of what is within reach, is followed to its place. `length` compares turns with shifts; by default it is the size
    of the platform.
    """
    poses = poses_given(path)
    if poses.ndim != 2 or not len(poses):
        raise InputError(f"path: expected poses one after the other (n, 12), found an array of shape {poses.shape}")
    conditioning = Conditioning(robot, modes, parameters, length)
    m = conditioning.measures(poses)
    found: list[Singularity] = []
    for k in range(len(poses)):
        found += _here(conditioning, m, poses, k)
        if k + 1 < len(poses):
            found += _between(conditioning, m, poses, k)
    return Singularities(m.reached, m.type1, m.type2, m.dexterity, tuple(found))


def _here(conditioning: Conditioning, m: Measures, poses: Array, k: int) -> list[Singularity]:
    if not m.reached[k]:
        return []
    names = conditioning.robot.motor_names
    found = [Singularity("type 1", float(k), poses[k], n) for n, x in zip(names, m.type1[k], strict=True) if x < _NEAR]
    if m.type2[k] < _NEAR and not found:  # where a leg is lost, the rows say nothing of the rest
        found.append(Singularity("type 2", float(k), poses[k]))
    return found


def _between(conditioning: Conditioning, m: Measures, poses: Array, k: int) -> list[Singularity]:
    way = _way(poses[k], poses[k + 1])
    if m.reached[k] and m.reached[k + 1] and not conditioning.measures(way(0.5)[None]).reached[0]:
        way = _allowed(conditioning, poses[k], poses[k + 1])  # a platform that turns as it moves
    if m.reached[k] != m.reached[k + 1]:
        at = _halved(lambda s: bool(conditioning.measures(way(s)[None]).reached[0]) == bool(m.reached[k]))
        inside = at if m.reached[k] else min(at + 2.0 ** (1 - _HALVINGS), 1.0)
        close = conditioning.measures(way(inside)[None])
        found = [Singularity("out of reach", k + at, way(at))]
        if close.reached[0]:
            weakest = int(np.argmin(close.type1[0]))
            if close.type1[0, weakest] < _NEAR:
                found.append(Singularity("type 1", k + at, way(at), conditioning.robot.motor_names[weakest]))
        return found
    if m.reached[k] and m.sign[k] * m.sign[k + 1] < 0:

        def same(s: float) -> bool:
            return bool(conditioning.measures(way(s)[None]).sign[0] == m.sign[k])

        at = _halved(same)
        crossed = conditioning.measures(way(at)[None])
        # a determinant changes its sign through infinity too, where a leg is stretched out
        kind = "type 2" if not crossed.reached[0] or crossed.type1[0].min() > _NEAR else "type 1"
        motor = "" if kind == "type 2" else conditioning.robot.motor_names[int(np.argmin(crossed.type1[0]))]
        return [Singularity(kind, k + at, way(at), motor)]
    return []


def _halved(same: Callable[[float], bool]) -> float:
    """Where on the way from 0, where it holds, to 1, where it does not, a statement ceases to hold."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if same(middle) else (low, middle)
    return low


def _allowed(conditioning: Conditioning, one: Array, other: Array) -> Callable[[float], Array]:
    """Poses between two that the legs allow: joints in proportion, then the legs closed."""
    search = Search(conditioning.robot)
    start, end = conditioning.joints_by_name(one), conditioning.joints_by_name(other)
    names = search.gaps.names
    first, last = (np.array([joints[name] for name in names]) for joints in (start, end))
    turning = [conditioning.robot.frame(j).joint_type.only_turns for j in conditioning.robot.tree_joints]
    turns = dict(zip(start, turning, strict=True))
    step = last - first
    step = np.where([turns[name] for name in names], np.remainder(step + np.pi, 2 * np.pi) - np.pi, step)

    def at(s: float) -> Array:
        closed, _ = search.closing.settle(conditioning.parameters, (first + s * step)[None])
        return np.asarray(pose_rows(search.platform(closed, conditioning.parameters))[0])

    return at


def _way(one: Array, other: Array) -> Callable[[float], Array]:
    """Poses between two, from 0 to 1."""
    A, B = pose_matrices(one), pose_matrices(other)
    turn = rotation_vector((A[:3, :3].T @ B[:3, :3])[None])[0]
    angle = float(np.linalg.norm(turn))
    x, y, z = turn / angle if angle else turn
    hat = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])

    def at(s: float) -> Array:
        T = np.eye(4)
        T[:3, :3] = A[:3, :3] @ (np.eye(3) + np.sin(s * angle) * hat + (1 - np.cos(s * angle)) * (hat @ hat))
        T[:3, 3] = A[:3, 3] + s * (B[:3, 3] - A[:3, 3])
        return pose_rows(T)

    return at


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
