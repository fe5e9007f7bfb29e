"""Closing the loops in numbers: how far apart the two sides of each cut are, and a position in which they meet."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from robosym.algebra import Expr, evaluate
from robosym.errors import InputError
from robosym.geometry.chain import path
from robosym.kinematics.core import Poses, moving_joints
from robosym.robot import REVOLUTE, Robot
from robosym.workspace import Workspace

__all__ = ["Closure", "Loop", "loops_of"]

Array = NDArray[np.float64]
#: Closer than this, in metres and radians, the two sides of a cut have met.
CLOSED = 1e-9
_ROUNDS, _STARTS = 60, 60


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop cut at joint `cut`: the moving joints from its root to each side of the cut."""

    cut: int
    fixed: int  #: the frame that coincides with that of the cut joint
    root: int
    near: tuple[int, ...]  #: on the way from the root to the antecedent of the cut joint
    far: tuple[int, ...]  #: on the way from the root to the fixed frame


def loops_of(robot: Robot) -> tuple[Loop, ...]:
    found = []
    for cut, fixed in robot.loops:
        up, down = path(robot, robot.frame(cut).ant, fixed)
        root = robot.frame(down[0]).ant if down else robot.frame(up[-1]).ant
        found.append(Loop(cut, fixed, root, moving_joints(robot, up[::-1]), moving_joints(robot, down)))
    return tuple(found)


class Closure:
    """The closure of all loops of a robot as a function of its tree and cut joints, and its derivative."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.loops = loops_of(robot)
        self.joints = (*robot.tree_joints, *(k for k, _ in robot.loops if robot.frame(k).is_joint))
        self.names = tuple(robot.variable(j) for j in self.joints)
        with Workspace(robot, ("q", "q_cut", "parameters")) as work:
            self.parameters = work.inputs.get("parameters", ())
            poses = Poses(robot, work.value)
            one = work.graph.one
            self._poses: list[Expr] = []
            self._columns: dict[tuple[int, int], list[Expr]] = {}
            for number, loop in enumerate(self.loops):
                T = poses(loop.fixed, loop.cut)
                self._poses += [one * entry for entry in (*T.P, *T.A)]
                ends = [(k, 1) for k in (*loop.near, loop.cut)] + [(k, -1) for k in loop.far]
                for k, sense in ends:
                    if robot.frame(k).is_joint:
                        linear, angular = poses.column(loop.fixed, loop.cut, k)
                        self._columns[number, k] = [sense * one * entry for entry in (*linear, *angular)]

    @cached_property
    def _flat(self) -> list[Expr]:
        return [*self._poses, *(entry for column in self._columns.values() for entry in column)]

    def _linearised(self, values: Mapping[str, float]) -> tuple[Array, Array]:
        """The gap of every loop (position, rotation vector) and its derivative by `joints`, in the fixed frames."""
        numbers = np.array(evaluate(self._flat, values))
        gap = np.empty(6 * len(self.loops))
        for number in range(len(self.loops)):
            entries = numbers[12 * number : 12 * number + 12]
            gap[6 * number : 6 * number + 6] = [*entries[:3], *_rotation_vector(entries[3:].reshape(3, 3))]
        slope = np.zeros((len(gap), len(self.joints)))
        columns = numbers[12 * len(self.loops) :].reshape(-1, 6)
        for (number, joint), column in zip(self._columns, columns, strict=True):
            slope[6 * number : 6 * number + 6, self.joints.index(joint)] = column
        return gap, slope

    def gap(self, values: Mapping[str, float]) -> Array:
        """How far the loops are from closed, a row a loop: the position of the cut frame, then its rotation."""
        return self._linearised(values)[0].reshape(-1, 6)

    def move(self, values: Mapping[str, float], held: Sequence[int] = ()) -> tuple[dict[str, float], float]:
        """Values in which the loops are as closed as they get from here, joints `held` left alone, and the gap left.

        Levenberg-Marquardt steps: the damping follows the success of each step.
        """
        free = [c for c, joint in enumerate(self.joints) if joint not in held]
        here, damping = dict(values), 1e-3
        gap, slope = self._linearised(here)
        for _ in range(_ROUNDS):
            if np.abs(gap).max() < 1e-14 or not free:
                break
            J = slope[:, free]
            step = np.linalg.solve(J.T @ J + damping * np.eye(len(free)), -J.T @ gap)
            there = here | {self.names[c]: here[self.names[c]] + s for c, s in zip(free, step, strict=True)}
            next_gap, next_slope = self._linearised(there)
            if next_gap @ next_gap < gap @ gap:
                here, gap, slope, damping = there, next_gap, next_slope, damping * 0.1
            elif damping < 1e8:
                damping *= 10
            else:
                break
            damping = max(damping, 1e-16)
        return here, float(np.abs(gap).max())

    def close(self, values: Mapping[str, float], active: Sequence[int]) -> dict[str, float]:
        """Values of all joints in which the loops close: the active ones as given, the others near what is given."""
        closed, left = self.move(values, active)
        if left > CLOSED:
            raise InputError(
                f"{self.robot.name}: no position of the passive joints closes the loops from here: "
                f"{self._widest(closed)} with the active joints as given"
            )
        return closed

    def check(self, values: Mapping[str, float], tolerance: float = 1e-6) -> None:
        """An error where the loops are open."""
        if np.abs(self.gap(self.with_cut(values))).max() > tolerance:
            raise InputError(f"{self.robot.name}: the loops are open in this position: {self._widest(values)}")

    def with_cut(self, values: Mapping[str, float]) -> dict[str, float]:
        """The same values with those of the cut joints, which follow from the tree's."""
        cut = [k for k, _ in self.robot.loops if self.robot.frame(k).is_joint]
        full = dict.fromkeys((self.robot.variable(k) for k in cut), 0.0) | dict(values)
        given = [self.robot.variable(k) in values for k in cut]
        return full if all(given) else self.move(full, [j for j in self.joints if j not in cut])[0]

    def _widest(self, values: Mapping[str, float]) -> str:
        gaps = np.abs(self.gap(self.with_cut(values)))
        loop = self.loops[int(gaps.max(axis=1).argmax())]
        position, turn = gaps[self.loops.index(loop)].reshape(2, 3)
        return (
            f"frames {loop.cut} and {loop.fixed} stay {np.linalg.norm(position):.3g} apart "
            f"and {np.linalg.norm(turn):.3g} rad askew"
        )

    def samples(self, wanted: int) -> Iterator[dict[str, float]]:
        """Closed positions of no particularity, for random values of the parameters."""
        rng = random.Random(1)
        found = 0
        for _ in range(_STARTS):
            values = {name: rng.uniform(0.4, 1.6) for name in self.parameters}
            for joint, name in zip(self.joints, self.names, strict=True):
                turning = self.robot.frame(joint).sigma == REVOLUTE
                values[name] = rng.uniform(-2.5, 2.5) if turning else rng.uniform(0.3, 2.0)
            values, left = self.move(values)
            if left < CLOSED:
                found += 1
                yield values
                if found == wanted:
                    return


def _rotation_vector(A: Array) -> Array:
    """The axis of a rotation times its angle."""
    skew = np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]]) / 2
    sine, cosine = np.linalg.norm(skew), (np.trace(A) - 1) / 2
    if sine < 1e-9:
        if cosine > 0:
            return skew
        axis: Array = np.sqrt(np.maximum((np.diag(A) + 1) / 2, 0))  # half a turn: the sense is free
        return np.pi * axis
    turned: Array = skew * (np.arctan2(sine, cosine) / sine)
    return turned
