# %% [markdown]
# # 3. Velocities and singular positions
# Column k of the Jacobian matrix is the velocity of the end frame for a unit velocity of joint k.
# %%
import numpy as np
import sympy

import robosym as rs

arm = rs.load("planar2r")
for step in rs.derivation(arm, "determinant").steps:
    print(step.heading, [formula.text for formula in step.formulas], step.note)
# %% [markdown]
# **Exercise 3.1.** Differentiate the position of the end of the planar arm with SymPy and compare with the
# Jacobian matrix.
# %%
t1, t2 = sympy.symbols("t1 t2", real=True)
position = sympy.Matrix([sympy.cos(t1) + sympy.cos(t1 + t2), sympy.sin(t1) + sympy.sin(t1 + t2)])
J = rs.jacobian(arm, 3).matrix("J")[:2, :]
assert (J - position.jacobian([t1, t2])).applyfunc(sympy.simplify) == sympy.zeros(2, 2)
print(sympy.simplify(position.jacobian([t1, t2]).det()))
# %% [markdown]
# **Exercise 3.2.** Find the singular positions of the RX90, and check with singular values that the rank drops.
# %%
found = rs.derivation(rs.load("rx90"), "determinant")
rx90 = rs.load("rx90")
for step in found.steps[1:]:
    at = step.posture
    J = rs.jacobian(rx90.with_values(at.values), 6).compile()(q=[at.position[name] for name in rx90.joint_names])
    assert np.linalg.matrix_rank(J, 1e-9) < 6
    print(step.note)
# %% [markdown]
# **Exercise 3.3.** Compare the Jacobian matrix with differences of the pose of the end frame.
# %%
ur = rs.load("ur5e")
q, h = np.array([0.1, -1.2, 1.4, 0.3, 0.8, -0.5]), 1e-6
pose = rs.direct_geometry(ur, 0, 6).compile()
columns = [(pose(q=q + h * e)[:3, 3] - pose(q=q - h * e)[:3, 3]) / (2 * h) for e in np.eye(6)]
assert np.allclose(np.transpose(columns), rs.jacobian(ur, 6).compile()(q=q)[:3], atol=1e-8)
print(np.transpose(columns).round(4))
