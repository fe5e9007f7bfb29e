"""Strategies that find positions in which a frame has a pose or joints have values, in the order of trial."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import combinations, product, repeat
from time import monotonic
from typing import Literal

from robosym.algebra.samples import Array
from robosym.chains.numeric_chain import Solutions
from robosym.coordinates.numeric_robot import NumericRobot, Position
from robosym.coordinates.platform_poses import pose_rows
from robosym.errors import Error, InputError
from robosym.mechanism import Robot
from robosym.mechanism.path import path
from robosym.model.solution.steps import Step
from robosym.solve.forward import platform_geometry
from robosym.solve.inverse_geometry import InverseGeometry, inverse_geometry
from robosym.solve.leg_joints import LegJoints, leg_joints
from robosym.solve.loop_geometry import loop_geometry
from robosym.solve.pose import JointsLeftFree
from robosym.solve.reaching import end_in_joints, is_redundant, reach_pose

__all__ = ["STRATEGIES", "Candidates", "PoseTask", "Strategy"]

#: positions with the joints that are free in each
Positions = Iterable[tuple[Position, tuple[str, ...]]]
_POSE = "snaP"
_MANY_LOOPS = 3  #: a robot with more loops is searched
_BRANCHES = 1024  #: number of branches of all steps together above which solutions are searched
_STARTS = 40  #: positions from which solutions are searched
_TRIALS = 3.0  #: seconds in which a closed form is looked for by fixing other joints of a redundant robot
_SAME = 1e-6  #: rad or m: joint positions of a leg with a smaller difference are equal


@dataclass(frozen=True)
class PoseTask:
    """A task for a pose solver: robot, frame to place, current position, and the given quantities."""

    robot: Robot
    numeric: NumericRobot
    frame: int  #: frame of the robot in joint coordinates
    here: Position
    known: tuple[str, ...] = ()  #: joints that are given in place of a pose
    method: Literal["auto", "paul", "pieper", "general"] = "auto"
    given: str = ""
    fixed: Mapping[str, float] = field(default_factory=dict)

    @property
    def on_the_way(self) -> list[str]:
        """Return the joints that move the frame and do not depend on loops or couplings."""
        robot = self.numeric.robot
        return [robot.variable(j) for j in path(robot, 0, self.frame)[1] if j in self.numeric.movable]

    def whole(self, joints: Iterable[Position], free: Iterable[tuple[str, ...]] = repeat(())) -> Positions:
        """Return complete positions from partial ones, each with its free joints."""
        return zip((self.numeric.whole(some, self.here) for some in joints), free, strict=False)


@dataclass(frozen=True)
class Candidates:
    """Positions with their free joints; whether the list is complete, and if not, why."""

    positions: Positions
    complete: bool | None
    why: str = ""


@dataclass(frozen=True)
class Strategy:
    """A solution method, prepared for a robot."""

    method: str
    candidates: Callable[[PoseTask, Array, float], Candidates]  #: for a pose or known joints, within seconds
    given: str = ""  #: columns of the pose that count
    known: tuple[str, ...] = ()  #: joints from which the others follow; none where the pose of a frame is given
    fixed: tuple[str, ...] = ()  #: joints that keep their values
    searches: bool = False  #: whether solutions are searched, which takes a while, and not computed
    model: InverseGeometry | None = None  #: model whose steps can be shown


# ------------------------------------------------------------------ known joints


def by_platform(task: PoseTask) -> Strategy | None:
    """Return the strategy for a platform with known motors: `direct_geometry`, then the joints of the legs."""
    if task.known != task.robot.motor_names:
        return None
    model = platform_geometry(task.robot)

    def candidates(task: PoseTask, q: Array, seconds: float) -> Candidates:
        values = task.numeric.values
        poses = model.solve(q, {name: values[name] for name in model.parameters})
        joints = (model.search.joints_at(q, T, values) for T in poses.matrices)
        positions = task.whole(found for found in joints if found is not None)
        return Candidates(positions, poses.complete, "" if poses.complete else poses.report())

    return Strategy(model.method, candidates, known=model.motors, searches=model.method == "search")


def by_loops(task: PoseTask) -> Strategy | None:
    """Solve loops with known motors, one after the other or together (`loop_geometry`)."""
    if not task.known:
        return None
    model = loop_geometry(task.numeric.robot, task.known)

    def candidates(task: PoseTask, q: Array, seconds: float) -> Candidates:
        found = model.solve(q, near=[task.here[name] for name in model.joints])
        assert isinstance(found, Solutions)  # of one position
        return Candidates(task.whole(found.positions, found.free), found.complete, found.why)

    return Strategy(model.method, candidates, known=model.known, searches=model.together is not None)


# ------------------------------------------------------------------ legs


def by_legs(task: PoseTask) -> Strategy | None:
    """Return the strategy for a platform pose: each leg separately, in each of its modes."""
    if task.frame != end_in_joints(task.robot, task.numeric) or task.given not in ("", _POSE):
        return None
    models = cache(partial(_leg_models, task.robot))
    return Strategy("legs", lambda task, T, seconds: _of_legs(task, T, *models()), _POSE)


def _leg_models(robot: Robot) -> tuple[list[LegJoints], bool]:
    """Return the models with all legs in the reference, first, second .. mode; whether each mode has its model."""
    usual = leg_joints(robot)
    models, every = [usual], True
    for mode in range(max(usual.leg_modes)):
        try:
            models.append(leg_joints(robot, [min(mode, count - 1) for count in usual.leg_modes]))
        except Error:
            every = False
    return [replace(model, domain=None) for model in models], every  # legs are looked at one by one


def _of_legs(task: PoseTask, T: Array, models: Sequence[LegJoints], every: bool) -> Candidates:
    """Return all combinations of leg modes, that of the reference position first."""
    robot, motors = task.robot, {*task.robot.motor_names}
    by_leg: list[list[dict[str, float]]] = [[] for _ in robot.legs]
    for model in models:
        needed = {name: task.numeric.values[name] for name in model.inputs.get("parameters", ())}
        row = model.joints_at({"pose": pose_rows(T)} | ({"parameters": needed} if needed else {}), ordered=True)
        values = dict(zip(robot.tree_joints, map(float, row), strict=True))
        for leg, found in zip(robot.legs, by_leg, strict=True):
            own = {robot.variable(j): values[j] for j in leg if j in values}
            driven = {name: value for name, value in own.items() if name in motors}
            if not all(map(math.isfinite, own.values())) or _inside_out(task, driven):
                continue
            if not any(all(abs(one[name] - driven[name]) < _SAME for name in driven) for one in found):
                found.append(own)
    joints = ({name: value for part in choice for name, value in part.items()} for choice in product(*by_leg))
    return Candidates(task.whole(joints), every, "" if every else "a leg has a mode without a model")


def _inside_out(task: PoseTask, motors: Position) -> bool:
    """Return whether a length has the opposite sign of that of the robot, so that the leg passes through itself."""
    robot = task.numeric
    numbers = dict(zip(robot.names, robot.robot.tree_joints, strict=True))
    return any(robot.slides(numbers[name]) and motors[name] * task.here[name] < 0 for name in motors)


# ------------------------------------------------------------------ chains


def by_chain(task: PoseTask) -> Strategy | None:
    """Return the strategy for a chain: closed form or elimination, then the loops (`inverse_geometry`)."""
    robot, usual = task.robot, task.method == "auto"
    if usual and len(robot.loops) > _MANY_LOOPS:
        return None
    if usual and any(robot.variables[j - 1] in robot.couplings for j in path(robot, 0, task.frame)[1]):
        return None
    few = {2: "P", 3: "P", 5: "aP"}.get(len(task.numeric.movable)) if not robot.loops else None
    if few is not None and not task.given:
        with suppress(InputError):
            return _chain(task, few)
    try:
        return _chain(task, task.given or _POSE)
    except JointsLeftFree:
        if usual:
            return None
        raise


def _chain(task: PoseTask, given: str) -> Strategy:
    """Return the chain with fixed joints for a redundant robot: the given ones, or the last with a closed form."""

    def solved(fixed: tuple[str, ...]) -> Strategy:
        model = inverse_geometry(task.robot, task.method, given, frame=task.frame, fixed=fixed)
        if not isinstance(model, InverseGeometry):
            raise JointsLeftFree(f"{task.robot.name} has {len(model.joints)} joints")
        steps = [*model.steps, *(step for stage in model.loops for step in stage.steps)]
        if math.prod(step.branches for step in steps if isinstance(step, Step)) > _BRANCHES:
            return replace(_search(given), method=model.method, fixed=fixed, model=model)
        return Strategy(model.method, partial(_of_chain, model, fixed), given, fixed=fixed, model=model)

    if task.fixed:
        return solved(tuple(task.fixed))
    try:
        return solved(())
    except JointsLeftFree as error:
        rejected = error
    best, end, way = None, monotonic() + _TRIALS, task.on_the_way
    for names in combinations(reversed(way), max(1, len(way) - 6)):
        if best is not None and monotonic() > end:
            break
        with suppress(Error):
            found = solved(names)
            if found.method != "general":
                return found
            best = best or found
    if best is None:
        raise rejected
    return best


def _of_chain(
    model: InverseGeometry, fixed: tuple[str, ...], task: PoseTask, T: Array, seconds: float
) -> Candidates:  # fmt: skip
    numbers = {**task.numeric.values, **task.here, **task.fixed}
    found = model.solve(T, {name: numbers[name] for name in model.parameters})
    assert isinstance(found, Solutions)  # of one pose
    positions = task.whole(({**joints, **task.fixed} for joints in found.positions), found.free)
    free = sorted({name for names in found.free for name in names})
    if fixed:
        return Candidates(positions, False, "with " + ", ".join(f"{name} = {task.fixed[name]:.6g}" for name in fixed))
    if free:
        return Candidates(positions, False, f"a singular pose: {', '.join(free)} can move while it stays")
    if found.complete is False:
        return Candidates(positions, False, "the pose is nearly singular: solutions may be missing")
    if found.modes:
        return Candidates(positions, False, "other assembly modes of the loops are left out")
    if model.loops:
        return Candidates(positions, None, "assembly modes of the loops are not counted")
    if model.method == "general":
        return Candidates(positions, None, "an elimination in numbers proves nothing")
    return Candidates(positions, True)


# ------------------------------------------------------------------ search


def by_search(task: PoseTask) -> Strategy:
    """Return the strategy for any robot: Newton's method from the given position, then from others."""
    return _search(task.given or _POSE)


