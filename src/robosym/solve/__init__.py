"""Poses and closed loops solved for their joints (guide 2.3, 5.5.3 to 5.5.7)."""

from robosym.solve.general_equations import GeneralEquations, general_equations
from robosym.solve.inverse_geometry import InverseGeometry, inverse_geometry
from robosym.solve.loop_geometry import LoopGeometry, loop_geometry

__all__ = [
    "GeneralEquations", "InverseGeometry", "LoopGeometry", "general_equations", "inverse_geometry", "loop_geometry",
]  # fmt: skip
