"""Measure the time to generate inverse dynamic models, its growth with the number of links, and the operations."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from table import Row, print_table

import robosym as rs
from robosym.mechanism import Robot

TWISTS = ("0", "Pi/2", "-Pi/2", "-Pi/2", "Pi/2", "Pi/2", "-Pi/2")  # twists of the KUKA LWR


def lwr(lengths: dict[int, str], gravity: str, wrench: set[int], acceleration: bool, rotors: bool) -> Robot:
    """Return the KUKA LWR with symbols for all ten inertial parameters and friction."""
    text = ["name: lwr", f"gravity: {gravity}", "frames:"]
    for j, twist in enumerate(TWISTS, 1):
        text.append(f"  - {{alpha: {twist}, theta: t{j}, r: {lengths.get(j, 0)}}}")
    names = ["XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M", "FV", "FS", *(["IA"] if rotors else [])]
    text.append("links:")
    text += [f"  {j}: {{{', '.join(f'{n}: {n}{j}' for n in names)}}}" for j in range(1, 8)]
    text.append("wrench:")
    text += [f"  {j}: [FX{j}, FY{j}, FZ{j}, CX{j}, CY{j}, CZ{j}]" for j in sorted(wrench)]
    if not acceleration:
        text.append("motion: {QDP: [0, 0, 0, 0, 0, 0, 0]}")
    return rs.loads("\n".join(text), format="yaml")


def tree(links: int) -> Robot:
    """Return a branching tree with general angles, lengths and inertias."""
    text = [f"name: tree{links}", "gravity: [0, 0, G3]", "links: symbolic", "frames:"]
    for j in range(1, links + 1):
        sizes = f"gamma: 0.1, b: 0.2, alpha: 0.3, d: 0.4, r: 0.5, theta: t{j}"
        text.append(f"  - {{ant: {max(0, j - 2)}, {sizes}}}")
    return rs.loads("\n".join(text), format="yaml")


def seconds(job: Callable[[], object], repeats: int) -> float:
    """Return the median processor time of a job in s, after one run to warm up."""
    job()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        job()
        times.append(time.process_time() - start)
    return statistics.median(times)


_LARGE = """
import resource
import robosym as rs
from generation import tree
rs.inverse_dynamics(tree(5000))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def megabytes() -> float:
    """Return the peak memory of a process that generates the model of 5,000 links, including Python, in MB."""
    run = subprocess.run(
        [sys.executable, "-c", _LARGE], cwd=Path(__file__).parent, capture_output=True, text=True, check=True
    )
    return int(run.stdout) / 1024


def main() -> None:
    rx90 = rs.load("rx90")
    small, large = tree(100), tree(1000)
    # interleaved, so that a busy machine slows both
    pairs = [
        (seconds(lambda: rs.inverse_dynamics(small), 1), seconds(lambda: rs.inverse_dynamics(large), 1))
        for _ in range(3)
    ]
    growth = statistics.median(b / a for a, b in pairs)
    tree80 = tree(80)
    bias = rs.inverse_dynamics(
        lwr({3: "r3", 5: "r5"}, "[GX, GY, GZ]", {7}, acceleration=False, rotors=False)
    ).operations
    lengths = {1: "r1", 3: "r3", 5: "r5", 7: "r7"}
    full = rs.inverse_dynamics(lwr(lengths, "[0, 0, G3]", set(range(1, 8)), acceleration=True, rotors=True)).operations
    print_table(
        "Generation of inverse dynamic models",
        [
            Row("RX90, standard parameters, warm [ms]", 1e3 * seconds(lambda: rs.inverse_dynamics(rx90), 40), 3),
            Row("1,000-link tree [s]", statistics.median(b for _, b in pairs), 0.8),
            Row("memory of a process that generates 5,000 links [MB]", megabytes(), 400),
            Row("80-link tree [s]", seconds(lambda: rs.inverse_dynamics(tree80), 3), 0.5),
            Row("time of 1,000 links over time of 100", growth, 12),
            Row("LWR bias torques, additions", bias.additions, 359),
            Row("LWR bias torques, multiplications", bias.multiplications, 363),
            Row("LWR inverse dynamics, additions", full.additions, 402),
            Row("LWR inverse dynamics, multiplications", full.multiplications, 371),
        ],
    )


if __name__ == "__main__":
    main()
