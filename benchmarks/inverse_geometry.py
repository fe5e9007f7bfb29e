"""Measure inverse geometric models: solutions found, errors and times.

python benchmarks/inverse_geometry.py          # about two minutes
python benchmarks/inverse_geometry.py full     # 1,000 arms of each general kind
"""

from __future__ import annotations

import itertools
import re
import sys
import time

import numpy as np
from emitted_c import compiler, timed
from table import Row, print_table

import robosym as rs
from robosym.chains.numeric_chain import parameter_values
from robosym.solve import inverse_geometry

PARAMETERS = {
    "rx90": {"D3": 0.45, "RL4": 0.45},
    "stanford": {"RL2": 0.2},
    "sr400": {"D2": 0.1, "D3": 0.8, "D4": 0.2, "RL4": 0.9, "D8": 0.3},
}
HEAD = "name: {}\nframes:\n{}\nlinks: symbolic\ngravity: [0, 0, 0]\n"


def robot_of(name: str, rows: list[dict[str, object]]) -> rs.Robot:
    frames = "\n".join("  - {" + ", ".join(f"{k}: {v}" for k, v in row.items()) + "}" for row in rows)
    return rs.loads(HEAD.format(name, frames), "yaml")


def small_robots() -> list[tuple[rs.Robot, str]]:
    arm5 = [{"theta": "t1"}, {"alpha": "Pi/2", "theta": "t2"}, {"d": 0.5, "theta": "t3"}, {"d": 0.4, "theta": "t4"},
            {"alpha": "Pi/2", "theta": "t5", "r": 0.1}]  # fmt: skip
    arm3 = [{"theta": "t1", "r": 0.2}, *arm5[1:3], {"sigma": 2, "d": 0.4}]
    polar = [{"theta": "t1"}, {"sigma": 1, "alpha": "Pi/2", "r": "r2"}]
    gantry = [{"sigma": 1, "r": "r1"}, {"sigma": 1, "alpha": "Pi/2", "theta": "Pi/2", "r": "r2"},
              {"sigma": 1, "alpha": "Pi/2", "r": "r3"}]  # fmt: skip
    return [(robot_of("arm5", arm5), "snaP"), (robot_of("arm3", arm3), "P"), (robot_of("polar", polar), "P"),
            (robot_of("gantry", gantry), "P")]  # fmt: skip


def joints(model: object, count: int, rng: np.random.Generator) -> tuple[object, np.ndarray, np.ndarray]:
    chain = model.solver.numeric(parameter_values(model.parameters, PARAMETERS.get(model.robot.name), model.fixed))
    shape = (count, len(chain.joints))
    q = np.where(chain.prismatic, rng.uniform(-1, 1, shape), rng.uniform(-np.pi, np.pi, shape))
    return chain, q, chain.prismatic


def missed(found: list[np.ndarray], q: np.ndarray, lengths: np.ndarray) -> int:
    def gap(s: np.ndarray, row: np.ndarray) -> float:
        s = np.asarray(s)[:, : len(row)]
        return np.abs(np.where(lengths, s - row, 2 * np.sin((s - row) / 2))).max(axis=1).min() if len(s) else np.inf

    return sum(gap(s, row) > 1e-6 for s, row in zip(found, q, strict=True))


def closed_forms() -> list[Row]:
    rng = np.random.default_rng(0)
    names = ("rx90", "puma560", "stanford", "sr400", "ur5e", "tx90", "scara", "gantry3p3r")
    rows = []
    for robot, given in [*((rs.load(name), "snaP") for name in names), *small_robots()]:
        model = inverse_geometry(robot, given=given)
        chain, q, lengths = joints(model, 1000, rng)
        found = model.solve(chain.forward(q), parameters=PARAMETERS.get(robot.name))
        worst = max(s.errors.max() for s in found if len(s))
        what = f"{robot.name} ({model.method}), 1,000 random poses"
        rows += [Row(f"{what}: recovered", 1000 - missed(found, q, lengths), 1000, at_least=True)]
        rows += [Row("    largest error", worst, 1e-9)]
        if len(lengths) < 6:
            continue
        q = np.where(lengths, np.round(q[:400], 1), np.round(q[:400] / (np.pi / 2)) * np.pi / 2)
        found = model.solve(chain.forward(q), parameters=PARAMETERS.get(robot.name))
        valid = sum(len(s) > 0 and bool(np.isfinite(s).all()) for s in found)
        named = sum(s.singular for s in found)
        rows += [Row(f"    400 poses at right angles ({named} with free joints): solved", valid, 400, at_least=True)]
    return rows


