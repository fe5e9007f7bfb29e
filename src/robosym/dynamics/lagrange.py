"""Lagrange's model tau = A qdd + B [qd qd] + C [qd^2] + Q (guide 3.5 to 3.8, Appendix 4.2), no derivative taken.

The coefficients of the velocities are Christoffel's symbols. With J_a(p) the velocity that a unit velocity of joint a
gives a point p, the derivative of J_a by a joint k before a (or a itself) is z_k x J_a as far as joint k turns. One
vector for each pair of joints a < b, the integral m of J_a x J_b over the masses beyond b, therefore holds all symbols
of the pair: (b; a, k) = z_k . m for k <= a and (a; b, k) = -z_k . m for k <= b.
"""

from __future__ import annotations

from collections.abc import Callable

from robosym.coordinates.accepts import accepts
from robosym.dynamics.arguments import prepared_tree
from robosym.dynamics.composite import composite_inertias, tree_inertia
from robosym.dynamics.expand import expanded
from robosym.errors import InputError
from robosym.mechanism import JointType, Robot
from robosym.mechanism.bodies import Tree, tree_of
from robosym.model import Layout, Model, Note, Workspace, no_name
from robosym.model.naming import entry_name
from robosym.spatial import Scalar, Vec3
from robosym.spatial.inertia import RigidInertia, SecondMoments

__all__ = ["christoffel_symbols", "gravity_efforts", "lagrange"]


@accepts("fixed")
def lagrange(
    robot: Robot,
    form: str = "customized",
    structure: str | None = None,
    base_parameters: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Model:
    """The matrices A(i,j), B(i,j,k), C(i,j) and Q(i), named A11, B112, C12, Q1 (A1_12 where an index has two digits).

    A column of B belongs to a pair j < k in the order qd1 qd2, qd1 qd3 .. Friction and wrenches are left out, rotors
    are in A, the base is at rest. `form="expanded"` writes each coefficient out as a sum over the inertial parameters,
    simplified for reading; it takes seconds to minutes, and `progress(done, total)` is called as the work goes on.
    """
    if form not in ("customized", "expanded"):
        raise InputError(f"form: expected 'customized' or 'expanded', found {form!r}")
    robot = prepared_tree(robot, structure, base_parameters, "Lagrange's model")
    joints = robot.tree_joints
    with Workspace(robot, ("q", "gravity", "parameters")) as work:
        tree = tree_of(robot, work.value, work.note, base_free=True)
        inertia = tree_inertia(tree, work.note)
        symbols = christoffel_symbols(tree, work.note)
        gravity = gravity_efforts(tree)
        pairs = [(j, k) for a, j in enumerate(joints) for k in joints[a + 1 :]]
        names = tuple(tuple(entry_name("B", i, j, k) for j, k in pairs) for i in joints)
        A = work.matrix("A", [[inertia.entry(i, j) for j in joints] for i in joints], joints, joints)
        for i, row in zip(joints, names, strict=True):
            for (j, k), name in zip(pairs, row, strict=True):
                work.define(name, 2 * symbols.get((i, j, k), 0))
        C = work.matrix("C", [[symbols.get((i, j, j), 0) for j in joints] for i in joints], joints, joints)
        Q = work.vector("Q", {i: gravity[i] for i in joints})
        outputs: dict[str, Layout] = {"A": A, "B": names, "C": C, "Q": Q}
        if not pairs:  # one joint has no Coriolis torque
            del outputs["B"]
        model = work.model("lag", "Lagrange dynamic model, customized form", outputs)
    return model if form == "customized" else expanded(model, "Elag", "Lagrange dynamic model, expanded form", progress)


def christoffel_symbols(tree: Tree, note: Note = no_name) -> dict[tuple[int, int, int], Scalar]:
    """(i, j, k): half the coefficient of qd_j qd_k in the effort on joint i; symmetric in j and k, zeros left out."""
    symbols: dict[tuple[int, int, int], Scalar] = {}
    column: dict[int, dict[int, tuple[Vec3, Vec3]]] = {0: {}}  # velocity of link b, in frame b, by each joint before it
    composite = composite_inertias(tree, note)
    for b, body in tree.items():
        A, P = body.T.A, body.T.P
        column[b] = {
            a: (note(f"V{a}A", b, A.T @ (V + W.cross(P))), note(f"W{a}A", b, A.T @ W))
            for a, (V, W) in column[body.ant].items()
        }
        if not body.joint.moves:
            continue
        masses = SecondMoments.of(composite[b].body)
        for a, (V, W) in column[b].items():
            _pair(tree, a, b, _cross_integral(masses, body.joint, V, W), symbols)
        column[b][b] = Vec3(0, 0, body.joint.linear), Vec3(0, 0, body.joint.angular)
    return symbols


def _cross_integral(masses: SecondMoments, joint: JointType, V: Vec3, W: Vec3) -> Vec3:
    """The integral of (V + W x p) x J_b over composite link b, in frame b."""
    MS = masses.MS

    def shifted() -> Vec3:  # J_b = z
        total = V * masses.M + W.cross(MS)
        return Vec3(total.y, -total.x, 0)

    def turned() -> Vec3:  # J_b = z x p
        crossed: Vec3 = Vec3(*(row.x * W.y - row.y * W.x for row in masses.S.rows)) - MS * V.z
        return crossed + Vec3(0, 0, V.dot(MS))

    return joint.combined(shifted, turned)


def _pair(tree: Tree, a: int, b: int, m: Vec3, symbols: dict[tuple[int, int, int], Scalar]) -> None:
    """Store the symbols of the pair a < b, the vector m brought from frame b to each frame before it."""
    k, beyond = b, True  # beyond: joint a is still before k
    while k:
        body = tree.body(k)
        beyond = beyond and k != a
        if body.joint.turns:
            turned = body.joint.angular * m.z
            symbols[a, b, k] = symbols[a, k, b] = -turned
            if not beyond:
                symbols[b, a, k] = symbols[b, k, a] = turned
        m = body.T.A @ m
        k = body.ant


def gravity_efforts(tree: Tree) -> dict[int, Scalar]:
    """Q: derivative of the potential energy by each joint, with the acceleration of the base minus gravity."""
    up = {0: tree.base.vp}
    composite = composite_inertias(tree)
    efforts: dict[int, Scalar] = {}
    for j, body in tree.items():
        up[j] = body.T.A.T @ up[body.ant]
        if body.joint.moves:
            efforts[j] = _weight(body.joint, composite[j].body, up[j])
    return efforts


def _weight(joint: JointType, k: RigidInertia, up: Vec3) -> Scalar:
    """M z . up and (z x MS) . up, each as far as the joint slides and turns."""
    effort: Scalar = joint.combined(lambda: k.M * up.z, lambda: k.MX * up.y - k.MY * up.x)
    return effort
