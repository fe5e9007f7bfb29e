"""Identification models."""

from robosym.identification.columns import IdentificationModel
from robosym.identification.dynamic_identification import dynamic_identification
from robosym.identification.energy_identification import energy_identification
from robosym.identification.filtered_identification import filtered_identification
from robosym.identification.power_identification import power_identification

__all__ = [
    "IdentificationModel",
    "dynamic_identification",
    "energy_identification",
    "filtered_identification",
    "power_identification",
]
