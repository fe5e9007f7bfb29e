"""robosym: symbolic models of robots, as lean code and fast callables.

Names are imported when they are first used, so that `import robosym` is quick and a command loads what it needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from robosym.control import Actuator, achievable_accelerations, inverse_kinematics
    from robosym.description import Robot
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
    from robosym.identification import (
        dynamic_identification,
        energy_identification,
        filtered_identification,
        power_identification,
    )
    from robosym.inverse import general_equations, inverse_geometry, paul_matrices
    from robosym.kinematics import accelerations, jacobian, jdot_qdot, operational_jacobian, velocities
    from robosym.languages import read_model
    from robosym.loops import loop_geometry, loop_kinematics
    from robosym.model import Model
    from robosym.optimizer import optimize
    from robosym.parameters import base_parameters

__version__ = "0.1.0"

#: every public name, by the module that holds it
_HOMES = {
    "control": "Actuator achievable_accelerations inverse_kinematics",
    "dynamics": "bias_torques coriolis_matrix direct_dynamics formulations gravity_torques inertia_matrix "
    "inverse_dynamics lagrange modified_newton_euler",
    "errors": "Error ExpressionError FormatError InputError RobotError",
    "formats": "library load loads",
    "geometry": "direct_geometry transform",
    "identification": "dynamic_identification energy_identification filtered_identification power_identification",
    "inverse": "general_equations inverse_geometry paul_matrices",
    "kinematics": "accelerations jacobian jdot_qdot operational_jacobian velocities",
    "languages": "read_model",
    "loops": "loop_geometry loop_kinematics",
    "model": "Model",
    "optimizer": "optimize",
    "parameters": "base_parameters",
    "description": "Robot",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [  # noqa: PLE0604, RUF022: what the table holds
    "Actuator", "Error", "ExpressionError", "FormatError", "InputError", "Model", "Robot", "RobotError",
    "accelerations", "achievable_accelerations", "base_parameters", "bias_torques", "coriolis_matrix",
    "direct_dynamics", "direct_geometry", "dynamic_identification", "energy_identification",
    "filtered_identification", "formulations", "general_equations", "gravity_torques", "inertia_matrix",
    "inverse_dynamics", "inverse_geometry", "inverse_kinematics", "jacobian", "jdot_qdot", "lagrange", "library",
    "load", "loads", "loop_geometry", "loop_kinematics", "modified_newton_euler", "operational_jacobian", "optimize",
    "paul_matrices", "power_identification", "read_model", "transform", "velocities",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'robosym' has no attribute {name!r}")
    value = getattr(import_module(f"robosym.{home}"), name)
    globals()[name] = value  # found at once from now on
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
