"""Geometric models."""

from robosym.geometry.direct import direct_geometry
from robosym.geometry.frame import frame_transform
from robosym.geometry.transform import transform

__all__ = ["direct_geometry", "frame_transform", "transform"]
