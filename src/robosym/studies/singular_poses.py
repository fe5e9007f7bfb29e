"""Singular poses of a parallel robot along a path, and its dexterity at poses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.samples import Array
from robosym.coordinates.many_starts import Search
from robosym.coordinates.platform_poses import pose_matrices, pose_rows, poses_given
from robosym.errors import InputError, counted
from robosym.files import read_text
from robosym.formats.pose_texts import numbers_from
from robosym.mechanism import Robot
from robosym.solve.pose_coordinates import PoseCoordinates, coordinate_names, poses_of, start_pose
from robosym.spatial.numeric import rigid, rotation_vector, shortest_way
from robosym.studies.conditioning import Conditioning, Measures

__all__ = ["Singularities", "Singularity", "dexterity", "singularities"]

_POSE = 12  #: numbers of a pose
_NEAR = 1e-3  #: measures below this value are singular
_HALVINGS = 50


@dataclass(frozen=True)
class Singularity:
    """Singular pose on a path; `at` counts poses: 2.5 is halfway between the third and the fourth."""

    kind: str  #: "type 1", "type 2" or "out of reach" (beginning or end)
    at: float
    pose: Array  #: shape (12,)
    motor: str = ""  #: for type 1, the motor whose leg is stretched or folded

    def __str__(self) -> str:
        who = f" of the leg of {self.motor}" if self.motor else ""
        return f"{self.kind}{who} at {self.at:.4f}, P = {np.round(self.pose[9:], 4).tolist()}"


@dataclass(frozen=True)
class Singularities:
    """Measures along a path (0: singular, NaN: out of reach), and the singular poses on it."""

    reached: Array
    type1: Array  #: shape (poses, motors)
    type2: Array
    dexterity: Array
    found: tuple[Singularity, ...]

    def report(self) -> str:
        """Return a summary as text."""
        poses, lost = len(self.reached), int((~self.reached).sum())
        lines = [f"{counted(poses, 'pose')}, {f'{lost} out of reach' if lost else 'all reachable'}"]
        if self.reached.any():
            least1, least2 = np.nanmin(self.type1), np.nanmin(self.type2)
            lines.append(f"smallest measures: {least1:.4g} of type 1, {least2:.4g} of type 2")
        lines += [str(one) for one in self.found] or ["the path contains no singular pose"]
        return "\n".join(lines)

    __str__ = report

    def plot(self, path: str | Path) -> Singularities:
        """Plot the measures over the poses of the path, with the singular poses as vertical lines.

        Parameters
        ----------
        path : str or Path
            File to write: .svg, .png or .html.

        Returns
        -------
        Singularities
            The same measures.
        """
        from robosym.drawing.axes import MapAxis
        from robosym.drawing.charts import curves

        named = {"type 1": self.type1.min(axis=-1), "type 2": self.type2, "dexterity": self.dexterity}
        pose = MapAxis("pose of the path", np.arange(len(self.reached), dtype=float))
        curves("distance from singular poses", pose, named, "measure", [one.at for one in self.found]).write(path)
        return self


def singularities(
    robot: Robot, path: ArrayLike | Mapping[str, ArrayLike] | str | Path, modes: Sequence[int] | None = None,
    parameters: Mapping[str, float] | None = None, length: float | None = None,
) -> Singularities:  # fmt: skip
    """Find the singular poses of type 1 and type 2 along a path of poses, and between them.

    In a pose of type 1, a leg is stretched or folded: its motor moves, but the platform does not follow. In a pose of
    type 2, the platform can move with all motors locked. Between adjacent poses, R rotates about one axis and P moves
    along a line (a platform whose orientation depends on its position follows the legs); changes of the sign of the
    determinant and of the reach are located by bisection.

    Parameters
    ----------
    robot : Robot
        Parallel robot.
    path : array_like, mapping, str or Path
        Poses (n, 12) or (n, 4, 4), columns of the free coordinates such as x, y of a five-bar robot, a mapping of
        coordinates by name, or a file with one pose per line: 12 numbers (R row by row, then P), the free coordinates,
        x, y, z, or x, y, z, roll, pitch, yaw from the reference position.
    modes : sequence of int, optional
        Branch of each leg of a parallel robot, from 0. Default: the branches of the reference position.
    parameters : mapping of str to float, optional
        Values of the symbols of the robot.
    length : float, optional
        Length in m by which one rad is weighted. Default: the size of the platform.

    Returns
    -------
    Singularities
        Measures along the path and the singular poses.

    Raises
    ------
    InputError
        If the robot has no platform, or the path is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> delta = rs.load("delta")
    >>> path = rs.platform_pose(delta, x=[-0.1, 0, 0.1], z=-0.8)
    >>> len(rs.singularities(delta, path).found)
    0
    """
    poses = _poses_in(robot, Path(path), modes) if isinstance(path, str | Path) else poses_of(robot, path, modes)
    if poses.ndim != 2 or not len(poses):
        raise InputError(f"path: expected poses of shape (n, 12), found an array of shape {poses.shape}")
    conditioning = Conditioning(robot, modes, parameters, length)
    m = conditioning.measures(poses)
    found: list[Singularity] = []
    for k in range(len(poses)):
        found += _here(conditioning, m, poses, k)
        if k + 1 < len(poses):
            found += _between(conditioning, m, poses, k)
    return Singularities(m.reached, m.type1, m.type2, m.dexterity, tuple(found))


def _poses_in(robot: Robot, path: Path, modes: Sequence[int] | None) -> Array:
    """Read poses (n, 12) from a file; a pose that the legs do not allow is not changed."""
    lines = [line.split("#")[0].replace(",", " ").split() for line in read_text(path).splitlines()]
    rows = [numbers_from(words, f"{path}:{number}") for number, words in enumerate(lines, 1) if words]
    if not rows:
        raise InputError(f"{path}: expected one pose per line, found none")
    coordinates = PoseCoordinates(robot, modes)
    start = start_pose(robot, None, coordinates.reference)
    found = np.zeros((len(rows), _POSE))
    for k, row in enumerate(rows):
        if len(row) == _POSE:
            found[k] = poses_given(np.array(row))
            continue
        names = coordinate_names(robot, len(row), str(path))
        given = {name: np.array([value]) for name, value in zip(names, row, strict=True)}
        (pose,) = coordinates.poses(given, start)
        found[k] = pose if np.isfinite(pose).all() else coordinates.strict(given, start)[0]
    return found


def _here(conditioning: Conditioning, m: Measures, poses: Array, k: int) -> list[Singularity]:
    if not m.reached[k]:
        return []
    names = conditioning.robot.motor_names
    found = [Singularity("type 1", float(k), poses[k], n) for n, x in zip(names, m.type1[k], strict=True) if x < _NEAR]
    if m.type2[k] < _NEAR and not found:  # with a leg out of reach, type 2 is undefined
        found.append(Singularity("type 2", float(k), poses[k]))
    return found


def _between(conditioning: Conditioning, m: Measures, poses: Array, k: int) -> list[Singularity]:
    way = _interpolated(poses[k], poses[k + 1])
    if m.reached[k] and m.reached[k + 1] and not conditioning.measures(way(0.5)[None]).reached[0]:
        way = _allowed(conditioning, poses[k], poses[k + 1])  # orientation depends on position
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
        # the determinant also changes sign through infinity, where a leg is stretched
        kind = "type 2" if not crossed.reached[0] or crossed.type1[0].min() > _NEAR else "type 1"
        motor = "" if kind == "type 2" else conditioning.robot.motor_names[int(np.argmin(crossed.type1[0]))]
        return [Singularity(kind, k + at, way(at), motor)]
    return []


def _halved(same: Callable[[float], bool]) -> float:
    """Return the parameter at which a condition that holds at 0, but not at 1, ceases to hold (bisection)."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if same(middle) else (low, middle)
    return low


