"""Workspace of a parallel robot on a grid: reach within the limits of a machine, volume, dexterity."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any, Literal, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robosym.algebra.arrays import numbers
from robosym.algebra.once import cached_property
from robosym.algebra.samples import Array
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.runtime.evaluation import Numbers
from robosym.solve.pose_coordinates import COORDINATES, PoseCoordinates, start_pose
from robosym.studies.conditioning import Measures, need_platform
from robosym.studies.reach_conditions import REASONS, Conditions, bounds_of_efforts

__all__ = ["Reach", "workspace"]

Given = Union[ArrayLike, None]
Orientations = Literal["each", "any", "all"]
_PLACES = ("x", "y", "z")


@dataclass(frozen=True, eq=False)
class Reach:
    """Grid of poses with results; `axes` are listed by name in the order of the axes of the arrays.

    `write` writes the table (.csv, .json), the grid (.vtk) or the surface of the workspace (.stl), and `plot` a map,
    slices or the surface (.svg, .png, .html).
    """

    axes: dict[str, Array]
    poses: Array  #: shape (..., 12)
    reasons: NDArray[np.uint8]  #: why a pose is not reached, as bits of `reach_conditions.REASONS`; 0 if it is
    conditions: Conditions = field(repr=False)
    start: Array = field(repr=False)  #: pose that fixes the other coordinates
    share_of: str = ""  #: "any" or "all" where orientations are combined
    tabular: bool = False  #: whether its text is the table instead of the report
    remarks: tuple[str, ...] = ()

    @cached_property
    def reached(self) -> NDArray[np.bool_]:
        """Whether a pose meets all conditions."""
        return np.asarray(self.reasons == 0)

    @cached_property
    def beyond(self) -> NDArray[np.bool_]:
        """Whether the legs reach a pose with a joint beyond its limits."""
        if self.conditions.limits:
            return np.asarray((self.reasons & 2) > 0)
        alone = Conditions(self.conditions.robot, self.conditions.modes, self.conditions.parameters)
        return np.asarray((alone.reasons(self.poses.reshape(-1, 12)) & 2) > 0).reshape(self.reasons.shape)

    @cached_property
    def _measures(self) -> Measures:
        found = self.conditions.conditioning.measures(self.poses[self.reached])
        return found

    def _everywhere(self, values: Array) -> Array:
        whole = np.full((*self.reached.shape, *values.shape[1:]), np.nan)
        whole[self.reached] = values
        return whole

    @cached_property
    def dexterity(self) -> Array:
        """Ratio of the smallest to the largest singular value of J_p^-1, NaN if out of reach."""
        return self._everywhere(self._measures.dexterity)

    @cached_property
    def type1(self) -> Array:
        """Measures of type 1 per motor, 0 where a leg is stretched or folded."""
        return self._everywhere(self._measures.type1)

    @cached_property
    def type2(self) -> Array:
        """Measure of type 2, 0 where the motors do not hold the platform."""
        return self._everywhere(self._measures.type2)

    @property
    def share(self) -> float:
        """Fraction of the grid that is reached."""
        return float(self.reached.mean())

    @property
    def _cell(self) -> float:
        steps = [float(np.ptp(values)) / (len(values) - 1) for values in self.axes.values() if len(values) > 1]
        return float(np.prod(steps))

    def _by_cells(self, combine: Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]) -> float:
        """Return the volume of the cells, each times what is combined from its corners."""
        values: NDArray[Any] = self.reached.astype(float)
        for axis, ends in enumerate(self.axes.values()):
            if len(ends) > 1:
                a, b = ([slice(None)] * values.ndim for _ in range(2))
                a[axis], b[axis] = slice(None, -1), slice(1, None)
                values = combine(values[tuple(a)], values[tuple(b)])
        return self._cell * float(values.sum())

    @property
    def volume(self) -> float:
        """Volume of the grid cells, each times the reached part of its corners."""
        return self._by_cells(lambda a, b: (a + b) / 2)

    @property
    def volume_bounds(self) -> tuple[float, float]:
        """Volume of the grid cells whose corners are all reached, and of those with at least one reached corner.

        The volume inside the grid is between them unless a part of the boundary is smaller than a cell.
        `workspace_volume` proves bounds.
        """
        return self._by_cells(np.minimum), self._by_cells(np.maximum)

    @property
    def conditioning(self) -> float:
        """Mean dexterity of the reached poses (global conditioning index)."""
        return float(np.nanmean(self.dexterity)) if self.reached.any() else 0.0

    def report(self) -> str:
        """Return a summary as text."""
        sizes = " × ".join(str(len(values)) for values in self.axes.values())
        what = f"{sizes} grid over {', '.join(self.axes)}"
        text = f"{what}: {int(self.reached.sum())} of {self.reached.size} poses reachable ({100 * self.share:.1f} %)"
        text += {"any": " in some orientation", "all": " in every orientation"}.get(self.share_of, "")
        lost = int((self.beyond & ~self.reached).sum())
        text += f"; {lost} more only with joints beyond their limits" if lost else ""
        for bit, reason in REASONS.items():
            count = int(((self.reasons & bit) > 0).sum()) if bit > 2 else 0
            text += f"\n{count} poses: {reason}" if count else ""
        if not self.reached.any():
            return text
        lengths = [name for name, values in self.axes.items() if len(values) > 1]
        if len(lengths) > 1 and set(lengths) <= set(_PLACES):
            low, high = self.volume_bounds
            what, unit = ("volume", "m³") if len(lengths) == 3 else ("area", "m²")
            text += f"\n{what} {self.volume:.4g} {unit}, from cells {low:.4g} to {high:.4g} {unit}"
        best = np.unravel_index(int(np.nanargmax(self.dexterity)), self.dexterity.shape)
        where = ", ".join(
            f"{name} = {values[i]:.4g}" for (name, values), i in zip(self.axes.items(), best, strict=True)
        )
        least, most = float(np.nanmin(self.dexterity)), float(np.nanmax(self.dexterity))
        return f"{text}\ndexterity {least:.4g} to {most:.4g}, mean {self.conditioning:.4g}, best at {where}"

    def __str__(self) -> str:
        return self.text("csv") if self.tabular else self.report()

    def as_table(self) -> Reach:
        """Return the same grid, whose text is the table of all poses."""
        return replace(self, tabular=True)

    @property
    def names(self) -> tuple[str, ...]:
        """Columns of the table."""
        return (*self.axes, "reached", "dexterity")

    @cached_property
    def rows(self) -> Array:
        """Rows of the table: coordinates, reach and dexterity of every pose."""
        places = [part.ravel() for part in np.meshgrid(*self.axes.values(), indexing="ij")]
        return np.stack([*places, self.reached.ravel(), self.dexterity.ravel()], axis=1)

    def text(self, form: str = "") -> str:
        """Return the report, or the table as "csv" or "json"."""
        return self.numbers().text(form) if form else str(self)

    def numbers(self, form: str = "") -> Numbers:
        """Return a table with the coordinates, reach and dexterity of every pose; its text is the report, or `form`."""
        found = Numbers(self.names, self.rows, shown=self.report())
        return replace(found, shown=found.text(form)) if form else found

    def write(self, path: str | Path) -> Path:
        """Write the table (.csv, .json, .txt), the grid (.vtk) or the surface of a grid over x, y, z (.stl)."""
        from robosym.studies.reach_files import write_grid, write_surface

        path = Path(path)
        if path.suffix.lower() == ".vtk":
            write_grid(self, path)
        elif path.suffix.lower() == ".stl":
            write_surface(self, path)
        else:
            self.numbers().write(path)
        return path

    def plot(self, path: str | Path, quantity: str = "dexterity") -> Reach:
        """Plot a quantity over one or two axes, slices over three, or the surface (quantity "surface").

        Parameters
        ----------
        path : str or Path
            File to write: .svg, .png or .html.
        quantity : str
            "dexterity", "type1", "type2", "stiffness" (the smallest, for motors of unit stiffness), "force" (the
            largest that motors within their effort limits exert in every direction), "isotropy" (of forces) or
            "surface".

        Returns
        -------
        Reach
            The same grid.
        """
        from robosym.studies.reach_plots import plotted

        plotted(self, quantity).write(path)
        return self


def workspace(
    robot: Robot, x: Given = None, y: Given = None, z: Given = None, roll: Given = None, pitch: Given = None,
    yaw: Given = None, pose: Given = None, modes: Sequence[int] | None = None,
    parameters: Mapping[str, float] | None = None, length: float | None = None, limits: bool = True,
    cones: Sequence[float] | None = None, clearance: float | None = None, margin: float | None = None,
    wrenches: ArrayLike | None = None, efforts: ArrayLike | None = None, orientations: Orientations = "each",
) -> Reach:  # fmt: skip
    """Compute which poses of a grid the platform reaches within the limits of the machine, and how well.

    R is Rz(yaw) Ry(pitch) Rx(roll) times that of `pose`. Coordinates without an axis are those of `pose`, or follow
    from the legs if they depend on the others, such as the orientation of a five-bar robot.

    Parameters
    ----------
    robot : Robot
        Parallel robot.
    x : array_like, optional
        Values of x in m.
    y : array_like, optional
        Values of y in m.
    z : array_like, optional
        Values of z in m.
    roll : array_like, optional
        Values of roll in rad.
    pitch : array_like, optional
        Values of pitch in rad.
    yaw : array_like, optional
        Values of yaw in rad.
    pose : array_like, optional
        Pose that fixes coordinates without an axis. Default: the reference position.
    modes : sequence of int, optional
        Branch of each leg of a parallel robot, from 0. Default: the branches of the reference position.
    parameters : mapping of str to float, optional
        Values of the symbols of the robot.
    length : float, optional
        Length in m by which one rad is weighted. Default: the size of the platform.
    limits : bool
        Require motors, strokes and passive joints to stay within their limits.
    cones : sequence of float, optional
        Largest angle in rad of each leg to its direction in the reference position: at the base and at the platform.
    clearance : float, optional
        Smallest distance in m between the center lines of two legs. Pairs of legs with a common end point are not
        checked.
    margin : float, optional
        Smallest measure of type 1 and type 2 (see `singularities`).
    wrenches : array_like, optional
        Wrenches (n, 6) on the platform that the motors must balance: force in N and moment in N m at its origin in
        frame 0, including the weight.
    efforts : array_like, optional
        Bounds of the motor efforts for `wrenches`: one number, [low, high], or a pair per motor. A cable pulls with
        negative efforts: [-300, -5]. Default: the effort limits of the description.
    orientations : {"each", "any", "all"}
        Whether the angles of the grid are axes of the result, or a position is reached in any of them (reachable
        workspace) or in all of them (dexterous workspace).

    Returns
    -------
    Reach
        Reach, dexterity and measures of singularity on the grid.

    Raises
    ------
    InputError
        If the robot has no platform, no axis is given, or a condition is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> reach = rs.workspace(rs.load("delta"), x=[-0.1, 0, 0.1], z=[-0.8])
    >>> reach.reached.shape
    (3, 1)
    """
    need_platform(robot)
    given = dict(zip(COORDINATES, (x, y, z, roll, pitch, yaw), strict=True))
    axes = {name: _axis(name, values) for name, values in given.items() if values is not None}
    if not axes:
        raise InputError("x: expected values for at least one of x, y, z, roll, pitch, yaw, found none")
    conditions = Conditions(
        robot, modes, parameters, length, limits, _cones(cones), _positive("clearance", clearance),
        _positive("margin", margin), *_forces(robot, wrenches, efforts),
    )  # fmt: skip
    conditions.conditioning  # noqa: B018  (checks length and parameters)
    coordinates = PoseCoordinates(robot, modes)
    start = start_pose(robot, pose, coordinates.reference)
    if orientations == "each":
        return _on_grid(axes, conditions, coordinates, start)
    if orientations not in ("any", "all"):
        raise InputError(f"orientations: expected each, any or all, found {orientations!r}")
    return _combined(axes, conditions, coordinates, start, orientations)


def _on_grid(axes: dict[str, Array], conditions: Conditions, coordinates: PoseCoordinates, start: Array) -> Reach:
    grid = dict(zip(axes, np.meshgrid(*axes.values(), indexing="ij"), strict=True))
    shape = next(iter(grid.values())).shape
    flat = {name: values.ravel() for name, values in grid.items()}
    rows = coordinates.poses(flat, start)
    lost: NDArray[np.bool_] = np.asarray(~np.isfinite(rows).all(axis=1))
    if lost.any():
        rows = np.where(lost[:, None], coordinates.strict(flat, start), rows)  # out of reach
    return Reach(axes, rows.reshape(*shape, 12), conditions.reasons(rows).reshape(shape), conditions, start)


def _combined(
    axes: dict[str, Array], conditions: Conditions, coordinates: PoseCoordinates, start: Array, how: Orientations
) -> Reach:
    """Return the reach of positions in any or all of the orientations."""
    places = {name: values for name, values in axes.items() if name in _PLACES}
    angles = {name: values for name, values in axes.items() if name not in _PLACES}
    if not places or not angles:
        raise InputError(f"orientations: {how!r} needs values of x, y or z and of roll, pitch or yaw")
    found: Reach | None = None
    for turned in product(*angles.values()):
        held = {name: np.array([value]) for name, value in zip(angles, turned, strict=True)}
        one = _on_grid({**places, **held}, conditions, coordinates, start)
        shape = tuple(map(len, places.values()))
        poses, reasons = one.poses.reshape(*shape, 12), one.reasons.reshape(shape)
        if found is None:
            found = Reach(places, poses, reasons, conditions, start, how)
            continue
        better = (reasons == 0) & (found.reasons > 0) if how == "any" else (found.reasons == 0) & (reasons > 0)
        found = replace(
            found,
            poses=np.where(better[..., None], poses, found.poses),
            reasons=np.where(better, reasons, found.reasons),
        )
    assert found is not None
    return found


def _axis(name: str, values: ArrayLike | None) -> Array:
    try:
        found = np.atleast_1d(np.asarray(values, dtype=float))
    except (TypeError, ValueError):
        raise InputError(f"{name}: expected numbers, found {values!r}") from None
    if found.ndim != 1 or not len(found) or not np.isfinite(found).all():
        raise InputError(f"{name}: expected a list of finite numbers, found {values!r}")
    return found


def _cones(cones: Sequence[float] | None) -> tuple[float, float] | None:
    if cones is None:
        return None
    base, platform = numbers("cones", cones, (2,))
    if not (0 < base <= np.pi and 0 < platform <= np.pi):
        raise InputError(f"cones: expected two angles between 0 and pi in rad, found {cones!r}")
    return float(base), float(platform)


def _positive(name: str, value: float | None) -> float | None:
    if value is not None and not 0 < float(numbers(name, value, ())) < np.inf:
        raise InputError(f"{name}: expected a positive number, found {value!r}")
    return None if value is None else float(value)


def _forces(
    robot: Robot, wrenches: ArrayLike | None, efforts: ArrayLike | None
) -> tuple[Array | None, tuple[Array, Array] | None]:
    if wrenches is None:
        if efforts is not None:
            raise InputError("efforts: expected wrenches too, found efforts only")
        return None, None
    return np.atleast_2d(numbers("wrenches", wrenches, (..., 6))).reshape(-1, 6), bounds_of_efforts(robot, efforts)
