"""Inertial parameters of a robot: standard parameters, and the base parameters on which its models depend."""

from robosym.parameters.base import BaseParameters, base_parameters

__all__ = ["BaseParameters", "base_parameters"]
