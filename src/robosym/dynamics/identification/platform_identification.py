"""Identification models of a parallel robot: motor forces, energy and power as rows times its parameters (GS 39, VI).

The inverse model is linear in inertial parameters, rotor inertias and friction, so that a column is its derivative.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from robosym.algebra import Expr, derivatives, rates_of_change
from robosym.algebra.matrix import sum_of
from robosym.coordinates.legs import Legs, drift_of
from robosym.coordinates.platform_motion import POSE, TWIST, PlatformMotion
from robosym.dynamics.arguments import reduced
from robosym.dynamics.identification.columns import IdentificationModel
from robosym.dynamics.platform_equations import motor_efforts, platform_inertia
from robosym.errors import InputError
from robosym.mechanism import DRIVE, INERTIA, Robot
from robosym.mechanism.elements import expressions
from robosym.mechanism.motion import AT_REST, Hinge, Velocities, Weight, velocity_pass, weight_pass
from robosym.model import Layout, Workspace
from robosym.parameters.standard import LinkField, energy_functions
from robosym.spatial import Scalar, Vec3

__all__ = ["platform_dynamic", "platform_energy", "platform_filtered", "platform_power"]

_OTHERS = ("gravity", "parameters")


def _parameters(robot: Robot, fields: Sequence[str]) -> dict[str, LinkField]:
    """Return the parameters that are symbols, with their places; the link of the platform has its frame's number."""
    links = dict(enumerate(robot.links[: robot.module.end], 1))
    found: dict[str, LinkField] = {}
    for j, link in links.items():
        for field, value in expressions(link):
            if field not in fields or value.is_zero:
                continue
            if value.name is None or value.name in found:
                raise InputError(f"{robot.name}: expected symbols as inertial parameters; use robot.symbolic()")
            found[value.name] = j, field
    if not found:
        raise InputError(f"{robot.name}: expected at least one parameter to identify; use robot.symbolic()")
    return found


def _chosen(robot: Robot, base_parameters: bool) -> Robot:
    """Return the robot, or that of its base parameters; raise `InputError` for springs and further friction terms."""
    for j in robot.tree_joints:
        joint = robot.joint(j)
        if joint.eta or joint.friction:
            what = "a spring" if joint.eta else "friction terms other than FV and FS"
            raise InputError(
                f"{robot.name}: {robot.variable(j)} has {what}, which identification models of a robot with a "
                "platform do not support: remove them (friction, eta), or pass robot.to_closed()"
            )
    return reduced(robot) if base_parameters else robot


def _finished(
    work: Workspace,
    kind: str,
    title: str,
    matrices: dict[str, tuple[str, list[list[Expr]]]],
    names: Sequence[str],
    rows: Sequence[str],
) -> IdentificationModel:
    """Return a model of matrices; by group, the prefix of their entries and the entries."""
    outputs: dict[str, Layout] = {}
    for group, (letters, matrix) in matrices.items():
        outputs[group] = tuple(tuple(f"{letters}{row}{name}" for name in names) for row in rows)
        for row, entries in zip(rows, matrix, strict=True):
            for name, entry in zip(names, entries, strict=True):
                work.define(f"{letters}{row}{name}", entry)
    return work.model(kind, title, outputs, IdentificationModel, columns=tuple(names), rows=tuple(rows))  # fmt: skip


def _moving(robot: Robot, base_parameters: bool, modes: Sequence[int] | None) -> tuple[Robot, tuple[str, ...], Legs]:
    """Return the robot, its parameters, and its legs for given pose, twist and acceleration of the platform."""
    robot = _chosen(robot, base_parameters)
    names = tuple(_parameters(robot, (*INERTIA, *DRIVE)))
    return robot, names, Legs(robot, ("pose", "twist", "acceleration"), _OTHERS, modes)


def platform_dynamic(
    robot: Robot, base_parameters: bool = False, modes: Sequence[int] | None = None
) -> IdentificationModel:
    """Return D of Gamma = D K, from pose, twist and acceleration of the platform."""
    robot, names, legs = _moving(robot, base_parameters, modes)
    with legs.work as work:
        forces, _ = motor_efforts(legs)
        matrix = derivatives([work.graph.zero + forces[j] for j in robot.motors], names)
        rows = [f"G{j}" for j in robot.motors]
        return _finished(work, "dim", "Dynamic identification model", {"D": ("D", matrix)}, names, rows)


