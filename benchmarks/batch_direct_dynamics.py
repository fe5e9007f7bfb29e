"""Compare direct dynamics and inertia matrix of the Stäubli RX90 with Pinocchio's C++ `aba` and `crba`, on one core.

The states are evaluated in batches. Friction is zero, since Pinocchio has none, but our direct model still computes it.
"""

from __future__ import annotations

import numpy as np
from pinocchio_cpp import STATES, Array, offline_groups, race, rx90_with_numbers
from table import Row, print_table

from robosym.dynamics import direct_dynamics, inertia_matrix


def main() -> None:
    robot, values = rx90_with_numbers()
    rng = np.random.default_rng(1)
    q, qd, tau = rng.uniform(-3, 3, (STATES, 6)), rng.uniform(-3, 3, (STATES, 6)), rng.uniform(-30, 30, (STATES, 6))
    states = np.concatenate([q, qd, tau], axis=1)
    rows = []
    for route in ("recursive", "cholesky"):
        model = direct_dynamics(robot, route=route)
        f, fixed = model.compile(), offline_groups(model, values)

        def direct(f: object = f, fixed: dict[str, Array] = fixed) -> Array:
            return f(q=q, qd=qd, tau=tau, **fixed)  # type: ignore[operator,no-any-return]

        result = race("aba", robot, values, states, direct)
        rows.append(
            Row(f"aba over direct dynamics, {route} ({result.times})", result.ratio, 35, True, result.spread, route)
        )
        rows.append(
            Row(
                f"largest relative difference of the accelerations, {route}",
                result.difference,
                1e-9,
                key=f"{route} difference",
            )
        )
    model = inertia_matrix(robot)
    g, constant = model.compile(), offline_groups(model, values)

    def inertia() -> Array:
        matrices: Array = g(q=q, **constant)
        return matrices

    result = race("crba", robot, values, states, inertia)
    rows.append(Row(f"crba over inertia matrix ({result.times})", result.ratio, 22, True, result.spread, "inertia"))
    rows.append(
        Row("largest relative difference of the inertia matrices", result.difference, 1e-12, key="inertia difference")
    )
    print_table(f"RX90, standard parameters, batches of {STATES}, one core: Pinocchio's time over robosym's", rows)


if __name__ == "__main__":
    main()
