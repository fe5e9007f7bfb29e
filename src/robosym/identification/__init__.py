"""Base inertial parameters and identification models."""

from robosym.identification.base import BaseParameters
from robosym.identification.columns import IdentificationModel
from robosym.identification.dynamic import dynamic_identification
from robosym.identification.energy import energy_identification
from robosym.identification.filtered import filtered_identification
from robosym.identification.numeric_base import base_parameters
from robosym.identification.power import power_identification

__all__ = [
    "BaseParameters",
    "IdentificationModel",
    "base_parameters",
    "dynamic_identification",
    "energy_identification",
    "filtered_identification",
    "power_identification",
]
