"""What platform and legs take, and the motors that give it along the freedom of the platform (GS 20-32; RNE 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from robosym.algebra.linear.consistent import Orthogonal
from robosym.algebra.linear.regular import solve_where_regular
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.algebra.matrix import Matrix, sum_of
from robosym.coordinates.legs import Legs, Wrench
from robosym.coordinates.roles import Weights, weight_factors
from robosym.dynamics.newton_euler import Efforts, link_wrench, newton_euler
from robosym.errors import InputError
from robosym.mechanism import WRENCH
from robosym.mechanism.bodies import Tree
from robosym.mechanism.motion import products, u_matrix
from robosym.spatial import Scalar, Vec3

__all__ = [
    "balance",
    "joint_efforts",
    "leg_efforts",
    "motor_efforts",
    "platform_wrench",
    "total",
]

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
