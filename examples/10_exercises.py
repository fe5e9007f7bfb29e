"""Solve exercises from textbooks on robot modeling; the cells of a notebook.

`python tools/exercises.py` writes examples/exercises.ipynb and a page of the site from this file.
"""

# %% [markdown]
# # Exercises of the book
# Eight questions in the style of the books by Khalil and his co-authors, each answered by a few lines. Change the
# robot and run them again.

# %%
import numpy as np

import robosym as rs

# %% [markdown]
# ## 1. Direct geometric model
# Write the table of a SCARA with lengths L1 and L2 and compute the transformation matrix of its last frame.

# %%
scara = rs.robot(
    "scara",
    frames=[{"theta": "t1"}, {"d": "L1", "theta": "t2"}, {"d": "L2", "theta": "t3"}, {"sigma": 1, "r": "r4"}],
    links="symbolic",
    gravity=[0, 0, "G3"],
)
T = rs.transform(scara, 0, 4)
for row in T.outputs["T"][:3]:
    print([str(T.expression(name)) for name in row])

# %% [markdown]
# ## 2. Inverse geometric model
# How is joint 1 of the RX90 found from the pose of its last frame (inverse kinematics)?

# %%
igm = rs.inverse_geometry(rs.load("rx90"))
print(igm.explain().split("2. t3")[0])

# %% [markdown]
# How many solutions does it have? Choose joint positions, compute the pose, solve, and check that every solution
# reaches it.

# %%
rx90 = rs.load("rx90").with_values({"D3": 0.45, "RL4": 0.45})
dgm = rs.direct_geometry(rx90, 0, 6).compile()
pose = dgm(q=[0.3, 0.8, -2.1, 0.4, 0.9, -0.5])
solutions = rs.inverse_geometry(rx90).solve(pose)
print(len(solutions), "solutions, all reach it:", bool(abs(dgm(q=np.asarray(solutions)) - pose).max() < 1e-9))

# %% [markdown]
# ## 3. Singular positions
# Factor the determinant of the Jacobian of the RX90: the zeros of the factors are its singular positions
# (shoulder, elbow, wrist).

# %%
print(rs.jacobian(rs.load("rx90"), 6).determinant().explain())

# %% [markdown]
# ## 4. Inertia matrix of a planar arm
# Two links in a vertical plane. Which inertial parameters occur in the inertia matrix?

# %%
arm = rs.robot("arm", frames=[{"theta": "t1"}, {"d": "L", "theta": "t2"}], links="symbolic", gravity=[0, "G2", 0])
A = rs.lagrange(arm, form="expanded")
for name in ("A11", "A12", "A22"):
    print(name, "=", A.expression(name))

# %% [markdown]
# ## 5. Base inertial parameters
# Which combinations of the 22 standard parameters of this arm can be identified?

# %%
base = rs.base_parameters(arm)
print(base)

# %% [markdown]
# ## 6. Number of operations
# Count the operations of the inverse dynamic model of the RX90 with standard parameters, with base parameters, and
# optimized.

# %%
rx90 = rs.load("rx90")
for model in (rs.inverse_dynamics(rx90), rs.inverse_dynamics(rx90, base_parameters=True)):
    print(model.operations.additions, "+", model.operations.multiplications, "*")
best = rs.optimize(model, 2).operations
print("optimized, less than before:", best.total < model.operations.total)

# %% [markdown]
# ## 7. Consistency of the models
# Show that the inverse and the direct dynamic model are inverse to each other, and that the inertia matrix is symmetric
# and positive definite.

# %%
ur5e = rs.load("ur5e")
state = {"q": [0.1, -1, 0.7, 0.2, 0.5, 0.3], "qd": [0.5, -0.2, 0.3, 0.1, 0.4, -0.6]}
acceleration = np.array([1, -2, 3, 0.5, -1, 2])
tau = rs.inverse_dynamics(ur5e).compile()(**state, qdd=acceleration)
again = rs.direct_dynamics(ur5e).compile()(**state, tau=tau)
A = rs.inertia_matrix(ur5e).compile()(q=state["q"])
print(np.allclose(again, acceleration), np.allclose(A, A.T), bool((np.linalg.eigvalsh(A) > 0).all()))

# %% [markdown]
# ## 8. A loop
# Which joints of the SR400 are passive, and how do they follow from the motors?

# %%
sr400 = rs.load("sr400")
print([sr400.variable(j) for j in sr400.tree_joints if not sr400.frame(j).mu])
print(rs.loop_geometry(sr400).linear)
