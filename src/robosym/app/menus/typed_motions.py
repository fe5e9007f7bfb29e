"""Simulations and loads of motors as people type them: numbers with commas, laws with gains, files of motions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import robosym as rs
from robosym.algebra import Graph, evaluate, parse
from robosym.app.menus.motors import motors_from
from robosym.errors import InputError, closest
from robosym.mechanism.screws import in_radians

__all__ = ["motor_loads", "simulate"]

_LAWS = (
    "computed_torque", "predictive_control", "feedforward", "pd_gravity", "operational_control", "impedance_control",
    "adaptive_control",
)  # fmt: skip


def simulate(
    robot: rs.Robot, q: str | None = None, qd: str | None = None, torque: str | None = None,
    controller: str | None = None, until: str = "10", step: str = "0.001", method: str = "rk4",
    reference: str | None = None, disturbance: str | None = None, motor: Sequence[str] = (), actuators: bool = False,
    friction: str | None = None, smooth: str = "0.01", stops: Sequence[str] = (), base: str | None = None,
    base_velocity: str | None = None, period: str | None = None, every: int = 1, tolerance: str | None = None,
    write: Path | None = None, plot: Path | None = None, animate: Path | None = None,
) -> Any:  # fmt: skip
    """The motion, written to files where these are wanted."""
    law = None if controller is None else _law(robot, controller)
    more: dict[str, Any] = {} if tolerance is None else {"tolerance": _number("--tolerance", tolerance)}
    run = rs.simulate(
        robot, _numbers("--q", q), _numbers("--qd", qd), _numbers("--torque", torque), law,
        _number("--until", until), _number("--step", step), method,
        reference=None if reference is None else _reference(reference),
        disturbance=_numbers("--disturbance", disturbance),
        actuators=_actuators(robot, motor) if motor else actuators or None,
        friction=friction, smooth=_number("--smooth", smooth), stops=_stops(stops),
        base=_numbers("--base", base), base_velocity=_numbers("--base-velocity", base_velocity),
        period=None if period is None else _number("--period", period), every=every,
        **more,
    )  # fmt: skip
    if write is not None:
        run.write(write)
    if plot is not None:
        run.plot(plot)
    if animate is not None:
        run.animate(animate)
    return run


def motor_loads(
    robot: rs.Robot, trajectory: Path, drives: str | None = None, motors: Path | None = None, write: Path | None = None
) -> Any:
    """The loads, written to a file where that is wanted."""
    found = rs.motor_loads(robot, trajectory, _numbers("--drives", drives), motors)
    if write is not None:
        found.write(write)
    return found


def _number(option: str, text: Any) -> float:
    try:
        return evaluate([parse(in_radians(str(text)), Graph())], {})[0]
    except (rs.Error, KeyError):
        raise InputError(f"{option}: expected a number, found {text!r}") from None


def _numbers(option: str, text: str | None) -> list[float] | None:
    return None if text is None else [_number(option, word.strip()) for word in text.split(",")]


def _law(robot: rs.Robot, text: str) -> Any:
    """`computed_torque:kp=100,kd=20`; a gain for each joint by slashes, kp=100/80/60."""
    name, _, entries = text.partition(":")
    name = name.strip().replace("-", "_")
    if name not in _LAWS:
        raise InputError(f"--controller: expected one of {', '.join(_LAWS)}, found {name!r}{closest(name, _LAWS)}")
    gains: dict[str, Any] = {}
    for entry in filter(None, (part.strip() for part in entries.split(","))):
        key, equals, value = (part.strip() for part in entry.partition("="))
        if not equals or not value:
            raise InputError(f"--controller: expected LAW:kp=100,kd=20, found {entry!r}")
        numbers = [_number("--controller", word) for word in value.split("/")]
        gains[key] = numbers[0] if len(numbers) == 1 else numbers
    try:
        return getattr(rs, name)(robot, **gains)
    except TypeError:
        raise InputError(f"--controller: {name} has no gain among {', '.join(gains)}") from None


def _reference(text: str) -> Mapping[str, Any] | str:
    """A position that is held, or a .csv file of t, q1 .., qd1 .., qdd1 .. ."""
    if not text.endswith(".csv"):
        return {"q_desired": _numbers("--reference", text)}
    return text


def _actuators(robot: rs.Robot, words: Sequence[str]) -> dict[int, Any]:
    given = {int(word.partition(":")[0]) for word in words if word.partition(":")[0].strip().isdigit()}
    return {j: motor for j, motor in motors_from(robot, words).items() if j in given}


def _stops(words: Sequence[str]) -> Any:
    """`limits` for those of the description, or `2=-1.5,1.5`."""
    if not words:
        return None
    if list(words) == ["limits"]:
        return True
    found: dict[Any, tuple[float, ...]] = {}
    for word in words:
        joint, equals, ends = (part.strip() for part in word.partition("="))
        pair = _numbers("--stops", ends) if equals else None
        if pair is None or len(pair) != 2:
            raise InputError(f"--stops: expected limits, or JOINT=LOWER,UPPER such as 2=-1.5,1.5, found {word!r}")
        found[int(joint) if joint.isdigit() else joint] = (pair[0], pair[1])
    return found