def platform_power(
    robot: Robot, base_parameters: bool = False, modes: Sequence[int] | None = None
) -> IdentificationModel:
    """Return the row "dh": the power of the motors is dh K, from pose, twist and acceleration of the platform."""
    robot, names, legs = _moving(robot, base_parameters, modes)
    with legs.work as work:
        forces, _ = motor_efforts(legs)
        motion = legs.motion
        rates = {j: row[0].dot(motion.v) + row[1].dot(motion.w) for j, row in legs.rows()}
        power: Any = work.graph.zero + sum_of(forces[j] * rates[j] for j in robot.motors)
        return _finished(
            work, "pim", "Power identification model", {"dh": ("DH", derivatives([power], names))}, names, [""]
        )


def platform_energy(
    robot: Robot, base_parameters: bool = False, modes: Sequence[int] | None = None
) -> IdentificationModel:
    """Return the row "h": the difference of h K between two times is the work of the motors without friction."""
    robot = _chosen(robot, base_parameters)
    places = _parameters(robot, (*INERTIA, "IA"))
    legs = Legs(robot, ("pose", "twist"), _OTHERS, modes, vectors=False)
    with legs.work as work:
        hinge: dict[int, Hinge] = dict(legs.moving(accelerated=False).items())
        velocities = velocity_pass(hinge, AT_REST, work.note)
        weight = weight_pass(hinge, legs.motion.gravity, work.note)
        own = _platform_energy(legs.motion)
        row = []
        for link, field in places.values():
            parts = (hinge, velocities, weight) if link != robot.module.end else ({}, *own)
            number = 0 if link == robot.module.end else link
            row.append(work.graph.zero + energy_functions(*parts, [(number, field)])[0])
        return _finished(work, "eim", "Energy identification model", {"h": ("H", [row])}, tuple(places), [""])


def _platform_energy(motion: PlatformMotion) -> tuple[Velocities, Weight]:
    """Return the energy of the platform as body 0, in its own frame."""
    back = motion.R.T
    w, v, g = back @ motion.w, back @ motion.v, back @ motion.gravity
    return Velocities({0: w}, {0: v}, {0: w}), Weight({0: g}, {0: -motion.gravity.dot(motion.P)})


def platform_filtered(
    robot: Robot, base_parameters: bool = False, modes: Sequence[int] | None = None
) -> IdentificationModel:
    """Return the matrices "D1" and "D2": Gamma = (d/dt D1 + D2) K, from pose and twist of the platform.

    D1 K is the momentum of the motors, J_p^T A V. D2 K is the effort at the acceleration that the constraints
    require, less the rate of change of the momentum there.
    """
    robot = _chosen(robot, base_parameters)
    names = tuple(_parameters(robot, (*INERTIA, *DRIVE)))
    legs = Legs(robot, ("pose", "twist"), _OTHERS, modes)
    with legs.work as work:
        zero, motion = work.graph.zero, legs.motion
        along = legs.projected(_pair(platform_inertia(legs) @ [*motion.v, *motion.w]))
        momentum = [zero + x for x in legs.by_motors().T @ along]
        drift = drift_of(legs)
        motion.accelerate(*_pair(drift))
        turning = [motion.w.cross(column) for column in motion.R.T.rows]
        R = [zero + x for row in zip(*turning, strict=True) for x in row]
        rates = dict(zip((*POSE, *TWIST), (*R, *(zero + x for x in (*motion.v, *drift))), strict=True))
        forces, _ = motor_efforts(legs)
        slopes = rates_of_change(momentum, rates)
        rest = [zero + forces[j] - slope for (j, _), slope in zip(legs.rows(), slopes, strict=True)]
        matrices = {"D1": ("DEP", derivatives(momentum, names)), "D2": ("DLQ", derivatives(rest, names))}
        title, rows = "Filtered dynamic identification model", [str(j) for j, _ in legs.rows()]
        return _finished(work, "fdi", title, matrices, names, rows)


def _pair(six: Sequence[Scalar]) -> tuple[Vec3, Vec3]:
    return Vec3(*six[:3]), Vec3(*six[3:])
