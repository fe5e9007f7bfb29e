"""Count the operations of two Gough-Stewart robots in series."""

from __future__ import annotations

from table import Row, print_table

import robosym as rs


def main() -> None:
    gough = rs.load("gough")
    two = rs.Robot.in_series("two_goughs", [gough, gough])
    one = rs.inverse_dynamics(gough, base_parameters=True).operations.total
    base = rs.base_parameters(two)
    model = rs.inverse_dynamics(base.robot)
    print_table(
        "Two Gough-Stewart robots in series",
        [
            Row("base parameters: 88, and 112 on a moving base", len(base.names), 200),
            Row("inverse model, operations", model.operations.total, 3470),
            Row("inverse model, operations, optimized (level 3)", rs.optimize(model, 3).operations.total, 3470),
            Row("inverse model, operations, times those of one", model.operations.total / one, 2),
        ],
    )


if __name__ == "__main__":
    main()
