"""Identification models: motor torques, energy and power as matrices times the inertial parameters."""

from robosym.dynamics.identification.columns import IdentificationModel
from robosym.dynamics.identification.dynamic_identification import dynamic_identification
from robosym.dynamics.identification.energy_identification import energy_identification
from robosym.dynamics.identification.filtered_identification import filtered_identification
from robosym.dynamics.identification.power_identification import power_identification

__all__ = [
    "IdentificationModel", "dynamic_identification", "energy_identification", "filtered_identification",
    "power_identification",
]  # fmt: skip
