"""What platform and legs take, and the motors that give it along the freedom of the platform (GS 20-32; RNE 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from robosym.algebra.linear.orthogonal import Orthogonal
from robosym.algebra.linear.solve import solve_where_regular
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.description import WRENCH, Parallel
from robosym.dynamics.newton_euler import Efforts, link_wrench, newton_euler
from robosym.errors import InputError
from robosym.parallel.legs import Legs, Wrench
from robosym.spatial import Vec3
from robosym.spatial.inertia import sum_of
from robosym.tree.bodies import Tree
from robosym.tree.motion import products, u_matrix

__all__ = [
    "balance",
    "drift_of",
    "drifting",
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


def leg_efforts(legs: Legs, accelerated: bool = True) -> list[dict[int, Any]]:
    """H of each leg by joint, drives and friction included (GS 20)."""
    if not legs.legs:
        return []
    tree = legs.moving(accelerated)
    return joint_efforts(legs, tree, newton_euler(tree, legs.work.note))


def joint_efforts(legs: Legs, tree: Tree, efforts: Efforts) -> list[dict[int, Any]]:
    """The same from the forces on the links of the legs; those of struts go to them, where the base moves."""
    found = []
    for strut in legs.struts if legs.motion.base is not None else ():
        bodies = {j: tree.body(j) for j in strut.joints}
        strut.bear({j: efforts.along[j] + body.friction + body.IA * body.qdd for j, body in bodies.items()})
    for leg in legs.legs:
        bodies = {k: tree.body(k) for j in leg.joints for k, _ in leg.chain.members(j)}
        every = {j: efforts.along[j] + body.friction + body.IA * body.qdd for j, body in bodies.items()}
        found.append(dict(zip(leg.joints, leg.gathered(every), strict=True)))
    return found


def total(wrenches: Sequence[Wrench]) -> Wrench:
    force, moment = wrenches[0]
    for f, n in wrenches[1:]:
        force, moment = force + f, moment + n
    return force, moment


def balance(legs: Legs, needed: Sequence[Any]) -> dict[int, Any]:
    """Motor forces that give the platform what is needed along its freedom: the least of them where there are more.

    No number where the platform can move while the motors stand still.
    """
    freedom, motors = len(needed), len(legs.robot.motors)
    if motors < freedom:
        raise InputError(
            f"{legs.robot.name}: {motors} motors for {freedom} degrees of freedom: its motion cannot be chosen freely"
        )
    zero = legs.work.graph.zero
    if motors == freedom:
        pushes = legs.pushes()
        columns = [legs.projected(push) for _, push, _ in pushes]
        M = [[zero + column[k] for column in columns] for k in range(freedom)]
        solution = solve_where_regular(M, [[zero + x] for x in needed], legs.sizes)
        return {j: lever * x[0] for (j, _, lever), x in zip(pushes, solution, strict=True)}
    rows = legs.rows()
    columns = [legs.projected(row) for _, row in rows]
    M = [[zero + column[k] for column in columns] for k in range(freedom)]
    sizes = legs.sizes
    if sizes.divisors is not None:  # a singular pose is told
        across = Orthogonal([[zero + x for x in column] for column in columns], sizes.cleared)
        least = across.solve_transposed([zero + x for x in needed])
        guard = replace(sizes, divisors=dict.fromkeys(over for over in across.over if not over.is_number)).guard()
        return {j: x if guard is None else x * guard for (j, _), x in zip(rows, least, strict=True)}
    square = [[sum_of(a * b for a, b in zip(r, s, strict=True)) for s in M] for r in M]
    y = solve_symmetric(square, needed)
    return {j: sum_of(M[k][m] * y[k] for k in range(freedom)) for m, (j, _) in enumerate(rows)}


def motor_efforts(legs: Legs) -> tuple[dict[int, Any], list[Wrench]]:
    """The effort of each motor, and what each leg that is treated by the recursion needs at its end."""
    efforts = leg_efforts(legs)
    loads = [leg.wrench([H[j] for j in leg.joints]) for leg, H in zip(legs.legs, efforts, strict=True)]
    across = [(strut.load[0], strut.arm.cross(strut.load[0])) for strut in legs.struts]
    forces = balance(legs, legs.projected(total([platform_wrench(legs), *loads, *across])))
    for strut in legs.struts:
        forces[strut.motor] = forces[strut.motor] + strut.load[1]
    return forces, loads


def drifting(robot: Parallel, modes: Sequence[int] | None, groups: tuple[str, ...]) -> Legs:
    """The legs with the platform's acceleration set to what the constraints ask for at none along its freedom."""
    legs = Legs(robot, ("pose", "twist"), groups, modes)
    six = drift_of(legs)
    legs.motion.accelerate(Vec3(*six[:3]), Vec3(*six[3:]))
    return legs


def drift_of(legs: Legs) -> list[Any]:
    """The six accelerations that the constraints ask for where there is none along the freedom of the platform."""
    zero = legs.work.graph.zero
    six: list[Any] = [zero] * 6
    if legs.reference is not None and legs.reference.freedom < 6 and legs.reference.constant_basis is None:
        free = legs.reference.coordinates
        bound = [r for r in range(6) if r not in free]
        rows = legs.chosen_constraints
        left = [[zero + [*w[0], *w[1]][b] for b in bound] for w, _ in rows]
        drift = solve_where_regular(left, [[zero + d] for _, d in rows], legs.sizes)
        for b, x in zip(bound, drift, strict=True):
            six[b] = x[0]
    return six
