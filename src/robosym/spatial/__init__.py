"""Vectors, rotations, transformations, screws and inertias, over floats or expressions alike."""

from robosym.spatial.vectors import Mat3, Transform, Vec3, cos, parallel, sign, sin

__all__ = ["Mat3", "Transform", "Vec3", "cos", "parallel", "sign", "sin"]
