"""Dynamic models in coordinates other than the joints of a tree: active joints, platforms, modules in series.

Each set of coordinates offers the same models; `other_coordinates` chooses by the robot. The recursions of trees, which
stand in the files of the public functions, serve all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from robosym.dynamics import closed, motor_forces, platform_acceleration, series_models
from robosym.dynamics.roles import Rest, resting, roles_of
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.model import Model

__all__ = ["ActiveJoints", "Coordinates", "ModulesInSeries", "PlatformPose", "other_coordinates"]


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


class ActiveJoints(Coordinates):
    """The independent joints of a robot with loops or couplings."""

    def inverse(self, passive: str, rest: Rest | None, weights: Mapping[str | int, float] | None) -> Model:
        at = resting(self.robot, rest)
        return closed.closed_inverse(self.robot, roles_of(self.robot, None, passive, at), at, weights or {})

    def direct(self, passive: str, rest: Rest | None) -> Model:
        at = resting(self.robot, rest)
        return closed.closed_direct(self.robot, roles_of(self.robot, None, passive, at), at)

    def inertia(self, gravity: bool, space: str) -> Model:
        return closed.closed_inertia(self.robot, gravity)

    def bias(self, space: str) -> Model:
        return closed.closed_bias(self.robot, roles_of(self.robot, None, "driven", {}))

    def gravity(self) -> Model:
        return closed.closed_gravity(self.robot)


class PlatformPose(Coordinates):
    """Pose, twist and acceleration of one platform."""

    def inverse(self, passive: str, rest: Rest | None, weights: Mapping[str | int, float] | None) -> Model:
        return motor_forces.platform_inverse(self.robot, self.modes, weights)

    def direct(self, passive: str, rest: Rest | None) -> Model:
        return platform_acceleration.platform_direct(self.robot, self.modes)

    def inertia(self, gravity: bool, space: str) -> Model:
        return platform_acceleration.platform_matrix(self.robot, space, self.modes)

    def bias(self, space: str) -> Model:
        return platform_acceleration.platform_bias(self.robot, space, self.modes)


class ModulesInSeries(Coordinates):
    """Those of each platform against its own base, and the joints of arms."""

    def inverse(self, passive: str, rest: Rest | None, weights: Mapping[str | int, float] | None) -> Model:
        return series_models.series_inverse(self.robot, self.modes)

    def direct(self, passive: str, rest: Rest | None) -> Model:
        return series_models.series_direct(self.robot, self.modes)

    def inertia(self, gravity: bool, space: str) -> Model:
        return series_models.series_matrix(self.robot, self.modes)

    def bias(self, space: str) -> Model:
        return series_models.series_bias(self.robot, self.modes)


def other_coordinates(robot: Robot, structure: str | None, modes: Any = None) -> Coordinates | None:
    """The coordinates of a robot; None where they are the joints of its tree."""
    if robot.modules:
        return (ModulesInSeries if len(robot.modules) > 1 else PlatformPose)(robot, modes)
    return ActiveJoints(robot) if robot.constrained and structure is None else None
