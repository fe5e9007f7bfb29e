"""Closing the loops in numbers: how far apart the two sides of each cut are, and a position in which they meet."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from robosym.algebra import Expr, evaluate, symbols
from robosym.description import GEOMETRY, Robot
from robosym.errors import InputError
from robosym.geometry.poses import Poses
from robosym.loops.parallelogram import Parallelogram
from robosym.loops.structure import loops_of
from robosym.model import Workspace

__all__ = ["Closing"]

Array = NDArray[np.float64]
#: Closer than this, in metres and radians, the two sides of a cut have met.
CLOSED = 1e-9
_TIGHTLY, _EXACTLY = 1e-12, 1e-14
_ROUNDS, _STARTS = 60, 60
_RANK = 1e-7  #: below this share of the largest, a singular value is zero


class Closing:
    """The closure of all loops of a robot as a function of its tree and cut joints, and its derivative.

    The given parallelograms are kept from folding over.
    """

    def __init__(self, robot: Robot, parallelograms: Sequence[Parallelogram] = ()) -> None:
        self.robot = robot
        self.loops = loops_of(robot)
        self.joints = (*robot.tree_joints, *(k for k, _ in robot.loops if robot.frame(k).is_joint))
        self.names = tuple(robot.variable(j) for j in self.joints)
        #: place of a loop, joint, its column, the sense in which it moves the cut, and whether it turns
        moved = [
            (number, j, self.joints.index(j), -1 if j in loop.far else 1, robot.frame(j).joint_type.turns)
            for number, loop in enumerate(self.loops)
            for j in loop.round
            if j in self.joints
        ]
        self._moved = np.array(moved, dtype=int).reshape(-1, 5).T
        self._cut, self._fixed = np.array(robot.loops, dtype=int).reshape(-1, 2).T
        self._pairs = [pair for shape in parallelograms for pair in zip(shape.pairs, shape.relations, strict=True)]
        sides = [e for pair, _ in self._pairs for side in pair for row in side.basis.T.rows[:2] for e in row]
        with Workspace(robot, ("q", "q_cut", "parameters")) as work:
            self.parameters = work.inputs.get("parameters", ())
            graph, poses = work.graph, Poses(robot, work.value)
            self._frames = [work.value(getattr(frame, name)) for name in GEOMETRY for frame in robot.frames]
            self._sides = [graph.copy([e])[0] if isinstance(e, Expr) else graph.number(e) for e in sides]
            gaps = [graph.zero + e for T in (poses(fixed, cut) for cut, fixed in robot.loops) for e in (*T.P, *T.A)]
            needed = set(symbols([*gaps, *self._sides]))
            #: what makes no difference to the loops, and need not be given
            self._any = {name: 1.0 for name in symbols(self._frames) if name not in needed}

    def frames(self, values: Mapping[str, float]) -> Array:
        """The pose of every frame in frame 0, that of frame 0 first."""
        gamma, b, alpha, d, theta, r = np.array(evaluate(self._frames, values)).reshape(6, -1)
        steps = _screws(2, gamma, b) @ _screws(0, alpha, d) @ _screws(2, theta, r)
        poses = np.empty((len(steps) + 1, 4, 4))
        poses[0] = np.eye(4)
        for j, (frame, step) in enumerate(zip(self.robot.frames, steps, strict=True), 1):
            poses[j] = poses[frame.ant] @ step
        return poses

    def _linearised(self, values: Mapping[str, float]) -> tuple[Array, Array]:
        """The gap of every loop (position, rotation vector) and its derivative by `joints`, in the fixed frames.

        Then for each parallelogram the angles between its sides and between its rods.
        """
        poses = self.frames(self._any | dict(values))
        A, P, z = poses[:, :3, :3], poses[:, :3, 3], poses[:, :3, 2]
        cut, fixed = self._cut, self._fixed
        position, turned = _turned(P[cut] - P[fixed], A[fixed]), A[fixed].transpose(0, 2, 1) @ A[cut]
        gap = [[*shift, *_rotation_vector(turn)] for shift, turn in zip(position, turned, strict=True)]
        number, joint, column, sense, turns = self._moved
        linear = np.where(turns[:, None], np.cross(z[joint], P[cut[number]] - P[joint]), z[joint])
        rates = np.hstack([_turned(linear, A[fixed[number]]), _turned(z[joint] * turns[:, None], A[fixed[number]])])
        slope = np.zeros((len(self.loops), 6, len(self.joints)))
        slope[number, :, column] = sense[:, None] * rates
        sides = np.array(evaluate(self._sides, values)).reshape(-1, 2, 2, 3)
        angles = np.zeros(len(self._pairs))
        still = np.zeros((len(self._pairs), len(self.joints)))
        for row, ((one, other), relation) in enumerate(self._pairs):
            along, _ = sides[row, 0] @ A[one.link].T
            parallel, across = sides[row, 1] @ A[other.link].T
            angles[row] = np.arctan2(along @ across, along @ parallel)
            still[row, [self.joints.index(j) for j in relation]] = list(relation.values())
        return np.concatenate([np.ravel(gap), angles]), np.vstack([slope.reshape(-1, len(self.joints)), still])

    def gap(self, values: Mapping[str, float]) -> Array:
        """How far the loops are from closed, a row a loop: the position of the cut frame, then its rotation."""
        return self._linearised(values)[0][: 6 * len(self.loops)].reshape(-1, 6)

    def move(self, values: Mapping[str, float], held: Sequence[int] = ()) -> tuple[dict[str, float], float]:
        """Values in which the loops are as closed as they get from here, joints `held` left alone, and the gap left.

        Levenberg-Marquardt steps: the damping follows the success of each step.
        """
        free = [c for c, joint in enumerate(self.joints) if joint not in held]
        if not self.loops:
            return dict(values), 0.0
        here, damping = dict(values), 1e-3
        gap, slope = self._linearised(here)
        for _ in range(_ROUNDS):
            if np.abs(gap).max() < _EXACTLY or not free:
                break
            J = slope[:, free]
            damped = J.T @ J + damping * np.eye(len(free))  # singular to rounding where J is and the damping small
            step, *_ = np.linalg.lstsq(damped, -J.T @ gap, rcond=None)
            there = here | {self.names[c]: here[self.names[c]] + s for c, s in zip(free, step, strict=True)}
            next_gap, next_slope = self._linearised(there)
            if next_gap @ next_gap < gap @ gap:
                here, gap, slope, damping = there, next_gap, next_slope, damping * 0.1
            elif damping < 1e8 and np.abs(gap).max() > _TIGHTLY:
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
            values, left = self.move(values | self._start(rng.uniform))
            if left < CLOSED:
                found += 1
                yield values
                if found == wanted:
                    return

    def sample(self, parameters: Mapping[str, float], rng: np.random.Generator) -> dict[str, float]:
        """A closed position of no particularity for these parameters."""
        for _ in range(_STARTS):
            values, left = self.move(dict(parameters) | self._start(rng.uniform))
            if left < _TIGHTLY:
                return values
        raise InputError(f"no configuration closes the loops of {self.robot.name} for this geometry")

    def _start(self, uniform: Callable[[float, float], float]) -> dict[str, float]:
        found = {}
        for joint, name in zip(self.joints, self.names, strict=True):
            turning = self.robot.frame(joint).joint_type.turns
            found[name] = uniform(-2.5, 2.5) if turning else uniform(0.3, 2.0)
        return found

    def velocities(self, values: Mapping[str, float]) -> Array:
        """A basis of the rates of the tree joints that keep the loops closed, as columns."""
        if not self.loops:
            return np.eye(len(self.joints))
        _, slope = self._linearised(values)
        _, singular, rows = np.linalg.svd(slope)
        rank = int((singular > _RANK * singular[0]).sum())
        return rows[rank:, : len(self.robot.tree_joints)].T


def _screws(axis: int, angle: Array, shift: Array) -> Array:
    """Rotations about a coordinate axis, with shifts along it."""
    found = np.zeros((len(angle), 4, 4))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    found[:, i, i] = found[:, j, j] = np.cos(angle)
    found[:, j, i] = np.sin(angle)
    found[:, i, j] = -found[:, j, i]
    found[:, axis, axis] = found[:, 3, 3] = 1
    found[:, axis, 3] = shift
    return found


def _turned(vectors: Array, A: Array) -> Array:
    """Vectors of frame 0, each in the frame of its own orientation."""
    turned: Array = np.einsum("ni,nij->nj", vectors, A)
    return turned


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
