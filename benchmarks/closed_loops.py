"""Models of closed robots by the optimizer's thorough level: its time, and the operations that are left."""

from __future__ import annotations

import time

from table import Row, print_table

import robosym as rs

BAR = 3.0  #: seconds


def main() -> None:
    rows = []
    for name in ("sr400", "akr3000", "gough_stewart"):
        for make in (rs.inverse_dynamics, rs.direct_dynamics):
            model = make(rs.load(name))
            plain = rs.optimize(model, 1).operations.total
            start = time.perf_counter()
            best = rs.optimize(model, "max")
            what = f"{name} {make.__name__}, optimize max"
            rows.append(Row(f"{what}: s", time.perf_counter() - start, BAR))
            rows.append(Row(f"{what}: operations (level 1: {plain})", best.operations.total, plain - 1))
    print_table("Closed robots", rows)


if __name__ == "__main__":
    main()
