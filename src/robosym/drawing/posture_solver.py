"""Inverse geometric model of a drawn robot: the steps of the solver, all solutions of a pose, their differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from threading import RLock
from typing import Any

import numpy as np

from robosym.algebra.once import cached_property
from robosym.coordinates.accepts import accepted_by
from robosym.drawing.parts import Array
from robosym.drawing.posture import Posture
from robosym.errors import InputError
from robosym.languages.sections import model_steps
from robosym.model.solution.book_steps import BookStep, book_steps
from robosym.solve import InverseGeometry, inverse_geometry
from robosym.solve.pose import poses_of
from robosym.solve.pose_solver import pose_solver
from robosym.solve.stages import steps_of_loops

__all__ = ["PageSolver", "ShownSolution"]

GIVEN = "snaP"
#: windows solve in threads; Python 3.11 reads two sources at a time with an error of its own (ast.parse)
_ONE_AT_A_TIME = RLock()
_SEARCH = 2.5  #: seconds that a search may take
_TOLERANCE = 1e-9  #: tolerance of a typed pose
_WORDS = {
    "paul": "every joint follows from an equation of table 2.1",
    "pieper": "equations of fourth degree about a spherical joint",
    "general": "elimination on numbers, Raghavan and Roth",
    "legs": "each leg separately, from the pose of the platform",
    "near": "Newton's method from the current position, and from others",
}


@dataclass(frozen=True)
class ShownSolution:
    """All joint positions of a solution, and its quality."""

    number: int
    joints: Mapping[str, float]  #: joints of the drawn robot, cut joints included
    values: tuple[float, ...]  #: values of the columns
    manipulability: float
    error: float  #: residual of the pose, computed by the direct geometric model
    free: tuple[str, ...] = ()


class PageSolver:
    """The pose solver of a robot, with everything that is shown beside its picture."""

    def __init__(
        self, posture: Posture, method: str = "auto", given: str = "", fixed: Mapping[str, float] | None = None
    ) -> None:  # fmt: skip
        self.posture = posture
        self.remark = ""  #: remark on the latest solutions
        asked: dict[str, Any] = {"method": method, "given": given, "frame": posture.frame}
        asked |= {"numeric": posture.numeric, "near": posture.joints}
        with _ONE_AT_A_TIME:
            try:
                self._solver = pose_solver(posture.robot, fixed=fixed, **asked)
            except InputError as error:  # joints of another chain may be fixed: try without
                try:
                    self._solver = pose_solver(posture.robot, **asked)
                except InputError:
                    raise error from None
        self.fixed, self.frame = dict(self._solver.fixed), self._solver.frame
        self.method, self.given = self._solver.method, self._solver.given
        strategy = self._solver.strategy
        self.searches = strategy.searches  #: whether solutions are searched, which is slow
        self.model: InverseGeometry | None = strategy.model

    # ------------------------------------------------------------------ explanations

    @property
    def words(self) -> str:
        """The method in a few words."""
        return _WORDS[self.method]

    @cached_property
    def steps(self) -> list[BookStep]:
        """The steps in the notation of the book, followed by those of the loops."""
        if self.method == "legs":
            return model_steps(inverse_geometry(self.posture.robot, passive=False))
        if self.model is None:
            return []
        return steps_of_loops(self.model.loops, book_steps(self.model.steps))

    @property
    def counted(self) -> str:
        """The maximum number of solutions, as text: `2 x 2 x 2 = 8 solutions`."""
        numbers = [step.values for step in self.steps if step.values > 1]
        if not numbers or any(step.words for step in self.steps):
            return ""
        times = " \N{MULTIPLICATION SIGN} ".join(map(str, numbers))
        total = math.prod(numbers)
        return f"{times} = {total} solutions" if len(numbers) > 1 else f"{total} solutions"

    @cached_property
    def joints(self) -> tuple[str, ...]:
        """The columns of a table of solutions."""
        robot = self.posture.closed
        if self.model is not None and not robot.loops:
            return tuple(self.model.joints)
        return tuple(robot.variable(j) for j in self.posture.movable)

    def code(self, language: str) -> str:
        """Return the function that computes all solutions, as source code."""
        if self.model is None:
            robot = self.posture.robot
            declared = accepted_by(inverse_geometry)
            takes_frame = declared is None or declared.options(robot) is None
            more: Any = {"frame": self.frame} if takes_frame else {}
            return str(inverse_geometry(robot, **more).code(language))
        return str(self.model.code(language))

    def copied(self, tab: str) -> str:
        """Return text for the clipboard: the explanation of the steps, or their code in a language."""
        if tab == "steps" and self.model is not None:
            return str(self.model.explain())
        return self.code("listing" if tab == "steps" else tab)

    # ------------------------------------------------------------------ solutions

    def pose(self, T: Any) -> Array:
        """Return a typed pose (4, 4); rounded columns are made orthonormal, others are rejected."""
        poses, _, _ = poses_of(np.asarray(T, dtype=float), GIVEN, _TOLERANCE)
        return np.asarray(poses[0])

    def solve(self, T: Any, search: bool = True) -> list[ShownSolution]:
        """Return every solution of a pose, each checked by the direct geometric model; [] if it is out of reach.

        If solutions must be searched, `search=False` returns only the nearest one, at once.
        """
        robot, here = self.posture.numeric, self.posture.joints
        goal = self.pose(T)
        with _ONE_AT_A_TIME:
            solver = replace(self._solver, numeric=robot, fixed=self.fixed)
            found = solver.solve(goal, here, seconds=_SEARCH if search else 0.0)
        self.remark = found.why if self.searches else ""
        return [
            ShownSolution(
                number, joints, tuple(joints[name] for name in self.joints),
                robot.manipulability(joints, self.frame), error, free,
            )
            for number, (joints, error, free) in enumerate(
                zip(found.positions, found.errors.tolist(), found.free, strict=True), 1
            )
        ]  # fmt: skip

    # ------------------------------------------------------------------ pictures

    def tags(self, solutions: Sequence[ShownSolution], chosen: int | None) -> list[dict[str, Any]]:
        """Return the position of the number of each solution: the frame that distinguishes it best from the others."""
        if not solutions:
            return []
        poses = np.array([self.posture.numeric.poses(s.joints)[:, :3, 3] for s in solutions])
        inner = [j for j in range(1, poses.shape[1]) if j != self.frame] or [self.frame]
        apart = np.linalg.norm(poses[:, inner] - poses[:, inner].mean(axis=0), axis=-1)
        joined = apart.sum(axis=0)
        best = int(np.argmax(joined))
        places = [inner[best]] * len(solutions) if joined[best] else [inner[-1]] * len(solutions)
        return [
            {"tag": s.number, "at": [float(x) for x in poses[k, place]], "on": s.number == chosen}
            for k, (s, place) in enumerate(zip(solutions, places, strict=True))
        ]
