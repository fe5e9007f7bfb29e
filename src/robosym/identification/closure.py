"""Closed loops on floats: configurations that close them, and velocities that keep them closed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from robosym.algebra import Expr, evaluate
from robosym.errors import InputError
from robosym.geometry.frame import frame_transform
from robosym.identification.parallelograms import Parallelogram
from robosym.robot import REVOLUTE, Robot

__all__ = ["Closure"]

Array = NDArray[np.float64]
_CLOSED = 1e-12
_STARTS, _ITERATIONS = 60, 100


@dataclass(frozen=True)
class Closure:
    """The loops of a robot for given values of its geometry; a parallelogram is kept from folding over."""

    robot: Robot
    geometry: Mapping[str, float]
    parallelograms: Sequence[Parallelogram] = ()

    @cached_property
    def _placed(self) -> list[tuple[Array, float, float]]:
        """For each frame: what comes before the joint, then theta and r with the joint variable at zero."""
        values = {**{name: 0.0 for name in self.robot.variables if name}, **self.geometry}
        found = []
        for j, frame in enumerate(self.robot.frames, 1):
            theta, r = evaluate([frame.theta, frame.r], values)
            zero = frame.gamma.graph.zero
            T = frame_transform(replace(frame, theta=zero, r=zero), lambda entry: evaluate([entry], values)[0], j)
            pose = np.eye(4)
            pose[:3, :3], pose[:3, 3] = [list(row) for row in T.A.rows], list(T.P)
            found.append((pose, theta, r))
        return found

    def frames(self, q: Array) -> list[Array]:
        """The pose of each frame in frame 0, the variables of cut joints at zero; `q` are the tree's joints."""
        moved = dict(zip(self.robot.tree_joints, q, strict=True))
        poses = [np.eye(4)]
        for j, (frame, (before, theta, r)) in enumerate(zip(self.robot.frames, self._placed, strict=True), 1):
            shift = moved.get(j, 0.0)
            angle, height = (theta + shift, r) if frame.sigma == REVOLUTE else (theta, r + shift)
            c, s = np.cos(angle), np.sin(angle)
            screw = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, height], [0, 0, 0, 1]])
            poses.append(poses[frame.ant] @ before @ screw)
        return poses

    def constraints(self, q: Array) -> tuple[Array, Array]:
        """What must be zero for the loops to be closed, and its derivatives by the joints of the tree."""
        robot, poses = self.robot, self.frames(q)
        columns = {j: n for n, j in enumerate(robot.tree_joints)}
        residual: list[Array] = []
        jacobian: list[Array] = []

        def rates(frame: int, vector: Array, point: bool) -> Array:
            """Derivatives of a point, or of a direction, that moves with a frame; both are given in frame 0."""
            found = np.zeros((3, len(q)))
            j = frame
            while j:
                if j in columns:
                    axis = poses[j][:3, 2]
                    if robot.frame(j).sigma == REVOLUTE:
                        found[:, columns[j]] = _cross(axis, vector - poses[j][:3, 3] if point else vector)
                    elif point:
                        found[:, columns[j]] = axis
                j = robot.frame(j).ant
            return found

        def coincide(one: int, first: Array, other: int, second: Array, point: bool = False) -> None:
            residual.append(first - second)
            jacobian.append(rates(one, first, point) - rates(other, second, point))

        for k, fixed in robot.loops:
            here, there = poses[k], poses[fixed]
            coincide(k, here[:3, 2], fixed, there[:3, 2])
            if robot.frame(k).sigma == REVOLUTE:
                coincide(k, here[:3, 3], fixed, there[:3, 3], point=True)
                continue
            coincide(k, here[:3, 0], fixed, there[:3, 0])
            across = there[:3, :2].T  # a prismatic joint leaves the shift along its axis free
            gap = here[:3, 3] - there[:3, 3]
            moved = rates(k, here[:3, 3], True) - rates(fixed, there[:3, 3], True)
            turned = np.array([gap @ rates(fixed, there[:3, c], False) for c in (0, 1)])
            residual.append(across @ gap)
            jacobian.append(across @ moved + turned)
        for shape in self.parallelograms:
            for one, other in shape.pairs:
                directions = (self._numbers([row.x for row in side.basis.rows]) for side in (one, other))
                first, second = (poses[s.link][:3, :3] @ d for s, d in zip((one, other), directions, strict=True))
                coincide(one.link, first, other.link, second)
        return np.concatenate(residual), np.vstack(jacobian)

    def _numbers(self, entries: Sequence[Expr]) -> Array:
        return np.array([evaluate([e], self.geometry)[0] if isinstance(e, Expr) else float(e) for e in entries])

    def sample(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """A closed configuration, and a basis of the velocities of the tree that keep it closed (columns)."""
        count = len(self.robot.tree_joints)
        if not self.robot.loops:
            return rng.uniform(-np.pi, np.pi, count), np.eye(count)
        for _ in range(_STARTS):
            q = self._close(rng.uniform(-1.5, 1.5, count))
            if q is not None:
                _, jacobian = self.constraints(q)
                _, singular, rows = np.linalg.svd(jacobian)
                rank = int(np.sum(singular > 1e-7 * singular[0]))
                return q, rows[rank:].T
        raise InputError(f"no configuration closes the loops of {self.robot.name} for this geometry")

    def _close(self, q: Array) -> Array | None:
        """The nearest closed configuration by Gauss-Newton on all joints, so that none is asked beyond its reach."""
        for _ in range(_ITERATIONS):
            residual, jacobian = self.constraints(q)
            if np.max(np.abs(residual)) < _CLOSED:
                return q
            step = np.linalg.lstsq(jacobian, -residual, rcond=1e-10)[0]
            largest = float(np.max(np.abs(step)))
            q = q + step * min(1.0, 0.5 / largest) if largest else q
        return None


def _cross(a: Array, b: Array) -> Array:
    """Many times faster than NumPy's for a single pair."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
