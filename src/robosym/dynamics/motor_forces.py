"""The inverse dynamic model of a parallel robot: motor forces from the motion of its platform (GS 20-32; RNE 5).

Each leg by the recursion of trees, its efforts H brought to its end on the platform, J^-T H; the platform by Newton and
Euler. What the platform and all legs take together is balanced by the motors along the freedom of the platform.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from robosym.coordinates.legs import Legs
from robosym.dynamics.balance import motor_efforts
from robosym.mechanism import Robot
from robosym.model import Layout, Model

__all__ = ["platform_inverse"]

_INPUTS = ("wrench", "gravity", "parameters")


def platform_inverse(
    robot: Robot, modes: Sequence[int] | None = None, weights: Mapping[str | int, float] | None = None
) -> Model:
    """Forces (torques) GAMj of the motors from pose, twist and acceleration of the platform, in frame 0.

    Where it has more motors than degrees of freedom, they are those with the least sum of squares, each times its
    weight where `weights` gives one (by the joint's name or number, 1 for the others).

    The wrench of the platform on its environment is given in the platform's frame. FLX1.. FLZ1 and CLX1.. CLZ1, what
    leg 1 exerts on the platform at its origin, in frame 0, can be selected, where the leg's joints determine it.
    """
    legs = Legs(robot, ("pose", "twist", "acceleration"), _INPUTS, modes)
    with legs.work as work:
        forces, loads = motor_efforts(legs, weights)
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
