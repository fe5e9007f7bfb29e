"""Vectors carried between a frame and its antecedent one elementary turn at a time.

A turn costs four products, and none if it is by a multiple of Pi/2; a product with the whole matrix costs nine.
"""

from __future__ import annotations

from robosym.algebra.generic import is_exactly
from robosym.spatial import Vec3
from robosym.tree.bodies import Body

__all__ = ["before", "before_joint", "behind_joint", "is_axis", "origin_before", "origin_before_joint"]


def before(body: Body, v: Vec3) -> Vec3:
    """A vector given in the frame, in the frame of the antecedent."""
    for screw in body.screws:
        v = screw.out(v)
    return v


def before_joint(body: Body, v: Vec3) -> Vec3:
    """A vector given in the axes before the turn about z by theta, in the frame of the antecedent."""
    for screw in body.screws[1:]:
        v = screw.out(v)
    return v


def behind_joint(body: Body, v: Vec3) -> Vec3:
    """A vector given in the frame of the antecedent, in the axes before the turn about z by theta."""
    for screw in reversed(body.screws[1:]):
        v = screw.back(v)
    return v


def origin_before_joint(body: Body) -> Vec3:
    """Where the axis of the joint begins, in the frame of the antecedent: d along x, then b along z."""
    _, x, z = body.screws
    return z.out(Vec3(x.shift, 0, 0)) + Vec3(0, 0, z.shift)


def origin_before(body: Body) -> Vec3:
    """The origin of the frame in the frame of the antecedent."""
    return before_joint(body, Vec3(0, 0, body.screws[0].shift)) + origin_before_joint(body)


def is_axis(v: Vec3) -> bool:
    """Whether a unit vector is one of the axes, so that its products with matrices are free."""
    return sum(1 for part in v if not is_exactly(part, 0)) == 1
