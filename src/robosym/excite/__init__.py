"""Motions that make the parameters of a robot visible."""

from robosym.excite.exciting_trajectory import exciting_trajectory
from robosym.excite.trajectory import Trajectory

__all__ = ["Trajectory", "exciting_trajectory"]
