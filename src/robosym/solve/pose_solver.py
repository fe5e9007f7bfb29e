"""Positions of any mechanism from a pose or from some of its joints, by the first applicable strategy.

The table `STRATEGIES` lists the strategies in the order in which they are tried. A strategy accepts or declines a task;
if it accepts, it returns candidates, which `PoseSolver.solve` checks by forward substitution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.arrays import numbers
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import SOLVED
from robosym.chains.numeric_chain import Solutions
from robosym.coordinates.accepts import ALL, accepts
from robosym.coordinates.numeric_robot import NumericRobot, Position
from robosym.errors import InputError, closest
from robosym.mechanism import Robot
from robosym.mechanism.path import check_frame
from robosym.solve.inverse_geometry import METHODS
from robosym.solve.pose import poses_of
from robosym.solve.pose_strategies import STRATEGIES, PoseTask, Strategy
from robosym.solve.reaching import end_in_joints, pose_error

__all__ = ["PoseSolver", "pose_solver"]

_SAME = 1e-6  #: rad or m: solutions with a smaller difference are equal
_OFF = 1e-6  #: relative to the reach: largest error of a solution in forward substitution


@dataclass(frozen=True)
class PoseSolver:
    """Positions of a robot from the pose of a frame, or from known joints: made by `pose_solver`.

    `replace(solver, numeric=..., fixed=...)` returns a solver with other lengths and other values of the fixed joints.
    """

    robot: Robot = field(repr=False)
    numeric: NumericRobot = field(repr=False)
    frame: int  #: frame of the robot in joint coordinates
    strategy: Strategy = field(repr=False)
    fixed: Mapping[str, float]  #: joints of a redundant robot that keep these values

    @property
    def method(self) -> str:
        """Return how solutions are found.

        From a pose: "paul", "pieper", "general", "legs" or "near"; from known joints: "closed form", "continuation",
        "explicit", "numeric" or "search".
        """
        return self.strategy.method

    @property
    def given(self) -> str:
        """The columns of the pose that are solved for."""
        return self.strategy.given

    @property
    def known(self) -> tuple[str, ...]:
        """The joints whose positions `solve` takes; empty if it takes a pose."""
        return self.strategy.known

    def solve(
        self, goal: ArrayLike, near: Position | None = None, *, seconds: float = 2.5, most: int = 64
    ) -> Solutions:  # fmt: skip
        """Return every solution (k, joints) of a pose (4, 4), or of the known joints (n,).

        The columns are all joints, including cut joints; `.positions` has them by name. Each solution is checked by
        forward substitution; a goal that is out of reach has none. `.complete` states whether the list is complete,
        and `.why` why it is not. Joints that the goal does not determine keep their values in the position `near`,
        from which a search starts. A search ends after `seconds` (0: the nearest solution only), every strategy after
        `most` solutions.
        """
        wanted = numbers("q", goal, (len(self.known),)) if self.known else poses_of(goal, self.given, SOLVED)[0][0]
        here = self.numeric.at(near)
        task = PoseTask(self.robot, self.numeric, self.frame, here, self.known, given=self.given, fixed=self.fixed)
        candidates = self.strategy.candidates(task, wanted, seconds)
        tolerance = _OFF * max(1.0, self.numeric.reach)
        kept: list[tuple[Position, float, tuple[str, ...]]] = []
        complete, why = candidates.complete, candidates.why
        for joints, free in candidates.positions:
            error = self._error(joints, wanted)
            if max(error, self.numeric.gap(joints)) > tolerance:
                continue
            if any(self.numeric.same(joints, other, _SAME) for other, *_ in kept):
                continue
            if len(kept) == most:
                complete, why = False, f"the first {most} solutions"
                break
            kept.append((joints, error, free))
        names = tuple(here)
        rows = np.array([[joints[name] for name in names] for joints, *_ in kept]).reshape(-1, len(names))
        errors = np.array([error for _, error, _ in kept])
        return Solutions.of(rows, names, errors, [free for *_, free in kept], complete, why=why)

    def _error(self, joints: Position, wanted: Array) -> float:
        """Return the residual of the goal by forward substitution."""
        if not self.known:
            return pose_error(self.numeric, joints, self.frame, wanted, self.given)
        return float(np.abs([joints[name] for name in self.known] - wanted).max())


@accepts("floating", motors=ALL, platform=ALL, modules=ALL)
def pose_solver(
    robot: Robot,
    method: Literal["auto", "paul", "pieper", "general"] = "auto",
    given: str = "",
    *,
    frame: int | str | None = None,
    known: Sequence[str] = (),
    fixed: Mapping[str, float] | None = None,
    values: Mapping[str, float] | None = None,
    numeric: NumericRobot | None = None,
    near: Position | None = None,
) -> PoseSolver:
    """Prepare the positions of a robot, of any structure, from the pose of a frame or from joints that are `known`.

    Parameters
    ----------
    robot : Robot
        Any robot: a tree, a robot with loops or couplings, with a platform, or with modules in series.
    method, given : str
        As for `inverse_geometry`; default: the whole pose, or the columns that an arm with few joints can reach.
    frame : int or str, optional
        A frame of the robot in joint coordinates (`robot.to_closed()`), by default the end of the arm or the platform.
    known : sequence of str
        Joints from which all others follow, in place of the pose: the motors of a robot with loops or a platform.
    fixed : mapping, optional
        Joints of a redundant robot with their values. Default: joints are selected so that a closed form remains;
        they keep their values in the position `near`.
    values : mapping, optional
        Numbers for the symbols of the frames.
    numeric : NumericRobot, optional
        The robot with these values, where it was made before.
    near : mapping, optional
        Position from which a redundant robot takes the joints that the pose does not determine.

    Returns
    -------
    PoseSolver
        `.solve(T)` returns every solution, checked by forward substitution, and whether the list is complete.

    Raises
    ------
    InputError
        If the pose does not determine the joints, or a frame does not exist.

    Examples
    --------
    >>> import robosym as rs
    >>> solver = rs.pose_solver(rs.load("fivebar"), known=("t1", "t3"))
    """
    robot = robot.in_joints()
    if method not in METHODS:
        raise InputError(f"method: expected one of {', '.join(METHODS)}, found {method!r}{closest(method, METHODS)}")
    numeric = NumericRobot(robot, values) if numeric is None else numeric
    here = numeric.at(near)
    names = tuple(numeric.robot.joint_variable(name, "known") for name in known)
    end = end_in_joints(robot, numeric) if frame is None else check_frame(numeric.robot, frame, 1)
    task = PoseTask(robot, numeric, end, here, names, method, given, dict(fixed or {}))
    rows = (prepare for prepare, kinds in STRATEGIES.values() if robot.coordinates in kinds)
    strategy = next(made for made in (prepare(task) for prepare in rows) if made is not None)
    held = {name: task.fixed.get(name, here[name]) for name in strategy.fixed}
    return PoseSolver(robot, numeric, end, strategy, held)
