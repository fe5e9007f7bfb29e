"""Standard and base inertial parameters."""

from robosym.parameters.base import BaseParameters
from robosym.parameters.numeric_base import base_parameters

__all__ = ["BaseParameters", "base_parameters"]
