"""What lies between a torque that is asked for and the joint: limits of the motor, other efforts, stops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from robosym.algebra import Expr, Graph
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.model import Model
from robosym.model.groups import declare

__all__ = ["Hardware", "Stop", "efforts_model"]

_BAND = 0.05  #: part of the highest speed within which the torque that drives on falls to none


@dataclass(frozen=True)
class Stop:
    """Where a joint ends: beyond it a spring acts, harder while the joint moves into it."""

    lower: float | None
    upper: float | None
    stiffness: float
    damping: float  #: force is stiffness p (1 + damping p'), p the depth


@dataclass(frozen=True)
class Hardware:
    """By joint of the robot, so that equal ones are one system."""

    torque: tuple[tuple[int, float], ...] = ()  #: the largest, at the joint
    speed: tuple[tuple[int, float], ...] = ()
    stops: tuple[tuple[int, Stop], ...] = ()
    disturbed: bool = False  #: there are other efforts beside those of the motors

    @property
    def empty(self) -> bool:
        return not (self.torque or self.speed or self.stops or self.disturbed)


def _positive(value: Expr) -> Expr:
    return (value + value.graph.function("abs", value)) / 2


def _within(value: Expr, low: Expr | float, high: Expr | float) -> Expr:
    """The value, or the limit that it is beyond: low + (v - low)+ - (v - high)+."""
    return low + _positive(value - low) - _positive(value - high)


def efforts_model(robot: Robot, direct: Model, efforts: Hardware) -> Model | None:
    """Torques of the motors as limited ("motor"), and the efforts on the joints ("tau"), from those asked for."""
    if efforts.empty:
        return None
    named = direct.inputs.get("tau", ())
    joints = _joints(robot, named)
    for what in (efforts.torque, efforts.speed, efforts.stops):
        for j, _ in what:
            if j not in joints:
                raise InputError(f"joint {j} has no motor of its own: expected one of {', '.join(map(str, joints))}")
    graph = Graph()
    inputs = {group: direct.inputs[group] for group in ("q", "qd") if group in direct.inputs} | {"tau": named}
    if efforts.disturbed:
        inputs["disturbance"] = tuple(f"DI{name}" for name in named)
    declare(graph, inputs)
    largest, fastest, stops = dict(efforts.torque), dict(efforts.speed), dict(efforts.stops)
    definitions: dict[str, Expr] = {}
    for j, name in zip(joints, named, strict=True):
        motor = graph.symbol(name)
        if j in largest:
            high: Any = largest[j]
            low: Any = -largest[j]
            if j in fastest:
                _, qd = _own(robot, j, graph)
                high, low = (
                    side * largest[j] * _within((fastest[j] - side * qd) / (_BAND * fastest[j]), -1, 1)
                    for side in (1, -1)
                )
            motor = _within(motor, low, high)
        definitions[f"MOTOR{j}"] = motor
        effort = motor
        if efforts.disturbed:
            effort = effort + graph.symbol(f"DI{name}")
        if j in stops:
            effort = effort + _of_stop(stops[j], *_own(robot, j, graph))
        definitions[f"EFFORT{j}"] = effort
    outputs = {
        group: tuple(f"{prefix}{j}" for j in joints) for group, prefix in (("motor", "MOTOR"), ("tau", "EFFORT"))
    }
    return Model(robot.name, "eff", "Hardware on the joints", inputs, outputs, definitions, graph)


def _joints(robot: Robot, named: tuple[str, ...]) -> list[int]:
    """The joint of each effort, or the motor of a transmission."""
    if robot.transmission is not None:
        return list(range(1, len(named) + 1))
    by_name = {robot.joint(j).GAM.name: j for j in range(1, robot.NJ + 1)}
    return [by_name[name] for name in named]


def _own(robot: Robot, j: int, graph: Graph) -> tuple[Expr, Expr]:
    """Position and velocity of a joint."""
    name = robot.joint(j).QP.name
    return graph.symbol(robot.variable(j)), graph.symbol(name) if name else graph.zero


def _of_stop(stop: Stop, q: Expr, qd: Expr) -> Expr:
    """Pushed back from both ends, never pulled in."""
    force = q.graph.zero
    for side, end in ((1, stop.upper), (-1, stop.lower)):
        if end is not None:
            depth = _positive(side * (q - end))
            force = force - side * stop.stiffness * depth * _positive(1 + stop.damping * side * qd)
    return force
