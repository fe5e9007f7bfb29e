"""Arms with seven joints, spherical shoulder and spherical wrist: closed form with the arm angle as parameter.

The distance of the wrist from the shoulder determines the elbow joint; the arm can still rotate about the line
between them. The arm angle measures this rotation, from the plane of this line and the first axis to the plane of
this line and the third axis (the upper arm). With it, the orientation of the upper arm is known, and shoulder and wrist
are each three axes that meet, with a known orientation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robosym.algebra import Expr, Graph
from robosym.algebra.samples import Array, evaluate_arrays
from robosym.chains.chain import PoseProblem
from robosym.chains.numeric_chain import NumericChain
from robosym.model.solution.roots import strength
from robosym.model.solution.steps import Step, Variable
from robosym.spatial import Mat3, Vec3, cos, sin

__all__ = ["ARM_ANGLE", "ArmAngle", "arm_angle"]

ARM_ANGLE = "arm_angle"  #: the name of the redundancy parameter
_JOINTS = 7
_SHOULDER, _ELBOW, _WRIST = (0, 1, 2), 3, (4, 5, 6)


@dataclass(frozen=True)
class ArmAngle:
    """The closed form of an arm with its arm angle as an input."""

    steps: tuple[Step, ...]
    side: float  #: 1 or -1: the direction of the third axis that points to the elbow

    def of(self, chain: NumericChain, q: Array) -> Array:
        """Return the arm angles of joint positions (m, joints)."""
        frames = _frames(chain, q)
        shoulder, wrist = frames[2][:, :3, 3], frames[6][:, :3, 3]
        axis, upper = frames[0][:, :3, 2], self.side * frames[2][:, :3, 2]
        line = wrist - shoulder
        with np.errstate(all="ignore"):
            u = line / np.linalg.norm(line, axis=1)[:, None]
        a = axis - (axis * u).sum(axis=1)[:, None] * u
        b = np.cross(u, a)
        return np.asarray(np.arctan2((upper * b).sum(axis=1), (upper * a).sum(axis=1)))


def arm_angle(problem: PoseProblem) -> ArmAngle | None:
    """Return the closed form of a chain of seven joints; None if shoulder or wrist is not spherical."""
    chain = problem.chain
    whole = problem.columns == "snaP" and len(problem.unknown) == len(chain.joints) == _JOINTS
    if not whole or any(joint.prismatic or joint.sign < 0 for joint in chain.joints):
        return None
    if not (_meet(problem, _SHOULDER[0]) and _meet(problem, _WRIST[0])):
        return None
    length = chain.constants[3].P.z
    side = -1.0 if not problem.samples.is_zero(length) and problem.samples.value(length) < 0 else 1.0
    return ArmAngle(_steps(problem, side), side)


def _meet(problem: PoseProblem, i: int) -> bool:
    """Return whether the axes of three joints meet in a point and are not parallel."""
    first, second = problem.chain.constants[i + 1], problem.chain.constants[i + 2]
    zero, one = problem.samples.is_zero, problem.samples.is_one
    meet = [first.P.x, first.P.y, *second.P]
    bent = [constant.A.rows[2].z for constant in (first, second)]
    return all(map(zero, meet)) and not any(one(entry * entry) for entry in bent)


def _steps(problem: PoseProblem, side: float) -> tuple[Step, ...]:
    chain, graph = problem.chain, problem.chain.graph
    names, C = chain.names, chain.constants
    z = Vec3(*(graph.number(k) for k in (0, 0, 1)))
    psi = graph.symbol(ARM_ANGLE)

    shoulder = C[0].P + C[0].A @ z * C[1].P.z
    flange = C[7].A.T @ C[7].P
    line = problem.target.P - problem.target.A @ flange - shoulder
    square = line.dot(line)
    distance = graph.function("sqrt", square)

    # the elbow: the wrist in the frame of the upper arm is C3 turned(t4) of the wrist in that of the forearm
    w, g = C[4].P + C[4].A @ z * C[5].P.z, C[3].A.T @ C[3].P
    elbow = (
        (g.y * w.x - g.x * w.y) * 2, (g.x * w.x + g.y * w.y) * 2, w.dot(w) + g.dot(g) + g.z * w.z * 2 - square
    )  # fmt: skip
    turn = _turn(graph, names[_ELBOW])
    in_upper = C[3].P + C[3].A @ (turn @ w)

    # the upper arm: the line, and the third axis at right angles to it, are known in both frames
    u = _over(line, distance)
    a = _unit(graph, C[0].A @ z, u)
    m = a * cos(psi) + u.cross(a) * sin(psi)
    v = _over(in_upper, distance)
    e = _unit(graph, z * side, v)
    upper = _sum_of_products(((u, v), (m, e), (u.cross(m), v.cross(e))))
    hand = (C[3].A @ turn @ C[4].A).T @ upper.T @ problem.target.A @ C[7].A.T
    found = [
        _step(problem, names[_ELBOW], "sine", "type 2", (elbow,), ("distance of shoulder and wrist",)),
        *_spherical(problem, [names[k] for k in _SHOULDER], C[1].A, C[2].A, C[0].A.T @ upper, "upper arm"),
        *_spherical(problem, [names[k] for k in _WRIST], C[5].A, C[6].A, hand, "hand"),
    ]
    return tuple(found)


def _spherical(
    problem: PoseProblem, names: Sequence[str], A: Mat3, B: Mat3, M: Mat3, what: str
) -> tuple[Step, Step, Step]:
    """Return the steps that solve Rot(z, first) A Rot(z, middle) B Rot(z, last) = M."""
    first, middle, last = names
    graph = problem.chain.graph
    turn = _turn(graph, middle)
    a, b = A.rows[2], B.T.rows[2]
    tilt = (a.y * b.x - a.x * b.y, a.x * b.x + a.y * b.y, a.z * b.z - M.rows[2].z)
    both = A @ turn @ B
    v = both.T.rows[2]
    (_, _, x), (_, _, y) = M.rows[0], M.rows[1]
    swing = (-v.y, v.x, -x, v.x, v.y, -y)
    before = _turn(graph, first).T @ M
    rolls = []
    for row in (2, 0, 1):
        r, wanted = both.rows[row], (M if row == 2 else before).rows[row]
        rolls.append((r.y, r.x, -wanted.x, -r.x, r.y, -wanted.y))
    origin = f"orientation of the {what}"
    return (
        _step(problem, middle, "sine", "type 2", (tilt,), (f"{origin}[3,3]",)),
        _step(problem, first, "pair", "type 3", (swing,), (f"{origin}[1,3]", f"{origin}[2,3]")),
        _step(problem, last, "pair", "type 3", rolls, (f"{origin}[3,1]", f"{origin}[3,2]")),
    )


def _step(
    problem: PoseProblem, joint: str, form: str, kind: str, coefficients: Sequence[Sequence[Expr]],
    origins: tuple[str, ...],
) -> Step:  # fmt: skip
    graph = problem.chain.graph
    written = tuple(tuple(graph.zero + value for value in equation) for equation in coefficients)
    values = {**problem.samples.symbols, ARM_ANGLE: np.linspace(0.3, 1.3, problem.samples.points)}
    scales = []
    for equation in written:
        numbers = [np.broadcast_to(value, problem.samples.points) for value in evaluate_arrays(equation, values)]
        scales.append(float(np.median(strength(form, numbers))) or 1.0)
    return Step(joint, Variable(((joint, 1),)), form, kind, written, origins, tuple(scales))


def _turn(graph: Graph, joint: str) -> Mat3:
    c, s = cos(graph.symbol(joint)), sin(graph.symbol(joint))
    return Mat3.of(c, -s, graph.zero, s, c, graph.zero, graph.zero, graph.zero, graph.one)


def _over(v: Vec3, length: Expr) -> Vec3:
    return Vec3(v.x / length, v.y / length, v.z / length)


def _unit(graph: Graph, v: Vec3, axis: Vec3) -> Vec3:
    """Return the unit vector along the component of a vector perpendicular to a unit vector."""
    part = v - axis * v.dot(axis)
    return _over(part, graph.function("sqrt", part.dot(part)))


def _sum_of_products(pairs: Sequence[tuple[Vec3, Vec3]]) -> Mat3:
    """Return the sum of the matrices x y^T."""
    entries = []
    for row in range(3):
        for column in range(3):
            products = [tuple(x)[row] * tuple(y)[column] for x, y in pairs]
            entries.append(products[0] + products[1] + products[2])
    return Mat3.of(*entries)


def _frames(chain: NumericChain, q: Array) -> list[Array]:
    """Return the frame after each joint (m, 4, 4)."""
    T = np.broadcast_to(chain.constants[0], (len(q), 4, 4))
    found = []
    for place, joint in enumerate(chain.joints):
        turned = T @ joint.motion(q[:, place])
        found.append(turned)
        T = turned @ chain.constants[place + 1]
    return found
