"""The inverse dynamic model of a parallel robot: motor forces from the motion of its platform (GS 20-32; RNE 5).

Each leg by the recursion of trees, its efforts H brought to its end on the platform, J^-T H; the platform by Newton and
Euler. What the platform and all legs take together is balanced by the motors along the freedom of the platform.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from robosym.algebra.linear.solve import solve
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.description import WRENCH, Parallel
from robosym.dynamics.newton_euler import Efforts, link_wrench, newton_euler
from robosym.errors import InputError
from robosym.model import Layout, Model
from robosym.parallel.legs import Legs, Wrench
from robosym.parallel.platform_parameters import reduced
from robosym.spatial import Vec3
from robosym.spatial.inertia import sum_of
from robosym.tree.bodies import Tree
from robosym.tree.motion import products, u_matrix

__all__ = ["balance", "inverse_dynamics", "joint_efforts", "leg_efforts", "platform_wrench", "total"]

_INPUTS = ("wrench", "gravity", "parameters")


def platform_wrench(legs: Legs) -> Wrench:
    """What the platform's motion takes, and what it exerts on its environment, about its origin in frame 0 (GS 24).

    The masses at the ends of struts are the platform's (GS 57-66).
    """
    motion = legs.motion
    fx, fy, fz, cx, cy, cz = (legs.work.value(getattr(legs.robot.platform, name)) for name in WRENCH)
    back = motion.R.T
    w, wp, vp = (back @ part for part in motion.felt_motion)
    dv = products(w)
    f, n = link_wrench(legs.platform_inertia, dv, u_matrix(dv, wp), wp, vp, 0)
    return motion.R @ (f + Vec3(fx, fy, fz)), motion.R @ (n + Vec3(cx, cy, cz))


def leg_efforts(legs: Legs, accelerated: bool = True) -> list[dict[int, Any]]:
    """H of each leg by joint, drives and friction included (GS 20)."""
    if not legs.legs:
        return []
    tree = legs.moving(accelerated)
    return joint_efforts(legs, tree, newton_euler(tree, legs.work.note))


def joint_efforts(legs: Legs, tree: Tree, efforts: Efforts) -> list[dict[int, Any]]:
    """The same from the forces on the links of the legs."""
    found = []
    for leg in legs.legs:
        bodies = {j: tree.body(j) for j in leg.joints}
        found.append({j: efforts.along[j] + body.friction + body.IA * body.qdd for j, body in bodies.items()})
    return found


def total(wrenches: Sequence[Wrench]) -> Wrench:
    force, moment = wrenches[0]
    for f, n in wrenches[1:]:
        force, moment = force + f, moment + n
    return force, moment


def balance(legs: Legs, needed: Sequence[Any]) -> dict[int, Any]:
    """Motor forces that give the platform what is needed along its freedom: the least of them where there are more."""
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
        solution = solve(M, [[zero + x] for x in needed], legs.sizes)
        return {j: lever * x[0] for (j, _, lever), x in zip(pushes, solution, strict=True)}
    rows = legs.rows()
    columns = [legs.projected(row) for _, row in rows]
    M = [[zero + column[k] for column in columns] for k in range(freedom)]
    square = [[sum_of(a * b for a, b in zip(r, s, strict=True)) for s in M] for r in M]
    y = solve_symmetric(square, needed)
    return {j: sum_of(M[k][m] * y[k] for k in range(freedom)) for m, (j, _) in enumerate(rows)}


def inverse_dynamics(robot: Parallel, base_parameters: bool = False, modes: Sequence[int] | None = None) -> Model:
    """Forces (torques) GAMj of the motors from pose, twist and acceleration of the platform, in frame 0.

    The wrench of the platform on its environment is given in the platform's frame. FLX1.. FLZ1 and CLX1.. CLZ1, what
    leg 1 exerts on the platform at its origin, in frame 0, can be selected, where the leg's joints determine it.
    """
    robot = reduced(robot) if base_parameters else robot
    legs = Legs(robot, ("pose", "twist", "acceleration"), _INPUTS, modes)
    with legs.work as work:
        efforts = leg_efforts(legs)
        loads = [leg.wrench([H[j] for j in leg.joints]) for leg, H in zip(legs.legs, efforts, strict=True)]
        platform = platform_wrench(legs)
        across = [(strut.load[0], strut.arm.cross(strut.load[0])) for strut in legs.struts]
        forces = balance(legs, legs.projected(total([platform, *loads, *across])))
        for strut in legs.struts:
            forces[strut.motor] = forces[strut.motor] + strut.load[1]
        for j, force in forces.items():
            work.define(f"GAM{j}", force)
        for strut in legs.struts:
            if strut.free:
                push = strut.column * ((forces[strut.motor] - strut.load[1]) * strut.over_lever) - strut.load[0]
                f = push - legs.motion.felt(strut.arm) * strut.mass
                for letter, part in zip(("FL", "CL"), (f, strut.arm.cross(f)), strict=True):
                    for axis, x in zip("XYZ", part, strict=True):
                        work.define(f"{letter}{axis}{strut.leg + 1}", work.graph.zero + x)
        for leg, (f, n) in zip(legs.legs, loads, strict=True):
            i = leg.leg + 1
            if leg.determined:
                for j in leg.joints:
                    if j in forces:
                        row = leg.motor_row(j)
                        f, n = f - row[0] * forces[j], n - row[1] * forces[j]
                for letter, part in zip(("FL", "CL"), (-f, -n), strict=True):
                    for axis, x in zip("XYZ", part, strict=True):
                        work.define(f"{letter}{axis}{i}", work.graph.zero + x)
        outputs: dict[str, Layout] = {"tau": tuple(f"GAM{j}" for j in robot.motors)}
        return work.model("dyn", "Inverse dynamic model of the parallel robot", outputs)
