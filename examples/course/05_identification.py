# %% [markdown]
# # 5. Base parameters and identification
# Not every inertial parameter changes the motion. The others are grouped: the base parameters.
# %%
import numpy as np

import robosym as rs

steps = rs.derivation(rs.load("rx90"), "base_parameters").steps
print(steps[0].note)
print(*(formula.text for formula in steps[0].formulas), sep="\n")
# %% [markdown]
# **Exercise 5.1.** Confirm the number of base parameters of the UR5e by the rank of the observation matrix at
# random states.
# %%
ur = rs.load("ur5e")
base = rs.base_parameters(ur)
rng = np.random.default_rng(2)
q, qd, qdd = rng.uniform(-2, 2, (3, 200, 6))
D = rs.dynamic_identification(ur, friction=False).compile()(q=q, qd=qd, qdd=qdd)
rank = np.linalg.matrix_rank(D.reshape(-1, D.shape[-1]))
assert rank == len(base.names)
print(rank, "base parameters of", len(base.standard_names))
# %% [markdown]
# **Exercise 5.2.** Estimate the base parameters of the planar arm by least squares from torques with noise.
# %%
arm = rs.load("planar2r")
q, qd, qdd = rng.uniform(-2, 2, (3, 2000, 2))
model = rs.dynamic_identification(arm, base_parameters=True, friction=False)
D = model.compile()(q=q, qd=qd, qdd=qdd).reshape(-1, len(model.columns))
measured = rs.inverse_dynamics(arm).compile()(q=q, qd=qd, qdd=qdd).ravel() + rng.normal(0, 0.05, 4000)
estimate, *_ = np.linalg.lstsq(D, measured, rcond=None)
truth = rs.base_parameters(arm).values()
for name, value in zip(model.columns, estimate, strict=True):
    assert abs(value - truth[name]) < 0.02
    print(f"{name:6} {value:8.4f}  {truth[name]:8.4f}")
# %% [markdown]
# **Exercise 5.3.** Why do small motions estimate badly? Compare the condition numbers of small and large motions.
# %%
small = rs.dynamic_identification(arm, base_parameters=True, friction=False).compile()
conditions = [
    np.linalg.cond(small(q=s * q, qd=s * qd, qdd=s * qdd).reshape(-1, len(model.columns))) for s in (0.02, 1.0)
]
assert conditions[0] > 10 * conditions[1]
print("condition numbers:", *(f"{c:.3g}" for c in conditions))
