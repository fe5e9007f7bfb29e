"""What the models are for: control of the robot."""

from robosym.control.achievable import Actuator, achievable_accelerations
from robosym.control.inverse_kinematics import InverseKinematics, inverse_kinematics, joint_limits, joint_rates

__all__ = [
    "Actuator",
    "InverseKinematics",
    "achievable_accelerations",
    "inverse_kinematics",
    "joint_limits",
    "joint_rates",
]
