"""Between which values the inputs of a model lie: as they are given, else as robots usually move."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite, pi
from typing import Any

from robosym.algebra import symbols
from robosym.errors import InputError, closest
from robosym.mechanism import Robot
from robosym.mechanism.elements import Limits
from robosym.model import Model

__all__ = ["Ranges", "ranges_of"]

Ranges = Mapping[str, tuple[float, float]]  #: of every input by name: from, to; the same twice where it is fixed

_SPEED, _ACCELERATION, _EFFORT, _WEIGHT = 5.0, 20.0, 100.0, 9.81
_TRAVEL = 1.0  #: of a prismatic joint, m
#: from minus so much to so much, where the robot has no limits
_EVEN: Mapping[str, float] = {
    "q": pi, "q_cut": pi, "q_desired": pi, "qd": _SPEED, "qd_desired": _SPEED, "base_velocity": _SPEED,
    "twist": _SPEED, "twist_desired": _SPEED, "qdd": _ACCELERATION, "qdd_desired": _ACCELERATION,
    "base_acceleration": _ACCELERATION, "acceleration": _ACCELERATION, "acceleration_desired": _ACCELERATION,
    "tau": _EFFORT, "motor_torque": _EFFORT, "wrench": _EFFORT, "disturbance": _EFFORT, "weights": 1.0, "sliding": 1.0,
    "gradient": 1.0,
}  # fmt: skip


def ranges_of(model: Model, given: Mapping[str, Any] | None) -> Ranges:
    """Of every input: what is given for it, for its group, or the usual."""
    given = {} if given is None else given
    if not isinstance(given, Mapping):
        raise InputError(f"ranges: expected names or groups with (low, high) or a value, found {given!r}")
    group_of = {name: group for group, names in model.inputs.items() for name in names}
    found: dict[str, tuple[float, float]] = {}
    for key, value in given.items():
        if key in model.inputs and isinstance(value, Mapping):
            for name, entry in value.items():
                if name in model.inputs[key]:
                    found[name] = _span(name, entry)
                elif key != "parameters" or name not in model.known:  # more parameters than the model needs will do
                    raise InputError(f"ranges: {key} has no {name!r}{closest(str(name), model.inputs[key])}")
        elif key in group_of:
            found[key] = _span(key, value)
        elif key in model.inputs:
            span = _span(key, value)
            found = {**dict.fromkeys(model.inputs[key], span), **found}
        elif key not in model.known:
            known = [*model.inputs, *group_of]
            raise InputError(f"ranges: the model has no input {key!r}{closest(str(key), known)}")
    usual = _usual(model)
    missing = [name for name in group_of if name not in found and name not in usual]
    if missing:
        few = " ".join(missing[:6]) + (" ..." if len(missing) > 6 else "")
        group = group_of[missing[0]]
        raise InputError(
            f"ranges: no value for {few} (of {group}): expected {missing[0]} with a value or (low, high), "
            f"or {group} with (low, high) for all"
        )
    return {name: found[name] if name in found else usual[name] for name in group_of}


def _span(name: str, value: Any) -> tuple[float, float]:
    ends = [value] if isinstance(value, str) or not hasattr(value, "__len__") else list(value)
    try:
        numbers = [float(end) for end in ends if not isinstance(end, str | bool)]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != len(ends) or len(ends) not in (1, 2) or not all(map(isfinite, numbers)):
        raise InputError(f"ranges: {name}: expected a number or (low, high), found {value!r}")
    if numbers[0] > numbers[-1]:
        raise InputError(f"ranges: {name}: expected low <= high, found {value!r}")
    return numbers[0], numbers[-1]


def _usual(model: Model) -> Ranges:
    """Angles of a turn, rates and accelerations of arms, the limits of joints that have them; weight as on earth."""
    found = {
        name: (-_EVEN[group], _EVEN[group]) for group, names in model.inputs.items() if group in _EVEN for name in names
    }
    down = model.inputs.get("gravity", ())
    found |= dict.fromkeys(down, (_WEIGHT, _WEIGHT) if len(down) == 1 else (-_WEIGHT, _WEIGHT))
    if model.robot is not None:
        for name, span in _of_joints(model.robot).items():
            if name in found:
                found[name] = span
    return found


def _of_joints(robot: Robot) -> Ranges:
    """What the joints of a robot allow, under the names of their motion."""
    found = {}
    for j in robot.tree_joints:
        joint, limits = robot.joint(j), robot.joint(j).limits
        if limits.lower is not None and limits.upper is not None:
            found[robot.variable(j)] = (limits.lower, limits.upper)
        elif robot.frame(j).sigma == 1:
            found[robot.variable(j)] = (-_TRAVEL, _TRAVEL)
        for entry, most in _rates(limits):
            value = getattr(joint, entry)
            names = tuple(symbols([value])) if value.level else ()
            if most is not None and len(names) == 1:
                found |= dict.fromkeys(names, (-most, most))
    return found


def _rates(limits: Limits) -> tuple[tuple[str, float | None], ...]:
    return ("QP", limits.velocity), ("QDP", limits.acceleration), ("GAM", limits.effort)
