"""Model a Delta robot from the pose of its platform: motors, torques, poses, singularities; then a hybrid robot."""

import numpy as np

import robosym as rs

delta = rs.load("delta")
geometry = rs.inverse_geometry(delta)
pose = np.array([1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0.05, -1.1])  # R row by row, then P
motors = geometry.solve(pose)
print("motors at this pose:", dict(zip(delta.motor_names, motors.round(4).tolist(), strict=True)))

poses = rs.direct_geometry(delta).solve(motors)
print("poses with these motors:", poses.report())

forces = rs.inverse_dynamics(delta, base_parameters=True)
print("its inverse dynamic model:", forces.operations)
f = forces.compile()
parameters = dict.fromkeys(forces.inputs["parameters"], 0.1)
still = np.zeros(6)
weight = f(pose=pose, twist=still, acceleration=still, gravity=[-9.81], parameters=parameters)
print("holding torques with all base parameters equal to 0.1:", np.round(weight, 4))

path = np.tile(pose, (5, 1))
path[:, 11] = np.linspace(-1.1, -1.9, 5)
print("moving down until the legs are stretched:")
print(rs.singularities(delta, path).report())

reach = rs.workspace(delta, x=np.linspace(-0.8, 0.8, 9), y=np.linspace(-0.8, 0.8, 9), z=np.linspace(-1.6, -0.8, 5))
print("workspace:", reach.report())

tricept = rs.load("tricept_wrist")  # a hybrid robot: a wrist on a parallel robot
model = rs.inverse_dynamics(tricept)
print("Tricept with its wrist:", {group: len(names) for group, names in model.inputs.items()}, model.operations)
