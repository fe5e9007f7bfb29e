"""The direct dynamic model of a parallel robot, its inertia matrix and bias, in platform coordinates (GS 33-37).

A V' = J_p^-T Gamma - h, with A the platform's inertia and that of the legs brought to their ends, all along the freedom
of the platform: V' = E n' + what the legs' constraints ask for at n' = 0, where these vary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from robosym.algebra.linear.regular import solve_where_regular
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.coordinates.legs import Leg, Legs, Wrench
from robosym.coordinates.platform_drift import drifting
from robosym.coordinates.platform_motion import ACCELERATION
from robosym.coordinates.vector_leg import VectorLeg
from robosym.dynamics.balance import leg_efforts, platform_wrench, total
from robosym.dynamics.composite import tree_inertia
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.model import Layout, Model
from robosym.spatial import Mat3, Vec3
from robosym.spatial.inertia import SpatialInertia, sum_of

__all__ = ["by_motors", "platform_bias", "platform_direct", "platform_inertia", "platform_matrix", "strut_load"]

_OTHERS = ("wrench", "gravity", "parameters")


def platform_inertia(legs: Legs) -> list[list[Any]]:
    """A (6, 6) about the platform's origin in frame 0 (GS 36): rows and columns linear, then angular."""
    inertia = tree_inertia(legs.tree, legs.work.note) if legs.legs else None
    A = [list(row) for row in _rotated(legs)]
    for strut in legs.struts:
        _add_mass_matrix(A, strut.inertia, strut.arm)
    for leg in legs.legs:
        assert inertia is not None
        members = [leg.chain.members(j) for j in leg.joints]
        own = [
            [sum_of(inertia.entry(i, j) * (a * b) for i, a in one for j, b in other) for other in members]
            for one in members
        ]
        columns = list(zip(*leg.K, strict=True))
        AK = [[sum_of(a * k for a, k in zip(row, column, strict=True)) for column in columns] for row in own]
        n = len(leg.rows)
        Ax = [[sum_of(columns[r][k] * AK[k][s] for k in range(n)) if r <= s else 0 for s in range(n)] for r in range(n)]
        Ax = [[Ax[min(r, s)][max(r, s)] for s in range(n)] for r in range(n)]
        X = _end_of_twist(leg)
        XA = [[sum_of(Ax[r][s] * X[s][b] for s in range(n)) for b in range(6)] for r in range(n)]
        for a in range(6):
            for b in range(a, 6):
                A[a][b] = A[a][b] + sum_of(X[r][a] * XA[r][b] for r in range(n))
    return [[A[min(a, b)][max(a, b)] for b in range(6)] for a in range(6)]


def _add_mass_matrix(A: list[list[Any]], mass: Mat3, L: Vec3) -> None:
    """[1; L^] A_x [1 -L^] of GS 38, on and above the diagonal."""
    rows = mass.rows
    right = [row.cross(L) * -1 for row in rows]  # the rows of -A_x L^ are L x row, A_x being symmetric
    columns = Mat3((right[0], right[1], right[2])).T.rows
    corner = [L.cross(column) for column in columns]  # L^ (-A_x L^), column by column
    for a in range(3):
        for b in range(3):
            if b >= a:
                A[a][b] = A[a][b] + [*rows[a]][b]
                A[3 + a][3 + b] = A[3 + a][3 + b] + [*corner[b]][a]
            A[a][3 + b] = A[a][3 + b] + [*right[a]][b]


def _end_of_twist(leg: Leg) -> list[list[Any]]:
    """The rows of the end's velocity that count, by the platform's twist: [1 -L^] of GS 7."""
    L = leg.arm
    every = [[1, 0, 0, 0, L.z, -L.y], [0, 1, 0, -L.z, 0, L.x], [0, 0, 1, L.y, -L.x, 0]]
    if not leg.ball:
        every = [[int(a == b) for b in range(6)] for a in range(6)]
    return [every[r] for r in leg.rows]


