"""Relations between the energy functions of the links of a closed loop (guide 4.5.1, 4.5.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from robosym.coordinates.loops import Parallelogram, planar_loops
from robosym.mechanism import INERTIA, JointType, Robot
from robosym.mechanism.motion import Place
from robosym.parameters.freedom import LinkRotation, Mobility
from robosym.parameters.standard import LinkField
from robosym.spatial import Mat3, Transform, Vec3
from robosym.spatial.inertia import RigidInertia

__all__ = ["Relation", "loop_relations"]

#: {(link, field): coefficient}: the sum of coefficient times energy function is constant
Relation = dict[LinkField, Any]
_O = Vec3(0, 0, 0)
_J = INERTIA[:6]


def loop_relations(
    robot: Robot, places: Mapping[int, Place], shapes: Sequence[Parallelogram], motion: Mapping[int, Mobility]
) -> Iterator[Relation]:
    """Return relations (4.51), (4.52) of every loop, and those of planar loops and parallelograms."""
    for k, fixed in robot.loops:
        for inertia in _invariants(places[k].joint):
            ends = ((places[frame].ant, inertia.moved(places[frame].T)) for frame in (k, fixed))
            yield _difference(*ends)
    for bars in planar_loops(robot, places):
        yield _sum((bar.link, _tensor(bar.axis, bar.axis.cross(bar.across))) for bar in bars)
    for shape in shapes:
        for one, other in shape.pairs:  # (4.55), (4.56)
            A = one.basis @ other.basis.T
            for name in _J:
                tensor = RigidInertia(**{name: 1})
                yield _difference((one.link, tensor.moved(Transform(A, _O))), (other.link, tensor))
        if all(motion[bar.link].freedom is not LinkRotation.FULL for bar in shape.bars):
            yield _in_the_plane(shape)


def _invariants(joint: JointType) -> list[RigidInertia]:
    """Return the inertias that a cut joint does not change: their energy is equal on both sides of the cut."""
    if joint.only_turns:
        return [RigidInertia(XX=1, YY=1), RigidInertia(MZ=1), RigidInertia(M=1)]
    if joint.turns:  # a helical joint also moves the origin
        return [RigidInertia(XX=1, YY=1)]
    return [RigidInertia(**{name: 1}) for name in (_J if joint.slides else INERTIA)]


def _tensor(a: Vec3, c: Vec3) -> RigidInertia:
    """Return J = a c^T + c a^T, whose energy is (w . a) (w . c).

    The sides of a loop sum to zero, as do their products with angular rates. All links of a planar loop have the same w
    perpendicular to its axes: the sum of (w . a) (w . c) is zero for c along the sides (4.51-b) and perpendicular to
    them.
    """
    return RigidInertia(
        XX=2 * (a.x * c.x), XY=a.x * c.y + a.y * c.x, XZ=a.x * c.z + a.z * c.x,
        YY=2 * (a.y * c.y), YZ=a.y * c.z + a.z * c.y, ZZ=2 * (a.z * c.z),
    )  # fmt: skip


def _in_the_plane(shape: Parallelogram) -> Relation:
    """Return the relation of a planar parallelogram: its first moments perpendicular to the sides sum to zero.

    For those along the sides, (4.51) states this for a mass at the cut joint.
    """
    first, second, third, fourth = shape.bars
    moments = (
        (first.link, -first.axis.cross(first.across), first.start),
        (second.link, second.axis.cross(second.across), second.start),
        (third.link, -third.axis.cross(third.across), third.end),
        (fourth.link, fourth.axis.cross(fourth.across), fourth.end),
    )
    return _sum(
        (link, RigidInertia(MX=MS.x, MY=MS.y, MZ=MS.z).moved(Transform(Mat3.identity(), point)))
        for link, MS, point in moments
    )


def _difference(one: tuple[int, RigidInertia], other: tuple[int, RigidInertia]) -> Relation:
    """Return the relation that the same inertia, expressed on two links, has the same energy."""
    link, inertia = other
    return _sum([one, (link, -inertia)])


def _sum(parts: Iterable[tuple[int, RigidInertia]]) -> Relation:
    """Return the sum of inertias as a relation; frame 0 is fixed and has no effect."""
    relation: Relation = {}
    for link, inertia in parts:
        for name in INERTIA if link else ():
            relation[link, name] = relation.get((link, name), 0) + getattr(inertia, name)
    return relation
