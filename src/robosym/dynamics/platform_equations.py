"""The equations of motion of a parallel robot in the coordinates of its platform (GS 20-37; RNE 5).

Each leg by the recursion of trees, its efforts H brought to its end on the platform, J^-T H; the platform by Newton and
Euler. What the platform and all legs take together is balanced by the motors along the freedom of the platform:
A V' = J_p^-T Gamma - h, with A the platform's inertia and that of the legs brought to their ends. V' = E n' + what the
legs' constraints ask for at n' = 0, where these vary.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from robosym.algebra.linear.consistent import Orthogonal
from robosym.algebra.linear.regular import solve_where_regular
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.algebra.matrix import Matrix, dot, sum_of
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
    "PlatformEquations",
    "balance",
    "joint_efforts",
    "leg_efforts",
    "motor_efforts",
    "platform_inertia",
    "platform_wrench",
    "strut_load",
    "total",
]

_COORDINATES = {"platform": "the free coordinates of the platform's twist", "joint": "the motors"}


class PlatformEquations(Equations):
    """The coordinates are those of the platform's twist that are free, or the motors (`space="joint"`)."""

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
        """FLX1.. FLZ1 and CLX1.. CLZ1: what leg 1 exerts on the platform at its origin, in frame 0.

        Named where the leg's joints determine it.
        """
        legs = self.legs
        for strut in legs.struts:
            if strut.free:
                push = strut.column * ((torques[strut.motor] - strut.load[1]) * strut.over_lever) - strut.load[0]
                f = push - legs.motion.felt(strut.arm) * strut.mass
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
        """h of A n' + h = J_p^-T Gamma along the freedom of the platform (GS 37).

        In joint space the motors stand at zero acceleration: Gamma = A q'' + h.
        """
        in_joints = self.space == "joint"
        self._accelerate(_held_by_motors(self.legs) if in_joints else drift_of(self.legs))
        h = self._bias(motors=True)
        h = self.legs.by_motors().T @ h if in_joints else h
        return {k: self.work.graph.zero + x for k, x in enumerate(h, 1)}

    def _accelerate(self, six: Sequence[Scalar]) -> None:
        self.legs.motion.accelerate(Vec3(*six[:3]), Vec3(*six[3:]))

    def _bias(self, motors: bool) -> list[Any]:
        """h along the freedom, at the acceleration that the motion has without any along it.

        Without `motors` what struts take along their length is left out: it is their motors' own.
        """
        legs = self.legs
        efforts = leg_efforts(legs)
        loads = [leg.wrench([H[j] for j in leg.joints]) for leg, H in zip(legs.legs, efforts, strict=True)]
        loads += [strut_load(strut, motors) for strut in legs.struts]
        return legs.projected(total([platform_wrench(legs), *loads]))

    # ------------------------------------------------------------- from torques to motion

    def driving(self) -> list[Scalar]:
        legs, robot = self.legs, self.robot
        self._accelerate(drift_of(legs))
        h = self._bias(motors=False)
        tau: dict[int, Scalar] = {j: self.work.value(robot.joint(j).GAM) for j in robot.motors}
        for strut in legs.struts:
            tau[strut.motor] = (tau[strut.motor] - strut.load[1]) * strut.over_lever
        pushes = legs.pushes()
        pushed = Matrix(legs.projected(push) for _, push, _ in pushes).T @ [tau[j] for j, _, _ in pushes]
        return [force - bias for force, bias in zip(pushed, h, strict=True)]

    def accelerations(self, found: Sequence[Any]) -> dict[str, Layout]:
        """VPX .. WPZ of the platform, in frame 0 at its origin."""
        _, E = self.legs.basis
        drift = [*self.legs.motion.vp, *self.legs.motion.wp]
        for name, start, gained in zip(ACCELERATION, drift, E @ list(found), strict=True):
            self.work.define(name, self.work.graph.zero + start + gained)
        return {"acceleration": ACCELERATION}


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


def _end_of_twist(L: Vec3) -> Matrix[Scalar]:
    """The velocity of a point L of the platform by its twist: [1 -L^] of GS 7."""
    return Matrix([[1, 0, 0, 0, L.z, -L.y], [0, 1, 0, -L.z, 0, L.x], [0, 0, 1, L.y, -L.x, 0]])


def strut_load(strut: VectorLeg, motor: bool) -> Wrench:
    """What a strut takes at its ball, across it and, what its motor gives, along it."""
    across, along = strut.load
    force = across + strut.column * (along * strut.over_lever) if motor else across
    return force, strut.arm.cross(force)


