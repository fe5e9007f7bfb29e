"""robosym: symbolic models of robots, as lean code and fast callables."""

from robosym.dynamics import inverse_dynamics
from robosym.errors import Error, ExpressionError, FormatError, InputError, RobotError
from robosym.formats import library, load, loads
from robosym.model import Model
from robosym.robot import Robot

__version__ = "0.1.0"

__all__ = [
    "Error",
    "ExpressionError",
    "FormatError",
    "InputError",
    "Model",
    "Robot",
    "RobotError",
    "inverse_dynamics",
    "library",
    "load",
    "loads",
]
