"""The inverse geometric model: joints from a desired pose (guide 2.3, 5.5.3 to 5.5.6)."""

from robosym.geometry.inverse.general_symbolic import GeneralEquations, general_equations
from robosym.geometry.inverse.matrices import paul_matrices
from robosym.geometry.inverse.model import InverseGeometry, inverse_geometry
from robosym.geometry.inverse.solution import Solutions

__all__ = [
    "GeneralEquations", "InverseGeometry", "Solutions", "general_equations", "inverse_geometry", "paul_matrices",
]  # fmt: skip
