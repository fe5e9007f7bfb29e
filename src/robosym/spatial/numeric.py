"""Poses in numbers, many at once: arrays (..., 4, 4) of homogeneous transformation matrices."""

from __future__ import annotations

import numpy as np

from robosym.algebra.samples import Array
from robosym.algebra.tolerances import ZERO

__all__ = ["axis_twists", "displacement", "frame_matrices", "rigid", "rigid_inverse", "rotation_vector", "screws"]


def screws(axis: int, angle: Array | float, shift: Array | float) -> Array:
    """Rotations about a coordinate axis (0: x, 1: y, 2: z), with shifts along it; of complex angles too."""
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
    """From the antecedent of frames to the frames (guide 1.3, equation 1.3)."""
    return np.asarray(screws(2, gamma, b) @ screws(0, alpha, d) @ screws(2, theta, r))


def axis_twists(z: Array, arms: Array, angular: Array, linear: Array) -> Array:
    """Velocity of a point, an `arm` away from an axis z, and angular velocity (..., 6), for a unit rate of a joint.

    The joint turns about the axis by `angular` and slides along it by `linear`.
    """
    turns = z * angular[..., None]
    return np.concatenate([np.cross(turns, arms) + z * linear[..., None], turns], axis=-1)


def rigid_inverse(T: Array) -> Array:
    """The inverse of a rotation and a shift."""
    result = np.zeros_like(T)
    A = np.swapaxes(T[..., :3, :3], -1, -2)
    result[..., :3, :3] = A
    result[..., :3, 3] = -(A @ T[..., :3, 3:])[..., 0]
    result[..., 3, 3] = 1
    return result


def rigid(turn: Array, shift: Array) -> Array:
    """Rotation by a vector, its axis times its angle (Rodrigues), and a shift."""
    angle = float(np.linalg.norm(turn))
    x, y, z = turn / angle if angle else turn
    W = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    T = np.eye(4)
    T[:3, :3] += np.sin(angle) * W + (1 - np.cos(angle)) * W @ W
    T[:3, 3] = shift
    return T


def rotation_vector(A: Array) -> Array:
    """The axes of rotations (..., 3, 3) times their angles, from 0 to pi."""
    skew = np.stack([A[..., 2, 1] - A[..., 1, 2], A[..., 0, 2] - A[..., 2, 0], A[..., 1, 0] - A[..., 0, 1]], -1) / 2
    sine, cosine = np.linalg.norm(skew, axis=-1), (np.trace(A, axis1=-2, axis2=-1) - 1) / 2
    small = sine < ZERO
    scale = np.where(small, 1.0, np.arctan2(sine, cosine) / np.where(small, 1.0, sine))
    half_turn = np.pi * np.sqrt(np.maximum((np.diagonal(A, axis1=-2, axis2=-1) + 1) / 2, 0))  # the sense is free
    return np.where((small & (cosine <= 0))[..., None], half_turn, skew * scale[..., None])


def displacement(start: Array, end: Array) -> Array:
    """From one pose to another, in the frame both are given in: shift, and rotation vector (..., 6)."""
    A = start[..., :3, :3]
    turn = rotation_vector(np.swapaxes(A, -1, -2) @ end[..., :3, :3])
    return np.concatenate([end[..., :3, 3] - start[..., :3, 3], (A @ turn[..., None])[..., 0]], axis=-1)
