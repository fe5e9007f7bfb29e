"""Models of robots in the coordinates of their motors."""

from robosym.transmission.motor_models import (
    accelerations,
    bias_torques,
    direct_dynamics,
    direct_geometry,
    dynamic_identification,
    friction_torques,
    gravity_torques,
    inertia_matrix,
    inverse_dynamics,
    jacobian,
    transform,
    velocities,
)

__all__ = [
    "accelerations", "bias_torques", "direct_dynamics", "direct_geometry", "dynamic_identification", "friction_torques",
    "gravity_torques", "inertia_matrix", "inverse_dynamics", "jacobian", "transform", "velocities",
]  # fmt: skip
