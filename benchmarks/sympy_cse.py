"""Compare the number of operations with that of SymPy: the textbook recursion, simplified by `sympy.cse`.

SymPyBotics and similar programs derive a model this way. The recursion of `peers.py` runs on symbols of SymPy for q, qd
and qdd with the same numbers for lengths and inertias; products with exact zeros are left out before. Operations are
counted by the rule of SYMORO+ in both: n terms need n - 1 additions, n factors n - 1 multiplications, a square is one
multiplication, signs are free.
"""

from __future__ import annotations

import time

import numpy as np
import sympy
from peers import newton_euler
from pinocchio_cpp import rx90_with_numbers
from table import Row, note, print_table

import robosym as rs


def operations(terms: list[sympy.Expr]) -> int:
    """Return the number of additions, multiplications and divisions."""
    total = 0
    for term in terms:
        for node in sympy.preorder_traversal(term):
            if isinstance(node, sympy.Mul):
                total += max(0, sum(factor not in (1, -1) for factor in node.args) - 1)
            elif isinstance(node, sympy.Add):
                total += len(node.args) - 1
            elif isinstance(node, sympy.Pow):
                power = int(node.exp)
                total += abs(power) - 1 + (power < 0)
    return total


def main() -> None:
    robot, values = rx90_with_numbers()
    q, qd, qdd = ([sympy.Symbol(f"{name}{j}") for j in range(6)] for name in ("q", "qd", "qdd"))
    torques = newton_euler(robot, values, sympy.sin, sympy.cos, q, qd, qdd)
    start = time.process_time()
    shared, results = sympy.cse(torques)
    spent = time.process_time() - start
    theirs = operations([term for _, term in shared] + results)

    rng = np.random.default_rng(2)
    state = rng.uniform(-3, 3, (3, 6))
    function = sympy.lambdify([q, qd, qdd], torques, cse=True)
    model = rs.inverse_dynamics(robot.with_values(values))
    plain = model.operations.total
    best = rs.optimize(model, "max").operations.total
    difference = np.abs(np.array(function(*state)) - model.compile()(*state)).max()
    assert difference < 1e-9, difference
    note("SymPy and cse, operations", theirs, "cse")
    note("time of sympy.cse, s", spent, "cse time")
    rows = [
        Row(f"RX90 with numbers: SymPy ({theirs}) over robosym ({plain})", theirs / plain, 1, True, key="plain"),
        Row(f"RX90 with numbers: SymPy ({theirs}) over level max ({best})", theirs / best, 1, True, key="max"),
    ]
    note("robosym, operations", plain, "robosym")
    note("robosym at level max, operations", best, "robosym max")
    print_table("operations of RX90 inverse dynamics, beside SymPy with common subexpressions", rows)


if __name__ == "__main__":
    main()
