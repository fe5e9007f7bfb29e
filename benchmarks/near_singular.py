"""Measure the accuracy of inverse geometric models near singularities, with 50-digit arithmetic as the reference.

A robot is placed at a given distance, in rad, from a singular position; its other joints are random. Its pose is
computed with 50 digits and rounded to double precision. Two errors are reported: the error of the pose, recomputed with
50 digits from each solution, in m and rad; and the distance from the original joint positions to the nearest solution.
The solver is responsible for the first. The second includes the conditioning of the problem: at a distance d from a
singularity, rounding of the pose moves the joints by about 1e-16 / d. If the solver treats the position as singular, a
joint is free and has a conventional value; then only the error of the pose is reported.
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
#: robot and kind of singularity: index and singular position of the joint that causes it
SINGULAR = {
    ("rx90", "wrist"): (5, 0.0), ("rx90", "elbow"): (3, -pi / 2), ("puma560", "wrist"): (5, 0.0),
    ("puma560", "elbow"): (3, -atan2(-sin(pi / 2) * 0.4331, -0.0203)), ("ur5e", "wrist"): (5, 0.0),
    ("ur5e", "elbow"): (3, 0.0),
}  # fmt: skip
POSE_BAR = 1e-11  #: error of the recomputed pose
FREE_BAR = 2e-9  #: the same if a joint is treated as free
JOINT_BAR = 1e-13  #: error of the joints times the distance


mp.dps = DIGITS


def forward(robot: rs.Robot, q: list[object]) -> matrix:
    """Return the pose of the last frame with 50 digits, as a product of Khalil-Kleinfinger transformations."""
    values = VALUES.get(robot.name, {})
    T = mp.eye(4)
    for frame, angle in zip(robot.frames, q, strict=True):
        # right angles are exact; all other values are the doubles of the robot
        alpha = mp.mpf(round(2 * evaluate([frame.alpha], values)[0] / pi)) * mp.pi / 2
        d, r = (mp.mpf(evaluate([entry], values)[0]) for entry in (frame.d, frame.r))
        ca, sa, ct, st = mp.cos(alpha), mp.sin(alpha), mp.cos(angle), mp.sin(angle)
        T = T * matrix(
            [[ct, -st, 0, d], [ca * st, ca * ct, -sa, -r * sa], [sa * st, sa * ct, ca, r * ca], [0, 0, 0, 1]]
        )
    return T


def measured(name: str, kind: str, distance: float) -> tuple[float, float, int, int]:
    """Return the largest errors of pose and joints, and the number of poses with a free joint and without solution."""
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