def _search(given: str) -> Strategy:
    return Strategy("near", partial(_searched, given), given, searches=True)


def _searched(given: str, task: PoseTask, T: Array, seconds: float) -> Candidates:
    robot, end = task.numeric, monotonic() + seconds
    nearest = reach_pose(robot, task.here, task.frame, T, given=given)
    found: list[tuple[Position, tuple[str, ...]]] = [] if nearest is None else [(nearest, ())]
    if not seconds:
        return Candidates(found, False, "the nearest; others are searched")
    if is_redundant(robot, task.here, task.frame, given):
        why = "the nearest of infinitely many: the robot has more motors than the pose needs"
        return Candidates(found, False, why)
    tried = 1
    for start in robot.starts(task.here, _STARTS):
        left = end - monotonic()
        if left <= 0:
            break
        tried += 1
        joints = reach_pose(robot, start, task.frame, T, left, given)
        if joints is not None and not _inside_out(task, {name: joints[name] for name in robot.motors}):
            found.append((robot.whole(_wound(robot, joints), task.here), ()))
    return Candidates(found, False, f"found from {tried} positions; there may be more")


def _wound(robot: NumericRobot, joints: Position) -> dict[str, float]:
    """Return the tree joints with angles of at most half a turn, unless a ratio couples some."""
    return {
        name: joints[name] if robot.slides(j) or robot.robot.couplings else math.remainder(joints[name], 2 * math.pi)
        for j, name in zip(robot.robot.tree_joints, robot.names, strict=True)
    }


_JOINTS, _PLATFORM = frozenset({"joints", "active"}), frozenset({"platform"})
#: in this order; each is for robots whose models have these coordinates, the last takes every robot
STRATEGIES: Mapping[str, tuple[Callable[[PoseTask], Strategy | None], frozenset[str]]] = {
    "poses of a platform from its motors": (by_platform, _PLATFORM),
    "loops from known joints": (by_loops, _JOINTS | _PLATFORM | {"modules"}),
    "legs by vectors": (by_legs, _PLATFORM),
    "closed form or elimination": (by_chain, _JOINTS),
    "Newton's method from starts": (by_search, _JOINTS | _PLATFORM | {"modules"}),
}
