"""Rotations by quaternions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from robosym.spatial.vectors import Mat3

__all__ = ["rotation_of"]


def rotation_of(quaternion: Sequence[Any]) -> Mat3:
    """Return the rotation of a quaternion (w, x, y, z) of any length."""
    w, x, y, z = quaternion
    s = 2 / (w * w + x * x + y * y + z * z)
    return Mat3.of(
        1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),
        s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x),
        s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y),
    )  # fmt: skip
