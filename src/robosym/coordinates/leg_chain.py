"""The inverse geometry of one leg: its joints from the pose of the platform, in closed form, one branch per mode.

A leg that ends in a spherical joint (three revolute axes that meet, on links without inertia) is a chain to a point of
the platform; its last three joints follow from the orientation and carry no load.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from robosym.algebra import Graph, evaluate, numeric_value
from robosym.algebra.once import cached_property
from robosym.chains.chain import JointChain, PoseProblem, chain_between, pose_problem
from robosym.chains.matrix_equations import MatrixEquations
from robosym.chains.paul import closed_form
from robosym.coordinates.platform_motion import PlatformMotion
from robosym.coordinates.reference import Reference, remembered
from robosym.errors import ExpressionError, InputError
from robosym.mechanism import GEOMETRY, Robot
from robosym.mechanism.elements import expressions
from robosym.mechanism.motion import frame_transform
from robosym.model.solution.branches import branch_signs, run_branch
from robosym.model.solution.steps import Step
from robosym.spatial import Transform
from robosym.spatial.vectors import KnownAngle

__all__ = ["LegChain", "axes_at_end", "carries_load", "ends_in_ball", "leg_chain"]

_PARALLEL = 1.5  #: axes whose angle is farther from a right one are taken to be parallel
_FORMS = 96  #: number of closed forms that are stored
_REGULAR = 0.02  #: m: smaller singular values of the velocity of a point count as zero


def ends_in_ball(robot: Robot, leg: int) -> bool:
    """Return whether the last three joints of a leg form a spherical joint without load between them."""
    return axes_at_end(robot, leg) == 3


def axes_at_end(robot: Robot, leg: int) -> int:
    """Return how many of the last joints (at most three) rotate freely about concurrent axes without load.

    The rest of the leg depends only on the position of the point where these axes meet.
    """
    numbers = robot.legs[leg]
    count = 0
    for j in reversed(numbers[1:][-3:]):
        frame = robot.frame(j)
        if not frame.is_joint or not frame.joint_type.only_turns or frame.mu or j in robot.followers:
            break
        if carries_load(robot, j):
            break
        count += 1
        alpha = numeric_value(frame.alpha)
        if not (frame.b.is_zero and frame.d.is_zero and frame.r.is_zero) or alpha is None:
            break
        if abs(alpha % math.pi - math.pi / 2) > _PARALLEL:
            break
    return count


def carries_load(robot: Robot, j: int) -> bool:
    """Return whether link j has inertia, a wrench, a drive or friction, or its joint a spring or friction."""
    joint = robot.joint(j)
    return bool(joint.eta or joint.friction or any(not value.is_zero for _, value in expressions(robot.link(j))))


@dataclass(frozen=True)
class _Derivation:
    """A closed form to derive; derivations with the same content have the same steps."""

    content: tuple[object, ...]
    problem: PoseProblem = field(compare=False)


def _content(problem: PoseProblem) -> tuple[object, ...]:
    """Return the data that determine a closed form: the chain, the given and unknown columns, and the samples."""
    chain = problem.chain
    entries = tuple(str(entry) for constant in chain.constants for entry in (*constant.A, *constant.P))
    values = tuple((name, value.tobytes()) for name, value in problem.samples.symbols.items())
    return chain.joints, entries, problem.unknown, problem.given, problem.entries, values


@lru_cache(maxsize=_FORMS)
def _closed_form(derivation: _Derivation) -> tuple[Step, ...] | None:
    """Derive a closed form, or return that of an equal leg, such as one of a robot with other inertia parameters."""
    return closed_form(MatrixEquations(derivation.problem))


def leg_chain(robot: Robot, leg: int, reference: Reference | None = None, points: bool = False) -> LegChain:
    """Leg `leg` of a robot, with earlier results about its geometry."""
    what = f"leg {leg} {points} {reference is None}"
    found: LegChain = remembered(robot, what, lambda: LegChain(robot, leg, reference, points))
    return found


class LegChain:
    """Leg `leg` (from 0) of a parallel robot."""

    def __init__(self, robot: Robot, leg: int, reference: Reference | None = None, points: bool = False) -> None:
        """Create the chain; with `points`, it ends at the point of concurrent axes, even of fewer than three."""
        self.robot, self.leg, self.reference = robot, leg, reference
        self.numbers = robot.legs[leg]
        moving = [j for j in self.numbers if robot.frame(j).is_joint]
        free = [j for j in moving if j not in robot.followers]
        axes = axes_at_end(robot, leg)
        if 0 < axes < 3 and not (points and self._held_at_point(free[:-axes])):
            axes = 0
        self.ball = axes > 0  #: whether the platform acts on a point of the leg
        self.core = tuple(free[: len(free) - axes])  #: the joints that carry load
        self.wrist = tuple(free[len(free) - axes :])
        followed = len(free) < len(moving)
        self.to_point = self.ball and not followed  #: whether the point alone gives its joints
        #: joints that are solved for; the link of a parallelogram turns with the whole pose
        self.unknown = tuple(moving) if followed else self.core
        self.sides = [p.other for p in robot.module.parallelograms if p.rod in self.numbers]  #: second rods
        if len(moving) > 6:
            raise InputError(f"{robot.name}: leg {leg + 1} has {len(moving)} joints: the pose does not determine them")

    def members(self, j: int) -> list[tuple[int, int]]:
        """Return a joint that carries load and the joints that rotate with it, with signs."""
        return [(j, 1), *((k, way) for k, (rod, way) in self.robot.followers.items() if rod == j)]

    def _held_at_point(self, core: Sequence[int]) -> bool:
        """Return whether the position of the end determines the preceding joints, whatever its direction.

        Constraints on the orientation of the platform are ignored: the orientation must be known.
        """
        reference = self.reference
        if reference is None or reference.constant_basis is None:
            return False
        rows = [reference.at_point(sample, self.leg)[:, : len(core)] for sample in reference.samples]
        return all(np.linalg.matrix_rank(J, _REGULAR) == len(core) for J in rows)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables of the joints that are solved for."""
        return self._names(self.unknown)

    def _names(self, joints: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.robot.variable(j) for j in joints)

    @property
    def to_platform(self) -> JointChain:
        """The chain of all joints to the origin of the platform."""
        return self._chain(self.numbers[-1], True)

    @cached_property
    def points(self) -> dict[str, Any] | None:
        """Return joint values at positions that the platform can take; a single leg may reach others."""
        if self.reference is None or self.reference.freedom == 6:
            return None
        samples = self.reference.samples[1:]
        return (
            {name: np.resize([s.joints[name] for s in samples], 3) for name in samples[0].joints} if samples else None
        )

    def _chain(self, last: int, tool: bool) -> JointChain:
        place = self.robot.places[self.leg]

        def behind(graph: Graph) -> Transform:
            entries = [getattr(place, name) for name in GEOMETRY]
            copies = dict(zip(entries, graph.copy(entries), strict=True))
            return frame_transform(place, copies.__getitem__, 0).inverse()

        return chain_between(self.robot, 0, last, behind if tool else None)

    @cached_property
    def problem(self) -> PoseProblem:
        """The pose problem of the joints that carry load: to a point if the leg ends in a spherical joint."""
        if self.to_point:
            hub = self.wrist[0]
            chain = self._chain(hub, False).holding(self._names([hub]))
            return pose_problem(chain, self.names, "P", self.points)
        return pose_problem(self._chain(self.numbers[-1], True), self.names, "snaP", self.points)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        return self._solved(self.problem)

    @cached_property
    def _wrist(self) -> tuple[PoseProblem, tuple[Step, ...]]:
        problem = pose_problem(self._chain(self.numbers[-1], True), self._names(self.wrist), "sna", self.points)
        return problem, self._solved(problem)

    def _solved(self, problem: PoseProblem) -> tuple[Step, ...]:
        steps = _closed_form(_Derivation(_content(problem), problem))
        if steps is None:
            raise InputError(
                f"{self.robot.name}: leg {self.leg + 1} has no closed-form inverse geometric model: "
                "pass the robot with loops of to_closed()"
            )
        return steps

    @property
    def modes(self) -> list[tuple[int, ...]]:
        """The signs of the roots of each mode."""
        return branch_signs(self.steps)

    def solved(self, motion: PlatformMotion, mode: int) -> dict[str, Any]:
        """Return the joints that carry load by name, over the graph of the motion."""
        modes = self.modes
        if not 0 <= mode < len(modes):
            raise InputError(f"modes: leg {self.leg + 1} has the modes 0 to {len(modes) - 1}, found {mode}")
        if self.to_point:
            point = motion.P + motion.station(self.leg)
            entries = dict(zip(self.problem.entries[3::4], point, strict=True))
        else:
            entries = _entries(self.problem, motion)
        found = run_branch(self.steps, modes[mode], motion.work.graph, entries)
        for j, (rod, way) in self.robot.followers.items():
            if rod in self.numbers:
                turn = found[self.robot.variable(rod)]
                found[self.robot.variable(j)] = turn if way > 0 else -turn
        return found

    def wrist_joints(self, motion: PlatformMotion, core: Mapping[str, Any]) -> dict[str, Any]:
        """Return the joints of the spherical joint from the preceding ones."""
        if not self.to_point:
            return {}
        problem, steps = self._wrist
        known = {**_entries(problem, motion), **core}
        return run_branch(steps, self._wrist_signs, motion.work.graph, known)

    @cached_property
    def _wrist_signs(self) -> tuple[int, ...]:
        """The branch of the spherical joint: that of the reference position, else the first one."""
        problem, steps = self._wrist
        every = branch_signs(steps)
        if self.reference is None or len(every) < 2:
            return every[0]
        sample, motion = self.reference.samples[0], PlatformMotion(self.robot, ("pose",))
        graph, names = motion.work.graph, self._names(self.wrist)
        known: dict[str, Any] = _entries(problem, motion)
        for name, j in zip(self.names, self.unknown, strict=True):
            q = sample.joints[name]
            turns = self.robot.frame(j).joint_type.only_turns
            known[name] = KnownAngle(*map(graph.number, (math.cos(q), math.sin(q)))) if turns else graph.number(q)

        def away(signs: tuple[int, ...]) -> float:
            joints = run_branch(steps, signs, graph, known)
            try:
                angles = evaluate([joints[name].angle for name in names], sample.pose_values)
            except ExpressionError:
                return math.inf
            pairs = zip(angles, (sample.joints[name] for name in names), strict=True)
            return max(abs(math.remainder(found - wanted, 2 * math.pi)) for found, wanted in pairs)

        return min(every, key=lambda signs: round(away(signs), 6))


def _entries(problem: PoseProblem, motion: PlatformMotion) -> dict[str, Any]:
    rows = [(*row, p) for row, p in zip(motion.R.rows, motion.P, strict=True)]
    return dict(zip(problem.entries, (entry for row in rows for entry in row), strict=True))
