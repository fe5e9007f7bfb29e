"""Velocities and accelerations of frames from the base outwards: equations 2.28 and 2.32 of the guide."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from robosym.algebra import Expr
from robosym.description import BASE_MOTION, JointType, Robot
from robosym.model import Note, no_name
from robosym.spatial import Mat3, Transform, Vec3
from robosym.tree.frame import frame_transform

__all__ = ["AT_REST", "Accelerations", "BaseMotion", "Hinge", "Velocities", "acceleration_pass", "base_of", "hinges",
           "products", "u_matrix", "velocity_pass"]  # fmt: skip

_O = Vec3(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Hinge:
    """Frame j on its antecedent, and the velocity of the joint between the two."""

    ant: int
    joint: JointType
    T: Transform  #: antecedent to j
    side: Vec3  #: the part of T.P that is not along the axis of the joint, in the antecedent
    along: Any  #: the part that is
    qd: Any
    qdd: Any


@dataclass(frozen=True, slots=True)
class BaseMotion:
    """Motion of frame 0, in frame 0."""

    w: Vec3
    wp: Vec3
    v: Vec3
    vp: Vec3


AT_REST = BaseMotion(_O, _O, _O, _O)


@dataclass(frozen=True, slots=True)
class Velocities:
    """Of each frame, in the frame; `carried` is the angular velocity of the antecedent, in the frame."""

    w: dict[int, Vec3]
    v: dict[int, Vec3]
    carried: dict[int, Vec3]


@dataclass(frozen=True, slots=True)
class Accelerations:
    """Of each frame, in the frame."""

    wp: dict[int, Vec3]
    vp: dict[int, Vec3]


def base_of(robot: Robot, value: Callable[[Expr], Any]) -> BaseMotion:
    w, wp, v, vp = (Vec3(*map(value, getattr(robot.base, name))) for name in BASE_MOTION)
    return BaseMotion(w, wp, v, vp)


def hinges(
    robot: Robot,
    frames: Iterable[int],
    value: Callable[[Expr], Any],
    note: Note = no_name,
    accelerated: bool = True,
    rate: Callable[[int], Any] | None = None,
) -> dict[int, Hinge]:
    """The frames with their joints, each entry of the description through `value`; not `accelerated`: q'' is zero.

    `rate(j)` gives q'j where it is not the QP of the description.
    """
    if rate is None:

        def rate(j: int) -> Any:
            return value(robot.joint(j).QP)

    found: dict[int, Hinge] = {}
    for j in frames:
        frame = robot.frame(j)
        T = frame_transform(frame, value, j, note)
        _, along = frame.screw(value)
        axis = T.A @ Vec3(0, 0, 1)
        moving = frame.is_joint
        found[j] = Hinge(
            ant=frame.ant,
            joint=frame.joint_type,
            T=T,
            side=T.P - axis * along,
            along=along,
            qd=rate(j) if moving else 0,
            qdd=value(robot.joint(j).QDP) if moving and accelerated else 0,
        )
    return found


def velocity_pass(
    hinge: Mapping[int, Hinge], base: BaseMotion, note: Note = no_name, linear: bool = True, root: int = 0
) -> Velocities:
    """Equation 2.28, antecedents first, `base` being the motion of `root`; without `linear` the rotation alone."""
    w, v, carried = {root: base.w}, {root: base.v}, {}
    for j, h in hinge.items():
        i, A = h.ant, h.T.A
        carried[j] = note("WI", j, A.T @ w[i])
        w[j] = note("W", j, carried[j] + Vec3(0, 0, h.joint.angular * h.qd))
        if linear:
            v[j] = note("V", j, A.T @ (v[i] + w[i].cross(h.T.P)) + Vec3(0, 0, h.joint.linear * h.qd))
    return Velocities(w, v, carried)


def products(w: Vec3) -> Mat3:
    """The products of an angular velocity, those on the diagonal with a minus (DV11 = -W1 W1, DV12 = W1 W2)."""
    xy, xz, yz = w.x * w.y, w.x * w.z, w.y * w.z
    return Mat3.of(-(w.x * w.x), xy, xz, xy, -(w.y * w.y), yz, xz, yz, -(w.z * w.z))


def u_matrix(dv: Mat3, wp: Vec3) -> Mat3:
    """U of equations 2.32 and 3.58: it maps a point of the body to its acceleration about the frame's origin."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = dv.rows
    return Mat3.of(
        yy + zz, xy - wp.z, xz + wp.y,
        xy + wp.z, xx + zz, yz - wp.x,
        xz - wp.y, yz + wp.x, xx + yy,
    )  # fmt: skip


def acceleration_pass(
    hinge: Mapping[int, Hinge],
    base: BaseMotion,
    velocities: Velocities,
    note: Note = no_name,
    split: bool = False,
    root: int = 0,
) -> Accelerations:
    """Equation 2.32, antecedents first.

    With `split` the shift along the joint's own axis is taken in frame j and not in its antecedent.
    """
    w, carried = velocities.w, velocities.carried
    wp, vp = {root: base.wp}, {root: base.vp}
    for j, h in hinge.items():
        i, A = h.ant, h.T.A
        turn, slide = h.joint.angular * h.qd, h.joint.linear * h.qd
        spin = Vec3(carried[j].y * turn, -(carried[j].x * turn), h.joint.angular * h.qdd)
        wp_i = A.T @ wp[i]
        wp[j] = note("WP", j, wp_i + spin)
        carried_p = note("VSP", j, vp[i] + u_matrix(products(w[i]), wp[i]) @ (h.side if split else h.T.P))
        coriolis = Vec3(w[j].y * (2 * slide), -(w[j].x * (2 * slide)), h.joint.linear * h.qdd)
        after = A.T @ carried_p + coriolis
        vp[j] = note("VP", j, after + u_matrix(products(carried[j]), wp_i) @ Vec3(0, 0, h.along) if split else after)
    return Accelerations(wp, vp)
