"""Which of the loops that can be parallelograms are assembled so in the mode of a robot, and not crossed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from robosym.algebra import Graph
from robosym.algebra.tolerances import ZERO
from robosym.coordinates.closed_samples import samples_of_mode
from robosym.coordinates.closing import Closing
from robosym.coordinates.loops import Parallelogram, loops_of, parallelogram_of
from robosym.mechanism import Robot
from robosym.mechanism.motion import frame_places

__all__ = ["assembled_parallelograms", "staying"]


def assembled_parallelograms(
    robot: Robot, samples: Sequence[Mapping[str, float]] | None = None
) -> dict[int, Parallelogram]:
    """By the place of their loop; all that there can be, where neither samples nor the robot's position tell."""
    places, _ = frame_places(robot, Graph())
    found = {number: parallelogram_of(robot, places, loop) for number, loop in enumerate(loops_of(robot))}
    shapes = {number: shape for number, shape in found.items() if shape is not None}
    if shapes and samples is None and robot.position:
        samples = samples_of_mode(Closing(robot), robot.position, 8)
    return {number: shape for number, shape in shapes.items() if samples is None or staying(robot, shape, samples)}


def staying(robot: Robot, shape: Parallelogram, samples: Sequence[Mapping[str, float]]) -> bool:
    """Whether the links that a parallelogram keeps parallel do not turn with respect to each other."""
    closing = Closing(robot)
    for values in samples[:3]:
        basis = closing.velocities(values)
        for relation in shape.relations:
            turning = sum(sense * basis[robot.tree_joints.index(j)] for j, sense in relation.items())
            if np.abs(turning).max(initial=0.0) > ZERO:
                return False
    return True
