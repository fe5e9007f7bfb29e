"""Dynamic models of robots: inverse, direct, Lagrange, energy and identification models."""

from robosym.dynamics import formulations
from robosym.dynamics.bias_torques import bias_torques, gravity_torques
from robosym.dynamics.centroidal import base_velocity, centroidal_momentum
from robosym.dynamics.coriolis import coriolis_matrix
from robosym.dynamics.direct_dynamics import direct_dynamics
from robosym.dynamics.energy import energy
from robosym.dynamics.inertia_matrix import inertia_matrix
from robosym.dynamics.inverse_dynamics import inverse_dynamics
from robosym.dynamics.lagrange import lagrange
from robosym.dynamics.linearize import EigenModes, LinearModel, StateSpace, linearize
from robosym.dynamics.modified import modified_newton_euler

__all__ = [
    "EigenModes", "LinearModel", "StateSpace", "base_velocity", "bias_torques", "centroidal_momentum",
    "coriolis_matrix", "direct_dynamics", "energy", "formulations", "gravity_torques", "inertia_matrix",
    "inverse_dynamics", "lagrange", "linearize", "modified_newton_euler",
]  # fmt: skip
