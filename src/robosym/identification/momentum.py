"""Derivatives of the energy functions by the joints' velocities and positions (guide, appendix 4.5).

The velocity of link k is the sum of a_i q'_i over the joints i before it, a_i a screw. By q'_i its derivative is a_i,
by q_i it is the rate of change of a_i, which is what the motion of link i does to its own axis. With the momentum of
link k, linear in its parameters, both give the derivatives of the kinetic energy.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from robosym.description import INERTIA
from robosym.parameters.energy_functions import Weight
from robosym.spatial import Vec3
from robosym.tree.motion import Hinge, Velocities

__all__ = ["Derivatives", "Twist", "derivative_columns", "momentum", "screws"]

_O = Vec3(0, 0, 0)
_Z = Vec3(0, 0, 1)


@dataclass(frozen=True, slots=True)
class Twist:
    """Angular velocity, and velocity of the origin of the frame it is expressed in."""

    w: Vec3
    v: Vec3

    def carried(self, hinge: Hinge) -> Twist:
        """From the antecedent's frame to the link's."""
        back, P = hinge.T.A.T, hinge.T.P
        return Twist(back @ self.w, back @ (self.v + self.w.cross(P)))


Screws = dict[int, dict[int, tuple[Twist, Twist]]]


def screws(hinge: Mapping[int, Hinge], velocities: Velocities) -> Screws:
    """{link: {joint: (its screw, the rate of change of its screw)}}, in the link's frame, for the joints before it."""
    found: Screws = {0: {}}
    for k, h in hinge.items():
        found[k] = {i: (a.carried(h), rate.carried(h)) for i, (a, rate) in found[h.ant].items()}
        w, v = velocities.w[k], velocities.v[k]
        if h.joint.moves:
            axis_rate, origin_rate = Vec3(w.y, -w.x, 0), Vec3(v.y, -v.x, 0)  # w x z, v x z
            own = Twist(_Z * h.joint.angular, _Z * h.joint.linear)
            found[k][k] = own, Twist(axis_rate * h.joint.angular, h.joint.along(axis_rate, origin_rate))
    return found


@dataclass(frozen=True, slots=True)
class Derivatives:
    """Of what multiplies one parameter, {joint: entry}: E by q', and U - E by q."""

    by_velocity: dict[int, Any]
    by_position: dict[int, Any]


def derivative_columns(
    velocities: Velocities,
    weight: Weight,
    before: Screws,
    columns: Sequence[tuple[int, str]],
    weightless: Collection[int] = (),
) -> list[Derivatives]:
    """For each column (link, field); gravity is known not to act on the `weightless` joints."""
    return [_column(velocities, weight, before[k], k, field, weightless) for k, field in columns]


def _column(
    velocities: Velocities,
    weight: Weight,
    before: Mapping[int, tuple[Twist, Twist]],
    k: int,
    field: str,
    weightless: Collection[int],
) -> Derivatives:
    w, v, g = velocities.w[k], velocities.v[k], weight.g[k]
    p, L = momentum(w, v, field)
    force, moment = momentum(_O, g, field)  # of gravity: M g, and MS x g
    by_velocity, by_position = {}, {}
    for i, (a, rate) in before.items():
        by_velocity[i] = a.w.dot(L) + a.v.dot(p)
        slope = -(rate.w.dot(L) + rate.v.dot(p))
        by_position[i] = slope if i in weightless else slope - a.w.dot(moment) - a.v.dot(force)
    return Derivatives(by_velocity, by_position)


def momentum(w: Vec3, v: Vec3, field: str) -> tuple[Vec3, Vec3]:
    """Linear and angular momentum of a link whose only parameter is `field`, of value 1: M v + w x MS, J w + MS x v."""
    if field == "M":
        return v, _O
    unit = INERTIA.index(field)
    if unit >= 6:
        axis = Vec3(*(int(unit - 6 == n) for n in range(3)))
        return w.cross(axis), axis.cross(v)
    row, column = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))[unit]
    parts, given = [0, 0, 0], list(w)
    parts[row] = given[column]
    parts[column] = given[row]
    return _O, Vec3(*parts)
