"""Inverse geometry near singularities: how far solutions are from what they should be, against 50 digits.

A robot stands so many radians from a singular position, the rest of its joints anywhere. Its pose is computed in 50
digits by the product of its transformations and rounded to double, as a controller would have it. Two errors are told:
of the pose, recomputed in 50 digits from each solution that was found, in m and rad; and of the joints, from the
position that the pose was made of to the nearest solution. The first is what the program may be blamed for. The second
holds what the question does to rounding: at a distance d from a singular position a pose that is rounded moves the
joints by about 1e-16 / d. Where the solver takes the position for singular, a joint is free and has a conventional
value: then the pose alone is told.
"""

from __future__ import annotations

from math import atan2, pi, sin

import numpy as np
from mpmath import matrix, mp
from table import Row, print_table

import robosym as rs
from robosym.algebra import evaluate

DIGITS, POSES = 50, 20
DISTANCES = (1e-1, 1e-2, 1e-4, 1e-6, 1e-8)
VALUES = {"rx90": {"D3": 0.45, "RL4": 0.45}}
#: the joint that makes the arm singular, by robot and kind: its number, and where
SINGULAR = {
    ("rx90", "wrist"): (5, 0.0), ("rx90", "elbow"): (3, -pi / 2), ("puma560", "wrist"): (5, 0.0),
    ("puma560", "elbow"): (3, -atan2(-sin(pi / 2) * 0.4331, -0.0203)), ("ur5e", "wrist"): (5, 0.0),
    ("ur5e", "elbow"): (3, 0.0),
}  # fmt: skip
POSE_BAR = 1e-11  #: of a pose that is recomputed
FREE_BAR = 2e-9  #: the same where a joint is taken for free
JOINT_BAR = 1e-13  #: of the joints, times the distance


mp.dps = DIGITS


def forward(robot: rs.Robot, q: list[object]) -> matrix:
    """The pose of the last frame in many digits: Khalil and Kleinfinger's transformations one after the other."""
    values = VALUES.get(robot.name, {})
    T = mp.eye(4)
    for frame, angle in zip(robot.frames, q, strict=True):
        # right angles are exact, everything else is the double that the robot has
        alpha = mp.mpf(round(2 * evaluate([frame.alpha], values)[0] / pi)) * mp.pi / 2
        d, r = (mp.mpf(evaluate([entry], values)[0]) for entry in (frame.d, frame.r))
        ca, sa, ct, st = mp.cos(alpha), mp.sin(alpha), mp.cos(angle), mp.sin(angle)
        T = T * matrix(
            [[ct, -st, 0, d], [ca * st, ca * ct, -sa, -r * sa], [sa * st, sa * ct, ca, r * ca], [0, 0, 0, 1]]
        )
    return T


def measured(name: str, kind: str, distance: float) -> tuple[float, float, int, int]:
    """The greatest error of a pose, of the nearest joints; poses with a free joint, and poses without a solution."""
    robot = rs.load(name)
    model = rs.inverse_geometry(robot)
    joint, place = SINGULAR[name, kind]
    rng = np.random.default_rng(12)
    pose_error = joint_error = 0.0
    free = lost = 0
    for _ in range(POSES):
        q = rng.uniform(0.3, 1.2, 6) * rng.choice([-1, 1], 6)
        q[joint - 1] = place + distance * rng.choice([-1, 1])
        exact = forward(robot, [mp.mpf(float(x)) for x in q])
        T = np.array(exact.tolist(), dtype=float)
        found = model.solve(T, parameters=VALUES.get(name))
        solutions = np.asarray(found, dtype=float)
        if not len(solutions):
            lost += 1
            continue
        for row in solutions:
            gap = forward(robot, [mp.mpf(float(x)) for x in row]) - matrix(T.tolist())
            pose_error = max(pose_error, max(abs(float(x)) for x in gap))
        if found.singular:
            free += 1
            continue
        apart = np.abs((solutions - q + pi) % (2 * pi) - pi).max(axis=1)
        joint_error = max(joint_error, float(apart.min()))
    return pose_error, joint_error, free, lost


def main() -> None:
    rows = []
    for name, kind in SINGULAR:
        for distance in DISTANCES:
            what = f"{name}, {kind}, {distance:g} rad away"
            pose, joints, free, lost = measured(name, kind, distance)
            key = f"{name} {kind} {distance:g}"
            rows.append(Row(f"{what}: pose", pose, FREE_BAR if free else POSE_BAR, key=f"{key} pose"))
            if free < POSES:
                rows.append(Row("    joints", joints, JOINT_BAR / distance, key=f"{key} joints"))
            rows.append(Row(f"    poses of {POSES} without a solution", lost, 0, key=f"{key} lost"))
    print_table("Inverse geometry near singular positions, against 50 digits", rows)


if __name__ == "__main__":
    main()
