"""Pieper's condition (guide 2.3.6): three revolute axes that meet, or three prismatic joints.

The 52 structures are 4 places of the spherical joint with 8 kinds of the other three joints, and 20 places of three
prismatic joints. What remains is solved by the equations of table 2.2: of the centre of the spherical joint, its
distance and its coordinate along an axis give two equations in two unknowns, of fourth degree at most.
"""

from __future__ import annotations

from robosym.chains.chain import PoseProblem

__all__ = ["structure"]


def structure(problem: PoseProblem) -> str | None:
    """Which of Pieper's conditions a chain of six unknown joints fulfils, in words; None where none."""
    chain, samples = problem.chain, problem.samples
    joints = chain.joints
    if len(problem.unknown) != 6 or len(joints) != 6 or problem.columns != "snaP":
        return None
    for i in range(4):
        if any(joint.prismatic for joint in joints[i : i + 3]):
            continue
        first, second = chain.constants[i + 1], chain.constants[i + 2]
        # origins are feet of common normals: axes i, i+1 meet where the foot lies on axis i, i+2 where it does not move
        meet = [first.P.x, first.P.y, *second.P]
        bent = [not samples.is_one(constant.A.rows[2].z * constant.A.rows[2].z) for constant in (first, second)]
        if all(samples.is_zero(entry) for entry in meet) and all(bent):
            names = ", ".join(joint.name for joint in joints[i : i + 3])
            return f"The axes of {names} meet in a point, whose position depends on three joints only."
    prismatic = [joint.name for joint in joints if joint.prismatic]
    if len(prismatic) == 3:
        return f"{', '.join(prismatic)} are prismatic: the orientation depends on the three other joints only."
    return None
