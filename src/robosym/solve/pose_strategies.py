"""Ways to find positions in which a frame has a pose or joints have values, in the order in which they are tried."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from time import monotonic
from typing import Any, Protocol

from robosym.algebra.once import cached_property
from robosym.algebra.samples import Array
from robosym.chains.numeric_chain import Solutions
from robosym.coordinates.numeric_robot import NumericRobot, Position
from robosym.coordinates.platform_poses import pose_rows
from robosym.errors import Error, InputError
from robosym.mechanism import Robot
from robosym.mechanism.path import path
from robosym.mechanism.series import closed_form
from robosym.model.solution.steps import Step
from robosym.solve.forward import DirectGeometry, platform_geometry
from robosym.solve.inverse_geometry import InverseGeometry, inverse_geometry
from robosym.solve.leg_joints import LegJoints, leg_joints
from robosym.solve.loop_geometry import LoopGeometry, loop_geometry
from robosym.solve.pose import JointsLeftFree
from robosym.solve.reaching import is_redundant, reach_pose

__all__ = ["STRATEGIES", "ByChain", "ByLegs", "ByLoops", "ByPlatform", "BySearch", "Candidates", "PoseTask", "Strategy"]

_POSE = "snaP"
_MANY_LOOPS = 3  #: a robot with more loops is searched
_BRANCHES = 1024  #: of all steps together, above which solutions are searched
_STARTS = 40  #: positions from which solutions are searched
_TRIALS = 3.0  #: seconds in which a closed form is looked for by fixing other joints of a redundant robot
_SAME = 1e-6  #: rad or m: joints of a leg that are nearer are one


@dataclass(frozen=True)
class PoseTask:
    """A robot, the frame that is led, where the robot stands, and what is asked for."""

    robot: Robot
    numeric: NumericRobot
    frame: int  #: of the robot in joint coordinates
    here: Position
    known: tuple[str, ...] = ()  #: joints that are given in place of a pose
    method: str = "auto"
    given: str = ""
    fixed: Mapping[str, float] = field(default_factory=dict)

    @property
    def on_the_way(self) -> list[str]:
        """The joints that move the frame and that loops and couplings do not move."""
        robot = self.numeric.robot
        return [robot.variable(j) for j in path(robot, 0, self.frame)[1] if j in self.numeric.movable]

    @property
    def platform(self) -> int | None:
        """The platform of a robot with one, as the robot in joint coordinates numbers it."""
        if self.robot.structure != "parallel":
            return None
        links = closed_form(self.robot, self.numeric.robot.position).links
        return next(j for j, link in links.items() if link == self.robot.module.end)


@dataclass(frozen=True)
class Candidates:
    """Positions with the joints that are free in each; whether these are all, and why not."""

    positions: Iterable[tuple[Position, tuple[str, ...]]]
    complete: bool | None
    why: str = ""


class Strategy(Protocol):
    """A way to solve, prepared for a robot."""

    @property
    def method(self) -> str: ...
    @property
    def given(self) -> str: ...
    @property
    def fixed(self) -> tuple[str, ...]:
        """Joints that keep their values."""

    @property
    def known(self) -> tuple[str, ...]:
        """Joints from which the others follow; none where the pose of a frame is given."""

    @property
    def searches(self) -> bool:
        """Whether solutions are searched, which takes a while, and not computed."""

    def candidates(self, task: PoseTask, goal: Array, seconds: float) -> Candidates: ...


# ------------------------------------------------------------------ known joints


@dataclass(frozen=True)
class ByPlatform:
    """A platform whose motors are known: its poses (`direct_geometry`), and the joints of the legs in each."""

    model: DirectGeometry
    given: str = ""
    fixed: tuple[str, ...] = ()

    @classmethod
    def prepared(cls, task: PoseTask) -> ByPlatform | None:
        if not task.known or task.platform is None or task.known != task.robot.motor_names:
            return None
        return cls(platform_geometry(task.robot))

    @property
    def method(self) -> str:
        return self.model.method

    @property
    def known(self) -> tuple[str, ...]:
        return self.model.motors

    @property
    def searches(self) -> bool:
        return self.method == "search"

    def candidates(self, task: PoseTask, goal: Array, seconds: float) -> Candidates:
        values = task.numeric.values
        poses = self.model.solve(goal, {name: values[name] for name in self.model.parameters})
        joints = (self.model.search.joints_at(goal, T, values) for T in poses.matrices)
        positions = ((task.numeric.whole(found, task.here), ()) for found in joints if found is not None)
        return Candidates(positions, poses.complete, "" if poses.complete else poses.report())


@dataclass(frozen=True)
class ByLoops:
    """Loops whose motors are known: one after the other, or together (`loop_geometry`)."""

    model: LoopGeometry
    given: str = ""
    fixed: tuple[str, ...] = ()

    @classmethod
    def prepared(cls, task: PoseTask) -> ByLoops | None:
        return cls(loop_geometry(task.numeric.robot, task.known)) if task.known else None

    @property
    def method(self) -> str:
        return self.model.method

    @property
    def known(self) -> tuple[str, ...]:
        return self.model.known

    @property
    def searches(self) -> bool:
        return self.model.together is not None

    def candidates(self, task: PoseTask, goal: Array, seconds: float) -> Candidates:
        found = self.model.solve(goal, near=[task.here[name] for name in self.model.joints])
        assert isinstance(found, Solutions)  # of one position
        positions = (task.numeric.whole(joints, task.here) for joints in found.positions)
        return Candidates(zip(positions, found.free, strict=True), found.complete, found.why)


# ------------------------------------------------------------------ legs


@dataclass(frozen=True)
class ByLegs:
    """A platform: each leg by itself, in each of its modes."""

    robot: Robot
    method: str = "legs"
    given: str = _POSE
    fixed: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    searches: bool = False

    @classmethod
    def prepared(cls, task: PoseTask) -> ByLegs | None:
        return cls(task.robot) if task.frame == task.platform and task.given in ("", _POSE) else None

    @cached_property
    def _models(self) -> tuple[list[LegJoints], bool]:
        """All legs in the mode of the reference, in their first, their second ..; whether each mode has its model."""
        usual = leg_joints(self.robot)
        models, every = [usual], True
        for mode in range(max(usual.leg_modes)):
            try:
                models.append(leg_joints(self.robot, [min(mode, count - 1) for count in usual.leg_modes]))
            except Error:
                every = False
        return [replace(model, domain=None) for model in models], every  # legs are looked at one by one

    def candidates(self, task: PoseTask, goal: Array, seconds: float) -> Candidates:
        """The modes of the legs, each with each: that of the reference position first."""
        models, every = self._models
        robot, motors = self.robot, {*self.robot.motor_names}
        by_leg: list[list[dict[str, float]]] = [[] for _ in robot.legs]
        given: dict[str, Any] = {"pose": pose_rows(goal)}
        for model in models:
            if "parameters" in model.inputs:
                given["parameters"] = {name: task.numeric.values[name] for name in model.inputs["parameters"]}
            row = model.joints_at(given, ordered=True)
            values = dict(zip(robot.tree_joints, map(float, row), strict=True))
            for leg, found in zip(robot.legs, by_leg, strict=True):
                own = {robot.variable(j): values[j] for j in leg if j in values}
                driven = {name: value for name, value in own.items() if name in motors}
                if not all(map(math.isfinite, own.values())) or _inside_out(task, driven):
                    continue
                if not any(all(abs(one[name] - driven[name]) < _SAME for name in driven) for one in found):
                    found.append(own)
        why = "" if every else "a leg has a mode without a model"
        return Candidates(self._positions(task, by_leg), every, why)

    @staticmethod
    def _positions(task: PoseTask, by_leg: list[list[dict[str, float]]]) -> Iterator[tuple[Position, tuple[str, ...]]]:
        for choice in product(*by_leg):
            joints = {name: value for part in choice for name, value in part.items()}
            yield task.numeric.whole(joints, task.here), ()


def _inside_out(task: PoseTask, motors: Position) -> bool:
    """Whether a length has the sign that the robot's has not: a leg drawn through itself."""
    robot = task.numeric
    numbers = dict(zip(robot.names, robot.robot.tree_joints, strict=True))
    return any(robot.slides(numbers[name]) and motors[name] * task.here[name] < 0 for name in motors)


