"""Dynamic models in coordinates other than the joints of a tree: active joints, platforms, modules in series.

Each set of coordinates offers the same models; `other_coordinates` chooses by the robot, and imports what it needs, as
most calls are of trees. The recursions of trees stand in the files of the public functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from robosym.dynamics.roles import Rest
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.model import Model

__all__ = ["Coordinates", "other_coordinates"]


@dataclass(frozen=True)
class Coordinates:
    """The models of a robot in its coordinates; `modes` are the branches of the legs of platforms."""

    robot: Robot
    modes: Any = None

    def inverse(self, passive: str, rest: Rest | None, weights: Mapping[str | int, float] | None) -> Model:
        """Efforts of the motors."""
        raise NotImplementedError

    def direct(self, passive: str, rest: Rest | None) -> Model:
        """Accelerations from efforts."""
        raise NotImplementedError

    def inertia(self, gravity: bool, space: str) -> Model:
        """The inertia matrix."""
        raise NotImplementedError

    def bias(self, space: str) -> Model:
        """Efforts at zero acceleration of the coordinates."""
        raise NotImplementedError

    def gravity(self) -> Model:
        """Efforts that hold the robot at rest."""
        raise InputError(f"{self.robot.name}: gravity_torques takes robots in their joints: pass robot.to_closed()")


def other_coordinates(robot: Robot, structure: str | None, modes: Any = None) -> Coordinates | None:
    """The coordinates of a robot; None where they are the joints of its tree."""
    if len(robot.modules) > 1:
        from robosym.dynamics.series_models import ModulesInSeries

        return ModulesInSeries(robot, modes)
    if robot.modules:
        from robosym.dynamics.platform_pose import PlatformPose

        return PlatformPose(robot, modes)
    if robot.constrained and structure is None:
        from robosym.dynamics.active_joints import ActiveJoints

        return ActiveJoints(robot)
    return None
