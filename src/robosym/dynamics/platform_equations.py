"""Equations of motion of a parallel robot in the coordinates of its platform (GS 20-37; RNE 5).

The efforts H of each leg follow from the recursion for trees, and are transformed to its end on the platform, J^-T H;
the platform is treated by Newton and Euler. The motors balance the forces of platform and legs along the degrees of
freedom of the platform: A V' = J_p^-T Gamma - h, with A the inertia of the platform and of the legs at their ends.
V' = E n' plus the acceleration that varying constraints of the legs require at n' = 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from robosym.algebra.linear.consistent import Orthogonal
from robosym.algebra.linear.regular import solve_where_regular
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.algebra.matrix import Matrix, dot, sum_of
from robosym.algebra.once import cached_property
from robosym.coordinates.legs import Leg, Legs, Wrench, drift_of
from robosym.coordinates.platform_motion import ACCELERATION, platform_groups
from robosym.coordinates.roles import Weights, weight_factors
from robosym.coordinates.vector_leg import VectorLeg
from robosym.dynamics.composite import tree_inertia
from robosym.dynamics.equations_of_motion import Equations
from robosym.dynamics.newton_euler import Efforts, link_wrench, newton_euler
from robosym.errors import InputError
from robosym.mechanism import WRENCH, Robot
from robosym.mechanism.bodies import Tree
from robosym.mechanism.motion import products, u_matrix
from robosym.model import Layout
from robosym.spatial import Scalar, Transform, Vec3
from robosym.spatial.inertia import SpatialInertia

__all__ = [
    "Loads",
    "PlatformEquations",
    "balance",
    "motor_efforts",
    "platform_inertia",
    "total",
]

_COORDINATES = {"platform": "the free coordinates of the platform's twist", "joint": "the motors"}


class PlatformEquations(Equations):
    """Equations in the free coordinates of the platform's twist, or in the motors (`space="joint"`)."""

    coordinates = "platform"
    of_robot = " of the parallel robot"

    def __init__(
        self, robot: Robot, groups: tuple[str, ...], structure: None = None, modes: Sequence[int] | None = None,
        space: str = "platform", **_: Any,
    ) -> None:  # fmt: skip
        if space not in _COORDINATES:
            raise InputError(f"space: expected 'platform' or 'joint', found {space!r}")
        self.robot, self.space, self.along = robot, space, _COORDINATES[space]
        self.legs = Legs(robot, *platform_groups(groups), modes)
        self.work = self.legs.work

    # ------------------------------------------------------------- from motion to torques

    def torques(self, weights: Weights | None) -> tuple[dict[int, Scalar], dict[str, Layout]]:
        forces, self.loads = motor_efforts(self.legs, weights)
        return {j: forces[j] for j in self.robot.motors}, {}

    def name_internal_forces(self, torques: Mapping[int, Scalar]) -> None:
        """Name FLX1.. FLZ1 and CLX1.. CLZ1: the wrench of leg 1 on the platform at its origin, in frame 0.

        They are named if the joints of the leg determine them.
        """
        legs = self.legs
        for strut in legs.struts:
            if strut.free:
                push = strut.column * ((torques[strut.motor] - strut.load[1]) * strut.over_lever) - strut.load[0]
                f = push - legs.motion.apparent(strut.arm) * strut.mass
                self._name(strut.leg, f, strut.arm.cross(f))
        for leg, (f, n) in zip(legs.legs, self.loads, strict=True):
            if leg.determined:
                for j in leg.joints:
                    if j in torques:
                        row = leg.motor_row(j)
                        f, n = f - row[0] * torques[j], n - row[1] * torques[j]
                self._name(leg.leg, -f, -n)

    def _name(self, leg: int, force: Vec3, moment: Vec3) -> None:
        for letters, part in (("FL", force), ("CL", moment)):
            for axis, x in zip("XYZ", part, strict=True):
                self.work.define(f"{letters}{axis}{leg + 1}", self.work.graph.zero + x)

    # ----------------------------------------------------------------------------- A and h

    def inertia(self) -> Matrix[Any]:
        _, E = self.legs.basis
        A = platform_inertia(self.legs).congruence(E)
        if self.space == "joint":
            A = A.congruence(self.legs.by_motors())
        return A.over(self.work.graph)

    def bias(self) -> dict[int, Any]:
        """Return h of A n' + h = J_p^-T Gamma along the degrees of freedom of the platform (GS 37).

        In joint space, the motors have zero acceleration: Gamma = A q'' + h.
        """
        in_joints = self.space == "joint"
        self._accelerate(_held_by_motors(self.legs) if in_joints else drift_of(self.legs))
        h = Loads(self.legs).projected(motors=True)
        h = self.legs.by_motors().T @ h if in_joints else h
        return {k: self.work.graph.zero + x for k, x in enumerate(h, 1)}

    def _accelerate(self, six: Sequence[Scalar]) -> None:
        self.legs.motion.accelerate(Vec3(*six[:3]), Vec3(*six[3:]))

    # ------------------------------------------------------------- from torques to motion

    def driving(self) -> list[Scalar]:
        legs, robot = self.legs, self.robot
        self._accelerate(drift_of(legs))
        h = Loads(legs).projected(motors=False)
        tau: dict[int, Scalar] = {j: self.work.value(robot.joint(j).GAM) for j in robot.motors}
        for strut in legs.struts:
            tau[strut.motor] = (tau[strut.motor] - strut.load[1]) * strut.over_lever
        pushes = legs.pushes()
        pushed = Matrix(legs.projected(push) for _, push, _ in pushes).T @ [tau[j] for j, _, _ in pushes]
        return [force - bias for force, bias in zip(pushed, h, strict=True)]

    def accelerations(self, found: Sequence[Any]) -> dict[str, Layout]:
        """Return VPX .. WPZ of the platform, in frame 0 at its origin."""
        _, E = self.legs.basis
        drift = [*self.legs.motion.vp, *self.legs.motion.wp]
        for name, start, gained in zip(ACCELERATION, drift, E @ list(found), strict=True):
            self.work.define(name, self.work.graph.zero + start + gained)
        return {"acceleration": ACCELERATION}


