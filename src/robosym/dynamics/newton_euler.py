"""Newton-Euler algorithm for trees, linear in the inertial parameters (equations 4.1 to 4.10 of the guide)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from robosym.mechanism.bodies import Tree
from robosym.mechanism.motion import angular_acceleration, angular_velocity, joint_acceleration, products, u_matrix
from robosym.model import Note, no_name
from robosym.spatial import Mat3, Scalar, Vec3
from robosym.spatial.inertia import RigidInertia

__all__ = ["Efforts", "LinkMotion", "Recursion", "link_wrench", "newton_euler", "outward"]


@dataclass(frozen=True, slots=True)
class Efforts:
    """Wrench of each antecedent on link j, in frame j, and its component along the joint."""

    f: dict[int, Vec3]
    n: dict[int, Vec3]
    along: dict[int, Scalar]  #: torque or force of each moving joint, without drive and friction


#: efforts of a tree for its motion; some recursions compute only those along the joints
Recursion = Callable[[Tree, Note], Efforts]


def link_wrench(
    inertia: RigidInertia, dv: Mat3, U: Mat3, wp: Vec3, vp: Vec3, j: int, note: Note = no_name
) -> tuple[Vec3, Vec3]:
    """Return force and moment about the origin of its frame for the motion of link j (4.5, 4.6).

    `dv` contains the products of the angular velocity; J wp + w x (J w) uses the entries of U that the force needs
    anyway.
    """
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.J.rows
    (dv11, dv12, dv13), (_, dv22, dv23), (_, _, dv33) = dv.rows
    (_, u12, u13), (u21, _, u23), (u31, u32, _) = U.rows
    F = note("F", j, vp * inertia.M + U @ inertia.MS)
    pis = note("PIS", j, Vec3(zz - yy, xx - zz, yy - xx))
    moment = Vec3(
        dv23 * pis.x + wp.x * xx - u31 * xy + u21 * xz + (dv33 - dv22) * yz,
        dv13 * pis.y + u32 * xy + (dv11 - dv33) * xz + wp.y * yy - u12 * yz,
        dv12 * pis.z + (dv22 - dv11) * xy - u23 * xz + u13 * yz + wp.z * zz,
    )
    return F, note("NO", j, moment) + inertia.MS.cross(vp)


@dataclass(frozen=True, slots=True)
class LinkMotion:
    """Velocities and accelerations of the links, each in its own frame, and the wrenches of this motion."""

    w: dict[int, Vec3]
    wp: dict[int, Vec3]
    vp: dict[int, Vec3]  #: acceleration of the origin of the frame, minus gravity
    force: dict[int, Vec3]  #: inertial force plus the force on the environment
    moment: dict[int, Vec3]  #: likewise, about the origin of the frame


def outward(tree: Tree, note: Note = no_name) -> LinkMotion:
    """Outward pass: compute the motion of every link and the wrench on it."""
    w, wp, vp = {0: tree.base.w}, {0: tree.base.wp}, {0: tree.base.vp}
    dv = {0: products(w[0])}
    U = {0: u_matrix(dv[0], wp[0])}
    force: dict[int, Vec3] = {}
    torque: dict[int, Vec3] = {}
    for j, body in enumerate(tree.bodies):
        if body is None:
            continue
        if j:
            i, A, P = body.ant, body.T.A, body.T.P
            carried, w[j] = angular_velocity(body, w[i], j, note)  # 4.1, 4.2
            wp[j] = angular_acceleration(body, carried, wp[i], j, note)  # 4.3
            dv[j] = note("DV", j, products(w[j]))
            U[j] = note("U", j, u_matrix(dv[j], wp[j]))
            at_origin = note("VSP", j, vp[i] + U[i] @ P)
            vp[j] = note("VP", j, A.T @ at_origin + joint_acceleration(body, carried))  # 4.4
        F, N = link_wrench(body.inertia, dv[j], U[j], wp[j], vp[j], j, note)  # 4.5, 4.6
        force[j], torque[j] = F + body.force, N + body.moment
    return LinkMotion(w, wp, vp, force, torque)


def newton_euler(tree: Tree, note: Note = no_name) -> Efforts:
    """Compute forces and moments on every link for the given motion; `note` names quantities as in the guide."""
    motion = outward(tree, note)
    f: dict[int, Vec3] = {}
    n: dict[int, Vec3] = {}
    along: dict[int, Scalar] = {}
    for j, body in tree.inward():
        f[j] = note("E", j, f.get(j, Vec3(0, 0, 0)) + motion.force[j])  # 4.7
        n[j] = note("N", j, n.get(j, Vec3(0, 0, 0)) + motion.moment[j])  # 4.9
        if j == 0:
            break
        if body.joint.moves:
            along[j] = body.joint.along(f[j].z, n[j].z)  # 4.10
        i, A, P = body.ant, body.T.A, body.T.P
        if i == 0 and tree.bodies[0] is None:
            continue
        f_in_i = note("SDJ", j, A @ f[j])  # 4.8
        f[i] = f.get(i, Vec3(0, 0, 0)) + f_in_i
        n[i] = n.get(i, Vec3(0, 0, 0)) + A @ n[j] + P.cross(f_in_i)
    return Efforts(f, n, along)
