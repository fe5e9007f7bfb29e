"""The tree of a robot as the dynamic algorithms see it, over floats or expressions alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from robosym.algebra import Expr
from robosym.description import BASE_MOTION, DRIVE, FIXED, INERTIA, JOINT_TYPES, WRENCH, JointType, Link, Robot
from robosym.model import Note, no_name
from robosym.spatial import Mat3, Transform, Vec3, sign
from robosym.spatial.inertia import SpatialInertia
from robosym.spatial.screw import Screw
from robosym.tree.frame import frame_screws, frame_transform

__all__ = ["Body", "Tree", "still_base", "still_tree", "tree_of"]


@dataclass(frozen=True, slots=True)
class Body:
    """Link j, the joint before it, and the frame at which both are described."""

    ant: int
    joint: JointType
    T: Transform  #: antecedent to j
    steps: Callable[[], tuple[Screw, ...]]  #: see `screws`
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

    @property
    def screws(self) -> tuple[Screw, ...]:
        """T as elementary screws, from j back to the antecedent; worked out where an algorithm needs them."""
        return self.steps()

    @property
    def friction(self) -> Any:
        """Viscous and dry friction of the joint."""
        return self.FV * self.qd + self.FS * sign(self.qd)

    def unit_wrench(self, inertia: SpatialInertia) -> tuple[Vec3, Vec3]:
        """Force and moment that a unit acceleration of the joint takes of an inertia beyond it, in frame j."""
        (f_slide, n_slide), (f_turn, n_turn) = inertia.column(2), inertia.column(5)
        return self.joint.along(f_slide, f_turn), self.joint.along(n_slide, n_turn)


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

    def with_rates(self, qd: Mapping[int, Any]) -> Tree:
        """The tree with other velocities of its joints, 0 where none is given."""
        bodies = [body and replace(body, qd=qd.get(j, 0)) for j, body in enumerate(self.bodies)]
        return replace(self, bodies=bodies)

    def with_accelerations(self, qdd: Mapping[int, Any]) -> Tree:
        """The tree with other accelerations of its joints, 0 where none is given."""
        bodies = [body and replace(body, qdd=qdd.get(j, 0)) for j, body in enumerate(self.bodies)]
        return replace(self, bodies=bodies)


def _body(robot: Robot, j: int, value: Callable[[Expr], Any], note: Note) -> Body:
    frame = robot.frame(j)
    joint = robot.joint(j)
    return Body(
        ant=frame.ant,
        joint=frame.joint_type,
        T=frame_transform(frame, value, j, note),
        steps=lambda: frame_screws(frame, value),
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


def tree_of(robot: Robot, value: Callable[[Expr], Any], note: Note = no_name, base_free: bool = False) -> Tree:
    """The tree of a robot (of its equivalent tree, if it is closed), each entry passed through `value`.

    With `base_free` the acceleration of the base is unknown, and that of the tree is gravity's alone.
    """
    base = robot.base
    w0, wp0, v0, vp0 = (Vec3(*map(value, getattr(base, name))) for name in BASE_MOTION)
    first: Body | None = None
    if base.link is not None:
        still = Transform(Mat3.of(1, 0, 0, 0, 1, 0, 0, 0, 1), Vec3(0, 0, 0))
        first = Body(0, JOINT_TYPES[FIXED], still, tuple, 0, 0, **_inertia(base.link, value))
    bodies = [first, *(_body(robot, j, value, note) for j in range(1, robot.NL + 1))]
    if base_free:
        wp0 = vp0 = Vec3(0, 0, 0)
    return Tree(bodies, w0, wp0, vp0 - Vec3(*map(value, robot.gravity)), v0)


def still_base(tree: Tree) -> Tree:
    """The tree on a base at rest, without gravity."""
    none = Vec3(0, 0, 0)
    return replace(tree, w0=none, wp0=none, v0=none, vp0=none)


def still_tree(tree: Tree) -> Tree:
    """The tree at rest, with nothing but the acceleration of its base or gravity acting on it."""
    none = Vec3(0, 0, 0)
    bodies = [body and replace(body, qd=0, qdd=0, force=none, moment=none) for body in tree.bodies]
    return replace(tree, bodies=bodies, w0=none, wp0=none, v0=none)
