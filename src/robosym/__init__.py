"""robosym: symbolic models of robots, as lean code and fast callables."""

from robosym.control import Actuator, achievable_accelerations
from robosym.dynamics import (
    bias_torques,
    coriolis_matrix,
    direct_dynamics,
    formulations,
    gravity_torques,
    inertia_matrix,
    inverse_dynamics,
    lagrange,
    modified_newton_euler,
)
from robosym.errors import Error, ExpressionError, FormatError, InputError, RobotError
from robosym.formats import library, load, loads
from robosym.geometry import direct_geometry, transform
from robosym.geometry.inverse import general_equations, inverse_geometry, paul_matrices
from robosym.geometry.loops import loop_geometry
from robosym.identification import (
    base_parameters,
    dynamic_identification,
    energy_identification,
    filtered_identification,
    power_identification,
)
from robosym.kinematics import (
    accelerations,
    inverse_kinematics,
    jacobian,
    jdot_qdot,
    loop_kinematics,
    operational_jacobian,
    velocities,
)
from robosym.model import Model
from robosym.optimize.optimizer import optimize
from robosym.reading import read_model
from robosym.robot import Robot

__version__ = "0.1.0"

__all__ = [
    "Actuator", "Error", "ExpressionError", "FormatError", "InputError", "Model", "Robot", "RobotError",
    "accelerations", "achievable_accelerations", "base_parameters", "bias_torques", "coriolis_matrix",
    "direct_dynamics", "direct_geometry", "dynamic_identification", "energy_identification",
    "filtered_identification", "formulations", "general_equations", "gravity_torques", "inertia_matrix",
    "inverse_dynamics",
    "inverse_geometry", "inverse_kinematics", "jacobian", "jdot_qdot", "lagrange", "library", "load", "loads",
    "loop_geometry", "loop_kinematics", "modified_newton_euler", "operational_jacobian", "optimize",
    "paul_matrices", "power_identification", "read_model", "transform", "velocities",
]  # fmt: skip
