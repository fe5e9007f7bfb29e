"""The inverse geometric model: joints from a desired pose (guide 2.3, 5.5.3 to 5.5.6)."""

from robosym.geometry.inverse.model import InverseGeometry, inverse_geometry
from robosym.geometry.inverse.solution import Solutions

__all__ = ["InverseGeometry", "Solutions", "inverse_geometry"]