def platform_inertia(legs: Legs) -> Matrix[Any]:
    """Return A (6, 6) about the platform's origin in frame 0 (GS 36), linear before angular."""
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


def _end_of_twist(L: Vec3) -> Matrix[Scalar]:
    """Return [1 -L^] of GS 7, which maps the twist of the platform to the velocity of its point L."""
    return Matrix([[1, 0, 0, 0, L.z, -L.y], [0, 1, 0, -L.z, 0, L.x], [0, 0, 1, L.y, -L.x, 0]])


def _held_by_motors(legs: Legs) -> list[Any]:
    """Return the acceleration of the platform for zero motor accelerations, subject to the constraints."""
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
        raise InputError(f"{legs.robot.name}: space: {len(rows)} conditions on 6 accelerations: expected 'platform'")
    matrix = [[zero + x for x in (*w[0], *w[1])] for w, _ in rows]
    return [x[0] for x in solve_where_regular(matrix, [[zero + d] for _, d in rows], legs.sizes)]


def _centripetal(leg: Leg) -> tuple[Vec3, Vec3]:
    """Return the acceleration of the end at V' = 0, less its bias."""
    w = leg.motion.w
    linear = w.cross(w.cross(leg.arm)) - leg.bias[0]
    return linear, -leg.bias[1]


_NONE: Wrench = Vec3(0, 0, 0), Vec3(0, 0, 0)


class Loads:
    """Forces required by the motion of legs and platform; `carried` is a load on the platform, in its own frame."""

    def __init__(self, legs: Legs, carried: Wrench = _NONE) -> None:
        self.legs, self.carried = legs, carried

    @cached_property
    def moving(self) -> tuple[Tree, Efforts]:
        """Links of the legs that the recursion treats, and the forces between them."""
        tree = self.legs.moving()
        return tree, newton_euler(tree, self.legs.work.note)

    @cached_property
    def of_chains(self) -> list[Wrench]:
        """Wrench at the end of each leg that the recursion treats: J^-T H, drives and friction included (GS 20).

        On a moving base, struts receive the efforts of their joints.
        """
        legs, found = self.legs, list[Wrench]()
        if not legs.in_tree:
            return found
        tree, efforts = self.moving
        for strut in legs.struts if legs.motion.base is not None else ():
            bodies = {j: tree.body(j) for j in strut.joints}
            strut.bear({j: efforts.along[j] + body.friction + body.IA * body.qdd for j, body in bodies.items()})
        every: list[list[Scalar]] = []
        for leg in legs.legs:
            bodies = {k: tree.body(k) for j in leg.joints for k, _ in leg.chain.members(j)}
            own = {
                j: efforts.along[j] + body.friction + body.IA * body.qdd + leg.spring(j) for j, body in bodies.items()
            }
            every.append(leg.gathered(own))
        return [leg.wrench(H) for leg, H in zip(legs.legs, every, strict=True)]

    @cached_property
    def platform(self) -> Wrench:
        """Wrench of the platform's motion and on its environment, about its origin in frame 0 (GS 24).

        The masses at the ends of struts belong to the platform (GS 57-66).
        """
        legs, motion = self.legs, self.legs.motion
        fx, fy, fz, cx, cy, cz = (legs.work.value(getattr(legs.robot.platform, name)) for name in WRENCH)
        back = motion.R.T
        w, wp, vp = (back @ part for part in motion.motion_less_gravity)
        dv = products(w)
        f, n = link_wrench(legs.platform_inertia, dv, u_matrix(dv, wp), wp, vp, 0)
        force, moment = self.carried
        return motion.R @ (f + Vec3(fx, fy, fz) + force), motion.R @ (n + Vec3(cx, cy, cz) + moment)

    def projected(self, motors: bool) -> list[Any]:
        """Return the forces along the degrees of freedom of the platform.

        Without `motors`, the forces along struts are omitted, because their own motors supply them.
        """
        loads = [*self.of_chains, *(_strut_load(strut, motors) for strut in self.legs.struts)]
        return self.legs.projected(total([self.platform, *loads]))


