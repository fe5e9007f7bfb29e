# %% [markdown]
# # 2. Inverse geometric model (inverse kinematics)
# Which joint positions reach a pose? Paul's method takes equations with one unknown at a time from U0 = 0T1 1T2
# ... 5T6.
# %%
import numpy as np

import robosym as rs

rx90 = rs.load("rx90").with_values({"D3": 0.45, "RL4": 0.45})
steps = rs.derivation(rs.load("rx90"), "inverse_geometry")
print(steps.steps[0].heading)
for formula in steps.steps[0].formulas:
    print("   ", formula.text)
# %% [markdown]
# **Exercise 2.1.** How many solutions has a generic pose of the RX90? Check each by substitution.
# %%
solver = rs.inverse_geometry(rx90)
forward = rs.direct_geometry(rx90, 0, 6).compile()
T = forward(q=[0.3, -0.4, 0.8, 0.5, 0.9, -0.2])
solutions = solver.solve(T)
assert len(solutions) == 8 and np.allclose(forward(q=np.array(solutions)), T)
print(np.array(solutions).round(3))
# %% [markdown]
# **Exercise 2.2.** The planar arm reaches a point with the elbow up or down. Solve it by the law of cosines and
# compare.
# %%
arm = rs.load("planar2r")
P = np.array([1.2, 0.7])
cosine = (P @ P - 2) / 2
by_hand = sorted(np.arccos(cosine) * np.array([-1, 1]))
T = np.eye(4)
T[:2, 3] = P
found = np.array(rs.inverse_geometry(arm, given="P").solve(T))
assert np.allclose(sorted(found[:, 1]), by_hand)
print(found.round(4))
# %% [markdown]
# **Exercise 2.3.** What happens at a pose out of reach?
# %%
T[:2, 3] = 2.5, 0
assert len(rs.inverse_geometry(arm, given="P").solve(T)) == 0
print("no solution: the distance 2.5 m exceeds the sum of the links, 2 m")