def _allowed(conditioning: Conditioning, one: Array, other: Array) -> Callable[[float], Array]:
    """Return poses between two poses that the legs allow: interpolated joints, then closed legs."""
    search = Search(conditioning.robot)
    start, end = conditioning.joints_by_name(one), conditioning.joints_by_name(other)
    names = search.gaps.names
    first, last = (np.array([joints[name] for name in names]) for joints in (start, end))
    turning = [conditioning.robot.frame(j).joint_type.only_turns for j in conditioning.robot.tree_joints]
    turns = dict(zip(start, turning, strict=True))
    step = shortest_way(last - first, [turns[name] for name in names])

    def at(s: float) -> Array:
        closed, _ = search.closing.settle(conditioning.parameters, (first + s * step)[None])
        return np.asarray(pose_rows(search.platform(closed, conditioning.parameters))[0])

    return at


def _interpolated(one: Array, other: Array) -> Callable[[float], Array]:
    """Return poses between two poses, from 0 to 1."""
    A, B = pose_matrices(one), pose_matrices(other)
    turn = rotation_vector(A[:3, :3].T @ B[:3, :3])

    def at(s: float) -> Array:
        T = rigid(s * turn, A[:3, 3] + s * (B[:3, 3] - A[:3, 3]))
        T[:3, :3] = A[:3, :3] @ T[:3, :3]
        return pose_rows(T)

    return at


def dexterity(
    robot: Robot, poses: ArrayLike | Mapping[str, ArrayLike], modes: Sequence[int] | None = None,
    parameters: Mapping[str, float] | None = None, length: float | None = None, limits: bool = False,
) -> Array:  # fmt: skip
    """Return the dexterity of a parallel robot: the ratio of the smallest to the largest singular value of J_p^-1.

    Parameters
    ----------
    robot : Robot
        Parallel robot.
    poses : array_like, shape (..., 12) or (..., 4, 4), or mapping
        Poses of the platform in frame 0, columns of its free coordinates, or coordinates by name.
    modes : sequence of int, optional
        Branch of each leg of a parallel robot, from 0. Default: the branches of the reference position.
    parameters : mapping of str to float, optional
        Values of the symbols of the robot.
    length : float, optional
        Length in m by which one rad is weighted. Default: the size of the platform.
    limits : bool
        Treat poses with a joint beyond its limits as out of reach.

    Returns
    -------
    ndarray, shape (...)
        1 in an isotropic pose, 0 in a singular pose, NaN out of reach.

    Raises
    ------
    InputError
        If the robot has no platform, or a symbol has no value.

    Examples
    --------
    >>> import robosym as rs
    >>> delta = rs.load("delta")
    >>> pose = rs.platform_pose(delta, x=0.1, z=-0.8)
    >>> bool(0 < rs.dexterity(delta, pose) <= 1)
    True
    """
    return Conditioning(robot, modes, parameters, length, limits).measures(poses_of(robot, poses, modes)).dexterity
