"""A robot in numbers, link by link, as URDF and MJCF want it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from robosym.algebra import Expr, evaluate, symbols
from robosym.description import INERTIA, Link, Robot
from robosym.errors import RobotError, RobotWarning
from robosym.formats.placements import exact_screw_x, exact_screw_z
from robosym.spatial import Transform, Vec3
from robosym.spatial.inertia import RigidInertia

__all__ = ["NumericLink", "decimals", "fixed_place", "numeric_tree"]


@dataclass(frozen=True, slots=True)
class NumericLink:
    """A link, its frame in that of its antecedent where the joint variable is zero, and its inertia."""

    number: int
    ant: int
    names: tuple[str, ...]  #: the first is its own, the others stand for the same frame
    place: Transform
    mass: float
    centre: Vec3
    tensor: tuple[float, ...]  #: xx, xy, xz, yy, yz, zz at the centre of mass
    IA: float
    FV: float
    FS: float

    @property
    def has_inertia(self) -> bool:
        return bool(self.mass or any(self.tensor))


def numeric_tree(robot: Robot, form: str) -> list[NumericLink]:
    """The base and every link; a robot with symbols is refused."""
    lost = [f"{n}{j}" for j, joint in enumerate(robot.joints, 1) for n, v in joint.friction.values if not v.is_zero]
    lost += [f"smooth of joint {j}" for j, joint in enumerate(robot.joints, 1) if joint.friction.smooth]
    if lost:
        warnings.warn(f"{form} has FV and FS alone: {', '.join(lost)} are left out", RobotWarning, stacklevel=4)
    taken = set(robot.frame_names)
    links = [_link(robot, 0, robot.base.link, form, taken)]
    return links + [_link(robot, j, robot.link(j), form, taken) for j in range(1, robot.NL + 1)]


def decimals(values: Sequence[float]) -> str:
    """Numbers with blanks between them, each as short as reads back the same; -0 is 0."""
    return " ".join(
        f"{value + 0.0:.17g}" if float(f"{value:.15g}") != value else f"{value + 0.0:.15g}" for value in values
    )


def _numbers(robot: Robot, entries: Sequence[Expr], form: str) -> list[float]:
    found = list(symbols(entries))
    if found:
        names = ", ".join(found[:5])
        raise RobotError(f"{form} holds numbers alone, found {names}: give them with robot.with_values({{...}}) first")
    return evaluate(entries, {})


def fixed_place(robot: Robot, j: int, form: str) -> Transform:
    """Frame j in its antecedent, its joint variable at zero."""
    frame = robot.frame(j)
    if frame.is_joint:
        variable = robot.graph.symbol(robot.variable(j))
        frame = frame.at(getattr(frame, frame.joint_type.variable) - variable)
    entries = frame.gamma, frame.b, frame.alpha, frame.d, frame.theta, frame.r
    gamma, b, alpha, d, theta, r = _numbers(robot, entries, form)
    return exact_screw_z(gamma, b) @ exact_screw_x(alpha, d) @ exact_screw_z(theta, r)


def _link(robot: Robot, j: int, link: Link | None, form: str, taken: set[str]) -> NumericLink:
    names = tuple(name for name, number in robot.frame_names.items() if number == j)
    if not names:
        own = f"link{j}" if j else "base"
        while own in taken:
            own += "_"
        taken.add(own)
        names = (own,)
    frame = robot.frame(j) if j else None
    place = fixed_place(robot, j, form) if j else Transform.identity()
    if link is None:
        return NumericLink(j, 0, names, place, 0.0, Vec3(0.0, 0.0, 0.0), (0.0,) * 6, 0.0, 0.0, 0.0)
    *ten, IA, FV, FS = _numbers(robot, [getattr(link, name) for name in (*INERTIA, "IA", "FV", "FS")], form)
    body = RigidInertia(*ten)
    if not body.M and any(body.MS):
        raise RobotError(f"{form} has no first moments without a mass: expected M above 0", frame=j, field="M")
    mass = ten[-1]
    centre = body.MS * (1 / mass) if mass else Vec3(0.0, 0.0, 0.0)
    central = body.moved(Transform(Transform.identity().A, -centre)) if body.M else body
    central_entries: list[Any] = list(central)
    tensor = tuple(float(value) for value in central_entries[:6])
    return NumericLink(j, frame.ant if frame else 0, names, place, mass, centre, tensor, IA, FV, FS)
