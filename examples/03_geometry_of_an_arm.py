"""Compute the pose of an arm, all joint positions that reach it (inverse kinematics), and its singularities."""

import numpy as np

import robosym as rs

robot = rs.load("rx90").with_values({"D3": 0.45, "RL4": 0.45})
direct = rs.direct_geometry(robot, 0, 6).compile()
inverse = rs.inverse_geometry(robot)
print(inverse.explain().split("\n\n")[0])

q = np.array([0.3, -0.8, 1.1, 0.4, 0.9, -0.2])
pose = direct(q=q)
solutions = inverse.solve(pose)
print(f"{len(solutions)} solutions reach the pose:")
print(np.round(np.asarray(solutions), 3))
print("every solution gives the pose:", np.allclose(direct(q=np.asarray(solutions)), pose))

print("singular where one of these is zero:", ", ".join(map(str, rs.jacobian(robot, 6).singularities())))