# ------------------------------------------------------------------ chains


@dataclass(frozen=True)
class ByChain:
    """The path to the frame in closed form or by elimination, then the loops: `inverse_geometry`."""

    model: InverseGeometry
    fixed: tuple[str, ...]
    known: tuple[str, ...] = ()

    @classmethod
    def prepared(cls, task: PoseTask) -> ByChain | None:
        robot, usual = task.robot, task.method == "auto"
        if robot.modules or (usual and len(robot.loops) > _MANY_LOOPS):
            return None
        if usual and any(robot.variables[j - 1] in robot.couplings for j in path(robot, 0, task.frame)[1]):
            return None
        few = {2: "P", 3: "P", 5: "aP"}.get(len(task.numeric.movable)) if not robot.loops else None
        if few is not None and not task.given:
            with suppress(InputError):
                return cls._of(task, few)
        try:
            return cls._of(task, task.given or _POSE)
        except JointsLeftFree:
            if usual:
                return None
            raise

    @classmethod
    def _of(cls, task: PoseTask, given: str) -> ByChain:
        """With the joints fixed that a redundant robot needs: those given, or the last that leave a closed form."""

        def model(fixed: tuple[str, ...]) -> ByChain:
            return cls(inverse_geometry(task.robot, task.method, given, frame=task.frame, fixed=fixed), fixed)

        if task.fixed:
            return model(tuple(task.fixed))
        try:
            return model(())
        except JointsLeftFree as error:
            refused = error
        best, end, way = None, monotonic() + _TRIALS, task.on_the_way
        for names in combinations(reversed(way), max(1, len(way) - 6)):
            if best is not None and monotonic() > end:
                break
            with suppress(Error):
                found = model(names)
                if found.method != "general":
                    return found
                best = best or found
        if best is None:
            raise refused
        return best

    @property
    def method(self) -> str:
        return self.model.method

    @property
    def given(self) -> str:
        return self.model.given

    @cached_property
    def searches(self) -> bool:
        steps = [*self.model.steps, *(step for stage in self.model.loops for step in stage.steps)]
        return math.prod(step.branches for step in steps if isinstance(step, Step)) > _BRANCHES

    def candidates(self, task: PoseTask, goal: Array, seconds: float) -> Candidates:
        if self.searches:
            return BySearch(self.given).candidates(task, goal, seconds)
        numbers = {**task.numeric.values, **task.here, **task.fixed}
        found = self.model.solve(goal, {name: numbers[name] for name in self.model.parameters})
        assert isinstance(found, Solutions)  # of one pose
        positions = (task.numeric.whole({**joints, **task.fixed}, task.here) for joints in found.positions)
        return Candidates(zip(positions, found.free, strict=True), *self._completeness(found, task))

    def _completeness(self, found: Solutions, task: PoseTask) -> tuple[bool | None, str]:
        """Whether these are all solutions, and why not."""
        free = {name for names in found.free for name in names}
        if self.fixed:
            return False, "with " + ", ".join(f"{name} = {task.fixed[name]:.6g}" for name in self.fixed)
        if free:
            return False, f"a singular pose: {', '.join(sorted(free))} can move while it stays"
        if found.complete is False:
            return False, "the pose is nearly singular: solutions may be missing"
        if found.modes:
            return False, "other assembly modes of the loops are left out"
        if self.model.loops:
            return None, "assembly modes of the loops are not counted"
        return (None, "an elimination in numbers proves nothing") if self.method == "general" else (True, "")


