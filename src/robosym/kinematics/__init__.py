"""Kinematic models."""

from robosym.kinematics.jacobian import Jacobian, jacobian
from robosym.kinematics.loops import LoopKinematics, loop_kinematics
from robosym.kinematics.operational import operational_jacobian
from robosym.kinematics.resolution import InverseKinematics, inverse_kinematics, joint_limits, joint_rates
from robosym.kinematics.velocities import accelerations, jdot_qdot, velocities

__all__ = [
    "InverseKinematics", "Jacobian", "LoopKinematics", "accelerations", "inverse_kinematics", "jacobian", "jdot_qdot",
    "joint_limits", "joint_rates", "loop_kinematics", "operational_jacobian", "velocities",
]  # fmt: skip
