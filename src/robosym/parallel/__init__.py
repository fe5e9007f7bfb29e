"""Parallel robots: a platform carried by legs (GS; RNE 5)."""

from __future__ import annotations

#: the public functions that take a `Parallel`, and the modules that hold them
FUNCTIONS = {
    "direct_geometry": "robosym.parallel.forward",
    "inverse_geometry": "robosym.parallel.leg_joints",
    "jacobian": "robosym.parallel.platform_jacobian",
    "inverse_dynamics": "robosym.parallel.motor_forces",
    "direct_dynamics": "robosym.parallel.platform_acceleration",
    "inertia_matrix": "robosym.parallel.platform_acceleration",
    "bias_torques": "robosym.parallel.platform_acceleration",
    "base_parameters": "robosym.parallel.platform_parameters",
    "dynamic_identification": "robosym.parallel.platform_identification",
    "energy_identification": "robosym.parallel.platform_identification",
    "filtered_identification": "robosym.parallel.platform_identification",
    "power_identification": "robosym.parallel.platform_identification",
}

#: the same of a `Hybrid`
HYBRID = {
    "direct_geometry": "robosym.parallel.hybrid_geometry",
    "inverse_geometry": "robosym.parallel.hybrid_geometry",
    "jacobian": "robosym.parallel.hybrid_geometry",
    "inverse_dynamics": "robosym.parallel.hybrid_dynamics",
    "direct_dynamics": "robosym.parallel.hybrid_dynamics",
    "inertia_matrix": "robosym.parallel.hybrid_dynamics",
    "bias_torques": "robosym.parallel.hybrid_dynamics",
    "base_parameters": "robosym.parallel.hybrid_parameters",
}
