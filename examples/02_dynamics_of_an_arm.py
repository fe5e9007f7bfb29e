"""Generate inverse and direct dynamics of an arm, print C code, and simulate a fall with machine code."""

import numpy as np

import robosym as rs

robot = rs.load("ur5e")
inverse = rs.inverse_dynamics(robot)
direct = rs.direct_dynamics(robot)
print("inverse dynamics:", inverse.operations)
print("direct dynamics: ", direct.operations)
print("with the optimizer:", rs.optimize(inverse, level=2).operations)
print("\n".join(inverse.code("c").splitlines()[-4:]))

accelerations = direct.compile()
torques = inverse.compile()
q, qd = np.zeros(6), np.zeros(6)
step = 1e-3
for _ in range(500):  # 0.5 s with the motors off
    qdd = accelerations(q=q, qd=qd, tau=np.zeros(6))
    q, qd = q + step * qd + step**2 / 2 * qdd, qd + step * qdd
print("after falling for 0.5 s, q =", np.round(q, 3))
back = torques(q=q, qd=qd, qdd=accelerations(q=q, qd=qd, tau=np.zeros(6)))
print("the inverse model confirms zero torques:", np.abs(back).max() < 1e-9)
