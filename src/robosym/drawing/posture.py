"""Where the joints of a drawn robot stand: as given, as the description says, or so that it is seen well."""

from __future__ import annotations

import numpy as np

from robosym.coordinates.numeric_robot import Given, NumericRobot
from robosym.drawing.parts import Array

__all__ = ["drawn_position"]

_TRIALS = 300  #: postures among which one is chosen


def drawn_position(robot: NumericRobot, q: Given) -> dict[str, float]:
    """Every joint: as q or the description says; where both are silent, so that little of an open robot hides."""
    if q is not None or robot.robot.loops or robot.has_position or not robot.names:
        return robot.at(q)
    postures = robot.random_positions(_TRIALS)
    for row in postures if robot.robot.couplings else ():
        row[:] = [*robot.coupled(dict(zip(robot.names, row, strict=True))).values()]
    origins = robot.poses_of_tree(postures)[..., :3, 3]
    best = int(np.argmax([_legibility(points) for points in origins]))
    return dict(zip(robot.names, map(float, postures[best]), strict=True))


def _legibility(points: Array) -> float:
    """How far the origins of a posture lie apart and above the foot."""
    size = np.zeros(3)  # a robot of one link has two points
    found = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    size[: len(found)] = found
    below = np.minimum(points[:, 2], 0).min()
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1)
    far = np.abs(np.subtract.outer(range(len(points)), range(len(points)))) > 3
    clash = np.clip(0.25 * apart.max() - apart[far], 0, None).sum() if far.any() else 0.0
    return float(0.4 * size[0] + 1.5 * size[1] + 0.6 * size[2] + 2 * below - clash)
