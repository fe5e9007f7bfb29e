"""Coriolis matrix C(q, qd) for which A' - 2 C is antisymmetric (guide 3.3.3).

J_k(p) is the velocity of a point p beyond joint k for a unit velocity of this joint. C_ik is the integral of J_i .
dJ_k/dt over the masses beyond both joints. These are Christoffel symbols contracted with qd, so that C is also half the
derivative of the torques with respect to qd. Composite links have two integrals besides their inertia: the momentum
about the moving origin, and E = trace(D) - D with D the integral of v p^T; no matrix is larger than 3 x 3.

A moving base has six additional velocities, which are not derivatives of coordinates. They are defined along fixed
axes that coincide with those of frame 0: for a unit of W_a, a point has the velocity e_a x p, with derivative e_a x
v; for a unit of V_a, it has the constant velocity e_a.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from robosym.coordinates.accepts import accepts
from robosym.dynamics.arguments import prepared_tree, rows_and_columns
from robosym.dynamics.composite import BASE_RATES, Coordinate, composite_inertias, to_antecedent
from robosym.mechanism import JointType, Robot
from robosym.mechanism.bodies import Body, Tree, tree_of
from robosym.model import Model, Note, Origin, Workspace, no_name
from robosym.model.meanings import with_base_first
from robosym.spatial import Mat3, Scalar, Vec3
from robosym.spatial.inertia import SecondMoments, SpatialInertia, turn_block
from robosym.spatial.vectors import Screw

__all__ = ["coriolis_entries", "coriolis_matrix", "coriolis_of"]

HALF = Fraction(1, 2)
_AXES = Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)


@accepts("floating")
def coriolis_matrix(robot: Robot, structure: Literal["tree"] | None = None, base_parameters: bool = False) -> Model:
    """Return the Coriolis matrix C of a tree, or of the equivalent tree of a closed robot, without friction.

    C qd are the Coriolis and centrifugal torques, and A' - 2C is antisymmetric.

    A floating base adds six rows and columns before those of the joints: W1 W2 W3, then V1 V2 V3, in frame 0. Then
    C [W0; V0; qd] plus gravity is the bias of `bias_torques` (groups "base" and "H") for the accelerations of the group
    base_acceleration. These are derivatives along fixed axes, so that A' - 2C is antisymmetric for the derivative of
    A in fixed axes that coincide with frame 0. With R the orientation of the base and T = diag(R, R, 1), it is the
    derivative of T A T^T, transformed back by T. In axes that rotate with the base, as in Pinocchio, the matrix is C
    + A S, with S = diag(w, w, 0) and w the matrix of the product W0 x. The columns of V0 are zero.

    A mobile base adds the columns only.

    Parameters
    ----------
    robot : Robot
        Robot; a library name or a path is accepted too.
    structure : {"tree"}, optional
        `tree`: return the model of the equivalent tree of a closed robot.
    base_parameters : bool, optional
        Express the model in the base inertial parameters.

    Returns
    -------
    Model
        Model with the output group "C".

    Raises
    ------
    InputError
        If the robot is not supported or an argument is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.coriolis_matrix(rs.load("planar2r"))
    >>> model.outputs
    {'C': (('C11', 'C12'), ('C21', 'C22'))}
    """
    robot = prepared_tree(robot, structure, base_parameters, "the Coriolis matrix")
    return coriolis_of(robot)


def coriolis_of(robot: Robot, moments: Callable[[Tree], Mapping[int, SecondMoments]] | None = None) -> Model:
    """Return C of a prepared robot; `moments` of its tree replace the inertia of the links."""
    with Workspace(robot, ("q", "qd", "base_velocity", "parameters")) as work:
        tree = tree_of(robot, work.value, work.note)
        entries = coriolis_entries(tree, work.note, None if moments is None else moments(tree))
        rows, columns = rows_and_columns(robot)
        layout = work.matrix("C", [[entries.get((i, j), 0) for j in columns] for i in rows], rows, columns)
        about = with_base_first("cor", "C") if len(columns) > len(robot.tree_joints) else {}
        made = Origin(coriolis_of, robot)
        return work.model("cor", "Coriolis matrix: composite links", {"C": layout}, made=made, about=about)


@dataclass(frozen=True, slots=True)
class _Flow:
    """Integrals over the masses of a composite link that move relative to the origin of its frame."""

    momentum: Vec3
    E: Mat3  #: trace(D) - D

    def __add__(self, other: _Flow) -> _Flow:
        pairs = zip(self.E, other.E, strict=True)
        return _Flow(self.momentum + other.momentum, Mat3.of(*(a + b for a, b in pairs)))

    @classmethod
    def of_body(cls, S: Mat3, MS: Vec3, w: Vec3) -> _Flow:
        """Return the integrals of a rigid body: D = w^ S, with S the integral of p p^T."""
        (sx, _, _), (_, sy, _), (_, _, sz) = S.rows
        xy, xz, yz = -S.rows[0].y, -S.rows[0].z, -S.rows[1].z
        x, y, z = w
        E = Mat3.of(
            y * xz - z * xy, y * yz + z * sy, -(y * sz) - z * yz,
            -(z * sx) - x * xz, z * xy - x * yz, z * xz + x * sz,
            x * xy + y * sx, -(x * sy) - y * xy, x * yz - y * xz,
        )  # fmt: skip
        return cls(w.cross(MS), E)

    def moved(self, body: Body, drift: Vec3, carried: SpatialInertia) -> _Flow:
        """Return the integrals about the origin of the antecedent; `drift` is the relative velocity of the origins."""
        momentum, E = body.T.A @ self.momentum, self.E
        for screw in body.screws:
            E = _turned(E, screw)
        k = carried.body
        E = _less_dyad(_less_dyad(E, momentum, body.T.P), drift, k.MS)
        return _Flow(momentum + drift * k.M, E)


def _second(body: Body) -> Mat3:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia.J.rows
    # separate sums share their products where numeric moments of inertia are equal
    sx, sy, sz = HALF * (yy + zz - xx), HALF * (xx + zz - yy), HALF * (xx + yy - zz)
    return Mat3.of(sx, -xy, -xz, -xy, sy, -yz, -xz, -yz, sz)


def _turned(E: Mat3, screw: Screw) -> Mat3:
    old = [list(row) for row in E.rows]
    new = [list(row) for row in old]
    turn_block(screw, old, new)
    return Mat3.of(*(entry for row in new for entry in row))


def _less_dyad(E: Mat3, u: Vec3, p: Vec3) -> Mat3:
    """Return E + (u . p) - u p^T: the change of trace(D) - D for D + u p^T."""
    xx, yy, zz = u.x * p.x, u.y * p.y, u.z * p.z
    a, b, c, d, e, f, g, h, i = E
    return Mat3.of(
        a + (yy + zz), b - u.x * p.y, c - u.x * p.z,
        d - u.y * p.x, e + (xx + zz), f - u.y * p.z,
        g - u.z * p.x, h - u.z * p.y, i + (xx + yy),
    )  # fmt: skip


def coriolis_entries(
    tree: Tree, note: Note = no_name, moments: Mapping[int, SecondMoments] | None = None
) -> dict[tuple[Coordinate, Coordinate], Scalar]:
    """Return C(i, j) of the moving joints on one branch, and of the base; other entries are zero.

    `moments` replace the inertia of the links.
    """
    if moments is not None:
        bodies = [body and replace(body, inertia=moments[j].rigid) for j, body in enumerate(tree.bodies)]
        tree = replace(tree, bodies=bodies)
    w: dict[int, Vec3] = {0: tree.base.w}
    drift: dict[int, Vec3] = {}  # velocity of the origin of frame j relative to its antecedent, in the latter
    for j, body in tree.items():
        A = body.T.A
        w[j] = note("W", j, A.T @ w[body.ant] + Vec3(0, 0, body.joint.angular * body.qd))
        slide = Vec3(*(row.z for row in A.rows)) * (body.joint.linear * body.qd)
        drift[j] = note("VD", j, w[body.ant].cross(body.T.P) + slide)
    inertia = composite_inertias(tree, note)
    flow = {
        j: _Flow.of_body(_second(body) if moments is None else moments[j].S, body.inertia.MS, w[j])
        for j, body in tree.inward()
    }
    for j, body in tree.inward():
        if j and body.ant in flow:
            flow[body.ant] = flow[body.ant] + flow[j].moved(body, drift[j], inertia[j].moved(*body.screws))
    entries: dict[tuple[Coordinate, Coordinate], Scalar] = {}
    if 0 in flow:
        for a, axis, column in zip(BASE_RATES[:3], _AXES, flow[0].E.T.rows, strict=True):
            _of_base(entries, a, axis.cross(flow[0].momentum), column)
    for j, body in tree.items():
        if body.joint.moves:
            _row_and_column(tree, j, w, drift, inertia[j], flow[j], entries)
    return entries


def _row_and_column(
    tree: Tree,
    j: int,
    w: dict[int, Vec3],
    drift: dict[int, Vec3],
    inertia: SpatialInertia,
    flow: _Flow,
    entries: dict[tuple[Coordinate, Coordinate], Scalar],
) -> None:
    """Compute C(i, j) and C(j, i) of every joint i from j down to the base, and of the base."""
    joint = tree.body(j).joint
    rate, MS, momentum = _axis_rate(w[j]), inertia.body.MS, flow.momentum

    def turned() -> Vec3:
        J = inertia.entries
        spun: Vec3 = Vec3(*(J[3 + a][3] * rate.x + J[3 + a][4] * rate.y for a in range(3)))
        return spun + Vec3(*(row.z for row in flow.E.rows))

    f2, n2 = tree.body(j).column(inertia)  # wrench of the field J_j on composite link j
    f1 = joint.combined(lambda: rate * inertia.body.M, lambda: rate.cross(MS) + Vec3(-momentum.y, momentum.x, 0))
    n1 = joint.combined(lambda: MS.cross(rate), turned)  # f1, n1: wrench of its rate dJ_j/dt
    m3 = joint.along(Vec3(momentum.y, -momentum.x, 0), flow.E.rows[2])  # integral of v x J_j
    i = j
    while i:
        link = tree.body(i)
        if link.joint.moves:
            entries[i, j] = link.joint.along(f1.z, n1.z)
            if i != j:
                entries[j, i] = _work(link.joint, _axis_rate(w[i]), f2, n2, m3)
        f1, n1 = to_antecedent(link, f1, n1)
        f2, n2 = to_antecedent(link, f2, n2)
        m3 = link.T.A @ m3 + drift[i].cross(f2)
        i = link.ant
    _of_base(entries, j, f1, n1)
    entries.update({(j, a): part for a, part in zip(BASE_RATES[:3], m3, strict=True)})


def _of_base(entries: dict[tuple[Coordinate, Coordinate], Scalar], column: Coordinate, f: Vec3, n: Vec3) -> None:
    """Set the rows of the base: the wrench of the derivative of a field on all masses, in frame 0."""
    entries.update({(row, column): part for row, part in zip(BASE_RATES, (*n, *f), strict=True)})


def _work(joint: JointType, turn: Vec3, f: Vec3, n: Vec3, m: Vec3) -> Scalar:
    """Return the integral of J_j . dJ_i/dt for an earlier joint i (axis rate `turn`)."""
    work: Scalar = joint.combined(lambda: turn.x * f.x + turn.y * f.y, lambda: turn.x * n.x + turn.y * n.y + m.z)
    return work


def _axis_rate(w: Vec3) -> Vec3:
    """Return w x z, the derivative of the joint axis."""
    return Vec3(w.y, -w.x, 0)
