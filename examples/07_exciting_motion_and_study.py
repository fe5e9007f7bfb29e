"""A motion that makes the parameters of an arm visible, and a map of where the arm can work."""

import numpy as np

import robosym as rs

robot = rs.load("ur10e")

# A motion of 10 s within the limits of the arm: the flange stays above a table, torques within those of the motors.
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

# Does it tell the parameters apart? The condition of the regressor, by the public model.
model = rs.dynamic_identification(robot, base_parameters=True)
W = model.compile()(**motion.at(motion.times(50))._asdict()).reshape(-1, len(model.columns))
print(f"condition of the {len(model.columns)} inertial columns: {np.linalg.cond(W):.1f}")

# Manipulability over a grid of two joints, the others fixed; and the reach of the arm from random positions.
fixed = {"t1": 0.0, "t4": 0.5, "t5": 1.2, "t6": 0.0}
grid = {"t2": np.linspace(-np.pi, 0, 60), "t3": np.linspace(-2.5, 2.5, 100)}
found = rs.study("manipulability", grid, robot, at=fixed)
best = np.unravel_index(np.argmax(found.values), found.values.shape)
print(f"\n{found}\nbest at t2 = {grid['t2'][best[0]]:.2f}, t3 = {grid['t3'][best[1]]:.2f}")
reach = np.linalg.norm(rs.study("workspace", 100_000, robot).values, axis=1)
print(f"the flange reaches {reach.max():.3f} m from the base")

# Monte-Carlo over a parameter of one's own function: how much a payload that is not well known changes a torque.
torque = rs.gravity_torques(robot.with_payload(6, mass="ML", com=[0, 0, 0.1]))


def shoulder(sample: dict[str, float]) -> float:
    return float(compiled(q=[0, -0.5, 0.8, 0, 1, 0], parameters={"ML": sample["ML"]})[1])


compiled = torque.compile()
masses = {"ML": np.random.default_rng(1).normal(5.0, 0.5, 500)}
spread = rs.study(shoulder, masses)
print(f"\ntorque of the shoulder: {spread.values.mean():.1f} N m, deviation {spread.values.std():.1f} N m")
