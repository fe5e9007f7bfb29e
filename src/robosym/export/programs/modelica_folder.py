"""Modelica packages of robots: a function and a block per model, and a block that integrates the motion."""

from __future__ import annotations

from collections.abc import Mapping

from robosym.export.robot_functions import MOTION, Part, model_of
from robosym.export.state_models import Unit
from robosym.export.symbol_units import entry_unit, parameter_units
from robosym.languages.header import provenance
from robosym.languages.modelica import Component, modelica_package
from robosym.mechanism import Robot
from robosym.model import flat, is_online

__all__ = ["modelica_files"]


def modelica_files(name: str, functions: Mapping[str, Part]) -> dict[str, str | bytes]:
    """Return the file of a package, which needs no library."""
    robot = next((model.robot for model in map(model_of, functions.values()) if model.robot is not None), None)
    title = f"Models of {name if robot is None else robot.name}"
    head = [title, "", *provenance(robot), "", "Functions, and blocks that call them with signals."]
    if MOTION in functions:
        head += [f"The block Motion integrates the motion of the robot: for f in {MOTION}, der(x) = f(x, u)."]
    parts = [_component(own, part, robot) for own, part in functions.items()]
    return {f"{name}.mo": modelica_package(name, title, head, parts)}


def _component(own: str, part: Part, robot: Robot | None) -> Component:
    unit = part if isinstance(part, Unit) else None
    model = model_of(part) if unit is None else unit.without("indicator", "gap")
    states, rates, start = ((), (), {}) if unit is None else (unit.states, unit.rates, unit.start)
    if unit is None:  # a controller with memory: inputs X with an output X_rate
        states = tuple(group for group in model.inputs if f"{group}_rate" in model.outputs and is_online(group))
        rates = tuple(name for group in states for name in flat(model.outputs[f"{group}_rate"]))
    block = "".join(word[:1].upper() + word[1:] for word in own.split("_"))
    return Component(
        own, block if block != own else f"{own}Block", model,
        unit=lambda group, place, output: entry_unit(robot, group, place, output),
        parameter_units={} if robot is None else parameter_units(robot), states=states, rates=rates, start=start,
    )  # fmt: skip
