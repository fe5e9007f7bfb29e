# %% [markdown]
# # 1. Geometry: frames and transformations
# A robot is described by frames. Frame j follows from its antecedent i by six parameters: gamma and b about and
# along z, alpha and d about and along x, theta and r about and along z again.
# %%
import numpy as np

import robosym as rs

arm = rs.load("planar2r")
print(rs.derivation(arm, "geometry"))
# %% [markdown]
# **Exercise 1.1.** Write the position of the end of the arm (frame 3) by hand for link lengths of 1 m, and
# compare.
# %%
q = np.array([0.3, 0.5])
by_hand = np.array([np.cos(q[0]) + np.cos(q.sum()), np.sin(q[0]) + np.sin(q.sum()), 0.0])
T = rs.direct_geometry(arm, 0, 3).compile()(q=q)
assert np.allclose(T[:3, 3], by_hand)
print(T[:3, 3].round(4))
# %% [markdown]
# **Exercise 1.2.** Show that the upper left block of a transformation is a rotation: its inverse is its
# transpose, and its determinant is 1. Use the RX90 at random positions.
# %%
rx90 = rs.load("rx90")
model = rs.direct_geometry(rx90, 0, 6).compile()
positions = np.random.default_rng(0).uniform(-3, 3, (100, 6))
T = model(q=positions, parameters={"D3": 0.45, "RL4": 0.45})
R = T[:, :3, :3]
assert np.allclose(R @ R.transpose(0, 2, 1), np.eye(3)) and np.allclose(np.linalg.det(R), 1)
print("largest distance from the base:", np.linalg.norm(T[:, :3, 3], axis=1).max().round(3), "m")
# %% [markdown]
# **Exercise 1.3.** Which operations does the direct geometric model of the RX90 take? Multiplying five 4 x 4
# matrices by hand takes 5 x 48 additions and 5 x 64 multiplications.
# %%
operations = rs.direct_geometry(rx90, 0, 6).operations
assert operations.additions < 5 * 48 and operations.multiplications < 5 * 64
print(operations)
