"""Standard and base inertial parameters."""

from robosym.parameters.base import BaseParameters, base_parameters

__all__ = ["BaseParameters", "base_parameters"]
