"""Solve the loop of a robot with a parallelogram in closed form, and generate its dynamic model."""

import numpy as np

import robosym as rs

robot = rs.load("sr400")
motors = [robot.variable(j) for j in robot.tree_joints if robot.frame(j).mu]
print("motors:", ", ".join(motors))

loop = rs.loop_kinematics(robot).solution()
print("velocities of the passive joints are W times those of the motors, W =")
print(np.array([[str(loop.definitions[name]) for name in row] for row in loop.outputs["W"]]))

lengths = {"D2": 0.2, "D3": 0.8, "D4": 0.1, "D8": 0.25, "RL4": 0.9}
positions = rs.loop_geometry(robot.with_values(lengths)).solve(np.array([0.1, 0.5, 0.2, 0.3, 0.4, -0.6]))
print(f"{len(positions)} assembly modes for these motor angles, with t3 and t8:")
print(np.round(np.asarray(positions)[:, [2, 7]], 4))

inverse = rs.inverse_dynamics(robot, base_parameters=True)
print("torques:", inverse.outputs["tau"], "operations:", inverse.operations)
