"""Dynamic models in the coordinates of platforms: of one platform, and of modules in series."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from robosym.dynamics import motor_forces, platform_acceleration, series_models
from robosym.mechanism import Robot
from robosym.model import Model

__all__ = ["platform_bias", "platform_direct", "platform_inverse", "platform_matrix"]


def platform_inverse(robot: Robot, modes: Any, weights: Mapping[str | int, float] | None) -> Model:
    """Efforts of the motors."""
    if len(robot.modules) > 1:
        return series_models.series_inverse(robot, modes)
    return motor_forces.platform_inverse(robot, modes, weights)


def platform_direct(robot: Robot, modes: Any) -> Model:
    """Accelerations of the platforms, and of the joints of arms."""
    if len(robot.modules) > 1:
        return series_models.series_direct(robot, modes)
    return platform_acceleration.platform_direct(robot, modes)


def platform_matrix(robot: Robot, space: str, modes: Any) -> Model:
    """The inertia matrix."""
    if len(robot.modules) > 1:
        return series_models.series_matrix(robot, modes)
    return platform_acceleration.platform_matrix(robot, space, modes)


def platform_bias(robot: Robot, space: str, modes: Any) -> Model:
    """Centrifugal, Coriolis and gravity forces."""
    if len(robot.modules) > 1:
        return series_models.series_bias(robot, modes)
    return platform_acceleration.platform_bias(robot, space, modes)
