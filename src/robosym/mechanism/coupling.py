"""Joints that other joints drive through gears, belts or cables.

`Follow` is a relation of the description; models contain both joints. `Coupling` removes a degree of freedom.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING

from robosym.algebra import Expr, evaluate, symbols
from robosym.algebra.once import FrozenDict
from robosym.algebra.trigonometry import linear_terms
from robosym.errors import RobotError, closest

if TYPE_CHECKING:
    from robosym.mechanism.robot import Robot

__all__ = ["Coupling", "Follow", "check_couplings", "coupled_by_relations", "coupling_of"]


@dataclass(frozen=True, slots=True)
class Coupling:
    """Coupled joint without a degree of freedom of its own: q = sum of ratio * position, plus `offset`."""

    ratios: Mapping[str, float]  #: ratios by joint variable
    offset: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "ratios", FrozenDict(self.ratios))

    def value(self, positions: Mapping[str, float]) -> float:
        """Return the position of the coupled joint."""
        return sum(ratio * positions[name] for name, ratio in self.ratios.items()) + self.offset


def coupling_of(value: Expr) -> Coupling:
    """Return a linear relation such as `2*t2 + 0.1` as a coupling; raise `RobotError` if it is not linear."""
    ratios: dict[str, float] = {}
    offset = 0.0
    for base, coefficient in linear_terms(value).items():
        names = list(symbols([base]))
        factor = float(coefficient)
        if not names:
            offset += factor * evaluate([base], {})[0]
        elif base.op == "symbol":
            ratios[names[0]] = ratios.get(names[0], 0.0) + factor
        else:
            raise RobotError(f"expected a linear relation with numbers, such as 2*{names[0]} + 0.1", field="couplings")
    return Coupling(ratios, offset)


def check_couplings(couplings: Mapping[str, Coupling], variables: Sequence[str], motors: Sequence[str]) -> None:
    """Raise `RobotError` if a relation refers to an unknown joint, a coupled joint or a motor."""
    for name, coupling in couplings.items():
        for other in (name, *coupling.ratios):
            if other not in variables:
                message = f"{other[:40]} is not a joint variable{closest(other[:40], variables)}"
                raise RobotError(message, field="couplings")
        for other in coupling.ratios:
            if other in couplings:
                message = f"{name}: {other} is a coupled joint: expected a relation to joints that are not coupled"
                raise RobotError(message, field="couplings")
        if not coupling.ratios or not all(map(isfinite, (*coupling.ratios.values(), coupling.offset))):
            raise RobotError(f"{name}: expected a relation to other joints, with finite numbers", field="couplings")
        if name in motors:
            message = f"{name}: expected mu = 0: a coupled joint has no motor of its own"
            raise RobotError(message, field="couplings")


@dataclass(frozen=True, slots=True)
class Follow:
    """q = `ratio` times the position of `joint`, plus `offset`.

    Models contain both joints; `Robot.with_relations` couples them.
    """

    joint: str
    ratio: float = 1.0
    offset: float = 0.0


def coupled_by_relations(robot: Robot) -> Robot:
    """Return the robot in which joints that follow others are coupled to them and have no motor."""
    relations = robot.relations
    variable = dict(zip(robot.joint_names, (robot.variable(j) for j in robot.tree_joints), strict=True))
    couplings = dict(robot.couplings)
    for name in relations:
        leader, ratio, offset = name, 1.0, 0.0
        for _ in relations:  # a chain of relations is at most this long
            if leader not in relations:
                break
            one = relations[leader]
            leader, ratio, offset = one.joint, ratio * one.ratio, offset + ratio * one.offset
        if leader in relations:
            raise RobotError(f"{name} follows itself through {leader}: expected a joint that does not depend on {name}")
        couplings.setdefault(variable[name], Coupling({variable[leader]: ratio}, offset))
    held = {robot.variable(j) for j in robot.tree_joints} & set(couplings)
    frames = (
        replace(frame, mu=0) if name in held else frame
        for name, frame in zip(robot.variables, robot.frames, strict=True)
    )
    return replace(robot, frames=tuple(frames), couplings=couplings) if relations else robot
