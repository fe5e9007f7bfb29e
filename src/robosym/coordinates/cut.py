"""Degrees of freedom of a cut: revolute, prismatic, helical, universal, cylindrical and spherical joints.

A joint with several degrees of freedom is described by joints in series, with virtual links without inertia between
them (guide 2.6, remarks 1 and 2). Such joints next to the cut belong to it: their rates are not unknowns of the loop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from robosym.algebra import Expr, Number
from robosym.algebra.generic import vanishes
from robosym.coordinates.loops import Loop
from robosym.mechanism import DRIVE, INERTIA, WRENCH, Robot
from robosym.mechanism.motion import AT_REST, acceleration_pass, hinges, products, u_matrix, velocity_pass
from robosym.mechanism.path import Poses, path
from robosym.model import Note
from robosym.spatial import Scalar, Transform, Vec3, cos, sin

__all__ = ["Cut", "bare", "cut_of", "cut_position", "drift_across", "pose_across"]

_X, _Y, _Z = Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)


@dataclass(frozen=True, slots=True)
class Cut:
    """The directions, in the fixed frame, along which the two sides must not move, and those along which they may."""

    joints: tuple[int, ...]  #: joints of the cut: virtual ones, then the cut joint itself
    linear: tuple[Vec3, ...]  #: no velocity along these
    angular: tuple[Vec3, ...]  #: no rotation about these
    free_linear: tuple[Vec3, ...]
    free_angular: tuple[Vec3, ...]
    screw: tuple[Vec3, ...] = ()  #: along these the sides move by `lead` for a unit of rotation about them
    lead: Number = 0


def cut_of(robot: Robot, loop: Loop, poses: Poses) -> Cut:
    """Return the cut of a loop with its virtual joints."""
    kind = robot.frame(loop.cut).joint_type
    turns: list[Vec3] = [_Z] if kind.turns else []
    slides = kind.slides
    screw, lead = ((_Z,), kind.linear / kind.angular) if kind.turns and kind.slides else ((), 0)
    virtual: list[int] = []
    for side in (loop.near, loop.far):
        end = robot.frame(loop.cut if side is loop.near else loop.fixed).ant
        for joint in reversed(side):
            if joint != end or not _is_virtual(robot, joint, [loop.cut, loop.fixed, *virtual]):
                break
            T = poses(joint, loop.fixed if side is loop.far else loop.cut)
            through = vanishes(T.P.x, T.P.y)
            along = vanishes(T.A.rows[0].z, T.A.rows[1].z)
            kind = robot.frame(joint).joint_type
            if kind.only_turns and through and ((slides and along and not turns) or (not slides and len(turns) < 3)):
                turns.append(_Z if along and not turns else poses(loop.fixed, joint).A @ _Z)
            elif kind.only_slides and along and not slides and len(turns) == 1:
                slides = True
            else:
                break
            virtual.append(joint)
            end = robot.frame(joint).ant
    locked, free = _angular(turns)
    linear = (_X, _Y) if slides else (_X, _Y, _Z)
    joints = (*virtual, loop.cut) if robot.frame(loop.cut).is_joint else tuple(virtual)
    return Cut(joints, linear, locked, (_Z,) if slides and not screw else (), free, screw, lead)


def _angular(turns: list[Vec3]) -> tuple[tuple[Vec3, ...], tuple[Vec3, ...]]:
    """Return directions orthogonal to all rotation axes, and one direction per axis that determines its rate."""
    if not turns:
        return (_X, _Y, _Z), ()
    if len(turns) == 1:
        return (_X, _Y), (_Z,)
    if len(turns) == 2:  # the first is z
        a = turns[1]
        return (Vec3(-a.y, a.x, 0),), (Vec3(a.x, a.y, 0), _Z)
    return (), (_X, _Y, _Z)


def bare(robot: Robot, joint: int) -> bool:
    """Return whether nothing acts on a joint and its link: no inertia, drive, wrench, spring or friction."""
    link = robot.link(joint)
    return not robot.joint(joint).acts and all(getattr(link, name).is_zero for name in (*INERTIA, *DRIVE, *WRENCH))


def _is_virtual(robot: Robot, joint: int, ends: list[int]) -> bool:
    """Return whether a passive joint has no effort and its link carries only the cut."""
    return (
        robot.frame(joint).mu == 0
        and bare(robot, joint)
        and not any(frame.ant == joint and j not in ends for j, frame in enumerate(robot.frames, 1))
    )


def pose_across(robot: Robot, loop: Loop, poses: Poses, value: Callable[[Expr], Any]) -> Transform:
    """Return the fixed frame of a loop relative to the frame of the cut joint at zero.

    If the loop is closed, this is the motion of the cut joint alone. It does not depend on the variable of the cut
    joint.
    """
    frame = robot.frame(loop.cut)
    kind = frame.joint_type
    entries = {name: value(getattr(frame, name)) for name in ("gamma", "b", "alpha", "d", "theta", "r")}
    if kind.variable:
        own = entries[kind.variable]
        entries[kind.variable] = own - own.graph.symbol(robot.variable(loop.cut))
    before = Transform.screw_z(entries["gamma"], entries["b"]) @ Transform.screw_x(entries["alpha"], entries["d"])
    start = before @ Transform.screw_z(*kind.placed(entries["theta"], entries["r"]))
    return start.inverse() @ poses(frame.ant, loop.fixed)


def cut_position(robot: Robot, loop: Loop, poses: Poses, value: Callable[[Expr], Scalar], about: Expr) -> Expr:
    """Return the variable of a cut joint in a closed loop; an angle within half a turn of `about`."""
    kind, across = robot.frame(loop.cut).joint_type, pose_across(robot, loop, poses, value)
    graph = about.graph
    if kind.slides:
        position: Expr = graph.zero + across.P.z * (1 / kind.linear)
        return position
    c, s = across.A.rows[0].x, across.A.rows[1].x
    y, x = s * cos(about) - c * sin(about), c * cos(about) + s * sin(about)
    return about + graph.function("atan2", graph.zero + y, graph.zero + x) * (1 / kind.angular)


def drift_across(
    robot: Robot, loop: Loop, poses: Poses, value: Callable[[Expr], Scalar], rate: Callable[[int], Any], note: Note
) -> tuple[Vec3, Vec3]:
    """Return the relative acceleration of both sides of the cut for zero joint accelerations: linear, angular.

    It is that of the near side less that of the far side, at the origin and in the axes of the fixed frame. The motion
    of the root is omitted, because both sides share it.
    """
    i, e = robot.frame(loop.cut).ant, loop.fixed
    sides = path(robot, loop.root, i)[1], path(robot, loop.root, e)[1]
    frames = hinges(robot, sorted({*sides[0], *sides[1]}), value, note, accelerated=False, rate=rate)
    speed = velocity_pass(frames, AT_REST, note, root=loop.root)
    gain = acceleration_pass(frames, AT_REST, speed, note, root=loop.root)
    kind = robot.frame(loop.cut).joint_type
    to_cut = poses(i, e if kind.slides else loop.cut).P  # where it turns the origin stays on link i
    turn = poses(e, i).A
    w, wp = turn @ speed.w[i], turn @ gain.wp[i]
    v = turn @ (speed.v[i] + speed.w[i].cross(to_cut))
    vp = turn @ (gain.vp[i] + u_matrix(products(speed.w[i]), gain.wp[i]) @ to_cut)
    linear, angular = vp - gain.vp[e], wp - gain.wp[e]
    z = Vec3(0, 0, 1)
    if kind.turns:
        angular = angular + w.cross(z) * (speed.w[e].z - w.z)
    if kind.slides:
        linear = linear + w.cross(z) * (2 * (speed.v[e].z - v.z))
    return linear, angular
