"""Tree of bodies on which the dynamic algorithms work, over floats or expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from robosym.algebra import Expr, evaluate
from robosym.errors import InputError
from robosym.mechanism import DRIVE, FIXED, INERTIA, JOINT_TYPES, WRENCH, Link, Robot
from robosym.mechanism.friction import driving, under_load
from robosym.mechanism.motion import AT_REST, BaseMotion, Hinge, Note, base_of, hinge_of, no_name
from robosym.spatial import Mat3, Scalar, Transform, Vec3, sign
from robosym.spatial.inertia import RigidInertia, SpatialInertia

__all__ = ["Body", "Tree", "still_tree", "tree_of"]


#: function of the joint velocity: friction except viscous friction, and coefficient of load-dependent friction
FrictionLaw = Callable[[Scalar], tuple[Scalar, Scalar]]


@dataclass(frozen=True, slots=True)
class Body(Hinge):
    """Link j and the joint that precedes it, both in frame j."""

    inertia: RigidInertia  #: at the origin of frame j
    force: Vec3  #: exerted by the link on its environment
    moment: Vec3
    IA: Scalar
    FV: Scalar
    FS: Scalar

    more: FrictionLaw | None = None  #: see `_further_friction`

    @property
    def friction(self) -> Scalar:
        """Friction torque of the joint, without load-dependent friction."""
        if self.more is None:
            total: Scalar = self.FV * self.qd + self.FS * sign(self.qd)
            return total
        return self.FV * self.qd + self.more(self.qd)[0]

    @property
    def load(self) -> Scalar:
        """Ratio of load-dependent friction to the transmitted torque."""
        return 0 if self.more is None else self.more(self.qd)[1]

    def torque(self, along: Scalar) -> Scalar:
        """Return the torque of the drive: the effort along the joint, friction and rotor inertia."""
        total = along + self.friction + self.IA * self.qdd
        return total if self.more is None else total + under_load(along + self.IA * self.qdd, self.load)

    def without_friction(self, effort: Scalar) -> Scalar:
        """Return the part of a joint effort that accelerates links and rotor."""
        left = effort - self.friction
        return left if self.more is None else driving(left, self.load)

    def column(self, inertia: SpatialInertia) -> tuple[Vec3, Vec3]:
        """Return the wrench, in frame j, that gives `inertia` a unit acceleration of the joint."""
        (f_slide, n_slide), (f_turn, n_turn) = inertia.column(2), inertia.column(5)
        return self.joint.along(f_slide, f_turn), self.joint.along(n_slide, n_turn)


@dataclass(frozen=True, slots=True)
class Tree:
    """Bodies 1..n, and the motion of the base, with its acceleration reduced by gravity.

    `bodies[0]` is the base if it has an inertia.
    """

    bodies: Sequence[Body | None]
    base: BaseMotion

    def body(self, j: int) -> Body:
        """Return link j."""
        body = self.bodies[j]
        assert body is not None
        return body

    def items(self) -> Iterable[tuple[int, Body]]:
        """Iterate over (j, body) from the base outward, without the base."""
        return ((j, body) for j, body in enumerate(self.bodies) if j and body is not None)

    def inward(self) -> Iterable[tuple[int, Body]]:
        """Iterate over (j, body) from the leaves inward, ending with the base if it has an inertia."""
        return ((j, body) for j, body in reversed(list(enumerate(self.bodies))) if body is not None)

    def with_rates(self, qd: Mapping[int, Scalar]) -> Tree:
        """Return the tree with other joint velocities, 0 where not given."""
        bodies = [body and replace(body, qd=qd.get(j, 0)) for j, body in enumerate(self.bodies)]
        return replace(self, bodies=bodies)

    def with_accelerations(self, qdd: Mapping[int, Scalar]) -> Tree:
        """Return the tree with other joint accelerations, 0 where not given."""
        bodies = [body and replace(body, qdd=qdd.get(j, 0)) for j, body in enumerate(self.bodies)]
        return replace(self, bodies=bodies)


def _position(robot: Robot, j: int, value: Callable[[Expr], Scalar]) -> Scalar:
    """Return the variable of joint j, without the constant offset in the frame."""
    frame = robot.frame(j)
    entry = getattr(frame, frame.joint_type.variable)
    place = value(entry)
    if isinstance(place, Expr):
        return place.graph.symbol(robot.variable(j))
    if not isinstance(place, int | float):
        raise InputError(f"joint {j}: friction: expected terms that depend on the velocity only")
    return place - evaluate([entry], {robot.variable(j): 0.0})[0]


def _further_friction(robot: Robot, j: int, value: Callable[[Expr], Scalar]) -> FrictionLaw | None:
    """Return the friction law of a joint with terms other than FV and FS, or None.

    It is a function of the velocity that returns friction except viscous friction, and the load coefficient.
    """
    friction, FS = robot.joint(j).friction, value(robot.link(j).FS)
    if not friction:
        return None
    q = _position(robot, j, value) if friction.needs_position else FS * 0
    return lambda qd: (friction.effort(FS, value, q, qd), friction.load(value, q, qd))


def _body(hinge: Hinge, link: Link, value: Callable[[Expr], Scalar], more: FrictionLaw | None = None) -> Body:
    inertia = RigidInertia(*(value(getattr(link, name)) for name in INERTIA))
    fx, fy, fz, cx, cy, cz = (value(getattr(link, name)) for name in WRENCH)
    drive = (value(getattr(link, name)) for name in DRIVE)
    joint = (hinge.ant, hinge.joint, hinge.T, hinge.steps, hinge.theta, hinge.qd, hinge.qdd)
    IA, FV, FS = drive
    return Body(*joint, inertia, Vec3(fx, fy, fz), Vec3(cx, cy, cz), IA, FV, FS, more)


def tree_of(robot: Robot, value: Callable[[Expr], Scalar], note: Note = no_name, base_free: bool = False) -> Tree:
    """Return the tree of a robot (the equivalent tree of a closed robot), with `value` applied to each entry.

    With `base_free`, the acceleration of the base is unknown, and the tree includes gravity only.
    """
    base, link = base_of(robot, value), robot.base.link
    still = Hinge(0, JOINT_TYPES[FIXED], Transform(Mat3.of(1, 0, 0, 0, 1, 0, 0, 0, 1), Vec3(0, 0, 0)), tuple, 0, 0, 0)
    first = None if link is None else _body(still, link, value)
    others = (
        _body(hinge_of(robot, j, value, note), robot.link(j), value, _further_friction(robot, j, value))
        for j in range(1, robot.NL + 1)
    )
    if base_free:
        base = replace(base, wp=Vec3(0, 0, 0), vp=Vec3(0, 0, 0))
    return Tree([first, *others], replace(base, vp=base.vp - Vec3(*map(value, robot.gravity))))


def still_tree(tree: Tree) -> Tree:
    """Return the tree at rest, under gravity and the acceleration of its base only."""
    none = Vec3(0, 0, 0)
    bodies = [body and replace(body, qd=0, qdd=0, force=none, moment=none) for body in tree.bodies]
    return Tree(bodies, replace(AT_REST, vp=tree.base.vp))
