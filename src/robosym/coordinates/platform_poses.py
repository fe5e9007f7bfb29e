"""Poses of a platform as arrays with twelve columns: R row by row, then P."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from robosym.algebra.arrays import numbers
from robosym.algebra.once import cached_property
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import LIMIT, ORTHONORMAL
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.numeric_tree import NumericTree, frame_matrix
from robosym.spatial.numeric import displacement

__all__ = ["LegEnds", "PlatformPoses", "pose_matrices", "pose_rows", "poses_given"]


class PlatformPoses(np.ndarray[Any, np.dtype[np.float64]]):
    """Poses (k, 12): R row by row, then P; with their properties."""

    errors: Array  #: largest gap between a leg and the platform in each pose, by forward substitution
    singular: Array  #: whether several solutions coincide in each pose (a singular position of the robot)
    complex: int | None  #: how many distinct complex solutions were counted, the real ones among them
    infinite: int | None  #: how many of the paths ended at infinity
    complete: bool  #: whether the count certifies that no real pose is missing, of whatever operation mode
    method: str
    domain: str  #: the poses among which all were found, where these are not all that the platform may take

    @classmethod
    def of(
        cls, poses: Array, errors: Array, singular: Array, method: str, *,
        complex: int | None = None, infinite: int | None = None, complete: bool = False,
    ) -> PlatformPoses:  # fmt: skip
        result = np.ascontiguousarray(poses, dtype=float).reshape(-1, 12).view(cls)
        result.errors, result.singular, result.method = errors, singular, method
        result.complex, result.infinite, result.complete = complex, infinite, complete
        return result

    def __array_finalize__(self, source: Any) -> None:
        self.errors, self.singular = getattr(source, "errors", np.zeros(0)), getattr(source, "singular", np.zeros(0))
        self.method, self.complex = getattr(source, "method", ""), getattr(source, "complex", None)
        self.infinite, self.complete = getattr(source, "infinite", None), getattr(source, "complete", False)
        self.domain = getattr(source, "domain", "")

    def replaced(self, poses: Array) -> PlatformPoses:
        """Return the same poses with other numbers, in other frames."""
        made = PlatformPoses.of(
            poses, self.errors, self.singular, self.method,
            complex=self.complex, infinite=self.infinite, complete=self.complete,
        )  # fmt: skip
        made.domain = self.domain
        return made

    def within(self, domain: str) -> PlatformPoses:
        """Return the poses marked as found within a domain: others were not searched, so the list may be incomplete."""
        made = self.replaced(np.asarray(self))
        made.domain, made.complete = domain if self.complete else "", False
        return made

    def chosen(self, which: Sequence[bool]) -> PlatformPoses:
        """Return some of the poses."""
        mask = np.array(which, dtype=bool)
        some = self.replaced(np.asarray(self)[mask])
        some.errors, some.singular = self.errors[mask], self.singular[mask]
        return some

    @property
    def matrices(self) -> Array:
        """The poses as matrices (k, 4, 4)."""
        return pose_matrices(np.asarray(self))

    def report(self) -> str:
        """Return a summary in one or two sentences."""
        text = f"{len(self)} real poses, {self.method}"
        if self.complex is not None:
            text += f"; {self.complex} complex solutions"
            text += f", {self.infinite} paths to infinity" if self.infinite else ""
        if len(self):
            text += f"; largest error {self.errors.max():.1e}"
        if self.domain:
            return f"{text}; complete {self.domain} only: others were not looked for"
        return f"{text}; complete" if self.complete else f"{text}; completeness is not certified"


def pose_matrices(rows: Array) -> Array:
    """Return the matrices (..., 4, 4) of poses (..., 12)."""
    T = np.zeros((*rows.shape[:-1], 4, 4))
    T[..., :3, :3] = rows[..., :9].reshape(*rows.shape[:-1], 3, 3)
    T[..., :3, 3], T[..., 3, 3] = rows[..., 9:], 1
    return T


def pose_rows(matrices: Array) -> Array:
    """Return the poses (..., 12) of matrices (..., 4, 4)."""
    R = matrices[..., :3, :3].reshape(*matrices.shape[:-2], 9)
    return np.concatenate([R, matrices[..., :3, 3]], axis=-1)


def poses_given(poses: Any) -> Array:
    """Return poses (..., 12) from poses or matrices (..., 4, 4); raise an error if R is not a rotation."""
    array = numbers("poses", poses)
    if array.shape[-2:] == (4, 4):
        array = pose_rows(array)
    if array.shape[-1:] != (12,):
        raise InputError(f"poses: expected arrays (..., 12) or (..., 4, 4), found {array.shape}")
    R = array[..., :9].reshape(*array.shape[:-1], 3, 3)
    lack = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(initial=0.0)
    if lack > ORTHONORMAL or (np.linalg.det(R) < 0).any():
        raise InputError(f"poses: R is not a rotation: R R^T differs from the identity by {lack:.2g}")
    return array


class LegEnds:
    """The legs of a robot; joints are those of all legs, in the order of `robot.tree_joints`."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot

    @cached_property
    def _legs(self) -> NumericTree:
        return NumericTree(self.robot.leg_tree)

    def gaps(self, poses: Array, joints: Array, values: Mapping[str, float]) -> Array:
        """Return the distance of each leg end from the platform (m, legs), in m and rad."""
        robot, legs = self.robot, self._legs
        frames = legs.poses(legs.at_zero(values), joints)
        T = pose_matrices(poses)
        found = []
        for leg, place in zip(robot.legs, robot.places, strict=True):
            goal = T @ frame_matrix(place, values)
            found.append(np.abs(displacement(goal, frames[:, leg[-1]])).max(axis=1))
        return np.stack(found, axis=1)

    def within_limits(self, joints: Array) -> Array:
        """Return whether all joints are within their position limits, shape (m,)."""
        allowed = np.ones(len(joints), dtype=bool)
        for column, j in enumerate(self.robot.tree_joints):
            allowed &= self.joint_within_limits(j, joints[:, column])
        return allowed

    def joint_within_limits(self, j: int, q: Array) -> Array:
        """Return whether positions (m,) of a joint are within its limits, up to full turns of an angle."""
        limits, kind = self.robot.joint(j).limits, self.robot.frame(j).joint_type
        if limits.lower is not None and limits.upper is not None and kind.only_turns:
            q = q + 2 * np.pi * np.ceil((limits.lower - LIMIT - q) / (2 * np.pi))  # the first turn above
        allowed = np.ones(len(q), dtype=bool)
        if limits.lower is not None:
            allowed &= q >= limits.lower - LIMIT
        if limits.upper is not None:
            allowed &= q <= limits.upper + LIMIT
        return allowed
