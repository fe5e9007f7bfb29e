"""What the models are for: control of the robot."""

from robosym.control.achievable import Actuator, achievable_accelerations

__all__ = ["Actuator", "achievable_accelerations"]