def _held_by_motors(legs: Legs) -> list[Any]:
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
    return [x[0] for x in solve_where_regular(matrix, [[zero + d] for _, d in rows], legs.sizes)]


def _centripetal(leg: Leg) -> tuple[Vec3, Vec3]:
    """Acceleration of the end at V' = 0, less its bias."""
    w = leg.motion.w
    linear = w.cross(w.cross(leg.arm)) - leg.bias[0]
    return linear, -leg.bias[1]


_NONE: Wrench = Vec3(0, 0, 0), Vec3(0, 0, 0)


def platform_wrench(legs: Legs, carried: Wrench = _NONE) -> Wrench:
    """What the platform's motion takes, and what it exerts on its environment, about its origin in frame 0 (GS 24).

    The masses at the ends of struts are the platform's (GS 57-66). `carried`: what else it bears, in its own frame.
    """
    motion = legs.motion
    fx, fy, fz, cx, cy, cz = (legs.work.value(getattr(legs.robot.platform, name)) for name in WRENCH)
    back = motion.R.T
    w, wp, vp = (back @ part for part in motion.felt_motion)
    dv = products(w)
    f, n = link_wrench(legs.platform_inertia, dv, u_matrix(dv, wp), wp, vp, 0)
    force, moment = carried
    return motion.R @ (f + Vec3(fx, fy, fz) + force), motion.R @ (n + Vec3(cx, cy, cz) + moment)


def leg_efforts(legs: Legs, accelerated: bool = True) -> list[dict[int, Scalar]]:
    """H of each leg by joint, drives and friction included (GS 20)."""
    if not legs.legs:
        return []
    tree = legs.moving(accelerated)
    return joint_efforts(legs, tree, newton_euler(tree, legs.work.note))


def joint_efforts(legs: Legs, tree: Tree, efforts: Efforts) -> list[dict[int, Scalar]]:
    """The same from the forces on the links of the legs; those of struts go to them, where the base moves."""
    found = []
    for strut in legs.struts if legs.motion.base is not None else ():
        bodies = {j: tree.body(j) for j in strut.joints}
        strut.bear({j: efforts.along[j] + body.friction + body.IA * body.qdd for j, body in bodies.items()})
    for leg in legs.legs:
        bodies = {k: tree.body(k) for j in leg.joints for k, _ in leg.chain.members(j)}
        every = {j: efforts.along[j] + body.friction + body.IA * body.qdd + leg.spring(j) for j, body in bodies.items()}
        found.append(dict(zip(leg.joints, leg.gathered(every), strict=True)))
    return found


def total(wrenches: Sequence[Wrench]) -> Wrench:
    force, moment = wrenches[0]
    for f, n in wrenches[1:]:
        force, moment = force + f, moment + n
    return force, moment


def balance(legs: Legs, needed: Sequence[Scalar], weights: Weights | None = None) -> dict[int, Scalar]:
    """Efforts of the motors that give the platform what is needed along its freedom, and struts what they take along
    their own axis: where there are more motors, those with the least sum of squares, each times its weight.

    No number where the platform can move while the motors stand still.
    """
    freedom, motors = len(needed), len(legs.robot.motors)
    if motors < freedom:
        raise InputError(
            f"{legs.robot.name}: {motors} motors for {freedom} degrees of freedom: its motion cannot be chosen freely"
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
    """The smallest efforts, of each motor by its column, that give what is needed."""
    zero, sizes = legs.work.graph.zero, legs.sizes
    if sizes.divisors is not None:  # a singular pose gives no number
        across = Orthogonal([[zero + x for x in column] for column in columns], sizes.cleared)
        least = across.solve_transposed([zero + x for x in needed])
        guard = replace(sizes, divisors=dict.fromkeys(over for over in across.over if not over.is_number)).guard()
        return [x if guard is None else x * guard for x in least]
    M = Matrix(columns).T.over(legs.work.graph)
    return M.T @ solve_symmetric(M @ M.T, [zero + x for x in needed])


def motor_efforts(legs: Legs, weights: Weights | None = None) -> tuple[dict[int, Scalar], list[Wrench]]:
    """The effort of each motor, and what each leg that is treated by the recursion needs at its end."""
    efforts = leg_efforts(legs)
    loads = [leg.wrench([H[j] for j in leg.joints]) for leg, H in zip(legs.legs, efforts, strict=True)]
    across = [(strut.load[0], strut.arm.cross(strut.load[0])) for strut in legs.struts]
    return balance(legs, legs.projected(total([platform_wrench(legs), *loads, *across])), weights), loads
