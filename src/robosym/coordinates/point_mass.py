"""A point mass as a rigid body."""

from __future__ import annotations

from typing import Any

from robosym.spatial.inertia import RigidInertia

__all__ = ["point_mass"]


def point_mass(m: Any, x: Any, y: Any, z: Any) -> RigidInertia:
    """The ten parameters of a mass at a point."""
    mx, my, mz = m * x, m * y, m * z
    xx, yy, zz = mx * x, my * y, mz * z
    return RigidInertia(yy + zz, -(mx * y), -(mx * z), xx + zz, -(my * z), xx + yy, mx, my, mz, m)
