"""The inertia of a link as second moments of its mass, and what of it may be moved to the antecedent.

The integrals of x x, x y, ... over the mass (Sxx, Sxy, ...) replace the moments of inertia: Sxx = (YY + ZZ - XX) / 2,
Sxy = -XY. The inertial wrench is then linear in the entries of U alone, and mass that lies on the axis of a revolute
joint (Szz, MZ, M of the link) may be counted to either side of the joint (guide 3.5.2.3, theorem 1) by one product.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from robosym.dynamics.second_moments.frames import before, before_joint, is_zero, origin_before, origin_before_joint
from robosym.spatial import Mat3, Vec3
from robosym.tree.bodies import Body, Tree

__all__ = [
    "Moments", "line_on_antecedent", "mass_on_axis", "moments_of", "on_antecedent", "regrouped", "shifted",
    "turned_about_z",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Moments:
    """Second and first moments of a link's mass in its frame, and its mass."""

    S: Mat3
    MS: Vec3
    M: Any
    ZZ: Any  #: Sxx + Syy, the inertia about the axis z: known without them
    D: Any  #: Sxx - Syy, likewise

    def __add__(self, other: Moments) -> Moments:
        entries = [a + b for a, b in zip(self.S, other.S, strict=True)]
        return Moments(Mat3.of(*entries), self.MS + other.MS, self.M + other.M, self.ZZ + other.ZZ, self.D + other.D)


def moments_of(body: Body) -> Moments:
    """From the inertia at the frame's origin."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia.J.rows
    sxx = (yy + zz - xx) * _half(xx, yy, zz)
    S = Mat3.of(sxx, -xy, -xz, -xy, zz - sxx, -yz, -xz, -yz, yy - sxx)
    return Moments(S, body.inertia.MS, body.inertia.M, zz, yy - xx)


def _half(*entries: Any) -> Any:
    """One half in the kind of number that the entries are."""
    for entry in entries:
        graph = getattr(entry, "graph", None)
        if graph is not None:
            return graph.one / 2
    return 0.5


def _outer(a: Vec3, b: Vec3) -> list[Any]:
    return [x * y for x in a for y in b]


def mass_on_axis(k: Moments, body: Body) -> tuple[Moments, Moments | None]:
    """What is left when the mass along the axis of a revolute joint goes to the antecedent, and that mass there.

    The antecedent does not see the joint turn it. None where no mass is on the axis.
    """
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = k.S.rows
    if all(is_zero(part) for part in (zz, k.MS.z, k.M)):
        return k, None
    S, MS = line_on_antecedent(zz, k.MS.z, k.M, body)
    left = Moments(Mat3.of(xx, xy, xz, xy, yy, yz, xz, yz, 0), Vec3(k.MS.x, k.MS.y, 0), 0, k.ZZ, k.D)
    return left, Moments(S, MS, k.M, S.rows[0].x + S.rows[1].y, S.rows[0].x - S.rows[1].y)


def line_on_antecedent(second: Any, first: Any, mass: Any, body: Body) -> tuple[Mat3, Vec3]:
    """Second and first moments, in the frame of the antecedent, of mass that lies on the axis z of a frame."""
    r = body.screws[0].shift
    along = first + r * mass
    second = second + r * (first + along)
    axis, p = before_joint(body, Vec3(0, 0, 1)), origin_before_joint(body)
    S = [
        second * aa + along * (ap + pa) + mass * pp
        for aa, ap, pa, pp in zip(_outer(axis, axis), _outer(axis, p), _outer(p, axis), _outer(p, p), strict=True)
    ]
    return Mat3.of(*S), axis * along + p * mass


def turned_about_z(k: Moments, c: Any, s: Any) -> Moments:
    """The moments in axes from which the given ones are turned about z."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = k.S.rows
    turn = s * k.D + c * (2 * xy)
    x, y, z = k.MS
    xx, yy, xy = xx - s * turn, yy + s * turn, c * turn - xy
    xz, yz = c * xz - s * yz, s * xz + c * yz
    MS = Vec3(c * x - s * y, s * x + c * y, z)
    return Moments(Mat3.of(xx, xy, xz, xy, yy, yz, xz, yz, zz), MS, k.M, k.ZZ, xx - yy)


def shifted(k: Moments, r: Any) -> Moments:
    """Of a link without mass on its axis: about an origin `r` back along z."""
    (xx, xy, xz), (_, yy, yz), _ = k.S.rows
    xz, yz = xz + r * k.MS.x, yz + r * k.MS.y
    return replace(k, S=Mat3.of(xx, xy, xz, xy, yy, yz, xz, yz, 0))


def on_antecedent(k: Moments, body: Body) -> Moments:
    """Moments without mass, given before the joint turns and at its axis, in the frame of the antecedent."""
    columns = [before_joint(body, row) for row in k.S.rows]
    rows = [before_joint(body, row) for row in Mat3((columns[0], columns[1], columns[2])).T.rows]
    m, p = before_joint(body, k.MS), origin_before_joint(body)
    turned = Mat3((rows[0], rows[1], rows[2]))
    S = [s + mp + pm for s, mp, pm in zip(turned, _outer(m, p), _outer(p, m), strict=True)]
    return Moments(Mat3.of(*S), m, 0, S[0] + S[4], S[0] - S[4])


def _turned(S: Mat3, body: Body) -> Mat3:
    """A S A^T: second moments about the same point along the axes of the antecedent."""
    columns = [before(body, row) for row in S.rows]
    rows = [before(body, row) for row in Mat3((columns[0], columns[1], columns[2])).T.rows]
    return Mat3((rows[0], rows[1], rows[2]))


def _whole(k: Moments, body: Body) -> Moments:
    """All the mass of a link that is fixed on its antecedent."""
    turned = _turned(k.S, body)
    m, p = before(body, k.MS), origin_before(body)
    S = [s + mp + pm + k.M * pp for s, mp, pm, pp in zip(turned, _outer(m, p), _outer(p, m), _outer(p, p), strict=True)]
    return Moments(Mat3.of(*S), m + p * k.M, k.M, S[0] + S[4], S[0] - S[4])


def regrouped(tree: Tree) -> dict[int, Moments]:
    """Moments of every link that give the same joint torques, with as many zeros as the joints allow."""
    found = {j: moments_of(body) for j, body in tree.inward()}
    for j, body in tree.inward():
        k = found[j]
        given: Moments | None
        if j == 0:
            continue
        if body.joint.only_turns:
            found[j], given = mass_on_axis(k, body)
        elif body.joint.only_slides:  # its turning is that of the antecedent (theorem 2)
            S = _turned(k.S, body)
            given = Moments(S, Vec3(0, 0, 0), 0, S.rows[0].x + S.rows[1].y, S.rows[0].x - S.rows[1].y)
            found[j] = replace(k, S=Mat3.of(*[0] * 9), ZZ=0, D=0)
        elif not body.joint.moves:
            given = _whole(k, body)
            found[j] = Moments(Mat3.of(*[0] * 9), Vec3(0, 0, 0), 0, 0, 0)
        else:
            given = None
        if given is not None and body.ant in found:
            found[body.ant] = found[body.ant] + given
    return found
