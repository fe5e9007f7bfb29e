"""Proofs about boxes of poses by interval arithmetic: absence of singular poses, bounds of a workspace volume.

A box is a product of intervals of platform coordinates. Interval arithmetic encloses all values of an expression in
the box. Undecided boxes are halved along their longest side.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from robosym.algebra import Expr, substitute
from robosym.algebra.affine import Affine, affine_bounds
from robosym.algebra.arrays import Array, numbers, one_thread
from robosym.algebra.interpret import reachable
from robosym.algebra.intervals import Interval, bounds
from robosym.algebra.once import cached_property
from robosym.coordinates.pose_inputs import COORDINATES, PoseInputs, natural_coordinates
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.model import flat
from robosym.runtime import Compiled
from robosym.solve.leg_joints import leg_joints
from robosym.solve.pose_coordinates import PoseCoordinates, start_pose
from robosym.studies.conditioning import Conditioning

__all__ = ["SingularityFree", "VolumeBounds", "singularity_free", "workspace_volume"]

_BATCH = 1024  #: boxes evaluated together
_REGULAR = 1 - 1e-9  #: largest row sum of |C M - 1| that proves full rank, less rounding errors
_ROUNDING = 1e-12  #: more than the relative rounding errors of sums over all boxes
_SMALLEST = 1e-9  #: side of a box, relative to the first one, below which it is not halved
Range = Union[Sequence[float], float, None]


@dataclass(frozen=True)
class SingularityFree:
    """Result of a proof: `proven` if no pose of the box is singular, `singular` if one is certainly singular."""

    robot: str
    box: dict[str, tuple[float, float]]
    proven: bool
    singular: tuple[Array, Array] | None  #: two poses (12,) of the box between which the determinant changes its sign
    boxes: int  #: number of boxes that were examined
    undecided: Array  #: boxes that were not decided, shape (n, coordinates, 2)
    seconds: float

    def __bool__(self) -> bool:
        return self.proven

    def __str__(self) -> str:
        where = ", ".join(f"{name} {low:g} to {high:g}" for name, (low, high) in self.box.items())
        if self.proven:
            what = "no singular pose, proven by interval arithmetic"
        elif self.singular is not None:
            what = "contains singular poses: the determinant changes its sign"
        else:
            what = f"not decided: {len(self.undecided)} boxes are left"
        return f"{self.robot}: {where}: {what} ({self.boxes} boxes)"


@dataclass(frozen=True)
class VolumeBounds:
    """Proven bounds of the volume of a workspace in a box; `value` is their mean."""

    low: float
    high: float
    unit: str
    boxes: int

    @property
    def value(self) -> float:
        """Mean of the bounds."""
        return (self.low + self.high) / 2

    @property
    def error(self) -> float:
        """Largest error of `value`."""
        return (self.high - self.low) / 2

    def __str__(self) -> str:
        return f"{self.value:.6g} {self.unit}, at most {self.error:.2g} {self.unit} off ({self.boxes} boxes)"


class _Poses:
    """Expressions over the pose, rewritten as functions of the coordinates that have a range."""

    def __init__(self, robot: Robot, modes: Sequence[int] | None, ranges: Mapping[str, Range], pose: object) -> None:
        coordinates = PoseCoordinates(robot, modes)
        reference = coordinates.reference
        if reference is None:
            raise InputError(f"{robot.name}: expected numbers for the geometry and a reference position")
        given = {name: _range(name, value) for name, value in ranges.items() if value is not None}
        if not given:
            raise InputError("x: expected a range of at least one of x, y, z, roll, pitch, yaw, found none")
        self.start = start_pose(robot, pose, reference)  # type: ignore[arg-type]
        self.held = {name: low for name, (low, high) in given.items() if low == high}
        self.box = {name: ends for name, ends in given.items() if ends[0] < ends[1]}
        self.names = tuple(self.box)
        if not self.names:
            raise InputError("x: expected at least one range [low, high], found single values")
        names = natural_coordinates(reference, tuple(given))
        self._inputs = PoseInputs(coordinates.robot, names, None, self.start)
        if not self._inputs.closed:
            raise InputError(
                f"{robot.name}: a part of its pose depends on {', '.join(names)} in no closed form: expected a "
                "platform whose other coordinates are constant, or follow from a leg that these determine"
            )
        where = dict(zip(COORDINATES, (*self.start[9:], 0.0, 0.0, 0.0), strict=True))
        self.held = {name: where[name] for name in names if name not in given} | self.held

    def entries(self, expression: Expr) -> dict[str, Expr]:
        """Return the entries of the pose as expressions in the graph of `expression`."""
        graph = expression.graph
        symbol = {
            name: graph.symbol(f"{name}__box") if name in self.box else graph.number(float(self.held[name]))
            for name in (*self.names, *self.held)
        }
        return self._inputs.entries(symbol)

    def rewritten(self, roots: Sequence[Expr]) -> list[Expr]:
        """Return expressions over the coordinates."""
        return list(substitute(roots, roots[0].graph, self.entries(roots[0])))

    def intervals(self, boxes: Array) -> dict[str, Interval]:
        """Return the symbols of the coordinates for boxes of shape (n, coordinates, 2)."""
        return {f"{name}__box": Interval(boxes[:, k, 0], boxes[:, k, 1]) for k, name in enumerate(self.names)}

    def poses(self, boxes: Array) -> Array:
        """Return the poses (n, 12) at the centers of boxes."""
        centers = dict(zip(self.names, boxes.mean(axis=2).T, strict=True))
        held = {name: np.full(len(boxes), value) for name, value in self.held.items()}
        return np.asarray(self._centers(pose=np.stack([{**centers, **held}[n] for n in self._inputs.names], axis=1)))

    @cached_property
    def _centers(self) -> Compiled:
        return self._inputs.model.compile()

    @cached_property
    def whole(self) -> Array:
        """The first box, shape (1, coordinates, 2)."""
        return np.array([[*self.box.values()]], dtype=float)

    def halves(self, boxes: Array) -> Array:
        """Return both halves of each box along its side that is longest relative to the first box."""
        sizes = (boxes[:, :, 1] - boxes[:, :, 0]) / (self.whole[:, :, 1] - self.whole[:, :, 0])
        side = sizes.argmax(axis=1)
        each = np.arange(len(boxes))
        middle = boxes[each, side].mean(axis=1)
        low, high = boxes.copy(), boxes.copy()
        low[each, side, 1] = middle
        high[each, side, 0] = middle
        return np.concatenate([low, high])


def _range(name: str, value: Range) -> tuple[float, float]:
    given = numbers(name, value)
    low, high = (float(given), float(given)) if given.ndim == 0 else (float(given.min()), float(given.max()))
    if given.ndim > 1 or (given.ndim == 1 and len(given) != 2):
        raise InputError(f"{name}: expected a number or [low, high], found {value!r}")
    return low, high


def _regular(M: list[list[Affine]], centers: Array) -> NDArray[np.bool_]:
    """Return where every matrix in the bounds M has full column rank.

    With C the inverse of the matrix at the center, the rank is full if no row sum of |C M - 1| reaches 1.
    """
    C: Array = np.linalg.pinv(centers).astype(float)
    n, f = C.shape[0], C.shape[1]
    sums = np.zeros((n, f))
    with np.errstate(all="ignore"):  # unknown bounds are infinite
        for i, j in product(range(f), range(f)):
            total = _scaled(M[0][j], C[:, i, 0])
            for k in range(1, len(M)):
                total = total + _scaled(M[k][j], C[:, i, k])
            sums[:, i] += _away(total, float(i == j))
    return np.asarray(np.nan_to_num(sums, nan=np.inf).max(axis=1) < _REGULAR)


def _scaled(value: Affine, by: NDArray[Any]) -> Affine:
    return value * Affine(by, np.zeros_like(value.slopes), np.zeros_like(by), Interval(by, by))


def _away(value: Affine, number: float) -> Array:
    """Return the largest distance of a value from a number."""
    low, high = value.natural.low - number, value.natural.high - number
    return np.maximum(np.abs(low), np.abs(high))


@one_thread()
def singularity_free(
    robot: Robot, x: Range = None, y: Range = None, z: Range = None, roll: Range = None, pitch: Range = None,
    yaw: Range = None, pose: object = None, modes: Sequence[int] | None = None,
    parameters: Mapping[str, float] | None = None, seconds: float = 60.0,
) -> SingularityFree:  # fmt: skip
    """Prove by interval arithmetic that no pose of a box is singular.

    Every pose of the box is then reached by all legs in their branches, no leg is stretched or folded (type 1), and the
    motors hold the platform (type 2). Coordinates are those of `workspace`.

    Parameters
    ----------
    robot : Robot
        Parallel robot with numbers for its geometry, whose platform has six degrees of freedom, or whose other
        coordinates are constant.
    x, y, z : sequence of float, optional
        Ranges [low, high] in m, or single values.
    roll, pitch, yaw : sequence of float, optional
        Ranges [low, high] in rad, or single values.
    pose : array_like, optional
        Pose that fixes coordinates without a range. Default: the reference position.
    modes : sequence of int, optional
        Branch of each leg, from 0. Default: the branches of the reference position.
    parameters : mapping of str to float, optional
        Values of the symbols of the robot.
    seconds : float
        Time limit in s, after which the remaining boxes are undecided.

    Returns
    -------
    SingularityFree
        True if proven; otherwise with two poses between which the determinant changes its sign, or undecided boxes.

    Raises
    ------
    InputError
        If the robot has no platform, or a coordinate without a range varies within the box.

    Examples
    --------
    >>> import robosym as rs
    >>> gough = rs.load("gough33")
    >>> bool(rs.singularity_free(gough, x=[-0.02, 0.02], y=[-0.02, 0.02], z=[0.68, 0.72]))
    True
    """
    if parameters:
        robot = robot.with_values(dict(parameters))
    started = time.monotonic()
    poses = _Poses(robot, modes, dict(zip(COORDINATES, (x, y, z, roll, pitch, yaw), strict=True)), pose)
    conditioning = Conditioning(robot, modes)
    matrix = _Matrix(conditioning, poses)
    open_, count, sign = poses.whole, 0, 0.0
    where: Array | None = None
    while len(open_):
        boxes, open_ = open_[-_BATCH:], open_[:-_BATCH]
        count += len(boxes)
        centers = poses.poses(boxes)
        signs = conditioning.measures(centers).sign if matrix.square else np.ones(len(boxes))
        for pose_, s in zip(centers, signs, strict=True):
            if s and np.isfinite(s):
                if where is None:
                    where, sign = pose_, s
                elif s != sign:
                    return _found(robot, poses, False, (where, pose_), count, open_, started)
        left = boxes[~matrix.regular(boxes)]
        small: NDArray[np.bool_] = np.asarray(
            (left[:, :, 1] - left[:, :, 0] < _SMALLEST * (poses.whole[:, :, 1] - poses.whole[:, :, 0])).all(axis=1)
        )
        if small.any() or time.monotonic() - started > seconds:
            return _found(robot, poses, False, None, count, np.concatenate([left, open_]), started)
        open_ = np.concatenate([open_, poses.halves(left)]) if len(left) else open_
    return _found(robot, poses, True, None, count, open_, started)


def _found(
    robot: Robot, poses: _Poses, proven: bool, singular: tuple[Array, Array] | None, count: int, left: Array,
    started: float,
) -> SingularityFree:  # fmt: skip
    return SingularityFree(robot.name, poses.box, proven, singular, count, left, time.monotonic() - started)


class _Matrix:
    """J_p^-1 along the free motions of the platform, over boxes."""

    def __init__(self, conditioning: Conditioning, poses: _Poses) -> None:
        model = conditioning.model
        rows = [[model.definitions[name] for name in row] for row in model.outputs["Ji"]]
        E = [[model.definitions[name] for name in row] for row in model.outputs["E"]]
        scale = [1.0, 1.0, 1.0, *3 * [1 / conditioning.length]]
        self.motors, self.freedom = len(rows), conditioning.freedom
        self.square = self.motors == self.freedom
        zero = rows[0][0].graph.zero
        back = [1.0, 1.0, 1.0, *3 * [conditioning.length]]
        whole = [[sum((row[i] * scale[i] * (E[i][f] * back[i]) for i in range(6)), zero) for f in range(self.freedom)]
                 for row in rows]  # fmt: skip
        self.poses = poses
        self.roots = poses.rewritten([entry for row in whole for entry in row])

    def regular(self, boxes: Array) -> NDArray[np.bool_]:
        """Return which boxes certainly contain no singular pose."""
        values = affine_bounds(self.roots, self.poses.intervals(boxes))
        found = [values[k * self.freedom : (k + 1) * self.freedom] for k in range(self.motors)]
        M: Array = np.moveaxis(np.array([[x.center for x in row] for row in found]), -1, 0)
        sizes = np.linalg.norm(M, axis=2, keepdims=True)
        known = np.isfinite(np.array([x.size for x in values])).all(axis=0)
        finite: NDArray[np.bool_] = np.asarray(known & (np.isfinite(sizes) & (sizes > 0)).all(axis=(1, 2)))
        sizes = np.where(finite[:, None, None], sizes, 1.0)
        M = np.where(finite[:, None, None], M, np.eye(self.motors, self.freedom))
        with np.errstate(all="ignore"):
            scaled = [[_scaled(entry, 1 / sizes[:, k, 0]) for entry in row] for k, row in enumerate(found)]
        return np.asarray(finite & _regular(scaled, M / sizes))


@one_thread()
def workspace_volume(
    robot: Robot, x: Range = None, y: Range = None, z: Range = None, roll: Range = None, pitch: Range = None,
    yaw: Range = None, pose: object = None, modes: Sequence[int] | None = None,
    parameters: Mapping[str, float] | None = None, limits: bool = True, tolerance: float = 0.02, boxes: int = 2_000_000,
) -> VolumeBounds:  # fmt: skip
    """Compute the volume of the workspace in a box, with a proven bound of its error.

    A box of poses counts as reached if interval arithmetic proves that all its poses are reached, and as outside if
    it proves that none is. Other boxes are halved until the error is below `tolerance`.

    Parameters
    ----------
    robot : Robot
        Parallel robot as for `singularity_free`.
    x, y, z : sequence of float, optional
        Ranges [low, high] in m, or single values.
    roll, pitch, yaw : sequence of float, optional
        Ranges [low, high] in rad, or single values.
    pose : array_like, optional
        Pose that fixes coordinates without a range. Default: the reference position.
    modes : sequence of int, optional
        Branch of each leg, from 0. Default: the branches of the reference position.
    parameters : mapping of str to float, optional
        Values of the symbols of the robot.
    limits : bool
        Require motors, strokes and passive joints to stay within their limits.
    tolerance : float
        Largest error relative to the volume.
    boxes : int
        Largest number of boxes; the error may then be larger than `tolerance`.

    Returns
    -------
    VolumeBounds
        Lower and upper bound, in m³ for x, y and z.

    Raises
    ------
    InputError
        If the robot has no platform, or a coordinate without a range varies within the box.

    Examples
    --------
    >>> import robosym as rs
    >>> volume = rs.workspace_volume(rs.load("delta"), x=[-0.1, 0.1], y=[-0.1, 0.1], z=[-1, -0.9])
    >>> round(volume.low, 6), round(volume.high, 6)
    (0.004, 0.004)
    """
    if parameters:
        robot = robot.with_values(dict(parameters))
    if not 0 < tolerance < 1:
        raise InputError(f"tolerance: expected a number between 0 and 1, found {tolerance!r}")
    poses = _Poses(robot, modes, dict(zip(COORDINATES, (x, y, z, roll, pitch, yaw), strict=True)), pose)
    decide = _Decision(robot, modes, poses, limits)
    open_, inside, count = poses.whole, 0.0, 0
    while len(open_):
        kept, left = [], []
        for k in range(0, len(open_), _BATCH):
            some = open_[k : k + _BATCH]
            reached, lost = decide(some)
            unclear: NDArray[np.bool_] = np.asarray(~reached & ~lost)
            kept.append(_size(some[reached]))
            left.append(some[unclear])
        count += len(open_)
        inside += sum(kept)
        rest = np.concatenate(left)
        unknown = _size(rest)
        if unknown / 2 <= tolerance * (inside + unknown / 2) or count + 2 * len(rest) > boxes:
            break
        open_ = poses.halves(rest)
    else:
        unknown = 0.0
    lengths = sum(name in COORDINATES[:3] for name in poses.names)
    unit = {1: "m", 2: "m²", 3: "m³"}.get(lengths, "") + (" rad" * (len(poses.names) - lengths))
    return VolumeBounds(inside * (1 - _ROUNDING), (inside + unknown) * (1 + _ROUNDING), unit.strip(), count)


def _size(boxes: Array) -> float:
    return float(np.prod(boxes[:, :, 1] - boxes[:, :, 0], axis=1).sum())


class _Decision:
    """Decide whether all poses of a box are reached, or none."""

    def __init__(self, robot: Robot, modes: Sequence[int] | None, poses: _Poses, limits: bool) -> None:
        self.poses = poses
        names = {j: robot.joint(j).limits for j in robot.tree_joints} if limits else {}
        limited = {j: one for j, one in names.items() if (one.lower, one.upper) != (None, None)}
        model = leg_joints(robot, modes, any(not robot.frame(j).mu for j in limited))
        outputs = [name for layout in model.outputs.values() for name in flat(layout)]
        roots = poses.rewritten([model.definitions[name] for name in outputs])
        self.count = len(roots)
        domains = [node.args[0] for node in reachable(roots) if node.op == "sqrt"]
        ratios = [node.args[0] for node in reachable(roots) if node.op in ("acos", "asin")]
        self.roots = [*roots, *domains, *ratios]
        self.domains, self.ratios = len(domains), len(ratios)
        self.limits = [(outputs.index(f"Q{j}"), one.lower, one.upper, robot.frame(j).joint_type.only_turns)
                       for j, one in limited.items()]  # fmt: skip

    def __call__(self, boxes: Array) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        n = len(boxes)
        found = bounds(self.roots, self.poses.intervals(boxes))
        joints, rest = found[: self.count], found[self.count :]
        reached, lost = np.ones(n, dtype=bool), np.zeros(n, dtype=bool)
        with np.errstate(invalid="ignore"):
            for part in rest[: self.domains]:
                lost |= part.high < 0
                reached &= part.low >= 0
            for part in rest[self.domains :]:
                lost |= (part.low > 1) | (part.high < -1)
                reached &= (part.low >= -1) & (part.high <= 1)
            for one in joints:
                reached &= np.isfinite(one.low) & np.isfinite(one.high)
            for at, lower, upper, turns in self.limits:
                self._within(joints[at], lower, upper, turns, reached, lost)
        return reached & ~lost, lost

    @staticmethod
    def _within(
        q: Interval, lower: float | None, upper: float | None, turns: bool, reached: NDArray[np.bool_],
        lost: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        low, high = q.low, q.high
        if turns and lower is not None and upper is not None:  # up to full turns
            if upper - lower >= 2 * np.pi:
                return
            shift = 2 * np.pi * np.ceil((lower - low) / (2 * np.pi) - _ROUNDING)
            low, high = low + shift, high + shift
            reached &= (low >= lower) & (high <= upper)
            lost |= (low > upper) & (high < lower + 2 * np.pi)
            return
        if lower is not None:
            reached &= low >= lower
            lost |= high < lower
        if upper is not None:
            reached &= high <= upper
            lost |= low > upper
