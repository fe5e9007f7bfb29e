"""Kinematic models."""

from robosym.kinematics.jacobian import Jacobian, jacobian
from robosym.kinematics.manipulability import manipulability
from robosym.kinematics.operational import operational_jacobian
from robosym.kinematics.velocities import accelerations, jdot_qdot, velocities

__all__ = ["Jacobian", "accelerations", "jacobian", "jdot_qdot", "manipulability", "operational_jacobian", "velocities"]