def structures() -> list[Row]:
    rng = np.random.default_rng(1)
    kinds = [(first, kind) for first in range(1, 5) for kind in itertools.product("RP", repeat=3)]
    kinds += [(0, places) for places in itertools.combinations(range(6), 3)]
    solved = recovered = 0
    for first, kind in kinds:
        types = ["R"] * 6
        others = [j for j in range(6) if not first - 1 <= j < first + 2] if first else list(kind)
        for place, k in zip(others, kind if first else "PPP", strict=True):
            types[place] = k
        rows = [
            {"alpha": rng.uniform(-2.5, 2.5), "d": rng.uniform(0.1, 0.6)}
            | ({"theta": f"t{j}", "r": rng.uniform(0.1, 0.6)} if t == "R" else
               {"sigma": 1, "theta": rng.uniform(-3, 3), "r": f"r{j}"})
            for j, t in enumerate(types, 1)
        ]  # fmt: skip
        if first:
            rows[first] |= {"d": 0, "r": 0}
            rows[first + 1] |= {"d": 0}
        model = inverse_geometry(robot_of("structure", rows), "pieper")
        chain, q, lengths = joints(model, 100, rng)
        lost = missed(model.solve(chain.forward(q)), q, lengths)
        solved += lost == 0
        recovered += 100 - lost
    return [Row("Pieper's structures solved", solved, 52, at_least=True),
            Row("    100 poses each: recovered", recovered, 5200, at_least=True)]  # fmt: skip


def general(types: list[str], count: int) -> list[Row]:
    rng = np.random.default_rng(2)
    lost, worst, times, tens, total = 0, 0.0, [], [], 0
    for number in range(count):
        rows = [
            {"alpha": rng.uniform(-3, 3), "d": rng.uniform(0.1, 1)}
            | ({"theta": f"t{j}", "r": rng.uniform(0.1, 1)} if t == "R" else
               {"sigma": 1, "theta": rng.uniform(-3, 3), "r": f"r{j}"})
            for j, t in enumerate(types[number % len(types)], 1)
        ]  # fmt: skip
        model = inverse_geometry(robot_of("general", rows), "general")
        chain, q, lengths = joints(model, 12, rng)
        T = chain.forward(q)
        model.solve(T[0])
        start = time.process_time()
        found = model.solve(T[1])
        times.append(time.process_time() - start)
        start = time.process_time()
        model.solve(T[2:])  # ten poses, like the guide's program
        tens.append((time.process_time() - start) / 10)
        lost += missed([found], q[1:2], lengths)
        worst = max(worst, float(found.errors.max()) if len(found) else 0.0)
        total += 1
    name = types[0] if len(types) == 1 else f"{types[0].count('R')}R{types[0].count('P')}P, {len(types)} placements"
    return [Row(f"general {name}, {total} arms: recovered (%)", 100 * (total - lost) / total, 99.9, at_least=True),
            Row("    largest error", worst, 1e-9),
            Row("    median time per pose, ten per call (ms)", 1e3 * np.median(tens), 0.3, key=f"{name} many"),
            Row("    median time per pose, one per call (ms)", 1e3 * np.median(times), 1, key=f"{name} one"),
            ]  # fmt: skip


def calibrated(count: int) -> list[Row]:
    rng = np.random.default_rng(3)
    nominal = [(0, 0, 0), (1, 0, 0), (0, 0.45, 0), (-1, 0, 0.45), (1, 0, 0), (-1, 0, 0)]
    lost = 0
    for number in range(count):
        error = (1e-2, 1e-3, 1e-4)[number % 3]
        rows = [{"alpha": a * np.pi / 2 + error * rng.normal(), "d": d + error * rng.normal(), "theta": f"t{j}",
                 "r": r + error * rng.normal()} for j, (a, d, r) in enumerate(nominal, 1)]  # fmt: skip
        model = inverse_geometry(robot_of("calibrated", rows), "general")
        chain, q, lengths = joints(model, 1, rng)
        lost += missed([model.solve(chain.forward(q)[0])], q, lengths)
    what = f"almost right angles (1e-2 .. 1e-4), {count} arms: recovered (%)"
    return [Row(what, 100 * (count - lost) / count, 99.9, at_least=True)]


