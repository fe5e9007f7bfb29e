"""Measurements of a target: its pose, parts of it, or functions of its position; to add one, add an entry.

A measurement gives rows: values of a pose, how they change with the twist of the target, and the difference between a
pose and measured values. Rows of a rotation have no values of their own: their difference is a rotation vector.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from robosym.algebra.samples import Array
from robosym.errors import InputError
from robosym.parameters.geometric.error_parameters import PLACEMENT
from robosym.spatial.numeric import rotation_vector

__all__ = ["MEASUREMENTS", "Kind", "Measurement", "measurement_of", "pose_gap"]

#: names of the measurements
Kind = Literal["pose", "position", "orientation", "distance", "plane", "point", "clamp", "camera", "joints"]
Rows = Callable[[Array], Array]  #: rows (m, k, 6) that a twist of the target is multiplied by, from its poses
Difference = Callable[[Array, Array], Array]  #: measured minus computed, from poses and measured values


@dataclass(frozen=True)
class Measurement:
    """Measured quantities of a target in the measuring frame."""

    name: str
    columns: tuple[str, ...]  #: names of the measured values; () if only contact is observed
    units: tuple[str, ...]  #: units of the rows
    rows: Rows
    difference: Difference
    about: str
    without_effect: tuple[str, ...] = ()  #: motions of the measuring frame that nothing shows, as in `PLACEMENT`
    contact: tuple[int, ...] = ()  #: components of the twist that contact keeps at zero

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.units)


def _components(components: Sequence[int], poses: Array) -> Array:
    rows = np.eye(6)[list(components)]
    return np.broadcast_to(rows, (len(poses), *rows.shape))


def _constant(components: Sequence[int]) -> Rows:
    return partial(_components, components)


def _difference_of_poses(components: Sequence[int], poses: Array, measured: Array) -> Array:
    shift = measured[:, :3, 3] - poses[:, :3, 3]
    turn = rotation_vector(measured[:, :3, :3] @ np.swapaxes(poses[:, :3, :3], -1, -2))
    return np.concatenate([shift, turn], axis=1)[:, list(components)]


def _pose_difference(components: Sequence[int]) -> Difference:
    return partial(_difference_of_poses, components)


def pose_gap(poses: Array) -> Array:
    """Return position and rotation vector of poses (m, 4, 4) in the measuring frame, (m, 6)."""
    return np.concatenate([poses[:, :3, 3], rotation_vector(poses[:, :3, :3])], axis=1)


def _gap_of_contact(components: Sequence[int], poses: Array, _: Array) -> Array:
    return -pose_gap(poses)[:, list(components)]


def _rest(components: Sequence[int]) -> Difference:
    """Return the difference of a target in contact: it is at the origin of the measuring frame, in its orientation."""
    return partial(_gap_of_contact, components)


def _position_difference(poses: Array, measured: Array) -> Array:
    return measured - poses[:, :3, 3]


def _distance_difference(poses: Array, measured: Array) -> Array:
    distances: Array = np.linalg.norm(poses[:, :3, 3], axis=1, keepdims=True)
    return measured - distances


def _image_difference(poses: Array, measured: Array) -> Array:
    return measured - poses[:, :2, 3] / poses[:, 2:3, 3]


def _no_difference(poses: Array, _: Array) -> Array:
    return np.zeros((len(poses), 0))


def _distance(poses: Array) -> Array:
    P = poses[:, :3, 3]
    rows = np.zeros((len(poses), 1, 6))
    rows[:, 0, :3] = P / np.linalg.norm(P, axis=1, keepdims=True)
    return rows


def _image(poses: Array) -> Array:
    x, y, z = poses[:, :3, 3].T
    rows = np.zeros((len(poses), 2, 6))
    rows[:, 0, 0] = rows[:, 1, 1] = 1 / z
    rows[:, 0, 2], rows[:, 1, 2] = -x / z**2, -y / z**2
    return rows


_METERS, _RADIANS = ("m", "m", "m"), ("rad", "rad", "rad")
_POSE = ("x", "y", "z", "roll", "pitch", "yaw")
MEASUREMENTS = {
    one.name: one
    for one in (
        Measurement("pose", _POSE, (*_METERS, *_RADIANS), _constant(range(6)), _pose_difference(range(6)),
                    "position and orientation of the target"),
        Measurement("position", ("x", "y", "z"), _METERS, _constant(range(3)),
                    _position_difference, "position of the target"),
        Measurement("orientation", _POSE[3:], _RADIANS, _constant(range(3, 6)), _pose_difference(range(3, 6)),
                    "orientation of the target", ("x", "y", "z")),
        Measurement("distance", ("distance",), ("m",), _distance,
                    _distance_difference,
                    "distance of the target from the origin of the measuring frame", ("rx", "ry", "rz")),
        Measurement("plane", (), ("m",), _constant([2]), _rest([2]),
                    "the target lies in the plane z = 0 of the measuring frame", ("x", "y", "rz"), (2,)),
        Measurement("point", (), _METERS, _constant(range(3)), _rest(range(3)),
                    "the target stays at one unknown point", ("rx", "ry", "rz"), (0, 1, 2)),
        Measurement("clamp", (), (*_METERS, *_RADIANS), _constant(range(6)), _rest(range(6)),
                    "the end frame is clamped in one unknown pose, so that the arm is a closed chain", (),
                    (0, 1, 2, 3, 4, 5)),
        Measurement("camera", ("u", "v"), ("1", "1"), _image,
                    _image_difference,
                    "normalized image coordinates u = x/z, v = y/z of the target; the camera is the measuring frame"),
        Measurement("joints", (), (), _constant([]), _no_difference,
                    "positions of passive joints, without an external device"),
    )
}  # fmt: skip


def measurement_of(name: str, components: Sequence[str] | None = None) -> Measurement:
    """Return a measurement by name; of a pose, some components may be measured: x, y, z, rx, ry, rz."""
    if name not in MEASUREMENTS:
        raise InputError(f"measurement: expected one of {', '.join(MEASUREMENTS)}, found {name!r}")
    found = MEASUREMENTS[name]
    if components is None:
        return found
    if name != "pose":
        raise InputError(f"components: expected measurement 'pose', found {name!r}")
    words = tuple(components.replace(",", " ").split() if isinstance(components, str) else components)
    if not words or any(word not in PLACEMENT for word in words) or len(set(words)) < len(words):
        raise InputError(
            f"components: expected some of {', '.join(PLACEMENT)}, found {', '.join(map(str, words)) or '[]'}"
        )
    chosen = [k for k, word in enumerate(PLACEMENT) if word in words]
    units = tuple(found.units[k] for k in chosen)
    about = f"components {', '.join(PLACEMENT[k] for k in chosen)} of the pose of the target"
    return Measurement("pose", _POSE, units, _constant(chosen), _pose_difference(chosen), about)
