"""Geometric parameters of a robot that a measurement identifies: which they are, and how others are grouped."""

from robosym.parameters.geometric.geometric_parameters import GeometricParameters, geometric_parameters

__all__ = ["GeometricParameters", "geometric_parameters"]
