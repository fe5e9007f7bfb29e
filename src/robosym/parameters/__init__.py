"""Inertial parameters: standard and base parameters, identification models."""

from robosym.parameters.base import BaseParameters, base_parameters
from robosym.parameters.columns import IdentificationModel
from robosym.parameters.dynamic_identification import dynamic_identification
from robosym.parameters.energy_identification import energy_identification
from robosym.parameters.filtered_identification import filtered_identification
from robosym.parameters.power_identification import power_identification

__all__ = [
    "BaseParameters", "IdentificationModel", "base_parameters", "dynamic_identification", "energy_identification",
    "filtered_identification", "power_identification",
]  # fmt: skip
