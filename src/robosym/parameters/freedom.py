"""Mobility of the links: links near the base do not excite all ten inertial parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from robosym.algebra.generic import vanishes
from robosym.coordinates.loops import Parallelogram, Side
from robosym.mechanism import JointType, Robot
from robosym.mechanism.motion import Place
from robosym.spatial import Mat3, Transform, Vec3, parallel

__all__ = ["LinkRotation", "Mobility", "is_free_of_weight", "motions"]

_IDENTITY = Mat3.identity()
_Z = Vec3(0, 0, 1)


class LinkRotation(IntEnum):
    """Rotations that a link can perform."""

    NONE = 0  #: none: only prismatic joints precede it (j < r1 in the guide)
    ONE_AXIS = 1  #: about one direction, fixed in space and in the link (r1 <= j < r2)
    FULL = 2


@dataclass(frozen=True, slots=True)
class Mobility:
    """Degrees of freedom of a link, and the quantities that are constant in its frame if it has fewer than six."""

    freedom: LinkRotation
    A0: Mat3 = _IDENTITY  #: orientation in frame 0, if constant
    slides: tuple[Vec3, ...] = ()  #: directions of the prismatic joints, in the link's frame, if it cannot rotate
    axis: Vec3 = _Z  #: rotation axis, in the link's frame
    axis0: Vec3 = _Z  #: the same in frame 0
    along: bool = False  #: whether the origin moves along the rotation axis
    arm: Vec3 | None = None  #: from a fixed point on the axis to the origin, if the origin only rotates about it
    center: Vec3 | None = None  #: fixed point of a link with full freedom, if any


def motions(robot: Robot, places: Mapping[int, Place], shapes: Sequence[Parallelogram] = ()) -> dict[int, Mobility]:
    """Return the mobility of the base (number 0) and of each link, from the base outward."""
    found = {0: Mobility(LinkRotation.NONE if robot.base.kind == "fixed" else LinkRotation.FULL)}
    partners = {
        here.link: (there, here)
        for shape in shapes
        for pair in shape.pairs
        for here, there in (pair, pair[::-1])
        if there.link < here.link
    }
    for j in range(1, robot.NL + 1):
        place = places[j]
        found[j] = after(found[place.ant], place.T, place.joint)
        if j in partners:
            there, here = partners[j]
            if found[there.link].freedom is LinkRotation.NONE:
                found[j] = _kept_parallel(found[there.link], there.basis @ here.basis.T, here)
    return found


def _kept_parallel(partner: Mobility, A: Mat3, side: Side) -> Mobility:
    """Return the mobility of a link of a parallelogram, which does not rotate; A rotates its frame to the partner's."""
    in_plane = side.basis.T.rows[:2]
    slides = (*(A.T @ slide for slide in partner.slides), *in_plane)
    return Mobility(LinkRotation.NONE, A0=partner.A0 @ A, slides=slides)


def after(motion: Mobility, T: Transform, joint: JointType) -> Mobility:
    """Return the mobility of a link from that of its antecedent; T is their transformation at zero of the joint."""
    if joint.turns and joint.slides:  # the rules cover revolute and prismatic joints only
        return Mobility(LinkRotation.FULL)
    back, z = T.A.T, T.A.z_axis
    if motion.freedom is LinkRotation.NONE:
        return _after_sliding(motion, T, joint, z)
    if motion.freedom is LinkRotation.FULL:
        return _after_free(motion, T, joint, z)
    if not joint.moves:
        return replace(motion, axis=back @ motion.axis, arm=_moved(motion.arm, T))
    same_way = parallel(z, motion.axis)
    if not joint.turns:
        return replace(
            motion,
            axis=back @ motion.axis,
            along=motion.along or not vanishes(z.dot(motion.axis)),
            arm=_moved(motion.arm, T) if same_way else None,
        )
    if same_way:
        arm = _moved(motion.arm, T)
        still = arm is not None and parallel(arm, _Z)
        return replace(motion, axis=_turned(_Z, z, motion.axis), arm=Vec3(0, 0, 0) if still else None)
    return Mobility(LinkRotation.FULL, center=_crossing(motion, T.P, z))


def _after_sliding(motion: Mobility, T: Transform, joint: JointType, z: Vec3) -> Mobility:
    A0 = motion.A0 @ T.A
    if joint.turns:
        moves_across = any(not parallel(slide, z) for slide in motion.slides)
        moves_along = any(not vanishes(slide.dot(z)) for slide in motion.slides)
        axis0 = A0.z_axis
        arm = None if moves_across else Vec3(0, 0, 0)
        return Mobility(LinkRotation.ONE_AXIS, axis0=axis0, along=moves_along, arm=arm)
    slides = tuple(T.A.T @ slide for slide in motion.slides)
    return replace(motion, A0=A0, slides=(*slides, _Z) if joint.slides else slides)


def _after_free(motion: Mobility, T: Transform, joint: JointType, z: Vec3) -> Mobility:
    if motion.center is None or joint.slides:
        return Mobility(LinkRotation.FULL)
    if not joint.moves:
        return replace(motion, center=T.A.T @ (motion.center - T.P))
    towards = motion.center - T.P
    return replace(motion, center=Vec3(0, 0, towards.dot(z)) if parallel(towards, z) else None)


def _crossing(motion: Mobility, P: Vec3, z: Vec3) -> Vec3 | None:
    """Return where a joint axis through P meets the only fixed axis, in the frame of the joint, or None."""
    if motion.arm is None or motion.along:
        return None
    arm, across = motion.arm + P, z.cross(motion.axis)
    if not vanishes(arm.dot(motion.axis.cross(z))):
        return None
    height: Any = arm.cross(motion.axis).dot(across)
    return Vec3(0, 0, 0) if vanishes(height) else Vec3(0, 0, -(height / across.dot(across)))


def _moved(arm: Vec3 | None, T: Transform) -> Vec3 | None:
    return None if arm is None else T.A.T @ (arm + T.P)


def _turned(own: Vec3, z: Vec3, axis: Vec3) -> Vec3:
    """Return +z or -z of the link's frame, whichever is along the axis."""
    return own if not vanishes(z.dot(axis) + 1) else -own


def is_free_of_weight(motion: Mobility, joint: JointType, gravity: Vec3) -> bool:
    """Whether gravity never acts along the joint before a link with this motion."""
    if vanishes(*gravity):
        return True
    if motion.freedom is LinkRotation.ONE_AXIS and vanishes(motion.axis.x, motion.axis.y):  # an axis fixed in space
        return parallel(motion.axis0, gravity) if not joint.slides else vanishes(motion.axis0.dot(gravity))
    if motion.freedom is LinkRotation.NONE:
        return vanishes(motion.A0.z_axis.dot(gravity))
    return False
