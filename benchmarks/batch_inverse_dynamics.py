"""Inverse dynamics of a batch of states on one core: robosym against Pinocchio's C++ `rnea`, the Stäubli RX90 both."""

from __future__ import annotations

import numpy as np
from pinocchio_cpp import STATES, Array, groups_off_line, race, rx90_with_numbers
from table import Row, print_table

import robosym as rs


def main() -> None:
    robot, values = rx90_with_numbers()
    model = rs.inverse_dynamics(robot)
    f = model.compile()
    rng = np.random.default_rng(1)
    q, qd, qdd = (rng.uniform(-3, 3, (STATES, 6)) for _ in range(3))
    fixed = groups_off_line(model, values)

    def ours() -> Array:
        torques: Array = f(q=q, qd=qd, qdd=qdd, **fixed)
        return torques

    result = race("rnea", robot, values, np.concatenate([q, qd, qdd], axis=1), ours)
    print_table(
        f"RX90 inverse dynamics, standard parameters, batches of {STATES}, one core",
        [
            Row(f"Pinocchio C++ over robosym, time a state ({result.times})", result.ratio, 15, at_least=True),
            Row("largest difference of the torques over the largest torque", result.difference, 1e-12),
        ],
    )


if __name__ == "__main__":
    main()
