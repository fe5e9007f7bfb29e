"""First estimate of the placement of frame 0 in the measuring frame, from measurements and the nominal arm."""

from __future__ import annotations

import numpy as np

from robosym.algebra.samples import Array
from robosym.errors import InputError, Pass
from robosym.experiment.calibration_data import CalibrationData
from robosym.parameters.geometric.setting import Setting
from robosym.spatial.numeric import rigid_inverse

__all__ = ["first_placement"]


def first_placement(setting: Setting, data: CalibrationData) -> Array:
    """Return the pose of frame 0 in the measuring frame that fits best without geometric errors."""
    name = setting.measurement.name
    if name == "joints":
        return np.eye(4)
    setting.kinematics.base = np.eye(4)
    poses = setting.kinematics.at(np.zeros(len(setting.parameters)), data.q, data.start).end
    points = poses[:, :3, 3]
    if name == "pose" and setting.measurement.size < 6:
        return np.eye(4)
    if name in ("pose", "orientation", "clamp"):
        measured = data.measured if name != "clamp" else np.broadcast_to(np.eye(4), poses.shape)
        A = _nearest_rotation((measured[:, :3, :3] @ np.swapaxes(poses[:, :3, :3], 1, 2)).sum(axis=0))
        shift = (measured[:, :3, 3] - points @ A.T).mean(axis=0) if name != "orientation" else np.zeros(3)
        return _pose(A, shift)
    if name == "position":
        centers = points.mean(axis=0), data.measured.mean(axis=0)
        A = _nearest_rotation((data.measured - centers[1]).T @ (points - centers[0]))
        return _pose(A, centers[1] - A @ centers[0])
    if name == "point":
        return _pose(np.eye(3), -points.mean(axis=0))
    if name == "plane":
        center = points.mean(axis=0)
        axes = np.linalg.svd(points - center)[2]
        axes[2] *= np.linalg.det(axes)
        return rigid_inverse(_pose(axes.T, center))
    if name == "distance":  # |p - c|^2 = s^2 is linear in c and |c|^2
        table = np.column_stack([-2 * points, np.ones(len(points))])
        center = np.linalg.lstsq(table, data.measured[:, 0] ** 2 - (points**2).sum(axis=1), rcond=None)[0][:3]
        return _pose(np.eye(3), -center)
    raise InputError(
        f"measurement {name!r}: expected the nominal pose of frame 0", hint=("give it with ", Pass("base"))
    )


def _nearest_rotation(M: Array) -> Array:
    """Return the rotation nearest to a matrix (Kabsch)."""
    U, _, V = np.linalg.svd(M)
    return np.asarray(U @ np.diag([1.0, 1.0, np.linalg.det(U @ V)]) @ V)


def _pose(A: Array, P: Array) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = A, P
    return T
