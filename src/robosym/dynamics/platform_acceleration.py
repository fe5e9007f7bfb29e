"""The direct dynamic model of a parallel robot, its inertia matrix and bias, in platform coordinates (GS 33-37).

A V' = J_p^-T Gamma - h, with A the platform's inertia and that of the legs brought to their ends, all along the freedom
of the platform: V' = E n' + what the legs' constraints ask for at n' = 0, where these vary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from robosym.algebra.linear.regular import solve_where_regular
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.algebra.matrix import Matrix, dot, sum_of
from robosym.coordinates.legs import Leg, Legs, Wrench
from robosym.coordinates.platform_drift import drifting
from robosym.coordinates.platform_motion import ACCELERATION
from robosym.coordinates.vector_leg import VectorLeg
from robosym.dynamics.balance import leg_efforts, platform_wrench, total
from robosym.dynamics.composite import tree_inertia
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.model import Layout, Model
from robosym.spatial import Transform, Vec3
from robosym.spatial.inertia import SpatialInertia

__all__ = ["platform_bias", "platform_direct", "platform_inertia", "platform_matrix", "strut_load"]

_OTHERS = ("wrench", "gravity", "parameters")


def platform_inertia(legs: Legs) -> Matrix[Any]:
    """A (6, 6) about the platform's origin in frame 0 (GS 36): rows and columns linear, then angular."""
    inertia = tree_inertia(legs.tree, legs.work.note) if legs.legs else None
    turned = legs.platform_inertia.moved(Transform(legs.motion.R, Vec3(0, 0, 0)))  # GS 25, 28, 29
    A = Matrix(SpatialInertia.rigid(turned).entries)
    for strut in legs.struts:
        A = A + Matrix(strut.inertia.rows).congruence(_end_of_twist(strut.arm))  # GS 38
    for leg in legs.legs:
        assert inertia is not None
        members = [leg.chain.members(j) for j in leg.joints]
        own: Matrix[Any] = Matrix(
            [sum_of(inertia.entry(i, j) * (a * b) for i, a in one for j, b in other) for other in members]
            for one in members
        )
        every = _end_of_twist(leg.arm) if leg.ball else Matrix.unit(legs.work.graph, 6)
        A = A + own.congruence(leg.K).congruence(Matrix(every[r] for r in leg.rows))
    return A


def _end_of_twist(L: Vec3) -> Matrix[Any]:
    """The velocity of a point L of the platform by its twist: [1 -L^] of GS 7."""
    return Matrix([[1, 0, 0, 0, L.z, -L.y], [0, 1, 0, -L.z, 0, L.x], [0, 0, 1, L.y, -L.x, 0]])


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
        _, E = legs.basis
        A = platform_inertia(legs).congruence(E)
        h = _bias(legs, motors=False)
        tau = {j: work.value(robot.joint(j).GAM) for j in robot.motors}
        for strut in legs.struts:
            tau[strut.motor] = (tau[strut.motor] - strut.load[1]) * strut.over_lever
        pushes = legs.pushes()
        pushed = Matrix(legs.projected(push) for _, push, _ in pushes).T @ [tau[j] for j, _, _ in pushes]
        given = [force - bias for force, bias in zip(pushed, h, strict=True)]
        n = solve_symmetric(A, given)
        drift = [*legs.motion.vp, *legs.motion.wp]
        for name, start, gained in zip(ACCELERATION, drift, E @ n, strict=True):
            work.define(name, work.graph.zero + start + gained)
        title = "Direct dynamic model of the parallel robot"
        return work.model("ddm", title, {"acceleration": ACCELERATION})


_COORDINATES = {"platform": "the free coordinates of the platform's twist", "joint": "the motors"}


def platform_matrix(robot: Robot, space: str = "platform", modes: Sequence[int] | None = None) -> Model:
    """A in the coordinates of the platform's twist that are free (all six, of a robot with six degrees of freedom),
    or over the motors (`space="joint"`)."""
    _space(space)
    legs = Legs(robot, ("pose",), ("parameters",), modes)
    with legs.work as work:
        _, E = legs.basis
        A = platform_inertia(legs).congruence(E)
        if space == "joint":
            A = A.congruence(legs.by_motors())
        outputs: dict[str, Layout] = {"A": work.matrix("A", A.over(work.graph))}
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
            h = legs.by_motors().T @ h
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
                share = dot(leg.K[leg.joints.index(j)], leg._end_rows(*_centripetal(leg)))
                rows.append((leg.motor_row(j), -share))
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
