"""Newton-Euler, linear in the inertial parameters, for trees: equations 4.1 to 4.10 of the guide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from robosym.model import Note, no_name
from robosym.spatial import Mat3, Vec3
from robosym.tree.bodies import Tree
from robosym.tree.motion import products, u_matrix

__all__ = ["Efforts", "LinkMotion", "newton_euler", "outward"]


@dataclass(frozen=True, slots=True)
class Efforts:
    """What each antecedent exerts on link j, in frame j, and the part of it along the joint."""

    f: dict[int, Vec3]
    n: dict[int, Vec3]
    along: dict[int, Any]  #: of the moving joints: torque or force without drive and friction


def moment(J: Mat3, wp: Vec3, dv: Mat3, U: Mat3, j: int, note: Note) -> Vec3:
    """J wp + w x (J w) of equation 4.6, written with the entries of U that the forces need anyway."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = J.rows
    (dv11, dv12, dv13), (_, dv22, dv23), (_, _, dv33) = dv.rows
    (_, u12, u13), (u21, _, u23), (u31, u32, _) = U.rows
    pis = note("PIS", j, Vec3(zz - yy, xx - zz, yy - xx))
    return Vec3(
        dv23 * pis.x + wp.x * xx - u31 * xy + u21 * xz + (dv33 - dv22) * yz,
        dv13 * pis.y + u32 * xy + (dv11 - dv33) * xz + wp.y * yy - u12 * yz,
        dv12 * pis.z + (dv22 - dv11) * xy - u23 * xz + u13 * yz + wp.z * zz,
    )


@dataclass(frozen=True, slots=True)
class LinkMotion:
    """Velocities and accelerations of the links, each in its own frame, and the wrenches that this motion takes."""

    w: dict[int, Vec3]
    wp: dict[int, Vec3]
    vp: dict[int, Vec3]  #: of the frame's origin, minus gravity
    force: dict[int, Vec3]  #: inertial force and what the link exerts on its environment
    moment: dict[int, Vec3]  #: likewise, about the origin of the frame


def outward(tree: Tree, note: Note = no_name) -> LinkMotion:
    """The way out: motion of every link from that of the base and of the joints, and the wrench on it alone."""
    w, wp, vp, U = {0: tree.w0}, {0: tree.wp0}, {0: tree.vp0}, {}
    U[0] = u_matrix(products(tree.w0), tree.wp0)
    force: dict[int, Vec3] = {}
    torque: dict[int, Vec3] = {}

    def link_wrench(j: int, body: Any, dv: Mat3) -> None:
        F = note("F", j, vp[j] * body.M + U[j] @ body.MS)  # 4.5
        No = note("NO", j, moment(body.J, wp[j], dv, U[j], j, note))  # 4.6
        force[j] = F + body.force
        torque[j] = No + body.MS.cross(vp[j]) + body.moment

    if tree.bodies[0] is not None:
        link_wrench(0, tree.bodies[0], products(tree.w0))
    for j, body in tree.items():
        i, A, P = body.ant, body.T.A, body.T.P
        turn, slide = body.joint.angular * body.qd, body.joint.linear * body.qd
        w_i = note("WI", j, A.T @ w[i])  # 4.1
        w[j] = note("W", j, w_i + Vec3(0, 0, turn))  # 4.2
        # 4.3; w x (qd z) is (w2 qd, -w1 qd, 0)
        spin = Vec3(w_i.y * turn, -(w_i.x * turn), body.joint.angular * body.qdd)
        wp[j] = note("WP", j, A.T @ wp[i] + spin)
        dv = note("DV", j, products(w[j]))
        U[j] = note("U", j, u_matrix(dv, wp[j]))
        carried = note("VSP", j, vp[i] + U[i] @ P)
        coriolis = Vec3(w_i.y * (2 * slide), -(w_i.x * (2 * slide)), body.joint.linear * body.qdd)
        vp[j] = note("VP", j, A.T @ carried + coriolis)  # 4.4
        link_wrench(j, body, dv)
    return LinkMotion(w, wp, vp, force, torque)


def newton_euler(tree: Tree, note: Note = no_name) -> Efforts:
    """Forces and moments on every link for the given motion; `note` gives each quantity its name in the guide."""
    motion = outward(tree, note)
    f: dict[int, Vec3] = {}
    n: dict[int, Vec3] = {}
    along: dict[int, Any] = {}
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
