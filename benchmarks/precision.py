"""Measure rounding errors of the inverse dynamic models of the open robots in the library, for docs/trust.md.

The reference has 50 digits. `--table` prints the table of that page. Symbolic parameters are drawn from 0.1 to 1.
"""

from __future__ import annotations

import sys

from table import Row, print_table

import robosym as rs

SAMPLES = 200
DRAWN = (0.1, 1.0)
RIGID = {"double": 1e-13, "single": 1e-4}
ELASTIC = {
    "double": 1e-11,
    "single": 1e-2,
}  #: omitted: accelerations of elastic joints are solved for, with random inertias


def main() -> None:
    rows, lines = [], []
    for name in rs.library():
        robot = rs.load(name)
        if robot.modules or robot.loops:
            continue  # random positions would not close their loops
        model = rs.inverse_dynamics(robot)
        symbols = "parameters" in model.inputs
        found = model.precision({"parameters": DRAWN} if symbols else None, samples=SAMPLES)
        bars = ELASTIC if any(joint.eta == 1 for joint in robot.joints) else RIGID
        rows += [Row(f"{name}, {kind}", found.error(kind), bar) for kind, bar in bars.items()]
        drawn = "drawn" if symbols else "numbers"
        lines.append(f"| {name} | {drawn} | {found.error('double'):.1e} | {found.error('single'):.1e} |")
    if "--table" in sys.argv:
        print("\n".join(["| robot | parameters | double | single |", "| --- | --- | --- | --- |", *lines]))
    else:
        print_table("Worst error of the torques, relative to the largest of the state", rows)


if __name__ == "__main__":
    main()
