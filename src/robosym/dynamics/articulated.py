"""Accelerations of free joints and a free base without inverting the inertia matrix (guide Appendix 4.4; RNE 3, 6, 7).

Each joint is driven (its acceleration is given and its effort is unknown) or free (its effort is given and its
acceleration is unknown); the motion of the base is given or unknown. The same algorithm is the direct model (all joints
free), the inverse model of elastic joints (RNE 6.3), and both models of a floating base (RNE 7).

The accelerations are split into those of the given motion, including gravity, and a part that is linear in the
unknown accelerations. The terms `gamma` of the book are in the first part, which Newton-Euler computes anyway, and the
second part starts from zero at a base with given motion. This takes fewer operations than the book's form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from robosym.algebra.linear.symmetric import reciprocal, solve_symmetric
from robosym.algebra.matrix import dot
from robosym.dynamics.composite import to_antecedent
from robosym.dynamics.newton_euler import outward
from robosym.mechanism.bodies import Body, Tree
from robosym.model import Note, no_name
from robosym.spatial import Scalar, Vec3
from robosym.spatial.inertia import SpatialInertia, SpatialVector

__all__ = ["Response", "respond"]

Twist = tuple[Vec3, Vec3]  # linear and angular acceleration


@dataclass(frozen=True, slots=True)
class Response:
    """Result of the algorithm: accelerations of the free joints, efforts along all joints, reactions, and the base."""

    qdd: dict[int, Scalar]
    along: dict[int, Scalar]  #: torque or force along each moving joint, without drive and friction
    f: dict[int, Vec3]  #: force of each antecedent on link j, in frame j
    n: dict[int, Vec3]
    base: Twist  #: acceleration of the base in addition to the given one, in frame 0


@dataclass(frozen=True, slots=True)
class _FreeJoint:
    """Free joint: column of J* along it, the column over its pivot, and its acceleration for a fixed antecedent."""

    column: SpatialVector
    ratio: SpatialVector
    qdd: Scalar


def respond(tree: Tree, free: Mapping[int, Scalar], base_free: bool = False, note: Note = no_name) -> Response:
    """Return the response for the efforts `free` of the free joints, less friction, and the accelerations in `tree`."""
    given = {j: body.qdd for j, body in tree.items() if j not in free}
    motion = outward(tree.with_accelerations(given), note)
    moving = _reached(tree, free, base_free)
    inertia = {j: SpatialInertia.rigid(body.inertia) for j, body in tree.inward() if j in moving}
    f, n = dict(motion.force), dict(motion.moment)
    through: dict[int, SpatialInertia] = {}  # K of A4-19: inertia with respect to an acceleration of the antecedent
    freed: dict[int, _FreeJoint] = {}
    for j, body in tree.inward():
        if j == 0:
            break
        if j in moving:
            through[j] = inertia[j] = inertia[j].named(note, "MJE", j)
        if j in free:
            freed[j], through[j], f[j], n[j] = _release(j, body, inertia[j], f[j], n[j], free[j], note)
        i = body.ant
        if i in f:
            f_i, n_i = to_antecedent(body, f[j], n[j])
            f[i], n[i] = f[i] + f_i, n[i] + n_i  # A4-24
        if i in inertia:
            inertia[i] = inertia[i] + through[j].moved(*body.screws).named(note, "TKT", j)  # A4-23
    zero = Vec3(0, 0, 0)
    base = zero, zero
    if base_free:
        solution = solve_symmetric(inertia[0].entries, [-part for part in (*f[0], *n[0])])  # RNE 97, 109
        base = Vec3(*solution[:3]), Vec3(*solution[3:])
        f[0], n[0] = zero, zero
    return _outward(tree, freed, through, f, n, base, note)


def _reached(tree: Tree, free: Mapping[int, Scalar], base_free: bool) -> set[int]:
    """Return the links with an unknown acceleration: those beyond a free joint, or all links of a free base."""
    reached = {0} if base_free else set()
    for j, body in tree.items():
        if j in free or body.ant in reached:
            reached.add(j)
    return reached


def _release(
    j: int, body: Body, inertia: SpatialInertia, f: Vec3, n: Vec3, effort: Scalar, note: Note
) -> tuple[_FreeJoint, SpatialInertia, Vec3, Vec3]:
    """Return inertia and wrench of an articulated body after the motion of its free joint (A4-17 to A4-20)."""
    axis = body.joint.component
    J = inertia.entries
    force, moment = body.column(inertia)
    column: SpatialVector = (*force, *moment)
    pivot = note("DD", j, reciprocal(body.joint.along(force.z, moment.z) + body.IA, f"joint {j}"))
    wrench = (*f, *n)
    qdd = note("QDS", j, (effort - body.joint.along(f.z, n.z)) * pivot)
    ratio: SpatialVector = tuple(
        1 - body.IA * pivot if a == axis else note(f"JU{a + 1}", j, column[a] * pivot) for a in range(6)
    )

    def entry(a: int, b: int) -> Scalar:
        if axis is not None and axis in (a, b):  # J - J (J / (J + IA)): only the part of the rotor remains
            return body.IA * ratio[a + b - axis]
        return J[a][b] - ratio[a] * column[b]

    left = tuple(effort - body.IA * qdd if a == axis else wrench[a] + column[a] * qdd for a in range(6))
    left = tuple(note(f"AP{a + 1}", j, part) for a, part in enumerate(left))
    K = SpatialInertia.build(entry).named(note, "GK", j)
    return _FreeJoint(column, ratio, qdd), K, Vec3(*left[:3]), Vec3(*left[3:])


def _outward(
    tree: Tree,
    freed: Mapping[int, _FreeJoint],
    through: Mapping[int, SpatialInertia],
    f: dict[int, Vec3],
    n: dict[int, Vec3],
    base: Twist,
    note: Note,
) -> Response:
    """Second outward pass: compute the unknown accelerations, and update the reactions."""
    twist: dict[int, Twist] = {0: base}
    qdd: dict[int, Scalar] = {}
    along: dict[int, Scalar] = {}
    for j, body in tree.items():
        v, w = twist[body.ant]
        A, P = body.T.A, body.T.P
        v, w = note("VR", j, A.T @ (v + w.cross(P))), note("WR", j, A.T @ w)  # R of A 4.4.3
        if j in through:
            wrench = through[j] @ (*v, *w)
            f[j], n[j] = f[j] + Vec3(*wrench[:3]), n[j] + Vec3(*wrench[3:])
        f[j], n[j] = note("E", j, f[j]), note("N", j, n[j])
        if body.joint.moves:
            along[j] = body.joint.along(f[j].z, n[j].z)
        if j in freed:
            joint = freed[j]
            qdd[j] = joint.qdd - dot(joint.ratio, (*v, *w))
            v, w = v + Vec3(0, 0, body.joint.linear * qdd[j]), w + Vec3(0, 0, body.joint.angular * qdd[j])
        twist[j] = v, w
    return Response(qdd, along, f, n, base)
