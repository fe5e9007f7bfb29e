# %% [markdown]
# # 7. Parallel robots
# The motors of a parallel robot follow from the pose of its platform, leg by leg. The reverse, the pose for given
# motors, has several solutions.
# %%
import numpy as np

import robosym as rs

fivebar = rs.load("fivebar")
print(fivebar.title)
# %% [markdown]
# **Exercise 7.1.** The squared length of a leg is the squared distance of its points on base and platform. Moved
# along x without rotation, it is a polynomial of degree two in x with leading coefficient 1. Check it for all legs.
# %%
gough = rs.load("gough")
gough = gough.with_values({name: value for name, value in gough.picture.items() if name in gough.parameters})
pose = np.eye(4)
pose[:3, 3] = 0.33, 0.28, 0.6
solver = rs.inverse_geometry(gough)
motors = solver.solve(pose)
squares = []
for step in (-0.1, 0.0, 0.1):
    moved = pose.copy()
    moved[0, 3] += step
    squares.append(solver.solve(moved) ** 2)
assert np.allclose(squares[0] - 2 * squares[1] + squares[2], 2 * 0.1**2)
print("leg lengths:", motors.round(4), "m")
# %% [markdown]
# **Exercise 7.2.** Compute all poses of the platform for these leg lengths, and find the chosen one among them.
# %%
poses = rs.direct_geometry(gough).solve(motors)
distances = [np.abs(np.asarray(found).ravel()[9:12] - pose[:3, 3]).max() for found in poses]
assert min(distances) < 1e-8
print(len(poses), "real poses; the chosen one is among them")
# %% [markdown]
# **Exercise 7.3.** The inverse Jacobian matrix gives motor velocities from the twist of the platform. Check a
# column by differences.
# %%
twelve = np.r_[np.eye(3).ravel(), pose[:3, 3]]
J = rs.jacobian(gough).compile()(pose=twelve)
J = np.asarray(J[0] if isinstance(J, tuple) else J)
moved = pose.copy()
moved[0, 3] += 1e-6
column = (rs.inverse_geometry(gough).solve(moved) - motors) / 1e-6
assert np.allclose(J[:, 0], column, atol=1e-4)
print(J[:, 0].round(4))
