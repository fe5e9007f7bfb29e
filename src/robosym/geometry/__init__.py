"""Geometric models."""

from robosym.geometry.direct_geometry import direct_geometry
from robosym.geometry.transform import transform

__all__ = ["direct_geometry", "transform"]
