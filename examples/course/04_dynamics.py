# %% [markdown]
# # 4. Dynamics
# The torques of the motors follow from the kinetic and potential energy (Lagrange) or from the balance of forces
# of each link (Newton and Euler).
# %%
import numpy as np
import sympy

import robosym as rs

arm = rs.load("planar2r")
steps = rs.derivation(arm, "lagrange").steps
for step in steps[-4:]:
    print(step.heading)
    for formula in step.formulas:
        print("   ", formula.text)
# %% [markdown]
# **Exercise 4.1.** Derive the inertia matrix of two uniform bars (1 m, 1 kg) by hand and compare.
# %%
t2 = sympy.Symbol("t2", real=True)
by_hand = sympy.Matrix(
    [
        [sympy.Rational(5, 3) + sympy.cos(t2), sympy.Rational(1, 3) + sympy.cos(t2) / 2],
        [sympy.Rational(1, 3) + sympy.cos(t2) / 2, sympy.Rational(1, 3)],
    ]
)
A = rs.inertia_matrix(arm).matrix("A")
assert (A - by_hand).applyfunc(sympy.simplify) == sympy.zeros(2, 2)
print(A)
# %% [markdown]
# **Exercise 4.2.** Check that the torques of Newton-Euler are A qdd + H, where H is the torque without
# acceleration.
# %%
rng = np.random.default_rng(1)
q, qd, qdd = rng.uniform(-1, 1, (3, 50, 2))
torque = rs.inverse_dynamics(arm).compile()
inertia = rs.inertia_matrix(arm).compile()(q=q)
total = torque(q=q, qd=qd, qdd=0 * qdd) + np.einsum("nij,nj->ni", inertia, qdd)
assert np.allclose(torque(q=q, qd=qd, qdd=qdd), total)
print("largest torque:", np.abs(total).max().round(2), "N m")
# %% [markdown]
# **Exercise 4.3.** The power of the motors is the change of the energy. Check it for a motion of the UR5e.
# %%
ur = rs.load("ur5e")
amplitudes, speed = np.linspace(0.2, 0.7, 6), 1.3
t, h = 0.4, 1e-5
q = lambda t: amplitudes * np.sin(speed * t)  # noqa: E731
qd = lambda t: amplitudes * speed * np.cos(speed * t)  # noqa: E731
energy = rs.energy(ur).compile()
whole = lambda t: float(np.sum(energy(q=q(t), qd=qd(t), tau=np.zeros(6)).energy[:2]))  # noqa: E731
tau = rs.inverse_dynamics(ur).compile()(q=q(t), qd=qd(t), qdd=-(speed**2) * q(t))
assert np.isclose((whole(t + h) - whole(t - h)) / (2 * h), tau @ qd(t), rtol=1e-5)
print("power:", (tau @ qd(t)).round(4), "W")
