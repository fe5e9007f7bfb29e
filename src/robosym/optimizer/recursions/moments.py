"""What of a link's mass, by its second moments, may be moved to the antecedent.

Mass that lies on the axis of a revolute joint (Szz, MZ, M of the link) may be counted to either side of the joint
(guide 3.5.2.3, theorem 1) by one product.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from robosym.algebra.generic import is_exactly
from robosym.mechanism.bodies import Body, Tree
from robosym.optimizer.recursions.frames import before, before_joint, origin_before, origin_before_joint
from robosym.optimizer.recursions.points import taken_off
from robosym.spatial import Mat3, Scalar, Vec3
from robosym.spatial.inertia import SecondMoments

__all__ = ["line_on_antecedent", "mass_on_axis", "on_antecedent", "regrouped"]


def _outer(a: Vec3, b: Vec3) -> list[Scalar]:
    return [x * y for x in a for y in b]


def mass_on_axis(k: SecondMoments, body: Body) -> tuple[SecondMoments, SecondMoments | None]:
    """What is left when the mass along the axis of a revolute joint goes to the antecedent, and that mass there.

    The antecedent does not see the joint turn it. None where no mass is on the axis.
    """
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = k.S.rows
    if all(is_exactly(part, 0) for part in (zz, k.MS.z, k.M)):
        return k, None
    left = SecondMoments(Mat3.of(xx, xy, xz, xy, yy, yz, xz, yz, 0), Vec3(k.MS.x, k.MS.y, 0), 0, k.ZZ, k.D)
    return left, line_on_antecedent(zz, k.MS.z, k.M, body)


def line_on_antecedent(second: Scalar, first: Scalar, mass: Scalar, body: Body) -> SecondMoments:
    """In the frame of the antecedent, mass that lies on the axis z of a frame: its moments Szz and MZ, and M."""
    r = body.screws[0].shift
    along = first + r * mass
    second = second + r * (first + along)
    axis, p = before_joint(body, Vec3(0, 0, 1)), origin_before_joint(body)
    S = [
        second * aa + along * (ap + pa) + mass * pp
        for aa, ap, pa, pp in zip(_outer(axis, axis), _outer(axis, p), _outer(p, axis), _outer(p, p), strict=True)
    ]
    return SecondMoments.made_of(Mat3.of(*S), axis * along + p * mass, mass)


def on_antecedent(k: SecondMoments, body: Body) -> SecondMoments:
    """SecondMoments without mass, given before the joint turns and at its axis, in the frame of the antecedent."""
    columns = [before_joint(body, row) for row in k.S.rows]
    rows = [before_joint(body, row) for row in Mat3((columns[0], columns[1], columns[2])).T.rows]
    m, p = before_joint(body, k.MS), origin_before_joint(body)
    turned = Mat3((rows[0], rows[1], rows[2]))
    S = [s + mp + pm for s, mp, pm in zip(turned, _outer(m, p), _outer(p, m), strict=True)]
    return SecondMoments.made_of(Mat3.of(*S), m, 0)


def _turned(S: Mat3, body: Body) -> Mat3:
    """A S A^T: second moments about the same point along the axes of the antecedent."""
    columns = [before(body, row) for row in S.rows]
    rows = [before(body, row) for row in Mat3((columns[0], columns[1], columns[2])).T.rows]
    return Mat3((rows[0], rows[1], rows[2]))


def _whole(k: SecondMoments, body: Body) -> SecondMoments:
    """All the mass of a link that is fixed on its antecedent."""
    turned = _turned(k.S, body)
    m, p = before(body, k.MS), origin_before(body)
    S = [s + mp + pm + k.M * pp for s, mp, pm, pp in zip(turned, _outer(m, p), _outer(p, m), _outer(p, p), strict=True)]
    return SecondMoments.made_of(Mat3.of(*S), m + p * k.M, k.M)


def regrouped(tree: Tree, points: Collection[int] = ()) -> tuple[dict[int, SecondMoments], dict[int, Scalar]]:
    """SecondMoments of every link that give the same joint torques, with as many zeros as the joints allow.

    And masses at the origins of frames, of those wanted, for first moments of the links before them (points.py).
    """
    found = {j: SecondMoments.of(body.inertia) for j, body in tree.inward()}
    masses: dict[int, Scalar] = {}
    for j, body in tree.inward():
        for behind in (other for other in points if tree.body(other).ant == j):
            found[j], masses[behind] = taken_off(found[j], tree, behind)
        k = found[j]
        given: SecondMoments | None
        if j == 0:
            continue
        if body.joint.only_turns:
            found[j], given = mass_on_axis(k, body)
        elif body.joint.only_slides:  # its turning is that of the antecedent (theorem 2)
            S = _turned(k.S, body)
            given = SecondMoments.made_of(S, Vec3(0, 0, 0), 0)
            found[j] = replace(k, S=Mat3.of(*[0] * 9), ZZ=0, D=0)
        elif not body.joint.moves:
            given = _whole(k, body)
            found[j] = SecondMoments(Mat3.of(*[0] * 9), Vec3(0, 0, 0), 0, 0, 0)
        else:
            given = None
        if given is not None and body.ant in found:
            found[body.ant] = found[body.ant] + given
    return found, masses
