"""Transformations between consecutive frames, and velocities and accelerations of frames from the base outward.

Equation 1.3 of the guide for the transformation to a frame, 2.28 and 2.32 for its motion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from robosym.algebra import Expr, Graph
from robosym.mechanism import BASE_MOTION, Frame, JointType, Robot
from robosym.spatial import Mat3, Scalar, Transform, Vec3, cos, sin
from robosym.spatial.vectors import Screw

__all__ = [
    "AT_REST", "Accelerations", "BaseMotion", "Hinge", "Note", "Place", "Velocities", "Weight",
    "acceleration_pass",
    "angular_acceleration", "angular_velocity", "base_of", "frame_places", "frame_transform", "hinge_of", "hinges",
    "joint_acceleration", "no_name", "products", "u_matrix", "velocity_pass", "weight_pass",
]  # fmt: skip

Value = TypeVar("Value")


class Note(Protocol):
    """Callable that names and returns a result: `note("W", 3, w)` names the components W13, W23, W33."""

    def __call__(self, prefix: str, j: int, value: Value, /) -> Value: ...


def no_name(prefix: str, j: int, value: Value, /) -> Value:
    """Return the value without naming it, for numeric evaluation."""
    return value


_O = Vec3(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Hinge:
    """Frame j relative to its antecedent, and the motion of the joint between the two."""

    ant: int
    joint: JointType
    T: Transform  #: from the antecedent to j
    steps: Callable[[], tuple[Screw, ...]]  #: see `screws`
    theta: Scalar  #: rotation of frame j about the axis of the joint
    qd: Scalar
    qdd: Scalar

    @property
    def screws(self) -> tuple[Screw, ...]:
        """T as elementary screws, from j to the antecedent, computed on demand."""
        return self.steps()

    @property
    def along(self) -> Scalar:
        """Translation of the origin along the axis of the joint."""
        return self.screws[0].shift

    @property
    def side(self) -> Vec3:
        """T.P without the translation along the axis of the joint, in the antecedent."""
        shift: Vec3 = self.T.A @ Vec3(0, 0, 1) * self.along
        return self.T.P - shift


@dataclass(frozen=True, slots=True)
class BaseMotion:
    """Motion of frame 0, in frame 0."""

    w: Vec3
    wp: Vec3
    v: Vec3
    vp: Vec3  #: acceleration of the origin; minus gravity to include the weight of the links


AT_REST = BaseMotion(_O, _O, _O, _O)


@dataclass(frozen=True, slots=True)
class Velocities:
    """Velocities of the frames, each in its frame; `carried` is the angular velocity of the antecedent."""

    w: dict[int, Vec3]
    v: dict[int, Vec3]
    carried: dict[int, Vec3]


@dataclass(frozen=True, slots=True)
class Accelerations:
    """Accelerations of the frames, each in its frame."""

    wp: dict[int, Vec3]
    vp: dict[int, Vec3]


def base_of(robot: Robot, value: Callable[[Expr], Scalar]) -> BaseMotion:
    """Return the motion of the base, with `value` applied to each entry."""
    w, wp, v, vp = (Vec3(*map(value, getattr(robot.base, name))) for name in BASE_MOTION)
    return BaseMotion(w, wp, v, vp)


def hinge_of(robot: Robot, j: int, value: Callable[[Expr], Scalar], note: Note = no_name) -> Hinge:
    """Return frame j with its joint, with `value` applied to each entry of the description."""
    frame = robot.frame(j)
    qd, qdd = (value(robot.joint(j).QP), value(robot.joint(j).QDP)) if frame.is_joint else (0, 0)
    T = frame_transform(frame, value, j, note)
    return Hinge(frame.ant, frame.joint_type, T, lambda: frame_screws(frame, value), value(frame.theta), qd, qdd)


def hinges(
    robot: Robot,
    frames: Iterable[int],
    value: Callable[[Expr], Scalar],
    note: Note = no_name,
    accelerated: bool = True,
    rate: Callable[[int], Scalar] | None = None,
) -> dict[int, Hinge]:
    """Return the frames with their joints; joint accelerations are zero unless `accelerated`.

    `rate(j)` returns q'j if it is not the QP of the description.
    """
    found = {j: hinge_of(robot, j, value, note) for j in frames}
    if not accelerated:
        found = {j: replace(h, qdd=0) for j, h in found.items()}
    if rate is not None:
        found = {j: replace(h, qd=rate(j)) if h.joint.moves else h for j, h in found.items()}
    return found


def angular_velocity(h: Hinge, w: Vec3, j: int, note: Note) -> tuple[Vec3, Vec3]:
    """Return angular velocities of the antecedent and of frame j, in frame j (4.1, 4.2); `w` is in the antecedent."""
    carried = note("WI", j, h.T.A.T @ w)
    return carried, note("W", j, carried + Vec3(0, 0, h.joint.angular * h.qd))


def angular_acceleration(h: Hinge, carried: Vec3, wp: Vec3, j: int, note: Note) -> Vec3:
    """Return the angular acceleration of frame j (4.3); w x (qd z) is (w2 qd, -w1 qd, 0)."""
    turn = h.joint.angular * h.qd
    spin = Vec3(carried.y * turn, -(carried.x * turn), h.joint.angular * h.qdd)
    return note("WP", j, h.T.A.T @ wp + spin)


def joint_acceleration(h: Hinge, carried: Vec3) -> Vec3:
    """Return the acceleration that sliding along the joint adds to the origin, in frame j (4.4)."""
    slide = h.joint.linear * h.qd
    return Vec3(carried.y * (2 * slide), -(carried.x * (2 * slide)), h.joint.linear * h.qdd)


def velocity_pass(
    hinge: Mapping[int, Hinge], base: BaseMotion, note: Note = no_name, linear: bool = True, root: int = 0
) -> Velocities:
    """Compute the velocities of the frames, antecedents first (2.28).

    `base` is the motion of frame `root`. Without `linear`, only angular velocities are computed.
    """
    w, v, carried = {root: base.w}, {root: base.v}, {}
    for j, h in hinge.items():
        i = h.ant
        carried[j], w[j] = angular_velocity(h, w[i], j, note)
        if linear:
            v[j] = note("V", j, h.T.A.T @ (v[i] + w[i].cross(h.T.P)) + Vec3(0, 0, h.joint.linear * h.qd))
    return Velocities(w, v, carried)


@dataclass(frozen=True, slots=True)
class Weight:
    """Gravity in each frame, and the potential of a unit mass at its origin."""

    g: dict[int, Vec3]
    u: dict[int, Scalar]


def weight_pass(hinge: Mapping[int, Hinge], gravity: Vec3, note: Note = no_name) -> Weight:
    """Compute gravity and potential of the frames, from the base outward."""
    g: dict[int, Vec3] = {0: gravity}
    u: dict[int, Scalar] = {0: 0}
    for j, h in hinge.items():
        g[j] = note("GR", j, h.T.A.T @ g[h.ant])
        u[j] = u[h.ant] - g[h.ant].dot(h.T.P)
    return Weight(g, u)


def products(w: Vec3) -> Mat3:
    """Return the products of an angular velocity, negated on the diagonal (DV11 = -W1 W1, DV12 = W1 W2)."""
    xy, xz, yz = w.x * w.y, w.x * w.z, w.y * w.z
    return Mat3.of(-(w.x * w.x), xy, xz, xy, -(w.y * w.y), yz, xz, yz, -(w.z * w.z))


def u_matrix(dv: Mat3, wp: Vec3) -> Mat3:
    """Return U (2.32, 3.58), which maps a point of the body to its acceleration relative to the origin."""
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
    """Compute the accelerations of the frames, antecedents first (2.32).

    With `split`, the translation along the joint axis is treated in frame j instead of its antecedent.
    """
    w, carried = velocities.w, velocities.carried
    wp, vp = {root: base.wp}, {root: base.vp}
    for j, h in hinge.items():
        i, A = h.ant, h.T.A
        wp[j] = angular_acceleration(h, carried[j], wp[i], j, note)
        at_axis = note("VSP", j, vp[i] + u_matrix(products(w[i]), wp[i]) @ (h.side if split else h.T.P))
        after = A.T @ at_axis + joint_acceleration(h, carried[j])
        if split:
            after = after + u_matrix(products(carried[j]), A.T @ wp[i]) @ Vec3(0, 0, h.along)
        vp[j] = note("VP", j, after)
    return Accelerations(wp, vp)


def frame_transform(frame: Frame, value: Callable[[Expr], Scalar], j: int, note: Note = no_name) -> Transform:
    """Return iTj, with `value` applied to the entries.

    iTj = Rot(z, gamma) Trans(z, b) Rot(x, alpha) Trans(x, d) Rot(z, theta) Trans(z, r).
    """

    def trigonometry(name: str, angle: Scalar) -> tuple[Scalar, Scalar]:
        return note(f"C{name}", j, cos(angle)), note(f"S{name}", j, sin(angle))

    theta, r = frame.screw(value)
    c, s = trigonometry("", theta)
    ca, sa = trigonometry("alp", value(frame.alpha))
    cg, sg = trigonometry("gam", value(frame.gamma))
    b, d = value(frame.b), value(frame.d)
    a13, a23 = sg * sa, -(cg * sa)
    A = Mat3.of(
        c * cg - s * ca * sg, -(s * cg) - c * ca * sg, a13,
        c * sg + s * ca * cg, c * ca * cg - s * sg, a23,
        s * sa, c * sa, ca,
    )  # fmt: skip
    P = Vec3(d * cg + r * a13, d * sg + r * a23, r * ca + b)
    return Transform(note("A", j, A), note("LOO", j, P))


def frame_screws(frame: Frame, value: Callable[[Expr], Scalar]) -> tuple[Screw, ...]:
    """Return the screws from the frame to its antecedent: (theta, r) z, (alpha, d) x, (gamma, b) z."""
    x, z = ("x", value(frame.alpha), value(frame.d)), ("z", value(frame.gamma), value(frame.b))
    steps = (("z", *frame.screw(value)), x, z)
    return tuple(Screw(axis, cos(angle), sin(angle), shift) for axis, angle, shift in steps)


@dataclass(frozen=True, slots=True)
class Place:
    """Frame j: its antecedent, its joint, and the transformation at zero of the joint variable."""

    ant: int
    joint: JointType
    T: Transform


def frame_places(robot: Robot, graph: Graph) -> tuple[dict[int, Place], Vec3]:
    """Return the frames with zero joint variables, and gravity, in a graph."""
    entries = list(dict.fromkeys(e for _, _, e in robot.entries()))
    copies = dict(zip(entries, graph.copy(entries), strict=True))
    copies[graph.zero] = graph.zero

    places = {
        j: Place(frame.ant, frame.joint_type, frame_transform(frame.at(graph.zero), copies.__getitem__, j))
        for j, frame in enumerate(robot.frames, 1)
    }
    return places, Vec3(*(copies[g] for g in robot.gravity))
