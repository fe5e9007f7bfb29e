"""Batches of numeric poses: arrays of homogeneous transformation matrices, shape (..., 4, 4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robosym.algebra.samples import Array
from robosym.algebra.tolerances import ZERO

__all__ = [
    "axis_twists", "displacement", "frame_matrices", "rigid", "rigid_inverse", "rotation_vector", "screws",
    "shortest_way",
]  # fmt: skip


def screws(axis: int, angle: Array | float, shift: Array | float) -> Array:
    """Return rotations about a coordinate axis (0: x, 1: y, 2: z) with translations along it; angles may be complex."""
    kind = np.result_type(angle, shift, float)
    angle, shift = np.broadcast_arrays(np.asarray(angle, kind), np.asarray(shift, kind))
    T = np.zeros((*angle.shape, 4, 4), dtype=kind)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    T[..., i, i] = T[..., j, j] = np.cos(angle)
    T[..., j, i] = np.sin(angle)
    T[..., i, j] = -T[..., j, i]
    T[..., axis, axis] = T[..., 3, 3] = 1
    T[..., axis, 3] = shift
    return T


def frame_matrices(gamma: Array, b: Array, alpha: Array, d: Array, theta: Array, r: Array) -> Array:
    """Return the transformations from antecedents to frames (guide 1.3, equation 1.3).

    `theta` and `r` may have more dimensions than the constants: a batch of positions of the joints.
    """
    x, y, z, origin = np.moveaxis(screws(2, gamma, b) @ screws(0, alpha, d), -1, 0)
    c, s = np.cos(theta)[..., None], np.sin(theta)[..., None]
    T = np.empty((*np.broadcast_shapes(theta.shape, gamma.shape), 4, 4), dtype=np.result_type(theta, x))
    T[..., 0] = c * x + s * y
    T[..., 1] = c * y - s * x
    T[..., 2] = z
    T[..., 3] = r[..., None] * z + origin
    return T


def axis_twists(z: Array, arms: Array, angular: Array, linear: Array) -> Array:
    """Return the linear velocity of a point and the angular velocity, shape (..., 6), for a unit joint velocity.

    `arms` are the vectors from the joint axis `z` to the point. For a unit of its variable the joint rotates by
    `angular` (rad) about the axis and translates by `linear` (m) along it.
    """
    turns = z * angular[..., None]
    return np.concatenate([np.cross(turns, arms) + z * linear[..., None], turns], axis=-1)


def rigid_inverse(T: Array) -> Array:
    """Return the inverses of rigid transformations."""
    result = np.zeros_like(T)
    A = np.swapaxes(T[..., :3, :3], -1, -2)
    result[..., :3, :3] = A
    result[..., :3, 3] = -(A @ T[..., :3, 3:])[..., 0]
    result[..., 3, 3] = 1
    return result


def rigid(turn: Array, shift: Array) -> Array:
    """Return the transformation of a rotation vector (Rodrigues formula) and a translation."""
    angle = float(np.linalg.norm(turn))
    x, y, z = turn / angle if angle else turn
    W = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    T = np.eye(4)
    T[:3, :3] += np.sin(angle) * W + (1 - np.cos(angle)) * W @ W
    T[:3, 3] = shift
    return T


def rotation_vector(A: Array) -> Array:
    """Return the rotation vectors of rotation matrices of shape (..., 3, 3), with angles from 0 to pi."""
    skew = np.stack([A[..., 2, 1] - A[..., 1, 2], A[..., 0, 2] - A[..., 2, 0], A[..., 1, 0] - A[..., 0, 1]], -1) / 2
    sine, cosine = np.linalg.norm(skew, axis=-1), (np.trace(A, axis1=-2, axis2=-1) - 1) / 2
    small = sine < ZERO
    scale = np.where(small, 1.0, np.arctan2(sine, cosine) / np.where(small, 1.0, sine))
    half_turn = np.pi * np.sqrt(np.maximum((np.diagonal(A, axis1=-2, axis2=-1) + 1) / 2, 0))  # of either sign
    return np.where((small & (cosine <= 0))[..., None], half_turn, skew * scale[..., None])


def displacement(start: Array, end: Array) -> Array:
    """Return translation and rotation vector from one pose to another, shape (..., 6), in their common frame."""
    A = start[..., :3, :3]
    turn = rotation_vector(np.swapaxes(A, -1, -2) @ end[..., :3, :3])
    return np.concatenate([end[..., :3, 3] - start[..., :3, 3], (A @ turn[..., None])[..., 0]], axis=-1)


def shortest_way(difference: Array, turning: Array | Sequence[bool] | bool = True) -> Array:
    """Return differences of joint positions without whole turns: angles, where `turning`, from -pi to pi."""
    return np.where(turning, np.remainder(difference + np.pi, 2 * np.pi) - np.pi, difference)
