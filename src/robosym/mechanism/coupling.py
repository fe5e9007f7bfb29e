"""Joints that others move: by gears, belts or cables, as a second finger follows the first.

A `Follow` is a relation that the description keeps while models have both joints; a `Coupling` takes the freedom of
a joint.
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
    """q = sum of ratio times the position of a joint, plus `offset`; the joint has no freedom of its own."""

    ratios: Mapping[str, float]  #: by joint variable
    offset: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "ratios", FrozenDict(self.ratios))

    def value(self, positions: Mapping[str, float]) -> float:
        return sum(ratio * positions[name] for name, ratio in self.ratios.items()) + self.offset


def coupling_of(value: Expr) -> Coupling:
    """`2*t2 + 0.1` as numbers; an error in words where it is not linear."""
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
    """An error where a relation names no joint, or leaves open which joint moves which."""
    for name, coupling in couplings.items():
        for other in (name, *coupling.ratios):
            if other not in variables:
                message = f"{other[:40]} is no joint variable{closest(other[:40], variables)}"
                raise RobotError(message, field="couplings")
        for other in coupling.ratios:
            if other in couplings:
                message = f"{name}: {other} is coupled itself: write {name} as a function of joints that move freely"
                raise RobotError(message, field="couplings")
        if not coupling.ratios or not all(map(isfinite, (*coupling.ratios.values(), coupling.offset))):
            raise RobotError(f"{name}: expected a relation with finite numbers to other joints", field="couplings")
        if name in motors:
            message = f"{name}: a coupled joint has no motor of its own (mu = 0): the joints that it follows have"
            raise RobotError(message, field="couplings")


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
