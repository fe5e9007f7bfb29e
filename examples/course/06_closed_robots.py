# %% [markdown]
# # 6. Closed robots
# A loop adds equations between the joints. The SR400 has a parallelogram, whose passive joints are sums of the
# others.
# %%
import numpy as np

import robosym as rs

sr400 = rs.load("sr400")
for step in rs.derivation(sr400, "loops").steps[:2]:
    print(step.heading, *(formula.text for formula in step.formulas), sep="\n    ")
# %% [markdown]
# **Exercise 6.1.** Check the parallelogram numerically: solve the loop for random motors.
# %%
loops = rs.loop_geometry(sr400)
motors = np.random.default_rng(3).uniform(-1, 1, (20, 6))
for row, modes in zip(motors, loops.solve(motors, parameters={"D3": 0.8, "D8": 0.35}), strict=True):
    joints = dict(zip(loops.joints, modes[0], strict=True))
    known = dict(zip(loops.known, row, strict=True))
    difference = joints["t3"] - (np.pi / 2 - known["t2"] + known["t7"])
    assert np.isclose(np.cos(difference), 1)
print("t3 = Pi/2 - t2 + t7 holds at 20 positions")
# %% [markdown]
# **Exercise 6.2.** The loop reduces the number of base parameters. By how many?
# %%
tree, closed = (len(rs.base_parameters(sr400, structure=s).names) for s in ("tree", None))
assert closed < tree
print(f"{tree} for the tree, {closed} with the loop")
# %% [markdown]
# **Exercise 6.3.** How many torques does the inverse dynamic model of the closed robot have, and of the tree?
# %%
counts = [len(rs.inverse_dynamics(sr400, structure=s).outputs["tau"]) for s in ("tree", None)]
assert counts == [8, 6]
print("torques:", counts)
