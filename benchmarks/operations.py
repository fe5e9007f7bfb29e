"""Count the operations of models of known arms at every level of the optimizer, and compare them with SYMORO+.

Rule of SYMORO+: a sum or difference is one addition, a product or quotient is one multiplication, functions are free.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial

from generation import tree
from table import Row, note, print_table

import robosym as rs
from robosym.algebra import evaluate
from robosym.mechanism import DRIVE, INERTIA, WRENCH, Robot
from robosym.model import Model

ALPHA = ("0", "Pi/2", "-Pi/2", "-Pi/2", "Pi/2", "Pi/2", "-Pi/2")


def lwr(lengths: dict[int, str], gravity: str, drive: tuple[str, ...], wrench: range) -> Robot:
    """Return the KUKA LWR with symbolic lengths and inertia, as in the published SYMORO+ models."""
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
    """Return the largest difference of the outputs at random states, relative to the largest output."""
    draw = random.Random(1)
    worst = 0.0
    for _ in range(5):
        values = {n: draw.uniform(0.2, 1.0) for names in model.inputs.values() for n in names}
        a, b = evaluate(model.roots, values), evaluate(other.roots, values)
        worst = max(worst, max(abs(x - y) for x, y in zip(a, b, strict=True)) / max(map(abs, a)))
    return worst


def cases() -> list[tuple[str, Callable[[], Model], str, int, int, bool]]:
    """Return name, model, SYMORO+'s count, bar, stretch goal, and whether only online operations count."""
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
        ("RX90 base parameters, online", lambda: rs.inverse_dynamics(rx90, base_parameters=True), "", 430, 380, True),
        (
            "  the same with drives and friction",
            lambda: rs.inverse_dynamics(rx90_drive, base_parameters=True), "", 0, 0, True,
        ),
    ]  # fmt: skip


def symbolic(robot: Robot) -> Robot:
    """Return the robot with symbolic inertias of all links."""
    return robot.with_links({name: f"{name}{j}" for name in INERTIA} for j in range(1, robot.NL + 1))


def general_6r() -> Robot:
    """Return an arm with six revolute joints and symbols for all parameters."""
    frames = "".join(f"  - {{alpha: {0 if j == 1 else f'al{j}'}, d: {0 if j == 1 else f'D{j}'}, theta: t{j}, "
                     f"r: {0 if j in (1, 6) else f'R{j}'}}}\n" for j in range(1, 7))  # fmt: skip
    return rs.loads(f"name: general\nframes:\n{frames}links: symbolic\ngravity: [0, 0, G3]\n", format="yaml")


ARMS = ("rx90", "ur5e", "puma560", "panda")


def figures() -> list[tuple[str, Callable[[], Model], int, bool]]:
    """Return name, model, bar, and whether only online operations count; all at level "max"."""
    arms = {name: symbolic(rs.load(name)) for name in ARMS}
    rx90 = arms["rx90"]
    lean = with_drive_and_wrench(rs.load("rx90"), (), range(0))
    sr400 = rs.load("sr400")

    def slopes(robot: Robot) -> Model:
        return rs.inverse_dynamics(robot).derivative("q", "qd")

    found: list[tuple[str, Callable[[], Model], int, bool]] = []
    for name, bar in zip(ARMS, (2061, 1829, 2286, 4865), strict=True):
        found.append((f"{name}: torques by q and qd", partial(slopes, arms[name]), bar, False))
    for name, bar in zip(ARMS, (88, 87, 90, 102), strict=True):
        gravity = partial(rs.gravity_torques, arms[name], base_parameters=True)
        found.append((f"{name}: gravity torques, base parameters", gravity, bar, False))
    return [
        *found,
        ("sr400: complete inverse dynamics", partial(rs.inverse_dynamics, sr400), 712, False),
        ("  the same online", partial(rs.inverse_dynamics, sr400), 631, True),
        ("panda: inertia matrix", partial(rs.inertia_matrix, arms["panda"]), 369, False),
        ("  the same, base parameters", partial(rs.inertia_matrix, arms["panda"], base_parameters=True), 369, False),
        (
            "rx90: inverse, base parameters, online",
            partial(rs.inverse_dynamics, lean, base_parameters=True),
            374,
            True,
        ),
        (
            "general 6R: the same",
            partial(rs.inverse_dynamics, with_drive_and_wrench(general_6r(), (), range(0)), base_parameters=True),
            649,
            True,
        ),
        ("lwr: inverse", cases()[1][1], 645, False),
        ("lwr: bias", cases()[0][1], 580, False),
        (
            "rx90: regressor, base parameters",
            partial(rs.dynamic_identification, rx90, base_parameters=True),
            647,
            False,
        ),
        ("rx90: filtered model", partial(rs.filtered_identification, rx90), 963, False),
        ("rx90: energy", partial(rs.energy, rx90), 397, False),
        ("rx90: energy identification", partial(rs.energy_identification, rx90), 207, False),
        ("rx90: jdot_qdot", partial(rs.jdot_qdot, rx90, 6), 110, False),
        ("rx90: Coriolis matrix", partial(rs.coriolis_matrix, rx90), 900, False),
    ]


