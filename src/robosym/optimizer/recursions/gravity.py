"""Torques that gravity takes, from the first moments of all that each joint carries.

Only the acceleration of the base acts, the same for all masses: the torque about an axis is that of the first moments
beyond it, m x vp along z. Mass on the axis of a revolute joint, and all moments behind a prismatic one, are counted to
the antecedent off line: of a link with a revolute joint MX and MY are left, the parameters that gravity alone can show.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from robosym.mechanism.bodies import Tree
from robosym.model import Note, no_name
from robosym.optimizer.recursions.frames import before_joint, behind_joint, origin_before_joint, parallel_axes
from robosym.spatial import Scalar, Vec3, cos, sin
from robosym.spatial.vectors import Screw

__all__ = ["gravity_along"]

_NONE = Vec3(0, 0, 0)


@dataclass(slots=True)
class _Carried:
    """First moments about the origin of a frame, in its axes: those that stand still in it, and the others."""

    still: Vec3
    moving: Vec3
    mass: Scalar
    past: list[tuple[Scalar, Vec3]]  #: moments beyond parallel axes: turned by this much from before the joint


def gravity_along(tree: Tree, sums: bool, note: Note = no_name) -> dict[int, Scalar]:
    """Torque or force along each moving joint; with `sums` parallel axes are turned by the sum of their angles."""
    before, behind = _accelerations(tree, sums)
    carriers = {body.ant for _, body in tree.items()}
    carried = {j: _Carried(body.inertia.MS, _NONE, body.inertia.M, []) for j, body in tree.inward()}
    along: dict[int, Scalar] = {}
    passed: dict[int, Scalar] = dict.fromkeys(carried, 0)  # torques of joints with parallel axes further out
    for j, body in tree.inward():
        if j == 0:
            continue
        own, screw, i = carried[j], body.screws[0], body.ant
        m = note("MC", j, own.still + own.moving)
        last = j not in carriers
        turned = screw.out(Vec3(m.x, m.y, 0))
        lever, vp = (turned, before[j]) if last and body.joint.only_turns else (m, behind[j])
        turning = lever.x * vp.y - lever.y * vp.x + passed[j]
        if body.joint.moves:
            along[j] = body.joint.along(own.mass * behind[j].z, turning)
        if i not in carried:
            continue
        into = carried[i]
        into.mass = into.mass + own.mass
        into.still = into.still + origin_before_joint(body) * own.mass
        shift = Vec3(0, 0, screw.shift * own.mass)
        if body.joint.only_turns:
            into.still = into.still + before_joint(body, Vec3(0, 0, own.still.z) + shift)
            into.moving = into.moving + before_joint(body, Vec3(0, 0, own.moving.z))
            loose = [(body.theta, Vec3(m.x, m.y, 0)), *own.past]
            if parallel_axes(tree, body):  # the antecedent's torque needs no more than this one
                passed[i] = passed[i] + turning
                theta = tree.body(i).theta
                if sums:
                    into.past += [(theta + angle, v) for angle, v in loose]
                else:
                    into.past += [(theta, _turned(angle, v)) for angle, v in loose]
            else:
                for angle, v in loose:
                    into.moving = into.moving + before_joint(body, _turned(angle, v))
        elif body.joint.only_slides or not body.joint.moves:
            into.still = into.still + before_joint(body, screw.out(own.still))
            into.moving = into.moving + before_joint(body, screw.out(own.moving) + shift)
        else:
            into.moving = into.moving + before_joint(body, turned + Vec3(0, 0, m.z) + shift)
    return along


def _turned(angle: Scalar, v: Vec3) -> Vec3:
    """Out of axes that are turned about z."""
    return Screw("z", cos(angle), sin(angle), 0).out(v)


def _accelerations(tree: Tree, sums: bool) -> tuple[dict[int, Vec3], dict[int, Vec3]]:
    """That of the base in the axes before each joint turns, and in those of each frame."""
    behind = {0: tree.base.vp}
    before: dict[int, Vec3] = {}
    first: dict[int, tuple[Vec3, Scalar]] = {}  # before the first of parallel axes, and the angle from there
    for j, body in tree.items():
        screw = body.screws[0]
        before[j] = behind_joint(body, behind[body.ant])
        first[j] = before[j], body.theta
        if sums and parallel_axes(tree, body):
            start, angle = first[body.ant]
            first[j] = start, angle + body.theta
            screw = replace(screw, c=cos(angle + body.theta), s=sin(angle + body.theta))
        behind[j] = screw.back(first[j][0])
    return before, behind
