"""Common parts of control laws: models of errors and gains, composed with the models of a robot.

When a joint is stationary, noise changes the sign of its measured velocity and makes the torque of a law jump. By
default, a law therefore computes Coulomb friction from the desired velocity if it has one, and otherwise from a
smooth function of the measured velocity.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeVar, Union

import numpy as np

from robosym.algebra import Expr, Graph, Number, parse
from robosym.dynamics.bias_torques import friction_torques
from robosym.errors import ExpressionError, InputError, PathPart
from robosym.mechanism import Robot
from robosym.mechanism.friction import SMOOTH, friction_choice, has_dry_friction, split_friction, with_friction
from robosym.model import Model, flat
from robosym.model.groups import declare, with_parameters

__all__ = ["Axes", "Compensation", "Draft", "Gain", "axes_of", "compensation"]

#: gain of a law: one for all joints, one per joint, or None for parameters KP1 .. of the model
Gain = Union[Number, str, Sequence[Union[Number, str]], None]


Entry = TypeVar("Entry")


@dataclass(frozen=True)
class Axes:
    """Joints that a law drives: numbers, variables and velocities."""

    numbers: tuple[int, ...]
    q: tuple[str, ...]
    qd: tuple[str, ...]

    def labeled(self, prefix: str) -> tuple[str, ...]:
        """Return names with the numbers of the joints."""
        return tuple(f"{prefix}{j}" for j in self.numbers)

    def named(self, prefix: str, values: Iterable[Entry]) -> dict[str, Entry]:
        """Return the values of the axes by name."""
        return dict(zip(self.labeled(prefix), values, strict=True))


def axes_of(robot: Robot, model: Model) -> Axes:
    """Return the axes whose velocities are inputs of a model, in the same order."""
    return {"motors": _motor_axes}.get(robot.coordinates, _joint_axes)(robot, model)


def _motor_axes(robot: Robot, model: Model) -> Axes:
    rates = model.inputs.get("qd", ())
    return Axes(tuple(range(1, len(rates) + 1)), model.inputs["q"], rates)


def _joint_axes(robot: Robot, model: Model) -> Axes:
    rates = model.inputs.get("qd", ())
    joints = {robot.joint(j).QP.name: j for j in robot.tree_joints}
    driven = {"active": robot.motors}.get(robot.coordinates, robot.tree_joints)
    if len(rates) < len(driven):
        raise InputError(f"{robot.name}: expected a velocity symbol of its own (QP) for each driven joint")
    numbers = tuple(joints[name] for name in rates)
    return Axes(numbers, tuple(robot.variable(j) for j in numbers), rates)


class Draft:
    """Model under construction: inputs by group, gains as parameters, optionally on top of another model."""

    def __init__(self, robot: Robot, inputs: Mapping[str, Sequence[str]], on: Model | None = None) -> None:
        self.robot = robot
        self.graph = Graph() if on is None else on.graph
        self.on = on
        given = {} if on is None else {group: names for group, names in on.inputs.items() if group != "parameters"}
        self.inputs = given | {group: tuple(names) for group, names in inputs.items() if names}
        if on is not None and "parameters" in on.inputs:
            self.inputs["parameters"] = on.inputs["parameters"]
        declare(self.graph, {group: names for group, names in inputs.items() if group not in given})

    def out(self, group: str) -> list[Expr]:
        """Return the outputs of a group of the underlying model, a matrix by rows."""
        assert self.on is not None
        return [self.on.definitions[name] for name in flat(self.on.outputs[group])]

    def __getitem__(self, group: str) -> list[Expr]:
        """Return the inputs of a group."""
        return [self.graph.symbol(name) for name in self.inputs[group]]

    def gains(self, prefix: str, given: Gain, numbers: Sequence[int], argument: str = "") -> list[Expr]:
        """Return one gain per joint; symbols become parameters of the model.

        `argument` is the name that an error states; the default is the prefix in lower case.
        A gain never has the name of a symbol of the robot: if the robot has a length D3, the damping D3 becomes KD3.
        """
        if given is None:
            entries: Sequence[Number | str] = self._unused(prefix, numbers)
        elif isinstance(given, str) and "," in given:
            entries = [part.strip() for part in given.split(",")]
        elif isinstance(given, (str, int, float, Fraction, np.number)):
            entries = [given] * len(numbers)
        else:
            entries = list(given)
        if len(entries) != len(numbers):
            raise InputError(f"{argument or prefix.lower()}: expected 1 or {len(numbers)} gains, found {len(entries)}")
        return [self.parameter(entry, argument or prefix) for entry in entries]

    def _unused(self, prefix: str, numbers: Sequence[int]) -> list[str]:
        taken = {*self.robot.parameters, *(name for names in self.inputs.values() for name in names)}
        names = [f"{prefix}{j}" for j in numbers]
        return self._unused(f"K{prefix}", numbers) if taken.intersection(names) else names

    def parameter(self, entry: Number | str, what: str) -> Expr:
        """Return a number or a symbol as an expression."""
        if isinstance(entry, str):
            try:
                value = parse(entry, self.graph)
            except ExpressionError as error:
                raise error.within(PathPart(what.lower())) from None
        else:
            try:
                number = float(entry)
            except (TypeError, ValueError):
                raise InputError(f"{what.lower()}: expected a number or a symbol, found {entry!r}") from None
            if not np.isfinite(number):
                raise InputError(f"{what.lower()}: expected a finite number, found {entry!r}")
            value = self.graph.number(number)
        self.inputs = with_parameters(self.inputs, [value])
        return value

    def model(self, kind: str, title: str, outputs: Mapping[str, Mapping[str, Any]]) -> Model:
        """Return the model with `outputs` {group: {name: value}}."""
        definitions = {} if self.on is None else dict(self.on.definitions)
        definitions |= {name: self.graph.zero + value for group in outputs.values() for name, value in group.items()}
        layout = {group: tuple(values) for group, values in outputs.items()}
        return Model(self.robot.name, kind, title, self.inputs, layout, definitions, self.graph, self.robot)


@dataclass(frozen=True)
class Compensation:
    """Treatment of friction in a law: the robot of its model, torques added at the desired velocity, description."""

    robot: Robot
    apart: Model | None  #: Coulomb friction torques as functions of `qd` and of the positions
    words: str

    def at_desired(self) -> Compensation:
        """Return the treatment for a law whose model is evaluated at the desired motion."""
        words = self.words.replace("the velocity qd", "the desired velocity")
        return replace(self, words=words.replace("tanh(qd /", "tanh(qd_desired /"))

    def with_note(self, model: Model, group: str = "tau") -> Model:
        """Return the model with a note on the treatment of friction in a group of outputs."""
        if not self.words:
            return model
        return replace(model, about={**model.about, group: f"{model.meaning(group, output=True)}; {self.words}"})


def compensation(robot: Robot, friction: bool | str, desired: bool) -> Compensation:
    """Return the treatment of friction in a law; `desired` is True if it has desired joint velocities."""
    choice = friction_choice(friction)
    if not _has_friction(robot):
        return Compensation(robot, None, "")
    if choice is False:
        return Compensation(_like(robot, with_friction(robot, False)), None, "without friction")
    if not has_dry_friction(robot):
        return Compensation(robot, None, "")
    if choice is True:
        return Compensation(robot, None, "friction as described, with the sign of the velocity qd")
    if desired:
        quiet, dry = split_friction(robot)
        apart: Model | None = friction_torques(_like(robot, dry))
        if apart is not None:
            words = f"Coulomb friction at the desired velocity, tanh(qd_desired / {SMOOTH}) in place of its sign"
            return Compensation(_like(robot, quiet), apart, words)
    words = f"Coulomb friction with tanh(qd / {SMOOTH}) in place of its sign"
    return Compensation(_like(robot, with_friction(robot, "smooth")), None, words)


def _has_friction(robot: Robot) -> bool:
    links = any(not value.is_zero for link in robot.links for value in (link.FV, link.FS))
    return links or any(joint.friction.values for joint in robot.joints)


def _like(robot: Robot, other: Robot) -> Robot:
    """Return the robot with other friction and the same origin."""
    return replace(other, origin=robot.origin)
