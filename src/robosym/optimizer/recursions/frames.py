"""Transformation of vectors between a frame and its antecedent, one elementary rotation at a time.

A rotation costs four products, and none at multiples of Pi/2; a product with the whole matrix costs nine.
"""

from __future__ import annotations

from collections.abc import Callable

from robosym.algebra.generic import is_exactly
from robosym.mechanism.bodies import Body, Tree
from robosym.spatial import Mat3, Vec3

__all__ = [
    "before", "before_joint", "behind_joint", "in_axes", "is_axis", "origin_before", "origin_before_joint", "outer",
    "parallel_axes",
]  # fmt: skip


def before(body: Body, v: Vec3) -> Vec3:
    """Transform a vector from the frame to the frame of the antecedent."""
    for screw in body.screws:
        v = screw.out(v)
    return v


def before_joint(body: Body, v: Vec3) -> Vec3:
    """Transform a vector from the axes before the rotation about z by theta to the frame of the antecedent."""
    for screw in body.screws[1:]:
        v = screw.out(v)
    return v


def behind_joint(body: Body, v: Vec3) -> Vec3:
    """Transform a vector from the frame of the antecedent to the axes before the rotation about z by theta."""
    for screw in reversed(body.screws[1:]):
        v = screw.back(v)
    return v


def origin_before_joint(body: Body) -> Vec3:
    """Return the start of the joint axis in the frame of the antecedent: d along x, then b along z."""
    _, x, z = body.screws
    return z.out(Vec3(x.shift, 0, 0)) + Vec3(0, 0, z.shift)


def origin_before(body: Body) -> Vec3:
    """Return the origin of the frame in the frame of the antecedent."""
    return before_joint(body, Vec3(0, 0, body.screws[0].shift)) + origin_before_joint(body)


def in_axes(S: Mat3, out: Callable[[Vec3], Vec3]) -> Mat3:
    """Return A S^T A^T, where `out` gives A v: a symmetric matrix in other axes."""
    x, y, z = map(out, S.rows)
    x, y, z = map(out, Mat3((x, y, z)).T.rows)
    return Mat3((x, y, z))


def outer(a: Vec3, b: Vec3) -> Mat3:
    """Return a b^T."""
    return Mat3.of(*(x * y for x in a for y in b))


def is_axis(v: Vec3) -> bool:
    """Return whether a unit vector is a coordinate axis, so that its products with matrices are free."""
    return sum(1 for part in v if not is_exactly(part, 0)) == 1


def parallel_axes(tree: Tree, body: Body) -> bool:
    """Return whether a revolute joint and its revolute antecedent have parallel axes."""
    first = tree.bodies[body.ant] if body.ant else None
    straight = all(is_exactly(screw.s, 0) and not is_exactly(screw.c + 1, 0) for screw in body.screws[1:])
    return bool(first is not None and first.joint.only_turns and body.joint.only_turns and straight)