def puma_rows() -> list[Row]:
    """Return rows for inertia matrix and gravity torques of the Puma 560, for which Izaguirre and Paul (1985) give 106.

    Their model takes "advantage of the symmetries". The measured links have most of them, and the first row neglects
    nothing. In the second row link 5 is a body of revolution about the axis of the tool. In the last row the center of
    mass of link 2 lies on its x axis; in reality it is 6 mm away (docs/decisions.md describes the effect).
    """
    puma = rs.load("puma560")
    links: list[dict[str, float]] = [{} for _ in range(puma.NL)]
    name = "puma560 with numbers: inertia matrix and gravity torques (Izaguirre and Paul: 106)"
    robots = {name: puma}
    links[4] = {"XX": 0.0004}
    robots["  the same, link 5 a body of revolution"] = puma.with_links(links)
    links[1] = {"MY": 0, "XY": 0, "YZ": 0}
    robots["  the same, center of mass of link 2 on its axis x, too"] = puma.with_links(links)
    return [
        Row(what, rs.optimize(rs.inertia_matrix(robot, gravity=True), "max").operations.total, 106)
        for what, robot in robots.items()
    ]


def timed_cases() -> list[tuple[str, Callable[[], Model], float]]:
    """Return name, model and bar in seconds of models whose search takes long."""
    return [
        *((name, generate, 3.0) for name, generate, *_ in cases()[:4]),
        ("panda: inertia matrix", lambda: rs.inertia_matrix(symbolic(rs.load("panda"))), 5.0),
        ("sr400: inverse dynamics", lambda: rs.inverse_dynamics(rs.load("sr400")), 5.0),
        ("lumped2axis: inverse dynamics", lambda: rs.inverse_dynamics(rs.load("lumped2axis")), 5.0),
        ("20-link tree: direct dynamics", lambda: rs.direct_dynamics(tree(20)), 5.0),
        ("80-link tree: direct dynamics", lambda: rs.direct_dynamics(tree(80)), 20.0),
    ]


def _timed(name: str, generate: Callable[[], Model], bar: float) -> Row:
    model = generate()
    start = time.process_time()
    rs.optimize(model, "max")
    return Row(f"{name}, s", time.process_time() - start, bar)


def main() -> None:
    table()
    rows = []
    for name, generate, bar, online in figures():
        operations = rs.optimize(generate(), "max").operations
        rows.append(Row(name, (operations.online if online and operations.online else operations).total, bar))
    lean = with_drive_and_wrench(rs.load("rx90"), (), range(0))
    plain = rs.inverse_dynamics(lean, base_parameters=True)
    quick = rs.optimize(plain, "max", goal="speed").operations
    assert quick.online is not None
    rows.append(Row("rx90: inverse, base parameters, online, goal speed", quick.online.total, 396))
    rows.append(Row("  its functions, those of the plain model", quick.functions, plain.operations.functions))
    rows += puma_rows()
    print_table("Fewer operations: inertia and its parameters as symbols, level max", rows)
    print_table("Processor time of level max", [_timed(*case) for case in timed_cases()])


def table() -> None:
    levels = " ".join(f"{level:>5}" for level in ("plain", 1, 2, "max", "bar", "moon"))
    print(f"{'model':36} {'SYMORO+':18} {levels} {'time':>6}  error")
    for name, generate, symoro, bar, moonshot, online in cases():
        model = generate()
        row = []
        for level in (0, 1, 2, "max"):
            start = time.process_time()
            found = rs.optimize(model, level)
            taken = time.process_time() - start
            operations = found.operations.online if online else found.operations
            assert operations is not None
            row.append(operations.total)
            note(f"{name.strip()}, level {level}, operations", operations.total, f"{name.strip()} {level}")
            note(f"{name.strip()}, level {level}, s", taken, f"{name.strip()} {level} s")
        verdict = "" if not bar else " moonshot" if row[-1] <= moonshot else " bar" if row[-1] <= bar else " SHORT"
        counts = " ".join(f"{n:5}" for n in row)
        goals = f"{bar or '':>5} {moonshot or '':>5}"
        print(f"{name:36} {symoro:18} {counts} {goals} {taken:5.2f}s {error(model, found):.0e}{verdict}")


if __name__ == "__main__":
    main()
