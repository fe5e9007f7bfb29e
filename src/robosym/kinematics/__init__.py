"""Geometric and kinematic models."""

from robosym.kinematics.contact_kinematics import ContactKinematics, contact_kinematics
from robosym.kinematics.jacobian import Jacobian, jacobian
from robosym.kinematics.loop_kinematics import LoopKinematics, loop_kinematics
from robosym.kinematics.manipulability import manipulability
from robosym.kinematics.operational import operational_jacobian
from robosym.kinematics.transform import direct_geometry, paul_matrices, transform
from robosym.kinematics.velocities import accelerations, jdot_qdot, velocities

__all__ = [
    "ContactKinematics", "Jacobian", "LoopKinematics", "accelerations", "contact_kinematics", "direct_geometry",
    "jacobian", "jdot_qdot", "loop_kinematics",
    "manipulability", "operational_jacobian", "paul_matrices", "transform", "velocities",
]  # fmt: skip
