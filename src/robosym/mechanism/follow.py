"""A joint that follows another, as fingers and gears do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from robosym.errors import RobotError
from robosym.mechanism.coupling import Coupling

if TYPE_CHECKING:
    from robosym.mechanism.robot import Robot

__all__ = ["Follow", "coupled_by_relations"]


@dataclass(frozen=True, slots=True)
class Follow:
    """q = `ratio` times the position of `joint`, plus `offset`.

    A relation that the description keeps: models have both joints, and whoever moves them moves them so, until
    `Robot.with_relations` couples them.
    """

    joint: str
    ratio: float = 1.0
    offset: float = 0.0


def coupled_by_relations(robot: Robot) -> Robot:
    """The robot in which joints that follow others are coupled to them, and have no motor of their own."""
    relations = robot.relations
    variable = dict(zip(robot.joint_names, (robot.variable(j) for j in robot.tree_joints), strict=True))
    couplings = dict(robot.couplings)
    for name in relations:
        leader, ratio, offset = name, 1.0, 0.0
        for _ in relations:  # along others that follow themselves, as long as there are relations
            if leader not in relations:
                break
            one = relations[leader]
            leader, ratio, offset = one.joint, ratio * one.ratio, offset + ratio * one.offset
        if leader in relations:
            raise RobotError(f"{name} follows itself by way of {leader}: expected a joint that moves freely")
        couplings.setdefault(variable[name], Coupling({variable[leader]: ratio}, offset))
    held = {robot.variable(j) for j in robot.tree_joints} & set(couplings)
    frames = (
        replace(frame, mu=0) if name in held else frame
        for name, frame in zip(robot.variables, robot.frames, strict=True)
    )
    return replace(robot, frames=tuple(frames), couplings=couplings) if relations else robot
