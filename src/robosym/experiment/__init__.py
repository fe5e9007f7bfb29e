"""Experiments on a real robot: exciting trajectories, logs, and identification of parameters."""

from robosym.control.drives import Drive, Motor
from robosym.experiment.estimate import Estimate, FitError
from robosym.experiment.exciting_trajectory import exciting_trajectory
from robosym.experiment.identify import identify
from robosym.experiment.log import Log
from robosym.experiment.payload import identify_drives, identify_payload
from robosym.experiment.prepare import Motion, prepare
from robosym.experiment.recursive import Recursive
from robosym.experiment.trajectory import Trajectory
from robosym.simulation.motor_loads import MotorLoads, motor_loads

__all__ = [
    "Drive", "Estimate", "FitError", "Log", "Motion", "Motor", "MotorLoads", "Recursive", "Trajectory",
    "exciting_trajectory", "identify", "identify_drives", "identify_payload", "motor_loads", "prepare",
]  # fmt: skip
