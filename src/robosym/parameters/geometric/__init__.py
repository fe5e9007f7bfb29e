"""Geometric parameters of a robot that a measurement identifies, and the grouping of the others."""

from robosym.parameters.geometric.geometric_parameters import GeometricParameters, geometric_parameters

__all__ = ["GeometricParameters", "geometric_parameters"]
