"""The filtered dynamic identification model: no accelerations, tau = (d/dt D1 + D2) K (guide 3.6.3.3, appendix 4.5).

The velocity of link k is the sum of a_i q'_i over the joints i before it, a_i a screw. By q'_i its derivative is a_i,
by q_i it is the rate of change of a_i, which is what the motion of link i does to its own axis. With the momentum of
link k, linear in its parameters, both give the derivatives of the kinetic energy.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from robosym.algebra import Graph
from robosym.coordinates.accepts import accepts
from robosym.coordinates.joint_motion import JointMotion, joint_motion
from robosym.mechanism import Robot
from robosym.mechanism.motion import Hinge, Velocities, Weight, frame_places
from robosym.model import Origin
from robosym.parameters.columns import Column, IdentificationModel, choose_columns, finish, unit_effort
from robosym.parameters.freedom import felt_without_weight, motions
from robosym.parameters.platform_identification import platform_filtered
from robosym.parameters.standard import LinkField
from robosym.spatial import Scalar, Vec3
from robosym.spatial.inertia import RigidInertia

__all__ = ["Twist", "filtered_identification", "filtered_matrices"]

_INPUTS = ("q", "qd", "gravity", "parameters")
_O = Vec3(0, 0, 0)
_Z = Vec3(0, 0, 1)


@accepts("fixed", platform="base_parameters modes", variants={"platform": platform_filtered})
def filtered_identification(
    robot: Robot,
    base_parameters: bool = False,
    structure: str | None = None,
    friction: bool | None = None,
    offset: bool = False,
    modes: Any = None,
) -> IdentificationModel:
    """The matrices "D1" (DEP1XX1 ..) and "D2" (DLQ1XX1 ..): tau = (d/dt D1 + D2) K, and so for filtered signals.

    D1 K are the derivatives of the kinetic energy by the velocities of the joints, D2 K those of U - E by the positions
    plus friction. Arguments as for `dynamic_identification`.
    `modes` numbers the branches of the legs of a platform.
    """
    columns = choose_columns(robot, base_parameters, structure, friction, offset)
    return filtered_matrices(robot, columns, structure)


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
Carried = Callable[[Twist, Hinge], Twist]


def filtered_matrices(
    robot: Robot, columns: list[Column], structure: str | None, carried: Carried = Twist.carried
) -> IdentificationModel:
    """D1 and D2 of chosen columns; `carried` brings the screw of a joint from one link to the next."""
    setting = joint_motion(robot, _INPUTS, structure)
    with setting.work as work:
        hinge, velocities = setting.hinges, setting.velocities
        before, weightless = screws(hinge, velocities, carried), weightless_joints(robot)
        joints = setting.active
        first = tuple(tuple(f"DEP{j}{c.name}" for c in columns) for j in joints)
        second = tuple(tuple(f"DLQ{j}{c.name}" for c in columns) for j in joints)
        inertial = {
            c.place: energy_derivatives(velocities, setting.weight, before, c.place, weightless)
            for c in columns
            if not c.of_joint
        }
        for n, c in enumerate(columns):
            entries = _of_joint(setting, c) if c.of_joint else inertial[c.place]
            momentum = setting.project(entries.by_velocity)
            slope, turning = setting.project(entries.by_position), setting.project_rate(entries.by_velocity)
            for row, j in enumerate(joints):
                work.define(first[row][n], momentum.get(j, 0))
                work.define(second[row][n], slope.get(j, 0) - turning.get(j, 0))
        title, rows = "Filtered dynamic identification model", [f"GAM{j}" for j in joints]
        made = Origin(filtered_matrices, robot, {"columns": columns, "structure": structure})
        return finish(work, "fdi", title, {"D1": first, "D2": second}, columns, rows, made)


def screws(hinge: Mapping[int, Hinge], velocities: Velocities, carried: Carried = Twist.carried) -> Screws:
    """{link: {joint: (its screw, the rate of change of its screw)}}, in the link's frame, for the joints before it."""
    found: Screws = {0: {}}
    for k, h in hinge.items():
        found[k] = {i: (carried(a, h), rate.carried(h)) for i, (a, rate) in found[h.ant].items()}
        w, v = velocities.w[k], velocities.v[k]
        if h.joint.moves:
            axis_rate, origin_rate = Vec3(w.y, -w.x, 0), Vec3(v.y, -v.x, 0)  # w x z, v x z
            own = Twist(_Z * h.joint.angular, _Z * h.joint.linear)
            found[k][k] = own, Twist(axis_rate * h.joint.angular, h.joint.along(axis_rate, origin_rate))
    return found


@dataclass(frozen=True, slots=True)
class Derivatives:
    """Of what multiplies one parameter, {joint: entry}: E by q', and U - E by q."""

    by_velocity: dict[int, Scalar]
    by_position: dict[int, Scalar]


def energy_derivatives(
    velocities: Velocities, weight: Weight, before: Screws, place: LinkField, weightless: Collection[int]
) -> Derivatives:
    """Of the column of a parameter; gravity is known not to act on the `weightless` joints."""
    k, field = place
    inertia = RigidInertia(**{field: 1})
    p, L = inertia.momentum(velocities.w[k], velocities.v[k])
    force, moment = inertia.momentum(_O, weight.g[k])  # of gravity: M g, and MS x g
    by_velocity, by_position = {}, {}
    for i, (a, rate) in before[k].items():
        by_velocity[i] = a.w.dot(L) + a.v.dot(p)
        slope = -(rate.w.dot(L) + rate.v.dot(p))
        by_position[i] = slope if i in weightless else slope - a.w.dot(moment) - a.v.dot(force)
    return Derivatives(by_velocity, by_position)


def _of_joint(setting: JointMotion, column: Column) -> Derivatives:
    """Of a parameter that only its joint feels."""
    momentum = setting.rate(column.link) if column.field == "IA" else 0
    return Derivatives({column.link: momentum}, {column.link: unit_effort(setting, column.place, accelerated=False)})


def weightless_joints(robot: Robot) -> set[int]:
    """The joints of the tree that gravity never acts on, whatever the parameters."""
    places, gravity = frame_places(robot, Graph())
    known = motions(robot, places)
    return {j for j in robot.tree_joints if felt_without_weight(known[j], places[j].joint, gravity)}
