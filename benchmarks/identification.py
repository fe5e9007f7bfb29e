"""Measure base parameters and identification models: number of parameters, operations and time."""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import numpy as np
from generation import seconds, tree
from table import Row, print_table

import robosym as rs
from robosym.dynamics.identification import dynamic_identification, filtered_identification
from robosym.mechanism import Robot
from robosym.parameters import BaseParameters, base_parameters

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from cases.identification import PUMA, gough_stewart, yaml

GENERAL_6R = "".join(f"  - {{alpha: a{j}, d: D{j}, theta: t{j}, r: R{j}}}\n" for j in range(1, 7))


def counts(found: BaseParameters) -> tuple[int, int]:
    """Return the number of base parameters without and with rotor inertias."""
    return sum(field != "IA" for _, field in found.places.values()), len(found.names)


def exactly(what: str, measured: int, wanted: int) -> Row:
    """Return a row for a figure that must equal `wanted`."""
    return Row(f"{what}: {measured}, error against {wanted}", abs(measured - wanted), 0)


def parameters() -> list[Row]:
    general = yaml(f"name: general\nframes:\n{GENERAL_6R}links: symbolic\ngravity: [G1, G2, G3]\n")
    sr400 = rs.load("sr400")
    wanted = {
        "RX90": (base_parameters(rs.load("rx90")), (36, 40)),
        "Stanford": (base_parameters(rs.load("stanford")), (33, 37)),
        "Puma": (base_parameters(rs.load("puma560")), (36, 40)),
        "SR400 closed": (base_parameters(sr400), (39, 42)),
        "SR400 tree": (base_parameters(sr400, structure="tree"), (50, 55)),
    }
    rows = []
    for name, (found, bars) in wanted.items():
        for kind, measured, bar in zip(("without", "with"), counts(found), bars, strict=True):
            rows.append(exactly(f"{name}, {kind} rotor inertia", measured, bar))
    rows.append(exactly("general 6R, any gravity", counts(base_parameters(general))[0], 38))
    rows.append(exactly("7R LBR iiwa", len(base_parameters(rs.load("iiwa14")).names), 43))
    stewart = gough_stewart()
    rows.append(exactly("Gough-Stewart, symbolic", len(base_parameters(stewart).names), 88))
    rows.append(exactly("Gough-Stewart, numeric", len(base_parameters(stewart, "numeric").names), 88))
    return rows


def operations() -> list[Row]:
    robots = {"RX90": rs.load("rx90"), "Stanford": rs.load("stanford"), "Puma": yaml(PUMA)}
    inverse = {"RX90": (226, 287), "Stanford": (211, 262), "Puma": (240, 301)}
    regressor = {"RX90": (336, 577), "Stanford": (265, 444), "Puma": (381, 628)}
    filtered = {"Stanford": (524, 612), "Puma": (635, 720)}
    rows = []
    for name, bars in inverse.items():
        model = rs.inverse_dynamics(_bare(robots[name]), base_parameters=True)
        online = model.operations.online
        assert online is not None
        rows.append(Row(f"{name} inverse dynamics, base parameters, online, + and *", online.total, sum(bars) - 1))
    for name, bars in regressor.items():
        count = dynamic_identification(robots[name], base_parameters=True).operations
        rows += [
            Row(f"{name} regressor, base parameters, additions", count.additions, bars[0] - 1),
            Row(f"{name} regressor, base parameters, multiplications", count.multiplications, bars[1] - 1),
        ]
    for name, bars in filtered.items():
        count = filtered_identification(robots[name], base_parameters=True).operations
        rows += [
            Row(f"{name} filtered model, additions", count.additions, bars[0]),
            Row(f"{name} filtered model, multiplications", count.multiplications, bars[1]),
        ]
    return rows


def _bare(robot: Robot) -> Robot:
    """Return the robot without friction and rotor inertia."""
    return robot.with_links([{"IA": 0, "FV": 0, "FS": 0}] * robot.NL)


def times() -> list[Row]:
    puma, arm, large = yaml(PUMA), rs.load("lwr"), tree(80)
    return [
        Row("base parameters of the Puma, symbolic geometry [ms]", 1e3 * seconds(lambda: base_parameters(puma), 9), 50),
        Row("base parameters of a 7R arm, symbolic geometry [ms]", 1e3 * seconds(lambda: base_parameters(arm), 9), 50),
        Row("base parameters of an 80-link tree [s]", seconds(lambda: base_parameters(large), 3), 1),
        *_million(),
    ]


def _million() -> list[Row]:
    """Measure the regressor of the RX90 for a million samples: the best call, since the first allocates memory."""
    model = dynamic_identification(rs.load("rx90"), base_parameters=True, friction=False)
    rng = np.random.default_rng(0)
    constants = {g: np.full(len(names), 0.5) for g, names in model.inputs.items() if g in ("parameters", "gravity")}
    compiled = model.compile().with_values(**constants)
    q, qd, qdd = (rng.uniform(-2, 2, (1_000_000, 6)) for _ in range(3))
    compiled(q=q[:10], qd=qd[:10], qdd=qdd[:10])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        D = compiled(q=q, qd=qd, qdd=qdd)
        taken.append(time.perf_counter() - start)
        size = D.nbytes
        del D
    share = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / size
    return [
        Row("regressor of the RX90, 1,000,000 samples, one core [s]", min(taken), 1),
        Row("its memory over that of the result", share, 1.1),
    ]


def main() -> None:
    print_table("Base inertial parameters", parameters())
    print_table("Operations", operations())
    print_table("Time and memory", times())


if __name__ == "__main__":
    main()
