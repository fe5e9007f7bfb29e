"""Passive joints of a closed robot at positions of its sensors, in the assembly mode of the reference position."""

from __future__ import annotations

import numpy as np

from robosym.algebra.samples import Array
from robosym.algebra.tolerances import CLOSED
from robosym.coordinates.closing import Closing, reference_position
from robosym.errors import InputError
from robosym.parameters.geometric.setting import Setting

__all__ = ["followed_passive"]

_STEPS = (8, 24, 24, 24, 60, 60)  #: along which passive joints are followed, first from the reference position
_JUMP = 0.4  #: rad or m: a passive joint does not move further in a step


def followed_passive(setting: Setting, goal: Array) -> Array:
    """Return the passive joints at sensor positions (m, sensors), followed from the reference position."""
    kinematics, count = setting.kinematics, len(goal)
    if not setting.robot.loops:
        return np.zeros((count, 0))
    closing = Closing(setting.robot)
    start = reference_position(closing, setting.robot.position, setting.values)
    here = np.array([[start[name] for name in kinematics.tree.names]])
    first = np.repeat(here[:, kinematics.sensor_columns], count, axis=0)
    passive = np.repeat(here[:, kinematics.passive_columns], count, axis=0)
    open_ = np.arange(count)
    gap = np.full(count, np.inf)
    for steps in _STEPS:
        passive[open_], gap[open_] = _followed(setting, first[open_], goal[open_], passive[open_], steps)
        closed, open_ = np.flatnonzero(gap <= CLOSED), np.flatnonzero(gap > CLOSED)
        if not len(open_) or not len(closed):
            break
        near = closed[np.linalg.norm(goal[open_, None] - goal[closed], axis=2).argmin(axis=1)]
        first[open_], passive[open_] = goal[near], passive[near]
    if len(open_):
        raise InputError(
            f"{setting.given.name}: the loops cannot be closed at posture {int(gap.argmax()) + 1}: gap {gap.max():.3g}"
        )
    return np.asarray(passive)


def _followed(setting: Setting, start: Array, goal: Array, passive: Array, steps: int) -> tuple[Array, Array]:
    """Return the passive joints after the sensors have moved on straight lines, and the gaps of the loops.

    The gap is infinite if a joint jumped, possibly into another assembly mode.
    """
    kinematics = setting.kinematics
    x, gap, jumped = np.zeros(len(setting.parameters)), np.zeros(len(goal)), np.zeros(len(goal), dtype=bool)
    for part in np.linspace(0, 1, steps + 1)[1:]:
        q, gap = kinematics.close(x, start + part * (goal - start), passive)
        jumped |= np.abs(q[:, kinematics.passive_columns] - passive).max(axis=1, initial=0.0) > _JUMP
        passive = q[:, kinematics.passive_columns]
    return passive, np.where(jumped, np.inf, gap)
