"""C(q, qd) whose product with qd is the Coriolis and centrifugal torques, A' - 2 C antisymmetric (guide 3.3.3).

A point p beyond joint k gets the velocity J_k(p) from a unit velocity of the joint, and C_ik is the integral of
J_i . dJ_k/dt over the masses beyond both joints. These are Christoffel's symbols contracted with qd, so that C is also
half the derivative of the torques by qd. Composite links carry two integrals besides their inertia: the momentum about
the moving origin, and E = trace(D) - D with D the integral of v p^T; no matrix larger than 3 x 3 appears.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from robosym.coordinates.accepts import accepts
from robosym.dynamics.arguments import prepared_tree
from robosym.dynamics.composite import composite_inertias, to_antecedent
from robosym.mechanism import JointType, Robot
from robosym.mechanism.bodies import Body, Tree, still_base, tree_of
from robosym.model import Model, Note, Origin, Workspace, no_name
from robosym.spatial import Mat3, Scalar, Vec3
from robosym.spatial.inertia import SecondMoments, SpatialInertia, turned_block
from robosym.spatial.vectors import Screw

__all__ = ["coriolis_entries", "coriolis_matrix", "coriolis_of"]

HALF = Fraction(1, 2)


@accepts("fixed")
def coriolis_matrix(robot: Robot, structure: str | None = None, base_parameters: bool = False) -> Model:
    """C over the joints of the tree (of the equivalent tree of a closed robot), the base at rest; without friction."""
    robot = prepared_tree(robot, structure, base_parameters, "the Coriolis matrix")
    return coriolis_of(robot)


def coriolis_of(robot: Robot, moments: Callable[[Tree], Mapping[int, SecondMoments]] | None = None) -> Model:
    """C of a prepared robot; `moments` of its tree take the place of the inertia of the links."""
    with Workspace(robot, ("q", "qd", "parameters")) as work:
        tree = still_base(tree_of(robot, work.value, work.note))
        entries = coriolis_entries(tree, work.note, None if moments is None else moments(tree))
        joints = robot.tree_joints
        layout = work.matrix("C", [[entries.get((i, j), 0) for j in joints] for i in joints], joints, joints)
        made = Origin(coriolis_of, robot)
        return work.model("cor", "Coriolis matrix: composite links", {"C": layout}, made=made)


@dataclass(frozen=True, slots=True)
class _Flow:
    """What moves inside a composite link, relative to the origin of its frame: integrals over its masses."""

    momentum: Vec3
    E: Mat3  #: trace(D) - D

    def __add__(self, other: _Flow) -> _Flow:
        pairs = zip(self.E, other.E, strict=True)
        return _Flow(self.momentum + other.momentum, Mat3.of(*(a + b for a, b in pairs)))

    @classmethod
    def of_body(cls, S: Mat3, MS: Vec3, w: Vec3) -> _Flow:
        """D = w^ S with S the integral of p p^T."""
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
        """In the antecedent's frame and about its origin; `drift` is the velocity of one origin to the other."""
        momentum, E = body.T.A @ self.momentum, self.E
        for screw in body.screws:
            E = _turned(E, screw)
        k = carried.body
        E = _less_dyad(_less_dyad(E, momentum, body.T.P), drift, k.MS)
        return _Flow(momentum + drift * k.M, E)


def _second(body: Body) -> Mat3:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia.J.rows
    # each on its own, not from each other: equal moments of inertia in numbers then share their products
    sx, sy, sz = HALF * (yy + zz - xx), HALF * (xx + zz - yy), HALF * (xx + yy - zz)
    return Mat3.of(sx, -xy, -xz, -xy, sy, -yz, -xz, -yz, sz)


def _turned(E: Mat3, screw: Screw) -> Mat3:
    x, y, z = screw.order
    c, s = screw.c, screw.s
    old = [list(row) for row in E.rows]
    new = [list(row) for row in old]
    new[x][x], new[x][y], new[y][x], new[y][y] = turned_block(c, s, old[x][x], old[x][y], old[y][x], old[y][y])
    new[x][z], new[y][z] = c * old[x][z] - s * old[y][z], s * old[x][z] + c * old[y][z]
    new[z][x], new[z][y] = c * old[z][x] - s * old[z][y], s * old[z][x] + c * old[z][y]
    return Mat3.of(*(entry for row in new for entry in row))


def _less_dyad(E: Mat3, u: Vec3, p: Vec3) -> Mat3:
    """E + (u . p) - u p^T: what trace(D) - D gains from D + u p^T."""
    xx, yy, zz = u.x * p.x, u.y * p.y, u.z * p.z
    a, b, c, d, e, f, g, h, i = E
    return Mat3.of(
        a + (yy + zz), b - u.x * p.y, c - u.x * p.z,
        d - u.y * p.x, e + (xx + zz), f - u.y * p.z,
        g - u.z * p.x, h - u.z * p.y, i + (xx + yy),
    )  # fmt: skip


def coriolis_entries(
    tree: Tree, note: Note = no_name, moments: Mapping[int, SecondMoments] | None = None
) -> dict[tuple[int, int], Scalar]:
    """C(i, j) of the moving joints on one branch; the others are zero. The base is at rest.

    `moments` take the place of the inertia of the links.
    """
    if moments is not None:
        bodies = [body and replace(body, inertia=moments[j].rigid) for j, body in enumerate(tree.bodies)]
        tree = replace(tree, bodies=bodies)
    w: dict[int, Vec3] = {0: tree.base.w}
    drift: dict[int, Vec3] = {}  # velocity of the origin of frame j to that of its antecedent, in the latter's frame
    for j, body in tree.items():
        A = body.T.A
        w[j] = note("W", j, A.T @ w[body.ant] + Vec3(0, 0, body.joint.angular * body.qd))
        slide = Vec3(*(row.z for row in A.rows)) * (body.joint.linear * body.qd)
        drift[j] = note("VD", j, w[body.ant].cross(body.T.P) + slide)
    inertia = composite_inertias(tree, note)
    flow = {
        j: _Flow.of_body(_second(body) if moments is None else moments[j].S, body.inertia.MS, w[j])
        for j, body in tree.inward()
        if j
    }
    for j, body in tree.inward():
        if j and body.ant:
            flow[body.ant] = flow[body.ant] + flow[j].moved(body, drift[j], inertia[j].moved(*body.screws))
    entries: dict[tuple[int, int], Scalar] = {}
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
    entries: dict[tuple[int, int], Scalar],
) -> None:
    """C(i, j) and C(j, i) of every joint i from j down to the base."""
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
    while True:
        link = tree.body(i)
        if link.joint.moves:
            entries[i, j] = link.joint.along(f1.z, n1.z)
            if i != j:
                entries[j, i] = _work(link.joint, _axis_rate(w[i]), f2, n2, m3)
        if not link.ant:
            return
        f1, n1 = to_antecedent(link, f1, n1)
        f2, n2 = to_antecedent(link, f2, n2)
        m3 = link.T.A @ m3 + drift[i].cross(f2)
        i = link.ant


def _work(joint: JointType, turn: Vec3, f: Vec3, n: Vec3, m: Vec3) -> Scalar:
    """Of the field J_j on the rate of the field of a joint before it, whose axis turns by `turn`."""
    work: Scalar = joint.combined(lambda: turn.x * f.x + turn.y * f.y, lambda: turn.x * n.x + turn.y * n.y + m.z)
    return work


def _axis_rate(w: Vec3) -> Vec3:
    """w x z: how fast the axis of the joint turns."""
    return Vec3(w.y, -w.x, 0)
