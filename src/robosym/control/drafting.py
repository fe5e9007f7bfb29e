"""What the control laws have in common: small models of errors and gains, composed with the models of a robot.

The sign of a measured velocity jumps with its noise where a joint is at rest, and the torque of a law with it. By
default a law therefore takes dry friction at the desired velocity where it has one, and a smooth function of the
measured velocity otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeVar, Union

import numpy as np

from robosym.algebra import Expr, Graph, Number, parse, symbols
from robosym.dynamics.bias_torques import friction_torques
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.friction import SMOOTH, friction_choice, has_dry_friction, split_friction, with_friction
from robosym.model import Model, flat
from robosym.model.groups import declare

__all__ = ["Axes", "Compensation", "Draft", "Gain", "axes_of", "compensation"]

#: of a law: one for all joints, one each, or None for symbols KP1 .. that become parameters of the model
Gain = Union[Number, str, Sequence[Union[Number, str]], None]


Entry = TypeVar("Entry")


@dataclass(frozen=True)
class Axes:
    """The joints that a law drives: their numbers, variables and velocities."""

    numbers: tuple[int, ...]
    q: tuple[str, ...]
    qd: tuple[str, ...]

    def labelled(self, prefix: str) -> tuple[str, ...]:
        return tuple(f"{prefix}{j}" for j in self.numbers)

    def named(self, prefix: str, values: Iterable[Entry]) -> dict[str, Entry]:
        """Values of the axes by their names."""
        return dict(zip(self.labelled(prefix), values, strict=True))


def axes_of(robot: Robot, model: Model) -> Axes:
    """The axes whose velocities a model takes, in their order."""
    return {"motors": _motor_axes}.get(robot.coordinates, _joint_axes)(robot, model)


def _motor_axes(robot: Robot, model: Model) -> Axes:
    rates = model.inputs.get("qd", ())
    return Axes(tuple(range(1, len(rates) + 1)), model.inputs["q"], rates)


def _joint_axes(robot: Robot, model: Model) -> Axes:
    rates = model.inputs.get("qd", ())
    joints = {robot.joint(j).QP.name: j for j in robot.tree_joints}
    driven = {"active": robot.motors}.get(robot.coordinates, robot.tree_joints)
    if len(rates) < len(driven):
        raise InputError(f"{robot.name}: a control law needs a velocity of its own (QP) for each joint that it drives")
    numbers = tuple(joints[name] for name in rates)
    return Axes(numbers, tuple(robot.variable(j) for j in numbers), rates)


class Draft:
    """A model in the making: inputs by group, gains among its parameters; on top of another model if one is given."""

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
        """The outputs of a group of the models below, a matrix row by row."""
        assert self.on is not None
        return [self.on.definitions[name] for name in flat(self.on.outputs[group])]

    def __getitem__(self, group: str) -> list[Expr]:
        """The inputs of a group."""
        return [self.graph.symbol(name) for name in self.inputs[group]]

    def gains(self, prefix: str, given: Gain, numbers: Sequence[int]) -> list[Expr]:
        """One per joint; symbols join the parameters of the model.

        A symbol of a gain is never one of the robot: where this has a length D3, the damping D3 becomes KD3.
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
            raise InputError(f"{prefix.lower()}: expected one gain or {len(numbers)}, found {len(entries)}")
        return [self.parameter(entry, prefix) for entry in entries]

    def _unused(self, prefix: str, numbers: Sequence[int]) -> list[str]:
        taken = {*self.robot.parameters, *(name for names in self.inputs.values() for name in names)}
        names = [f"{prefix}{j}" for j in numbers]
        return self._unused(f"K{prefix}", numbers) if taken.intersection(names) else names

    def parameter(self, entry: Number | str, what: str) -> Expr:
        if isinstance(entry, str):
            value = parse(entry, self.graph)
        else:
            try:
                number = float(entry)
            except (TypeError, ValueError):
                raise InputError(f"{what.lower()}: expected a number or a symbol, found {entry!r}") from None
            if not np.isfinite(number):
                raise InputError(f"{what.lower()}: expected a finite number, found {entry!r}")
            value = self.graph.number(number)
        known = {name for names in self.inputs.values() for name in names}
        new = tuple(name for name in symbols([value]) if name not in known)
        if new:
            self.inputs["parameters"] = (*self.inputs.get("parameters", ()), *new)
        return value

    def model(self, kind: str, title: str, outputs: Mapping[str, Mapping[str, Any]]) -> Model:
        """`outputs` {group: {name: value}}."""
        definitions = {} if self.on is None else dict(self.on.definitions)
        definitions |= {name: self.graph.zero + value for group in outputs.values() for name, value in group.items()}
        layout = {group: tuple(values) for group, values in outputs.items()}
        return Model(self.robot.name, kind, title, self.inputs, layout, definitions, self.graph, self.robot)


@dataclass(frozen=True)
class Compensation:
    """How a law treats friction: the robot of its model, what is added at the desired velocity, and words for it."""

    robot: Robot
    apart: Model | None  #: torques of dry friction, a function of the velocities `qd` (and of the positions)
    words: str

    def at_desired(self) -> Compensation:
        """The same of a law whose model is that of the desired motion."""
        words = self.words.replace("the velocity that is given as qd", "the desired velocity")
        return replace(self, words=words.replace("tanh(qd /", "tanh(qd_desired /"))

    def said(self, model: Model, group: str = "tau") -> Model:
        """The model, whose file says how a group of its outputs treats friction."""
        if not self.words:
            return model
        return replace(model, about={**model.about, group: f"{model.meaning(group, output=True)}; {self.words}"})


def compensation(robot: Robot, friction: bool | str, desired: bool) -> Compensation:
    """The treatment of friction by a law; `desired`: whether it knows the desired velocities of the joints."""
    choice = friction_choice(friction)
    if not _has_friction(robot):
        return Compensation(robot, None, "")
    if choice is False:
        return Compensation(_like(robot, with_friction(robot, False)), None, "without friction")
    if not has_dry_friction(robot):
        return Compensation(robot, None, "")
    if choice is True:
        return Compensation(robot, None, "friction as described, by the sign of the velocity that is given as qd")
    if desired:
        quiet, dry = split_friction(robot)
        apart: Model | None = friction_torques(_like(robot, dry))
        if apart is not None:
            words = f"dry friction at the desired velocity, by tanh(qd_desired / {SMOOTH}) in the place of its sign"
            return Compensation(_like(robot, quiet), apart, words)
    words = f"dry friction by tanh(qd / {SMOOTH}) in the place of its sign"
    return Compensation(_like(robot, with_friction(robot, "smooth")), None, words)


def _has_friction(robot: Robot) -> bool:
    links = any(not value.is_zero for link in robot.links for value in (link.FV, link.FS))
    return links or any(joint.friction.values for joint in robot.joints)


def _like(robot: Robot, other: Robot) -> Robot:
    """The robot with other friction, of the same file."""
    return replace(other, origin=robot.origin)
