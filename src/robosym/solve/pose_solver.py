"""`pose_solver`: the joints of any mechanism from a pose, by the first strategy that suits it.

The strategies stand in one table, `STRATEGIES`, in the order in which they are asked. A strategy prepares itself for a
task or declines; prepared, it gives candidates, which `PoseSolver.solve` checks by forward substitution.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from robosym.algebra.tolerances import SOLVED
from robosym.coordinates.numeric_robot import NumericRobot, Position
from robosym.errors import InputError, closest
from robosym.mechanism import Robot
from robosym.mechanism.end_frame import chosen_frame
from robosym.mechanism.path import check_frame
from robosym.mechanism.series import closed_form
from robosym.solve.inverse_geometry import METHODS
from robosym.solve.pose import poses_of
from robosym.solve.pose_strategies import STRATEGIES, PoseTask, Strategy
from robosym.solve.reaching import pose_error

__all__ = ["PoseSolution", "PoseSolutions", "PoseSolver", "pose_solver"]

_SAME = 1e-6  #: rad or m: solutions that are nearer are one
_OFF = 1e-6  #: of the reach: what a solution put back may miss by


@dataclass(frozen=True)
class PoseSolution:
    """A position in which the frame has the pose."""

    joints: Position  #: every joint, cut joints included
    error: float  #: of the given columns of the pose, by forward substitution
    free: tuple[str, ...] = ()  #: joints that can move while the pose stays


@dataclass(frozen=True)
class PoseSolutions:
    """What was found for a pose, and whether that is all."""

    solutions: tuple[PoseSolution, ...]
    complete: bool | None  #: None where it is not known
    why: str = ""  #: why solutions may be missing

    def __iter__(self) -> Iterator[PoseSolution]:
        return iter(self.solutions)

    def __len__(self) -> int:
        return len(self.solutions)

    def __getitem__(self, place: int) -> PoseSolution:
        return self.solutions[place]


@dataclass(frozen=True)
class PoseSolver:
    """Positions of a robot from the pose of a frame: made by `pose_solver`.

    `replace(solver, numeric=..., fixed=...)` takes other lengths and other values of the fixed joints.
    """

    robot: Robot = field(repr=False)
    numeric: NumericRobot = field(repr=False)
    frame: int  #: of the robot in joint coordinates
    strategy: Strategy = field(repr=False)
    fixed: Mapping[str, float]  #: joints of a redundant robot that keep these values

    @property
    def method(self) -> str:
        """ "paul", "pieper", "general", "legs" or "near"."""
        return self.strategy.method

    @property
    def given(self) -> str:
        """The columns of the pose that count."""
        return self.strategy.given

    def solve(
        self, T: Any, near: Position | None = None, *, seconds: float = 2.5, most: int = 64
    ) -> PoseSolutions:  # fmt: skip
        """Every solution of a pose (4, 4), each checked by forward substitution; none where it is out of reach.

        `near` is a position: joints that the pose does not determine stay there, and a search starts there. A search
        ends after so many `seconds` (0: the nearest solution alone), every strategy after `most` solutions.
        """
        poses, _, _ = poses_of(T, self.given, SOLVED)
        here = self.numeric.at(near)
        task = PoseTask(self.robot, self.numeric, self.frame, here, given=self.given, fixed=self.fixed)
        candidates = self.strategy.candidates(task, np.asarray(poses[0]), seconds)
        tolerance = _OFF * max(1.0, self.numeric.reach)
        kept: list[PoseSolution] = []
        complete, why = candidates.complete, candidates.why
        for joints, free in candidates.positions:
            error = pose_error(self.numeric, joints, self.frame, poses[0], self.given)
            if error > tolerance or self.numeric.gap(joints) > tolerance:
                continue
            if any(self.numeric.same(joints, other.joints, _SAME) for other in kept):
                continue
            if len(kept) == most:
                complete, why = False, f"the first {most} solutions"
                break
            kept.append(PoseSolution(joints, error, free))
        return PoseSolutions(tuple(kept), complete, why)


def pose_solver(
    robot: Robot,
    method: str = "auto",
    given: str = "",
    *,
    frame: int | str | None = None,
    fixed: Mapping[str, float] | None = None,
    values: Mapping[str, float] | None = None,
    numeric: NumericRobot | None = None,
    near: Position | None = None,
) -> PoseSolver:
    """Prepare the positions of a robot, of any structure, from the pose of a frame.

    `method` and `given` are as for `inverse_geometry`; without `given` the whole pose is, or what an arm of few joints
    can reach of it. `fixed` are joints of a redundant robot with their values; without them joints are chosen, so that
    a closed form is left, and keep the values of the position `near`. `values` are numbers for the symbols of the
    frames; `numeric` is the robot with such values, where there is one already. `frame` is a frame of the robot in
    joint coordinates (`robot.to_closed()`), by default the end of the arm or the platform.
    """
    if method not in METHODS:
        raise InputError(f"method: expected one of {', '.join(METHODS)}, found {method!r}{closest(method, METHODS)}")
    numeric = NumericRobot(robot, values) if numeric is None else numeric
    here = numeric.at(near)
    end = _end(robot, numeric) if frame is None else check_frame(numeric.robot, frame, 1)
    task = PoseTask(robot, numeric, end, here, method, given, dict(fixed or {}))
    strategy = next(made for prepare in STRATEGIES.values() if (made := prepare(task)) is not None)
    held = {name: task.fixed.get(name, here[name]) for name in strategy.fixed}
    return PoseSolver(robot, numeric, end, strategy, held)


def _end(robot: Robot, numeric: NumericRobot) -> int:
    """The end of the arm, or the platform, as the robot in joint coordinates numbers it."""
    if not robot.modules:
        return check_frame(robot, chosen_frame(robot, None), 1)
    links = closed_form(robot, numeric.robot.position).links
    return next(j for j, link in links.items() if link == robot.modules[-1].end)