# ------------------------------------------------------------------ search


@dataclass(frozen=True)
class BySearch:
    """Any robot: Newton's method from where it stands, then from other positions."""

    given: str = _POSE
    method: str = "near"
    fixed: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    searches: bool = True

    @classmethod
    def prepared(cls, task: PoseTask) -> BySearch:
        return cls(task.given or _POSE)

    def candidates(self, task: PoseTask, goal: Array, seconds: float) -> Candidates:
        robot, end = task.numeric, monotonic() + seconds
        nearest = reach_pose(robot, task.here, task.frame, goal, given=self.given)
        found = [] if nearest is None else [(nearest, ())]
        if not seconds:
            return Candidates(found, False, "the nearest; others are searched")
        if is_redundant(robot, task.here, task.frame, self.given):
            why = "the nearest of infinitely many: the robot has more motors than the pose needs"
            return Candidates(found, False, why)
        tried = 1
        for start in robot.starts(task.here, _STARTS):
            left = end - monotonic()
            if left <= 0:
                break
            tried += 1
            joints = reach_pose(robot, start, task.frame, goal, left, self.given)
            if joints is not None and not _inside_out(task, {name: joints[name] for name in robot.motors}):
                found.append((robot.whole(_wound(robot, joints), task.here), ()))
        return Candidates(found, False, f"found from {tried} positions; there may be more")


def _wound(robot: NumericRobot, joints: Position) -> dict[str, float]:
    """The joints of the tree with angles of at most half a turn, unless a ratio couples some."""
    return {
        name: joints[name] if robot.slides(j) or robot.robot.couplings else math.remainder(joints[name], 2 * math.pi)
        for j, name in zip(robot.robot.tree_joints, robot.names, strict=True)
    }


#: in this order; the last takes every robot
STRATEGIES: Mapping[str, Callable[[PoseTask], Strategy | None]] = {
    "poses of a platform from its motors": ByPlatform.prepared,
    "loops from known joints": ByLoops.prepared,
    "legs by vectors": ByLegs.prepared,
    "closed form or elimination": ByChain.prepared,
    "Newton's method from starts": BySearch.prepared,
}
