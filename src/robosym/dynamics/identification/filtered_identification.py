"""Filtered dynamic identification model without accelerations: tau = (d/dt D1 + D2) K (guide 3.6.3.3, appendix 4.5).

The velocity of link k is the sum of a_i q'_i over the joints i before it, with screws a_i. Its derivative with
respect to q'_i is a_i; with respect to q_i, it is the rate of change of a_i that the motion of link i causes. With
the momentum of link k, linear in its parameters, both give the derivatives of the kinetic energy.

The six velocities of a floating base are coefficients of six more screws, along the axes of frame 0. They are not
derivatives of coordinates; the rates of change of the screws replace the derivatives with respect to coordinates
(Hamel's equations).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from robosym.algebra import Graph
from robosym.coordinates.accepts import accepts
from robosym.coordinates.joint_motion import JointMotion, joint_motion
from robosym.dynamics.arguments import BASE_WRENCH
from robosym.dynamics.composite import BASE_RATES, Coordinate
from robosym.dynamics.identification.columns import Column, IdentificationModel, choose_columns, finish, unit_effort
from robosym.dynamics.identification.platform_identification import platform_filtered
from robosym.mechanism import Robot, with_given_motion
from robosym.mechanism.motion import Hinge, Velocities, Weight, frame_places
from robosym.model import Origin
from robosym.parameters.freedom import is_free_of_weight, motions
from robosym.parameters.standard import LinkField
from robosym.spatial import Scalar, Vec3
from robosym.spatial.inertia import RigidInertia

__all__ = ["Twist", "filtered_identification", "filtered_matrices"]

_INPUTS = ("q", "qd", "base_velocity", "gravity", "parameters")
_O = Vec3(0, 0, 0)
_Z = Vec3(0, 0, 1)
_AXES = Vec3(1, 0, 0), Vec3(0, 1, 0), _Z


@accepts("floating", platform="base_parameters modes", variants={"platform": platform_filtered})
def filtered_identification(
    robot: Robot,
    base_parameters: bool = False,
    structure: Literal["tree"] | None = None,
    friction: bool | None = None,
    offset: bool = False,
    modes: Any = None,
) -> IdentificationModel:
    """Return the matrices "D1" (DEP1XX1 ..) and "D2" (DLQ1XX1 ..): tau = (d/dt D1 + D2) K, also for filtered signals.

    D1 K are the derivatives of the kinetic energy with respect to the joint velocities, D2 K those of U - E with
    respect to the positions, plus friction.

    A floating base adds six rows before the others: moment, then force on it in frame 0, which are zero in free flight.
    There, D1 K is the total momentum in frame 0: angular about its origin, then linear. The velocity of a moving base
    is an input, its acceleration is not.

    Parameters
    ----------
    robot : Robot
        Robot; a library name or a path is accepted too.
    base_parameters : bool, optional
        Express the model in the base inertial parameters.
    structure : {"tree"}, optional
        `tree`: return the model of the equivalent tree of a closed robot.
    friction : bool, optional
        Whether there are columns FVj and FSj for the friction of every joint. Default: as in the description.
    offset : bool, optional
        Add a column OFFj for a constant torque of every joint.
    modes : sequence of int, optional
        Branch of each leg of a parallel robot, from 0. Default: the branches of the reference position.

    Returns
    -------
    IdentificationModel
        Model with the output groups "D1" and "D2".

    Raises
    ------
    InputError
        If the robot is not supported, or has no parameters to identify.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.filtered_identification(rs.load("planar2r").symbolic())
    >>> list(model.outputs)
    ['D1', 'D2']
    """
    if structure == "tree":
        robot = with_given_motion(robot)
    columns = choose_columns(robot, base_parameters, structure, friction, offset)
    return filtered_matrices(robot, columns, structure)


@dataclass(frozen=True, slots=True)
class Twist:
    """Angular velocity, and velocity of the origin of the frame in which it is expressed."""

    w: Vec3
    v: Vec3

    def carried(self, hinge: Hinge) -> Twist:
        """Transform from the antecedent's frame to the link's."""
        back, P = hinge.T.A.T, hinge.T.P
        return Twist(back @ self.w, back @ (self.v + self.w.cross(P)))


Screws = dict[int, dict[Coordinate, tuple[Twist, Twist]]]
Carried = Callable[[Twist, Hinge], Twist]


def filtered_matrices(
    robot: Robot, columns: list[Column], structure: str | None, carried: Carried = Twist.carried
) -> IdentificationModel:
    """Return D1 and D2 of chosen columns; `carried` transforms the screw of a joint from one link to the next."""
    setting = joint_motion(robot, _INPUTS, structure)
    with setting.work as work:
        hinge, velocities = setting.hinges, setting.velocities
        before, weightless = screws(hinge, velocities, carried, setting.base_free), weightless_joints(robot)
        on_base = dict(zip(BASE_RATES, BASE_WRENCH, strict=True)) if setting.base_free else {}
        rows: dict[Coordinate, str] = {**on_base, **{j: str(j) for j in setting.active}}
        first = tuple(tuple(f"DEP{row}{c.name}" for c in columns) for row in rows.values())
        second = tuple(tuple(f"DLQ{row}{c.name}" for c in columns) for row in rows.values())
        inertial = {
            c.place: energy_derivatives(velocities, setting.weight, before, c.place, weightless)
            for c in columns
            if not c.of_joint
        }
        for n, c in enumerate(columns):
            entries = _of_joint(setting, c) if c.of_joint else inertial[c.place]
            momentum = _projected(setting, entries.by_velocity)
            slope = _projected(setting, entries.by_position)
            turning = dict[Coordinate, Scalar](setting.project_rate(_joints(entries.by_velocity)).items())
            for row, j in enumerate(rows):
                work.define(first[row][n], momentum.get(j, 0))
                work.define(second[row][n], slope.get(j, 0) - turning.get(j, 0))
        title = "Filtered dynamic identification model"
        efforts = [*on_base.values(), *(f"GAM{j}" for j in setting.active)]
        made = Origin(filtered_matrices, robot, {"columns": columns, "structure": structure})
        return finish(work, "fdi", title, {"D1": first, "D2": second}, columns, efforts, made)


def _joints(efforts: Mapping[Coordinate, Scalar]) -> dict[int, Scalar]:
    return {j: effort for j, effort in efforts.items() if isinstance(j, int)}


def _projected(setting: JointMotion, efforts: Mapping[Coordinate, Scalar]) -> dict[Coordinate, Scalar]:
    """Return the efforts along the coordinates; those on the base are unchanged."""
    return dict(efforts) | dict[Coordinate, Scalar](setting.project(_joints(efforts)).items())


def screws(
    hinge: Mapping[int, Hinge], velocities: Velocities, carried: Carried = Twist.carried, base_free: bool = False
) -> Screws:
    """Return {link: {joint: (its screw, the rate of change of its screw)}} for the joints before each link.

    Screws are in the frame of the link. With `base_free`, the velocities of the base are included.
    """
    w, v = velocities.w[0], velocities.v[0]
    turns = ((Twist(axis, _O), Twist(w.cross(axis), v.cross(axis))) for axis in _AXES)
    slides = ((Twist(_O, axis), Twist(_O, w.cross(axis))) for axis in _AXES)
    found: Screws = {0: dict(zip(BASE_RATES, (*turns, *slides), strict=True)) if base_free else {}}
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
    """Derivatives of the factor of one parameter, {joint: entry}: E by q', and U - E by q."""

    by_velocity: dict[Coordinate, Scalar]
    by_position: dict[Coordinate, Scalar]