def sixteen() -> list[Row]:
    twist, a, d = (90, 1, 90, 1, 90, 1), (0.3, 1, 0, 1.5, 0, 0), (0, 0, 0.2, 0, 0, 0)
    rows = [{"theta": "t1"}]
    rows += [{"alpha": f"{twist[j - 1]}*Pi/180", "d": a[j - 1], "theta": f"t{j + 1}", "r": d[j]} for j in range(1, 6)]
    robot = robot_of("sixteen", [*rows, {"sigma": 2, "alpha": "Pi/180"}])
    T = np.eye(4)
    T[:3] = [[-0.760117, -0.641689, 0.102262, -1.140175], [0.133333, 0, 0.991071, 0],
             [-0.635959, 0.766965, 0.085558, 0]]  # fmt: skip
    return [Row("Manseur and Doty's arm: real solutions", len(inverse_geometry(robot).solve(T)), 16, at_least=True)]


def derivation() -> list[Row]:
    rows = []
    for name in ("rx90", "puma560", "ur5e", "stanford"):
        best = np.inf
        for _ in range(3):
            robot = rs.load(name)  # a derivation is made once per robot
            start = time.process_time()
            inverse_geometry(robot, "paul")
            best = min(best, time.process_time() - start)
        rows.append(Row(f"derivation, Paul on {name} (s)", best, 0.2))
    return rows


def machine_speed() -> list[Row]:
    rng = np.random.default_rng(5)
    rows = []
    for name in ("rx90", "ur5e"):
        model = inverse_geometry(rs.load(name)).compile()
        values = PARAMETERS.get(name)
        chain, q, lengths = joints(model, 10000, rng)
        T = chain.forward(q)
        model.solve(T, values)
        one = many = np.inf
        for _ in range(5):
            start = time.process_time()
            for pose in T[:300]:
                model.solve(pose, values)
            one = min(one, (time.process_time() - start) / 300)
            start = time.process_time()
            found = model.solve(T, values)
            many = min(many, (time.process_time() - start) / len(T))
        recovered = len(T) - missed(found, q, lengths)
        rows += [Row(f"solve in machine code, {name}, one pose (us)", 1e6 * one, 30, key=f"{name} one"),
                 Row("    10,000 poses, per pose (us)", 1e6 * many, 3, key=f"{name} many"),
                 Row("    share recovered", recovered, len(T), at_least=True)]  # fmt: skip
    return rows


def emitted() -> list[Row]:
    if compiler() is None:
        print("the times of emitted code are skipped: found no C compiler")
        return []
    rng = np.random.default_rng(4)
    rows = []
    sixes = [
        {"alpha": rng.uniform(-3, 3), "d": rng.uniform(0.1, 1), "theta": f"t{j}", "r": rng.uniform(0.1, 1)}
        for j in range(1, 7)
    ]
    models = [(name, inverse_geometry(rs.load(name)), bar) for name, bar in (("rx90", 2), ("puma560", 5), ("ur5e", 2))]
    for name, model, bar in [*models, ("general 6R", inverse_geometry(robot_of("general", sixes), "general"), 1000)]:
        chain, q, _ = joints(model, 2000, rng)
        source = model.code("c")
        function = re.search(r"^int (\w+)\(", source, re.M).group(1)
        values = ", ".join(repr(PARAMETERS[name][p]) for p in model.parameters)
        held = f"const double p[] = {{{values}}};" if values else ""
        held += f" double q[{function.upper()}_MOST][6];"
        call = f"total += {function}(input[i], {'p, ' if values else ''}q, NULL);"
        best, mean = timed(source, chain.forward(q), held, call)
        rows.append(Row(f"emitted C, {name}, {mean:.1f} solutions per pose (us)", best, bar, key=f"{name} c"))
    return rows


def main() -> None:
    count = 1000 if "full" in sys.argv[1:] else 100
    placements = ["".join("P" if j in pair else "R" for j in range(6)) for pair in itertools.combinations(range(6), 2)]
    print_table("Times", [*derivation(), *machine_speed(), *emitted()])
    print_table("Closed forms", [*closed_forms(), *structures()])
    rows = [*sixteen(), *general(["RRRRRR"], count), *general(["R" * j + "P" + "R" * (5 - j) for j in range(6)], count)]
    print_table("General method", [*rows, *general(placements, count), *calibrated(count)])


if __name__ == "__main__":
    main()
