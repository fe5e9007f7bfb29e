"""Load a robot, generate its inverse dynamic model, print it, write C, and evaluate a million states."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
from rich.console import Console

import robosym as rs

STATES = 1_000_000


def main() -> None:
    console = Console(highlight=False)
    robot = rs.load("rx90")
    print(robot)

    rs.inverse_dynamics(robot)  # the first call includes imports
    start = time.perf_counter()
    model = rs.inverse_dynamics(robot)
    console.print(f"\n[bold]Inverse dynamic model[/bold], generated in {1e3 * (time.perf_counter() - start):.1f} ms")
    console.print(f"operations: {model.operations}\n")

    equations = model.code("listing").split("(* Equations: *)")[1].strip().splitlines()
    console.print("[bold]First lines of the listing[/bold]")
    for line in equations[:24]:
        console.print(f"  {line}")
    console.print(f"  ... and {len(equations) - 24} more lines\n")

    with tempfile.TemporaryDirectory() as directory:
        written = model.write(Path(directory) / "rx90_dyn.c")
        sizes = ", ".join(f"{path.name} ({path.stat().st_size} bytes)" for path in written)
        console.print(f"[bold]C[/bold]: {sizes}; `robosym inverse-dynamics rx90 -o rx90_dyn.c` writes the same")

    start = time.perf_counter()
    f = model.compile()
    console.print(f"[bold]Machine code[/bold], compiled in {time.perf_counter() - start:.2f} s")

    random = np.random.default_rng(0)
    q, qd, qdd = random.uniform(-np.pi, np.pi, (3, STATES, 6))
    parameters = {name: random.uniform(0.1, 1) for name in model.inputs["parameters"]}
    f(q=q[:100], qd=qd[:100], qdd=qdd[:100], gravity=[9.81], parameters=parameters)
    tau = np.zeros((STATES, 6))  # allocated before the measurement
    times = []
    for _ in range(5):
        start = time.perf_counter()
        f(q=q, qd=qd, qdd=qdd, gravity=[9.81], parameters=parameters, out=tau)
        times.append(time.perf_counter() - start)
    seconds = min(times)
    console.print(f"{STATES:,} random states in {seconds:.3f} s: {1e9 * seconds / STATES:.0f} ns per evaluation")
    console.print(f"torques of the first state: {np.array2string(tau[0], precision=4)}")


if __name__ == "__main__":
    main()
