"""Geometric models."""

from robosym.geometry.frame import frame_transform

__all__ = ["frame_transform"]
