"""The inverse geometric model: joints from a desired pose (guide 2.3, 5.5.3 to 5.5.6)."""

from robosym.inverse.general_equations import GeneralEquations, general_equations
from robosym.inverse.inverse_geometry import InverseGeometry, inverse_geometry
from robosym.inverse.paul_matrices import paul_matrices

__all__ = ["GeneralEquations", "InverseGeometry", "general_equations", "inverse_geometry", "paul_matrices"]
