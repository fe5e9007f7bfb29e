"""Vectors, rotations, transformations, screws and inertias of floats or expressions."""

from robosym.spatial.vectors import Mat3, Scalar, Transform, Vec3, cos, parallel, sign, sin

__all__ = ["Mat3", "Scalar", "Transform", "Vec3", "cos", "parallel", "sign", "sin"]
