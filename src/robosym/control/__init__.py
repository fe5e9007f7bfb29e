"""Control laws, drives, achievable accelerations, inverse kinematics and force ellipsoids."""

from robosym.control.achievable import achievable_accelerations
from robosym.control.adaptive_control import adaptive_control
from robosym.control.drives import Actuator, Drive, Motor
from robosym.control.force_ellipsoid import ForceEllipsoid, force_ellipsoid
from robosym.control.inverse_kinematics import InverseKinematics, inverse_kinematics, joint_limits, joint_rates
from robosym.control.joint_laws import computed_torque, feedforward, momentum_observer, pd_gravity, predictive_control
from robosym.control.operational_control import impedance_control, operational_control

__all__ = [
    "Actuator", "Drive", "ForceEllipsoid", "InverseKinematics", "Motor", "achievable_accelerations",
    "adaptive_control", "computed_torque", "feedforward", "force_ellipsoid", "impedance_control", "inverse_kinematics",
    "joint_limits", "joint_rates", "momentum_observer", "operational_control", "pd_gravity",
    "predictive_control",
]  # fmt: skip
