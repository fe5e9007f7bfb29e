"""Compute an exciting trajectory for identification, a manipulability map and the workspace of an arm."""

import numpy as np

import robosym as rs

robot = rs.load("ur10e")

# A motion of 10 s within the limits of the arm: the flange stays above a table, the torques within those of the motors.
limits = {
    "position": np.pi,
    "velocity": np.radians([120, 120, 180, 180, 180, 180]),
    "acceleration": 8,
    "torque": [330, 330, 150, 56, 56, 56],
    "floor": 0.1,
}
motion = rs.exciting_trajectory(robot, limits, period=10, harmonics=5, starts=2)
print(motion)
q, qd, qdd = motion.at(2.5)
print(f"\nat 2.5 s: q = {np.round(q, 3)}")  # motion.write("motion.csv") for the controller, motion.plot("motion.html")

# Does it distinguish the parameters? Compute the condition number of the regressor.
model = rs.dynamic_identification(robot, base_parameters=True)
W = model.compile()(**motion.at(motion.times(50))._asdict()).reshape(-1, len(model.columns))
print(f"condition number of the {len(model.columns)} inertial columns: {np.linalg.cond(W):.1f}")

# Manipulability on a grid of two joints with the others fixed, and the reach of the arm from random positions.
fixed = {"t1": 0.0, "t4": 0.5, "t5": 1.2, "t6": 0.0}
grid = {"t2": np.linspace(-np.pi, 0, 60), "t3": np.linspace(-2.5, 2.5, 100)}
found = rs.study("manipulability", grid, robot, at=fixed)
best = np.unravel_index(np.argmax(found.values), found.values.shape)
print(f"\n{found}\nbest at t2 = {grid['t2'][best[0]]:.2f}, t3 = {grid['t3'][best[1]]:.2f}")
reach = np.linalg.norm(rs.study("workspace", 100_000, robot).values, axis=1)
print(f"the flange reaches {reach.max():.3f} m from the base")

# Monte Carlo study of a user-defined function: the effect of an uncertain payload on a torque.
torque = rs.gravity_torques(robot.with_payload(6, mass="ML", com=[0, 0, 0.1]))


def shoulder(sample: dict[str, float]) -> float:
    return float(compiled(q=[0, -0.5, 0.8, 0, 1, 0], parameters={"ML": sample["ML"]})[1])


compiled = torque.compile()
masses = {"ML": np.random.default_rng(1).normal(5.0, 0.5, 500)}
spread = rs.study(shoulder, masses)
print(f"\nshoulder torque: mean {spread.values.mean():.1f} N m, std. dev. {spread.values.std():.1f} N m")
