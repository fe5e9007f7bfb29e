"""Dynamic models of a robot with one platform, in its pose, twist and acceleration."""

from __future__ import annotations

from collections.abc import Mapping

from robosym.dynamics import motor_forces, platform_acceleration
from robosym.dynamics.other_coordinates import Coordinates
from robosym.dynamics.roles import Rest
from robosym.model import Model

__all__ = ["PlatformPose"]


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
