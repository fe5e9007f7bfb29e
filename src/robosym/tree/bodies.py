"""The tree of a robot as the dynamic algorithms see it, over floats or expressions alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from robosym.algebra import Expr
from robosym.description import DRIVE, FIXED, INERTIA, JOINT_TYPES, WRENCH, Link, Robot
from robosym.model import Note, no_name
from robosym.spatial import Mat3, Scalar, Transform, Vec3, sign
from robosym.spatial.inertia import RigidInertia, SpatialInertia
from robosym.tree.motion import AT_REST, BaseMotion, Hinge, base_of, hinge_of

__all__ = ["Body", "Tree", "still_base", "still_tree", "tree_of"]


@dataclass(frozen=True, slots=True)
class Body(Hinge):
    """Link j with the joint before it, both described at frame j."""

    inertia: RigidInertia  #: at the origin of frame j
    force: Vec3  #: exerted by the link on its environment
    moment: Vec3
    IA: Scalar
    FV: Scalar
    FS: Scalar

    @property
    def friction(self) -> Scalar:
        """Viscous and dry friction of the joint."""
        total: Scalar = self.FV * self.qd + self.FS * sign(self.qd)
        return total

    def column(self, inertia: SpatialInertia) -> tuple[Vec3, Vec3]:
        """Force and moment that a unit acceleration of the joint takes of an inertia beyond it, in frame j."""
        (f_slide, n_slide), (f_turn, n_turn) = inertia.column(2), inertia.column(5)
        return self.joint.along(f_slide, f_turn), self.joint.along(n_slide, n_turn)


@dataclass(frozen=True, slots=True)
class Tree:
    """Bodies 1..n (`bodies[0]` is the base, where it has an inertia), and the motion of the base, minus gravity."""

    bodies: Sequence[Body | None]
    base: BaseMotion

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

    def with_rates(self, qd: Mapping[int, Scalar]) -> Tree:
        """The tree with other velocities of its joints, 0 where none is given."""
        bodies = [body and replace(body, qd=qd.get(j, 0)) for j, body in enumerate(self.bodies)]
        return replace(self, bodies=bodies)

    def with_accelerations(self, qdd: Mapping[int, Scalar]) -> Tree:
        """The tree with other accelerations of its joints, 0 where none is given."""
        bodies = [body and replace(body, qdd=qdd.get(j, 0)) for j, body in enumerate(self.bodies)]
        return replace(self, bodies=bodies)


def _body(hinge: Hinge, link: Link, value: Callable[[Expr], Scalar]) -> Body:
    inertia = RigidInertia(*(value(getattr(link, name)) for name in INERTIA))
    fx, fy, fz, cx, cy, cz = (value(getattr(link, name)) for name in WRENCH)
    drive = (value(getattr(link, name)) for name in DRIVE)
    joint = (hinge.ant, hinge.joint, hinge.T, hinge.steps, hinge.qd, hinge.qdd)
    return Body(*joint, inertia, Vec3(fx, fy, fz), Vec3(cx, cy, cz), *drive)


def tree_of(robot: Robot, value: Callable[[Expr], Scalar], note: Note = no_name, base_free: bool = False) -> Tree:
    """The tree of a robot (of its equivalent tree, if it is closed), each entry passed through `value`.

    With `base_free` the acceleration of the base is unknown, and that of the tree is gravity's alone.
    """
    base, link = base_of(robot, value), robot.base.link
    still = Hinge(0, JOINT_TYPES[FIXED], Transform(Mat3.of(1, 0, 0, 0, 1, 0, 0, 0, 1), Vec3(0, 0, 0)), tuple, 0, 0)
    first = None if link is None else _body(still, link, value)
    others = (_body(hinge_of(robot, j, value, note), robot.link(j), value) for j in range(1, robot.NL + 1))
    if base_free:
        base = replace(base, wp=Vec3(0, 0, 0), vp=Vec3(0, 0, 0))
    return Tree([first, *others], replace(base, vp=base.vp - Vec3(*map(value, robot.gravity))))


def still_base(tree: Tree) -> Tree:
    """The tree on a base at rest, without gravity."""
    return replace(tree, base=AT_REST)


def still_tree(tree: Tree) -> Tree:
    """The tree at rest, with nothing but the acceleration of its base or gravity acting on it."""
    none = Vec3(0, 0, 0)
    bodies = [body and replace(body, qd=0, qdd=0, force=none, moment=none) for body in tree.bodies]
    return Tree(bodies, replace(AT_REST, vp=tree.base.vp))
