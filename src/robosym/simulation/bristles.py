"""LuGre friction: bristles that bend before a joint slides (Canudas de Wit, Olsson, Astrom, Lischinsky 1995).

The mean deflection z of the bristles of a joint is part of the state: z' = v - k |v| z / g(v), and the friction is
k z + c z'. At constant speed, the friction opposes the motion with g(v) = FS + FB exp(-(v / stribeck)^2), plus
viscous friction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from robosym.algebra import Expr, numeric_value
from robosym.algebra.arrays import numbers
from robosym.errors import InputError, Pass
from robosym.mechanism import Robot

__all__ = ["Bristles", "bristle_friction", "with_bristles"]


@dataclass(frozen=True)
class Bristles:
    """Bristles of a joint; hashable."""

    stiffness: float  #: in N m/rad or N/m
    damping: float  #: in N m s/rad or N s/m
    coulomb: float  #: FS
    stribeck: float = 0.0  #: FB
    speed: float = 1.0  #: at which FB has fallen to 1/e


def with_bristles(robot: Robot, given: object, dry: list[int]) -> tuple[Robot, dict[int, Bristles]]:
    """Return the robot without the dry friction of joints, and the bristles that replace it."""
    if given is None:
        raise InputError(
            "friction: 'lugre' requires the stiffness and the damping of the bristles, found none",
            hint=("pass ", Pass("bristles")),
        )
    pairs = given if isinstance(given, Mapping) else dict.fromkeys(dry, given)
    found = {}
    for joint, pair in pairs.items():
        j = robot.joint_number(joint, "bristles")
        if j not in dry:
            raise InputError(f"bristles: joint {joint!r}: expected a joint with Coulomb friction FS, found none")
        stiffness, damping = numbers(f"bristles: joint {joint!r}", pair, (2,))
        if stiffness <= 0 or damping < 0:
            raise InputError(f"bristles: joint {joint!r}: expected a positive stiffness and a damping, found {pair!r}")
        found[j] = Bristles(float(stiffness), float(damping), *_friction(robot, j))
    if left := [j for j in dry if j not in found]:
        raise InputError(f"bristles: joint {left[0]}: expected stiffness and damping, found none")
    robot = robot.with_links([{"FS": 0} if j in found else {} for j in range(1, robot.NL + 1)])
    joints = tuple(
        replace(joint, friction=replace(joint.friction, values=(), stribeck=None)) if j in found else joint
        for j, joint in enumerate(robot.joints, 1)
    )
    return replace(robot, joints=joints), found


def _friction(robot: Robot, j: int) -> tuple[float, float, float]:
    """Return FS, FB and the Stribeck speed of a joint."""
    own = robot.joint(j).friction
    values = dict(own.values)
    if others := set(values) - {"FB"}:
        raise InputError(f"friction: 'lugre' supports FS, FV and FB, found {sorted(others)[0]} of joint {j}")
    entries = [robot.link(j).FS if j <= robot.NL else robot.graph.zero, values.get("FB", robot.graph.zero)]
    FS, FB = (numeric_value(entry) for entry in entries)
    if FS is None or FB is None or not FS > 0 or FS + FB <= 0:
        raise InputError(f"friction: 'lugre' requires a positive number for FS of joint {j}")
    return FS, FB, own.stribeck or 1.0


def bristle_friction(of: Bristles, z: Expr, v: Expr) -> tuple[Expr, Expr]:
    """Return the friction of a joint and the rate of its deflection."""
    graph = v.graph
    level: Expr | float = of.coulomb
    if of.stribeck:
        part = v / of.speed
        level = level + of.stribeck * graph.function("exp", -(part * part))
    rate = v - of.stiffness * graph.function("abs", v) * z / level
    return of.stiffness * z + of.damping * rate, rate
