"""Compare the regressor and the derivatives of inverse dynamics of the Stäubli RX90 with Pinocchio's C++ on one core.

Pinocchio computes `computeJointTorqueRegressor` and `computeRNEADerivatives`. Friction is zero, as in Pinocchio,
but our derivatives still compute it. Pinocchio's derivatives include the inertia matrix; ours do not. They are those of
the model of the book, and of the model after `optimize(model, 2, goal="speed")`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pinocchio_cpp import STATES, Array, offline_groups, race, rx90_with_numbers
from table import Row, print_table

import robosym as rs

#: the parameters of a link, in the order of Pinocchio
THEIR_ORDER = ("M", "MX", "MY", "MZ", "XX", "XY", "YY", "XZ", "YZ", "ZZ")


def main() -> None:
    robot, values = rx90_with_numbers()
    rng = np.random.default_rng(1)
    q, qd, qdd = (rng.uniform(-3, 3, (STATES, 6)) for _ in range(3))
    states = np.concatenate([q, qd, qdd], axis=1)
    identification = rs.dynamic_identification(robot, friction=False)
    regressor = identification.compile().with_values(**offline_groups(identification, values))
    names = list(identification.columns)
    places = [names.index(f"{name}{j}") for j in range(1, robot.NL + 1) for name in THEIR_ORDER]

    def matrices() -> Array:
        found: Array = regressor(q=q, qd=qd, qdd=qdd)
        return found

    def as_theirs(found: Array) -> Array:
        return np.swapaxes(found[:, :, places], 1, 2)

    rows = []
    result = race("regressor", robot, values, states, matrices, as_theirs)
    rows.append(Row(f"regressor ({result.times})", result.ratio, 10, at_least=True, spread=result.spread))
    rows.append(Row("largest relative difference of the regressors", result.difference, 1e-12))

    torques = rs.inverse_dynamics(robot)
    for what, start in (("derivatives by q and qd", torques), ("optimized", rs.optimize(torques, 2, goal="speed"))):
        model = start.derivative("q", "qd")
        slopes = model.compile().with_values(**offline_groups(model, values))
        out = tuple(np.empty((STATES, 6, 6)) for _ in model.outputs)

        def derivatives(slopes: Any = slopes, out: tuple[Array, ...] = out) -> Any:
            return slopes(q=q, qd=qd, qdd=qdd, out=out)

        def side_by_side(found: Any) -> Array:
            return np.swapaxes(np.concatenate([found.dtau_dq, found.dtau_dqd], axis=2), 1, 2)

        result = race("derivatives", robot, values, states, derivatives, side_by_side)
        rows.append(Row(f"{what} ({result.times})", result.ratio, 20, at_least=True, spread=result.spread))
        rows.append(Row("largest relative difference of the derivatives", result.difference, 1e-12))
    print_table(f"RX90, standard parameters, batches of {STATES}, one core: Pinocchio's time over robosym's", rows)


if __name__ == "__main__":
    main()
