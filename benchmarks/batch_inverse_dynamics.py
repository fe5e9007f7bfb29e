"""Compare inverse dynamics of the Stäubli RX90 with Pinocchio's C++ `rnea`, in batches of states on one core.

Both the model of the book and that after `optimize(model, 2, goal="speed")` are measured: equal inputs and torques.
"""

from __future__ import annotations

import numpy as np
from pinocchio_cpp import STATES, Array, offline_groups, race, rx90_with_numbers
from table import Row, note, print_table

import robosym as rs


def main() -> None:
    robot, values = rx90_with_numbers()
    model = rs.inverse_dynamics(robot)
    f = model.compile()
    rng = np.random.default_rng(1)
    q, qd, qdd = (rng.uniform(-3, 3, (STATES, 6)) for _ in range(3))
    fixed = offline_groups(model, values)
    out = np.empty((STATES, 6))

    def ours() -> Array:
        torques: Array = f(q=q, qd=qd, qdd=qdd, out=out, **fixed)
        return torques

    states = np.concatenate([q, qd, qdd], axis=1)
    result = race("rnea", robot, values, states, ours)
    in_numbers = rs.inverse_dynamics(robot.with_values(values))
    with_numbers = in_numbers.compile()
    numbers = race("rnea", robot, values, states, lambda: with_numbers(q, qd, qdd, out=out))
    optimized = rs.optimize(model, 2, goal="speed")
    faster, own = optimized.compile(), offline_groups(optimized, values)
    quick = race("rnea", robot, values, states, lambda: faster(q=q, qd=qd, qdd=qdd, out=out, **own))
    faster_numbers = rs.optimize(in_numbers, 2, goal="speed").compile()
    quick_numbers = race("rnea", robot, values, states, lambda: faster_numbers(q, qd, qdd, out=out))
    single = [array.astype(np.float32) for array in (q, qd, qdd)]
    bound, short = f.with_values(**fixed), np.empty((STATES, 6), np.float32)
    halved = race("rnea", robot, values, states, lambda: bound(*single, out=short))
    note("largest difference, numbers in the model", numbers.difference, "numbers difference")
    ratio = "Pinocchio C++ over robosym"
    print_table(
        f"RX90 inverse dynamics, standard parameters, batches of {STATES}, one core",
        [
            Row(f"{ratio} ({result.times})", result.ratio, 33, at_least=True, spread=result.spread, key="symbols"),
            Row("nanoseconds per state, parameters as symbols", result.ours, 27),
            Row(f"{ratio}, numbers in the model ({numbers.times})", numbers.ratio, 33, True, numbers.spread, "numbers"),
            Row("nanoseconds per state, numbers in the model", numbers.ours, 25),
            Row(f"{ratio}, optimized ({quick.times})", quick.ratio, 33, True, quick.spread, "optimized"),
            Row("nanoseconds per state, optimized, parameters as symbols", quick.ours, 27),
            Row(
                f"{ratio}, optimized, numbers ({quick_numbers.times})",
                quick_numbers.ratio,
                33,
                True,
                quick_numbers.spread,
                "optimized numbers",
            ),
            Row("nanoseconds per state, optimized, numbers in the model", quick_numbers.ours, 25),
            Row("nanoseconds per state, single precision", halved.ours, 15),
            Row(
                "largest difference of the torques over the largest torque",
                result.difference,
                1e-12,
                key="symbols difference",
            ),
            Row("the same optimized", max(quick.difference, quick_numbers.difference), 1e-12),
            Row("the same in single precision", halved.difference, 1e-5),
        ],
    )


if __name__ == "__main__":
    main()
