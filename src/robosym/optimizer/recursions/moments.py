"""Regrouping of mass to the antecedent, by second moments or as links of another robot.

Mass on the axis of a revolute joint (Szz, MZ, M of the link) may belong to either side of the joint (guide 3.5.2.3,
theorem 1), which takes one product.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from typing import Any

from robosym.algebra.generic import is_exactly
from robosym.dynamics.composite import TreeInertia, tree_inertia
from robosym.mechanism import INERTIA, Link, Robot
from robosym.mechanism.bodies import Body, Tree, tree_of
from robosym.model import Note
from robosym.optimizer.recursions.frames import (
    before,
    before_joint,
    in_axes,
    origin_before,
    origin_before_joint,
    outer,
)
from robosym.optimizer.recursions.lengths import taken_off
from robosym.spatial import Mat3, Scalar, Vec3
from robosym.spatial.inertia import RigidInertia, SecondMoments

__all__ = [
    "line_on_antecedent", "mass_on_axis", "on_antecedent", "regrouped", "regrouped_inertia", "regrouped_onto_base",
    "regrouped_robot",
]  # fmt: skip

_HERE = Vec3(0, 0, 0)
_NONE = Mat3.of(*[0] * 9)
OnAxis = Callable[[SecondMoments, Body], tuple[SecondMoments, SecondMoments | None]]


def mass_on_axis(k: SecondMoments, body: Body) -> tuple[SecondMoments, SecondMoments | None]:
    """Split off the mass along the axis of a revolute joint; return the rest and that mass in the antecedent, or None.

    The antecedent does not see it rotate.
    """
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = k.S.rows
    if all(is_exactly(part, 0) for part in (zz, k.MS.z, k.M)):
        return k, None
    left = SecondMoments(Mat3.of(xx, xy, xz, xy, yy, yz, xz, yz, 0), Vec3(k.MS.x, k.MS.y, 0), 0, k.ZZ, k.D)
    return left, line_on_antecedent(zz, k.MS.z, k.M, body)


def line_on_antecedent(second: Scalar, first: Scalar, mass: Scalar, body: Body) -> SecondMoments:
    """Return mass on the z axis of a frame, with moments Szz and MZ and mass M, in the frame of the antecedent."""
    r = body.screws[0].shift
    along = first + r * mass
    second = second + r * (first + along)
    axis, p = before_joint(body, Vec3(0, 0, 1)), origin_before_joint(body)
    S = [
        second * aa + along * (ap + pa) + mass * pp
        for aa, ap, pa, pp in zip(outer(axis, axis), outer(axis, p), outer(p, axis), outer(p, p), strict=True)
    ]
    return SecondMoments.made_of(Mat3.of(*S), axis * along + p * mass, mass)


def on_antecedent(k: SecondMoments, body: Body) -> SecondMoments:
    """Transform moments from the axes before the joint rotates, at its axis, to the frame of the antecedent."""
    return _carried(k, partial(before_joint, body), origin_before_joint(body))


def _fixed(k: SecondMoments, body: Body) -> SecondMoments:
    """Transform moments of a link that does not rotate relative to its antecedent to the antecedent's frame."""
    return _carried(k, partial(before, body), origin_before(body))


def _carried(k: SecondMoments, out: Callable[[Vec3], Vec3], p: Vec3) -> SecondMoments:
    """Transform to other axes by `out`, and to a reference point from which the present one is at `p`."""
    m, turned = out(k.MS), in_axes(k.S, out)
    S = [s + mp + pm + k.M * pp for s, mp, pm, pp in zip(turned, outer(m, p), outer(p, m), outer(p, p), strict=True)]
    return SecondMoments.made_of(Mat3.of(*S), m + p * k.M, k.M)


def regrouped(
    tree: Tree,
    points: Collection[int] = (),
    of: Callable[[RigidInertia], SecondMoments] = SecondMoments.of,
    on_axis: OnAxis = mass_on_axis,
    fixed: Callable[[SecondMoments, Body], SecondMoments] = _fixed,
) -> tuple[dict[int, SecondMoments], dict[int, Scalar]]:
    """Return moments of every link that give the same joint torques, with as many zeros as the joints allow.

    Return also masses at the origins of the frames in `points`, which replace first moments (lengths.py).
    """
    found = {j: of(body.inertia) for j, body in tree.inward()}
    masses: dict[int, Scalar] = {}
    for j, body in tree.inward():
        for behind in (other for other in points if tree.body(other).ant == j):
            found[j], masses[behind] = taken_off(found[j], tree, behind)
        k = found[j]
        given: SecondMoments | None = None
        if j and body.joint.only_turns:
            found[j], given = on_axis(k, body)
        elif j and body.joint.only_slides:  # it rotates like the antecedent (theorem 2)
            found[j], given = replace(k, S=_NONE, ZZ=0, D=0), fixed(replace(k, MS=_HERE, M=0), body)
        elif j and not body.joint.moves:
            found[j], given = SecondMoments(_NONE, _HERE, 0, 0, 0), fixed(k, body)
        if given is not None and body.ant in found:
            found[body.ant] = found[body.ant] + given
    return found, masses


# ------------------------------------------------------------------- as links, for any recursion of efforts or energies


def _regrouped_tree(tree: Tree) -> tuple[Tree, Vec3]:
    """Move YY, MZ and M of every revolute link to its antecedent, offline.

    Joint torques do not change; reactions do. Return also the first moments in frame 0 of mass that no longer moves,
    whose weight does no work.
    """
    found = {j: body.inertia for j, body in tree.items()}
    still = _HERE
    for j, body in tree.inward():
        if not j or not body.joint.only_turns or (body.ant == 0 and tree.bodies[0] is not None):
            continue
        found[j], line = found[j].parted()
        given = line_on_antecedent(line.YY, line.MZ, line.M, body)
        if body.ant:
            found[body.ant] = found[body.ant] + given.rigid
        else:
            still = still + given.MS
    bodies = [body and (replace(body, inertia=found[j]) if j else body) for j, body in enumerate(tree.bodies)]
    return replace(tree, bodies=bodies), still


def regrouped_inertia(tree: Tree, note: Note) -> TreeInertia:
    """Return the inertia matrix of a tree with regrouped links."""
    return tree_inertia(_regrouped_tree(tree)[0], note)


def regrouped_robot(robot: Robot) -> Robot:
    """Return the robot with the links of its regrouped tree."""
    return regrouped_onto_base(robot)[0]


def regrouped_onto_base(robot: Robot) -> tuple[Robot, Vec3]:
    """Return the same, and the first moments in frame 0 of mass that no longer moves."""
    robot = robot.with_values({})  # a copy with its own graph
    tree, still = _regrouped_tree(tree_of(robot, lambda entry: entry))
    zero = robot.graph.zero

    def changed(j: int) -> Link:
        fields: dict[str, Any] = {name: zero + part for name, part in zip(INERTIA, tree.body(j).inertia, strict=True)}
        return replace(robot.link(j), **fields)

    return replace(robot, links=tuple(changed(j) for j, _ in tree.items())), Vec3(*(zero + part for part in still))
