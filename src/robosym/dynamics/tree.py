"""The tree of a robot as the dynamic algorithms see it, over floats or expressions alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from robosym.algebra import Expr
from robosym.geometry.frame import frame_transform
from robosym.naming import Note, no_name
from robosym.robot import BASE_MOTION, DRIVE, INERTIA, PRISMATIC, REVOLUTE, WRENCH, Link, Robot
from robosym.spatial import Mat3, Transform, Vec3

__all__ = ["Body", "Tree", "tree_of"]


@dataclass(frozen=True, slots=True)
class Body:
    """Link j, the joint before it, and the frame at which both are described."""

    ant: int
    revolute: int  #: 1 or 0: sigma-bar of the book, but 0 for a fixed frame too
    prismatic: int  #: 1 or 0: sigma of the book, but 0 for a fixed frame too
    T: Transform  #: antecedent to j
    qd: Any
    qdd: Any
    J: Mat3  #: inertia at the origin of frame j
    MS: Vec3  #: first moments
    M: Any
    force: Vec3  #: exerted by the link on its environment
    moment: Vec3
    IA: Any
    FV: Any
    FS: Any


@dataclass(frozen=True, slots=True)
class Tree:
    """Bodies 1..n (`bodies[0]` is the base, where it has an inertia), and the motion of the base without gravity."""

    bodies: Sequence[Body | None]
    w0: Vec3
    wp0: Vec3
    vp0: Vec3  #: acceleration of the base minus gravity
    v0: Vec3

    def body(self, j: int) -> Body:
        """Link j of the tree."""
        body = self.bodies[j]
        assert body is not None
        return body

    def items(self) -> Iterable[tuple[int, Body]]:
        """(j, body) from the base outwards, the base left out."""
        return ((j, body) for j, body in enumerate(self.bodies) if j and body is not None)

    def inward(self) -> Iterable[tuple[int, Body]]:
        """(j, body) from the ends inwards, the base last where it has an inertia."""
        return ((j, body) for j, body in reversed(list(enumerate(self.bodies))) if body is not None)


def _body(robot: Robot, j: int, value: Callable[[Expr], Any], note: Note) -> Body:
    frame = robot.frame(j)
    joint = robot.joint(j)
    return Body(
        ant=frame.ant,
        revolute=int(frame.sigma == REVOLUTE),
        prismatic=int(frame.sigma == PRISMATIC),
        T=frame_transform(frame, value, j, note),
        qd=value(joint.QP),
        qdd=value(joint.QDP),
        **_inertia(robot.link(j), value),
    )


def _inertia(link: Link, value: Callable[[Expr], Any]) -> dict[str, Any]:
    xx, xy, xz, yy, yz, zz, mx, my, mz, m = (value(getattr(link, name)) for name in INERTIA)
    fx, fy, fz, cx, cy, cz = (value(getattr(link, name)) for name in WRENCH)
    drive = {name: value(getattr(link, name)) for name in DRIVE}
    return dict(
        J=Mat3.of(xx, xy, xz, xy, yy, yz, xz, yz, zz),
        MS=Vec3(mx, my, mz),
        M=m,
        force=Vec3(fx, fy, fz),
        moment=Vec3(cx, cy, cz),
        **drive,
    )


def tree_of(robot: Robot, value: Callable[[Expr], Any], note: Note = no_name) -> Tree:
    """The tree of a robot (of its equivalent tree, if it is closed), each entry passed through `value`."""
    base = robot.base
    w0, wp0, v0, vp0 = (Vec3(*map(value, getattr(base, name))) for name in BASE_MOTION)
    first: Body | None = None
    if base.link is not None:
        still = Transform(Mat3.of(1, 0, 0, 0, 1, 0, 0, 0, 1), Vec3(0, 0, 0))
        first = Body(0, 0, 0, still, 0, 0, **_inertia(base.link, value))
    bodies = [first, *(_body(robot, j, value, note) for j in range(1, robot.NL + 1))]
    return Tree(bodies, w0, wp0, vp0 - Vec3(*map(value, robot.gravity)), v0)
