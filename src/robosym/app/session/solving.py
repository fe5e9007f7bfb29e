"""Inverse geometry of the robot that stands: its steps, all solutions of a pose, and what sets them apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations, islice, product
from threading import RLock
from time import monotonic
from typing import Any

import numpy as np

import robosym as rs
from robosym.algebra.once import cached_property
from robosym.app.session.book_steps import BookStep, book_steps, model_steps
from robosym.app.session.stance import Stance
from robosym.drawing.parts import Array
from robosym.errors import Error, InputError
from robosym.mechanism import Robot
from robosym.mechanism.path import path
from robosym.solve.pose import poses_of

__all__ = ["PoseSolution", "PoseSolver"]

GIVEN = "snaP"
#: windows solve in threads; Python 3.11 reads two sources at a time with an error of its own (ast.parse)
_ONE_AT_A_TIME = RLock()
_MANY_LOOPS = 3  #: a robot with more loops is solved from where it stands
_BRANCHES = 1024  #: of all steps together, above which only the nearest solution is looked for
_SHOWN = 64  #: solutions that are listed
_STARTS, _SEARCH = 40, 2.5  #: positions from which solutions are searched, and seconds that it may take
_TRIALS = 3.0  #: seconds in which a closed form is looked for by holding other joints of a redundant robot
_SAME = 1e-6  #: rad or m: nearer solutions are one
_OFF = 1e-6  #: of the reach: what a solution put back may miss by
_TOLERANCE = 1e-9  #: of a pose that is typed
_WORDS = {
    "paul": "every joint follows from an equation of table 2.1",
    "pieper": "equations of fourth degree about a spherical joint",
    "general": "elimination on numbers, Raghavan and Roth",
    "legs": "each leg by itself, from the pose of the platform",
    "near": "Newton's method from where the robot stands, and from other positions",
}


@dataclass(frozen=True)
class PoseSolution:
    """All joints of a solution, and how well it does."""

    number: int
    joints: Mapping[str, float]  #: of the drawn robot, cut joints included
    values: tuple[float, ...]  #: of the columns
    manipulability: float
    error: float  #: what is left of the pose when the joints are put back into the direct model
    free: tuple[str, ...] = ()


class PoseSolver:
    """The inverse geometric model of a robot that stands, as `inverse_geometry` gives it."""

    def __init__(
        self, stance: Stance, method: str = "auto", given: str = "", fixed: Mapping[str, float] | None = None
    ) -> None:  # fmt: skip
        self.stance, self.asked, self.frame = stance, method, stance.frame
        self.fixed = dict(fixed or {})
        self.remark = ""  #: what must be known of the solutions that were found last
        robot = stance.robot
        self.given = given or GIVEN
        self.model: Any = None
        with _ONE_AT_A_TIME:
            self._derive(robot, method, given)

    def _derive(self, robot: Robot, method: str, given: str) -> None:
        if robot.structure == "parallel":
            self.method = "legs"
        elif robot.modules or (method == "auto" and len(robot.loops) > _MANY_LOOPS):
            self.method = "near"
        else:
            self.model = self._chain(robot) if given else self._usual(robot)
            self.method = self.model.method

    def _usual(self, robot: Robot) -> Any:
        """For all of the pose; of arms that cannot reach any for the place, or an axis in space, where that does."""
        few = {2: "P", 3: "P", 5: "aP"}.get(len(self.stance.movable)) if not robot.loops else None
        if few is not None:
            try:
                self.given = few
                return self._chain(robot)
            except InputError:
                self.given = GIVEN
        return self._chain(robot)

    def _chain(self, robot: Robot) -> Any:
        """With the joints fixed that a redundant robot needs: those given, or the last that leaves a closed form."""
        if self.fixed:
            with suppress(InputError):  # joints of another chain: others are held
                return rs.inverse_geometry(robot, self.asked, self.given, frame=self.frame, fixed=list(self.fixed))
            self.fixed = {}
        try:
            return rs.inverse_geometry(robot, self.asked, self.given, frame=self.frame)
        except InputError as error:
            if "fixed=" not in str(error):
                raise
            refused = error
        way = [robot.variable(j) for j in path(robot, 0, self.frame)[1] if j in self.stance.movable]
        best, end = None, monotonic() + _TRIALS
        for names in combinations(reversed(way), max(1, len(way) - 6)):
            if best is not None and monotonic() > end:
                break
            try:
                found = rs.inverse_geometry(robot, self.asked, self.given, frame=self.frame, fixed=list(names))
            except Error:
                continue
            if best is None or found.method != "general":
                best, self.fixed = found, {name: self.stance.joints[name] for name in names}
            if found.method != "general":
                break
        if best is None:
            raise refused
        return best

    # ------------------------------------------------------------------ what is shown

    @property
    def words(self) -> str:
        """The method in a few words."""
        return _WORDS[self.method]

    @cached_property
    def steps(self) -> list[BookStep]:
        """As the book writes them; those of the loops follow."""
        if self.method == "legs":
            return model_steps(rs.inverse_geometry(self.stance.robot, passive=False))
        if self.model is None:
            return []
        found = book_steps(self.model.steps)
        for stage in self.model.loops:
            heading = f"Loop of frames {stage.loop.cut} and {stage.loop.fixed}"
            found += book_steps(stage.steps, len(found) + 1, heading)
        return found

    @property
    def counted(self) -> str:
        """`2 x 2 x 2 = 8 solutions`, as many as there can be."""
        numbers = [step.values for step in self.steps if step.values > 1]
        if not numbers or any(step.words for step in self.steps):
            return ""
        times = " \N{MULTIPLICATION SIGN} ".join(map(str, numbers))
        total = math.prod(numbers)
        return f"{times} = {total} solutions" if len(numbers) > 1 else f"{total} solutions"

    @cached_property
    def joints(self) -> tuple[str, ...]:
        """The columns of a table of solutions."""
        robot = self.stance.closed
        if self.model is not None and not robot.loops:
            return tuple(self.model.joints)
        return tuple(robot.variable(j) for j in self.stance.movable)

    def code(self, language: str) -> str:
        """The function that gives all solutions."""
        if self.model is None:
            robot = self.stance.robot
            more: Any = {} if robot.modules else {"frame": self.frame}
            return str(rs.inverse_geometry(robot, **more).code(language))
        return str(self.model.code(language))

    # ------------------------------------------------------------------ solutions

    def pose(self, T: Any) -> Array:
        """A pose (4, 4) as it is typed: rounded columns are made a rotation, what is none is refused."""
        poses, _, _ = poses_of(np.asarray(T, dtype=float), GIVEN, _TOLERANCE)
        return np.asarray(poses[0])

    @property
    def searches(self) -> bool:
        """Whether solutions are searched, which takes a while, and not computed."""
        return self.method != "legs" and (self.model is None or self._branches > _BRANCHES)

    def solve(self, T: Any, search: bool = True) -> list[PoseSolution]:
        """Every solution of a pose, each put back into the direct model; [] where it is out of reach.

        Where solutions must be searched, `search=False` gives the nearest one only, at once.
        """
        with _ONE_AT_A_TIME:
            return self._solved(T, search)

    def _solved(self, T: Any, search: bool) -> list[PoseSolution]:
        goal = self.pose(T)
        self.remark = ""
        found: list[tuple[Mapping[str, float], tuple[str, ...]]]
        if self.method == "legs":
            found = [(joints, ()) for joints in self._by_legs(goal)]
        elif self.searches:
            found = [(joints, ()) for joints in self._searched(goal, search)]
        else:
            found = self._by_chain(goal)
        columns = ["snaP".index(name) for name in self.given]
        kept: list[PoseSolution] = []
        for joints, free in found:
            error = float(np.abs(self.stance.pose_at(joints, self.frame) - goal)[:3, columns].max())
            if error > _OFF * max(1.0, self.stance.scene.reach):
                continue
            values = tuple(float(joints[name]) for name in self.joints)
            if any(self._alike(joints, other.joints) for other in kept):
                continue
            measure = self.stance.manipulability(joints, self.frame)
            kept.append(PoseSolution(len(kept) + 1, joints, values, measure, error, free))
            if len(kept) == _SHOWN:
                break
        return kept

    @cached_property
    def _branches(self) -> int:
        return math.prod(step.values or 1 for step in self.steps)

    def _alike(self, one: Mapping[str, float], other: Mapping[str, float]) -> bool:
        robot = self.stance.closed
        for j in robot.tree_joints:
            apart = one[robot.variable(j)] - other[robot.variable(j)]
            turns = robot.frame(j).joint_type.turns
            if abs(math.remainder(apart, 2 * math.pi) if turns else apart) > _SAME:
                return False
        return True

    def _numbers(self) -> dict[str, float]:
        numbers = {symbol.name: symbol.value for symbol in self.stance.symbols} | self.stance.joints | self.fixed
        return {name: numbers[name] for name in self.model.parameters}

    def _by_chain(self, goal: Array) -> list[tuple[Mapping[str, float], tuple[str, ...]]]:
        solutions = self.model.solve(goal, self._numbers())
        found: list[tuple[Mapping[str, float], tuple[str, ...]]] = []
        for row, free in zip(np.asarray(solutions), solutions.free, strict=True):
            own = {name: float(value) for name, value in zip(self.model.joints, row, strict=True)}
            found.append((self.stance.whole(own | self.fixed), tuple(free)))
        return found

    def _searched(self, goal: Array, search: bool) -> list[Mapping[str, float]]:
        """The nearest solution, and those that a search from other positions meets: there may be more."""
        stance, end = self.stance, monotonic() + _SEARCH
        nearest = stance.near(goal, self.frame)
        found: list[Mapping[str, float]] = [] if nearest is None else [nearest]
        if not search:
            self.remark = "the nearest; others are searched"
            return found
        if stance.is_redundant(self.frame):
            self.remark = "the nearest of infinitely many: the robot has more motors than the pose needs"
            return found
        motors = [stance.closed.variable(j) for j in stance.movable]
        tried = 1
        for start in stance.starts(_STARTS):
            left = end - monotonic()
            if left <= 0:
                break
            tried += 1
            joints = stance.near(goal, self.frame, start, left)
            if joints is not None and not self._inside_out({name: joints[name] for name in motors}, stance.joints):
                found.append(stance.whole(self._wound(joints)))
        self.remark = f"found from {tried} positions; there may be more"
        return found

    def _wound(self, joints: Mapping[str, float]) -> dict[str, float]:
        """The same with angles of at most half a turn."""
        robot = self.stance.closed
        turns = {robot.variable(j) for j in robot.tree_joints if robot.frame(j).joint_type.turns}
        return {n: math.remainder(value, 2 * math.pi) if n in turns else value for n, value in joints.items()}

    @cached_property
    def _leg_models(self) -> list[Any]:
        """A model of all legs in their first mode, in their second, and so on."""
        robot = self.stance.robot
        usual = rs.inverse_geometry(robot)
        models = [usual]
        for mode in range(max(usual.leg_modes)):
            try:
                modes = [min(mode, n - 1) for n in usual.leg_modes]
                models.append(rs.inverse_geometry(robot, modes=modes))
            except Error:
                continue
        return [replace(model, domain=None) for model in models]  # legs are looked at one by one

    def _by_legs(self, goal: Array) -> list[Mapping[str, float]]:
        """The modes of the legs, each with each: the one of the reference position first."""
        robot = self.stance.robot
        numbers = {symbol.name: symbol.value for symbol in self.stance.symbols}
        twelve = np.concatenate([goal[:3, :3].ravel(), goal[:3, 3]])
        by_leg: list[list[dict[str, float]]] = [[] for _ in robot.legs]
        motors, now = set(robot.motor_names), self.stance.joints
        for model in self._leg_models:
            needed = {name: numbers[name] for name in model.inputs.get("parameters", ())}
            given: dict[str, Any] = {"pose": twelve} | ({"parameters": needed} if "parameters" in model.inputs else {})
            result = model._function(**given)
            parts = [result] if len(model.outputs) == 1 else list(result)
            flat = {
                int(str(name)[1:]): float(value)
                for names, part in zip(model.outputs.values(), parts, strict=True)
                for name, value in zip(names, np.ravel(part), strict=True)
            }
            for leg, numbers_of in enumerate(robot.legs):
                own = {robot.variable(j): flat[j] for j in numbers_of if j in flat}
                driven = {name: value for name, value in own.items() if name in motors}
                if not all(math.isfinite(value) for value in own.values()) or self._inside_out(driven, now):
                    continue
                if not any(
                    all(abs(other[name] - value) < _SAME for name, value in driven.items()) for other in by_leg[leg]
                ):
                    by_leg[leg].append(own)
        found: list[Mapping[str, float]] = []
        for choice in islice(product(*by_leg), 4 * _SHOWN):
            joints = {name: value for part in choice for name, value in part.items()}
            found.append(self.stance.whole(joints))
        return found

    def _inside_out(self, driven: Mapping[str, float], now: Mapping[str, float]) -> bool:
        """Whether a length has the sign that the robot's has not: a leg drawn through itself."""
        robot = self.stance.closed
        lengths = [name for name in driven if not robot.frame(robot.variables.index(name) + 1).joint_type.turns]
        return any(driven[name] * now[name] < 0 for name in lengths)

    # ------------------------------------------------------------------ pictures

    def tags(self, solutions: Sequence[PoseSolution], chosen: int | None) -> list[dict[str, Any]]:
        """Where the number of each solution stands: at the frame that sets it apart most from the others."""
        if not solutions:
            return []
        poses = np.array([self.stance.scene.mover.poses(s.joints)[:, :3, 3] for s in solutions])
        inner = [j for j in range(1, poses.shape[1]) if j != self.frame] or [self.frame]
        apart = np.linalg.norm(poses[:, inner] - poses[:, inner].mean(axis=0), axis=-1)
        joined = apart.sum(axis=0)
        best = int(np.argmax(joined))
        places = [inner[best]] * len(solutions) if joined[best] else [inner[-1]] * len(solutions)
        return [
            {"tag": s.number, "at": [float(x) for x in poses[k, place]], "on": s.number == chosen}
            for k, (s, place) in enumerate(zip(solutions, places, strict=True))
        ]
