"""Lagrange model tau = A qdd + B [qd qd] + C [qd^2] + Q without differentiation (guide 3.5 to 3.8, Appendix 4.2).

The velocity coefficients are Christoffel symbols. With J_a(p) the velocity of a point p for a unit velocity of joint a,
the derivative of J_a with respect to a joint k before a (or a itself) is z_k x J_a if joint k rotates. One vector per
pair of joints a < b, the integral m of J_a x J_b over the masses beyond b, therefore contains all symbols of the pair:
(b; a, k) = z_k . m for k <= a and (a; b, k) = -z_k . m for k <= b.

A moving base precedes all joints: it rotates about the three axes of frame 0 and translates along them. Its velocities
are not derivatives of coordinates, and its axes have no order: for two of them, the mean of both orders is used. The
linear velocity of the base has no effect on the efforts.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Literal

from robosym.coordinates.accepts import accepts
from robosym.dynamics.arguments import prepared_tree, rows_and_columns
from robosym.dynamics.composite import (
    BASE_RATES,
    Coordinate,
    base_weight,
    composite_inertias,
    composite_weights,
    tree_inertia,
)
from robosym.dynamics.expand import expanded
from robosym.errors import InputError
from robosym.mechanism import JointType, Robot
from robosym.mechanism.bodies import Tree, tree_of
from robosym.model import Layout, Model, Note, Workspace, no_name
from robosym.model.meanings import with_base_first
from robosym.model.naming import entry_name
from robosym.spatial import Scalar, Vec3
from robosym.spatial.inertia import SecondMoments

__all__ = ["christoffel_symbols", "lagrange"]

Symbols = dict[tuple[Coordinate, Coordinate, Coordinate], Scalar]
_O, _AXES = Vec3(0, 0, 0), (Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1))
_TURNS, _SLIDES = dict(zip(BASE_RATES[:3], _AXES, strict=True)), dict(zip(BASE_RATES[3:], _AXES, strict=True))


@accepts("floating")
def lagrange(
    robot: Robot,
    form: Literal["customized", "expanded"] = "customized",
    structure: Literal["tree"] | None = None,
    base_parameters: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Model:
    """Return the matrices A(i,j), B(i,j,k), C(i,j) and Q(i) of the Lagrange model.

    The entries are named A11, B112, C12, Q1 (A1_12 if an index has two digits). The columns of B are the pairs j < k
    in the order qd1 qd2, qd1 qd3 .. Friction and wrenches are not included; A includes the rotors.

    A floating base adds its six velocities before those of the joints, in rows and columns: W1 W2 W3, then V1 V2 V3,
    components in frame 0 of its angular velocity and of the velocity of its origin (AW1_2, BW1_W2_3, QV3). The
    corresponding accelerations are those of the group base_acceleration, and the first six efforts are moment and
    force on the base, which are zero in free flight. A mobile base, whose motion is given, adds columns only.

    Parameters
    ----------
    robot : Robot
        Robot; a library name or a path is accepted too.
    form : {"customized", "expanded"}, optional
        Form of the coefficients: `customized`, or `expanded`, where each coefficient is a sum over the inertial
        parameters, simplified for reading, which takes seconds to minutes.
    structure : {"tree"}, optional
        `tree`: return the model of the equivalent tree of a closed robot.
    base_parameters : bool, optional
        Express the model in the base inertial parameters.
    progress : callable, optional
        Function called with (done, total) as the expansion advances. It may raise an exception to cancel.

    Returns
    -------
    Model
        Model with the output groups "A", "B", "C" and "Q".

    Raises
    ------
    InputError
        If the robot is not supported or an argument is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.lagrange(rs.load("planar2r"))
    >>> list(model.outputs)
    ['A', 'B', 'C', 'Q']
    """
    if form not in ("customized", "expanded"):
        raise InputError(f"form: expected 'customized' or 'expanded', found {form!r}")
    robot = prepared_tree(robot, structure, base_parameters, "Lagrange's model")
    joints, (rows, columns) = robot.tree_joints, rows_and_columns(robot)
    moves = len(columns) > len(joints)
    with Workspace(robot, ("q", "gravity", "parameters")) as work:
        tree = tree_of(robot, work.value, work.note, base_free=True)
        inertia = tree_inertia(tree, work.note)
        symbols = christoffel_symbols(tree, work.note, moves)
        weights = composite_weights(tree, inertia.composite)
        gravity: dict[Coordinate, Scalar] = dict(weights.items())
        if inertia.base is not None:
            force, moment = base_weight(tree, inertia.composite)
            gravity |= zip(BASE_RATES, (*moment, *force), strict=True)
        pairs = list(combinations(columns, 2))
        names = tuple(tuple(entry_name("B", i, j, k) for j, k in pairs) for i in rows)
        A = work.matrix("A", [[inertia.entry(i, j) for j in columns] for i in rows], rows, columns)
        for i, row in zip(rows, names, strict=True):
            for (j, k), name in zip(pairs, row, strict=True):
                work.define(name, 2 * symbols.get((i, j, k), 0))
        C = work.matrix("C", [[symbols.get((i, j, j), 0) for j in columns] for i in rows], rows, columns)
        Q = work.vector("Q", {i: gravity[i] for i in rows})
        outputs: dict[str, Layout] = {"A": A, "B": names, "C": C, "Q": Q}
        if not pairs:  # a single joint has no Coriolis torque
            del outputs["B"]
        about = with_base_first("lag", outputs) if moves else {}
        model = work.model("lag", "Lagrange dynamic model, customized form", outputs, about=about)
    return model if form == "customized" else expanded(model, "Elag", "Lagrange dynamic model, expanded form", progress)


def christoffel_symbols(tree: Tree, note: Note = no_name, base: bool = False) -> Symbols:
    """Return (i, j, k): half the coefficient of qd_j qd_k in the effort of joint i.

    They are symmetric in j and k; zeros are omitted. With `base`, the velocities of the base are included.
    """
    symbols: Symbols = {}
    composite = composite_inertias(tree, note)
    fields: dict[Coordinate, tuple[Vec3, Vec3]] = {a: (_O, axis) for a, axis in _TURNS.items()}
    fields |= {a: (axis, _O) for a, axis in _SLIDES.items()}
    # velocity of link b, in frame b, due to each joint before it
    column: dict[int, dict[Coordinate, tuple[Vec3, Vec3]]] = {0: fields if base else {}}
    if base and 0 in composite:
        masses = SecondMoments.of(composite[0].body)
        for a, W in _TURNS.items():
            for b, axis in _TURNS.items():
                _at_base(a, b, masses.S @ W.cross(axis), symbols)
            for b, axis in _SLIDES.items():
                _at_base(a, b, W.cross(masses.MS).cross(axis), symbols)
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
            m = _pair(tree, a, b, _cross_integral(masses, body.joint, V, W), symbols)
            if base:
                symbols |= {key: -part for c, part in zip(_TURNS, m, strict=True) for key in ((a, b, c), (a, c, b))}
                _at_base(a, b, m, symbols)
        column[b][b] = Vec3(0, 0, body.joint.linear), Vec3(0, 0, body.joint.angular)
    return symbols


def _cross_integral(masses: SecondMoments, joint: JointType, V: Vec3, W: Vec3) -> Vec3:
    """Return the integral of (V + W x p) x J_b over composite link b, in frame b."""
    MS = masses.MS

    def shifted() -> Vec3:  # J_b = z
        total = V * masses.M + W.cross(MS)
        return Vec3(total.y, -total.x, 0)

    def turned() -> Vec3:  # J_b = z x p
        crossed: Vec3 = Vec3(*(row.x * W.y - row.y * W.x for row in masses.S.rows)) - MS * V.z
        return crossed + Vec3(0, 0, V.dot(MS))

    return joint.combined(shifted, turned)


def _at_base(a: Coordinate, b: Coordinate, m: Vec3, symbols: Symbols) -> None:
    """Store the contribution of the base rotation to the effort on b due to a, with the vector m in frame 0."""
    share = Fraction(1, 2) if a in _TURNS else int(a not in _SLIDES)
    for c, part in zip(_TURNS, m, strict=True):
        for key in ((b, a, c), (b, c, a)):
            symbols[key] = symbols.get(key, 0) + share * part


def _pair(tree: Tree, a: Coordinate, b: int, m: Vec3, symbols: Symbols) -> Vec3:
    """Store the symbols of the pair a < b, transforming m from frame b to each earlier frame; return m in frame 0."""
    k, beyond = b, True  # beyond: joint a precedes k
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
    return m