def _strut_load(strut: VectorLeg, motor: bool) -> Wrench:
    """Return the force of a strut at its ball joint: across it and, supplied by its motor, along it."""
    across, along = strut.load
    force = across + strut.column * (along * strut.over_lever) if motor else across
    return force, strut.arm.cross(force)


def total(wrenches: Sequence[Wrench]) -> Wrench:
    force, moment = wrenches[0]
    for f, n in wrenches[1:]:
        force, moment = force + f, moment + n
    return force, moment


def balance(legs: Legs, needed: Sequence[Scalar], weights: Weights | None = None) -> dict[int, Scalar]:
    """Return the motor efforts that balance the generalized forces of the platform and the forces along struts.

    With redundant motors, the weighted sum of squares of the efforts is minimal. The result is NaN if the platform
    can move while the motors are locked.
    """
    freedom, motors = len(needed), len(legs.robot.motors)
    if motors < freedom:
        raise InputError(
            f"{legs.robot.name}: expected at least {freedom} motors, one per degree of freedom, found {motors}"
        )
    scales = weight_factors(legs.robot, legs.robot.motors, weights, motors > freedom)
    own = {strut.motor: strut.load[1] for strut in legs.struts}
    zero = legs.work.graph.zero
    if motors == freedom:
        pushes = legs.pushes()
        M = Matrix(legs.projected(push) for _, push, _ in pushes).T.over(legs.work.graph)
        solution = solve_where_regular(M, [[zero + x] for x in needed], legs.sizes)
        found = {j: lever * x[0] for (j, _, lever), x in zip(pushes, solution, strict=True)}
        return {j: force + own[j] if j in own else force for j, force in found.items()}
    rows = [(j, legs.projected(row)) for j, row in legs.rows()]
    needed = [x + sum_of(row[k] * own[j] for j, row in rows if j in own) for k, x in enumerate(needed)]
    columns = [[scales.get(j, 1.0) * x for x in row] if j in scales else row for j, row in rows]
    least = _least(legs, columns, needed)
    return {j: scales[j] * x if j in scales else x for (j, _), x in zip(rows, least, strict=True)}


def _least(legs: Legs, columns: Sequence[Sequence[Any]], needed: Sequence[Any]) -> list[Any]:
    """Return the efforts of minimal norm, with one column per motor, that balance the generalized forces."""
    zero, sizes = legs.work.graph.zero, legs.sizes
    if sizes.divisors is not None:  # NaN at a singular pose
        across = Orthogonal([[zero + x for x in column] for column in columns], sizes.cleared)
        least = across.solve_transposed([zero + x for x in needed])
        guard = replace(sizes, divisors=dict.fromkeys(over for over in across.over if not over.is_number)).guard()
        return [x if guard is None else x * guard for x in least]
    M = Matrix(columns).T.over(legs.work.graph)
    return M.T @ solve_symmetric(M @ M.T, [zero + x for x in needed])


def motor_efforts(legs: Legs, weights: Weights | None = None) -> tuple[dict[int, Scalar], list[Wrench]]:
    """Return the effort of each motor, and the force at the end of each leg that the recursion treats."""
    loads = Loads(legs)
    return balance(legs, loads.projected(motors=False), weights), loads.of_chains
