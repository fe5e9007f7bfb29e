# %% [markdown]
# # 8. Simulation and control
# Computed torque uses the inverse dynamic model in the loop: the error then obeys a linear equation.
# %%
import numpy as np

import robosym as rs

arm = rs.load("planar2r")
# %% [markdown]
# **Exercise 8.1.** Let the arm fall from the horizontal position without torques. Its energy must stay constant.
# %%
run = rs.simulate(arm, q=[0.0, 0.0], until=1.0)
assert np.ptp(run.energy) < 1e-5 * np.abs(run.potential).max()
print("position after 1 s:", run.q[-1].round(3), "rad")
# %% [markdown]
# **Exercise 8.2.** Which torque holds the arm at a position? Simulate with the torque of gravity: it must stay at
# rest.
# %%
q0 = np.array([0.4, -0.8])
hold = rs.gravity_torques(arm).compile()(q=q0)
run = rs.simulate(arm, q=q0, torque=hold, until=0.5)
assert np.abs(run.q - q0).max() < 1e-4
print("holding torques:", hold.round(3), "N m")
# %% [markdown]
# **Exercise 8.3.** Computed torque: accelerations that pull an error e back, qdd = -k e - 2 sqrt(k) de/dt, turned
# into torques by the inverse dynamic model, move every joint like a critically damped oscillator. Compare with
# its solution.
# %%
inverse = rs.inverse_dynamics(arm).compile()
stiffness, start = 25.0, np.array([0.5, -0.5])


def controller(t, q, qd):
    return inverse(q=q, qd=qd, qdd=-stiffness * (q - q0) - 2 * stiffness**0.5 * qd)


run = rs.simulate(arm, q=q0 + start, controller=controller, until=1.0)
rate = stiffness**0.5
expected = q0 + start * ((1 + rate * run.t) * np.exp(-rate * run.t))[:, None]
assert np.abs(run.q - expected).max() < 1e-3
print("largest difference from the oscillator:", f"{np.abs(run.q - expected).max():.1e}", "rad")
