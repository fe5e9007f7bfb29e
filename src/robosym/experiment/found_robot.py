"""A robot in numbers from an estimate: links, rotors and friction, good for every model."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from robosym.algebra import Graph, numeric_value, to_text
from robosym.errors import RobotWarning
from robosym.mechanism import DRIVE, INERTIA, Friction, JointFriction, Robot
from robosym.mechanism.friction import LOAD, OWN_PLACE
from robosym.parameters import BaseParameters, base_parameters

if TYPE_CHECKING:
    from robosym.experiment.estimate import Estimate

__all__ = ["found_robot", "standard_values"]

_NOMINAL = 1.0  #: kg: a mass that no motion shows, of a robot without numbers; files of links want one


def _warn_of(found: Estimate, placed: set[str]) -> None:
    if without := [name for name in found.names if name not in placed]:
        warnings.warn(f"a description has no place for {', '.join(without)}", RobotWarning, stacklevel=4)


def found_robot(found: Estimate) -> Robot:
    """The robot of the estimate in numbers."""
    values = dict(found.items())
    base = base_parameters(found.regressor.robot)
    links: list[dict[str, float]] = [dict.fromkeys((*INERTIA, *DRIVE), 0.0) for _ in range(base.given.NL)]
    for (j, name), value in (found.standard or standard_values(base, found.regressor.given, values)).items():
        links[j - 1][name] = value
    for j in base.given.tree_joints:  # passive joints of loops have friction too
        links[j - 1] |= {name: values.get(f"{name}{j}", 0.0) for name in OWN_PLACE}
    robot = base.given.with_links(links)
    kind, shapes = found.regressor.friction, _shapes(found.regressor.friction)
    joints, placed = list(robot.joints), {*base.places, *(f"{n}{j}" for j in robot.tree_joints for n in OWN_PLACE)}
    for j in found.regressor.joints:
        friction = _friction(kind, j, values, shapes, robot.graph)
        joints[j - 1] = replace(joints[j - 1], friction=friction)
        placed |= {f"{name}{j}" for name, _ in friction.values}
    for j in (j for j in robot.cut_joints if robot.joint(j).acts):  # no link holds their friction
        numbers = {n: values[f"{n}{j}"] for n in OWN_PLACE if f"{n}{j}" in values}
        friction = JointFriction(tuple((n, robot.graph.number(x)) for n, x in numbers.items()), kind.smooth)
        joints[j - 1] = replace(joints[j - 1], friction=friction)
        placed |= {f"{n}{j}" for n in numbers}
    _warn_of(found, placed)
    return replace(robot, joints=tuple(joints))


def standard_values(base: BaseParameters, given: Any, values: dict[str, float]) -> dict[tuple[int, str], float]:
    """Standard parameters with the base parameters that were found: those grouped away as the given robot has them."""
    parameters = base.standard.inertial
    own = {p.place: numeric_value(getattr(given.link(p.link), p.field)) for p in parameters}
    prior = {place: _NOMINAL if place[1] == "M" else 0.0 for place in own}
    if all(value is not None for value in own.values()) and any(own.values()):
        prior = {place: float(value or 0.0) for place, value in own.items()}
    found = {place: values.get(name, 0.0) for name, place in base.places.items()}
    matrix = np.asarray(base.matrix)
    if matrix.dtype == object:  # lengths that are symbols
        return found
    away = {p.place: prior[p.place] for p in parameters if p.place not in found}
    grouped = matrix @ [away.get(p.place, 0.0) for p in parameters]
    return away | {place: value - own for (place, value), own in zip(found.items(), grouped.tolist(), strict=True)}


def _shapes(friction: Friction) -> dict[str, str]:
    """Terms of one's own as texts, where they can be written."""
    shapes = {name: friction.shape(name) for name in friction.terms}
    return {name: to_text(shape) for name, shape in shapes.items() if shape is not None}


def _friction(
    friction: Friction, j: int, values: dict[str, float], shapes: dict[str, str], graph: Graph
) -> JointFriction:
    """Of joint j, with the terms that a description can hold."""
    names = [name for name in friction.names if name not in OWN_PLACE and f"{name}{j}" in values]
    names = [name for name in names if name not in friction.terms or name in shapes]
    if abs(values.get(f"{LOAD}{j}", 1.0)) < 1:  # beyond that no torque could move the joint
        names.append(LOAD)
    own = tuple((name, text) for name, text in shapes.items() if name in names)
    numbers = tuple((name, graph.number(values[f"{name}{j}"])) for name in names)
    return JointFriction(numbers, friction.smooth, friction.stribeck, own)
