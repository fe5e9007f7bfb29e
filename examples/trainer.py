"""A four-axis spatial disorientation trainer: which accelerations can its motors reach?

The arm (t1) rotates about the vertical and carries a gondola with yaw, roll and pitch axes (t2, t3, t4). The geometry
is that of Kvrgic and Vidakovic; the values are in the library file and below. Run with `python examples/trainer.py`.
"""

from __future__ import annotations

import numpy as np

import robosym as rs
from robosym.control import Actuator, achievable_accelerations
from robosym.dynamics import modified_newton_euler

#: Motor side: torque in Nm, rotor inertia in kg m2, friction in Nm s and Nm. Plausible values for geared servo motors.
MOTORS = {
    1: Actuator(torque=95, ratio=60, inertia=0.03, viscous=0.004, coulomb=0.5),
    2: Actuator(torque=26, ratio=80, inertia=0.006, viscous=0.002, coulomb=0.3),
    3: Actuator(torque=22, ratio=80, inertia=0.005, viscous=0.002, coulomb=0.3),
    4: Actuator(torque=18, ratio=80, inertia=0.004, viscous=0.002, coulomb=0.2),
}


def main() -> None:
    robot = rs.load("trainer")
    both = modified_newton_euler(robot)
    print(f"{robot.title}: inertia matrix and bias torques in one recursion: {both.operations}")
    reach = achievable_accelerations(robot, MOTORS, others="acceleration").compile()
    q = np.array([0.3, 0.8, 0.5, -0.4])
    qd = np.array([2.0, 1.0, 0.6, 0.4])
    print("\nwanted [rad/s2]            reached [rad/s2]           motors [Nm]")
    for share in (0.25, 0.5, 1.0, 2.0):
        wanted = share * np.array([1.0, 2.0, 2.0, 3.0])
        reached, motor, excess = reach(q=q, qd=qd, qdd=wanted)
        limited = ", ".join(f"{j} lacks {abs(x):.1f} Nm" for j, x in enumerate(excess, 1) if abs(x) > 1e-9)
        columns = (" ".join(f"{x:6.2f}" for x in part) for part in (wanted, reached, motor))
        print("   ".join(columns), f"  motor {limited}" if limited else "")


if __name__ == "__main__":
    main()
