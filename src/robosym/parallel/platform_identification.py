"""The dynamic identification model of a parallel robot: motor forces as a matrix times its parameters (GS 39, VI).

The inverse model is linear in the inertial parameters, rotor inertias and friction, so that a column is its derivative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from robosym.algebra import derivatives
from robosym.description import DRIVE, INERTIA, Parallel
from robosym.description.robot import expressions
from robosym.errors import InputError
from robosym.model import Layout, Model
from robosym.parallel.motor_forces import inverse_dynamics
from robosym.parallel.platform_parameters import reduced

__all__ = ["PlatformRegressor", "dynamic_identification"]


@dataclass(frozen=True, eq=False)
class PlatformRegressor(Model):
    """Output "D": a row for each motor, a column for each of `columns`, the names of the parameters."""

    columns: tuple[str, ...] = ()


def dynamic_identification(
    robot: Parallel, base_parameters: bool = False, modes: Sequence[int] | None = None
) -> PlatformRegressor:
    """D of Gamma = D K, from pose, twist and acceleration of the platform; the parameters are symbols of the robot."""
    robot = reduced(robot) if base_parameters else robot
    links = (*robot.tree.links, robot.platform)
    entries = [value for link in links for name, value in expressions(link) if name in (*INERTIA, *DRIVE)]
    if any(not value.is_zero and value.name is None for value in entries):
        raise InputError(f"{robot.name}: its inertial parameters are not symbols of their own: take robot.symbolic()")
    names = tuple(dict.fromkeys(value.name for value in entries if value.name is not None))
    model = inverse_dynamics(robot, modes=modes)
    rows = derivatives([model.definitions[f"GAM{j}"] for j in robot.motors], names)
    layout: Layout = tuple(tuple(f"DG{j}{name}" for name in names) for j in robot.motors)
    values = {
        f"DG{j}{n}": x for j, row in zip(robot.motors, rows, strict=True) for n, x in zip(names, row, strict=True)
    }
    plain = replace(model, kind="dim", title="Dynamic identification model", outputs={"D": layout}, definitions=values)
    return PlatformRegressor(
        plain.name, plain.kind, plain.title, plain.inputs, plain.outputs, plain.definitions, plain.graph, plain.robot,
        columns=names,
    )  # fmt: skip
