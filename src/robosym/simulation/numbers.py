"""Values for the symbols of a robot and of its controller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.arrays import numbers
from robosym.errors import InputError, closest
from robosym.mechanism import Robot
from robosym.model import Model

__all__ = ["in_numbers"]


def in_numbers(
    robot: Robot, controller: Any, parameters: Mapping[str, Any] | None
) -> tuple[Robot, dict[str, float], tuple[str, ...], dict[str, NDArray[np.float64]]]:
    """The robot with numbers in place of symbols, values for those of the controller, and what is left to vary."""
    if not parameters:
        return robot, {}, (), {}
    own = set(robot.parameters)
    gains = set(controller.inputs.get("parameters", ())) if isinstance(controller, Model) else set()
    values: dict[str, float] = {}
    batched: dict[str, NDArray[np.float64]] = {}
    for name, value in parameters.items():
        if name not in own | gains:
            raise InputError(f"parameters: {name!r} is not known{closest(str(name), own | gains)}")
        array = numbers(f"parameters: {name}", value)
        if array.ndim:
            batched[name] = array
        else:
            values[name] = float(array)
    fixed = {name: value for name, value in values.items() if name in own}
    return (robot.with_values(fixed) if fixed else robot), values, tuple(batched), batched