def energy_derivatives(
    velocities: Velocities, weight: Weight, before: Screws, place: LinkField, weightless: Collection[int]
) -> Derivatives:
    """Return the derivatives for a parameter; gravity does not act on the `weightless` joints."""
    k, field = place
    inertia = RigidInertia(**{field: 1})
    p, L = inertia.momentum(velocities.w[k], velocities.v[k])
    force, moment = inertia.momentum(_O, weight.g[k])  # of gravity: M g, and MS x g
    by_velocity: dict[Coordinate, Scalar] = {}
    by_position: dict[Coordinate, Scalar] = {}
    for i, (a, rate) in before[k].items():
        by_velocity[i] = a.w.dot(L) + a.v.dot(p)
        slope = -(rate.w.dot(L) + rate.v.dot(p))
        by_position[i] = slope if i in weightless else slope - a.w.dot(moment) - a.v.dot(force)
    return Derivatives(by_velocity, by_position)


def _of_joint(setting: JointMotion, column: Column) -> Derivatives:
    """Return the derivatives for a parameter that affects only its own joint."""
    momentum = setting.rate(column.link) if column.field == "IA" else 0
    return Derivatives({column.link: momentum}, {column.link: unit_effort(setting, column.place, accelerated=False)})


def weightless_joints(robot: Robot) -> set[int]:
    """Return the joints of the tree on which gravity never acts, for any parameters."""
    places, gravity = frame_places(robot, Graph())
    known = motions(robot, places)
    return {j for j in robot.tree_joints if is_free_of_weight(known[j], places[j].joint, gravity)}
