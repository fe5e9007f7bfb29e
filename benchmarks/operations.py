"""Operations of the models of known arms at every level of the optimizer, beside SYMORO+'s own counts and the bars.

SYMORO+'s rule: a sum or difference is one addition, a product or quotient one multiplication, functions are free.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import robosym as rs
from robosym.algebra import evaluate
from robosym.description import DRIVE, WRENCH, Robot
from robosym.model import Model

ALPHA = ("0", "Pi/2", "-Pi/2", "-Pi/2", "Pi/2", "Pi/2", "-Pi/2")


def lwr(lengths: dict[int, str], gravity: str, drive: tuple[str, ...], wrench: range) -> Robot:
    """The KUKA LWR with symbols for lengths and inertia, as the published SYMORO+ models have it."""
    frames = "".join(f"  - {{alpha: {a}, theta: t{j}, r: {lengths.get(j, '0')}}}\n" for j, a in enumerate(ALPHA, 1))
    robot = rs.loads(f"name: lwr\nframes:\n{frames}links: symbolic\ngravity: {gravity}\n", format="yaml")
    return with_drive_and_wrench(robot, drive, wrench)


def with_drive_and_wrench(robot: Robot, drive: tuple[str, ...], wrench: range) -> Robot:
    return robot.with_links(
        {
            **{name: f"{name}{j}" if name in drive else 0 for name in DRIVE},
            **{name: f"{name}{j}" if j in wrench else 0 for name in WRENCH},
        }
        for j in range(1, robot.NL + 1)
    )


def error(model: Model, other: Model) -> float:
    """Largest difference of the outputs at random states, over the largest output."""
    draw = random.Random(1)
    worst = 0.0
    for _ in range(5):
        values = {n: draw.uniform(0.2, 1.0) for names in model.inputs.values() for n in names}
        a, b = evaluate(model.roots, values), evaluate(other.roots, values)
        worst = max(worst, max(abs(x - y) for x, y in zip(a, b, strict=True)) / max(map(abs, a)))
    return worst


def cases() -> list[tuple[str, Callable[[], Model], str, int, int, bool]]:
    """Name, model, SYMORO+'s count, bar, moonshot, and whether on-line operations alone count."""
    r3_r5 = lwr({3: "R3", 5: "R5"}, "[GX, GY, GZ]", ("FV", "FS"), range(7, 8))
    plain = lwr({3: "R3", 5: "R5"}, "[0, 0, G3]", ("IA",), range(0))
    full = lwr({1: "r1", 3: "r3", 5: "r5", 7: "r7"}, "[0, 0, G3]", DRIVE, range(1, 8))
    rx90 = with_drive_and_wrench(rs.load("rx90"), (), range(0))
    rx90_drive = rs.load("rx90")
    return [
        ("LWR bias torques", lambda: rs.bias_torques(r3_r5), "359 + 363 = 722", 650, 578, False),
        ("LWR (r1, r7) inverse dynamics", lambda: rs.inverse_dynamics(full), "402 + 371 = 773", 696, 618, False),
        ("LWR inertia matrix", lambda: rs.inertia_matrix(plain), "212 + 260 = 472", 425, 378, False),
        ("LWR (r1, r7) direct dynamics", lambda: rs.direct_dynamics(full), "940 + 1174 = 2114", 1800, 1480, False),
        ("RX90 base parameters, on line", lambda: rs.inverse_dynamics(rx90, base_parameters=True), "", 430, 380, True),
        (
            "  the same with drives and friction",
            lambda: rs.inverse_dynamics(rx90_drive, base_parameters=True), "", 0, 0, True,
        ),
    ]  # fmt: skip


def main() -> None:
    levels = " ".join(f"{level:>5}" for level in ("plain", 1, 2, "max", "bar", "moon"))
    print(f"{'model':36} {'SYMORO+':18} {levels} {'time':>6}  error")
    for name, generate, symoro, bar, moonshot, online in cases():
        model = generate()
        row = []
        for level in (0, 1, 2, "max"):
            start = time.perf_counter()
            found = rs.optimize(model, level)
            taken = time.perf_counter() - start
            operations = found.operations.online if online else found.operations
            assert operations is not None
            row.append(operations.total)
        verdict = "" if not bar else " moonshot" if row[-1] <= moonshot else " bar" if row[-1] <= bar else " SHORT"
        counts = " ".join(f"{n:5}" for n in row)
        goals = f"{bar or '':>5} {moonshot or '':>5}"
        print(f"{name:36} {symoro:18} {counts} {goals} {taken:5.2f}s {error(model, found):.0e}{verdict}")


if __name__ == "__main__":
    main()