def _rotated(legs: Legs) -> list[list[Any]]:
    """The platform's inertia about its origin, in frame 0 (GS 25, 28, 29)."""
    inertia, R = legs.platform_inertia, legs.motion.R
    spatial = SpatialInertia.rigid(inertia).entries
    J = [[spatial[3 + a][3 + b] for b in range(3)] for a in range(3)]
    rows = [list(row) for row in R.rows]
    RJ = [[sum_of(rows[a][k] * J[k][b] for k in range(3)) for b in range(3)] for a in range(3)]
    tensor = [[sum_of(RJ[a][k] * rows[b][k] for k in range(3)) for b in range(3)] for a in range(3)]
    s: Vec3 = R @ inertia.MS
    hat = [[0, -s.z, s.y], [s.z, 0, -s.x], [-s.y, s.x, 0]]
    M = inertia.M
    top = [[*(M if a == b else 0 for b in range(3)), *(-hat[a][b] for b in range(3))] for a in range(3)]
    return top + [[*(hat[a][b] for b in range(3)), *tensor[a]] for a in range(3)]


def _along(legs: Legs, A: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """E^T A E."""
    _, E = legs.basis
    m = len(E[0])
    AE = [[sum_of(A[r][s] * E[s][k] for s in range(6)) for k in range(m)] for r in range(6)]
    return [[sum_of(E[r][a] * AE[r][b] for r in range(6)) if a <= b else 0 for b in range(m)] for a in range(m)]


def _bias(legs: Legs, motors: bool = True) -> list[Any]:
    """h along the freedom, at the acceleration that the motion has without any along it.

    Without `motors` what struts take along their length is left out: it is their motors' own.
    """
    efforts = leg_efforts(legs)
    loads = [leg.wrench([H[j] for j in leg.joints]) for leg, H in zip(legs.legs, efforts, strict=True)]
    loads += [strut_load(strut, motors) for strut in legs.struts]
    return legs.projected(total([platform_wrench(legs), *loads]))


def strut_load(strut: VectorLeg, motor: bool) -> Wrench:
    """What a strut takes at its ball, across it and, what its motor gives, along it."""
    across, along = strut.load
    force = across + strut.column * (along * strut.over_lever) if motor else across
    return force, strut.arm.cross(force)


def _space(space: str) -> None:
    if space not in ("platform", "joint"):
        raise InputError(f"space: expected 'platform' or 'joint', found {space!r}")


def platform_direct(robot: Robot, modes: Sequence[int] | None = None) -> Model:
    """Acceleration of the platform (VPX .. WPZ, in frame 0 at its origin) from its pose, its twist and the motors."""
    legs = drifting(robot, modes, ("tau", *_OTHERS))
    with legs.work as work:
        A = _along(legs, platform_inertia(legs))
        h = _bias(legs, motors=False)
        tau = {j: work.value(robot.joint(j).GAM) for j in robot.motors}
        for strut in legs.struts:
            tau[strut.motor] = (tau[strut.motor] - strut.load[1]) * strut.over_lever
        rows = [(j, legs.projected(push)) for j, push, _ in legs.pushes()]
        given = [sum_of(row[k] * tau[j] for j, row in rows) - h[k] for k in range(len(h))]
        n = solve_symmetric(A, given)
        _, E = legs.basis
        drift = [*legs.motion.vp, *legs.motion.wp]
        for r, name in enumerate(ACCELERATION):
            work.define(name, work.graph.zero + drift[r] + sum_of(E[r][k] * n[k] for k in range(len(n))))
        title = "Direct dynamic model of the parallel robot"
        return work.model("ddm", title, {"acceleration": ACCELERATION})


def by_motors(legs: Legs) -> list[list[Any]]:
    """The coordinates of the twist from the motors' velocities, along the freedom."""
    zero = legs.work.graph.zero
    M = [[zero + x for x in legs.projected(row)] for _, row in legs.rows()]
    if len(M) != len(M[0]):
        raise InputError(f"{legs.robot.name}: {len(M)} motors for {len(M[0])} degrees of freedom: not in joint space")
    unit = [[legs.work.graph.number(int(a == b)) for b in range(len(M))] for a in range(len(M))]
    return solve_where_regular(M, unit, legs.sizes)


_COORDINATES = {"platform": "the free coordinates of the platform's twist", "joint": "the motors"}


def platform_matrix(robot: Robot, space: str = "platform", modes: Sequence[int] | None = None) -> Model:
    """A in the coordinates of the platform's twist that are free (all six, of a robot with six degrees of freedom),
    or over the motors (`space="joint"`)."""
    _space(space)
    legs = Legs(robot, ("pose",), ("parameters",), modes)
    with legs.work as work:
        A = _along(legs, platform_inertia(legs))
        m = len(A)
        A = [[A[min(a, b)][max(a, b)] for b in range(m)] for a in range(m)]
        if space == "joint":
            X = by_motors(legs)
            AX = [[sum_of(A[a][k] * X[k][b] for k in range(m)) for b in range(m)] for a in range(m)]
            A = [[sum_of(X[k][a] * AX[k][b] for k in range(m)) for b in range(m)] for a in range(m)]
        zero = work.graph.zero
        outputs: dict[str, Layout] = {"A": work.matrix("A", [[zero + x for x in row] for row in A])}
        about = {"A": f"inertia matrix over {_COORDINATES[space]}, symmetric (kg, kg m, kg m^2)"}
        return work.model("inm", "Inertia matrix of the parallel robot", outputs, about=about)


def platform_bias(robot: Robot, space: str = "platform", modes: Sequence[int] | None = None) -> Model:
    """h of A n' + h = J_p^-T Gamma along the freedom of the platform (GS 37), or of the motors (`space="joint"`).

    In joint space the motors stand at zero acceleration: Gamma = A q'' + h.
    """
    _space(space)
    legs = drifting(robot, modes, _OTHERS) if space == "platform" else Legs(robot, ("pose", "twist"), _OTHERS, modes)
    with legs.work as work:
        if space == "joint":
            _hold_motors(legs)
        h = _bias(legs)
        if space == "joint":
            X = by_motors(legs)
            h = [sum_of(X[k][a] * h[k] for k in range(len(h))) for a in range(len(h))]
        outputs: dict[str, Layout] = {"H": work.vector("H", {k: work.graph.zero + x for k, x in enumerate(h, 1)})}
        about = {"H": f"centrifugal, Coriolis and gravity forces along {_COORDINATES[space]} (N, N m)"}
        return work.model("ccg", "Centrifugal, Coriolis and gravity forces of the parallel robot", outputs, about=about)


def _hold_motors(legs: Legs) -> None:
    """The platform's acceleration at which the motors have none, and the constraints are met."""
    zero = legs.work.graph.zero
    rows: list[tuple[Any, Any]] = [(strut.row, strut.drift) for strut in legs.struts]
    for leg in legs.legs:
        for j in leg.joints:
            if legs.robot.frame(j).mu:
                share = leg.times([leg.K[leg.joints.index(j)]], leg._end_rows(*_centripetal(leg)))
                rows.append((leg.motor_row(j), -share[0]))
    if legs.reference is not None and legs.reference.freedom < 6:
        rows += legs.chosen_constraints
    if len(rows) != 6:
        raise InputError(f"{legs.robot.name}: {len(rows)} conditions on six accelerations: not in joint space")
    matrix = [[zero + x for x in (*w[0], *w[1])] for w, _ in rows]
    V = [x[0] for x in solve_where_regular(matrix, [[zero + d] for _, d in rows], legs.sizes)]
    legs.motion.accelerate(Vec3(*V[:3]), Vec3(*V[3:]))


def _centripetal(leg: Leg) -> tuple[Vec3, Vec3]:
    """Acceleration of the end at V' = 0, less its bias."""
    w = leg.motion.w
    linear = w.cross(w.cross(leg.arm)) - leg.bias[0]
    return linear, -leg.bias[1]
