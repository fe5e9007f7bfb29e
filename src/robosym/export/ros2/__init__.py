"""ROS 2 packages of robots: plugins for dynamics, kinematics, MoveIt and ros2_control."""

from robosym.export.ros2.package import ros2

__all__ = ["ros2"]
