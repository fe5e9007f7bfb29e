"""`direct_geometry` of a parallel robot: the poses of its platform from the positions of its motors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra import evaluate
from robosym.algebra.arrays import numbers
from robosym.algebra.once import cached_property
from robosym.algebra.samples import Array
from robosym.chains.numeric_chain import parameter_values
from robosym.coordinates.many_starts import Search
from robosym.coordinates.platform_poses import PlatformPoses, pose_matrices, pose_rows
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.solve.continuation import MOTIONS
from robosym.solve.distances import Distances
from robosym.solve.motion_frames import IN_SPACE
from robosym.solve.platform_points import HingedPlatform, PlatformPoints, hinged_platform, platform_points
from robosym.solve.pose_newton import pose_newton
from robosym.spatial import Mat3, Vec3

__all__ = ["DirectGeometry", "platform_geometry"]

_CLOSE = 1e-26  #: the sum of squares of half the differences of squared distances, of a robot of size 1
#: description of each motion of a platform
_DOES = {
    "space": "The platform moves in space.",
    "plane": "The platform moves in a plane.",
    "sphere": "The platform turns about a point.",
    "translation": "The platform keeps the orientation it has at the reference position; others are not looked for.",
}
_Newton = Callable[..., tuple[Array, Array]]  #: (q, pose) -> pose, gap
_CALLS = 8  #: maximum number of calls of the compiled model until Newton's method converges


def platform_geometry(robot: Robot) -> DirectGeometry:
    """Return the direct geometric model of a parallel robot: `.solve(q)`, all poses; `.near(q, pose)`, one."""
    held = platform_points(robot)
    return DirectGeometry(robot, held, hinged_platform(robot) if held is None else None)


class DirectGeometry:
    """The direct geometric model of a platform, returned by `direct_geometry`.

    A pose has twelve numbers: R row by row, then P, in frame 0.
    """

    def __init__(self, robot: Robot, held: PlatformPoints | None, hinged: HingedPlatform | None = None) -> None:
        self.robot = robot
        self.hinged = hinged  #: a platform that rotates about a joint of one leg and is constrained by another leg
        self.held = held  #: the distances that the legs fix, if these are their only constraints
        self._solvers: dict[tuple[float, ...], Distances] = {}
        self._compiled: dict[tuple[float, ...], tuple[_Newton, float]] = {}
        self._quick: tuple[_Newton, float] | None = None  # that of a robot without parameters

    def __repr__(self) -> str:
        return f"<DirectGeometry of {self.robot.name}: {', '.join(self.motors)} -> pose, by {self.method}>"

    @property
    def motors(self) -> tuple[str, ...]:
        """The motors, in the order of q."""
        return self.robot.motor_names

    @property
    def method(self) -> str:
        """The method: "continuation" or "closed form", both with a certificate, or "search" from many starts."""
        if self.held is None:
            return "search" if self.hinged is None else "closed form"
        return "continuation"

    @property
    def parameters(self) -> tuple[str, ...]:
        """The symbols that need a value."""
        return self.search.parameters if self.held is None else self.held.inputs["parameters"]

    @cached_property
    def search(self) -> Search:
        """The numeric legs."""
        return Search(self.robot)

    @cached_property
    def _model(self) -> Any:
        assert self.held is not None
        return pose_newton(self.held, self.robot.name).compile()

    def solve(self, q: ArrayLike, parameters: Mapping[str, float] | None = None, turned: bool = False) -> PlatformPoses:
        """Return all real poses (k, 12) of the platform; the result also counts the complex ones.

        If each leg fixes one distance, the result is complete, and its attribute `complete` certifies this by the
        number of solutions. For other robots, poses are searched from many random positions of the passive joints. A
        platform that keeps its orientation around the reference position (Delta, Orthoglide, 3-UPU) may have other
        operation modes, in which it is rotated. These are not searched by default, so that the result is complete
        within its `domain` only; `turned=True` searches the poses of all modes, without a certificate.
        """
        q = numbers("q", q, (len(self.motors),))
        values = parameter_values(self.parameters, parameters)
        hinged = None if self.hinged is None else self.hinged.solve(self._known(q, values))
        if hinged is not None:
            return hinged
        if self.held is None or (turned and self.held.frames.motion == "translation"):
            return self.search.solve(q, values)
        base, platform, lengths = self._points(q, values)
        key = tuple(values[name] for name in self.parameters)
        if key not in self._solvers:
            motion = self.held.frames.motion
            self._solvers[key] = Distances(base, platform, lengths, self.held.moving(), motion)
        poses = self._solvers[key].solve(base, platform, lengths)
        if self.held.frames is not IN_SPACE:
            poses = self._seen_from_base(poses, q, values)
        if self.held.frames.motion == "translation":
            poses = poses.within("in the orientation of the reference position")
        return poses if self.held.everywhere else self._reached(poses, q, values)

    def _known(self, q: Array, values: Mapping[str, float]) -> dict[str, float]:
        """Return all symbols of the legs."""
        return {**values, **dict(zip(self.motors, map(float, q), strict=True))}

    def _points(self, q: Array, values: Mapping[str, float]) -> tuple[Array, Array, Array]:
        assert self.held is not None
        points = [x for point in (*self.held.base, *self.held.platform) for x in point]
        entries: Array = np.array(
            evaluate(self.held.expressions((*points, *self.held.squares)), self._known(q, values))
        )
        base, platform, squares = np.split(entries, np.array([3, 6]) * len(self.held.squares))
        return base.reshape(-1, 3), platform.reshape(-1, 3), np.sqrt(np.maximum(squares, 0))

    def _reached(self, poses: PlatformPoses, q: Array, parameters: Mapping[str, float]) -> PlatformPoses:
        """Return the poses that the legs reach, given the directions that their joints allow."""
        values = dict.fromkeys(self.search.parameters, 1.0) | dict(parameters)
        reached = [self.search.joints_at(q, T, values) is not None for T in poses.matrices]
        some = poses.chosen(reached)
        some.complete = poses.complete and all(reached)  # a leg that was not closed from many starts might be
        return some

    def _seen_from_base(self, poses: PlatformPoses, q: Array, values: Mapping[str, float]) -> PlatformPoses:
        """Transform poses from the frames of the motion to frame 0."""
        assert self.held is not None
        known, rows = self._known(q, values), []
        for row in np.asarray(poses).tolist():
            R, P = self.held.frames.leave(Mat3.of(*row[:9]), Vec3(*row[9:]))
            rows.append(evaluate(self.held.expressions((*R, *P)), known))
        return poses.replaced(np.array(rows))

    def near(self, q: ArrayLike, pose: ArrayLike, parameters: Mapping[str, float] | None = None) -> Array:
        """Return the pose that Newton's method reaches from the nearby `pose` (12,) or (4, 4), in the same form."""
        if self.held is None:
            return self._searched_near(q, pose, parameters)
        known = self._quick if parameters is None and self._quick is not None else self._newton(q, parameters)
        newton, close = known
        try:
            found, gap = newton(q=q, pose=pose)
            if gap.item() < close:
                return found
            found, gap = newton(q=q, pose=found)
            if gap.item() < close:
                return found
        except (InputError, ValueError):
            pass  # a matrix, several poses, or a mistake: distinguished below
        return self._checked_near(newton, close, q, pose)

    def _newton(self, q: ArrayLike, parameters: Mapping[str, float] | None) -> tuple[_Newton, float]:
        """Return the compiled model with fixed parameters, and the gap due to rounding for a robot of this size."""
        known = parameter_values(self.parameters, parameters)
        values = tuple(known[name] for name in self.parameters)
        if values not in self._compiled:
            points = self._points(numbers("q", q, (len(self.motors),)), known)
            unit = max(float(np.abs(entries).max()) for entries in points)
            model = self._model.with_values(parameters=np.array(values)) if values else self._model
            self._compiled[values] = model, _CLOSE * unit**4
        if not values:
            self._quick = self._compiled[values]
        return self._compiled[values]

    def _checked_near(self, newton: _Newton, close: float, q: ArrayLike, pose: ArrayLike) -> Array:
        """Follow the pose with checks and without a limit on the number of steps."""
        q = numbers("q", q, (len(self.motors),))
        row, matrix = _row(pose)
        gap = np.inf
        for _ in range(_CALLS):
            row, (gap,) = newton(q=q, pose=row)
            if gap <= close:
                return np.asarray(pose_matrices(row) if matrix else row)
        raise InputError(
            f"{self.robot.name}: these motors give no pose near the given one: Newton's method does not converge"
            + (f", gap {np.sqrt(gap):.2g}" if np.isfinite(gap) else "")
        )

    def _searched_near(self, q: ArrayLike, pose: ArrayLike, parameters: Mapping[str, float] | None) -> Array:
        q = numbers("q", q, (len(self.motors),))
        row, matrix = _row(pose)
        T = self.search.near(q, pose_matrices(row), parameter_values(self.parameters, parameters))
        return T if matrix else pose_rows(T)

    def explain(self) -> str:
        """Return an explanation of how the poses are found."""
        name = self.robot.name
        if self.hinged is not None:
            return f"{name}: the platform turns about a joint of one leg, the other holds a distance: two circles.\n"
        if self.held is None:
            return f"{name}: poses are searched by closing the legs from many random positions of the passive joints.\n"
        return (
            f"{name}: every leg holds a point of the platform at a distance from a point of the base; "
            f"the motors change {' and '.join(self.held.moving())}. {_DOES[self.held.frames.motion]} All poses by "
            f"continuation from {MOTIONS[self.held.frames.motion].solutions} complex ones.\n"
        )


def _row(pose: ArrayLike) -> tuple[Array, bool]:
    """Return a pose as twelve numbers, and whether it was given as a matrix."""
    if np.shape(pose) == (4, 4):
        return pose_rows(numbers("pose", pose, (4, 4))), True
    return numbers("pose", pose, (12,)), False
